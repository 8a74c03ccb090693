"""The upcard is offered before the first turn: to the non-dealer, then to the dealer."""

import pytest

from tests.rules import LOOSE, choices, deal, play


@pytest.mark.parametrize("dealer", [0, 1])
def test_upcard_is_offered_to_the_non_dealer_then_to_the_dealer(dealer: int) -> None:
    game = deal(LOOSE, "Kc", dealer=dealer)
    assert (game.phase.name, game.to_move, choices(game)) == (
        "OFFER",
        1 - dealer,
        {"take", "pass"},
    )
    play(game, "pass")
    assert (game.phase.name, game.to_move, choices(game)) == ("OFFER", dealer, {"take", "pass"})
    play(game, "pass")
    assert (game.phase.name, game.to_move) == ("DRAW", 1 - dealer)


def test_who_takes_the_upcard_goes_straight_to_the_discard() -> None:
    game = play(deal(LOOSE, "Kc"), "pass", "take")
    assert (game.to_move, game.phase.name, game.pile, len(game.stock)) == (1, "DISCARD", (), 31)
    assert "Kc" in game.hand(1)
    play(game, "discard Kd")
    assert (game.to_move, game.phase.name, game.pile) == (0, "DRAW", ("Kd",))
    assert choices(game) == {"draw", "take"}
    assert (game.result, game.points, game.is_over) == (None, (0, 0), False)


def test_opening_draw_begins_with_a_draw_from_stock_or_pile() -> None:
    game = deal(LOOSE, "Kc", opening="draw", after_two_passes="stock_only")
    assert (game.phase.name, game.to_move, choices(game)) == ("DRAW", 0, {"draw", "take"})
    play(game, "take")
    assert "Kc" in game.hand(0)
