"""The facts of a finished hand: both arrangements account for every card, and say what was paid."""

import pytest

from gin_env import Game
from gin_env.core.rules import PRESETS
from gin_env.values.result import Arrangement, HandResult
from tests.hands import read_cases
from tests.reference.cards import ids, total
from tests.reference.melds import is_meld
from tests.rules import knock
from tests.test_game import play_sensibly


def assert_accounts_for(arrangement: Arrangement, hand: set[str], laid_off: set[str]) -> None:
    melded = [card for meld in arrangement.melds for card in meld]
    assert all(is_meld(ids(" ".join(meld))) for meld in arrangement.melds)
    assert sorted([*melded, *arrangement.unmelded, *laid_off]) == sorted(hand)
    assert total(ids(" ".join(arrangement.unmelded))) == arrangement.deadwood


def assert_is_whole(game: Game) -> HandResult:
    result = game.result
    assert result is not None
    grown: dict[tuple[str, ...], list[str]] = {}
    for card, meld in result.layoffs:
        grown.setdefault(meld, [*meld]).append(card)
    assert all(is_meld(ids(" ".join(cards))) for cards in grown.values())
    assert result.knocker is None or {*grown} <= {*result.arrangements[result.knocker].melds}
    for seat in (0, 1):
        laid_off = set() if seat == result.knocker else {card for card, _ in result.layoffs}
        assert_accounts_for(result.arrangements[seat], set(game.hand(seat)), laid_off)
    return result


def test_result_is_right_in_the_worked_settlements() -> None:
    for case in read_cases("settle"):
        used = ids(case["knocker"]) | ids(case["defender"])
        spare = [rank + suit for suit in "shdc" for rank in "KQJT98765432A"]
        upcard, drawn, *_ = (card for card in spare if not ids(card) <= used)
        result = assert_is_whole(knock(case["knocker"], case["defender"], upcard, drawn))
        assert result.points[0] in case["points_to_knocker"], case
        assert result.deadwoods[0] == case["knocker_deadwood"], case


@pytest.mark.parametrize("preset", PRESETS)
def test_result_accounts_for_every_card(preset: str) -> None:
    for seed in range(40):
        game = Game.deal(preset, seed=seed)
        while not game.is_over:
            assert game.result is None
            play_sensibly(game)
        result = assert_is_whole(game)
        assert sum(result.points) == 0
        assert result.points == game.points
        assert str(abs(result.points[0])) in result.describe() or result.points[0] == 0
