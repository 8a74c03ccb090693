"""One game behind a face: the kernels of a step and an observation in one call each.

They take arrays that hold the records. Numba unpacks such an array in a quarter of a microsecond,
but a record by itself in several, which is more than the work that is done with it.
"""

import numpy as np

from gin_env.core.jit import int64, kernel
from gin_env.core.match import begin, next_hand, play
from gin_env.core.observe import encode, encode_extras
from gin_env.core.state import NO_SEAT, OVER
from gin_env.core.step import legal_mask
from gin_env.core.view import look

Shown = tuple[np.ndarray, np.ndarray, np.ndarray]
"""What a face shows of the seat to move: the views of both seats (shape [2], `VIEW_DTYPE`), of
which its own is written; its mask (shape [108], int8), all 0 when the hand is over; and its
observation (shape [N], float32)."""


@kernel
def begin_single(
    rules: np.ndarray, game: np.ndarray, dealer: int, shown: Shown, extras: int
) -> int:
    """Begin an episode (see `begin`), and face who is to move; arguments as for `face_single`."""
    begin(rules[0], game[0], dealer)
    return face_single(rules, game, shown, extras)


@kernel
def next_single(rules: np.ndarray, game: np.ndarray, shown: Shown, extras: int) -> int:
    """Deal the next hand of a match, and face who is to move; as `face_single`."""
    next_hand(rules[0], game[0])
    return face_single(rules, game, shown, extras)


@kernel
def play_single(
    rules: np.ndarray, game: np.ndarray, action: int, shown: Shown, extras: int
) -> tuple[int, int]:
    """Play a legal action, and face who is to move; other arguments as for `face_single`.

    Returns:
        The seat to move (`NO_SEAT` when the hand is over), and what was paid to seat 0, points.
    """
    play(rules[0], game[0], action)
    return face_single(rules, game, shown, extras), game[0]["reward"]


@kernel
def face_single(rules: np.ndarray, game: np.ndarray, shown: Shown, extras: int) -> int:
    """Write what the seat to move may know and do.

    Args:
        rules: Shape [1], `RULES_DTYPE`.
        game: Shape [1], `STATE_DTYPE`.
        shown: See `Shown`; written.
        extras: Optional observation blocks, as `extras_bits` says.

    Returns:
        The seat to move, or `NO_SEAT` when the hand is over.
    """
    views, mask, obs = shown
    s = game[0]
    if s["phase"] == OVER:
        mask[:] = 0
        return NO_SEAT
    seat = int64(s["to_move"])
    look(rules[0], s, seat, views[seat])
    legal_mask(rules[0], views[seat], mask)
    encode_single(rules, views, seat, extras, obs)
    return seat


@kernel
def look_single(rules: np.ndarray, game: np.ndarray, seat: int, views: np.ndarray) -> None:
    """Write the view of any seat into its entry of ``views``, shape [2]."""
    look(rules[0], game[0], seat, views[seat])


@kernel
def encode_single(
    rules: np.ndarray, views: np.ndarray, seat: int, extras: int, obs: np.ndarray
) -> None:
    """Write the observation of a seat from its view. ``obs``: shape [N], float32."""
    encode(rules[0], views[seat], obs)
    if extras:
        encode_extras(views[seat], extras, obs)
