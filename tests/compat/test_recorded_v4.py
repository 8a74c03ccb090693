"""Hands that PettingZoo 1.26.1 played, played again: where the rules agree, so do the masks.

tests/compat/record_v4.py recorded them. The old game dealt the non-dealer eleven cards and offered
nothing. Here one of the eleven is laid out as the upcard, and is taken: the same cards everywhere,
except that this one counts as just taken in the first turn, and as known to the dealer.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from gin_env.compat.gin_rummy_v4 import (
    DEAD_HAND,
    DISCARD,
    GIN,
    KNOCK,
    N_ACTIONS,
    PLANES,
    SCORE_PLAYER_0,
    SCORE_PLAYER_1,
    TAKE,
    GinRummyV4,
)
from gin_env.core.state import Ending
from gin_env.values.result import HandResult, read_result
from tests import ROOT
from tests.compat.tables import AGENTS, lay
from tests.reference import melds as reference

FILE = ROOT / "tests" / "data" / "gin_rummy_v4.npz"
PAGE = ROOT / "docs" / "migrating.md"
N_HANDS = 1_000
KNOCK_LIMIT = 10
THEIR_KNOWN = PLANES.index("cards that the opponent took from the pile and still holds")
POINTS = dict(zip("A23456789TJQK", [*range(1, 11), 10, 10, 10], strict=True))
NOT_FOUND = -1

MASKS = {
    "the same": 83_953,
    "the card that stands for the upcard": 1_000,
    "a knock with the card just taken": 141,
    "gin is not forced": 52,
    "recorded, not legal: knock": 34,
    "after the last discard": 1_487,
    "a scoring move": 1_932,
}
"""How the masks of all decisions compare; after a recorded action that is not legal here, none."""

PAY = {
    "the same: knock": 285,
    "the same: gin": 52,
    "the same: dead": 258,
    "less after layoffs": 128,
    "an undercut": 9,
    "played on from the pile": 234,
    "not played to the end": 34,
}
"""How what all hands paid compares."""


class Recorded(NamedTuple):
    """One hand as the old environment played it."""

    dealer: int
    deck: list[int]
    """The non-dealer's eleven cards, the dealer's ten, the stock in drawing order."""
    actions: list[int]
    masks: np.ndarray
    """Shape [T, 110], uint8."""
    rewards: tuple[float, float]
    planes: np.ndarray
    """Shape [T, 4, 52], uint8; empty for most hands."""


@cache
def recorded() -> tuple[Recorded, ...]:
    with np.load(FILE, allow_pickle=False) as file:
        data = {name: file[name] for name in file.files}
    masks = data["masks"]
    for start in range(4):
        masks[start::4] = np.bitwise_xor.accumulate(masks[start::4], axis=0)
    masks = np.unpackbits(masks, axis=1, count=N_ACTIONS)
    planes = np.unpackbits(data["planes"], axis=1).reshape(-1, 4, 52)
    ends = np.cumsum(data["n_actions"], dtype=np.int64).tolist()
    return tuple(
        Recorded(
            dealer=int(data["dealers"][number]),
            deck=data["decks"][number].tolist(),
            actions=data["actions"][start:end].tolist(),
            masks=masks[start:end],
            rewards=(data["rewards"][number, 0] / 100, data["rewards"][number, 1] / 100),
            planes=planes[start:end] if end <= len(planes) else planes[:0],
        )
        for number, (start, end) in enumerate(zip([0, *ends], ends, strict=False))
    )


def card_of(action: int) -> int:
    """The card of a discard or knock by its old id; `NOT_FOUND` for other actions."""
    if action < DISCARD:
        return NOT_FOUND
    return action - (KNOCK if action >= KNOCK else DISCARD)


def set_out(hand: Recorded) -> tuple[GinRummyV4, int]:
    """The same cards on our table, the upcard taken, and which card that is."""
    upcard = next(card for card in hand.deck if card != card_of(hand.actions[0]))
    eleven, ten, stock = hand.deck[:11], hand.deck[11:21], hand.deck[21:]
    eleven.remove(upcard)
    hands = (ten, eleven) if hand.dealer == 0 else (eleven, ten)
    env = GinRummyV4()
    lay(env, hand.dealer, [*hands[0], *hands[1], upcard, *stock])
    env.step(TAKE)
    return env, upcard


def result_of(env: GinRummyV4) -> HandResult:
    result = read_result(env._rules[0], env._game[0])
    assert result is not None
    return result


def ids(mask: np.ndarray) -> set[int]:
    return set(np.flatnonzero(mask).tolist())


def ways_out(cards: set[int], taken: int) -> set[int]:
    """What our rules allow with eleven cards, by the old ids and the slow reference."""
    legal = {DISCARD + card for card in cards - {taken}}
    for card, left in reference.deadwood_after(cards).items():
        if card != taken and left <= KNOCK_LIMIT:
            legal.add(KNOCK + card if left else GIN)
    return legal


def explain(theirs: set[int], ours: set[int], cards: set[int], taken: int, is_first: bool) -> str:
    """Why two masks of a discard differ, checked to the last action."""
    assert ours == ways_out(cards, taken)
    if theirs == {GIN}:
        return "gin is not forced" if GIN in ours else "gin only with the card just taken"
    assert taken != NOT_FOUND
    closed = {KNOCK + taken, DISCARD + taken} if is_first else {KNOCK + taken}
    assert theirs - ours == theirs & closed
    assert ours <= theirs
    return "the card that stands for the upcard" if is_first else "a knock with the card just taken"


@cache
def replayed() -> list[tuple[list[str], str]]:
    """How all hands compare that are played again."""
    return [replay(hand) for hand in recorded()]


def replay(hand: Recorded) -> tuple[list[str], str]:
    """Play a hand again as far as our rules go.

    Returns:
        How the masks of each decision compare, and what both environments paid.
    """
    env, taken = set_out(hand)
    masks = list[str]()
    for number, (action, mask) in enumerate(zip(hand.actions, hand.masks, strict=True)):
        theirs = ids(mask)
        if env.terminations["player_0"]:
            return [*masks, *explain_rest(hand, number)], compare_pay(env, hand, number)
        assert env.agent_selection == mover_of(hand, number)
        seen = env.observe(env.agent_selection)
        ours, planes = ids(seen["action_mask"]), seen["observation"]
        if ours == theirs:
            masks.append("the same")
        else:
            masks.append(explain(theirs, ours, ids(planes[0]), taken, is_first=number == 0))
        if action not in ours:
            masks.append(f"recorded, not legal: {'gin' if action == GIN else 'knock'}")
            return masks, "not played to the end"
        taken = int(planes[1].argmax()) if action == TAKE else NOT_FOUND
        env.step(action)
    raise AssertionError("the hand has not ended")


def mover_of(hand: Recorded, number: int) -> str:
    """Who makes an action before the end: one for the first turn, then two a turn."""
    return AGENTS[(1 - hand.dealer + (number + 1) // 2) % 2]


def explain_rest(hand: Recorded, number: int) -> Iterator[str]:
    """What the old game goes on to ask where our hand is over."""
    rest = [ids(mask) for mask in hand.masks[number:]]
    assert rest[-2:] == [{SCORE_PLAYER_0}, {SCORE_PLAYER_1}]
    if hand.actions[number - 1] == GIN or hand.actions[number - 1] >= KNOCK:
        assert len(rest) == 2
    else:
        assert DEAD_HAND in rest[0]
        yield from ["after the last discard"] * (len(rest) - 2)
    yield from ["a scoring move"] * 2


def compare_pay(env: GinRummyV4, hand: Recorded, n_played: int) -> str:
    """Say how what both environments paid for a hand compares."""
    result = result_of(env)
    ours, theirs = tuple(env.rewards[agent] for agent in AGENTS), hand.rewards
    if result.ending == Ending.DEAD and hand.actions[n_played] != DEAD_HAND:
        return "played on from the pile"
    if ours == theirs:
        return f"the same: {result.ending.name.lower()}"
    knocker = result.knocker
    assert knocker is not None
    assert theirs[knocker] == 0.5
    defender = 1 - knocker
    if result.ending == Ending.UNDERCUT:
        assert ours[defender] == 0.5
        assert ours[knocker] == -result.deadwoods[knocker] / 100
        return "an undercut"
    assert ours[knocker] == theirs[knocker]
    laid_off = sum(POINTS[layoff.card[0]] for layoff in result.layoffs)
    assert result.layoffs
    assert theirs[defender] < ours[defender] <= theirs[defender] + laid_off / 100 + 1e-9
    return "less after layoffs"


def compare_planes(hand: Recorded) -> Counter[str]:
    """Play a hand again; count the planes that are the same, and those that differ."""
    env, upcard = set_out(hand)
    counts = Counter[str]()
    for action, theirs in zip(hand.actions, hand.planes, strict=True):
        mover = env.agent_selection
        seen = env.observe(mover)
        if env.terminations["player_0"] or not seen["action_mask"][action]:
            break
        differs = np.argwhere(seen["observation"] != theirs).tolist()
        if differs:
            assert mover == AGENTS[hand.dealer]
            assert differs == [[THEIR_KNOWN, upcard]]
            counts["the card that stands for the upcard"] += 1
        else:
            counts["the same"] += 1
        env.step(action)
    return counts


@pytest.mark.slow
def test_masks_agree_wherever_the_rules_do() -> None:
    assert len(recorded()) == N_HANDS
    assert Counter(reason for masks, _ in replayed() for reason in masks) == MASKS


@pytest.mark.slow
def test_rewards_agree_wherever_the_rules_do() -> None:
    assert Counter(pay for _, pay in replayed()) == PAY


def test_every_recorded_decision_is_accounted_for() -> None:
    n_stopped = MASKS["recorded, not legal: knock"]
    compared = sum(MASKS.values()) - n_stopped
    assert compared + 2 * n_stopped == sum(len(hand.actions) for hand in recorded())
    assert sum(PAY.values()) == N_HANDS


def test_docs_tell_these_figures() -> None:
    page = PAGE.read_text(encoding="utf-8")
    same = sum(count for reason, count in PAY.items() if reason.startswith("the same"))
    n_decisions = sum(len(hand.actions) for hand in recorded())
    differing = [count for reason, count in PAY.items() if not reason.startswith("the same")]
    for count in (n_decisions, same, *differing, *MASKS.values()):
        assert re.search(rf"(?<![\d,]){count:,}(?![\d,]\d)", page), count


def test_planes_agree_but_for_the_upcard() -> None:
    with_planes = [hand for hand in recorded() if len(hand.planes)]
    counts = sum((compare_planes(hand) for hand in with_planes), Counter[str]())
    assert len(with_planes) == 25
    assert counts == {"the same": 1_769, "the card that stands for the upcard": 528}
