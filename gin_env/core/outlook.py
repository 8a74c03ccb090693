"""What a player can work out about a discard: how the hand goes on, and whom it feeds.

Both are heuristics of strong play, not rules; bots and the optional observation blocks use them.
"""

import numpy as np

from gin_env.core.cards import ACE_BITS, N_CARDS, N_RANKS, SUIT_BITS, bit, count
from gin_env.core.jit import inlined, int64, kernel
from gin_env.core.melds import (
    BEST_DROP,
    MAX_DEADWOOD,
    RUN_DEADWOOD,
    least_deadwood_after,
    pair_ranks,
    run_deadwood,
    triple_ranks,
)

N_BEST_DRAWS = 7
"""`continuation` averages over this many of the best cards to draw."""

DANGER_RANGE = (-16.5, 81.0)
"""No `danger` lies outside: at most 20 for the rank, 20 for each of three runs, and 1."""


@kernel
def continuation(hand: int, unseen: int) -> float:
    """Deadwood that one more draw can bring the hand to, if it is a good one.

    Args:
        hand: Ten cards, as they would be after a discard.
        unseen: The cards that may come.

    Returns:
        float64, points: the mean of the seven lowest values, over the unseen cards, of the least
        deadwood after drawing that card and discarding best; fewer cards, fewer values.
    """
    best = (int64(0), int64(0))
    is_plain = triple_ranks(hand) == 0
    pairs = pair_ranks(hand)
    base = run_deadwood(hand)
    for suit in range(0, N_CARDS, N_RANKS):
        ranks = hand >> suit & SUIT_BITS
        others = _best_drop_beside(hand, suit)
        kept = base - RUN_DEADWOOD[ranks]
        cards = unseen >> suit & SUIT_BITS
        while cards:
            card = cards & -cards
            cards ^= card
            if is_plain and card & pairs == 0:  # no set is in sight: only this suit changes
                grown = ranks | card
                value = kept + RUN_DEADWOOD[grown] - max(others, BEST_DROP[grown])
            else:
                value = least_deadwood_after(hand | card << suit)
            best = _keep_lowest(best, value)
    return _mean(best)


@inlined
def _best_drop_beside(hand: int, suit: int) -> int:
    """The most run deadwood that giving up a card of another suit takes away. Returns int64."""
    best = int64(-MAX_DEADWOOD)
    for other in range(0, N_CARDS, N_RANKS):
        if other != suit:
            best = max(best, int64(BEST_DROP[hand >> other & SUIT_BITS]))
    return best


# The lowest seven of some forty small numbers: how many, and an ascending list packed in bytes.


@inlined
def _keep_lowest(best: tuple[int, int], value: int) -> tuple[int, int]:
    """Insert a value; where there are seven the highest goes."""
    n_of, packed = best
    place = n_of
    while place > 0 and packed >> 8 * (place - 1) & 255 > value:
        place -= 1
    if place == N_BEST_DRAWS:
        return best
    low = packed & ((int64(1) << 8 * place) - 1)
    high = packed >> 8 * place << 8 * (place + 1)
    packed = (low | int64(value) << 8 * place | high) & ((int64(1) << 8 * N_BEST_DRAWS) - 1)
    return min(n_of + 1, N_BEST_DRAWS), packed


@inlined
def _mean(best: tuple[int, int]) -> float:
    n_of, packed = best
    total = int64(0)
    for place in range(n_of):
        total += packed >> 8 * place & 255
    return total / max(n_of, 1)


@kernel
def danger(v: np.void, card: int) -> float:
    """How much a discard is likely to help the opponent, judged from what lies open.

    Args:
        v: The view of the seat that discards.
        card: The card to discard, one of the seat's own.

    Returns:
        float64, in points: high where the opponent holds its neighbours for certain, low where he
        cannot meld it or has let its like go by.
    """
    lost = (v["hand"] | v["gone"]) & ~bit(card)
    return _rank_danger(v, card, lost) + _run_danger(v, card, lost)


@inlined
def _rank_danger(v: np.void, card: int, lost: int) -> float:
    others = (int64(ACE_BITS) << card % N_RANKS) & ~bit(card)
    n_held = count(others & v["their_known"])
    n_lost = count(others & lost)
    n_let_go = count(others & (v["their_discarded"] | v["their_declined"]))
    value = -1.5 * n_let_go
    if n_held >= 2:
        value += 20.0
    elif n_held == 1:
        value += 6.0
    if n_lost >= 2:
        value -= 6.0
    elif n_lost == 1:
        value -= 2.0
    return value


@inlined
def _run_danger(v: np.void, card: int, lost: int) -> float:
    suit, rank = card // N_RANKS * N_RANKS, card % N_RANKS
    theirs = v["their_known"] >> suit & SUIT_BITS
    lost_ranks = lost >> suit & SUIT_BITS
    value, n_open = 0.0, 0
    for low in range(max(rank - 2, 0), min(rank, N_RANKS - 3) + 1):
        others = int64(7) << low & ~(int64(1) << rank)
        if others & lost_ranks:
            continue
        n_open += 1
        n_held = count(others & theirs)
        if n_held == 2:
            value += 20.0
        elif n_held == 1:
            value += 5.0
    return value + (n_open - 2.0 if n_open else -6.0)
