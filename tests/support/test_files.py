"""Files that are written whole: the old one or the new one, and an error that names it."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gin_env.errors import OutputError
from gin_env.support.files import TEMPORARY, write_whole


def test_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"cannot write .*missing"):
        write_whole(tmp_path / "missing" / "file", b"")


def test_file_stays_the_old_one_until_the_new_one_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    write_whole(file, b"old")

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", fail)
        with pytest.raises(OutputError, match="file': No space left"):
            write_whole(file, b"new")
    assert file.read_bytes() == b"old"
    write_whole(file, b"newer")
    assert {entry.name: entry.read_bytes() for entry in tmp_path.iterdir()} == {"file": b"newer"}
    assert not file.with_name("file" + TEMPORARY).exists()


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_what_is_no_file_is_left_alone(tmp_path: Path, make: Callable[[Path], object]) -> None:
    (tmp_path / "link").symlink_to("there")
    make(tmp_path / "there")
    for name in ("there", "link"):
        with pytest.raises(OutputError, match=f"{name}': it is no file"):
            write_whole(tmp_path / name, b"new")
    assert not (tmp_path / "there").is_file()
    assert {entry.name for entry in tmp_path.iterdir()} == {"there", "link"}
    with pytest.raises(OutputError, match="it is no file"):
        write_whole(Path("/"), b"new")


def test_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("folder/file")
    (tmp_path / "folder").mkdir()
    for content in (b"old", b"new"):
        write_whole(tmp_path / "link", content)
        assert (tmp_path / "folder" / "file").read_bytes() == content
    assert (tmp_path / "link").is_symlink()
