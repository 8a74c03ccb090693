"""Gin: no deadwood after the discard; the defender lays nothing off."""

import pytest

from tests.rules import GIN, LEFT_WITH_10, settle


@pytest.mark.parametrize(
    ("defender", "left", "points"),
    [
        ("Jh Qh Kh 2c 3c 4c 9c 8h 3d Ad", 21, 46),  # 25 + 9 + 8 + 3 + 1
        ("Jh Qh Kh Js Qs Ks 9c 3d 4d 4c", 20, 45),  # 25 + 9 + 3 + 4 + 4
        ("Jh Qh Kh Js Qs Ks 9c 3h 4s 4c", 20, 45),  # 4s and 3h would go on a knocker's runs
        ("Jh Qh Kh Js Qs Ks Jd 3d 4d 4c", 21, 46),  # and so would Jd: 25 + 10 + 3 + 4 + 4
    ],
)
def test_gin_pays_the_bonus_and_all_that_the_defender_has_left(
    defender: str, left: int, points: int
) -> None:
    result = settle(GIN, defender)
    assert (result.ending.name, result.winner, result.layoffs) == ("GIN", 0, ())
    assert (result.deadwoods, result.points) == ((0, left), (points, -points))


def test_gin_bonus_is_that_of_the_rules() -> None:
    assert settle(GIN, LEFT_WITH_10, gin_bonus=20).points == (37, -37)  # 20 + 4 + 3 + 6 + 4
