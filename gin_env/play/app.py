"""The screen of the terminal game."""

import asyncio
import signal
from collections.abc import Sequence
from contextlib import suppress
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.events import Resize
from textual.widgets import Input, Static

from gin_env.core.actions import BIG_GIN, DISCARD, KNOCK
from gin_env.core.state import NO_CARD, Phase
from gin_env.errors import GinError, IllegalActionError, OutputError
from gin_env.play.hint import ADVISERS
from gin_env.play.opponent import Opponent, candidates
from gin_env.play.saved import is_finished
from gin_env.play.score import end_lines
from gin_env.play.session import Session, warm_up
from gin_env.play.start import Choice, Opening, StartOptions
from gin_env.play.table_text import (
    action_label,
    drawn_line,
    first_touched,
    head_lines,
    last_line,
    opponent_lines,
    pile_lines,
)
from gin_env.play.threads import in_thread
from gin_env.play.typed import TypedCommand, read_typed, typed_card
from gin_env.play.why import why_not
from gin_env.play.widgets import Choices, CommandLine, Dialog, HandCards, Lines
from gin_env.rendering.hand_groups import hand_groups
from gin_env.rendering.words import WIDTH, shorten

HEIGHT = 24
"""Lines of the table."""
KEYS = "← → card   ↑ ↓ move   Enter plays   h hint   o opponent   new · quit: type it"
RETRY = "retry"
"""The key of a choice that is neither an action nor a command: to ask the opponent again."""


def play(options: StartOptions) -> str:
    """Play until the person leaves. Returns what is left to say.

    Raises:
        GinError: If the options allow no match, or could not be saved at the end.
    """
    warm_up()
    app = PlayApp(options)
    word = app.run() or ""
    if app.error is not None:
        raise app.error
    return word


class PlayApp(App[str]):
    """A match in the terminal.

    Args:
        options: What the command line asks for.

    Attributes:
        error: Why it ended, if something was wrong.
    """

    TITLE = "gin-env"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { layers: table; }
    #table { height: 9; } #head { height: 2; text-style: bold; } .rule { height: 1; }
    #hand { height: 5; } #info { height: 1; } .moves { height: 3; } #message { height: 1; }
    #entry { height: 1; } #prompt { width: 2; } #line { width: 1fr; }
    #keys { height: 1; text-style: dim; }
    #small { display: none; } .small #small { display: block; } .small #all { display: none; }
    .over #table { height: 15; } .over #hand { display: none; } .over #info { display: none; }
    Dialog { align: center middle; }
    .dialog { width: 80; max-width: 100%; height: auto; max-height: 100%; border: round; }
    .dialog { padding: 0 1; }
    .question { height: auto; max-height: 10; } .answers { height: auto; max-height: 10; }
    .hint .question { max-height: 19; }
    .dialog .keys { margin-top: 1; text-style: dim; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c,ctrl+q,ctrl+d", "leave", priority=True, show=False),
    ]

    def __init__(self, options: StartOptions) -> None:
        # The terminal's own colours, and with NO_COLOR none at all.
        super().__init__(ansi_color=True)
        self.error: GinError | None = None
        self._options = options
        self._session: Session | None = None
        self._touched: int | None = None
        self._failure = ""
        self._is_thinking = False

    def compose(self) -> ComposeResult:
        """The table: 24 lines of 80 columns."""
        with Vertical(id="all"):
            yield Lines(id="head")
            yield Static("─" * WIDTH, classes="rule")
            yield Lines(id="table")
            yield HandCards()
            yield Lines(id="info")
            yield Choices(classes="moves")
            yield Lines(id="message")
            with Horizontal(id="entry"):
                yield Static("> ", id="prompt")
                yield CommandLine()
            yield Static(KEYS, id="keys")
        yield Static(f"Please make the window {WIDTH} × {HEIGHT}, or larger.", id="small")

    def on_resize(self, event: Resize) -> None:
        """Show nothing rather than half of it."""
        is_small = event.size.width < WIDTH or event.size.height < HEIGHT
        self.screen_stack[0].set_class(is_small, "small")

    def on_mount(self) -> None:
        """Open the match; signals that ask to end are taken as leaving."""
        self.theme = "ansi-dark"
        self._line.focus()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            with suppress(NotImplementedError):  # Windows has no such handlers
                loop.add_signal_handler(number, self.action_leave)
        self._say("One moment ...")
        self.run_worker(self._open())

    def action_leave(self) -> None:
        """Leave; everything is saved already."""
        session = self._session
        if session is None:
            self.exit("")
            return
        session.opponent.close()
        if session.unsaved:
            self.error = OutputError(f"the last moves are not saved: {session.unsaved}")
        self.exit(f"Saved in {session.file}. The same command goes on.")

    # What the person does.

    def on_command_line_moved(self, message: CommandLine.Moved) -> None:
        """Touch the next card, or mark the next choice."""
        if message.key in ("up", "down"):
            self._choices.move(1 if message.key == "down" else -1)
            return
        cards = self._cards()
        if cards and self._touched is not None:
            step = 1 if message.key == "right" else -1
            self._touch(cards[(cards.index(self._touched) + step) % len(cards)])

    def on_command_line_called(self, message: CommandLine.Called) -> None:
        """Open a dialog."""
        if self._session is not None:
            self.run_worker(self._hint() if message.key in "h?" else self._change())

    def on_hand_cards_touched(self, message: HandCards.Touched) -> None:
        """Touch a card by a click."""
        if self._touched is not None:
            self._touch(message.card)

    def on_input_changed(self, message: Input.Changed) -> None:
        """Touch the card that is being typed."""
        card = typed_card(message.value)
        if self._touched is not None and card in self._cards():
            self._touch(card)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Play what is typed; the marked choice, if nothing is."""
        typed = message.value.strip()
        self._line.value = ""
        if self._session is None:
            return
        if not typed:
            self._choices.take()
            return
        try:
            meant = read_typed(typed, self._touched)
        except IllegalActionError as error:
            self._say(str(error))
            return
        if isinstance(meant, TypedCommand):
            self._obey(meant)
        else:
            self._play(meant)

    def on_choices_taken(self, message: Choices.Taken) -> None:
        """Do what was chosen."""
        if message.key == RETRY:
            self._go_on()
        elif message.key.isdigit():
            self._play(int(message.key))
        elif message.key:
            self._obey(TypedCommand(message.key))

    def _obey(self, command: TypedCommand) -> None:
        if command == TypedCommand.QUIT:
            self.action_leave()
        elif command == TypedCommand.HINT:
            self.run_worker(self._hint())
        elif command == TypedCommand.OPPONENT:
            self.run_worker(self._change())
        elif command == TypedCommand.NEW:
            self.run_worker(self._begin_anew())
        else:
            self._deal_next()

    def _play(self, action: int) -> None:
        session = self._at_table()
        if session.is_opponents_turn:
            self._say(f"It is {session.opponent.name}'s turn")
            return
        try:
            session.play(action)
        except IllegalActionError:
            self._say(why_not(action, session.look()))
            return
        self._go_on()

    def _deal_next(self) -> None:
        try:
            self._at_table().next_hand()
        except GinError as error:
            self._say(str(error))
        else:
            self._go_on()

    # What takes its time.

    async def _open(self) -> None:
        try:
            session = await Opening(self._options, self._ask, in_thread).open()
        except GinError as error:
            self.error, session = error, None
        if session is None:
            self.exit("")
            return
        self._session = session
        self._go_on()

    async def _let_opponent_move(self) -> None:
        session = self._at_table()
        self._failure, self._is_thinking = "", True
        self._show()
        try:
            while session.is_opponents_turn:
                session.play(await in_thread(lambda: session.opponent.decide(session.game)))
                self._show()
        except Exception as error:  # a program or a model may fail in any way
            self._failure = f"{session.opponent.name} fails: {error}"
        self._is_thinking = False
        self._settle()

    async def _hint(self) -> None:
        """Show what others would do; nothing changes."""
        session = self._at_table()
        if session.is_opponents_turn or session.game.is_over:
            self._say("A hint is for your own turn")
            return
        if self._is_asking:
            return
        dialog = Dialog("", [(TypedCommand.QUIT, "Back to the table")], classes="hint")
        await self.push_screen(dialog)
        lines: list[str] = []
        game = session.game.copy()
        for adviser in ADVISERS:
            dialog.show_question([*lines, "..."])
            try:
                lines += await in_thread(lambda: adviser(game))  # noqa: B023  (awaited at once)
            except GinError as error:
                lines.append(str(error))
            if not dialog.is_current:
                return
        dialog.show_question(lines)

    async def _change(self) -> None:
        """Let the person choose another opponent for the same position."""
        session = self._at_table()
        now = session.opponent.who
        names = candidates() if now in candidates() else (now, *candidates())
        choices = [(who, f"{who} (now)" if who == now else who) for who in names]
        question = "Who plays on against you? The position stays as it is."
        who = await self._ask(question, choices, names.index(now))
        if who is None or who == now:
            return
        self._say(f"Seating {who} ...")
        if opponent := await self._seat(who):
            session.change_opponent(opponent)
            self._go_on()

    async def _begin_anew(self) -> None:
        """Begin another match with the same rules and opponent; asks first where one is lost."""
        session = self._at_table()
        game = session.game
        if not is_finished(game):
            choices = [("no", "No, go on"), (TypedCommand.NEW, "Yes, begin a new one")]
            if await self._ask(f"Give up this {game.episode}?", choices) != TypedCommand.NEW:
                return
        # Another one of that name: the present one may still be thinking.
        if opponent := await self._seat(session.opponent.who):
            session.opponent.close()
            self._session = Session.begin(session.file, opponent, game.rules, game.episode)
            self._go_on()

    async def _seat(self, who: str) -> Opponent | None:
        """Seat an opponent; where that cannot be, say why."""
        try:
            return await in_thread(lambda: Opponent(who))
        except GinError as error:
            self._say(str(error))
            return None

    async def _ask(self, question: str, choices: Sequence[Choice], place: int = 0) -> str | None:
        if self._is_asking:
            return None
        return await self.push_screen_wait(Dialog(question, choices, place))

    # What is shown.

    def _go_on(self) -> None:
        """After anything has changed: let the opponent move, or show what the person may do."""
        session = self._at_table()
        self._failure, self._touched = "", None  # the card that was touched may be gone
        self.workers.cancel_group(self, "opponent")
        if session.is_opponents_turn:
            self.run_worker(self._let_opponent_move(), group="opponent", exclusive=True)
        else:
            self._is_thinking = False
            self._settle()

    def _settle(self) -> None:
        """Show the table, with the card touched that a discard would most likely be."""
        session = self._at_table()
        view = session.look()
        self._touched = None
        if session.game.phase == Phase.DISCARD and not session.is_opponents_turn:
            self._touched = first_touched(view)
        self._show()

    def _touch(self, card: int) -> None:
        self._touched = card
        self._show()

    def _show(self) -> None:
        session = self._at_table()
        view, game = session.look(), session.game
        self.query_one("#head", Lines).show(head_lines(session))
        self.query_one("#all").set_class(game.is_over, "over")
        if game.is_over:
            self.query_one("#table", Lines).show(end_lines(game, session.names))
        else:
            rows = [*opponent_lines(session), last_line(session)]
            self.query_one("#table", Lines).show([*rows, *pile_lines(view)])
        notes = {int(view["drawn"]): "new"} | {int(view["just_taken"]): "kept"}
        notes.pop(NO_CARD, None)
        self.query_one(HandCards).show(hand_groups(view), self._touched, notes)
        self.query_one("#info", Lines).show([drawn_line(view)])
        self._choices.show(self._list_choices())
        self._say(self._status())

    def _status(self) -> str:
        session = self._at_table()
        if self._failure:
            return " ".join(self._failure.split())
        if session.unsaved:
            return f"Not saved: {session.unsaved}"
        return f"{session.opponent.name} is thinking ..." if self._is_thinking else ""

    def _list_choices(self) -> list[Choice]:
        session = self._at_table()
        game, view = session.game, session.look()
        if self._failure:
            return [
                (RETRY, "Ask again"),
                (TypedCommand.OPPONENT, "Choose another opponent"),
                (TypedCommand.QUIT, "Quit"),
            ]
        if session.is_opponents_turn:
            return []
        if game.is_over:
            if game.episode == "match" and not game.is_match_over:
                return [(TypedCommand.NEXT, "Next hand")]
            return [(TypedCommand.NEW, f"New {game.episode}"), (TypedCommand.QUIT, "Quit")]
        legal = game.legal_actions()
        if self._touched is not None:
            shown = (DISCARD + self._touched, KNOCK + self._touched, BIG_GIN)
            legal = [action for action in shown if action in legal]
            if not legal:
                return [("", why_not(DISCARD + self._touched, view))]
        return [(str(action), action_label(action, view)) for action in legal]

    def _cards(self) -> list[int]:
        """The person's cards as they lie."""
        groups = hand_groups(self._at_table().look())
        return [card for group in groups for card in group.cards]

    def _say(self, message: str) -> None:
        self.query_one("#message", Lines).show([shorten(message, WIDTH)])

    def _at_table(self) -> Session:
        assert self._session is not None
        return self._session

    @property
    def _is_asking(self) -> bool:
        """Whether a dialog is open; a key that was pressed twice does not open another one."""
        return len(self.screen_stack) > 1

    @property
    def _line(self) -> CommandLine:
        return self.query_one(CommandLine)

    @property
    def _choices(self) -> Choices:
        return self.query_one(".moves", Choices)
