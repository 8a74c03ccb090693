"""The card helpers that users call: deadwood, best_melds, layoff."""

from random import Random
from typing import Any

import pytest

from gin_env import CardError, MeldError, best_melds, deadwood, layoff
from gin_env.values.melds import Defence
from tests.hands import bits, dense_pair, hands, read_cases
from tests.reference import melds as reference
from tests.reference.cards import ids, text, total


@pytest.mark.parametrize("cards", ["7s 8s 9s 7h 7d", "7S,8S,9S,7H,7D", [6, 7, 8, 19, 32]])
def test_deadwood_takes_cards_in_every_form(cards: Any) -> None:
    assert deadwood(cards) == 14
    assert deadwood(bits(ids("7s 8s 9s 7h 7d"))) == 14
    assert deadwood(["7s", 7, "9s", 19, "7d"]) == 14


def test_deadwood_of_no_cards_is_nothing() -> None:
    assert deadwood("") == 0
    assert best_melds("") == []


def test_deadwood_and_best_melds_are_right_in_the_worked_cases() -> None:
    for case in read_cases("deadwood"):
        melds = best_melds(case["hand"])
        melded = [card for meld in melds for card in meld]
        rest = ids(case["hand"]) - ids(" ".join(melded))
        assert deadwood(case["hand"]) == total(rest) == case["deadwood"], case
        assert len(set(melded)) == len(melded)
        assert all(reference.is_meld(ids(" ".join(meld))) for meld in melds)


def test_best_melds_come_as_sets_by_rank_then_runs_by_suit() -> None:
    assert best_melds("9c 8c 7c Kh Kd Ks 2h 2d 2c As") == [
        ("2h", "2d", "2c"),
        ("Ks", "Kh", "Kd"),
        ("7c", "8c", "9c"),
    ]
    assert best_melds("Ks As 2s 3s Th Jh Qh") == [("As", "2s", "3s"), ("Th", "Jh", "Qh")]


@pytest.mark.parametrize(
    ("melds", "cards", "laid_off", "left"),
    [
        (["7c 8c 9c"], "6c Tc 4h", {"6c": "7c 8c 9c", "Tc": "7c 8c 9c"}, 4),
        (["5s 6s 7s"], "8s 9s Ts Kd", dict.fromkeys(("8s", "9s", "Ts"), "5s 6s 7s"), 10),
        # The seven goes where it carries the eight along.
        (["7s 7h 7d", "4c 5c 6c"], "7c 8c", {"7c": "4c 5c 6c", "8c": "4c 5c 6c"}, 0),
    ],
)
def test_layoff_says_what_goes_where(
    melds: list[str], cards: str, laid_off: dict[str, str], left: int
) -> None:
    defence = layoff(melds, cards)
    assert {card: " ".join(meld) for card, meld in defence.laid_off} == laid_off
    assert defence.deadwood == left


def test_layoff_takes_what_best_melds_returns() -> None:
    defence = layoff(best_melds("7c 8c 9c 2s 2h 2d Kh"), "6c 2c 4h 5h 6h Ks")
    assert [card for card, _ in defence.laid_off] == ["2c", "6c"]
    assert (defence.melds, defence.unmelded) == ((("4h", "5h", "6h"),), ("Ks",))


def test_layoff_equals_the_reference_and_accounts_for_every_card() -> None:
    rng = Random(5)
    for _ in range(300):
        knocker, defender = dense_pair(rng)
        melds = best_melds(sorted(knocker))
        defence = layoff(melds, sorted(defender))
        shown = [ids(" ".join(meld)) for meld in melds]
        assert defence.deadwood == reference.defend(shown, defender), (melds, text(defender))
        assert_is_whole(defence, defender)


def assert_is_whole(defence: Defence, defender: frozenset[int]) -> None:
    grown: dict[tuple[str, ...], set[int]] = {}
    for card, meld in defence.laid_off:
        grown.setdefault(meld, set(ids(" ".join(meld)))).update(ids(card))
    assert all(reference.is_meld(frozenset(cards)) for cards in grown.values()), defence
    own = [card for meld in defence.melds for card in meld]
    used = [*own, *(card for card, _ in defence.laid_off), *defence.unmelded]
    assert sorted(ids(" ".join(used))) == sorted(defender)
    assert all(reference.is_meld(ids(" ".join(meld))) for meld in defence.melds)
    assert total(ids(" ".join(defence.unmelded))) == defence.deadwood


def test_best_melds_equals_the_reference_over_dense_hands() -> None:
    for hand in hands(3, 10, 100, dense=True):
        melds = {ids(" ".join(meld)) for meld in best_melds(sorted(hand))}
        unseen = frozenset(range(52)) - hand
        assert melds == reference.shown_arrangement(hand, unseen), text(hand)


@pytest.mark.parametrize("helper", [deadwood, best_melds, lambda cards: layoff([], cards)])
@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ("As As", "As comes twice"),
        ("As 1d", "'1d' is no card"),
        ("As 2s 3s 4s 5s 6s 7s 8s 9s Ts Js Qs", "12 cards are no hand: it holds at most 11"),
        ([0, 52], "52 is no card"),
        (-1, "-1 is no set of cards"),
        (1 << 52, "is no set of cards"),
        ([True], "True is no card"),
    ],
)
def test_helpers_name_what_is_wrong_with_cards(helper: Any, cards: Any, message: str) -> None:
    with pytest.raises(CardError, match=message):
        helper(cards)


@pytest.mark.parametrize("meld", ["7s 8s", "7s 8s Ts", "7s 8s 9h", "Qs Ks As", "7s 7h 8s", ""])
def test_layoff_refuses_a_meld_that_is_none(meld: str) -> None:
    with pytest.raises(MeldError, match="is no meld: a set is three or four cards of one rank"):
        layoff([meld], "As")


def test_layoff_refuses_a_card_in_two_places() -> None:
    with pytest.raises(CardError, match="8s lies in the melds and in the hand"):
        layoff(["7s 8s 9s"], "8s")
    with pytest.raises(CardError, match="7s lies in two melds"):
        layoff(["7s 8s 9s", "7s 7h 7d"], "As")
    with pytest.raises(CardError, match="12 cards in melds"):
        layoff(["As 2s 3s 4s", "Ah 2h 3h 4h", "Ad 2d 3d 4d"], "Ks")


@pytest.mark.parametrize("melds", ["7s 8s 9s", 7, None])
def test_layoff_wants_a_list_of_melds(melds: Any) -> None:
    with pytest.raises(MeldError, match="must be a list of melds"):
        layoff(melds, "As")
