"""`gin-env` in a pseudo-terminal, and the screen as a person sees it."""

import os
import re
import signal
import sys
import time
from collections.abc import Callable, Sequence

import pexpect
import pyte

from tests import ROOT

COLUMNS, ROWS = 80, 24
SECONDS = 120.0
"""For whatever is waited for; the first time, kernels may have to be compiled."""
CARD = re.compile(r"([A2-9TJQK])([♠♥♦♣])")
ENTER, CTRL_C, ESCAPE, LEFT, RIGHT, UP, DOWN = (
    "\r",
    "\x03",
    "\x1b",
    "\x1b[D",
    "\x1b[C",
    "\x1b[A",
    "\x1b[B",
)


class Terminal:
    """A program in a terminal of 80 columns and 24 lines.

    Args:
        arguments: Of `gin-env`.
        environment: What differs from this process's.
    """

    def __init__(self, arguments: Sequence[str], environment: dict[str, str] | None = None) -> None:
        self.screen = pyte.Screen(COLUMNS, ROWS)
        self.raw = b""
        self._stream = pyte.ByteStream(self.screen)
        usual = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        changed = {"TERM": "xterm-256color", "PYTHONPATH": str(ROOT), **(environment or {})}
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "gin_env.cli", *arguments],
            env=usual | changed,
            dimensions=(ROWS, COLUMNS),
            cwd=str(ROOT),
        )

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        self.child.close(force=True)

    @property
    def lines(self) -> list[str]:
        """The screen."""
        return list(self.screen.display)

    @property
    def text(self) -> str:
        """Likewise, as one text."""
        return "\n".join(self.lines)

    def type(self, keys: str) -> None:
        """Type keys."""
        self.child.send(keys)

    def wait(self, is_there: Callable[[], object], what: str) -> None:
        """Read what the program writes until something is there, and the screen has settled."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            is_new = self._read()
            if not is_new and is_there():
                return
            if not self.child.isalive() and not is_new:
                break
        raise AssertionError(f"waited in vain for {what}; the screen:\n{self.text}")

    def see(self, text: str) -> None:
        """Wait until a text is on the screen."""
        self.wait(lambda: text in self.text, repr(text))

    def end(self) -> int | None:
        """Wait until the program has ended. Returns its exit code."""
        end = time.monotonic() + SECONDS
        while self.child.isalive() and time.monotonic() < end:
            self._read()
        self._read()
        self.child.close()
        return self.child.exitstatus  # type: ignore[no-any-return]

    def kill(self) -> None:
        """Kill the program as hard as can be."""
        self.child.kill(signal.SIGKILL)
        self.child.wait()

    def _read(self) -> bool:
        """Read for a moment. Returns whether there was anything."""
        try:
            new = self.child.read_nonblocking(65536, 0.05)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return False
        self.raw += new
        self._stream.feed(new)
        return bool(new)
