"""Oklahoma: the upcard's points cap the knock limit, and a spade counts double."""

import pytest

from gin_env.core.rules import Rules
from tests.reference.cards import card
from tests.reference.hand import ReferenceHand
from tests.rules import DEADWOOD_3, GIN, LEFT_WITH_10, LOOSE, deal, knocks, play, settle


@pytest.mark.parametrize("knock_limit", [10, 5, 2])
@pytest.mark.parametrize(
    ("upcard", "off", "ace_one", "ace_gin"),
    [("Kc", 10, 10, 10), ("7s", 10, 7, 7), ("3c", 10, 3, 3), ("2s", 10, 2, 2), ("Ac", 10, 1, 0)],
)
def test_upcard_caps_the_knock_limit(
    upcard: str, off: int, ace_one: int, ace_gin: int, knock_limit: int
) -> None:
    for oklahoma, cap in (("off", off), ("ace_one", ace_one), ("ace_gin", ace_gin)):
        game = deal(LOOSE, upcard, oklahoma=oklahoma, knock_limit=knock_limit)
        slow = ReferenceHand(game.rules.to_dict(), 1, [(), ()], card(upcard), ())
        assert game.view(0)["knock_limit"] == slow.limit == min(cap, knock_limit)


def test_upcard_caps_the_knock_limit_though_it_was_declined() -> None:
    hands = (DEADWOOD_3, LEFT_WITH_10)
    for upcard, cards in (("5c", {"Kd"}), ("2c", set())):
        game = play(deal(hands, upcard, "Kd", oklahoma="ace_one"), "pass", "pass", "draw")
        assert knocks(game) == cards  # 3 are left without Kd


@pytest.mark.parametrize(("upcard", "factor"), [("9s", 2), ("9h", 1)])
@pytest.mark.parametrize(
    ("kept", "drawn", "points"),
    [
        (GIN, "Kd", 42),  # 25 + 4 + 3 + 6 + 4
        (DEADWOOD_3, "Kd", 7),  # 10 - 3
        (DEADWOOD_3.replace("3c", "Tc"), "Kd", -25),  # an undercut: 25 + 10 - 10
    ],
)
def test_spade_doubles_the_points_of_the_hand(
    kept: str, drawn: str, points: int, upcard: str, factor: int
) -> None:
    result = settle(kept, LEFT_WITH_10, upcard, drawn, oklahoma_spades_double=True)
    assert result.points[0] == factor * points


def test_spade_doubles_nothing_where_the_rules_do_not_say_so() -> None:
    assert not Rules().oklahoma_spades_double
    assert settle(GIN, LEFT_WITH_10, "9s").points == (42, -42)
