"""A knocker shows the melds of least deadwood on which unseen cards could lay off the fewest."""

import pytest

from tests.rules import deal, play, result_of

HANDS = ("7s 8s 7h 8h 7d 8d 9d 7c 8c 9c", "Ah 3h 5h Ad 3d Jd Kd 2c 4c Qc")


@pytest.mark.parametrize("declined", ["pile", "removed"])
@pytest.mark.parametrize(
    ("upcard", "run"), [("6c", ("7c", "8c", "9c")), ("6d", ("7d", "8d", "9d"))]
)
def test_shown_run_is_the_one_whose_six_everybody_has_seen(
    upcard: str, run: tuple[str, ...], declined: str
) -> None:
    game = deal(HANDS, upcard, "Ks", declined_upcard=declined)
    play(game, "pass", "pass", "draw", "knock Ks")
    *sets, shown = result_of(game).arrangements[0].melds
    assert (len(sets), shown) == (2, run)  # the sevens, the eights, and three clubs or diamonds
