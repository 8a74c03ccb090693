"""The upcard that both seats declined lies at the bottom of the pile, or leaves the game."""

from tests.rules import LOOSE, deal, play


def test_declined_upcard_is_the_bottom_of_the_pile() -> None:
    game = play(deal(LOOSE, "Kc", "Qs"), "pass", "pass", "draw", "discard Qs")
    assert game.pile == ("Kc", "Qs")


def test_declined_upcard_is_removed_where_the_rules_say_so() -> None:
    game = play(deal(LOOSE, "Kc", "Qs", declined_upcard="removed"), "pass", "pass")
    assert not game.pile
    play(game, "draw", "discard Qs")
    assert game.pile == ("Qs",)
    assert "Kc" not in {*game.hand(0), *game.hand(1), *game.stock}


def test_upcard_that_was_taken_is_never_removed() -> None:
    game = play(deal(LOOSE, "Kc", declined_upcard="removed"), "pass", "take", "discard Kd")
    assert "Kc" in game.hand(1)
    assert game.pile == ("Kd",)
