"""What the played hands and matches say, and how surely (docs/evaluation.md).

The pair is the unit of every interval: two games of one deal with the seats exchanged depend on
each other, two pairs do not.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from gin_env.core.state import Ending

CONFIDENCE = 0.95
_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)

PLAIN_KNOCKS = (Ending.KNOCK, Ending.UNDERCUT, Ending.PUSH)
"""How a hand ends when somebody knocks without gin."""


class Estimate(NamedTuple):
    """A mean and its 95 % interval, which is endless where a single pair was played."""

    value: float
    low: float
    high: float


class Spread(NamedTuple):
    """Where a number of values lie."""

    mean: float
    least: float
    lower_quartile: float
    median: float
    upper_quartile: float
    greatest: float


class Sweeps(NamedTuple):
    """Pairs in which one side won both games."""

    by_a: int
    by_b: int
    p_value: float
    """Two-sided, exact: how likely so uneven a split, or a more uneven one, is among equals."""


@dataclass(frozen=True)
class Side:
    """What one player did in the hands."""

    hands_won: int
    knocks: int
    """Knocks without gin, undercut ones included."""
    gins: int
    big_gins: int
    undercuts: int
    """Hands that the player won by undercutting the other's knock."""
    deadwood: Spread | None
    """Points left at those knocks; None where there were none."""


@dataclass(frozen=True)
class HandStatistics:
    """A number of hands between A and B."""

    n_hands: int
    n_pairs: int
    points: Estimate
    """Points per hand to A."""
    deviation: float
    """Standard deviation of a hand's points."""
    a: Side
    b: Side
    dead: int
    turns: Spread
    """Turns of a hand, both seats' together."""
    deadwood: Spread | None
    """Points left at knocks without gin, whoever knocked."""
    sweeps: Sweeps | None
    """Of single mirrored hands; None for others."""


@dataclass(frozen=True)
class MatchStatistics:
    """A number of matches between A and B."""

    n_matches: int
    n_pairs: int
    won: Estimate
    """The share of matches that A won."""
    points: Estimate
    """Points per match to A, bonuses included."""
    hands: Spread
    """Hands of a match."""
    sweeps: Sweeps


def describe_hands(hands: np.ndarray) -> HandStatistics:
    """Describe hands (shape [H], `HAND_DTYPE`, at least one), ordered as `Played` has them."""
    pairs = hands["pair"] - hands["pair"].min()
    n_hands = np.bincount(pairs)
    played = n_hands > 0
    points = np.bincount(pairs, hands["points"])
    is_plain = np.isin(hands["ending"], PLAIN_KNOCKS)
    return HandStatistics(
        n_hands=len(hands),
        n_pairs=int(np.count_nonzero(played)),
        points=estimate_ratio(points[played], n_hands[played]),
        deviation=float(hands["points"].std()),
        a=_describe_side(hands, 0),
        b=_describe_side(hands, 1),
        dead=int(np.count_nonzero(hands["ending"] == Ending.DEAD)),
        turns=describe_spread(hands["n_turns"]),
        deadwood=_describe_deadwood(hands[is_plain]),
        sweeps=_sweeps_of_single_hands(hands),
    )


def describe_matches(matches: np.ndarray) -> MatchStatistics:
    """Describe mirrored matches (shape [M], `MATCH_DTYPE`, at least two), ordered by pair."""
    winners = matches["winner"].reshape(-1, 2)
    points = matches["points"].reshape(-1, 2).sum(axis=1)
    return MatchStatistics(
        n_matches=len(matches),
        n_pairs=len(winners),
        won=estimate_share((winners == 0).mean(axis=1)),
        points=estimate_ratio(points, np.full(len(points), 2)),
        hands=describe_spread(matches["n_hands"]),
        sweeps=count_sweeps(winners),
    )


def estimate_ratio(amounts: np.ndarray, counts: np.ndarray) -> Estimate:
    """The amount per count over all pairs, with Student's interval.

    Where the counts differ (matches are not all equally long) this is the usual estimator of a
    ratio: what a pair has beyond its share is taken as its error.

    Args:
        amounts: Shape [P]: a pair's points, say.
        counts: Shape [P]: in how many hands.
    """
    value = float(amounts.sum() / counts.sum())
    n_pairs = len(amounts)
    if n_pairs < 2:
        return Estimate(value, -math.inf, math.inf)
    excess = amounts - value * counts
    error = excess.std(ddof=1) / counts.mean() / math.sqrt(n_pairs)
    reach = float(student_quantile(n_pairs - 1) * error)
    return Estimate(value, value - reach, value + reach)


def estimate_share(scores: np.ndarray) -> Estimate:
    """The mean of the pairs' scores, each 0, 1/2 or 1.

    For the interval one pair is added to those that each side swept (after Agresti and Coull), so
    that a few matches, all won or all shared, do not look certain.

    Args:
        scores: Shape [P]: the share of its two matches that A won.
    """
    padded = np.concatenate([scores, [0.0, 1.0]])
    error = padded.std(ddof=1) / math.sqrt(len(padded))
    reach = float(student_quantile(len(padded) - 1) * error)
    middle = float(padded.mean())
    return Estimate(float(scores.mean()), max(middle - reach, 0.0), min(middle + reach, 1.0))


def student_quantile(freedom: int) -> float:
    """The reach of a 95 % interval in standard errors, by degrees of freedom.

    Cornish and Fisher's expansion: within 1 % from 3 degrees of freedom on.
    """
    z, n = _Z, freedom
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return math.fsum(term / n**power for power, term in enumerate(terms))


def count_sweeps(winners: np.ndarray) -> Sweeps:
    """Count the pairs that one side won both games of.

    Args:
        winners: Shape [P, 2]: 0 for A, 1 for B, -1 for nobody.
    """
    by_a = int((winners == 0).all(axis=1).sum())
    by_b = int((winners == 1).all(axis=1).sum())
    return Sweeps(by_a, by_b, sign_test(by_a, by_b))


def sign_test(n_for: int, n_against: int) -> float:
    """The exact two-sided p-value of so many signs for and against, among equals.

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


def describe_spread(values: np.ndarray) -> Spread:
    """Where the values (shape [K], at least one) lie."""
    least, lower, median, upper, greatest = np.quantile(values, (0, 0.25, 0.5, 0.75, 1)).tolist()
    return Spread(float(values.mean()), least, lower, median, upper, greatest)


def _sweeps_of_single_hands(hands: np.ndarray) -> Sweeps | None:
    in_pairs = len(hands) % 2 == 0 and not hands["hand"].any()
    if not in_pairs or not np.array_equal(hands["pair"][::2], hands["pair"][1::2]):
        return None
    return count_sweeps(hands["winner"].reshape(-1, 2))


def _describe_side(hands: np.ndarray, player: int) -> Side:
    won, knocked = hands["winner"] == player, hands["knocker"] == player
    is_plain = np.isin(hands["ending"], PLAIN_KNOCKS)

    def count(of: np.ndarray, ending: Ending) -> int:
        return int(np.count_nonzero(of & (hands["ending"] == ending)))

    return Side(
        hands_won=int(np.count_nonzero(won)),
        knocks=int(np.count_nonzero(knocked & is_plain)),
        gins=count(knocked, Ending.GIN),
        big_gins=count(knocked, Ending.BIG_GIN),
        undercuts=count(won, Ending.UNDERCUT),
        deadwood=_describe_deadwood(hands[knocked & is_plain]),
    )


def _describe_deadwood(knocks: np.ndarray) -> Spread | None:
    return describe_spread(knocks["deadwood"]) if len(knocks) else None
