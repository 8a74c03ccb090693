"""The reference's melds must be right before anything is compared with them."""

import random
from typing import Any

import pytest

from tests.hands import read_cases
from tests.reference.cards import ALL_CARDS, card, ids, listed, text, total
from tests.reference.melds import (
    Arrangement,
    all_melds,
    best_after_discard,
    best_arrangements,
    deadwood,
    defend,
    layoff_points,
    least_ways,
    melded,
    shown_arrangement,
)


def melds(*names: str) -> Arrangement:
    """Read an arrangement, one text a meld."""
    return frozenset(ids(name) for name in names)


# --- Cards, melds and deadwood ---


def test_cards_follow_the_documented_order() -> None:
    assert listed("As Ks Ah Ad Ac Kc") == [0, 12, 13, 26, 39, 51]
    assert text(ids("Kc As Td")) == "As Td Kc"
    assert total(ids("As 9h Td Jd Qd Kd")) == 50


def test_cards_named_twice_are_an_error() -> None:
    with pytest.raises(ValueError, match="named twice"):
        ids("As As")


def test_melds_are_found_inside_longer_ones() -> None:
    assert set(all_melds(ids("As 2s 3s 4s"))) == melds("As 2s 3s", "2s 3s 4s", "As 2s 3s 4s")
    assert len(all_melds(ids("7s 7h 7d 7c"))) == 5


def test_best_after_discard_obeys_the_forbidden_card() -> None:
    hand = ids("As 2s 3s 4h Kd")
    assert best_after_discard(hand) == 4
    assert best_after_discard(hand, card("Kd")) == 10


@pytest.mark.parametrize("case", read_cases("deadwood"), ids=lambda case: case["hand"])
def test_deadwood_cases(case: dict[str, Any]) -> None:
    hand = ids(case["hand"])
    assert deadwood(hand) == case["deadwood"]
    if len(hand) == 11:
        assert best_after_discard(hand) == case["best_after_discard"]


# --- Arrangements and layoffs ---


def test_best_arrangements_merge_runs_that_touch() -> None:
    assert best_arrangements(ids("4s 5s 6s 7s 8s 9s")) == [melds("4s 5s 6s 7s 8s 9s")]
    assert len(least_ways(ids("4s 5s 6s 7s 8s 9s"))) == 2


def test_best_arrangements_list_every_equal_way() -> None:
    sets, runs = (
        melds("3s 3h 3d", "4s 4h 4d", "5s 5h 5d"),
        melds("3s 4s 5s", "3h 4h 5h", "3d 4d 5d"),
    )
    assert set(best_arrangements(ids("3s 3h 3d 4s 4h 4d 5s 5h 5d"))) == {sets, runs}


def test_layoff_points_count_each_card_once() -> None:
    shown = melds("2s 3s 4s", "7s 8s 9s", "5h 5d 5c")
    # 5s fits the set and the first run, 6s comes from either side, As and Ts to Ks end the chains.
    assert layoff_points(shown, ALL_CARDS - melded(shown) - ids("Js")) == 1 + 5 + 6 + 10
    assert layoff_points(shown, ids("As 5s Ts Js Qs Kh")) == 1 + 5 + 10 + 10 + 10
    assert layoff_points(shown, ids("6h Kh")) == 0


def test_shown_arrangement_prefers_the_fewest_layoff_points() -> None:
    hand = ids("3s 3h 3d 4s 4h 4d 5s 5h 5d")
    sets, runs = (
        melds("3s 3h 3d", "4s 4h 4d", "5s 5h 5d"),
        melds("3s 4s 5s", "3h 4h 5h", "3d 4d 5d"),
    )
    assert shown_arrangement(hand, ALL_CARDS - hand) == sets
    assert shown_arrangement(hand, ids("3c")) == runs
    assert shown_arrangement(hand, ids("6h")) == sets


def test_shown_arrangement_then_prefers_fewest_cards_in_sets() -> None:
    runs = melds("3s 4s 5s", "3h 4h 5h", "3d 4d 5d")
    assert shown_arrangement(melded(runs), ()) == runs


def test_shown_arrangement_then_prefers_the_lowest_mask_of_sets() -> None:
    hand = ids("7s 8s 7h 8h 7d 8d 9d 7c 8c 9c")
    assert len(best_arrangements(hand)) == 2
    expected = melds("7s 7h 7d", "8s 8h 8d", "7c 8c 9c")
    assert shown_arrangement(hand, ALL_CARDS - hand) == expected
    assert shown_arrangement(hand, ALL_CARDS - hand - ids("6c")) == expected
    # Once 6d is seen, fewer points fit the run of diamonds.
    other = melds("7s 7h 7c", "8s 8h 8c", "7d 8d 9d")
    assert shown_arrangement(hand, ALL_CARDS - hand - ids("6d")) == other


def test_defend_is_never_worse_than_melding_first() -> None:
    rng = random.Random(1)
    n_better = 0
    for _ in range(300):
        deal = rng.sample([c for c in range(52) if c % 13 < 8], 20)
        shown, held = best_arrangements(deal[:10])[0], frozenset(deal[10:])
        left = defend(shown, held)
        melding_first = []
        for way in best_arrangements(held):
            dead = held - melded(way)
            melding_first.append(total(dead) - layoff_points(shown, dead))
        assert deadwood(held) - layoff_points(shown, held) <= left <= min(melding_first)
        n_better += left < min(melding_first)
    assert n_better > 0


@pytest.mark.parametrize("case", read_cases("settle"), ids=lambda case: case["knocker"])
def test_settle_cases(case: dict[str, Any]) -> None:
    kept, held = ids(case["knocker"]), ids(case["defender"])
    mine = deadwood(kept)
    values = set()
    for way in best_arrangements(kept):
        theirs = defend(way, held) if mine else deadwood(held)
        is_undercut = mine > 0 and theirs <= mine
        values.add(theirs - mine + (25 if mine == 0 else -25 if is_undercut else 0))
    assert mine == case["knocker_deadwood"]
    assert len(least_ways(kept)) == case["arrangements"]
    assert sorted(values) == case["points_to_knocker"]
