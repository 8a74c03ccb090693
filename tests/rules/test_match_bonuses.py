"""What a match pays beyond the points of its hands."""

from typing import Any

import pytest

from gin_env import Rules
from tests.rules import DEADWOOD_2, LOSERS, TIE, knock, play_match


def test_home_won_120_to_0_is_worth_440() -> None:
    game, rewards, _ = play_match(20, 20, 20, 20, 20, 20, preset="home", target=120)
    assert (game.totals, game.hands_won, game.match_winner) == ((120, 0), (6, 0), 0)
    # 120 points, 20 for each of six hands, 100 for the game, 100 for the shutout.
    assert rewards == [20] * 5 + [20 + 6 * 20 + 100 + 100]
    assert sum(rewards) == 440


def test_modern_won_110_to_0_is_worth_420() -> None:
    game, rewards, _ = play_match(-30, -30, -30, -20, preset="modern")
    assert (game.totals, game.match_winner) == ((0, 110), 1)
    # The shutout doubles 110 points; 25 for each of four hands, 100 for the game.
    assert sum(rewards) == -(110 + 110 + 4 * 25 + 100) == -420


def test_hand_bonus_at_the_end_goes_to_both_seats() -> None:
    game, rewards, _ = play_match(-30, 20, None, 30, 30, 30, preset="bicycle")
    # The last hand, the game, and 20 a hand: four of seat 0 less one of seat 1.
    assert rewards == [-30, 20, 0, 30, 30, 30 + 100 + 4 * 20 - 20]
    assert (game.totals, game.n_hands) == ((110, 30), 6)


def test_hand_bonus_at_once_counts_towards_the_target() -> None:
    game, rewards, _ = play_match(-20, -20, preset="palace", target=60)
    assert rewards == [-30, -30]  # 20 + 10 each
    assert (game.totals, game.match_winner) == ((0, 60), 1)


def test_hand_bonus_at_once_is_part_of_what_a_shutout_doubles() -> None:
    rules = {"shutout": "double", "game_bonus": 100, "target": 40}
    _, rewards, _ = play_match(-30, preset="palace", **rules)
    assert rewards == [-(30 + 10 + 40 + 100)]


@pytest.mark.parametrize(("shutout", "bonus"), [("none", 0), (0, 0), (100, 100), ("double", 30)])
def test_shutout_pays_where_the_loser_has_nothing(shutout: str | int, bonus: int) -> None:
    assert play_match(30, shutout=shutout, target=30).rewards == [30 + bonus]
    assert play_match(-3, 30, shutout=shutout, target=30).rewards == [-3, 30]


def test_shutout_is_of_points_and_not_of_hands() -> None:
    # Seat 0 wins a hand, for 0 points: it gets the hand bonus, and is shut out all the same.
    rules: dict[str, Any] = {"tie": "knocker", "hand_bonus": 20, "shutout": 100, "target": 30}
    game, rewards, _ = play_match(TIE, -30, **rules)
    assert (game.hands_won, game.totals) == ((1, 1), (0, 30))
    assert rewards == [0, -(30 + 100 + 20 - 20)]


def test_hand_won_for_nothing_earns_its_bonus_and_saves_from_a_shutout() -> None:
    rules = {"tie": "knocker", "shutout": "double", "game_bonus": 100, "target": 40}
    _, rewards, _ = play_match(TIE, -30, preset="palace", **rules)
    assert rewards == [10, -(30 + 10 + 100)]


def test_single_hand_pays_no_bonus_of_a_match() -> None:
    rules = Rules.preset("home", hand_bonus_paid="at_once", target=1).to_dict()
    game = knock(DEADWOOD_2, LOSERS[20], **rules)
    assert game.rewards == game.points == (20, -20)
    assert (game.totals, game.hands_won, game.match_winner) == ((20, 0), (1, 0), None)
