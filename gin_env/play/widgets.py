"""Widgets of the table: lines, the hand, a list of choices, a line to type on, and dialogs."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from gin_env.play.start import Choice
from gin_env.play.table_text import card_at, hand_lines
from gin_env.rendering.hand_groups import CardGroup
from gin_env.rendering.words import RED_CARD

MARK, NO_MARK = "▸ ", "  "


def paint(text: str) -> Content:
    """Text with the red suits in red; without colour it says the same.

    A terminal would obey some characters, and a saved match or a program may hold any.
    """
    plain = "".join(one if one.isprintable() or one == "\n" else "?" for one in text)
    return Content(plain).highlight_regex(RED_CARD, style="$text-error")


class Lines(Static):
    """Some lines of text."""

    def show(self, lines: Sequence[str]) -> None:
        """Show these lines."""
        self.update(paint("\n".join(lines)))


class HandCards(Static):
    """The person's hand as cards; a click touches one."""

    class Touched(Message):
        """A card was clicked."""

        def __init__(self, card: int) -> None:
            super().__init__()
            self.card = card

    def __init__(self) -> None:
        super().__init__(id="hand")
        self._groups: list[CardGroup] = []

    def show(self, groups: list[CardGroup], touched: int | None, notes: dict[int, str]) -> None:
        """Show a hand; see `hand_lines`."""
        self._groups = groups
        self.update(paint("\n".join(hand_lines(groups, touched, notes))))

    def on_click(self, event: events.Click) -> None:
        """Touch the card there."""
        if (card := card_at(self._groups, event.x)) is not None:
            self.post_message(self.Touched(card))


class Choices(Static):
    """A list of choices, one of them marked; a click takes one."""

    class Taken(Message):
        """A choice was taken."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(
        self, items: Sequence[Choice] = (), place: int = 0, classes: str | None = None
    ) -> None:
        super().__init__(classes=classes)
        self._items, self._place = list(items), place

    def on_mount(self) -> None:
        """Show what there is."""
        self.show(self._items, self._place)

    def show(self, items: Sequence[Choice], place: int = 0) -> None:
        """Show other choices, one of them marked."""
        self._items, self._place = list(items), place
        marks = (MARK if n == place else NO_MARK for n in range(len(items)))
        lines = [mark + label for mark, (_, label) in zip(marks, items, strict=True)]
        self.update(paint("\n".join(lines)))

    def move(self, step: int) -> None:
        """Mark the next or the last one."""
        if self._items:
            self.show(self._items, (self._place + step) % len(self._items))
            self.scroll_visible()

    def take(self) -> None:
        """Take the marked one."""
        if self._items:
            self.post_message(self.Taken(self._items[self._place][0]))

    def on_click(self, event: events.Click) -> None:
        """Take the one there."""
        if 0 <= event.y < len(self._items):
            self.show(self._items, event.y)
            self.take()


class CommandLine(Input):
    """Where moves are typed; keys that are no letters go to the table."""

    class Moved(Message):
        """An arrow key."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class Called(Message):
        """A key that opens a dialog, on an empty line."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self) -> None:
        super().__init__(
            id="line",
            placeholder="type a move (7s, knock 7s, draw, take, pass) or use the arrow keys",
            compact=True,
            max_length=40,
        )

    async def _on_key(self, event: events.Key) -> None:
        if event.key in ("left", "right", "up", "down"):
            self.post_message(self.Moved(event.key))
        elif not self.value and event.character in ("h", "H", "?", "o", "O"):
            self.post_message(self.Called(event.character.lower()))
        else:
            await super()._on_key(event)
            return
        event.stop()
        event.prevent_default()


class Dialog(ModalScreen[str | None]):
    """A question and its answers; escape gives none, and None comes back.

    Args:
        question: What is asked.
        choices: The answers.
        place: Which of them is marked at first.
        classes: For the style sheet.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)"),
        Binding("down", "move(1)"),
        Binding("enter", "take"),
        Binding("escape", "leave"),
    ]

    def __init__(
        self, question: str, choices: Sequence[Choice], place: int = 0, classes: str | None = None
    ) -> None:
        super().__init__(classes=classes)
        self._question, self._choices, self._place = question, choices, place

    def compose(self) -> ComposeResult:
        """The question, the answers, and the keys."""
        with Vertical(classes="dialog"):
            with VerticalScroll(classes="question", can_focus=False):
                yield Static(paint(self._question), id="asked")
            with VerticalScroll(classes="answers", can_focus=False):
                yield Choices(self._choices, self._place)
            yield Static("↑ ↓ choose   Enter takes   Esc changes nothing", classes="keys")

    def show_question(self, lines: Sequence[str]) -> None:
        """Ask something else."""
        self.query_one("#asked", Static).update(paint("\n".join(lines)))

    def action_move(self, step: int) -> None:
        """Mark another answer."""
        self.query_one(Choices).move(step)

    def action_take(self) -> None:
        """Give the marked answer."""
        self.query_one(Choices).take()

    def action_leave(self) -> None:
        """Give none."""
        self._give(None)

    def on_choices_taken(self, message: Choices.Taken) -> None:
        """Give that answer; it is no choice of the table's."""
        message.stop()
        self._give(message.key)

    def _give(self, answer: str | None) -> None:
        """Give an answer, the first one only: a key that is held down gives several."""
        if self.is_active:
            self.dismiss(answer)
