"""Equal deadwood after the layoffs: an undercut, nobody's, or the knocker's."""

import pytest

from tests.rules import DEADWOOD_10, LEFT_WITH_6, LEFT_WITH_10, settle


@pytest.mark.parametrize(
    ("tie", "ending", "winner", "points"),
    [
        ("undercut", "UNDERCUT", 1, (-25, 25)),  # 25 + 10 - 10
        ("push", "PUSH", None, (0, 0)),
        ("knocker", "KNOCK", 0, (0, 0)),  # 10 - 10
    ],
)
def test_tie_is_scored_by_the_rules(
    tie: str, ending: str, winner: int | None, points: tuple[int, int]
) -> None:
    result = settle(DEADWOOD_10, LEFT_WITH_10, tie=tie)
    assert (result.deadwoods, [card for card, _ in result.layoffs]) == ((10, 10), ["4s", "3h"])
    assert (result.ending.name, result.winner, result.points) == (ending, winner, points)
    assert settle(DEADWOOD_10, LEFT_WITH_6, tie=tie).ending.name == "UNDERCUT"  # 10 against 6
