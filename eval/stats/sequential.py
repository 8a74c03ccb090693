"""A sequential test: it may be looked at after every pair, and stopped as soon as it decides.

It bets against the hypothesis that the two players are equal, with a capital of 1, of which a share
is staked on each pair. Were the true mean 0, every such bet would be fair, and a capital whose
expectation stays 1 reaches 1 / error with at most the chance ``error``, whenever one stops (Ville
1939). All that is assumed is that an amount has a known bound; no variance is estimated. As the
best stake is not known beforehand, the capital is spread over stakes of many sizes, half of them on
each side (after Waudby-Smith and Ramdas 2024).
"""

import math
from dataclasses import dataclass

import numpy as np

from eval.errors import EvalError
from eval.stats.estimates import Estimate
from gin_env.core.cards import CARD_POINTS, HAND_SIZE
from gin_env.core.rules import Rules

N_STAKES = 24
STAKES = 0.98 * 2.0 ** (-np.arange(N_STAKES) / 2)
"""Shares of the capital that the worst outcome would lose. Shape [24]."""
N_HALVINGS = 50
"""Bisections for an interval's end: to less than the precision of a float."""

EXCESS_BOUND = 0.5
"""The bound of `pair_excess`."""

MAX_DEADWOOD_OF_TEN = int(np.sort(CARD_POINTS.reshape(4, -1)[:2].ravel())[-HAND_SIZE:].sum())
"""The most points of ten cards: three of a rank are a set, so at most two of each count."""


@dataclass(frozen=True)
class SequentialTest:
    """A two-sided test of the mean of pairs' results being 0, valid whenever one stops.

    Attributes:
        error: The chance, at most, of deciding between two equal players.
        bound: The largest absolute value of an amount.

    Raises:
        EvalError: If the error is not between 0 and 1, or the bound is not above 0; by all
            methods if an amount lies beyond the bound.
    """

    error: float
    bound: float

    def __post_init__(self) -> None:
        if not 0 < self.error < 1:
            raise EvalError(f"an error lies between 0 and 1, not at {self.error!r}")
        if not self.bound > 0:
            raise EvalError(f"a bound lies above 0, not at {self.bound!r}")

    def decide(self, amounts: np.ndarray) -> bool:
        """Return whether the mean differs from 0.

        Args:
            amounts: Shape [P], of all pairs so far: what A gained on B in each, in any order.
        """
        return self._is_refuted(0.0, *self._count(amounts))

    def interval(self, amounts: np.ndarray) -> Estimate:
        """The mean so far, and the interval of all means that are not refuted.

        It covers the true mean with a chance of at least 1 - error, whenever one stops. It is wider
        than an interval for a fixed number of pairs.

        Args:
            amounts: Shape [P], as for `decide`.
        """
        values, counts = self._count(amounts)
        if not len(values):
            return Estimate(0.0, -self.bound, self.bound)
        mean = float(values @ counts / counts.sum())
        ends = [self._find_end(mean, end, values, counts) for end in (-self.bound, self.bound)]
        return Estimate(mean, *ends)

    def _count(self, amounts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The distinct amounts and how often each occurs: few, since points are whole numbers."""
        values, counts = np.unique(np.asarray(amounts, np.float64), return_counts=True)
        if len(values) and not max(-values[0], values[-1]) <= self.bound:
            raise EvalError(f"amounts must lie within ±{self.bound:g}, not {values[[0, -1]]}")
        return values, counts

    def _is_refuted(self, mean: float, values: np.ndarray, counts: np.ndarray) -> bool:
        """Return whether the bets against a mean have multiplied the capital by 1 / error."""
        logs = []
        for side in (1, -1):  # on more than the mean, on less
            gains = side * (values - mean) / (self.bound + side * mean)  # at least -1
            logs.append(counts @ np.log1p(gains[:, None] * STAKES))
        log_capitals = np.concatenate(logs)
        most = log_capitals.max()
        log_capital = most + math.log(np.exp(log_capitals - most).mean())
        return bool(log_capital >= -math.log(self.error))

    def _find_end(
        self, inside: float, outside: float, values: np.ndarray, counts: np.ndarray
    ) -> float:
        """The first refuted mean, by bisection: the capital is a convex function of the mean."""
        for _ in range(N_HALVINGS):
            middle = (inside + outside) / 2
            if abs(middle) < self.bound and not self._is_refuted(middle, values, counts):
                inside = middle
            else:
                outside = middle
        return outside


def pair_points(hands: np.ndarray) -> np.ndarray:
    """What A gained in each pair of single hands: the mean of its two hands' points.

    Args:
        hands: Shape [H], `HAND_DTYPE`, two a deal.

    Returns:
        Shape [H / 2], float64.
    """
    return np.asarray(hands["points"].reshape(-1, 2).mean(axis=1))


def pair_excess(matches: np.ndarray) -> np.ndarray:
    """A's share of each pair of matches less a half: -1/2, 0 or 1/2.

    Args:
        matches: Shape [M], `MATCH_DTYPE`, two a deal.

    Returns:
        Shape [M / 2], float64.
    """
    return np.asarray((matches["winner"].reshape(-1, 2) == 0).mean(axis=1) - 0.5)


def anytime_points(hands: np.ndarray, bound: float, error: float) -> Estimate:
    """Points per hand to A, with an anytime-valid interval: it holds whenever play was stopped.

    Args:
        hands: Shape [H], `HAND_DTYPE`: single hands, two a deal.
        bound: See `hand_bound`.
        error: The chance, at most, that the interval does not cover the mean.
    """
    return SequentialTest(error, bound).interval(pair_points(hands))


def anytime_share(matches: np.ndarray, error: float) -> Estimate:
    """The share of matches (shape [M], `MATCH_DTYPE`, two a deal) that A won, likewise."""
    ends = SequentialTest(error, EXCESS_BOUND).interval(pair_excess(matches))
    return Estimate(*(end + 0.5 for end in ends))


def hand_bound(rules: Rules, penalty: int = 0) -> float:
    """The most points of a hand, and so of the mean of a pair's two.

    Args:
        rules: Of the hand.
        penalty: Points that a forfeited hand costs.
    """
    gin = MAX_DEADWOOD_OF_TEN + max(rules.gin_bonus, rules.big_gin_bonus or 0)
    undercut = rules.knock_limit + rules.undercut_bonus
    times = 2 if rules.oklahoma_spades_double else 1
    return float(max(times * gin, times * undercut, penalty))
