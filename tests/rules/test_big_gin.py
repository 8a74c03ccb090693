"""Big gin: all eleven cards melded, declared instead of a discard."""

import pytest

from tests.rules import GIN, choices, deal, play, result_of

HANDS = (GIN, "Jh Qh Kh Js Qs Ks Qd 3d 4d 4c")  # 10 + 3 + 4 + 4 = 21 are left to the other
NEXT = "Jd"  # goes on 7d 8d 9d Td


def test_big_gin_pays_its_bonus_and_the_other_deadwood() -> None:
    game = play(deal(HANDS, "5c", NEXT, big_gin_bonus=31), "pass", "pass", "draw")
    assert {"big gin", "knock Jd", "knock 7d", "discard As"} <= choices(game)
    result = result_of(play(game, "big gin"))
    assert (result.ending.name, result.winner, result.knocker) == ("BIG_GIN", 0, 0)
    assert (result.deadwoods, result.layoffs, result.n_turns) == ((0, 21), (), 1)
    assert result.points == (52, -52)  # 31 + 21
    assert sum(map(len, result.arrangements[0].melds)) == 11


@pytest.mark.parametrize(
    ("bonus", "upcard", "points"),
    [
        (31, "Kc", 52),  # 31 + 21
        (0, "9s", 42),  # 2 x (0 + 21)
    ],
)
def test_big_gin_counts_double_like_every_hand(bonus: int, upcard: str, points: int) -> None:
    game = deal(HANDS, upcard, NEXT, big_gin_bonus=bonus, oklahoma_spades_double=True)
    assert play(game, "pass", "pass", "draw", "big gin").points == (points, -points)


def test_big_gin_is_played_as_gin_where_it_has_no_bonus() -> None:
    game = play(deal(HANDS, "5c", NEXT), "pass", "pass", "draw")
    assert "big gin" not in choices(game)
    assert play(game, "knock Jd").points == (46, -46)  # 25 + 21


def test_big_gin_needs_all_eleven_cards_melded() -> None:
    game = play(deal(HANDS, "5c", "Kd", big_gin_bonus=31), "pass", "pass", "draw")
    assert "knock Kd" in choices(game)
    assert "big gin" not in choices(game)
