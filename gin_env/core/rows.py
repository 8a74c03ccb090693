"""The arrays of a batch, and what happens in one of its rows: the kernels of a single game."""

from typing import NamedTuple

import numpy as np

from gin_env.core.actions import N_ACTIONS
from gin_env.core.jit import inlined, int64, kernel
from gin_env.core.match import BY_RULES, begin, next_hand, play, play_forfeit
from gin_env.core.observe import encode, encode_extras
from gin_env.core.rules import RULES_DTYPE
from gin_env.core.state import HAND_END_DTYPE, OVER, STATE_DTYPE
from gin_env.core.step import legal_mask
from gin_env.core.view import VIEW_DTYPE, look

NO_ROW = -1

AUTORESETS = ("same_step", "next_step", "disabled")
ILLEGALS = ("raise", "forfeit")
SAME_STEP, NEXT_STEP, NO_AUTORESET = range(len(AUTORESETS))
RAISE, FORFEIT_HAND = range(len(ILLEGALS))

SETUP_DTYPE = np.dtype(
    [
        ("rules", RULES_DTYPE),
        ("autoreset", np.int32),  # index into AUTORESETS
        ("illegal", np.int32),  # index into ILLEGALS
        ("penalty", np.int32),  # points, for an illegal action that forfeits
        ("extras", np.int32),  # observation blocks, as `extras_bits` says
    ],
    align=True,
)
"""What is the same in every row of a batch."""


class Arrays(NamedTuple):
    """The arrays of a batch, one row a game. They are written in place: copy what must last."""

    games: np.ndarray
    """Shape [B], `STATE_DTYPE`."""
    views: np.ndarray
    """Shape [B], `VIEW_DTYPE`: what the seat to move may know."""
    observations: np.ndarray
    """Shape [B, N], float32, of the seat to move."""
    masks: np.ndarray
    """Shape [B, 108], int8: what the next step takes. The legal actions of the seat to move; after
    the end anything, where that step begins anew, and nothing, where only a reset does."""
    seats: np.ndarray
    """Shape [B], int64: the seat to move; after the end, the seat reported to."""
    rewards: np.ndarray
    """Shape [B], int64: points that the last step paid to the seat reported to."""
    is_over: np.ndarray
    """Shape [B], bool: the last step ended the episode."""
    is_forfeited: np.ndarray
    """Shape [B], bool: the last step's action was illegal and forfeited the hand."""
    final_observations: np.ndarray
    """Shape [B, N], float32: of the seat reported to, in rows whose episode has ended."""
    n_ended: np.ndarray
    """Shape [B], int64: hands that ended in the last step."""
    hand_ends: np.ndarray
    """Shape [B], `HAND_END_DTYPE`: how the last of them ended, in rows where one did."""


def make_arrays(n_games: int, size: int) -> Arrays:
    """Arrays for B games that have not begun, with observations of a length. Returns `Arrays`."""
    games = np.zeros(n_games, STATE_DTYPE)
    games["phase"] = OVER
    games["is_episode_over"] = 1
    return Arrays(
        games=games,
        views=np.zeros(n_games, VIEW_DTYPE),
        observations=np.zeros((n_games, size), np.float32),
        masks=np.zeros((n_games, N_ACTIONS), np.int8),
        seats=np.zeros(n_games, np.int64),
        rewards=np.zeros(n_games, np.int64),
        is_over=np.zeros(n_games, bool),
        is_forfeited=np.zeros(n_games, bool),
        final_observations=np.zeros((n_games, size), np.float32),
        n_ended=np.zeros(n_games, np.int64),
        hand_ends=np.zeros(n_games, HAND_END_DTYPE),
    )


@kernel
def begin_rows(
    setup: np.ndarray, a: Arrays, dealers: np.ndarray, rows: np.ndarray, part: tuple[int, int]
) -> None:
    """Begin an episode in some rows; arguments as for `step_rows`, ``dealers`` as ``actions``."""
    plan = setup[0]
    for row in range(part[0], part[1]):
        if rows[row]:
            clear_row(a, row)
            begin(plan["rules"], a.games[row], dealers[row])
            face_row(plan, a, row, 0)
    encode_part(plan, a, rows, part)


@kernel
def step_rows(
    setup: np.ndarray, a: Arrays, actions: np.ndarray, rows: np.ndarray, part: tuple[int, int]
) -> None:
    """Play one action in some rows.

    Args:
        setup: Shape [1], `SETUP_DTYPE`.
        a: The batch.
        actions: Shape [B], int64.
        rows: Shape [B], bool: the rows to move; the others are paid nothing.
        part: The first row to look at, and the one after the last.
    """
    plan = setup[0]
    for row in range(part[0], part[1]):
        clear_row(a, row)
        if rows[row]:
            s, seat = a.games[row], a.seats[row]
            is_restarting = s["is_episode_over"] != 0
            if not is_restarting:
                a.is_forfeited[row] = not is_legal(a.masks[row], actions[row])
                report_row(plan, a, row, seat, advance_row(plan, a, row, actions[row]))
                is_restarting = a.is_over[row] and plan["autoreset"] == SAME_STEP
            if is_restarting:
                begin(plan["rules"], s, int64(BY_RULES))
            face_row(plan, a, row, seat)
    encode_part(plan, a, rows, part)


@inlined
def clear_row(a: Arrays, row: int) -> None:
    """Forget what the step before reported."""
    a.rewards[row] = 0
    a.is_over[row] = False
    a.is_forfeited[row] = False
    a.n_ended[row] = 0


@inlined
def advance_row(plan: np.void, a: Arrays, row: int, action: int) -> int:
    """Play an action, or forfeit where it is illegal; in a match that goes on, deal the next hand.

    Returns:
        int64: points paid to seat 0.
    """
    s = a.games[row]
    if is_legal(a.masks[row], action):
        play(plan["rules"], s, action)
    else:
        play_forfeit(plan["rules"], s, plan["penalty"])
    paid = int64(s["reward"])
    if s["phase"] == OVER:
        end_hand_row(plan["rules"], a, row)
    return paid


@inlined
def end_hand_row(r: np.void, a: Arrays, row: int) -> None:
    """Report a hand that has just ended; in a match that goes on, deal the next one."""
    s = a.games[row]
    a.n_ended[row] += 1
    a.hand_ends[row] = s["hand_end"]
    if not s["is_episode_over"]:
        next_hand(r, s)


@inlined
def report_row(plan: np.void, a: Arrays, row: int, seat: int, paid: int) -> None:
    """Tell a seat what a step has brought it.

    Args:
        plan: A record of `SETUP_DTYPE`.
        a: The batch; rewards, ends and final observations are written.
        row: Which game.
        seat: To whom this row reports.
        paid: Points that were paid to seat 0.
    """
    a.rewards[row] = paid if seat == 0 else -paid
    a.is_over[row] = a.games[row]["is_episode_over"] != 0
    if a.is_over[row]:
        look(plan["rules"], a.games[row], seat, a.views[row])
        encode_all(plan, a.views[row], a.final_observations[row])


@inlined
def face_row(plan: np.void, a: Arrays, row: int, seat_at_end: int) -> None:
    """Write the view and the mask of the seat to move; after the end, of another one."""
    s, v = a.games[row], a.views[row]
    seat = seat_at_end if s["is_episode_over"] else int64(s["to_move"])
    a.seats[row] = seat
    look(plan["rules"], s, seat, v)
    legal_mask(plan["rules"], v, a.masks[row])
    if s["is_episode_over"] and plan["autoreset"] == NEXT_STEP:
        a.masks[row, :] = 1


@inlined
def encode_part(plan: np.void, a: Arrays, rows: np.ndarray, part: tuple[int, int]) -> None:
    """Write the observations of some rows; a loop of its own is faster than a step's last act."""
    for row in range(part[0], part[1]):
        if rows[row]:
            encode_all(plan, a.views[row], a.observations[row])


@kernel
def encode_rows(setup: np.ndarray, views: np.ndarray, observations: np.ndarray) -> None:
    """Write the observations (shape [K, N], float32) of some views (shape [K])."""
    for row in range(len(views)):
        encode_all(setup[0], views[row], observations[row])


@inlined
def encode_all(plan: np.void, v: np.void, obs: np.ndarray) -> None:
    """Write an observation with the optional blocks that the plan asks for."""
    encode(plan["rules"], v, obs)
    if plan["extras"]:
        encode_extras(v, plan["extras"], obs)


@kernel
def find_unplayable(
    setup: np.ndarray, games: np.ndarray, masks: np.ndarray, actions: np.ndarray, rows: np.ndarray
) -> int:
    """The first of some rows whose action cannot be played, or `NO_ROW`. Returns int64.

    A row that restarts ignores its action; an illegal action that forfeits can be played.
    """
    is_strict = setup[0]["illegal"] == RAISE
    is_restarting = setup[0]["autoreset"] == NEXT_STEP
    for row in range(len(rows)):
        if rows[row] and not is_legal(masks[row], actions[row]):
            is_over = games[row]["is_episode_over"]
            if (is_over and not is_restarting) or (is_strict and not is_over):
                return row
    return NO_ROW


@kernel
def find_illegal(masks: np.ndarray, actions: np.ndarray, rows: np.ndarray) -> int:
    """The first of some rows whose action its mask does not allow, or `NO_ROW`. Returns int64."""
    for row in range(len(rows)):
        if rows[row] and not is_legal(masks[row], actions[row]):
            return row
    return NO_ROW


@kernel
def is_legal(mask: np.ndarray, action: int) -> bool:
    """Whether a mask (shape [108], int8) allows an action; ids out of range are not legal."""
    return 0 <= action < len(mask) and mask[action] != 0
