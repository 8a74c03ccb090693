"""The luck of the cards drawn from the stock, as a control variate (docs/evaluation.md).

Whatever the players know and have done, the next card of the stock is any of the stock's cards with
the same chance. So what that card is worth, less the mean over all the cards that it might have
been, is zero in expectation; and so is the sum over a hand, whoever plays and however he chooses.

The worth of a hand may be any function of what lies before the draw and of the card. The one used
here was chosen because its luck goes along with the points that the bots win, and for nothing else:
a poor choice would leave the intervals as wide as they were, and not move their middle.
"""

import math

import numpy as np

from gin_env.core.actions import DRAW
from gin_env.core.cards import N_CARDS, bit
from gin_env.core.jit import inlined, kernel
from gin_env.core.melds import deadwood, least_deadwood_after
from gin_env.core.state import DRAW_PHASE

ROOT_WEIGHT = 5.0
"""Points that a hand loses for each unit of the square root of its deadwood."""
KNOCK_WEIGHT = 0.3
"""The share of a knock's points that being able to knock is worth."""
GIN_WEIGHT = 0.6
"""The share of the gin bonus that being able to go gin is worth."""


@kernel
def draw_luck(r: np.void, s: np.void, action: int) -> float:
    """The luck of the card that an action is about to bring from the stock.

    Args:
        r: The rules, a record of `RULES_DTYPE`.
        s: The game before the action, a record of `STATE_DTYPE`.
        action: What the seat to move is about to play.

    Returns:
        float64, points to seat 0: the worth of the card that comes less the mean worth of all cards
        of the stock; 0 for every action but a draw from the stock.
    """
    if action != DRAW or s["phase"] != DRAW_PHASE or s["n_stock"] == 0:
        return 0.0
    seat, first = s["to_move"], N_CARDS - s["n_stock"]
    theirs = deadwood(s["hand"][1 - seat])
    total, drawn = 0.0, 0.0
    for place in range(first, N_CARDS):
        left = least_deadwood_after(s["hand"][seat] | bit(s["deck"][place]))
        worth = _worth(r, s["knock_limit"], left, theirs)
        total += worth
        if place == first:
            drawn = worth
    luck: float = (drawn - total / s["n_stock"]) * (1 + s["is_doubled"])
    return luck if seat == 0 else -luck


@inlined
def _worth(r: np.void, limit: int, left: int, theirs: int) -> float:
    """Points that a hand of this deadwood after its discard may bring, but for a constant."""
    worth = -ROOT_WEIGHT * math.sqrt(left)
    if left <= limit:
        worth += KNOCK_WEIGHT * (theirs - left)
    if left == 0:
        worth += GIN_WEIGHT * r["gin_bonus"]
    return worth
