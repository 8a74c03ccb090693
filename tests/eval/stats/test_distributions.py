"""Distributions: Student's quantiles as in the tables, the sign test as counted exactly."""

import math
from fractions import Fraction

import pytest

from eval.stats.distributions import sign_test, student_quantile


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [
        (1, 12.706205),
        (2, 4.302653),
        (3, 3.182446),
        (4, 2.776445),
        (5, 2.570582),
        (10, 2.228139),
        (29, 2.045230),
        (30, 2.042272),
        (31, 2.039513),
        (60, 2.000298),
        (1000, 1.962339),
        (10**6, 1.959966),
    ],
)
def test_student_quantile_is_as_in_the_tables(freedom: int, quantile: float) -> None:
    assert student_quantile(freedom, 0.95) == pytest.approx(quantile, abs=1e-6)


def test_student_quantile_of_other_confidences() -> None:
    assert student_quantile(1, 0.5) == pytest.approx(1.0)
    assert student_quantile(2, 0.99) == pytest.approx(9.924843, abs=1e-6)
    assert student_quantile(40, 0.99) == pytest.approx(2.704459, abs=1e-5)


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
