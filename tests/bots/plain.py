"""The bots' rules of play once more, plainly: sets of cards, and the reference's melds.

Nothing here is taken from `gin_env.core.melds`, `gin_env.core.heuristics` or `gin_env.bots`.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from gin_env.core.actions import BIG_GIN, DISCARD, DRAW, KNOCK, PASS, TAKE
from gin_env.core.rules import Rules
from gin_env.core.state import Phase
from tests.hands import Hand, cards
from tests.reference import melds
from tests.reference.cards import ALL_CARDS, rank, suit, total

NOTHING = frozenset[int]()


class Seen(NamedTuple):
    """What a seat knows, as sets of cards."""

    rules: Rules
    phase: Phase
    hand: Hand
    top: int | None = None  # what it could take now
    drawn: int | None = None
    forbidden: int | None = None
    unseen: Hand = NOTHING
    gone: Hand = NOTHING  # pile, or out of the game
    theirs: Hand = NOTHING  # taken openly by the opponent, and still held
    let_go: Hand = NOTHING  # discarded by the opponent, or left lying
    limit: int = 10
    turn: int = 1  # the seat's own, from 1


def read(rules: Rules, view: np.void) -> Seen:
    """Read a view."""
    return Seen(
        rules,
        Phase(view["phase"]),
        cards(view["hand"]),
        int(view["top"]) if view["can_take"] else None,
        int(view["drawn"]) if view["drawn"] >= 0 else None,
        int(view["just_taken"]) if view["just_taken"] >= 0 else None,
        cards(view["unseen"]),
        cards(view["out_of_play"]),
        cards(view["their_known"]),
        cards(view["their_discarded"]) | cards(view["their_declined"]),
        int(view["knock_limit"]),
        int(view["n_own_turns"]) + 1,
    )


@lru_cache(maxsize=200_000)
def deadwood(hand: Hand) -> int:
    """Least deadwood of a hand."""
    return melds.deadwood(hand)


def after(seen: Seen) -> dict[int, int]:
    """Deadwood after each discard that may come next: now, or once the face-up card is taken."""
    held, kept = seen.hand, seen.forbidden
    if seen.phase != Phase.DISCARD:
        if seen.top is None:
            return {}
        held, kept = seen.hand | {seen.top}, seen.top
        kept = None if seen.rules.may_return_taken else seen.top
    return {card: deadwood(held - {card}) for card in sorted(held) if card != kept}


def least(left: dict[int, int]) -> Hand:
    """The discards that leave least."""
    return frozenset(card for card in left if left[card] == min(left.values()))


def dearest(some: Iterable[int]) -> int:
    """The card of highest rank, the lowest id among equals: it is of most points, too."""
    return max(some, key=lambda card: (total([card]), rank(card), -card))


def ends_with(seen: Seen, most: int = 10) -> int | None:
    """Big gin, or the knock that leaves least, where that is no more than ``most``."""
    if seen.rules.big_gin_bonus is not None and deadwood(seen.hand) == 0:
        return BIG_GIN
    left = after(seen)
    if min(left.values()) <= min(most, seen.limit):
        return KNOCK + dearest(least(left))
    return None


def leaves_or_takes(seen: Seen, is_wanted: bool) -> int:
    """Take the face-up card, or let it lie."""
    if is_wanted:
        return TAKE
    return PASS if seen.phase == Phase.OFFER else DRAW


def makes_meld(hand: Hand, card: int) -> bool:
    """Whether the card makes any meld with cards of the hand."""
    return any(card in meld for meld in melds.all_melds(hand | {card}))


# --- simple and greedy ---


def simple_choices(seen: Seen, tried: set[frozenset[int | None]]) -> set[int]:
    """The actions that `simple` chooses from, each as likely; ``tried``: pairs of this hand."""
    if seen.phase != Phase.DISCARD:
        is_wanted = seen.top is not None and makes_meld(seen.hand, seen.top)
        return {leaves_or_takes(seen, is_wanted)}
    ending = ends_with(seen)
    left = after(seen)
    if ending == BIG_GIN:
        return {BIG_GIN}
    if ending is not None:
        return {KNOCK + card for card in least(left)}
    fresh = {card: left[card] for card in left if frozenset({seen.drawn, card}) not in tried}
    return {DISCARD + card for card in least(fresh or left)}


def greedy_choice(seen: Seen) -> int:
    """What `greedy` does."""
    left = after(seen)
    if seen.phase != Phase.DISCARD:
        return leaves_or_takes(seen, bool(left) and min(left.values()) < deadwood(seen.hand))
    ending = ends_with(seen)
    return DISCARD + dearest(least(left)) if ending is None else ending


# --- The levels ---


def is_worth_taking(seen: Seen) -> bool:
    """It brings gin; or a best arrangement of eleven melds it, and the deadwood falls."""
    left = after(seen)
    if seen.top is None or not left:
        return False
    if min(left.values()) == 0:
        return True
    ways = melds.least_ways(seen.hand | {seen.top})
    is_melded = any(seen.top in melds.melded(way) for way in ways)
    return is_melded and min(left.values()) < deadwood(seen.hand)


def outs(hand: Hand, unseen: Hand) -> Hand:
    """Unseen cards that would make a meld of three with two cards of the hand."""
    return frozenset(
        out
        for out in unseen - hand
        if any(len(meld) == 3 and out in meld for meld in melds.all_melds(hand | {out}))
    )


def medium_value(seen: Seen, card: int, meld_weight: float = 1.0) -> float:
    """What `medium` weighs a discard by: least is best."""
    return after(seen)[card] - meld_weight * len(outs(seen.hand - {card}, seen.unseen))


def hard_value(seen: Seen, card: int) -> float:
    """What `hard` weighs a discard by: least is best."""
    going_on = 11 * 0.9 ** (seen.turn - 1) * continuation(seen.hand - {card}, seen.unseen)
    return after(seen)[card] + going_on + danger(seen, card)


def level_choices(
    seen: Seen, value: Callable[[Seen, int], float], most: int = 10, slack: int = 5
) -> set[int]:
    """What a level may do: its one choice, or a few where their values are as good as equal."""
    if seen.phase != Phase.DISCARD:
        return {leaves_or_takes(seen, is_worth_taking(seen))}
    ending = ends_with(seen, most)
    if ending is not None:
        return {ending}
    left = after(seen)
    values = {card: value(seen, card) for card in left if left[card] <= min(left.values()) + slack}
    return {DISCARD + card for card in values if values[card] <= min(values.values()) + 1e-9}


def worst_choices(seen: Seen, loose: Hand) -> set[int]:
    """What `easy` may do where it makes every mistake; ``loose``: the cards that it shows as such.

    It takes nothing, knocks with gin only, keeps its dearest loose card, and forgets what went by.
    """
    if seen.phase != Phase.DISCARD:
        return {leaves_or_takes(seen, False)}
    left = after(seen)
    if min(left.values()) == 0:
        ending = ends_with(seen)
        return set() if ending is None else {ending}
    may_go = loose & left.keys()
    others = may_go - {dearest(may_go)} if may_go else may_go
    some = others or {card for card in left if left[card] <= min(left.values()) + 5}
    forgetful = seen._replace(unseen=ALL_CARDS - seen.hand)
    values = {card: medium_value(forgetful, card) for card in some}
    return {DISCARD + card for card in values if values[card] <= min(values.values()) + 1e-9}


def melded_cards(view: np.void) -> Hand:
    """The cards that the shown arrangement melds."""
    return cards(view["sets"]) | cards(view["runs"])


# --- The outlook ---


def continuation(hand: Hand, unseen: Iterable[int]) -> float:
    """The mean of the seven least: what is left after one more draw and the best discard."""
    left = sorted(
        min(deadwood((hand | {drawn}) - {card}) for card in hand | {drawn}) for drawn in unseen
    )[:7]
    return sum(left) / len(left) if left else 0.0


def danger(seen: Seen, card: int) -> float:
    """How much a discard is likely to help the opponent."""
    out_of_reach = (seen.hand | seen.gone) - {card}
    same_rank = {other for other in range(52) if rank(other) == rank(card)} - {card}
    value = -1.5 * len(same_rank & seen.let_go)
    value += (0, 6, 20, 20)[len(same_rank & seen.theirs)]
    value -= (0, 2, 6, 6)[len(same_rank & out_of_reach)]
    runs = [{low, low + 1, low + 2} for low in range(52 - 2) if suit(low) == suit(low + 2)]
    possible = [run - {card} for run in runs if card in run]
    possible = [pair for pair in possible if not pair & out_of_reach]
    value += sum((0, 5, 20)[len(pair & seen.theirs)] for pair in possible)
    return value + (len(possible) - 2 if possible else -6)
