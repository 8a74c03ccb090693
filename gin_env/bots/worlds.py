"""What the cards that a seat cannot see may be: samples of the other hand and of the stock.

A world is drawn by a Markov chain over the other hand (Metropolis et al. 1953). How likely a hand
is depends on what the opponent did with it for all to see: what he discarded, let lie and took, and
that he has not ended the hand. He is taken for a player like Hard, with some room for error. The
hand of an earlier turn is not known; today's stands in for it, and counts the less the longer ago.
"""

import math

import numpy as np

from gin_env.bots.common import is_melded_with, pick_below
from gin_env.core.cards import ACE_BITS, N_CARDS, N_RANKS, SUIT_BITS, bit, lowest
from gin_env.core.jit import int64, kernel
from gin_env.core.melds import deadwood, least_deadwood_after

N_FIRST_STEPS = 150
"""Steps of the chain before the first world."""
N_STEPS = 12
"""Steps between two worlds."""

MEMORY_FACTOR = 0.85
"""What a turn more in the past takes from the weight of what the opponent did."""
DISCARD_ERROR = 3.0
"""Points of deadwood by which a discard may miss the best for one unit of log-likelihood."""
MOST_ERROR = 15
"""Points beyond which a discard cannot get less likely."""
LET_LIE = 3.0
"""Log-likelihood that letting a card lie costs that was worth taking."""
NO_USE = 5.0
"""Log-likelihood that a card taken costs which is in no meld; half where one partner is held."""
NOT_ENDED = 6.0
"""Log-likelihood that it costs not to have ended the hand when it could have been."""
EARLY_TURNS = 5
"""Own turns in which an opponent is expected to knock once he may; later he waits for gin."""

_SCALE = 1 << 30


@kernel
def list_unseen(v: np.void, cards: np.ndarray) -> int:
    """List the cards that a seat cannot see, the other hand first.

    Args:
        v: The view.
        cards: Shape [52], int64; the first places are written.

    Returns:
        int64: how many of the other hand are not known.
    """
    left = v["unseen"]
    place = int64(0)
    while left:
        cards[place] = lowest(left)
        left &= left - 1
        place += 1
    return place - v["n_stock"]


@kernel
def weigh_past(v: np.void, weights: np.ndarray) -> None:
    """How much each card that the opponent discarded or let lie tells about his hand of today.

    Args:
        v: The view.
        weights: Shape [52], float64; written.
    """
    for card in range(N_CARDS):
        turn = max(int64(v["discard_turn"][0, card]), int64(v["discard_turn"][1, card]))
        weights[card] = MEMORY_FACTOR ** ((v["n_turns"] - turn) // 2)


@kernel
def sample(
    v: np.void, m: np.void, weights: np.ndarray, cards: np.ndarray, odds: tuple[int, int, float]
) -> float:
    """Walk some steps from one other hand to the next, and shuffle the stock.

    Args:
        v: The view.
        m: The bot's memory, whose random word is used.
        weights: As `weigh_past` wrote them.
        cards: Shape [52], int64, as `list_unseen` wrote it; the first are the other hand's, those
            behind them the stock in drawing order.
        odds: How many are the other hand's, how many steps, the log-likelihood of the present hand.

    Returns:
        float64: the log-likelihood of the new hand.
    """
    n_hidden, n_steps, now = odds
    n_stock = int64(v["n_stock"])
    hand = v["their_known"]
    for place in range(n_hidden):
        hand |= bit(cards[place])
    if n_hidden > 0 and n_stock > 0:
        for _ in range(n_steps):
            out, into = pick_below(m, n_hidden), n_hidden + pick_below(m, n_stock)
            other = hand ^ bit(cards[out]) ^ bit(cards[into])
            then = log_likelihood(v, weights, other)
            if then >= now or pick_below(m, _SCALE) < _SCALE * math.exp(then - now):
                cards[out], cards[into] = cards[into], cards[out]
                hand, now = other, then
    for place in range(n_hidden + n_stock - 1, n_hidden, -1):
        other_place = n_hidden + pick_below(m, place + 1 - n_hidden)
        cards[place], cards[other_place] = cards[other_place], cards[place]
    return now


@kernel
def log_likelihood(v: np.void, weights: np.ndarray, hand: int) -> float:
    """How likely the opponent did what he did, were this his hand (up to a constant)."""
    least = deadwood(hand)
    n_turns = int64(v["n_turns"]) - int64(v["n_own_turns"])
    value = 0.0
    if n_turns > 0 and least <= (v["knock_limit"] if n_turns <= EARLY_TURNS else 0):
        value -= NOT_ENDED
    cards = v["their_known"]
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        value -= NO_USE * _lacks_use(hand, card)
    cards = v["their_discarded"] & ~v["their_known"]
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        error = least - least_deadwood_after(hand | bit(card))
        value -= weights[card] * min(error, MOST_ERROR) / DISCARD_ERROR
    cards = v["their_declined"] & ~v["their_discarded"]
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        if is_melded_with(hand, card) and least_deadwood_after(hand | bit(card)) < least:
            value -= weights[card] * LET_LIE
    return value


@kernel
def _lacks_use(hand: int, card: int) -> float:
    """0 for a card that can be melded with two others of the hand, 0.5 with one at hand, else 1."""
    if is_melded_with(hand & ~bit(card), card):
        return 0.0
    suit, rank = card // N_RANKS * N_RANKS, card % N_RANKS
    ranks = hand >> suit & SUIT_BITS
    near = ranks & ((int64(31) << rank) >> 2) & ~(int64(1) << rank)
    same = hand & (int64(ACE_BITS) << rank) & ~bit(card)
    return 0.5 if near | same else 1.0
