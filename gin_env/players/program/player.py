"""A program as a player: what it is told, when it is asked, and what happens if it fails."""

import os
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

import numpy as np

from gin_env.core.actions import DRAW, TAKE, parse_action
from gin_env.core.describe import name_illegal
from gin_env.core.state import NO_CARD
from gin_env.errors import IllegalActionError, OptionError, PlayerError
from gin_env.players.program.process import Process
from gin_env.players.protocol import FORFEIT, Turn, Verdict
from gin_env.values import messages
from gin_env.values.messages import ProgramError
from gin_env.values.result import HandResult

MOVE_LIMIT = 5.0
"""Seconds for a move, unless another limit is given."""
START_LIMIT = 10.0
"""Seconds from the start to the answer to `hello`, likewise."""
MAX_LIMIT = 86_400.0
MAX_FUTILE = 3
"""A program is given up after so many starts in succession that have not brought a legal move."""

MAX_TEXT = 600
"""Characters of a verdict."""


@dataclass
class _Hand:
    """A hand that is being played, as the program is told of it."""

    moves: list[tuple[bool, int]] = field(default_factory=list)
    """Moves not told yet: whether the program made it, and the action."""
    lines: list[str] = field(default_factory=list)
    """What there is to tell so far: the deal and the moves. A new process is told it again."""
    n_told: int = 0
    """How many of these lines the program has been told."""
    told_by: int = 0
    """Which start of the program has; 0 for none."""
    game: int = 0
    """The number of the hand; 0 until its deal can be told."""
    seat: int = 0
    """The program's."""
    last_open: int = NO_CARD
    """The last card laid face up."""
    is_asked: bool = False
    """The program has been asked, and its answer has not been played yet."""
    reason: str | None = None
    """Why the program has forfeited it."""

    def add_deal(self, game: int, view: np.void) -> None:
        """Add the deal, at the program's first decision, before the moves that led there."""
        self.game = game
        self.last_open = messages.find_upcard(view, (False, TAKE) in self.moves)
        self.lines.append(messages.deal(game, view, self.last_open))

    def add_moves(self, drawn: int) -> None:
        """Add the moves seen since.

        Args:
            drawn: What the program has drawn from the stock, if it has.
        """
        for is_mine, action in self.moves:
            card = messages.moved_card(action, drawn if is_mine else NO_CARD, self.last_open)
            self.lines.append(messages.move(self.game, is_mine, action, card))
            if action < DRAW:
                self.last_open = card
        self.moves.clear()

    def tell(self, number: int) -> list[str]:
        """What some start of the program has not been told; it counts as told from now on."""
        first = self.n_told if self.told_by == number else 0
        self.n_told, self.told_by = len(self.lines), number
        return self.lines[first:]


@dataclass
class _Run:
    """One start of the program, up to its end."""

    number: int
    """Of the start, from 1."""
    process: Process
    stop: Finalize
    """Ends the process, at the latest with us."""
    news: list[str] = field(default_factory=list)
    """Lines that go out with the next question."""
    told_rules: bytes = b""
    """The rules that it has been told."""


class ProgramPlayer:
    """Any program that speaks the protocol of docs/protocol.md, as a `Player` and a `Watcher`.

    One process plays all the games, one question after another. It is started when it is first
    asked. If it breaks the protocol it loses the hand in question; unless it only chose an illegal
    action, it is killed too, and the next question starts it anew and tells it of the hands that
    are being played. Copies and pickles start processes of their own.

    Args:
        command: The program and its arguments, as a list, or as text that is split as a shell
            would split it; no shell runs it.
        name: What tables and reports call it; the command, if none is given.
        move_limit: Seconds for a move, more than 0 and at most a day.
        start_limit: Seconds from the start to its name, likewise.
        transcript: A file to which every line is appended, ``>`` before those to the program, ``<``
            before those from it, and ``#`` before what happens to its process.

    Attributes:
        may_forfeit: It may answer `FORFEIT`.
        verdicts: Why it has forfeited hands, in order.
        program_name: What it calls itself, once it has said so.

    Raises:
        PlayerError: If there is no such program.
        OptionError: If a limit is out of range.

    Example:
        >>> player = ProgramPlayer("python3 examples/program_player.py", move_limit=1.0)
        >>> player.name
        'python3 examples/program_player.py'
    """

    extras: tuple[str, ...] = ()
    may_forfeit = True

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        name: str | None = None,
        move_limit: float = MOVE_LIMIT,
        start_limit: float = START_LIMIT,
        transcript: str | Path | None = None,
    ) -> None:
        self.command = _read_command(command)
        self.name = shlex.join(self.command) if name is None else name
        self.move_limit = _check_limit("move_limit", move_limit)
        self.start_limit = _check_limit("start_limit", start_limit)
        self.transcript = transcript
        self.verdicts: list[Verdict] = []
        self.program_name: str | None = None
        self._hands: dict[int, _Hand] = {}
        self._n_games = 0
        self._n_starts = 0
        self._n_futile = 0
        self._last_failure = ""
        self._run: _Run | None = None

    def reset(
        self,
        seeds: np.ndarray,
        seat: int,  # noqa: ARG002  (it learns its seat by the moves, which may differ by row)
        rows: np.ndarray | None = None,
    ) -> None:
        """See `Player.reset`. The program is not told the seeds: they would give the deals away."""
        begun = range(len(seeds)) if rows is None else np.flatnonzero(rows).tolist()
        for row in list(self._hands) if rows is None else begun:
            hand = self._hands.pop(row, None)
            if hand is not None and (run := self._find_run(hand)):
                run.news.append(messages.abandoned(hand.game))

    def act(self, turn: Turn) -> np.ndarray:
        """See `Player.act`.

        Raises:
            PlayerError: If whoever runs the games does not tell the moves (see `Watcher`).
        """
        return np.array([self._decide(turn, place) for place in range(len(turn.rows))], np.int64)

    def see_moves(self, rows: np.ndarray, seat: int, actions: np.ndarray) -> None:
        """See `Watcher.see_moves`."""
        for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
            hand = self._hands.setdefault(row, _Hand())
            is_mine, hand.is_asked = hand.is_asked, False
            hand.seat = seat if is_mine else 1 - seat
            if action != FORFEIT:
                hand.moves.append((is_mine, action))

    def see_ends(self, rows: np.ndarray, results: list[HandResult]) -> None:
        """See `Watcher.see_ends`. The program is told of hands in which it has been asked."""
        for row, result in zip(rows.tolist(), results, strict=True):
            hand = self._hands.pop(row, None)
            if hand is not None and (run := self._find_run(hand)):
                hand.add_moves(NO_CARD)
                end = messages.result(hand.game, result, hand.seat, hand.reason)
                self._send(run, [*hand.tell(run.number), end])

    def close(self) -> None:
        """Say bye and end the process; another question would start it anew."""
        if (run := self._own_run()) is not None:
            self._note(">", messages.bye())
            run.stop()
            self._end_run("stopped")

    def __repr__(self) -> str:
        return f"<ProgramPlayer {self.name}>"

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the process: a copy starts its own."""
        return {**self.__dict__, "_run": None}

    def _decide(self, turn: Turn, place: int) -> int:
        """The answer for one row of a turn: an action, or `FORFEIT` after a verdict."""
        row, view, mask = int(turn.rows[place]), turn.views[place], turn.masks[place]
        hand = self._hands.setdefault(row, _Hand())
        if hand.is_asked:
            raise PlayerError(
                f"{self.name} has not been told what was played in game {row}: whoever runs the "
                "games has to call see_moves and see_ends"
            )
        hand.is_asked = True
        if not hand.game:
            self._n_games += 1
            hand.add_deal(self._n_games, view)
        hand.add_moves(int(view["drawn"]))
        try:
            answer = self._ask(turn.rules_row, hand, messages.your_move(hand.game, view, mask))
            action = _read_action(answer, view, mask)
        except ProgramError as error:
            hand.reason = error.text[:MAX_TEXT]
            self.verdicts.append(Verdict(row, error.kind, hand.reason))
            return FORFEIT
        self._n_futile = 0
        return action

    def _ask(self, rules_row: np.void, hand: _Hand, question: str) -> str | int:
        """Bring the program up to date, ask it, and read its answer.

        Raises:
            ProgramError: If it fails; its process has been killed then.
        """
        if self._n_futile >= MAX_FUTILE:
            raise ProgramError("given up", self._last_failure)
        try:
            run = self._own_run() or self._start()
            run.process.check_quiet()
            if run.told_rules != rules_row.tobytes():
                run.told_rules = rules_row.tobytes()
                run.news.append(messages.rules(rules_row))
            self._send(run, [*run.news, *hand.tell(run.number), question])
            run.news.clear()
            return messages.read_move(self._receive(run, self.move_limit), hand.game)
        except ProgramError as error:
            self._n_futile += 1
            self._last_failure = f"given up after {MAX_FUTILE} vain starts: {error.text}"
            self._kill(error.text)
            raise
        except BaseException:  # such as Ctrl-C: its answer must not be taken for a later one
            self._kill("interrupted")
            raise

    def _start(self) -> _Run:
        """Start the program and hear its name."""
        self._note("#", f"started: {shlex.join(self.command)}")
        self._n_starts += 1
        process = Process(self.command)
        # Unlike others, this finalizer runs at the end of worker processes too, and it leaves the
        # process alone in a forked child, whose parent owns it.
        stop = Finalize(self, process.stop, ([messages.bye()],), exitpriority=1)
        run = self._run = _Run(self._n_starts, process, stop)
        self._send(run, [messages.hello()])
        try:
            self.program_name = messages.read_hello(self._receive(run, self.start_limit))
        except ProgramError as error:
            raise ProgramError("not started", f"no proper hello: {error.text}") from error
        return run

    def _kill(self, reason: str) -> None:
        if (run := self._own_run()) is not None:
            run.process.kill()
            run.stop.cancel()
        self._end_run(reason)

    def _end_run(self, reason: str) -> None:
        self._run = None
        self._note("#", f"ended: {reason}")

    def _own_run(self) -> _Run | None:
        """The run that lasts, if any: after a fork, it is the parent's alone."""
        if self._run is not None and self._run.process.owner != os.getpid():
            self._run = None
        return self._run

    def _find_run(self, hand: _Hand) -> _Run | None:
        """The run that lasts, if it has been told of a hand."""
        run = self._own_run()
        return run if run is not None and hand.told_by == run.number else None

    def _send(self, run: _Run, lines: list[str]) -> None:
        self._note(">", *lines)
        run.process.send(lines)

    def _receive(self, run: _Run, limit: float) -> str:
        line = run.process.receive(limit)
        self._note("<", line)
        return line

    def _note(self, mark: str, *lines: str) -> None:
        if self.transcript is not None:
            with Path(self.transcript).open("a", encoding="utf-8") as file:
                file.writelines(f"{mark} {line}\n" for line in lines)


def _read_command(command: str | Sequence[str]) -> tuple[str, ...]:
    """The program and its arguments; there must be such a program."""
    try:
        parts = tuple(shlex.split(command) if isinstance(command, str) else map(str, command))
    except ValueError as error:
        raise PlayerError(f"{command!r} is no command: {error}") from error
    if not parts:
        raise PlayerError("a program needs a command, such as 'python3 my_player.py'")
    if shutil.which(parts[0]) is None:
        raise PlayerError(f"there is no program {parts[0]!r} to run: a path or a name on the PATH")
    return parts


def _check_limit(name: str, limit: Any) -> float:
    is_number = isinstance(limit, (int, float)) and not isinstance(limit, bool)
    if not is_number or not 0 < limit <= MAX_LIMIT:
        raise OptionError(f"{name} must be more than 0 and at most {MAX_LIMIT:g} s, not {limit!r}")
    return float(limit)


def _read_action(answer: str | int, view: np.void, mask: np.ndarray) -> int:
    """The legal action that a program has chosen."""
    try:
        action = parse_action(answer)
    except IllegalActionError:
        action = FORFEIT
    if action == FORFEIT or not mask[action]:
        raise ProgramError("illegal", name_illegal(view, answer))
    return action
