"""Melds: deadwood, discards, arrangements and layoffs are exactly those of the slow reference.

How many hands are compared: see tests/hands.py (``GIN_TEST_SCALE``).
"""

from collections import Counter
from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gin_env.core.cards import ALL_BITS, cards_text, to_bits
from gin_env.core.melds import (
    NOT_IN_HAND,
    arrange,
    deadwood,
    deadwood_after,
    defend,
    find_ways,
    layoff_points,
    least_deadwood_after,
    run_cards,
    run_deadwood,
)
from tests.hands import Hand, bits, cards, dense_pair, hands, random_deal, read_cases, sample_size
from tests.reference import melds as slow
from tests.reference.cards import ALL_CARDS, ids, total

N_HANDS = sample_size(50_000)  # of each of the four kinds below
N_DEFENCES = sample_size(20_000)
N_RECORDED = sample_size(2_000)

KINDS = [(size, dense) for size in (10, 11) for dense in (False, True)]
KIND_NAMES = ["10-random", "10-dense", "11-random", "11-dense"]

hand_sets = st.frozensets(st.integers(0, 51), min_size=10, max_size=11)
dense_sets = st.builds(
    lambda seed, size: next(hands(seed, size, 1, dense=True)),
    st.integers(0, 10**9),
    st.sampled_from([10, 11]),
)
any_hands = st.one_of(hand_sets, dense_sets)
examples = settings(max_examples=300, deadline=None, derandomize=True)


def after_each(hand: Hand) -> dict[int, int]:
    """What the kernel says is left after each discard; checks that nothing else is named."""
    after = np.full(52, 99, np.int16)
    deadwood_after(bits(hand), after)
    held = {card: int(after[card]) for card in range(52) if after[card] != NOT_IN_HAND}
    assert held.keys() == hand
    return held


def parts(arrangement: slow.Arrangement) -> tuple[int, int]:
    """The set cards and the run cards of an arrangement, as masks."""
    sets = slow.melded(meld for meld in arrangement if slow.is_set(meld))
    return bits(sets), bits(slow.melded(arrangement) - sets)


# --- Against the reference ---


@pytest.mark.slow
@pytest.mark.parametrize(("size", "dense"), KINDS, ids=KIND_NAMES)
def test_deadwood_is_the_reference_s(size: int, dense: bool) -> None:
    seen: Counter[str] = Counter()
    for hand in hands(size + 100 * dense, size, N_HANDS, dense=dense):
        left = slow.deadwood_after(hand)
        assert deadwood(bits(hand)) == slow.deadwood(hand), cards_text(sorted(hand))
        assert after_each(hand) == left, cards_text(sorted(hand))
        assert least_deadwood_after(bits(hand)) == min(left.values()), cards_text(sorted(hand))
        seen["hands"] += 1
        seen["melded"] += deadwood(bits(hand)) < total(hand)
        seen["choices"] += find_ways(bits(hand), 0)[0] > 1
        seen["gin after a discard"] += min(left.values()) == 0
        seen["all melded"] += deadwood(bits(hand)) == 0
    assert seen["hands"] == N_HANDS
    assert seen["melded"] > N_HANDS * (0.9 if dense else 0.2)
    assert seen["choices"] > N_HANDS * (0.5 if dense else 0.1)
    if dense:
        assert seen["gin after a discard"] > 0
        assert seen["all melded"] > 0


@pytest.mark.slow
@pytest.mark.parametrize(("size", "dense"), KINDS, ids=KIND_NAMES)
def test_arrange_follows_the_tie_rule(size: int, dense: bool) -> None:
    seen: Counter[str] = Counter()
    rng = Random(size + 100 * dense)
    for hand in hands(size + 100 * dense, size, N_HANDS, dense=dense):
        others = sorted(ALL_CARDS - hand)
        unseen = ALL_CARDS - hand - set(rng.sample(others, rng.randint(1, 25)))
        shown = slow.shown_arrangement(hand, unseen)
        sets = arrange(bits(hand), bits(unseen))
        assert (sets, run_cards(bits(hand) & ~sets)) == parts(shown), cards_text(sorted(hand))
        assert run_deadwood(bits(hand) & ~sets) == slow.deadwood(hand)
        points = slow.layoff_points(shown, unseen)
        assert layoff_points(bits(hand), sets, bits(unseen)) == points
        count_ties(hand, unseen, seen)
    assert seen["ties"] > 0
    if dense:
        for what in ("ties", "by layoff points", "by fewest set cards", "by the mask"):
            assert seen[what] >= N_HANDS / 2_000, seen


def count_ties(hand: Hand, unseen: Hand, seen: Counter[str]) -> None:
    """Count what decided between the best arrangements of a hand, where there were several."""
    best = slow.best_arrangements(hand)
    if len(best) == 1:
        return
    keys = [(slow.layoff_points(way, unseen), parts(way)[0].bit_count()) for way in best]
    least = min(keys)
    seen["ties"] += 1
    if sum(points == least[0] for points, _ in keys) == 1:
        seen["by layoff points"] += 1
    elif keys.count(least) == 1:
        seen["by fewest set cards"] += 1
    else:
        seen["by the mask"] += 1


def draw_defences(seed: int, n_pairs: int) -> list[tuple[Hand, Hand]]:
    """Knockers and defenders, meld-dense but for one in eight."""
    rng = Random(seed)
    return [dense_pair(rng) if i % 8 else random_deal(rng).hands for i in range(n_pairs)]


@pytest.mark.slow
def test_defend_leaves_what_the_reference_leaves() -> None:
    seen: Counter[str] = Counter()
    for knocker, held in draw_defences(1, N_DEFENCES):
        shown = slow.shown_arrangement(knocker, ALL_CARDS - knocker)
        left, sets, laid = defend(bits(held), *parts(shown))
        assert left == slow.defend(shown, held), (cards_text(knocker), cards_text(held))
        check_defence(shown, held, left, cards(sets), cards(laid))
        alone = defend(bits(held), 0, 0)
        assert alone[0] == slow.deadwood(held)
        assert alone[2] == 0
        seen["laid off"] += laid != 0
        seen["nothing to lay off"] += laid == 0
        seen["in a chain"] += any(not fits(shown, card) for card in cards(laid))
        seen["own sets"] += sets != 0
        seen["own melds broken up"] += left < left_by_melding_first(shown, held)
    assert min(seen.values()) >= max(1, N_DEFENCES / 1_000), seen


def fits(shown: slow.Arrangement, card: int) -> bool:
    """Tell whether a card can be laid off at once."""
    return any(slow.is_meld(meld | {card}) for meld in shown)


def left_by_melding_first(shown: slow.Arrangement, held: Hand) -> int:
    """What a defender is left with who melds as best he can, and then lays off what remains."""
    dead = [held - slow.melded(way) for way in slow.best_arrangements(held)]
    return min(total(some) - slow.layoff_points(shown, some) for some in dead)


def check_defence(shown: slow.Arrangement, held: Hand, left: int, sets: Hand, laid: Hand) -> None:
    """Check that own sets are sets, that laid-off cards fit, and that the points add up."""
    assert sets | laid <= held
    assert not sets & laid
    for rank in {card % 13 for card in sets}:
        assert slow.is_set(frozenset(card for card in sets if card % 13 == rank))
    assert laid in ways_to_lay_off(shown, laid)
    kept = bits(held - sets - laid)
    assert left == run_deadwood(kept) == total(cards(kept & ~run_cards(kept)))


def test_defend_records_the_first_of_equal_choices() -> None:
    n_equal = 0
    for knocker, held in draw_defences(2, N_RECORDED):
        shown = slow.shown_arrangement(knocker, ALL_CARDS - knocker)
        ways = best_defences(shown, held)
        left, sets, laid = defend(bits(held), *parts(shown))
        found = (left, sets.bit_count(), sets, -laid.bit_count())
        assert found == min(ways), (cards_text(knocker), cards_text(held))
        n_equal += sum(way[0] == left for way in ways) > 1
    assert n_equal >= N_RECORDED / 40


def best_defences(shown: slow.Arrangement, held: Hand) -> list[tuple[int, int, int, int]]:
    """Every defence: deadwood left, set cards (count and mask), and minus the cards laid off."""
    found = []
    for way in slow.ways_of_melding(held):
        if all(slow.is_set(meld) for meld in way):
            sets = bits(slow.melded(way))
            for laid in ways_to_lay_off(shown, held - slow.melded(way)):
                left = run_deadwood(bits(held) & ~sets & ~bits(laid))
                found.append((left, sets.bit_count(), sets, -len(laid)))
    return found


def ways_to_lay_off(shown: slow.Arrangement, rest: Hand) -> set[Hand]:
    """Every set of cards that can be laid off, by growing the melds card by card."""
    laid_on, todo = {shown: frozenset[int]()}, [shown]
    while todo:
        table = todo.pop()
        for meld in table:
            for card in rest - laid_on[table]:
                longer = (table - {meld}) | {meld | {card}}
                if slow.is_meld(meld | {card}) and longer not in laid_on:
                    laid_on[longer] = laid_on[table] | {card}
                    todo.append(longer)
    return set(laid_on.values())


# --- Worked cases ---


def test_deadwood_cases_hold() -> None:
    cases = read_cases("deadwood")
    for case in cases:
        hand = ids(case["hand"])
        assert deadwood(bits(hand)) == case["deadwood"], case
        if len(hand) == 11:
            assert least_deadwood_after(bits(hand)) == case["best_after_discard"], case
            assert min(after_each(hand).values()) == case["best_after_discard"], case
    assert sum("best_after_discard" in case for case in cases) == 100


def test_settle_cases_hold_under_standard() -> None:
    cases = read_cases("settle")
    for case in cases:
        knocker, held = to_bits(case["knocker"]), to_bits(case["defender"])
        sets = arrange(knocker, ALL_BITS & ~knocker)
        left = run_deadwood(knocker & ~sets)
        assert left == case["knocker_deadwood"], case
        table = (sets, run_cards(knocker & ~sets)) if left else (0, 0)
        other = defend(held, *table)[0]
        bonus = 25 if left == 0 else 0
        points = bonus + other - left if left == 0 or other > left else other - left - 25
        assert points in case["points_to_knocker"], case
    assert sum(case["arrangements"] > 1 for case in cases) > 0


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("3s 6s 3c 4c 5c 6c 2d 5d 4h 5h 6h", 10),
        ("3s 4s 5s 6s 6c 4d 5d 6d 3h 4h 5h", 0),
        ("As 2s 3s 4s 2c 4c Ad 2d 4d Ah 2h", 0),
    ],
)
def test_least_deadwood_after_sees_the_whole_hand(hand: str, expected: int) -> None:
    assert least_deadwood_after(to_bits(hand)) == slow.best_after_discard(ids(hand)) == expected
    assert min(after_each(ids(hand)).values()) == expected


@pytest.mark.parametrize(
    ("hand", "unseen", "sets"),
    [
        # The run leaves 14, the sevens 17: nothing to choose.
        ("7s 8s 9s 7h 7d", "6s Ts", ""),
        # Three sets or three runs, nothing left either way: what can be laid off decides.
        ("7s 8s 9s 7h 8h 9h 7d 8d 9d", "7c", ""),
        ("7s 8s 9s 7h 8h 9h 7d 8d 9d", "6s", "7s 8s 9s 7h 8h 9h 7d 8d 9d"),
        # A six is worth less than a seven; with the Ts behind it the 6s is worth more.
        ("7s 8s 9s 7h 8h 9h 7d 8d 9d", "6s 7c", ""),
        ("7s 8s 9s 7h 8h 9h 7d 8d 9d", "6s Ts 7c", "7s 8s 9s 7h 8h 9h 7d 8d 9d"),
        # All the same: the fewest cards in sets.
        ("7s 8s 9s 7h 8h 9h 7d 8d 9d", "", ""),
        # Four sevens, of which either run may take one: the lowest mask, then layoffs decide.
        ("4s 5s 6s 4h 5h 6h 7s 7h 7d 7c", "3s 3h", "7s 7d 7c"),
        ("4s 5s 6s 4h 5h 6h 7s 7h 7d 7c", "8h", "7h 7d 7c"),
        ("4s 5s 6s 4h 5h 6h 7s 7h 7d 7c", "8s 8h", "7s 7h 7d 7c"),
    ],
)
def test_arrange_follows_the_tie_rule_by_hand(hand: str, unseen: str, sets: str) -> None:
    assert arrange(to_bits(hand), to_bits(unseen)) == to_bits(sets)


# --- Properties ---


@examples
@given(any_hands, st.permutations(range(4)))
def test_deadwood_does_not_depend_on_the_names_of_suits(hand: Hand, suits: list[int]) -> None:
    other = frozenset(suits[card // 13] * 13 + card % 13 for card in hand)
    assert deadwood(bits(other)) == deadwood(bits(hand))
    assert least_deadwood_after(bits(other)) == least_deadwood_after(bits(hand))


@examples
@given(any_hands, st.integers(0, 51))
def test_deadwood_grows_by_no_more_than_the_card_added(hand: Hand, card: int) -> None:
    ten = frozenset(sorted(hand - {card})[:10])
    more = ten | {card}
    assert 0 <= deadwood(bits(ten)) <= total(ten)
    assert deadwood(bits(more)) <= deadwood(bits(ten)) + total([card])


@examples
@given(any_hands)
def test_deadwood_after_is_the_deadwood_of_what_is_kept(hand: Hand) -> None:
    after = after_each(hand)
    assert after == {card: deadwood(bits(hand - {card})) for card in hand}
    assert least_deadwood_after(bits(hand)) == min(after.values())


@examples
@given(any_hands, st.integers(0, ALL_BITS))
def test_arrange_always_leaves_the_least_deadwood(hand: Hand, unseen: int) -> None:
    sets = arrange(bits(hand), unseen & ~bits(hand))
    assert cards(sets) <= hand
    assert run_deadwood(bits(hand) & ~sets) == deadwood(bits(hand))


@examples
@given(any_hands, any_hands)
def test_defend_never_leaves_more_than_without_layoffs(one: Hand, other: Hand) -> None:
    held = bits(other - one)
    shown = slow.shown_arrangement(one, ALL_CARDS - one)
    left = defend(held, *parts(shown))[0]
    assert left <= defend(held, 0, 0)[0] == deadwood(held)
    for meld in shown:
        assert left <= defend(held, *parts(shown - {meld}))[0]


def test_deadwood_of_every_small_hand_of_one_suit() -> None:
    n_melded = 0
    for size in range(6):
        for held in combinations(range(13), size):
            assert deadwood(bits(held)) == slow.deadwood(held)
            n_melded += slow.deadwood(held) < total(held)
    assert n_melded > 100
