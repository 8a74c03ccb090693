"""What the bots share: their random choices, ending a hand, and picking among discards."""

import numpy as np

from gin_env.core.actions import BIG_GIN, KNOCK
from gin_env.core.cards import N_CARDS, N_RANKS, SUIT_BITS, bit, count, lowest
from gin_env.core.heuristics import completing_runs, completing_sets
from gin_env.core.jit import int64, kernel
from gin_env.core.meld_tables import MAX_DEADWOOD
from gin_env.core.rules import NO_BIG_GIN
from gin_env.core.state import NO_CARD, draw_below, next_word

NO_ACTION = -1
_CHANCE_SCALE = 1 << 30


@kernel
def pick_below(m: np.void, n: int) -> int:
    """A whole number from 0 to n - 1 by the bot's own random word. Returns int64."""
    m["rng_state"] = next_word(m["rng_state"])
    return draw_below(m["rng_state"], n)


@kernel
def happens(m: np.void, chance: float) -> bool:
    """Whether something that happens with ``chance`` happens now."""
    return pick_below(m, _CHANCE_SCALE) < chance * _CHANCE_SCALE


@kernel
def pick_card(m: np.void, cards: int) -> int:
    """One card of a set that is not empty, each with the same chance. Returns int64."""
    for _ in range(pick_below(m, count(cards))):
        cards &= cards - 1
    return lowest(cards)


@kernel
def least_after(v: np.void) -> int:
    """Least deadwood after a discard that may come next. Returns int64, points."""
    least = int64(MAX_DEADWOOD)
    cards = v["discard_candidates"]
    while cards:
        after = v["deadwood_after"][lowest(cards)]
        cards &= cards - 1
        if 0 <= after < least:
            least = int64(after)
    return least


@kernel
def discards_within(v: np.void, most: int) -> int:
    """The cards whose discard leaves at most so much deadwood. Returns int64, cards."""
    found = int64(0)
    cards = v["discard_candidates"]
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        if 0 <= v["deadwood_after"][card] <= most:
            found |= bit(card)
    return found


@kernel
def dearest(cards: int) -> int:
    """The card of most points; among equals the one of highest rank, then the lowest id."""
    best = int64(NO_CARD)
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        if best == NO_CARD or card % N_RANKS > best % N_RANKS:
            best = card
    return best


@kernel
def end_hand(r: np.void, v: np.void, most: int) -> int:
    """Big gin if it may be declared, else a knock that leaves least, if that is at most ``most``.

    Returns:
        int64: the action, or `NO_ACTION` where the hand cannot be ended so.
    """
    if v["deadwood"] == 0 and r["big_gin_bonus"] != NO_BIG_GIN:
        return int64(BIG_GIN)
    least = least_after(v)
    if least > min(most, v["knock_limit"]):
        return int64(NO_ACTION)
    return int64(KNOCK) + dearest(discards_within(v, least))


@kernel
def is_melded_with(hand: int, card: int) -> bool:
    """Whether some three of the cards, the given one among them, make a meld."""
    rank, suit = card % N_RANKS, card // N_RANKS * N_RANKS
    n_same = int64(0)
    for other in range(rank, N_CARDS, N_RANKS):
        n_same += hand >> other & 1
    ranks = (hand | bit(card)) >> suit & SUIT_BITS
    in_block = ranks & ranks >> 1 & ranks >> 2
    starts = 7 << max(rank - 2, 0) & (2 << rank) - 1
    n_others = n_same - (hand >> card & 1)
    return n_others >= 2 or in_block & starts != 0


@kernel
def completing_cards(hand: int, unseen: int) -> int:
    """Cards of ``unseen`` that would make a meld with two cards of the hand. Returns int64."""
    return (completing_sets(hand) | completing_runs(hand)) & unseen & ~hand
