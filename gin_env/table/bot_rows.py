"""Games against bots, in a batch: the first player acts from outside, bots answer in the kernel."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Unpack

import numpy as np

from gin_env.bots.bot import Bot
from gin_env.bots.bot_row import BOT_DTYPE, MEMORY_DTYPE, make_memories
from gin_env.bots.choose import OUTSIDE, choose
from gin_env.core.batch import Batch, BatchOptions
from gin_env.core.jit import inlined, int64, kernel
from gin_env.core.match import BY_RULES, advance, begin
from gin_env.core.rows import (
    SAME_STEP,
    Arrays,
    advance_row,
    clear_row,
    encode_part,
    face_row,
    report_row,
)
from gin_env.core.rules import Rules
from gin_env.core.state import draw_below, next_word, seed_words
from gin_env.core.view import look
from gin_env.errors import BatchError

SEATING_STREAM = 3
"""Stream of `seed_words` for who sits where, and against whom."""

DRAWN = -1
"""In place of a seat: draw it anew for every episode."""

MAX_UNDECIDED = 1000
"""Episodes in a row that a bot may end before the first player has had anything to decide."""

SEATING_DTYPE = np.dtype(
    [
        ("memory", MEMORY_DTYPE),  # of the opponent
        ("rng_state", np.uint64),  # lots for seats and opponents
        ("first_seat", np.int64),  # where the first player sits
        ("opponent", np.int64),  # index into the pool
        ("carried", np.int64),  # points paid to seat 0 before the first player's first action
    ],
    align=True,
)


class Seats(NamedTuple):
    """Who may sit at a table, and who does."""

    seating: np.ndarray
    """Shape [B], `SEATING_DTYPE`."""
    pool: np.ndarray
    """Shape [K], `BOT_DTYPE`: the opponents; kind `OUTSIDE` acts from outside."""
    bounds: np.ndarray
    """Shape [K], float64: upper bounds of each opponent's part of the lots, ending in 1."""
    first_seat: int
    """Where the first player sits: 0, 1 or `DRAWN`."""


class Table(Batch):
    """B games of a first player, who acts from outside, against opponents from a pool.

    For every episode a row draws its opponent from the pool. Where that is a bot, its moves are
    made inside `step` and `reset`, which leave the row with the first player to move. Where it is
    ``None``, the opponent too acts from outside: look at ``arrays.seats``. Rewards and final
    observations are the first player's.

    Args:
        n_games: How many games, B.
        rules: As for `Batch`.
        opponents: The pool: bots, or ``None`` for opponents from outside.
        shares: How often each is drawn, relative to the others; equally often where none are given.
        seat: Where the first player sits: 0, 1, or -1 to draw it for every episode.
        **options: As for `Batch`.

    Raises:
        BatchError: If the pool is empty, or shares or seat are out of range.
    """

    def __init__(
        self,
        n_games: int,
        rules: str | Mapping[str, Any] | Rules = "standard",
        *,
        opponents: Sequence[Bot | None],
        shares: Sequence[float] | None = None,
        seat: int = DRAWN,
        **options: Unpack[BatchOptions],
    ) -> None:
        super().__init__(n_games, rules, **options)
        if seat not in (DRAWN, 0, 1):
            raise BatchError(f"seat must be 0, 1, or -1 to draw it, not {seat!r}")
        self.opponents = tuple(opponents)
        bounds = share_bounds(shares, len(self.opponents))
        pool = np.zeros(len(self.opponents), BOT_DTYPE)
        for place, bot in enumerate(self.opponents):
            if bot is not None:
                pool[place] = bot.row
        self._seats = Seats(np.zeros(n_games, SEATING_DTYPE), pool, bounds, seat)

    @property
    def first_seats(self) -> np.ndarray:
        """Where the first player sits. Shape [B], int64."""
        return np.array(self._seats.seating["first_seat"])

    @property
    def opponents_met(self) -> np.ndarray:
        """Whom the first player meets: places in ``opponents``. Shape [B], int64."""
        return np.array(self._seats.seating["opponent"])

    def _seed(self, seeds: np.ndarray, rows: np.ndarray) -> None:
        super()._seed(seeds, rows)
        self._seats.seating["memory"][rows] = make_memories(seeds, 1)[rows]
        self._seats.seating["rng_state"][rows] = seed_words(seeds, SEATING_STREAM)[rows]

    def _begin(self, dealers: np.ndarray, rows: np.ndarray) -> None:
        self._run(begin_table_rows, self._setup, self.arrays, self._seats, (dealers, rows))
        if (rows & self.is_episode_over).any():
            raise BatchError(
                "the opponent ends every hand of this table before the first player acts"
            )

    def _step(self, actions: np.ndarray, rows: np.ndarray) -> None:
        self._run(step_table_rows, self._setup, self.arrays, self._seats, (actions, rows))


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


_LOT_SCALE = 1 << 30


@kernel
def begin_table_rows(
    setup: np.ndarray,
    a: Arrays,
    seats: Seats,
    orders: tuple[np.ndarray, np.ndarray],
    part: tuple[int, int],
) -> None:
    """`begin_rows` for a table; ``orders`` are the dealers and the rows."""
    plan = setup[0]
    dealers, rows = orders
    for row in range(part[0], part[1]):
        if rows[row]:
            clear_row(a, row)
            _begin_row(plan, a, seats, row, dealers[row])
            face_row(plan, a, row, seats.seating[row]["first_seat"])
    encode_part(plan, a, rows, part)


@kernel
def step_table_rows(
    setup: np.ndarray,
    a: Arrays,
    seats: Seats,
    orders: tuple[np.ndarray, np.ndarray],
    part: tuple[int, int],
) -> None:
    """`step_rows` for a table; ``orders`` are the actions and the rows."""
    plan = setup[0]
    actions, rows = orders
    for row in range(part[0], part[1]):
        clear_row(a, row)
        if rows[row]:
            s, place = a.games[row], seats.seating[row]
            seat = place["first_seat"]
            is_restarting = s["is_episode_over"] != 0
            if not is_restarting:
                paid = place["carried"] + advance_row(plan, a, row, actions[row])
                place["carried"] = 0
                report_row(plan, a, row, seat, paid + _respond(plan, a, seats, row))
                is_restarting = a.is_over[row] and plan["autoreset"] == SAME_STEP
            if is_restarting:
                _begin_row(plan, a, seats, row, BY_RULES)
            face_row(plan, a, row, seat)
    encode_part(plan, a, rows, part)


@inlined
def _begin_row(plan: np.void, a: Arrays, seats: Seats, row: int, dealer: int) -> None:
    """Begin an episode and play up to the first decision that is made from outside.

    Where a bot ends the episode before that, another one is begun: there was nothing to decide.
    Where that goes on (a turn cap of 1 can have it so), the row is left at an end.
    """
    s, place = a.games[row], seats.seating[row]
    for _ in range(MAX_UNDECIDED):
        begin(plan["rules"], s, dealer)
        _draw_seat(seats, place)
        place["carried"] = _respond(plan, a, seats, row)
        if not s["is_episode_over"]:
            return


@inlined
def _respond(plan: np.void, a: Arrays, seats: Seats, row: int) -> int:
    """Play a bot's moves in one row until someone from outside is to move, or the end.

    Returns:
        int64: points that they paid to seat 0.
    """
    s, v, place = a.games[row], a.views[row], seats.seating[row]
    r, b = plan["rules"], seats.pool[place["opponent"]]
    paid = int64(0)
    if b["kind"] == OUTSIDE:
        return paid
    while not s["is_episode_over"] and s["to_move"] != place["first_seat"]:
        look(r, s, s["to_move"], v)
        advance(r, s, choose(b, r, v, place["memory"]))
        paid += s["reward"]
    return paid


@inlined
def _draw_seat(seats: Seats, place: np.void) -> None:
    """Draw the first player's seat and the opponent."""
    word = next_word(place["rng_state"])
    place["first_seat"] = draw_below(word, 2) if seats.first_seat == DRAWN else seats.first_seat
    word = next_word(word)
    lot = draw_below(word, _LOT_SCALE) / _LOT_SCALE
    opponent = 0
    while lot >= seats.bounds[opponent]:
        opponent += 1
    place["opponent"] = opponent
    place["rng_state"] = word
