"""Student's t distribution and the binomial distribution, written out to spare a dependency."""

import math
from statistics import NormalDist

import numpy as np

MAX_EXACT_FREEDOM = 30
"""Up to so many degrees of freedom the quantile comes from the exact distribution."""


def student_quantile(freedom: int, confidence: float) -> float:
    """Half the width of a two-sided interval, in standard errors.

    Up to `MAX_EXACT_FREEDOM` degrees of freedom from the exact distribution, beyond it by Cornish
    and Fisher's expansion, which is then right to seven digits.
    """
    if freedom <= MAX_EXACT_FREEDOM:
        low, high = 0.0, math.pi / 2
        for _ in range(60):
            middle = (low + high) / 2
            is_below = _student_inside(middle, freedom) < confidence
            low, high = (middle, high) if is_below else (low, middle)
        return math.sqrt(freedom) * math.tan(low)
    z, n = NormalDist().inv_cdf((1 + confidence) / 2), freedom
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return math.fsum(term / n**power for power, term in enumerate(terms))


def sign_test(n_for: int, n_against: int) -> float:
    """The exact two-sided p-value of a sign test: both signs are equally likely.

    The binomial tail is summed in logarithms: its terms leave the range of floats.
    """
    n = n_for + n_against
    least = min(n_for, n_against)
    if 2 * least == n:
        return 1.0
    ways = np.arange(1, least + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log(n - ways + 1) - np.log(ways))])
    log_tail = logs[-1] + math.log(np.exp(logs - logs[-1]).sum())
    return min(1.0, 2 * math.exp(log_tail - n * math.log(2)))


def _student_inside(angle: float, freedom: int) -> float:
    """The chance that Student's variable lies within sqrt(freedom) * tan(angle) of 0.

    The finite sums in which the integral of cos**(freedom - 1) ends; one kind for odd numbers of
    degrees of freedom, one for even ones.
    """
    cosine, is_odd = math.cos(angle), freedom % 2
    term, total = (cosine if is_odd else 1.0), 0.0
    for power in range(2 + is_odd, freedom + 1, 2):
        total += term
        term *= cosine**2 * (power - 1) / power
    total *= math.sin(angle)
    return 2 / math.pi * (angle + total) if is_odd else total
