"""The three levels: easy, medium and hard (docs/bots.md).

Kernels of the same form as in `gin_env.bots.baselines`.
"""

import numpy as np

from gin_env.bots.baselines import leave_or_take
from gin_env.bots.common import (
    NO_ACTION,
    completing_cards,
    dearest,
    discards_within,
    end_hand,
    happens,
    least_after,
)
from gin_env.core.actions import DISCARD
from gin_env.core.cards import ALL_BITS, bit, count, lowest
from gin_env.core.heuristics import continuation, danger
from gin_env.core.jit import inlined, int64, kernel
from gin_env.core.meld_tables import MAX_DEADWOOD
from gin_env.core.melds import can_meld
from gin_env.core.state import DISCARD_PHASE, NO_CARD

WORST = 1e9


@kernel
def act_easy(b: np.void, r: np.void, v: np.void, m: np.void) -> int:
    """Medium's idea with a person's mistakes.

    Now and then it overlooks a card worth taking, overlooks that it may knock, keeps its dearest
    card, or forgets which cards it has already seen go by.
    """
    if v["phase"] != DISCARD_PHASE:
        return leave_or_take(v, is_worth_taking(v) and not happens(m, b["mistakes"]))
    if not happens(m, b["mistakes"]) or least_after(v) == 0:
        action = end_hand(r, v, MAX_DEADWOOD)
        if action != NO_ACTION:
            return action
    candidates = discards_within(v, least_after(v) + int64(b["slack"]))
    if happens(m, b["mistakes"]):
        loose = discards_within(v, MAX_DEADWOOD) & ~(v["sets"] | v["runs"])
        others = loose & ~bit(dearest(loose)) if loose else loose
        candidates = others or candidates
    seen_as_unseen = v["unseen"]
    if happens(m, b["mistakes"]):
        seen_as_unseen = int64(ALL_BITS) & ~v["hand"]
    return int64(DISCARD) + _best_by_beginnings(b, v, candidates, seen_as_unseen)


@kernel
def act_medium(b: np.void, r: np.void, v: np.void) -> int:
    """Weighs deadwood and the beginnings of melds, and knocks as soon as it may."""
    if v["phase"] != DISCARD_PHASE:
        return leave_or_take(v, is_worth_taking(v))
    action = end_hand(r, v, MAX_DEADWOOD)
    if action != NO_ACTION:
        return action
    candidates = discards_within(v, least_after(v) + int64(b["slack"]))
    return int64(DISCARD) + _best_by_beginnings(b, v, candidates, v["unseen"])


@kernel
def act_hard(b: np.void, r: np.void, v: np.void) -> int:
    """Also weighs how the hand can go on and what the opponent took openly.

    Knocks in its first turns, and plays for gin later, unless little is missing to win a match.
    """
    if v["phase"] != DISCARD_PHASE:
        return leave_or_take(v, is_worth_taking(v))
    is_closing = r["is_match"] and r["target"] - v["totals"][0] <= b["closing"]
    most = MAX_DEADWOOD if is_closing or v["n_own_turns"] < b["knock_turns"] else 0
    action = end_hand(r, v, most)
    if action != NO_ACTION:
        return action
    candidates = discards_within(v, least_after(v) + int64(b["slack"]))
    return int64(DISCARD) + best_by_outlook(b, v, candidates)


@kernel
def is_worth_taking(v: np.void) -> bool:
    """Whether the face-up card brings gin, or is melded and lowers the deadwood."""
    if not v["can_take"]:
        return False
    least = least_after(v)
    return least == 0 or (least < v["deadwood"] and can_meld(v["discard_candidates"], v["top"]))


@inlined
def best_by_outlook(b: np.void, v: np.void, candidates: int) -> int:
    """The discard of the least `weigh_discard`."""
    best, best_value = int64(NO_CARD), WORST
    while candidates:
        card = lowest(candidates)
        candidates &= candidates - 1
        value = weigh_discard(b, v, card)
        if value < best_value:
            best, best_value = card, value
    return best


@kernel
def weigh_discard(b: np.void, v: np.void, card: int) -> float:
    """Deadwood after a discard, with continuation and danger by their weights; low is good."""
    value: float = v["deadwood_after"][card] + b["danger_weight"] * danger(v, card)
    value += weigh_going_on(b, v) * continuation(v["hand"] & ~bit(card), v["unseen"])
    return value


@kernel
def weigh_going_on(b: np.void, v: np.void) -> float:
    """The weight of continuation, which falls from one own turn to the next."""
    weight: float = b["go_on_weight"] * b["go_on_decay"] ** v["n_own_turns"]
    return weight


@inlined
def _best_by_beginnings(b: np.void, v: np.void, candidates: int, unseen: int) -> int:
    """The discard with the least of deadwood less what the beginnings of melds are worth."""
    best, best_value = int64(NO_CARD), WORST
    while candidates:
        card = lowest(candidates)
        candidates &= candidates - 1
        n_outs = count(completing_cards(v["hand"] & ~bit(card), unseen))
        value = v["deadwood_after"][card] - b["meld_weight"] * n_outs
        if value < best_value:
            best, best_value = card, value
    return best
