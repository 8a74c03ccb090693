"""Statistics: worked examples, and intervals that cover the true value as often as stated."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from eval.games.game_log import HAND_DTYPE, MATCH_DTYPE, NO_DEADWOOD
from eval.stats.estimates import (
    MIN_PAIRS_TO_ADJUST,
    Adjusted,
    Estimate,
    Spread,
    adjust_ratio,
    adjust_share,
    count_sweeps,
    describe_hands,
    describe_matches,
    describe_spread,
    estimate_ratio,
    estimate_share,
    fit_betas,
)
from gin_env.core.state import Ending
from tests.eval.results import count_covered, given, play

A, B, NOBODY = 0, 1, -1
N_TRIES = 2000

WHO = ("pair", "seat_of_a", "hand", "ending", "knocker", "winner")
COLUMNS = (*WHO, "points", "n_turns", "deadwood")
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
    for name, values in zip(COLUMNS, zip(*rows, strict=True), strict=True):
        hands[name] = values
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
    assert given(a.deadwood).mean == 8.0  # 6 and 10: gin is no plain knock
    assert given(described.deadwood).mean == (6 + 9 + 2 + 10 + 8) / 5
    assert described.turns == Spread(13.0, 5.0, 8.5, 11.5, 14.5, 30.0)
    assert given(described.sweeps)[:2] == (1, 1)
    assert described.deviation == pytest.approx(np.std([12, 40, 28, -20, 0, 0, -60, -8]))


def test_describe_hands_counts_by_seat_and_by_dealer() -> None:
    hands = make_hands(FOUR_PAIRS)
    hands["dealer"] = [A, B, B, A, A, A, A, A]
    described = describe_hands(hands)
    first, second = given(described.a_in_seat_0), given(described.a_in_seat_1)
    assert (first.n_hands, first.a.hands_won, first.b.hands_won, first.dead) == (4, 2, 1, 1)
    assert (first.a.undercuts, first.b.big_gins, first.points.value) == (1, 1, -5.0)
    assert first.turns.mean == (9 + 11 + 30 + 16) / 4
    assert (second.n_hands, second.a.gins, second.b.hands_won, second.dead) == (4, 1, 2, 0)
    a_deals, b_deals = given(described.a_deals), given(described.b_deals)
    assert (a_deals.n_hands, b_deals.n_hands) == (6, 2)
    assert b_deals.points.value == (40 + 28) / 2


def test_describe_hands_in_one_seat_knows_nothing_of_the_other() -> None:
    described = describe_hands(make_hands(FOUR_PAIRS[::2]))
    assert described.a_in_seat_0 is not None
    assert described.a_in_seat_1 is None


def test_describe_hands_counts_forfeits_against_who_forfeits() -> None:
    rows = (
        (0, 0, 0, Ending.FORFEIT, NOBODY, B, -50, 3, NO_DEADWOOD),
        (0, 1, 0, Ending.FORFEIT, NOBODY, A, 50, 3, NO_DEADWOOD),
        (1, 0, 0, Ending.FORFEIT, NOBODY, B, -50, 3, NO_DEADWOOD),
        (1, 1, 0, Ending.KNOCK, A, A, 9, 3, 4),
    )
    described = describe_hands(make_hands(rows))
    assert (described.a.forfeits, described.b.forfeits) == (2, 1)
    assert (described.a.hands_won, described.b.hands_won) == (2, 2)
    assert given(described.a_in_seat_0).a.forfeits == 2


def test_describe_hands_takes_pairs_as_units() -> None:
    points = describe_hands(make_hands(FOUR_PAIRS)).points
    means = [26.0, 4.0, 0.0, -34.0]  # of the pairs: their standard deviation is 24.8...
    error = math.sqrt(sum((mean + 1.0) ** 2 for mean in means) / 3 / 4)
    assert points.value == -1.0
    assert points.high - points.value == pytest.approx(3.182446 * error)
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
    assert estimate.high - 1.5 == pytest.approx(4.302653 * error)


@pytest.mark.parametrize("n_pairs", [5, 20, 80])
def test_estimate_ratio_covers_the_true_value_in_95_of_100(n_pairs: int) -> None:
    rng = np.random.default_rng(n_pairs)

    def estimate() -> Estimate:
        counts = rng.integers(6, 14, n_pairs)
        return estimate_ratio(2.5 * counts + rng.normal(0, 30, n_pairs), counts)

    assert 0.93 <= count_covered((estimate() for _ in range(N_TRIES)), 2.5) <= 0.97


@pytest.mark.parametrize("chance", [0.5, 0.65, 0.9])
@pytest.mark.parametrize("n_pairs", [10, 40, 200])
def test_estimate_share_covers_the_true_value_in_95_of_100(n_pairs: int, chance: float) -> None:
    rng = np.random.default_rng(n_pairs)

    def estimate() -> Estimate:
        is_alike = rng.random(n_pairs) < 0.3  # the deal decides some pairs
        first, second = (rng.random((2, n_pairs)) < chance).astype(float)
        return estimate_share(np.where(is_alike, first, (first + second) / 2))

    assert count_covered((estimate() for _ in range(N_TRIES)), chance) >= 0.92


def test_estimate_share_is_never_certain_and_never_out_of_range() -> None:
    for score in (0.0, 0.5, 1.0):
        value, low, high = estimate_share(np.full(10, score))
        assert value == score
        assert 0.0 <= low <= value <= high <= 1.0
        assert high - low > 0.1


def make_lucky(
    rng: np.random.Generator, n_pairs: int, beta: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Amounts with a mean of 2.5 a count, and a skewed control variate that explains a part."""
    control = rng.exponential(10, n_pairs) - 10
    counts = rng.integers(6, 14, n_pairs)
    return 2.5 * counts + beta * control + rng.normal(0, 10, n_pairs), counts, control


def check_unbiased(adjusted: list[Adjusted | None], true: float, most: float) -> float:
    """Check estimates of a known value. Returns the mean of their shrinkages."""
    estimates = [given(one).estimate for one in adjusted]
    values = [estimate.value for estimate in estimates]
    assert 0.925 <= count_covered(estimates, true) <= most
    assert abs(np.mean(values) - true) < 4 * np.std(values) / len(values) ** 0.5
    return float(np.mean([given(one).shrinkage for one in adjusted]))


@pytest.mark.parametrize("n_pairs", [MIN_PAIRS_TO_ADJUST, 80])
def test_adjust_ratio_is_unbiased_narrower_and_covers_the_true_value(n_pairs: int) -> None:
    rng = np.random.default_rng(n_pairs)
    adjusted = [adjust_ratio(*make_lucky(rng, n_pairs, 1.5)) for _ in range(N_TRIES)]
    shrinkage = check_unbiased(adjusted, 2.5, 0.97)
    assert shrinkage == pytest.approx(10 / math.hypot(10, 15), rel=4 / n_pairs)


def test_adjust_ratio_fits_the_coefficient() -> None:
    adjusted = given(adjust_ratio(*make_lucky(np.random.default_rng(1), 5000, -3.0)))
    assert adjusted.beta == pytest.approx(-3.0, rel=0.05)


def test_adjust_ratio_by_what_explains_nothing_costs_next_to_nothing() -> None:
    adjusted = given(adjust_ratio(*make_lucky(np.random.default_rng(2), 2000, 0.0)))
    assert adjusted.shrinkage == pytest.approx(1.0, abs=0.01)


def test_adjust_needs_enough_pairs_and_a_control_variate() -> None:
    few = MIN_PAIRS_TO_ADJUST - 1
    assert adjust_ratio(np.ones(few), np.ones(few), np.ones(few)) is None
    assert adjust_share(np.ones(few), np.ones(few)) is None
    amounts, counts = np.arange(40.0), np.full(40, 2)
    adjusted = given(adjust_ratio(amounts, counts, np.zeros(40)))
    assert adjusted.estimate == estimate_ratio(amounts, counts)
    assert (adjusted.beta, adjusted.shrinkage) == (0.0, 1.0)


def test_fit_betas_of_a_half_depend_on_the_other_half_only() -> None:
    amounts, counts, control = make_lucky(np.random.default_rng(3), 40, 1.0)
    betas = fit_betas(amounts, counts, control)
    assert len(set(betas[::2])) == len(set(betas[1::2])) == 1
    amounts[::2] += np.arange(20) ** 2
    changed = fit_betas(amounts, counts, control)
    assert (changed[::2] == betas[::2]).all()
    assert (changed[1::2] != betas[1::2]).all()


@pytest.mark.parametrize("chance", [0.5, 0.75])
def test_adjust_share_is_unbiased_narrower_and_covers_the_true_value(chance: float) -> None:
    rng, cut = np.random.default_rng(5), NormalDist().inv_cdf(1 - chance) * math.sqrt(2)

    def adjust() -> Adjusted | None:
        control, noise = rng.normal(size=(2, 60, 2))
        return adjust_share((control + noise > cut).mean(axis=1), control.sum(axis=1))

    assert check_unbiased([adjust() for _ in range(N_TRIES)], chance, 0.98) < 0.9


def test_adjust_share_of_a_sweep_is_neither_certain_nor_out_of_range() -> None:
    adjusted = given(adjust_share(np.ones(40), np.random.default_rng(6).normal(size=40)))
    value, low, high = adjusted.estimate
    assert (value, high) == (1.0, 1.0)
    assert low < 0.97


def test_describe_adjusts_points_and_matches() -> None:
    hands = given(describe_hands(play("hard", "simple", n_deals=300, seed=2).hands).adjusted)
    assert 0.75 < hands.shrinkage < 0.92
    assert hands.beta == pytest.approx(1.0, abs=0.4)
    played = play("hard", "simple", n_deals=300, seed=2, episode="match")
    matches = given(describe_matches(played.matches).adjusted)
    assert 0.8 < matches.shrinkage < 0.98
    assert matches.beta > 0


def test_count_sweeps_leaves_out_shared_and_dead_pairs() -> None:
    winners = np.array([[A, A], [A, B], [B, B], [B, B], [A, NOBODY], [NOBODY, NOBODY]])
    assert count_sweeps(winners) == (1, 2, 1.0)


def test_estimate_from_the_other_side() -> None:
    assert Estimate(3.0, 1.0, 6.0).negated() == (-3.0, -6.0, -1.0)
    assert Estimate(0.75, 0.5, 0.875).complement() == (0.25, 0.125, 0.5)


def test_describe_spread_of_one_value() -> None:
    assert describe_spread(np.array([7])) == Spread(7.0, 7.0, 7.0, 7.0, 7.0, 7.0)
