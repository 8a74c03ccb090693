"""The defender lays off on the knocker's melds, one card leading to the next.

His own melds and what he lays off are chosen together, for the least deadwood.
"""

import pytest

from gin_env import layoff
from tests.reference.cards import ids
from tests.reference.melds import defend
from tests.rules import settle


@pytest.mark.parametrize(
    ("melds", "hand", "laid_off", "left"),
    [
        # At both ends of a run.
        (["7c 8c 9c"], "6c Tc 4h", "6c Tc", 4),
        (["5s 6s 7s"], "8s 9s Kh", "8s 9s", 10),
        (["5s 6s 7s"], "9s Ts Kh", "", 29),  # without the 8s nothing leads there
        (["2s 3s 4s", "8s 9s Ts"], "5s 6s 7s", "5s 6s 7s", 0),
        (["2s 3s 4s", "8s 9s Ts"], "5s 7s Kh", "5s 7s", 10),
        # The ace is low only.
        (["Js Qs Ks"], "As Ah", "", 2),
        (["As 2s 3s"], "Ks Kh", "", 20),
        # The fourth card of a set.
        (["7s 7h 7d"], "7c 8c Kh", "7c", 18),
        (["7s 7h 7d 7c"], "8c Kh", "", 18),
        # A card that fits a set and a run goes where another can follow.
        (["7s 7h 7d", "4c 5c 6c"], "7c 8c", "7c 8c", 0),
        (["8h 8d 8c", "5s 6s 7s"], "8s 9s Kh", "8s 9s", 10),
        # Nothing to lay off on.
        ([], "6c Tc 4h", "", 20),
        ([], "7s 8s 9s Kh", "", 10),
        # A run of the defender's own, or laid off: it is all the same.
        (["5s 6s 7s"], "8s 9s Ts Kh", "8s 9s Ts", 10),
        (["4s 4h 4d", "4c 5c 6c"], "7c 8c 9c Kh", "7c 8c 9c", 10),
        (["5s 5h 5d"], "5c 6c 7c 8c", "5c", 0),
        (["3s 4s 5s"], "6s 7s 8s 8h 8d", "6s 7s", 0),
        # A meld of his own is kept, though a card of it could be laid off.
        (["7s 7h 7d"], "7c 8c 9c Kh", "", 10),
        (["9s 9h 9d"], "9c Tc Jc", "", 0),
        (["9s 9h 9d"], "9c Tc Jc Qc Kc", "9c", 0),
        (["7c 8c 9c"], "Tc Th Td 2s", "", 2),
        # It is broken up where that leaves less: a set, of which two cards are laid off, one with
        # a card behind it; a run, for the set that needs its end; a run at both ends.
        (["4s 5s 6s", "4h 5h 6h"], "7s 7h 7d 8s", "7s 8s 7h", 7),
        (["9s 9h 9d"], "9c Tc Jc Th Td", "9c", 10),
        (["Ts Th Td"], "8c 9c Tc 8h 8d", "Tc", 9),
    ],
)
def test_layoffs_and_own_melds_are_chosen_together(
    melds: list[str], hand: str, laid_off: str, left: int
) -> None:
    defence = layoff(melds, hand)
    assert " ".join(card for card, _ in defence.laid_off) == laid_off
    assert defence.deadwood == defend([ids(meld) for meld in melds], ids(hand)) == left


def test_layoff_at_both_ends_counts_in_the_score() -> None:
    result = settle("7c 8c 9c As Ah Ad Ks Kh Kc 3d", "2s 2h 2d Js Jh Jd 6c Tc 4h 4d")
    assert [card for card, _ in result.layoffs] == ["6c", "Tc"]
    assert (result.deadwoods, result.points) == ((3, 8), (5, -5))  # 8 - 3


def test_layoff_in_a_chain_counts_in_the_score() -> None:
    result = settle("5s 6s 7s Ah Ad Ac Qh Qd Qc 2c", "8s 9s Ts 3h 3d 3c Jh Jd Jc 4d")
    assert (result.deadwoods, result.points) == ((2, 4), (2, -2))  # 4 - 2
