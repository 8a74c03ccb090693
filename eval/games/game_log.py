"""What is kept of a hand and of a match that were played."""

import numpy as np

from gin_env.core.state import NO_SEAT

NO_DEADWOOD = -1
"""In place of deadwood at the knock: nobody knocked."""

FORFEIT_PENALTY = 50
"""Points that a forfeited hand costs."""

HAND_DTYPE = np.dtype(
    [
        ("seed", np.uint64),  # of the game: `gin_env.Game.deal(rules, seed=...)` deals it again
        ("pair", np.int64),
        ("seat_of_a", np.int8),  # 0 in the first game of a pair, 1 in the second
        ("hand", np.int16),  # which hand of its match, from 0
        ("dealer", np.int8),  # 0 is A, 1 is B; likewise knocker and winner
        ("ending", np.int8),  # `gin_env.core.state.Ending`
        ("knocker", np.int8),  # -1 for none
        ("winner", np.int8),  # -1 for none
        ("points", np.int32),  # to A; what the hand is worth
        ("paid", np.int32),  # to A; the same with the bonuses of the match that came with it
        ("n_turns", np.int16),  # of both seats
        ("deadwood", np.int16),  # the knocker's, or `NO_DEADWOOD`
        (
            "luck",
            np.float64,
        ),  # points to A that the draws from the stock brought
    ]
)
"""One hand between A and B."""

MATCH_DTYPE = np.dtype(
    [
        ("seed", np.uint64),
        ("pair", np.int64),
        ("seat_of_a", np.int8),
        ("winner", np.int8),  # 0 is A, 1 is B
        ("points", np.int32),  # to A; all bonuses included
        ("n_hands", np.int16),
        ("luck", np.float64),  # of its hands
    ]
)
"""One match between A and B."""


def log_hands(rows: np.ndarray, ends: np.ndarray, luck: np.ndarray) -> np.ndarray:
    """Write down hands that have ended, with the row as the pair and seats in place of A and B.

    Args:
        rows: Their games. Shape [K], int64.
        ends: How they ended. Shape [K], `HAND_END_DTYPE`.
        luck: Points to seat 0 that their draws brought. Shape [K], float64.

    Returns:
        Shape [K], `HAND_DTYPE`; seed and hand are left at 0.
    """
    hands = np.zeros(len(rows), HAND_DTYPE)
    for name in ("dealer", "ending", "knocker", "winner", "points", "paid", "n_turns"):
        hands[name] = ends[name]
    knocker = ends["knocker"]
    shown = np.where(knocker == 1, ends["deadwood"][:, 1], ends["deadwood"][:, 0])
    hands["deadwood"] = np.where(knocker == NO_SEAT, NO_DEADWOOD, shown)
    hands["pair"], hands["luck"] = rows, luck
    return hands
