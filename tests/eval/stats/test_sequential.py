"""The sequential test: its error when looked at after every batch, its power, its interval."""

from collections.abc import Callable

import numpy as np
import pytest

from eval.errors import EvalError
from eval.stats.sequential import (
    MAX_DEADWOOD_OF_TEN,
    SequentialTest,
    hand_bound,
    pair_excess,
    pair_points,
)
from gin_env.core.cards import to_bits
from gin_env.core.melds import deadwood
from gin_env.core.rules import Rules
from tests.eval.results import play

Draw = Callable[[int], np.ndarray]
BATCH = 10


def stop(draw: Draw, test: SequentialTest, n_batches: int) -> int:
    """After how many pairs a test stops that is asked after each batch; 0 for never."""
    amounts = np.zeros(0)
    for _ in range(n_batches):
        amounts = np.concatenate([amounts, draw(BATCH)])
        if test.decide(amounts):
            return len(amounts)
    return 0


def draw_scores(rng: np.random.Generator, chance: float) -> Draw:
    """Pairs of matches, of which the deal decides some."""

    def draw(n: int) -> np.ndarray:
        first, second = rng.random((2, n)) < chance
        is_alike = rng.random(n) < 0.3
        return np.asarray(np.where(is_alike, first, (first * 1.0 + second) / 2) - 0.5)

    return draw


def draw_lopsided(rng: np.random.Generator) -> Draw:
    """Points of mean 0 without any symmetry: seldom much, often a little less than nothing."""
    return lambda n: np.asarray(np.where(rng.random(n) < 0.05, 95.0, -5.0))


@pytest.mark.parametrize("error", [0.05, 0.2])
@pytest.mark.parametrize("kind", ["scores", "lopsided"])
def test_equal_players_are_told_apart_as_seldom_as_stated(kind: str, error: float) -> None:
    rng, n_tries = np.random.default_rng(1), 400
    draw, bound = (draw_scores(rng, 0.5), 0.5) if kind == "scores" else (draw_lopsided(rng), 123.0)
    test = SequentialTest(error, bound)
    n_errors = sum(stop(draw, test, 60) > 0 for _ in range(n_tries))
    assert n_errors / n_tries <= error + 2 * (error * (1 - error) / n_tries) ** 0.5


def test_a_test_of_fixed_size_would_err_far_more_often() -> None:
    """The simulation above can fail: what may be looked at once only fails it."""
    rng, n_tries, n_errors = np.random.default_rng(2), 200, 0
    for _ in range(n_tries):
        amounts = draw_scores(rng, 0.5)(60 * BATCH)
        ends = np.arange(BATCH, len(amounts) + 1, BATCH)
        means = np.cumsum(amounts)[ends - 1] / ends
        errors = np.array([amounts[:end].std() for end in ends]) / ends**0.5
        n_errors += bool((np.abs(means) > 1.96 * errors).any())
    assert n_errors / n_tries > 0.15


@pytest.mark.parametrize("chance", [0.6, 0.4, 0.75])
def test_a_better_player_is_found(chance: float) -> None:
    rng, test = np.random.default_rng(3), SequentialTest(0.05, 0.5)
    stops = [stop(draw_scores(rng, chance), test, 200) for _ in range(50)]
    assert all(stops)
    fixed = 1.96**2 * 0.16 / (chance - 0.5) ** 2  # pairs of a fixed-size test that finds half
    assert np.median(stops) < 5 * fixed


def test_points_of_real_play_are_decided() -> None:
    hands = play("hard", "medium", rules=Rules(), n_deals=1500, seed=1).hands
    test = SequentialTest(0.05, hand_bound(Rules()))
    amounts = pair_points(hands)
    assert not test.decide(amounts[:5])
    assert test.decide(amounts)
    assert test.interval(amounts).low > 0
    same = test.interval(np.zeros(1500))
    assert same.low < 0 < same.high


def test_amounts_are_what_a_gained_in_both_games() -> None:
    hands = play("hard", "random", rules=Rules(), n_deals=20).hands
    points = [hands["points"][hands["pair"] == pair].sum() for pair in range(20)]
    np.testing.assert_array_equal(pair_points(hands), np.array(points) / 2)
    matches = play("hard", "medium", rules=Rules(), n_deals=8, episode="match").matches
    lost = [matches["winner"][matches["pair"] == pair].sum() for pair in range(8)]
    np.testing.assert_array_equal(pair_excess(matches), (1.0 - np.array(lost)) / 2)
    assert len(set(lost)) > 1


def test_the_interval_holds_0_exactly_when_nothing_is_decided() -> None:
    rng, test = np.random.default_rng(4), SequentialTest(0.1, 0.5)
    for chance in (0.5, 0.55, 0.6, 0.65):
        for n_pairs in (1, 10, 40, 160):
            amounts = draw_scores(rng, chance)(n_pairs)
            value, low, high = test.interval(amounts)
            assert -0.5 <= low <= value <= high <= 0.5
            assert value == pytest.approx(amounts.mean())
            assert test.decide(amounts) == (not low <= 0 <= high)


def test_the_interval_always_holds_the_true_mean_as_often_as_stated() -> None:
    rng, test, held, n_tries = np.random.default_rng(5), SequentialTest(0.2, 0.5), 0, 200
    for _ in range(n_tries):
        amounts = draw_scores(rng, 0.7)(200)
        ends = [test.interval(amounts[:n_pairs])[1:] for n_pairs in range(20, 201, 20)]
        held += all(low <= 0.2 <= high for low, high in ends)
    assert held / n_tries >= 0.8


def test_the_order_of_the_pairs_is_of_no_account() -> None:
    amounts = draw_scores(np.random.default_rng(6), 0.6)(100)
    test = SequentialTest(0.05, 0.5)
    assert test.interval(amounts) == test.interval(amounts[::-1])


def test_the_interval_narrows_as_pairs_come() -> None:
    test, amounts = SequentialTest(0.05, 0.5), np.tile([0.5, 0.0, -0.5, 0.5], 400)
    widths = [np.ptp(test.interval(amounts[:n])[1:]) for n in (4, 16, 64, 256, 1024)]
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.15


def test_all_pairs_won_and_none_played() -> None:
    test = SequentialTest(0.05, 0.5)
    assert test.interval(np.zeros(0)) == (0.0, -0.5, 0.5)
    assert not test.decide(np.zeros(0))
    assert not test.decide(np.full(2, 0.5))
    assert test.decide(np.full(20, 0.5))
    assert test.interval(np.full(20, 0.5)).high == 0.5
    assert test.decide(np.full(20, -0.5))


@pytest.mark.parametrize(
    ("error", "bound", "amounts"),
    [
        *((error, 1.0, []) for error in (0.0, 1.0)),
        *((0.05, bound, []) for bound in (0.0, -1.0)),
        *((0.05, 1.0, amounts) for amounts in ([1.5], [0.0, -1.01], [float("nan")])),
    ],
)
def test_impossible_numbers_are_refused(error: float, bound: float, amounts: list[float]) -> None:
    with pytest.raises(EvalError, match="lie"):
        SequentialTest(error, bound).decide(np.array(amounts))


def test_no_hand_brings_more_than_the_bound() -> None:
    assert deadwood(to_bits("Ks Kh Qs Qh Jd Jc Td Tc 9s 9h")) == MAX_DEADWOOD_OF_TEN == 98
    rng = np.random.default_rng(7)
    most = max(int(deadwood(to_bits(rng.permutation(52)[:10].tolist()))) for _ in range(2000))
    assert 80 < most <= MAX_DEADWOOD_OF_TEN
    assert hand_bound(Rules()) == 98 + 25
    assert hand_bound(Rules.preset("modern")) == 98 + 31
    assert hand_bound(Rules.preset("oklahoma")) == 2 * (98 + 31)
    assert hand_bound(Rules(undercut_bonus=200)) == 210
    assert hand_bound(Rules(), penalty=500) == 500
