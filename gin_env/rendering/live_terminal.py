"""The table live in the terminal: drawn over the last one, in colour where colour is wanted."""

import os
import re
import sys
import time

from gin_env.rendering.words import RED_CARD

FPS = 2
"""Tables shown a second, at most."""
END_SECONDS = 2.0
"""How long at least the end of a hand stays."""

_HOME, _CLEAR, _CLEAR_LINE, _CLEAR_BELOW = "\x1b[H", "\x1b[2J", "\x1b[K", "\x1b[J"
_RED, _BOLD, _PLAIN = "\x1b[31m", "\x1b[1m", "\x1b[0m"
_LABEL = re.compile(r"^\S[^\n]{0,9}", re.MULTILINE)


class Screen:
    """Shows one table after the other on standard output.

    In a terminal each is drawn over the last one, no faster than `FPS`; anywhere else they are
    printed one below the other, without a pause. A variable ``NO_COLOR`` in the environment that
    is not empty takes the colours away.
    """

    def __init__(self) -> None:
        self._is_begun = False
        self._next_time = 0.0

    def show(self, text: str, *, is_end: bool = False) -> None:
        """Show a table.

        Args:
            text: Its lines.
            is_end: It is the end of a hand, and stays longer.
        """
        if not is_live():
            print(text, end="\n\n", file=sys.stdout, flush=True)
            return
        time.sleep(max(0.0, self._next_time - time.monotonic()))
        start = _HOME if self._is_begun else _CLEAR + _HOME
        if not os.environ.get("NO_COLOR"):
            text = paint(text)
        lines = "".join(f"{line}{_CLEAR_LINE}\n" for line in text.splitlines())
        print(f"{start}{lines}{_CLEAR_BELOW}", end="", file=sys.stdout, flush=True)
        self._is_begun = True
        self._next_time = time.monotonic() + (END_SECONDS if is_end else 1 / FPS)


def is_live() -> bool:
    """Whether standard output is a terminal that can be drawn over."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def paint(text: str) -> str:
    """Colour a table: hearts and diamonds red, the labels of the lines bold."""
    text = RED_CARD.sub(lambda found: f"{_RED}{found[0]}{_PLAIN}", text)
    return _LABEL.sub(lambda found: f"{_BOLD}{found[0]}{_PLAIN}", text)
