"""A knock leaves no more deadwood than the knock limit."""

from tests.rules import (
    DEADWOOD_2,
    DEADWOOD_10,
    LEFT_WITH_10,
    choices,
    deal,
    knocks,
    play,
    result_of,
)


def test_knock_limit_is_reached_but_not_passed() -> None:
    game = play(deal((DEADWOOD_10, LEFT_WITH_10), "5c", "Kd"), "pass", "pass", "draw")
    assert knocks(game) == {"Kd", "Tc"}  # either leaves 10
    lower = deal((DEADWOOD_10, LEFT_WITH_10), "5c", "Kd", knock_limit=9)
    assert knocks(play(lower, "pass", "pass", "draw")) == set()


def test_knocking_is_never_forced() -> None:
    game = play(deal((DEADWOOD_2, LEFT_WITH_10), "5c", "Td"), "pass", "pass", "draw")
    assert "2c" in knocks(game)  # gin
    assert {f"discard {card}" for card in game.hand(0)} <= choices(game)
    play(game, "discard Td")
    assert not game.is_over


def test_straight_gin_ends_a_hand_with_gin_only() -> None:
    hands = (DEADWOOD_2, LEFT_WITH_10)
    game = play(deal(hands, "5c", "Td", knock_limit=0), "pass", "pass", "draw")
    assert knocks(game) == {"2c"}
    assert result_of(play(game, "knock 2c")).ending.name == "GIN"
