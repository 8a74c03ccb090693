"""What may be drawn once both seats have declined the upcard."""

import pytest

from tests.rules import LOOSE, choices, deal, play

EITHER = {"draw", "take"}


@pytest.mark.parametrize("declined", ["pile", "removed"])
@pytest.mark.parametrize(
    ("rule", "first", "later"),
    [
        ("stock", {"draw"}, EITHER),
        ("either", EITHER, EITHER),
        ("stock_only", {"draw"}, {"draw"}),  # the pile is closed to both until the hand ends
    ],
)
def test_after_two_passes_the_non_dealer_draws_as_the_rules_say(
    rule: str, first: set[str], later: set[str], declined: str
) -> None:
    game = deal(LOOSE, "Kc", "Qs Qh", after_two_passes=rule, declined_upcard=declined)
    play(game, "pass", "pass")
    assert choices(game) == (first if declined == "pile" else {"draw"})  # there is no pile
    play(game, "draw", "discard Qs")
    assert (game.to_move, choices(game)) == (1, later)
    play(game, "draw", "discard Qh")
    assert (game.to_move, choices(game)) == (0, later)


def test_pile_stays_open_where_the_upcard_was_taken() -> None:
    game = play(deal(LOOSE, "Kc", after_two_passes="stock_only"), "take", "discard 8c")
    assert choices(game) == EITHER
