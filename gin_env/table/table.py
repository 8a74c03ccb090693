"""The table: players at their seats in B games, asked, told, recorded and paid.

Whoever runs games stands on it: the Gymnasium faces, training, evaluation.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Unpack

import numpy as np

from gin_env.bots.bot_row import BOT_DTYPE, MEMORY_DTYPE, make_memories
from gin_env.bots.choose import OUTSIDE
from gin_env.core.batch import Batch, BatchOptions, check_rows, check_seeds
from gin_env.core.match import BY_RULES
from gin_env.core.rules import Rules
from gin_env.core.state import seed_words
from gin_env.errors import BatchError, PlayerError, SeatError
from gin_env.history import Recorder
from gin_env.players import FORFEIT, BotPlayer, Player, Watcher, ask_batch
from gin_env.rendering.words import PLAYER_NAMES
from gin_env.support.options import read_int
from gin_env.table.bot_rows import (
    ASKED,
    DRAWN,
    FIRST,
    MAX_IDLE_HANDS,
    SEATING_DTYPE,
    Seats,
    ToldHands,
    answer_table_rows,
    begin_table_rows,
    run_table_rows,
    step_table_rows,
)
from gin_env.values.result import result_of

SEATING_STREAM = 3
"""Stream of `seed_words` for who sits where, and against whom."""
WATCH_STREAM = 4
"""Stream of `seed_words` for what a watcher is told where a reset gives no seeds."""

LEARNER = "learner"
"""What the caller is called in a record, where it plays against somebody."""

Rows = np.ndarray
"""Which games: shape [B], bool."""


class Table(Batch):
    """B games of a first player against opponents from a pool.

    Each of them is the *caller*, who hands in actions to `step`; a bot of ours, which moves inside
    the kernel; or any other player, which is asked between its steps. `step` and `reset` leave
    every row with the caller to move, or at an end. For every episode a row draws its opponent from
    the pool, and the first player's seat.

    The caller is told of a row what `Batch` has: its observation and mask, and after a step
    ``rewards`` (all points paid since its last decision, or since the episode began), ``is_over``,
    ``final_observations``; and `told_hands`. An episode that ends before the caller has
    decided anything is not told of, and begun anew. Where it plays both seats, rewards and ends are
    reported to the seat that acted.

    Args:
        n_games: How many games, B.
        rules: As for `Batch`.
        opponents: The pool: players, or None for the caller.
        shares: How often each is drawn, relative to the others; equally often where none are given.
        first: Who the first player is; None for the caller.
        seat: Where the first player sits: 0, 1, or -1 to draw it for every episode.
        record: Where every hand goes as it ends: see `gin_env.history.Recorder`. Bots are then
            asked like other players, as where somebody watches.
        on_begun: Called with the rows in which episodes have just begun, shape [K], int64.
        on_ended: Called with those in which hands have just ended; ``hand_ends`` says how.
        allows_forfeits: Whether players may give up hands.
        **options: As for `Batch`.

    Raises:
        BatchError: If the pool is empty, or shares or seat are out of range.
    """

    def __init__(
        self,
        n_games: int,
        rules: str | Mapping[str, Any] | Rules = "standard",
        *,
        opponents: Sequence[Player | None],
        shares: Sequence[float] | None = None,
        first: Player | None = None,
        seat: int = DRAWN,
        record: Any = None,
        on_begun: Callable[[np.ndarray], None] | None = None,
        on_ended: Callable[[np.ndarray], None] | None = None,
        allows_forfeits: bool = False,
        **options: Unpack[BatchOptions],
    ) -> None:
        super().__init__(n_games, rules, **options)
        if seat not in (DRAWN, 0, 1):
            raise BatchError(f"seat must be 0, 1, or -1 to draw it, not {seat!r}")
        self.players = (first, *opponents)
        self._recorder = None
        if record is not None:
            self._recorder = Recorder(
                n_games, self.rules, self.episode, record, self.illegal_penalty
            )
        is_watched = any(isinstance(player, Watcher) for player in self.players)
        is_open = is_watched or record is not None
        pool = np.array([_row_of(player, is_open) for player in self.players], BOT_DTYPE)
        self._is_asked = pool["kind"] == ASKED
        self._asked: list[tuple[Player, list[int]]] = []  # with their places; nobody twice
        for place, player in enumerate(self.players):
            if player is not None and self._is_asked[place]:
                places = [places for other, places in self._asked if other is player]
                if places:
                    places[0].append(place)
                else:
                    self._asked.append((player, [place]))
        asked: list[Any] = [player for player, _ in self._asked]
        self._watchers: list[Watcher] = [player for player in asked if isinstance(player, Watcher)]
        self._seats = Seats(
            seating=np.zeros(n_games, SEATING_DTYPE),
            memories=np.zeros((2, n_games), MEMORY_DTYPE),
            pool=pool,
            bounds=share_bounds(shares, len(opponents)),
            first_seat=seat,
            stops_at_hands=on_ended is not None,
            told=ToldHands(*np.zeros((3, n_games), np.int64)),
            is_idle=np.zeros(1, bool),
        )
        self._is_followed = is_open or on_begun is not None or on_ended is not None
        self._on_begun, self._on_ended = on_begun, on_ended
        self._allows_forfeits = allows_forfeits
        self._is_interrupted = False

    @property
    def first_seats(self) -> np.ndarray:
        """Where the first player sits. Shape [B], int64, a fresh array."""
        return np.array(self._seats.seating["first_seat"])

    @property
    def opponents_met(self) -> np.ndarray:
        """Whom the first player meets: places among the opponents. Shape [B], int64."""
        return np.array(self._seats.seating["opponent"])

    @property
    def caller_seats(self) -> np.ndarray:
        """Where the caller sits; where it plays both seats, which is to move. Shape [B], int64."""
        if self.players[1:] == (None,):
            return self.arrays.seats.copy()
        return self.first_seats

    @property
    def told_hands(self) -> ToldHands:
        """The hands of whose end the caller is told; written in place, copy what must last."""
        return self._seats.told

    @property
    def luck(self) -> np.ndarray:
        """Points to seat 0 that draws from the stock have brought in this hand. Shape [B], float64.

        Counted where there is ``on_ended``, which clears what it has read.
        """
        return np.asarray(self._seats.seating["luck"])

    def reset(
        self,
        seeds: int | Iterable[int] | np.ndarray | None = None,
        *,
        dealers: int | np.ndarray = BY_RULES,
        rows: Rows | None = None,
    ) -> None:
        """Begin new episodes; arguments as for `Batch.reset`.

        Raises:
            PlayerError: As `step`. A reset of all rows goes on after a step that failed.
        """
        if rows is None:
            self._is_interrupted = False
        self._check_whole()
        if seeds is None and not self.is_begun:
            seeds = np.random.SeedSequence().generate_state(len(self), np.uint64)
        chosen = self._everyone if rows is None else check_rows(rows, len(self)).copy()
        given = None if seeds is None else check_seeds(seeds, len(self))
        super().reset(given, dealers=dealers, rows=rows)
        self._begin_record(np.flatnonzero(chosen), given)
        if given is None and self._watchers:  # hands that they follow may have been cut
            given = seed_words(self.arrays.games["rng_state"], WATCH_STREAM)
        if given is not None:
            which = {} if rows is None else {"rows": chosen}
            for player, places in self._asked:
                player.reset(given, min(places[0], 1), **which)
        self._answer()

    def step(self, actions: np.ndarray, rows: Rows | None = None) -> None:
        """Play the caller's actions, and whatever the others answer; arguments as for `Batch.step`.

        Raises:
            IllegalActionError: As `Batch.step`; no row has moved.
            PlayerError: If a player answers with anything but a legal action. After that, and after
                whatever else is raised by who is asked or told, only a reset of all games goes on.
            BatchError: As `Batch.step`; or if `MAX_IDLE_HANDS` hands in a row have ended without a
                decision of the caller.
        """
        self._check_whole()
        super().step(actions, rows)

    def close(self) -> None:
        """Let go of what players hold, such as a program's process, and of the record."""
        for player in self.players:
            close = getattr(player, "close", None)
            if callable(close):
                close()
        if self._recorder is not None:
            self._recorder.close()

    def _seed(self, seeds: np.ndarray, rows: Rows) -> None:
        super()._seed(seeds, rows)
        for side in (0, 1):
            self._seats.memories[side][rows] = make_memories(seeds, side)[rows]
        self._seats.seating["rng_state"][rows] = seed_words(seeds, SEATING_STREAM)[rows]

    def _begin(self, dealers: np.ndarray, rows: Rows) -> None:
        self._seats.is_idle[0] = False
        self._run(begin_table_rows, self._setup, self.arrays, self._seats, (dealers, rows))
        self._check_idle()
        self._tell_ends(np.flatnonzero(rows & (self.arrays.n_ended > 0)))
        if self._on_begun is not None:
            self._on_begun(np.flatnonzero(rows))

    def _step(self, actions: np.ndarray, rows: Rows) -> None:
        self._advance(step_table_rows, actions, rows)
        self._answer()

    def _answer(self) -> None:
        """Ask the players until every row waits for the caller, or is over."""
        while self._asked or self._seats.stops_at_hands:
            self._let_bots_go_on()
            movers = self._find_movers()
            waiting = self._is_asked[movers] & ~self.is_episode_over
            if not waiting.any():
                return
            with self._whole():
                actions = np.zeros(len(self), np.int64)
                for player, places in self._asked:
                    rows = waiting & np.isin(movers, places)
                    if rows.any():
                        actions += ask_batch(player, self, rows, self._allows_forfeits)
            self._advance(answer_table_rows, actions, waiting)

    def _let_bots_go_on(self) -> None:
        """Let bots of ours move in the rows where they stopped at the end of a hand."""
        if not self._seats.stops_at_hands:
            return
        is_over = self.is_episode_over
        is_inside = self._seats.pool["kind"] > OUTSIDE
        for row in np.flatnonzero(is_inside[self._find_movers()] & ~is_over):
            part = (int(row), int(row) + 1)
            while not self.arrays.games[row]["is_episode_over"]:
                run_table_rows(self._setup, self.arrays, self._seats, self._everyone, part)
                if not self.arrays.n_ended[row]:
                    break
                self._tell_ends(np.array([row]))

    def _find_movers(self) -> np.ndarray:
        """Who is to move in each row: a place among the players. Shape [B], int64."""
        seating = self._seats.seating
        is_first = self.arrays.seats == seating["first_seat"]
        return np.where(is_first, FIRST, seating["opponent"] + 1)

    def _advance(self, kernel: Callable[..., None], actions: np.ndarray, rows: Rows) -> None:
        """Play one action in some rows, and tell whoever follows the games."""
        a, seating = self.arrays, self._seats.seating
        if not self._is_followed:
            self._run(kernel, self._setup, a, self._seats, (actions, rows))
            self._check_idle()
            return
        seats, n_begun, was_over = a.seats.copy(), seating["n_begun"].copy(), self.is_episode_over
        self._run(kernel, self._setup, a, self._seats, (actions, rows))
        self._check_idle()
        is_callers = kernel is step_table_rows
        played = np.where(a.is_forfeited, FORFEIT, actions) if is_callers else actions
        with self._whole():
            self._tell_moves(np.flatnonzero(rows & ~was_over), seats, played)
            self._tell_ends(np.flatnonzero(rows & (a.n_ended > 0)))
            begun = np.flatnonzero(seating["n_begun"] != n_begun)
            self._begin_record(begun)
            if self._on_begun is not None and len(begun):
                self._on_begun(begun)

    def _tell_moves(self, rows: np.ndarray, seats: np.ndarray, actions: np.ndarray) -> None:
        """Tell what was played in some rows (shape [K], int64), by which seats."""
        for watcher in self._watchers:
            for seat in (0, 1):
                moved = rows[seats[rows] == seat]
                if len(moved):
                    watcher.see_moves(moved, seat, actions[moved])
        if self._recorder is not None:
            self._recorder.follow(rows, actions[rows])

    def _tell_ends(self, rows: np.ndarray) -> None:
        """Tell how hands have ended in some rows (shape [K], int64)."""
        if not len(rows):
            return
        ends = self.arrays.hand_ends[rows]
        if self._watchers:
            results = [result_of(self.rules_row, end) for end in ends]
            for watcher in self._watchers:
                watcher.see_ends(rows.copy(), list(results))
        if self._recorder is not None:
            self._recorder.end(rows, ends, self.arrays.games)
        if self._on_ended is not None:
            self._on_ended(rows)
            self.luck[rows] = 0.0

    def _begin_record(self, rows: np.ndarray, seeds: np.ndarray | None = None) -> None:
        """Record that episodes have just begun in some rows (shape [K], int64)."""
        if self._recorder is None or not len(rows):
            return
        seating = self._seats.seating
        names = []
        for row in rows:
            sides = (self.players[FIRST], self.players[1 + seating["opponent"][row]])
            if sides == (None, None):
                names.append(PLAYER_NAMES)
                continue
            first, second = (LEARNER if who is None else who.name for who in sides)
            is_first = seating["first_seat"][row] == 0
            names.append((first, second) if is_first else (second, first))
        given = None if seeds is None else seeds[rows]
        self._recorder.begin(rows, self.arrays.games, names, given)

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Whatever somebody raises here leaves the table in the middle of a step."""
        try:
            yield
        except BaseException:
            self._interrupt()
            raise

    def _interrupt(self) -> None:
        """Stop in the middle of a step; what a player was shown is not the caller's."""
        rows = self._is_asked[self._find_movers()] & ~self.is_episode_over
        self._is_interrupted = True
        self.arrays.observations[rows] = 0.0
        self.arrays.masks[rows] = 0

    def _check_whole(self) -> None:
        if self._is_interrupted:
            raise PlayerError("a player failed in the middle of a step: reset all games first")

    def _check_idle(self) -> None:
        """Raise an error where hand after hand has ended without a decision of the caller."""
        if not self._seats.is_idle[0]:
            return
        self._interrupt()
        row = int(self._seats.seating["n_idle_hands"].argmax())
        place = 1 + int(self._seats.seating["opponent"][row])
        player = self.players[place]
        error = PlayerError if self._is_asked[place] else BatchError
        raise error(
            f"{player.name if player else 'the opponent'} ends every hand of this table before the "
            f"first player acts, {MAX_IDLE_HANDS} in a row"
        )


def share_bounds(shares: Sequence[float] | None, n_opponents: int) -> np.ndarray:
    """The bounds of `Seats`, for shares or, where none are given, for equal ones.

    Raises:
        BatchError: If there is nobody to share, or a share is out of range.
    """
    if n_opponents == 0:
        raise BatchError("a table needs at least one opponent")
    weights = np.ones(n_opponents) if shares is None else np.asarray(shares, np.float64)
    if weights.shape != (n_opponents,):
        raise BatchError(f"{weights.size} shares for {n_opponents} opponents: give one each")
    if not (np.isfinite(weights) & (weights >= 0)).all() or weights.sum() <= 0:
        raise BatchError(f"shares must be numbers from 0 on, not all 0: {weights.tolist()}")
    bounds: np.ndarray = np.cumsum(weights) / weights.sum()
    return bounds


def read_seat(seat: Any) -> int:
    """Read where the first player sits; `DRAWN` for ``"random"``.

    Raises:
        SeatError: If it is neither 0 nor 1 nor ``"random"``.
    """
    if isinstance(seat, str) and seat == "random":
        return DRAWN
    number = read_int(seat)
    if number not in (0, 1):
        raise SeatError(f"seat must be 'random', 0 or 1, not {seat!r}")
    return number


def _row_of(player: Player | None, is_open: bool) -> Any:
    """What kernels know of a player: a bot's row, or who decides outside of them.

    Args:
        player: Who it is; None for the caller.
        is_open: Whether somebody follows every move: bots are then asked like others.
    """
    row = np.zeros(1, BOT_DTYPE)[0]
    if player is None:
        row["kind"] = OUTSIDE
    elif type(player) is BotPlayer and not is_open:
        return player.bot.row
    else:
        row["kind"] = ASKED
    return row
