"""A test that may be looked at after every pair, and stopped as soon as it is sure.

It is a bet against the two players being equal. Somebody starts with a capital of 1 and stakes a
share of it on each pair; were the true mean 0, every such bet would be fair, and a capital that is
expected to stay at 1 reaches 1 / error with at most the chance ``error``, whenever one stops (Ville
1939). Nothing is assumed but that an amount has a known bound; no variance is estimated. The stakes
are spread over shares of many sizes, half of them on each side, for the right one is not known
beforehand (after Waudby-Smith and Ramdas 2024).
"""

import math
from dataclasses import dataclass

import numpy as np

from eval.stats.estimates import Estimate, StatisticsError
from gin_env.core.cards import CARD_POINTS, HAND_SIZE
from gin_env.core.rules import Rules

N_STAKES = 24
STAKES = 0.98 * 2.0 ** (-np.arange(N_STAKES) / 2)
"""Shares of the capital that are staked, were the worst outcome to come. Shape [24]."""
N_HALVINGS = 50
"""So often an interval's end is narrowed down: to less than a float can tell."""

EXCESS_BOUND = 0.5
"""No excess of `pair_excess` lies further from 0."""

MAX_DEADWOOD_OF_TEN = int(np.sort(CARD_POINTS.reshape(4, -1)[:2].ravel())[-HAND_SIZE:].sum())
"""No ten cards leave more points: three of a rank are a set, so at most two of each count."""


@dataclass(frozen=True)
class SequentialTest:
    """A two-sided test of the mean of pairs' results being 0, valid whenever one stops.

    Attributes:
        error: The chance, at most, that two equal players are ever told apart.
        bound: No amount lies further from 0.

    Raises:
        StatisticsError: If the error is not between 0 and 1, or the bound is not above 0; by all
            methods if an amount lies beyond the bound.
    """

    error: float
    bound: float

    def __post_init__(self) -> None:
        if not 0 < self.error < 1:
            raise StatisticsError(f"an error lies between 0 and 1, not at {self.error!r}")
        if not self.bound > 0:
            raise StatisticsError(f"a bound lies above 0, not at {self.bound!r}")

    def decide(self, amounts: np.ndarray) -> bool:
        """Whether the mean is surely not 0.

        Args:
            amounts: Shape [P], of all pairs so far: what A gained on B in each; their order is of
                no account.
        """
        return self._is_refuted(0.0, *self._count(amounts))

    def interval(self, amounts: np.ndarray) -> Estimate:
        """The mean so far, and the interval of all means that are not refuted.

        It holds the true mean with a chance of at least 1 - error, whenever one stops. It is wider
        than an interval for a number of pairs fixed beforehand.

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
        """The different amounts and how often each came: few, since points are whole numbers."""
        values, counts = np.unique(np.asarray(amounts, np.float64), return_counts=True)
        if len(values) and not max(-values[0], values[-1]) <= self.bound:
            raise StatisticsError(f"amounts must lie within ±{self.bound:g}, not {values[[0, -1]]}")
        return values, counts

    def _is_refuted(self, mean: float, values: np.ndarray, counts: np.ndarray) -> bool:
        """Whether the bets against a mean have multiplied the capital by 1 / error."""
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
        """Where the refuted means begin. The capital is a convex function of the mean."""
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
    """By how much A's share of each pair of matches exceeds a half: -1/2, 0 or 1/2.

    Args:
        matches: Shape [M], `MATCH_DTYPE`, two a deal.

    Returns:
        Shape [M / 2], float64.
    """
    return np.asarray((matches["winner"].reshape(-1, 2) == 0).mean(axis=1) - 0.5)


def anytime_points(hands: np.ndarray, bound: float, error: float) -> Estimate:
    """Points per hand to A, with an interval that stays valid if play was stopped at will.

    Args:
        hands: Shape [H], `HAND_DTYPE`: single hands, two a deal.
        bound: See `hand_bound`.
        error: The chance, at most, that the interval misses the mean.
    """
    return SequentialTest(error, bound).interval(pair_points(hands))


def anytime_share(matches: np.ndarray, error: float) -> Estimate:
    """The share of matches (shape [M], `MATCH_DTYPE`, two a deal) that A won, likewise."""
    ends = SequentialTest(error, EXCESS_BOUND).interval(pair_excess(matches))
    return Estimate(*(end + 0.5 for end in ends))


def hand_bound(rules: Rules, penalty: int = 0) -> float:
    """The most points that a hand can bring to either side, and so the mean of a pair's two.

    Args:
        rules: The table.
        penalty: Points that a forfeited hand costs.
    """
    gin = MAX_DEADWOOD_OF_TEN + max(rules.gin_bonus, rules.big_gin_bonus or 0)
    undercut = rules.knock_limit + rules.undercut_bonus
    times = 2 if rules.oklahoma_spades_double else 1
    return float(max(times * gin, times * undercut, penalty))
