"""Recorded hands in the terminal, with the arrow keys."""

from collections.abc import Iterator
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from gin_env.errors import HistoryError
from gin_env.history import Hand
from gin_env.rendering.words import RED_CARD, printable, wrap
from gin_env.replay import PERSPECTIVES
from gin_env.replay.frame_text import draw, scrubber, shorten_names
from gin_env.replay.frames import Frame, make_frames

KEYS = "← → action   ↑ ↓ hand   Home End   p whose cards   q quit"
N_LINES = 24
MAX_NOTE = 4
"""Lines."""
MAX_TITLE = 30
"""Letters of a file's name."""


class LazyHands:
    """Recorded hands, each read when it is first asked for.

    Attributes:
        problem: What is wrong with the line after the last hand, if it cannot be read.
        is_whole: Whether nothing is left to read.
    """

    def __init__(self, hands: Iterator[Hand]) -> None:
        self.problem: str | None = None
        self.is_whole = False
        self._hands, self._seen = hands, list[Hand]()

    def __len__(self) -> int:
        """How many hands have been read."""
        return len(self._seen)

    def get(self, number: int) -> Hand | None:
        """A hand, numbered from 0; None if there are not so many."""
        while len(self._seen) <= number and not self.is_whole:
            try:
                self._seen.append(next(self._hands))
            except StopIteration:
                self.is_whole = True
            except HistoryError as error:
                self.is_whole, self.problem = True, str(error)
        return self._seen[number] if number < len(self._seen) else None


class ReplayApp(App[None]):
    """Steps through hands.

    Args:
        hands: The hands.
        title: What to call them.
        perspective: Whose cards lie open: one of `PERSPECTIVES`.
        first: Which hand to begin with, from 1.
    """

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { layout: vertical; overflow: auto; background: ansi_default; color: ansi_default; }
    Static { width: auto; height: auto; background: ansi_default; color: ansi_default; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,space,l", "act(1)", priority=True),
        Binding("left,backspace,h", "act(-1)", priority=True),
        Binding("down,pagedown,j,n", "turn(1)", priority=True),
        Binding("up,pageup,k", "turn(-1)", priority=True),
        Binding("home", "go_to(0)", priority=True),
        Binding("end", "go_to(1)", priority=True),
        Binding("p", "look", priority=True),
        Binding("q,escape,ctrl+c", "quit", priority=True),
    ]

    def __init__(
        self, hands: Iterator[Hand], title: str, perspective: str = "both", first: int = 1
    ) -> None:
        super().__init__(ansi_color=True)
        self.hands, self._title = LazyHands(hands), printable(title)
        self._perspective = perspective
        self.number = 0
        self.place = 0
        self._note = ""
        self._hand: Hand | None = None
        self._frames: list[Frame] = []
        self._open(first - 1)

    def compose(self) -> ComposeResult:
        """One text."""
        yield Static(id="table", markup=False)

    def on_mount(self) -> None:
        """Draw for the first time."""
        self._draw()

    def action_act(self, by: int) -> None:
        """Go on or back by an action; at its end, to the next hand or the one before."""
        if 0 <= self.place + by < len(self._frames):
            self.place += by
            self._note = ""
        elif by > 0:
            self._open(self.number + 1)
        elif self.number:
            self._open(self.number - 1)
            self.place = max(0, len(self._frames) - 1)
        self._draw()

    def action_turn(self, by: int) -> None:
        """Go to the next hand or the one before."""
        self._open(self.number + by)
        self._draw()

    def action_go_to(self, end: int) -> None:
        """Go to the deal or to the end of the hand."""
        self.place = end * max(0, len(self._frames) - 1)
        self._draw()

    def action_look(self) -> None:
        """Look from the next perspective."""
        at = PERSPECTIVES.index(self._perspective)
        self._perspective = PERSPECTIVES[(at + 1) % len(PERSPECTIVES)]
        place = self.place
        self._open(self.number)
        self.place = min(place, max(0, len(self._frames) - 1))
        self._draw()

    def _open(self, number: int) -> None:
        """Lay out a hand, if there is one of that number; otherwise say so and stay."""
        self._note = ""
        hand = self.hands.get(number) if number >= 0 else None
        if hand is None:
            last = self.hands.problem or "there are no more hands"
            self._note = "this is the first hand" if number < 0 else last
            if self._hand is not None or not len(self.hands):
                return
            number, hand = len(self.hands) - 1, self.hands.get(len(self.hands) - 1)
        assert hand is not None
        self.number, self.place = number, 0
        self._hand = shorten_names(hand)
        try:
            self._frames = make_frames(self._hand, self._perspective)
        except HistoryError as error:
            self._frames, self._note = [], f"line {number + 1}: {error}"

    def _draw(self) -> None:
        title = self._title if len(self._title) <= MAX_TITLE else self._title[:MAX_TITLE] + "…"
        count = f" of {len(self.hands):,}" if self.hands.is_whole else ""
        seen = "" if self._perspective == "both" else f" · seen by seat {self._perspective}"
        lines = [f"{title} · hand {self.number + 1:,}{count}{seen}"]
        note = wrap(self._note)[:MAX_NOTE]
        if self._hand is not None and self._frames:
            below = 1 if self._perspective == "1" else 0
            table = draw(self._hand, self._frames, self.place, below)
            bottom = [scrubber(self.place, len(self._frames)), *(note or [KEYS])]
        else:
            table, bottom = [], [*(note or ["there are no hands in this file"]), "", KEYS]
        table = table[: N_LINES - len(lines) - len(bottom)]
        lines += table + [""] * (N_LINES - len(lines) - len(table) - len(bottom)) + bottom
        text = Text("\n".join(lines), no_wrap=True, overflow="ellipsis")
        text.highlight_regex(RED_CARD, "red")
        text.stylize("bold", 0, len(lines[0]))
        self.query_one("#table", Static).update(text)
