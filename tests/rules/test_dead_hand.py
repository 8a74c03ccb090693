"""A hand is dead at the end of the stock or of the turns: nobody scores."""

import pytest

from gin_env import Game
from tests.rules import DEADWOOD_2, LEFT_WITH_10, LOOSE, choices, deal, play, result_of


def draw_down(game: Game, n_left: int) -> Game:
    """Draw and discard by turns until so many cards are left in the stock."""
    cards = game.stock[: len(game.stock) - n_left]
    return play(game, *(move for card in cards for move in ("draw", f"discard {card}")))


@pytest.mark.parametrize("stock_end", [2, 3])
def test_hand_is_dead_when_a_discard_leaves_the_end_of_the_stock(stock_end: int) -> None:
    game = draw_down(deal(LOOSE, "Kc", opening="draw", stock_end=stock_end), stock_end + 1)
    assert not game.is_over
    result = result_of(draw_down(game, stock_end))
    assert (result.ending.name, result.knocker, result.winner) == ("DEAD", None, None)
    assert (result.points, result.deadwoods, choices(game)) == ((0, 0), (55, 57), set())
    assert result.describe() == "a dead hand: no points"
    assert (game.totals, game.hands_won) == ((0, 0), (0, 0))


def test_hand_goes_on_while_the_pile_is_taken() -> None:
    game = draw_down(deal(LOOSE, "Kc", opening="draw"), 3)
    top = game.hand(int(game.to_move or 0))[0]
    assert play(game, "take", f"discard {top}").phase.name == "DRAW"


def test_knock_with_the_last_discard_scores() -> None:
    game = draw_down(deal((DEADWOOD_2, LEFT_WITH_10), "5c", opening="draw"), 3)
    last = game.stock[0]
    play(game, "draw", f"knock {last}")
    assert (len(game.stock), game.points) == (2, (8, -8))  # 10 - 2


def test_hand_is_dead_at_the_turn_cap_which_counts_no_passes() -> None:
    game = play(deal(LOOSE, "Kc", "Qs", turn_cap=2), "pass", "pass", "draw", "discard Qs")
    assert game.phase.name == "DRAW"
    result = result_of(play(game, "take", "discard Kd"))
    assert (result.ending.name, result.n_turns) == ("DEAD", 2)


def test_knock_in_the_last_turn_scores() -> None:
    game = deal((DEADWOOD_2, LEFT_WITH_10), "5c", "Kd", opening="draw", turn_cap=1)
    assert play(game, "draw", "knock Kd").points == (8, -8)  # 10 - 2
