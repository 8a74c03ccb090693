"""The rows of a table: what the caller or a player decides, and the moves of bots after it.

Each row has two sides: the *first player* and an *opponent*, whom the row draws from a pool for
every episode. Either is a bot, which moves inside these kernels, or decides outside: the caller, or
a player that the table asks (`gin_env.table.table`).
"""

from typing import NamedTuple

import numpy as np

from gin_env.bots.choose import OUTSIDE, choose
from gin_env.core.hand_end import NO_ENDING
from gin_env.core.jit import inlined, int64, kernel
from gin_env.core.match import BY_RULES, begin, play
from gin_env.core.rows import (
    SAME_STEP,
    Arrays,
    advance_row,
    clear_row,
    encode_all,
    encode_part,
    end_hand_row,
    face_row,
    is_legal,
)
from gin_env.core.state import OVER, draw_below, next_word
from gin_env.core.view import look
from gin_env.players.protocol import FORFEIT
from gin_env.table.control_variate import draw_luck

ASKED = -1
"""Kind of a player that the table asks; `OUTSIDE` is the kind of the caller."""

FIRST = 0
"""The first player's place in the pool; the opponents follow."""

DRAWN = -1
"""In place of a seat: draw it for every episode."""

NO_NEW_EPISODE = -2
"""In place of a dealer: the episode goes on."""

MAX_IDLE_HANDS = 10_000
"""Hands in a row that may end before the caller has anything to decide."""

SEATING_DTYPE = np.dtype(
    [
        ("rng_state", np.uint64),  # draws seats and opponents
        ("first_seat", np.int64),  # where the first player sits
        ("opponent", np.int64),  # among the opponents
        ("dealer", np.int64),  # asked for when the episode was begun, or `BY_RULES`
        ("n_begun", np.int64),  # episodes begun
        ("n_decisions", np.int64),  # the caller's in this episode
        ("carried", np.int64),  # points paid to seat 0 before the first of them
        ("n_idle_hands", np.int64),  # hands ended since the caller last decided
        ("told_seat", np.int64),  # of the caller, to whom the row reports
        ("n_untold", np.int64),  # hands ended before the caller's first decision
        ("luck", np.float64),  # of this hand's draws, points to seat 0 (`draw_luck`)
    ],
    align=True,
)


class ToldHands(NamedTuple):
    """The hands of whose end a row's caller is told.

    A step tells of the hands that have ended since the caller's last decision, or since the episode
    began: those whose points its reward holds.
    """

    n_hands: np.ndarray
    """Shape [B], int64: how many they are."""
    endings: np.ndarray
    """Shape [B], int64: how the last of them ended: `gin_env.core.state.Ending`."""
    points: np.ndarray
    """Shape [B], int64: its hand points to the caller, without bonuses of the match."""


class Seats(NamedTuple):
    """Who may sit at a table, and who does."""

    seating: np.ndarray
    """Shape [B], `SEATING_DTYPE`."""
    memories: np.ndarray
    """Shape [2, B], `MEMORY_DTYPE`: of first players and of opponents that are bots."""
    pool: np.ndarray
    """Shape [1 + K], `BOT_DTYPE`: the first player, then the opponents."""
    bounds: np.ndarray
    """Shape [K], float64: upper bounds of each opponent's share of the draws, ending in 1."""
    first_seat: int
    """Where the first player sits: 0, 1 or `DRAWN`."""
    stops_at_hands: bool
    """Whether bots stop at the end of each hand, and the luck of the draws is counted."""
    told: ToldHands
    """Written anew by each step."""
    is_idle: np.ndarray
    """Shape [1], bool: in some row more than `MAX_IDLE_HANDS` have ended; written."""


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
            _clear_row(a, seats, row)
            seats.seating[row]["n_idle_hands"] = 0
            _begin(plan, a, seats, row, dealers[row])
            _go_on(plan, a, seats, row, 0)
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
    """`step_rows` for what the caller decides; ``orders`` are the actions and the rows."""
    plan = setup[0]
    actions, rows = orders
    for row in range(part[0], part[1]):
        _clear_row(a, seats, row)
        if rows[row]:
            seat, paid = a.seats[row], int64(0)
            if a.games[row]["is_episode_over"]:
                _begin(plan, a, seats, row, int64(BY_RULES))
            else:
                paid = _decide(plan, a, seats, row, actions[row])
            _go_on(plan, a, seats, row, paid)
            face_row(plan, a, row, seat)
    encode_part(plan, a, rows, part)


@kernel
def answer_table_rows(
    setup: np.ndarray,
    a: Arrays,
    seats: Seats,
    orders: tuple[np.ndarray, np.ndarray],
    part: tuple[int, int],
) -> None:
    """Play what players were asked for; what the caller is told adds up over these calls.

    Args:
        setup: Shape [1], `SETUP_DTYPE`.
        a: The batch.
        seats: Who sits in it.
        orders: The actions, shape [B], int64, legal or `FORFEIT`; and the rows, shape [B], bool.
        part: The first row to look at, and the one after the last.
    """
    plan = setup[0]
    actions, rows = orders
    for row in range(part[0], part[1]):
        if rows[row]:
            paid = _answer(plan, a, seats, row, actions[row])
            _go_on(plan, a, seats, row, paid)
            face_row(plan, a, row, seats.seating[row]["first_seat"])
    encode_part(plan, a, rows, part)


@kernel
def run_table_rows(
    setup: np.ndarray, a: Arrays, seats: Seats, rows: np.ndarray, part: tuple[int, int]
) -> None:
    """Let bots move on in some rows, where they stopped at the end of a hand."""
    plan = setup[0]
    for row in range(part[0], part[1]):
        if rows[row]:
            a.n_ended[row] = 0
            _respond(plan, a, seats, row)
            face_row(plan, a, row, 0)


@inlined
def _clear_row(a: Arrays, seats: Seats, row: int) -> None:
    """Forget what the step before told."""
    clear_row(a, row)
    if seats.told.n_hands[row]:
        seats.told.n_hands[row] = 0
        seats.told.endings[row] = NO_ENDING
        seats.told.points[row] = 0


@inlined
def _decide(plan: np.void, a: Arrays, seats: Seats, row: int, action: int) -> int:
    """Play the caller's action, or forfeit where it is illegal. Returns int64, paid to seat 0."""
    place = seats.seating[row]
    place["told_seat"] = a.seats[row]
    place["n_decisions"] += 1
    place["n_idle_hands"] = 0
    if place["n_untold"]:
        _tell_end(seats, row, a.games[row]["hand_end"], place["n_untold"])
        place["n_untold"] = 0
    a.is_forfeited[row] = not is_legal(a.masks[row], action)
    if seats.stops_at_hands and not a.is_forfeited[row]:
        place["luck"] += draw_luck(plan["rules"], a.games[row], action)
    return advance_row(plan, a, row, action)


@inlined
def _answer(plan: np.void, a: Arrays, seats: Seats, row: int, action: int) -> int:
    """Play an action of a player that was asked. Returns int64, points paid to seat 0."""
    place = seats.seating[row]
    place["told_seat"] = place["first_seat"]
    if seats.stops_at_hands and action != FORFEIT:
        place["luck"] += draw_luck(plan["rules"], a.games[row], action)
    a.n_ended[row] = 0
    paid = advance_row(plan, a, row, action)
    if _is_played_by_caller(seats):
        place["n_idle_hands"] += a.n_ended[row]
    return paid


@inlined
def _go_on(plan: np.void, a: Arrays, seats: Seats, row: int, paid: int) -> None:
    """Let bots answer, tell the caller what came of it, and begin the episodes that are due.

    An episode that ends before the caller has decided anything is not told of, and begun anew.
    Where that goes on for `MAX_IDLE_HANDS`, the row is left as it is, and the table says so.

    Args:
        plan: A record of `SETUP_DTYPE`.
        a: The batch.
        seats: Who sits in it.
        row: Which game.
        paid: Points that the move which is answered paid to seat 0.
    """
    place, n_before = seats.seating[row], int64(0)
    while True:
        if not seats.stops_at_hands or a.n_ended[row] == n_before:
            paid += _respond(plan, a, seats, row)
        if place["n_idle_hands"] > MAX_IDLE_HANDS:
            seats.is_idle[0] = True
            return
        dealer = _tell(plan, a, seats, row, (paid, a.n_ended[row] - n_before))
        if dealer == NO_NEW_EPISODE:
            return
        paid, n_before = int64(0), a.n_ended[row]
        _begin(plan, a, seats, row, dealer)


@inlined
def _tell(plan: np.void, a: Arrays, seats: Seats, row: int, news: tuple[int, int]) -> int:
    """Tell the caller what has happened; before its first decision, keep it until then.

    Args:
        plan: A record of `SETUP_DTYPE`.
        a: The batch.
        seats: Who sits in it.
        row: Which game.
        news: Points paid to seat 0, and how many hands have ended.

    Returns:
        int64: who deals the episode that has to be begun now, or `NO_NEW_EPISODE`.
    """
    s, place = a.games[row], seats.seating[row]
    paid, n_hands = news
    is_over = s["is_episode_over"] != 0
    if place["n_decisions"] == 0:
        place["carried"] += paid
        place["n_untold"] += n_hands
        if is_over and _is_played_by_caller(seats):
            return int64(place["dealer"])
        return int64(NO_NEW_EPISODE)
    if n_hands:
        _tell_end(seats, row, a.hand_ends[row], n_hands)
    paid += place["carried"]
    place["carried"] = 0
    a.rewards[row] += paid if place["told_seat"] == 0 else -paid
    if is_over:
        a.is_over[row] = True
        look(plan["rules"], s, place["told_seat"], a.views[row])
        encode_all(plan, a.views[row], a.final_observations[row])
        if plan["autoreset"] == SAME_STEP:
            return int64(BY_RULES)
    return int64(NO_NEW_EPISODE)


@inlined
def _tell_end(seats: Seats, row: int, end: np.void, n_hands: int) -> None:
    """Let the caller know of hands that have ended, and how the last of them did."""
    points = end["points"]
    seats.told.n_hands[row] += n_hands
    seats.told.endings[row] = end["ending"]
    seats.told.points[row] = points if seats.seating[row]["told_seat"] == 0 else -points


@inlined
def _begin(plan: np.void, a: Arrays, seats: Seats, row: int, dealer: int) -> None:
    """Begin an episode, with players drawn for it."""
    place = seats.seating[row]
    begin(plan["rules"], a.games[row], dealer)
    _draw_seats(seats, place)
    place["dealer"] = dealer
    place["n_begun"] += 1
    place["n_decisions"] = 0
    place["carried"] = 0
    place["n_untold"] = 0
    place["luck"] = 0.0


@inlined
def _respond(plan: np.void, a: Arrays, seats: Seats, row: int) -> int:
    """Let bots move in a row until it waits for somebody outside, or its episode is over.

    Returns:
        int64: points that they paid to seat 0.
    """
    s, v, place, r = a.games[row], a.views[row], seats.seating[row], plan["rules"]
    paid = int64(0)
    while not s["is_episode_over"] and place["n_idle_hands"] <= MAX_IDLE_HANDS:
        side = int64(s["to_move"] != place["first_seat"])
        b = seats.pool[side * (place["opponent"] + 1)]
        if b["kind"] <= OUTSIDE:
            return paid
        look(r, s, int64(s["to_move"]), v)
        action = choose(b, r, v, seats.memories[side, row])
        if seats.stops_at_hands:
            place["luck"] += draw_luck(r, s, action)
        play(r, s, action)
        if s["phase"] == OVER:
            paid += int64(s["reward"])
            end_hand_row(r, a, row)
            place["n_idle_hands"] += _is_played_by_caller(seats)
            if seats.stops_at_hands:
                return paid
    return paid


@inlined
def _is_played_by_caller(seats: Seats) -> bool:
    return bool(seats.pool[FIRST]["kind"] == OUTSIDE)


_DRAW_SCALE = 1 << 30


@inlined
def _draw_seats(seats: Seats, place: np.void) -> None:
    """Draw the first player's seat and the opponent."""
    word = next_word(place["rng_state"])
    place["first_seat"] = draw_below(word, 2) if seats.first_seat == DRAWN else seats.first_seat
    word = next_word(word)
    drawn = draw_below(word, _DRAW_SCALE) / _DRAW_SCALE
    opponent = 0
    while drawn >= seats.bounds[opponent]:
        opponent += 1
    place["opponent"] = opponent
    place["rng_state"] = word
