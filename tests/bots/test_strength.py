"""The levels are in order, by points per hand over mirrored pairs (figures: docs/bots.md).

How many pairs are played: 1,000, and at full scale 2,000 (``GIN_TEST_SCALE``, see tests/hands.py).
"""

import numpy as np
import pytest

from gin_env import bots
from gin_env.core.rules import Rules
from tests.bots.play import play_pairs
from tests.hands import sample_size

N_PAIRS = max(1_000, sample_size(2_000))  # fewer would not tell the levels apart
RULES = Rules.preset("eaai")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("hard", "medium"),
        ("medium", "easy"),
        ("easy", "random"),
        ("hard", "simple"),
        ("hard", "greedy"),
        ("simple", "random"),
    ],
)
def test_strength_is_clear_over_pairs_of_hands(better: str, worse: str) -> None:
    contest = play_pairs((bots.make(better), bots.make(worse)), N_PAIRS, seed=70_000, rules=RULES)
    assert contest.low() > 0


@pytest.mark.slow
def test_strength_of_a_search_is_clear() -> None:
    pair = bots.make("expert", worlds=64), bots.make("hard")
    contest = play_pairs(pair, 600, seed=75_000, rules=RULES)
    assert contest.low() > 0


@pytest.mark.slow
def test_strength_in_matches_of_hard_is_clear() -> None:
    pair = bots.make("hard"), bots.make("medium")
    contest = play_pairs(pair, 200, seed=80_000, rules=RULES, episode="match")
    won = contest.won
    assert won.mean() - 1.96 * won.std(ddof=1) / np.sqrt(len(won)) > 0.5
    assert contest.low() > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["greedy", "medium", "hard"])
def test_strength_of_a_bot_without_chance_against_itself_is_nought(name: str) -> None:
    contest = play_pairs((bots.make(name), bots.make(name)), 60, seed=1, rules=RULES)
    assert not contest.points.any()  # the two games of a pair are the same, seats exchanged


@pytest.mark.slow
def test_strength_does_not_depend_on_who_is_named_first() -> None:
    pair = bots.make("hard"), bots.make("greedy")
    one = play_pairs(pair, 60, seed=1, rules=RULES)
    other = play_pairs(pair[::-1], 60, seed=1, rules=RULES)
    assert (one.points == -other.points).all()
    assert one.points.any()
