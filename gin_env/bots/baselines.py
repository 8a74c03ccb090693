"""Published yardsticks: random, simple and greedy play (docs/bots.md).

Every bot is one kernel of what it needs out of ``(b, r, v, m)``: its options (`BOT_DTYPE`), the
rules, its seat's view, and its memory (`MEMORY_DTYPE`), the only thing it may write.
"""

import numpy as np

from gin_env.bots.common import (
    NO_ACTION,
    dearest,
    discards_within,
    end_hand,
    is_melded_with,
    least_after,
    pick_below,
    pick_card,
)
from gin_env.core.actions import DISCARD, DRAW, KNOCK, N_ACTIONS, PASS, TAKE
from gin_env.core.cards import N_CARDS, bit, lowest
from gin_env.core.jit import inlined, int64, kernel
from gin_env.core.meld_tables import MAX_DEADWOOD
from gin_env.core.state import DISCARD_PHASE, OFFER
from gin_env.core.step import legal_mask


@kernel
def act_random(r: np.void, v: np.void, m: np.void) -> int:
    """Any legal action, each with the same chance."""
    mask = m["mask"]
    legal_mask(r, v, mask)
    n_legal = int64(0)
    for action in range(N_ACTIONS):
        n_legal += mask[action]
    place = pick_below(m, n_legal)
    for action in range(N_ACTIONS):
        place -= mask[action]
        if place < 0:
            return int64(action)
    return int64(NO_ACTION)


@kernel
def act_simple(r: np.void, v: np.void, m: np.void) -> int:
    """The yardstick of the 2021 challenge.

    Takes the face-up card if it makes any meld; discards one of the cards that leave least
    deadwood, at random, but no pair of drawn and discarded card twice; knocks as soon as it may.
    """
    if v["phase"] != DISCARD_PHASE:
        return leave_or_take(v, v["can_take"] and is_melded_with(v["hand"], v["top"]))
    if v["n_own_turns"] == 0:
        for card in range(N_CARDS):
            m["tried"][card] = 0
    action = end_hand(r, v, MAX_DEADWOOD)
    if action != NO_ACTION:
        if action >= KNOCK and action < DRAW:
            return int64(KNOCK) + pick_card(m, discards_within(v, least_after(v)))
        return action
    card = pick_card(m, _untried(v, m))
    m["tried"][v["drawn"]] |= bit(card)
    m["tried"][card] |= bit(v["drawn"])
    return int64(DISCARD) + card


@kernel
def act_greedy(r: np.void, v: np.void) -> int:
    """Takes the face-up card if that lowers the deadwood, discards for least, knocks at once."""
    if v["phase"] != DISCARD_PHASE:
        return leave_or_take(v, v["can_take"] and least_after(v) < v["deadwood"])
    action = end_hand(r, v, MAX_DEADWOOD)
    if action != NO_ACTION:
        return action
    return int64(DISCARD) + dearest(discards_within(v, least_after(v)))


@kernel
def leave_or_take(v: np.void, is_wanted: bool) -> int:
    """Take the face-up card, or let it lie: pass in the offer, draw from the stock later."""
    if is_wanted:
        return int64(TAKE)
    return int64(PASS) if v["phase"] == OFFER else int64(DRAW)


@inlined
def _untried(v: np.void, m: np.void) -> int:
    """The discards of least deadwood among those not yet tried for the card drawn."""
    tried = m["tried"][v["drawn"]]
    least, found = int64(MAX_DEADWOOD), int64(0)
    cards = v["discard_candidates"] & ~tried
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        after = v["deadwood_after"][card]
        if 0 <= after < least:
            least, found = int64(after), int64(0)
        if after == least:
            found |= bit(card)
    return found or discards_within(v, least_after(v))
