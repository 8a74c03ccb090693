"""Who deals the first hand of a match, and who deals the next one."""

import pytest

from gin_env import Game
from tests.rules import DEAD, TIE, play_match


@pytest.mark.parametrize(
    ("first_dealer", "dealers"), [("seat_0", {0}), ("seat_1", {1}), ("lot", {0, 1})]
)
def test_first_dealer_is_drawn_by_lot_only_where_the_rules_say_so(
    first_dealer: str, dealers: set[int]
) -> None:
    rules = {"first_dealer": first_dealer}
    games = [Game.deal(rules, seed=seed, episode="match") for seed in range(40)]
    assert {game.dealer for game in games} == dealers
    singles = {Game.deal(rules, seed=seed).dealer for seed in range(40)}
    assert singles == {0, 1}, "a single hand is always dealt by lot"


@pytest.mark.parametrize(
    ("next_dealer", "dealers"),
    [("loser", [1, 1, 0, 0]), ("winner", [1, 0, 1, 1]), ("alternate", [1, 0, 1, 0])],
)
def test_next_dealer_follows_the_result(next_dealer: str, dealers: list[int]) -> None:
    assert play_match(3, -3, -3, next_dealer=next_dealer).dealers == dealers


@pytest.mark.parametrize(
    ("next_dealer", "dealers"),
    [("loser", [0, 1, 1, 0, 0]), ("winner", [0, 0, 0, 1, 1]), ("alternate", [0, 1, 1, 0, 0])],
)
def test_next_dealer_is_the_same_after_a_dead_hand(next_dealer: str, dealers: list[int]) -> None:
    match = play_match(3, DEAD, -3, DEAD, next_dealer=next_dealer, first_dealer="seat_0")
    assert match.dealers == dealers


@pytest.mark.parametrize(
    ("tie", "dealers"),
    [("push", [1, 1]), ("knocker", [1, 0]), ("undercut", [1, 0])],
)
def test_next_dealer_is_the_same_after_a_push(tie: str, dealers: list[int]) -> None:
    assert play_match(TIE, tie=tie, undercut_bonus=0).dealers == dealers
