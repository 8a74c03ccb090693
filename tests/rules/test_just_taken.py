"""The card just taken from the pile may be neither discarded nor knocked with in that turn."""

import pytest

from gin_env import IllegalActionError
from tests.rules import DEADWOOD_2, LEFT_WITH_10, LOOSE, choices, deal, knocks, play

READY = (DEADWOOD_2, LEFT_WITH_10)


def test_card_just_taken_may_not_be_discarded() -> None:
    game = play(deal(LOOSE, "Kc"), "take")
    assert "Kc" in game.hand(0)
    with pytest.raises(IllegalActionError, match="'discard Kc' is not legal: in the discard"):
        game.play("discard Kc")


def test_card_just_taken_may_not_be_knocked_with() -> None:
    game = play(deal(READY, "Kc"), "take")
    assert knocks(game) == {"2c"}  # that leaves Kc, 10 points; without Kc only 2 were left


def test_card_just_taken_may_go_in_the_next_turn() -> None:
    game = play(deal(READY, "Kc", "Kd"), "take", "discard 2c", "draw", "discard Kd", "draw")
    assert "discard Kc" in choices(game)


def test_card_drawn_from_the_stock_may_go_at_once() -> None:
    game = play(deal(READY, "5c", "Kc"), "pass", "pass", "draw")
    assert {"discard Kc", "knock Kc"} <= choices(game)


def test_card_just_taken_from_the_pile_later_on_may_not_go_either() -> None:
    game = play(deal(LOOSE, "Kc", "Qs"), "pass", "pass", "draw", "discard Qs", "take")
    assert "discard Qs" not in choices(game)


def test_card_just_taken_may_be_returned_where_the_rules_say_so() -> None:
    game = play(deal(READY, "Kc", may_return_taken=True), "take")
    assert "discard Kc" in choices(game)
    assert knocks(game) == {"2c", "Kc"}
