"""What the cards that a seat cannot see may be: samples of the other hand and of the stock.

A world is drawn by a Markov chain over the other hand (Metropolis et al. 1953). How likely a hand
is depends on what the opponent did with it for all to see: what he discarded, let lie and took, and
that he has not ended the hand. He is taken for a player like Hard, with some room for error. The
hand of an earlier turn is not known; today's stands in for it, and counts the less the longer ago.
"""

import math
from typing import NamedTuple

import numpy as np

from gin_env.bots.common import happens, is_melded_with, pick_below
from gin_env.core.cards import HAND_SIZE, N_CARDS, N_RANKS, SUIT_BITS, bit, count, lowest
from gin_env.core.jit import inlined, int64, kernel
from gin_env.core.melds import deadwood, least_deadwood_after

N_FIRST_STEPS = 150
"""Steps of the chain before the first world."""
N_STEPS = 12
"""Steps from one world to the next."""

# The weights below were fitted to hands of Hard: they give the cards that the other hand really
# holds the highest probability. All but the first two are in units of log-likelihood.
MEMORY_FACTOR = 0.85
"""What a turn more in the past leaves of the weight of what the opponent did."""
EARLY_TURNS = 5
"""Own turns in which the opponent is expected to knock once he may; later he waits for gin."""
NOT_ENDED = 2.5
"""For a hand that could have been ended."""
NO_USE = 6.5
"""For a card taken that is in no meld; half of it where a partner is held."""
LET_LIE = 3.0
"""For a card let lie that was worth taking."""
DISCARD_ERROR, MOST_ERROR = 0.2, 15
"""For each point of deadwood by which a discard misses the best one, up to so many points."""
PARTNER = 0.6
"""For each partner that a discard leaves behind: its rank, or its suit within two ranks."""
DEADWOOD, MOST_DEADWOOD = 0.01, 50
"""For each point of deadwood and turn, up to so many points: hands get better."""
LONER = 0.2
"""For each card without a partner and turn: such cards go first."""
MOST_TURNS = 7
"""Turns after which hands do not get any better."""


class World(NamedTuple):
    """Where the cards may be that a seat cannot see."""

    cards: np.ndarray
    """Shape [52], int64. First the cards of the other hand that are not known, then the stock in
    drawing order; the rest is not used."""
    weights: np.ndarray
    """Shape [52], float64: how much each card that the opponent discarded or let lie still tells
    about his hand."""
    odds: np.ndarray
    """Shape [1], float64: the log-likelihood of the other hand."""


@inlined
def make_world() -> World:
    """Room for a world."""
    return World(np.zeros(N_CARDS, np.int64), np.zeros(N_CARDS), np.zeros(1))


@kernel
def count_hidden(v: np.void) -> int:
    """How many cards of the other hand a seat does not know. Returns int64."""
    return count(v["unseen"]) - int64(v["n_stock"])


@kernel
def begin_worlds(v: np.void, m: np.void, world: World) -> None:
    """Find some world to begin with.

    Args:
        v: The view of a seat.
        m: The bot's memory, whose random word is used.
        world: Written.
    """
    left, place = v["unseen"], int64(0)
    while left:
        world.cards[place] = lowest(left)
        left &= left - 1
        place += 1
    for card in range(N_CARDS):
        turn = max(int64(v["discard_turn"][0, card]), int64(v["discard_turn"][1, card]))
        world.weights[card] = MEMORY_FACTOR ** ((v["n_turns"] - turn) // 2)
    _shuffle(m, world.cards, int64(0), place)
    world.odds[0] = log_likelihood(v, world.weights, _other_hand(v, world))
    _walk(v, m, world, int64(N_FIRST_STEPS))


@kernel
def next_world(v: np.void, m: np.void, world: World) -> None:
    """Go on to another world; arguments as for `begin_worlds`."""
    _walk(v, m, world, int64(N_STEPS))
    _shuffle(m, world.cards, count_hidden(v), count(v["unseen"]))


@kernel
def _walk(v: np.void, m: np.void, world: World, n_steps: int) -> None:
    """Exchange single cards of the other hand for some of the stock, as their odds say."""
    cards, n_hidden, n_stock = world.cards, count_hidden(v), int64(v["n_stock"])
    if n_hidden == 0 or n_stock == 0:
        return
    hand = _other_hand(v, world)
    for _ in range(n_steps):
        out, into = pick_below(m, n_hidden), n_hidden + pick_below(m, n_stock)
        other = hand ^ bit(cards[out]) ^ bit(cards[into])
        odds = log_likelihood(v, world.weights, other)
        if happens(m, math.exp(min(odds - world.odds[0], 0.0))):
            cards[out], cards[into] = cards[into], cards[out]
            hand, world.odds[0] = other, odds


@kernel
def _shuffle(m: np.void, cards: np.ndarray, first: int, end: int) -> None:
    for place in range(end - 1, first, -1):
        other = first + pick_below(m, place + 1 - first)
        cards[place], cards[other] = cards[other], cards[place]


@kernel
def _other_hand(v: np.void, world: World) -> int:
    hand = int64(v["their_known"])
    for place in range(count_hidden(v)):
        hand |= bit(world.cards[place])
    return hand


@kernel
def log_likelihood(v: np.void, weights: np.ndarray, hand: int) -> float:
    """How likely the opponent did what he did, were this his hand.

    Args:
        v: The view.
        weights: As in `World`.
        hand: Ten cards.

    Returns:
        float64: the logarithm, up to a constant.
    """
    least = deadwood(hand)
    n_turns = int64(v["n_turns"]) - int64(v["n_own_turns"])
    value = 0.0
    if n_turns > 0 and least <= (v["knock_limit"] if n_turns <= EARLY_TURNS else 0):
        value -= NOT_ENDED
    n_loners = HAND_SIZE - count(hand & _partners(hand))
    clutter = DEADWOOD * min(least, MOST_DEADWOOD) + LONER * n_loners
    value -= min(n_turns, MOST_TURNS) * clutter
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
        miss = DISCARD_ERROR * min(error, MOST_ERROR)
        miss += PARTNER * count(hand & _partners(bit(card)))
        value -= weights[card] * miss
    cards = v["their_declined"] & ~v["their_discarded"]
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        if is_melded_with(hand, card) and least_deadwood_after(hand | bit(card)) < least:
            value -= weights[card] * LET_LIE
    return value


@kernel
def _lacks_use(hand: int, card: int) -> float:
    """0 for a card that makes a meld with two others of the hand, 0.5 with a partner, else 1."""
    if is_melded_with(hand & ~bit(card), card):
        return 0.0
    return 0.5 if hand & _partners(bit(card)) else 1.0


@kernel
def _partners(cards: int) -> int:
    """All cards that share a rank with one of these, or a suit within two ranks; not themselves.

    Of several cards, each may be a partner of another one.
    """
    partners = int64(0)
    for suit in range(0, N_CARDS, N_RANKS):
        own = cards >> suit & SUIT_BITS
        partners |= ((own << 1 | own << 2 | own >> 1 | own >> 2) & SUIT_BITS) << suit
        others = int64(0)
        for other in range(0, N_CARDS, N_RANKS):
            if other != suit:
                others |= cards >> other & SUIT_BITS
        partners |= others << suit
    return partners
