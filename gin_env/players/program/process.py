"""A running program: lines go in and come out, and nothing that it does holds us up for long.

Each of its pipes has a thread of its own: that is how waiting with a time limit works everywhere.
"""

import os
import signal
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread, current_thread
from typing import IO, Any

from gin_env.values.messages import MAX_QUOTED, ProgramError, quote

MAX_LINE = 65_536
"""Bytes of the longest line that a program may write."""
MAX_WAITING = 100
"""Lines that a program may write without being asked before it is read no further."""
GRACE = 0.5
"""Seconds that a program has to end by itself after the end of its input."""

_CHUNK = 65_536
_MAX_SAID = 4_096
"""Bytes kept of the end of what it writes on stderr."""


class Process:
    """A program that runs, in a process group of its own.

    Args:
        command: The program and its arguments.

    Attributes:
        owner: The process that started it; after a fork it is not the child's.

    Raises:
        ProgramError: If it cannot be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        try:
            self._popen = subprocess.Popen(
                command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C in the terminal is for us alone
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except (OSError, ValueError) as error:  # ValueError: a null character
            raise ProgramError("not started", f"cannot be started: {error}") from error
        self.owner = os.getpid()
        self._lines: SimpleQueue[bytes | ProgramError | None] = SimpleQueue()
        self._outgoing: SimpleQueue[bytes | None] = SimpleQueue()
        self._said = bytearray()
        self._threads = [
            Thread(target=work, args=(pipe, store), daemon=True)
            for work, pipe, store in self._list_work()
        ]
        for thread in self._threads:
            thread.start()

    def send(self, lines: Iterable[str]) -> None:
        """Hand over lines; it does not wait until they are read."""
        self._outgoing.put("".join(f"{line}\n" for line in lines).encode("ascii"))

    def receive(self, limit: float) -> str:
        """Wait for the next line.

        Args:
            limit: Seconds to wait.

        Returns:
            The line, without its end.

        Raises:
            ProgramError: If none comes in time, or what comes is none.
        """
        try:
            line = self._lines.get(timeout=limit)
        except Empty:
            text = f"gave no answer within {limit:g} s; does it flush its output?"
            raise ProgramError("stalled", text + self._quote_said()) from None
        if isinstance(line, ProgramError):
            raise line
        if line is None:
            raise ProgramError("died", self._describe_end())
        try:
            return line.decode()
        except UnicodeDecodeError:
            raise ProgramError("rubbish", f"sent a line that is no UTF-8: {quote(line)}") from None

    def check_quiet(self) -> None:
        """Check that it is still there and has written nothing without being asked.

        Raises:
            ProgramError: If it is not, or has.
        """
        if not self._lines.empty():
            line = self.receive(0)
            raise ProgramError("rubbish", f"sent a line without being asked: {quote(line)}")

    def stop(self, last_lines: Iterable[str] = ()) -> None:
        """End its input, let it end by itself for a moment, and kill what is left."""
        self.send(last_lines)
        self._outgoing.put(None)
        _join(self._threads[0])  # its output ends when it does
        self.kill()

    def kill(self) -> None:
        """Kill it with all processes of its group, and wait until it is gone."""
        if hasattr(os, "killpg"):
            with suppress(OSError):  # nobody is left in it
                os.killpg(self._popen.pid, signal.SIGKILL)
        self._popen.kill()
        self._popen.wait()
        self._outgoing.put(None)
        for thread in self._threads:  # one lives on if a process outside the group has its pipe
            _join(thread)

    def _list_work(self) -> list[tuple[Any, IO[bytes] | None, Any]]:
        popen = self._popen
        return [
            (_read_lines, popen.stdout, self._lines),
            (_keep_end, popen.stderr, self._said),
            (_write, popen.stdin, self._outgoing),
        ]

    def _describe_end(self) -> str:
        """Say how it ended, once its output has."""
        try:
            code = self._popen.wait(GRACE)
        except subprocess.TimeoutExpired:
            return "closed its output" + self._quote_said()
        _join(self._threads[1])
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return how + self._quote_said()

    def _quote_said(self) -> str:
        words = " ".join(bytes(self._said).decode(errors="replace").split())
        return f"; last on stderr: {words[-MAX_QUOTED:]!r}" if words else ""


def _join(thread: Thread) -> None:
    """Wait for a thread for a moment; garbage may be collected in that very thread."""
    if thread is not current_thread():
        thread.join(GRACE)


def _read_lines(pipe: IO[bytes], lines: "SimpleQueue[bytes | ProgramError | None]") -> None:
    """Cut what a program writes into lines, until it ends or goes beyond a limit."""
    rest = b""
    with suppress(OSError), pipe:
        while chunk := pipe.read(_CHUNK):
            *whole, rest = (rest + chunk).split(b"\n")
            if max(map(len, (*whole, rest))) > MAX_LINE:
                lines.put(ProgramError("rubbish", f"sent a line of more than {MAX_LINE} bytes"))
                return
            for line in whole:
                lines.put(line)
            if lines.qsize() > MAX_WAITING:
                return
    lines.put(None)


def _keep_end(pipe: IO[bytes], said: bytearray) -> None:
    """Read on, so that the program never waits for it, and keep the end."""
    with suppress(OSError), pipe:
        while chunk := pipe.read(_CHUNK):
            said += chunk
            del said[:-_MAX_SAID]


def _write(pipe: IO[bytes], outgoing: "SimpleQueue[bytes | None]") -> None:
    """Write what is handed over until it is ``None``, or nobody reads it any more."""
    with suppress(OSError), pipe:
        while (data := outgoing.get()) is not None:
            rest = memoryview(data)
            while rest:
                rest = rest[pipe.write(rest) :]
