"""What a player can work out about a discard: how the hand goes on, and whom it feeds.

These are heuristics of strong play, not rules; bots and the optional observation blocks use them.
"""

import numpy as np

from gin_env.core.cards import (
    ACE_BITS,
    CARD_POINTS,
    N_CARDS,
    N_RANKS,
    SUIT_BITS,
    bit,
    count,
    lowest,
)
from gin_env.core.jit import inlined, int64, kernel
from gin_env.core.melds import (
    best_run_drop,
    deadwood,
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
    to_run = completing_runs(hand) & unseen
    to_set = completing_sets(hand) & unseen & ~to_run
    again, kept = deadwood(hand), least_deadwood_after(hand)
    best = (int64(0), int64(0))
    tried = to_run
    if triple_ranks(hand):
        tried |= to_set
    else:
        ranks = pair_ranks(hand)
        while ranks:  # the first set of a hand: which card makes it is all the same
            rank = lowest(ranks)
            ranks &= ranks - 1
            column = int64(ACE_BITS) << rank
            rest = hand & ~column
            value = min(again, kept + CARD_POINTS[rank], run_deadwood(rest) - best_run_drop(rest))
            for _ in range(count(to_set & column)):
                best = _keep_lowest(best, value)
    while tried:
        card = tried & -tried
        tried ^= card
        best = _keep_lowest(best, least_deadwood_after(hand | card))
    idle = unseen & ~(to_run | to_set)
    for rank in range(N_RANKS):
        value = _least_with_idle(again, kept, rank)
        if _is_too_high(best, value):
            break
        for _ in range(count(idle >> rank & ACE_BITS)):
            best = _keep_lowest(best, value)
    return _mean(best)


@kernel
def winning_draws(hand: int, unseen: int, limit: int) -> tuple[int, int]:
    """How many cards would let the hand go gin, or knock, were they drawn next.

    Args:
        hand: Ten cards, as they would be after a discard.
        unseen: The cards that may come.
        limit: The most deadwood to knock with, points.

    Returns:
        Two int64: the unseen cards after which some discard leaves no deadwood, and those after
        which one leaves ``limit`` points at most.
    """
    to_meld = (completing_runs(hand) | completing_sets(hand)) & unseen
    again, kept = deadwood(hand), least_deadwood_after(hand)
    n_gin, n_knock = int64(0), int64(0)
    idle = unseen & ~to_meld
    for rank in range(N_RANKS):
        least = _least_with_idle(again, kept, rank)
        n_cards = count(idle >> rank & ACE_BITS)
        n_gin += n_cards * (least == 0)
        n_knock += n_cards * (least <= limit)
    while to_meld:
        card = to_meld & -to_meld
        to_meld ^= card
        least = least_deadwood_after(hand | card)
        n_gin += int64(least == 0)
        n_knock += int64(least <= limit)
    return n_gin, n_knock


@inlined
def _least_with_idle(again: int, kept: int, rank: int) -> int:
    """Least deadwood after drawing a card that melds with nothing, from the hand's two deadwoods.

    It is discarded again, or kept in place of a dearer one.
    """
    return min(again, kept + int64(CARD_POINTS[rank]))


@kernel
def completing_runs(hand: int) -> int:
    """The cards that make a run of three with two cards of the hand. Returns int64, cards."""
    cards = int64(0)
    for suit in range(0, N_CARDS, N_RANKS):
        ranks = hand >> suit & SUIT_BITS
        beside = ranks << 1 & ranks << 2 | ranks >> 1 & ranks >> 2 | ranks << 1 & ranks >> 1
        cards |= (beside & SUIT_BITS) << suit
    return cards


@kernel
def completing_sets(hand: int) -> int:
    """The cards of ranks that the hand holds twice or more, its own included. Returns int64."""
    return pair_ranks(hand) * int64(ACE_BITS)  # the product repeats the ranks in every suit


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
def _is_too_high(best: tuple[int, int], value: int) -> bool:
    """Whether there are seven, and none of them is higher than the value."""
    return best[1] >> 8 * (N_BEST_DRAWS - 1) <= value and best[0] == N_BEST_DRAWS


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
    lost = (v["hand"] | v["out_of_play"]) & ~bit(card)
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
