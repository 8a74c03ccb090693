"""Statistics: worked examples, intervals that hold what they promise, the exact sign test."""

import math
from fractions import Fraction

import numpy as np
import pytest

from eval.arena import Contest, join, play_contest
from eval.rows import HAND_DTYPE, MATCH_DTYPE, NO_DEADWOOD
from eval.statistics import (
    Spread,
    count_sweeps,
    describe_hands,
    describe_matches,
    describe_spread,
    estimate_ratio,
    estimate_share,
    sign_test,
    student_quantile,
)
from gin_env.core.rules import Rules
from gin_env.core.state import Ending
from gin_env.players import resolve

A, B, NOBODY = 0, 1, -1

COLUMNS = (
    "pair",
    "seat_of_a",
    "hand",
    "ending",
    "knocker",
    "winner",
    "points",
    "n_turns",
    "deadwood",
)
FOUR_PAIRS = (
    (0, 0, 0, Ending.KNOCK, A, A, 12, 9, 6),
    (0, 1, 0, Ending.GIN, A, A, 40, 14, 0),
    (1, 0, 0, Ending.UNDERCUT, B, A, 28, 11, 9),
    (1, 1, 0, Ending.KNOCK, B, B, -20, 5, 2),
    (2, 0, 0, Ending.DEAD, NOBODY, NOBODY, 0, 30, NO_DEADWOOD),
    (2, 1, 0, Ending.PUSH, A, NOBODY, 0, 12, 10),
    (3, 0, 0, Ending.BIG_GIN, B, B, -60, 16, 0),
    (3, 1, 0, Ending.KNOCK, B, B, -8, 7, 8),
)


def make_hands(rows: tuple[tuple[int, ...], ...]) -> np.ndarray:
    hands = np.zeros(len(rows), HAND_DTYPE)
    for place, row in enumerate(rows):
        for name, value in zip(COLUMNS, row, strict=True):
            hands[place][name] = value
    return hands


def make_matches(winners: list[tuple[int, int]], points: list[tuple[int, int]]) -> np.ndarray:
    matches = np.zeros(2 * len(winners), MATCH_DTYPE)
    matches["pair"] = np.repeat(np.arange(len(winners)), 2)
    matches["seat_of_a"] = np.tile([0, 1], len(winners))
    matches["winner"] = np.ravel(winners)
    matches["points"] = np.ravel(points)
    matches["n_hands"] = np.arange(3, 3 + len(matches))
    return matches


def test_describe_hands_counts_as_by_hand() -> None:
    described = describe_hands(make_hands(FOUR_PAIRS))
    assert (described.n_hands, described.n_pairs, described.dead) == (8, 4, 1)
    a, b = described.a, described.b
    assert (a.hands_won, a.knocks, a.gins, a.big_gins, a.undercuts) == (3, 2, 1, 0, 1)
    assert (b.hands_won, b.knocks, b.gins, b.big_gins, b.undercuts) == (3, 3, 0, 1, 0)
    assert a.deadwood is not None
    assert a.deadwood.mean == 8.0  # 6 and 10: gin is no plain knock
    assert described.deadwood is not None
    assert described.deadwood.mean == (6 + 9 + 2 + 10 + 8) / 5
    assert described.turns == Spread(13.0, 5.0, 8.5, 11.5, 14.5, 30.0)
    assert described.sweeps is not None
    assert described.sweeps[:2] == (1, 1)
    assert described.deviation == pytest.approx(np.std([12, 40, 28, -20, 0, 0, -60, -8]))


def test_describe_hands_takes_pairs_as_units() -> None:
    points = describe_hands(make_hands(FOUR_PAIRS)).points
    means = [26.0, 4.0, 0.0, -34.0]  # of the pairs: their standard deviation is 24.8...
    error = math.sqrt(sum((mean + 1.0) ** 2 for mean in means) / 3 / 4)
    assert points.value == -1.0
    assert points.high - points.value == pytest.approx(3.182446 * error, rel=0.01)
    assert points.value - points.low == pytest.approx(points.high - points.value)


def test_describe_hands_of_one_pair_knows_no_interval() -> None:
    points = describe_hands(make_hands(FOUR_PAIRS[:2])).points
    assert points == (26.0, -math.inf, math.inf)


def test_describe_hands_that_are_no_mirrored_singles_has_no_sweeps() -> None:
    in_matches, once = make_hands(FOUR_PAIRS), make_hands(FOUR_PAIRS)
    in_matches["pair"], in_matches["hand"] = np.arange(8) // 4, np.arange(8) % 4
    once["pair"] = np.arange(8)
    assert describe_hands(in_matches).sweeps is None
    assert describe_hands(once).sweeps is None


def test_describe_hands_without_knocks_has_no_deadwood() -> None:
    described = describe_hands(make_hands(FOUR_PAIRS[4:5]))
    assert described.deadwood is None
    assert described.a.deadwood is None


def test_describe_matches_counts_as_by_hand() -> None:
    winners = [(A, A), (A, B), (B, A), (A, A)]
    described = describe_matches(make_matches(winners, [(100, 50), (30, -40), (-20, 20), (60, 40)]))
    assert (described.n_matches, described.n_pairs) == (8, 4)
    assert described.won.value == 0.75
    assert described.points.value == 240 / 8
    assert described.hands.median == 6.5
    assert described.sweeps == (2, 0, 0.5)


def test_estimate_ratio_weighs_pairs_by_their_hands() -> None:
    estimate = estimate_ratio(np.array([10.0, 0.0, 5.0]), np.array([2, 4, 4]))
    excess = [10 - 1.5 * 2, 0 - 1.5 * 4, 5 - 1.5 * 4]
    error = math.sqrt(sum(e * e for e in excess) / 2 / 3) / (10 / 3)
    assert estimate.value == 1.5
    assert estimate.high - 1.5 == pytest.approx(4.302653 * error, rel=0.01)


@pytest.mark.parametrize("n_pairs", [5, 20, 80])
def test_estimate_ratio_holds_the_true_value_in_95_of_100(n_pairs: int) -> None:
    rng = np.random.default_rng(n_pairs)
    n_tries, held = 2000, 0
    for _ in range(n_tries):
        counts = rng.integers(6, 14, n_pairs)
        luck = rng.normal(0, 30, n_pairs)
        estimate = estimate_ratio(2.5 * counts + luck, counts)
        held += estimate.low <= 2.5 <= estimate.high
    assert 0.93 <= held / n_tries <= 0.97


@pytest.mark.slow
def test_interval_of_real_play_holds_the_long_run_value_in_95_of_100() -> None:
    players, rules = (resolve("hard"), resolve("simple")), Rules.preset("eaai")
    n_tries, n_pairs = 400, 50
    contest = Contest(rules=rules, n_deals=n_tries * n_pairs, seed=1)
    hands = join(list(play_contest(players, contest))).hands
    long_run = describe_hands(hands).points.value
    small = [describe_hands(part).points for part in np.split(hands, n_tries)]
    held = sum(points.low <= long_run <= points.high for points in small)
    assert 0.92 <= held / n_tries <= 0.98


@pytest.mark.parametrize("chance", [0.5, 0.65, 0.9])
@pytest.mark.parametrize("n_pairs", [10, 40, 200])
def test_estimate_share_holds_the_true_value_in_95_of_100(n_pairs: int, chance: float) -> None:
    rng = np.random.default_rng(n_pairs)
    n_tries, held = 2000, 0
    for _ in range(n_tries):
        is_alike = rng.random(n_pairs) < 0.3  # the deal decides some pairs
        first, second = (rng.random((2, n_pairs)) < chance).astype(float)
        estimate = estimate_share(np.where(is_alike, first, (first + second) / 2))
        held += estimate.low <= chance <= estimate.high
    assert held / n_tries >= 0.92


def test_estimate_share_is_never_certain_and_never_out_of_range() -> None:
    for score in (0.0, 0.5, 1.0):
        value, low, high = estimate_share(np.full(10, score))
        assert value == score
        assert 0.0 <= low <= value <= high <= 1.0
        assert high - low > 0.1


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(3, 3.1824), (5, 2.5706), (10, 2.2281), (30, 2.0423), (1000, 1.9623), (10**6, 1.95997)],
)
def test_student_quantile_is_as_in_the_tables(freedom: int, quantile: float) -> None:
    assert student_quantile(freedom) == pytest.approx(quantile, rel=0.003)


def test_sign_test_equals_the_exact_binomial() -> None:
    for n_for in range(12):
        for n_against in range(12):
            n, least = n_for + n_against, min(n_for, n_against)
            tail = Fraction(sum(math.comb(n, k) for k in range(least + 1)), 2**n)
            assert sign_test(n_for, n_against) == pytest.approx(
                min(1.0, float(2 * tail)), rel=1e-12
            )
    large = Fraction(sum(math.comb(900, k) for k in range(401)), 2**899)
    assert sign_test(400, 500) == pytest.approx(float(large), rel=1e-9)


def test_sign_test_of_very_many_pairs_stays_a_probability() -> None:
    assert sign_test(0, 0) == 1.0
    assert sign_test(100_000, 100_000) == 1.0
    assert 0.0 < sign_test(100_000, 100_900) < 0.05
    assert sign_test(0, 100_000) == 0.0


def test_count_sweeps_leaves_out_shared_and_dead_pairs() -> None:
    winners = np.array([[A, A], [A, B], [B, B], [B, B], [A, NOBODY], [NOBODY, NOBODY]])
    assert count_sweeps(winners) == (1, 2, 1.0)


def test_describe_spread_of_one_value() -> None:
    assert describe_spread(np.array([7])) == Spread(7.0, 7.0, 7.0, 7.0, 7.0, 7.0)
