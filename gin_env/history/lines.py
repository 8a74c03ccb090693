"""Files of hand histories: appended to line by line, and read line by line."""

import os
import stat
import sys
import weakref
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from gin_env.errors import HistoryError
from gin_env.history.hand import START, Hand, read_line, write_line

HAS_LOCKS = sys.platform != "win32"
if HAS_LOCKS:
    import fcntl

MAX_LINE = 200_000
"""Bytes; a hand at the longest turn cap takes less."""

_BLOCK = 1 << 16


class Writer:
    """Appends hands to a file, each with one write of its whole line.

    So a program that is killed leaves at most one line cut short, at the end; the next writer
    removes it. Several may append to one file at the same time. Copies and pickles of a writer are
    None: what a copy of a game plays is not recorded.

    Args:
        path: The file; one that is no hand history is left alone.
        anew: Begin with an empty file, whatever hands were in it.

    Raises:
        HistoryError: If it cannot be written, or holds something else than a hand history.
    """

    def __init__(self, path: str | Path, *, anew: bool = False) -> None:
        self.path = Path(path).absolute()
        self._file: int | None = None
        self._close: weakref.finalize[[int], Writer] | None = None
        self._open(anew)

    def write(self, hands: Iterable[Hand]) -> None:
        """Append some hands.

        Raises:
            HistoryError: If the disk is full, say.
        """
        self.write_lines(b"".join(map(write_line, hands)))

    def write_lines(self, lines: bytes) -> None:
        """Append what `write_line` has made of some hands."""
        if self._file is None:
            self._open()
        assert self._file is not None
        try:
            while lines:
                lines = lines[os.write(self._file, lines) :]
        except OSError as error:
            self.close()  # whoever opens it again removes what was written of a line
            raise self._error(error.strerror) from error

    def close(self) -> None:
        """Let go of the file; a later hand opens it again."""
        if self._close is not None:
            self._close()
        self._file = self._close = None

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()

    def _open(self, anew: bool = False) -> None:
        try:
            if self.path.exists() and not self.path.is_file():
                raise self._error("it is no file")
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
            self._file = os.open(self.path, flags, 0o666)
            self._close = weakref.finalize(self, os.close, self._file)
            with _seek_alone(self._file) as is_alone:
                if is_alone:
                    self._prepare(self._file, anew)
                elif anew:
                    raise self._error("somebody else is writing there")
        except HistoryError:
            self.close()
            raise
        except (OSError, ValueError) as error:  # ValueError: a name with a null character
            raise self._error(getattr(error, "strerror", None) or str(error)) from error

    def _prepare(self, file: int, anew: bool) -> None:
        """Check what is there, and remove a line that was cut short."""
        size = os.fstat(file).st_size
        first = _read_at(file, 0, len(START))
        if not START.startswith(first):
            raise self._error("it holds something else than a hand history")
        end = 0 if anew else _find_end(file, size)
        if end < size:
            os.ftruncate(file, end)

    def _error(self, reason: str | None) -> HistoryError:
        return HistoryError(f"cannot record in {str(self.path)!r}: {reason}")


def read(source: str | Path | BinaryIO) -> Generator[Hand]:
    """Read a hand history, hand by hand.

    Args:
        source: The file, or a binary stream; it is read as the hands are asked for.

    Returns:
        An iterator over its hands.

    Raises:
        HistoryError: If there is no such file; and from the iterator, at the first line that is
            damaged or cut short: it says which line and why. The hands before it have come by then.
    """
    if not isinstance(source, (str, Path)):
        return _read_hands(source, "the stream")
    file = Path(source)
    try:
        if not stat.S_ISREG(file.stat().st_mode):  # to open a pipe would wait for its writer
            raise HistoryError(f"cannot read {str(file)!r}: it is no file")
        file.open("rb").close()
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        if isinstance(error, HistoryError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise HistoryError(f"cannot read {str(file)!r}: {reason}") from error
    return _read_file(file)


def _read_file(file: Path) -> Generator[Hand]:
    with file.open("rb") as stream:
        yield from _read_hands(stream, repr(str(file)))


def _read_hands(stream: BinaryIO, name: str) -> Generator[Hand]:
    number = 0
    while line := _read_some(stream, name):
        number += 1
        try:
            hand = _read_line(line)
        except HistoryError as error:
            raise HistoryError(str(error), number) from error
        yield hand


def _read_some(stream: BinaryIO, name: str) -> bytes:
    """The next line, or as much of it as may be read of one."""
    try:
        return stream.readline(MAX_LINE + 1)
    except OSError as error:  # a disk may fail at any place
        raise HistoryError(f"cannot read {name}: {error.strerror}") from error


def _read_line(line: bytes) -> Hand:
    if len(line) > MAX_LINE:
        raise HistoryError(f"no hand of a history: longer than {MAX_LINE:,} bytes")
    if not line.endswith(b"\n"):
        raise HistoryError("it is cut short: it does not end in a newline")
    return read_line(line)


@contextmanager
def _seek_alone(file: int) -> Iterator[bool]:
    """Find out whether nobody else has a file open to append; whoever else asks then waits."""
    if not HAS_LOCKS:
        yield True
        return
    is_alone = True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        is_alone = False
    yield is_alone
    with suppress(OSError):  # some network file systems have no locks
        fcntl.flock(file, fcntl.LOCK_SH)


def _find_end(file: int, size: int) -> int:
    """Where the last whole line ends."""
    while size:
        start = max(0, size - _BLOCK)
        place = _read_at(file, start, size - start).rfind(b"\n")
        if place >= 0:
            return start + place + 1
        size = start
    return 0


def _read_at(file: int, place: int, size: int) -> bytes:
    os.lseek(file, place, os.SEEK_SET)
    return os.read(file, size)
