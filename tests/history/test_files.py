"""Files of hands: appended to whole line by whole line, and never a file that is something else."""

import os
import pickle
import signal
import subprocess
import sys
import time
from copy import copy, deepcopy
from pathlib import Path

import pytest

from gin_env.history import HistoryError, Writer, read, read_line, verify
from gin_env.history.lines import MAX_LINE
from tests import ROOT
from tests.history.recorded import GOLDEN

LINES = GOLDEN[:5]
HANDS = [read_line(line) for line in LINES]


def test_writer_appends(file: Path) -> None:
    for hands in (HANDS[:2], HANDS[2:]):
        writer = Writer(file)
        writer.write(hands)
        writer.close()
    assert file.read_bytes() == b"".join(LINES)
    assert list(read(file)) == HANDS


def test_writer_that_was_closed_opens_again(file: Path) -> None:
    writer = Writer(file)
    writer.close()
    writer.close()
    writer.write(HANDS[:1])
    assert verify(file) == 1


@pytest.mark.parametrize("n_left", [1, 5, 18, 300, -1])
def test_line_that_was_cut_short_is_removed(file: Path, n_left: int) -> None:
    file.write_bytes(LINES[0] + LINES[1][:n_left])
    assert len(list(read_until_error(file))) == 1
    Writer(file).write(HANDS[2:3])
    assert file.read_bytes() == LINES[0] + LINES[2]


def test_long_line_that_was_cut_short_is_removed(file: Path) -> None:
    for before in (LINES[0], b""):
        file.write_bytes(before + LINES[1][:20] + b"x" * 300_000)
        Writer(file).write(HANDS[2:3])
        assert file.read_bytes() == before + LINES[2]


def read_until_error(file: Path) -> list[object]:
    hands: list[object] = []
    with pytest.raises(HistoryError, match="line 2: it is cut short"):
        hands.extend(read(file))
    return hands


@pytest.mark.parametrize("content", [b"dear diary", b"{}\n", b"\n", b'{"gin_env_histories": 1}\n'])
@pytest.mark.parametrize("anew", [False, True])
def test_file_of_something_else_is_left_alone(tmp_path: Path, content: bytes, anew: bool) -> None:
    file = tmp_path / "thesis.txt"
    file.write_bytes(content)
    with pytest.raises(HistoryError, match=r"thesis.txt.*holds something else"):
        Writer(file, anew=anew)
    assert file.read_bytes() == content


def test_writer_begins_anew_if_asked(file: Path) -> None:
    file.write_bytes(LINES[0] + LINES[1][:30])
    writer = Writer(file, anew=True)
    assert file.read_bytes() == b""
    writer.write(HANDS[1:2])
    Writer(file)
    assert file.read_bytes() == LINES[1]


@pytest.mark.skipif(sys.platform == "win32", reason="no locks there")
def test_nothing_is_taken_from_under_another_writer(file: Path) -> None:
    first = Writer(file)
    first.write(HANDS[:1])
    with pytest.raises(HistoryError, match="somebody else is writing there"):
        Writer(file, anew=True)
    second = Writer(file)
    for place in range(1, 5):
        (first, second)[place % 2].write(HANDS[place : place + 1])
    assert list(read(file)) == HANDS


def test_places_that_are_no_files_are_named(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "no" / "h.jsonl"):
        with pytest.raises(HistoryError, match="cannot record in"):
            Writer(place)
        with pytest.raises(HistoryError, match="cannot read"):
            read(place)
    with pytest.raises(HistoryError, match="cannot read"):
        read("a\0b")
    with pytest.raises(HistoryError, match=r"cannot read .* no file"):
        read("/dev/null")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes there")
def test_pipe_is_named_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for look in (read, Writer):
        with pytest.raises(HistoryError, match="it is no file"):
            look(tmp_path / "pipe")


def test_disk_that_is_full_is_named() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no full disk there")
    writer = Writer.__new__(Writer)
    writer.path, writer._close = Path("/dev/full"), None
    file = writer._file = os.open("/dev/full", os.O_WRONLY)
    with pytest.raises(HistoryError, match="cannot record in '/dev/full': No space left"):
        writer.write(HANDS[:1])
    os.close(file)


def test_what_was_written_of_a_line_when_the_disk_filled_is_removed(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, write, room = Writer(file), os.write, [len(LINES[0]) + 100]

    def fill(descriptor: int, data: bytes) -> int:
        if not room[0]:
            raise OSError(28, "No space left on device")
        done = write(descriptor, data[: room[0]])
        room[0] -= done
        return done

    writer.write(HANDS[:0])
    with monkeypatch.context() as patch:
        patch.setattr("os.write", fill)
        with pytest.raises(HistoryError, match="No space left"):
            writer.write(HANDS[:2])
    assert file.read_bytes() == LINES[0] + LINES[1][:100]
    writer.write(HANDS[2:3])
    assert file.read_bytes() == LINES[0] + LINES[2]


def test_disk_that_fails_is_named_where_it_is_read() -> None:
    file = Path("/proc/self/mem")
    if not file.exists():
        pytest.skip("nothing there that opens and cannot be read")
    with pytest.raises(HistoryError, match="cannot read '/proc/self/mem'"):
        verify(file)


def test_empty_file_is_a_history_of_no_hands(file: Path) -> None:
    file.touch()
    assert verify(file) == 0


def test_hands_are_read_as_they_are_asked_for(file: Path) -> None:
    file.write_bytes(LINES[0] + b"rubbish\n")
    hands = read(file)
    assert next(hands) == HANDS[0]
    with pytest.raises(HistoryError, match="line 2: no hand of a history"):
        next(hands)
    assert list(hands) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"x" * (MAX_LINE + 10), "longer than"),
        (LINES[1][:-1] + b" " * MAX_LINE, "longer than"),
        (b"\n", "must begin with"),
        (LINES[1][:-1], "does not end in a newline"),
        (LINES[1][:-1] + b"\r\n", "cut short or was changed"),
        (b"\x00" * 100, "does not end in a newline"),
    ],
)
def test_bad_line_is_named_with_its_number(file: Path, content: bytes, message: str) -> None:
    file.write_bytes(LINES[0] + content)
    with pytest.raises(HistoryError, match=f"^line 2: .*{message}") as error:
        verify(file)
    assert error.value.line == 2


def test_copies_of_a_writer_are_none(file: Path) -> None:
    writer = Writer(file)
    assert [copy(writer), deepcopy(writer), pickle.loads(pickle.dumps(writer))] == [None] * 3


WRITE_FOREVER = """
import sys
from gin_env.history import Writer, read
hands = list(read(sys.argv[1]))
writer = Writer(sys.argv[2])
print("begun", flush=True)
while True:
    writer.write(hands)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal there")
def test_kill_leaves_whole_lines_and_at_most_one_that_is_cut_short(
    tmp_path: Path, file: Path
) -> None:
    source = tmp_path / "source.jsonl"
    Writer(source).write(HANDS)
    n_hands = 0
    for pause in (0.0, 0.01, 0.03):
        command = [sys.executable, "-c", WRITE_FOREVER, str(source), str(file)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(pause)
            process.kill()
        content = file.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        Writer(file).close()
        assert file.read_bytes() == whole
        assert sum(1 for _ in read(file)) >= n_hands
        n_hands = len(whole.splitlines())
    assert n_hands > 0
