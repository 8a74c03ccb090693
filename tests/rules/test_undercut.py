"""A defender who ends with less deadwood than the knocker scores, and a bonus with it."""

from tests.rules import DEADWOOD_3, DEADWOOD_10, LEFT_WITH_6, settle


def test_knocker_with_less_scores_the_difference() -> None:
    result = settle(DEADWOOD_3, "Jh Qh Kh Jc Qc Kc 4s Td 8c 4d")
    assert (result.ending.name, result.winner, result.deadwoods) == ("KNOCK", 0, (3, 12))
    assert result.points == (9, -9)  # 12 - 3


def test_undercut_pays_the_difference_and_25() -> None:
    result = settle(DEADWOOD_10, LEFT_WITH_6)
    assert (result.ending.name, result.winner, result.deadwoods) == ("UNDERCUT", 1, (10, 6))
    assert result.points == (-29, 29)  # 25 + 10 - 6


def test_undercut_bonus_is_that_of_the_rules() -> None:
    result = settle(DEADWOOD_10, LEFT_WITH_6, undercut_bonus=10)
    assert result.points == (-14, 14)  # 10 + 10 - 6


def test_undercut_by_a_defender_with_nothing_left() -> None:
    result = settle("As 2s 3s 4h 5h 6h 7d 8d 9d Ac", "Jh Qh Kh Js Qs Ks 4s 5s 3h 2h")
    assert (result.ending.name, result.deadwoods) == ("UNDERCUT", (1, 0))
    assert result.points == (-26, 26)  # 25 + 1 - 0
