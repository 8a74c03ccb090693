"""One game behind a face: the kernels of a step and an observation in one call each.

They take arrays that hold the records. Numba unpacks such an array in a quarter of a microsecond,
but a record by itself in several, which is more than the work that is done with it.
"""

import numpy as np

from gin_env.core.jit import int64, kernel
from gin_env.core.match import play
from gin_env.core.observe import encode, encode_extras
from gin_env.core.state import NO_SEAT, OVER
from gin_env.core.step import legal_mask
from gin_env.core.view import look


@kernel
def play_single(
    rules: np.ndarray, game: np.ndarray, action: int, views: np.ndarray, mask: np.ndarray
) -> tuple[int, int]:
    """Play a legal action, and face who is to move.

    Args:
        rules: Shape [1], `RULES_DTYPE`.
        game: Shape [1], `STATE_DTYPE`.
        action: A legal one.
        views: Shape [2], `VIEW_DTYPE`; see `face_single`.
        mask: Shape [108], int8; likewise.

    Returns:
        The seat to move (`NO_SEAT` when the hand is over), and what was paid to seat 0, points.
    """
    play(rules[0], game[0], action)
    return face_single(rules, game, views, mask), game[0]["reward"]


@kernel
def face_single(rules: np.ndarray, game: np.ndarray, views: np.ndarray, mask: np.ndarray) -> int:
    """Write the view of the seat to move, and what it may do.

    Args:
        rules: Shape [1], `RULES_DTYPE`.
        game: Shape [1], `STATE_DTYPE`.
        views: Shape [2], `VIEW_DTYPE`; the entry of the seat to move is written.
        mask: Shape [108], int8; written; all 0 when the hand is over.

    Returns:
        The seat to move, or `NO_SEAT` when the hand is over.
    """
    s = game[0]
    if s["phase"] == OVER:
        mask[:] = 0
        return NO_SEAT
    seat = int64(s["to_move"])
    look(rules[0], s, seat, views[seat])
    legal_mask(rules[0], views[seat], mask)
    return seat


@kernel
def look_single(rules: np.ndarray, game: np.ndarray, seat: int, views: np.ndarray) -> None:
    """Write the view of any seat into its entry of ``views``, shape [2]."""
    look(rules[0], game[0], seat, views[seat])


@kernel
def encode_single(rules: np.ndarray, views: np.ndarray, seat: int, obs: np.ndarray) -> None:
    """Write the observation of a seat from its view. ``obs``: shape [OBS_SIZE], float32."""
    encode(rules[0], views[seat], obs)


@kernel
def encode_extras_single(views: np.ndarray, seat: int, wanted: int, obs: np.ndarray) -> None:
    """Write the optional blocks behind the observation of a seat, as `encode_extras` does."""
    encode_extras(views[seat], wanted, obs)
