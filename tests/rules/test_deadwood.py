"""Deadwood: the points outside melds, the least over all ways of melding the hand."""

import pytest

import gin_env
from tests.reference.cards import ids
from tests.reference.melds import deadwood


@pytest.mark.parametrize(
    ("hand", "points"),
    [
        ("", 0),
        ("7s 8s 9s 7h 7d", 14),  # the run is kept; with the sevens kept, 8 + 9 = 17
        ("9s 3h 4d 4c", 20),  # no meld: 9 + 3 + 4 + 4
        ("7s 7h 8d", 22),  # two of a rank
        # Runs: three or more neighbours of one suit; the ace is low only.
        ("As 2s 3s", 0),
        ("As 2s 3s 4s 5s 6s 7s 8s 9s Ts Js", 0),
        ("3s 4s 5s 6s 7s 8s 9s Ts Js Qs Ks", 0),
        ("As 3s 4s", 8),
        ("Qs Ks As", 21),
        ("Ks As 2s", 13),
        ("Qs Ks Ah", 21),
        ("Ks Ah 2h", 13),
        # A card is in one meld: three sevens, and the fourth in a run.
        ("7s 7h 7d 7c 8c 9c", 0),
    ],
)
def test_deadwood_is_the_least_over_all_ways(hand: str, points: int) -> None:
    assert gin_env.deadwood(hand) == deadwood(ids(hand)) == points
