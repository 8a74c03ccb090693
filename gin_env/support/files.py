"""Files that are there whole or not at all, and what they hold."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gin_env.errors import GinError, OutputError
from gin_env.support.key_values import load_json

TEMPORARY = ".tmp"
"""How the name of a file ends while it is being written."""


def write_whole(file: Path, content: bytes) -> None:
    """Write a file so that at every moment either the old one is there or the new one, whole.

    A link is followed, and what is no file is left alone: a folder, a pipe, a device.

    Raises:
        OutputError: If it cannot be written.
    """
    try:
        place = Path(os.path.realpath(file))
        if place.exists() and not place.is_file():
            raise OutputError(f"cannot write {str(file)!r}: it is no file")
        beside = place.with_name(place.name + TEMPORARY)
        with beside.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())  # or the new name might be on the disk before its content
        beside.replace(place)
    except OSError as error:
        raise OutputError(f"cannot write {str(file)!r}: {error.strerror}") from error


def read_mapping(file: Path, error: type[GinError]) -> dict[str, Any]:
    """Read a JSON file that holds a mapping.

    Args:
        file: Which.
        error: What to raise if it cannot be read, or holds anything else.
    """
    try:
        content = load_json(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as reason:
        raise error(f"cannot read {str(file)!r}: {reason}") from reason
    if not isinstance(content, dict):
        raise error(f"cannot read {str(file)!r}: it holds no mapping")
    return content


@contextmanager
def hold(lock_file: Path, error: type[GinError], in_use: str) -> Iterator[None]:
    """Keep other processes from the same work; a kill lets go of it too.

    Args:
        lock_file: The file that says so; it stays.
        error: What to raise if another process has it, or it cannot be used.
        in_use: What to say in the first case.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415  (an extra)

    lock = FileLock(lock_file)
    try:
        lock.acquire(blocking=False)
    except Timeout as reason:
        raise error(in_use) from reason
    except OSError as reason:
        raise error(f"cannot use {str(lock_file)!r}: {reason.strerror}") from reason
    try:
        yield
    finally:
        lock.release()
