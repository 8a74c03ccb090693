"""Statistics of hands and matches, with confidence intervals (docs/evaluation.md).

The pair is the unit of every interval: two games of one deal with the seats exchanged depend on
each other, two pairs do not.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Self

import numpy as np

from eval.stats.distributions import sign_test, student_quantile
from gin_env.core.state import Ending

CONFIDENCE = 0.95
MIN_PAIRS_TO_ADJUST = 20
"""With fewer pairs the coefficient of the control variate is too uncertain to be of use."""

PLAIN_KNOCKS = (Ending.KNOCK, Ending.UNDERCUT, Ending.PUSH)
"""The endings of a hand in which somebody knocks without gin."""


class Estimate(NamedTuple):
    """A mean and its 95 % interval, which is infinite where a single pair was played."""

    value: float
    low: float
    high: float

    def negated(self) -> Self:
        """The same points, seen from the other side."""
        return self._replace(value=-self.value, low=-self.high, high=-self.low)

    def complement(self) -> Self:
        """What a share leaves to the other side."""
        return self._replace(value=1 - self.value, low=1 - self.high, high=1 - self.low)


class Spread(NamedTuple):
    """The distribution of some values."""

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
    """Two-sided, exact: how likely an at least so uneven split is between equal players."""


class Adjusted(NamedTuple):
    """An estimate of the same value with the control variate: its interval is narrower."""

    estimate: Estimate
    beta: float
    """The coefficient of the control variate, the mean of both halves: see `fit_betas`."""
    shrinkage: float
    """The width of this interval over the plain one's: at 0.8 the pairs are worth as much as
    1 / 0.8**2 = 1.56 times as many without the control variate."""


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
    forfeits: int
    """Hands that the player lost by breaking the rules or failing to answer."""
    deadwood: Spread | None
    """Points left at those knocks; None where there were none."""


@dataclass(frozen=True)
class HandPart:
    """Some hands between A and B."""

    n_hands: int
    points: Estimate
    """Points per hand to A."""
    a: Side
    b: Side
    dead: int
    turns: Spread
    """Turns of a hand, both seats' together."""


@dataclass(frozen=True)
class HandStatistics(HandPart):
    """All hands between A and B."""

    n_pairs: int
    adjusted: Adjusted | None
    """Points per hand with the control variate; None below `MIN_PAIRS_TO_ADJUST` pairs."""
    deviation: float
    """Standard deviation of a hand's points."""
    deadwood: Spread | None
    """Points left at knocks without gin, whoever knocked."""
    sweeps: Sweeps | None
    """Of single mirrored hands; None for others."""
    a_in_seat_0: HandPart | None
    """The first game of each pair; None where there was no such hand, likewise below."""
    a_in_seat_1: HandPart | None
    a_deals: HandPart | None
    b_deals: HandPart | None


@dataclass(frozen=True)
class MatchStatistics:
    """All matches between A and B."""

    n_matches: int
    n_pairs: int
    won: Estimate
    """The share of matches that A won."""
    adjusted: Adjusted | None
    """The same with the control variate; None below `MIN_PAIRS_TO_ADJUST` pairs."""
    points: Estimate
    """Points per match to A, bonuses included."""
    hands: Spread
    """Hands of a match."""
    sweeps: Sweeps


def describe_hands(hands: np.ndarray) -> HandStatistics:
    """Describe hands (shape [H], `HAND_DTYPE`, at least one), ordered as `Played` has them."""
    points, control, n_hands = _sum_by_pair(hands)
    return HandStatistics(
        **vars(_describe_part(hands)),
        n_pairs=len(n_hands),
        adjusted=adjust_ratio(points, n_hands, control),
        deviation=float(hands["points"].std()),
        deadwood=_describe_deadwood(hands),
        sweeps=_sweeps_of_single_hands(hands),
        a_in_seat_0=_describe_part(hands[hands["seat_of_a"] == 0]),
        a_in_seat_1=_describe_part(hands[hands["seat_of_a"] == 1]),
        a_deals=_describe_part(hands[hands["dealer"] == 0]),
        b_deals=_describe_part(hands[hands["dealer"] == 1]),
    )


def describe_matches(matches: np.ndarray) -> MatchStatistics:
    """Describe mirrored matches (shape [M], `MATCH_DTYPE`, at least two), ordered by pair."""
    winners = matches["winner"].reshape(-1, 2)
    scores = (winners == 0).mean(axis=1)
    points = matches["points"].reshape(-1, 2).sum(axis=1)
    return MatchStatistics(
        n_matches=len(matches),
        n_pairs=len(winners),
        won=estimate_share(scores),
        adjusted=adjust_share(scores, matches["luck"].reshape(-1, 2).sum(axis=1)),
        points=estimate_ratio(points, np.full(len(points), 2)),
        hands=describe_spread(matches["n_hands"]),
        sweeps=count_sweeps(winners),
    )


def estimate_ratio(
    amounts: np.ndarray, counts: np.ndarray, confidence: float = CONFIDENCE
) -> Estimate:
    """The amount per count over all pairs, with Student's interval.

    Where the counts differ (matches are not all equally long) this is the usual estimator of a
    ratio: what a pair has beyond its share is taken as its error.

    Args:
        amounts: Shape [P]: a pair's points, say.
        counts: Shape [P]: in how many hands.
        confidence: Of the interval.
    """
    value = float(amounts.sum() / counts.sum())
    n_pairs = len(amounts)
    if n_pairs < 2:
        return Estimate(value, -math.inf, math.inf)
    excess = amounts - value * counts
    error = excess.std(ddof=1) / counts.mean() / math.sqrt(n_pairs)
    reach = float(student_quantile(n_pairs - 1, confidence) * error)
    return Estimate(value, value - reach, value + reach)


def estimate_share(scores: np.ndarray, confidence: float = CONFIDENCE) -> Estimate:
    """The mean of the pairs' scores, from 0 to 1.

    For the interval one pair is added to those that each side swept (after Agresti and Coull), so
    that a few matches, all won or all shared, do not look certain.

    Args:
        scores: Shape [P]: the share of its two matches that A won, 0, 1/2 or 1; with the control
            variate it may lie outside.
        confidence: Of the interval.
    """
    padded = np.concatenate([scores, [0.0, 1.0]])
    _, low, high = estimate_ratio(padded, np.ones(len(padded)), confidence)
    value = min(max(float(scores.mean()), 0.0), 1.0)
    return Estimate(value, max(low, 0.0), min(high, 1.0))


def adjust_ratio(amounts: np.ndarray, counts: np.ndarray, control: np.ndarray) -> Adjusted | None:
    """What `estimate_ratio` estimates, with a control variate.

    Args:
        amounts: Shape [P].
        counts: Shape [P].
        control: Shape [P]: the control variate of each pair, zero in expectation.

    Returns:
        None where there are fewer than `MIN_PAIRS_TO_ADJUST` pairs.
    """
    return _adjust(partial(estimate_ratio, counts=counts), amounts, counts, control)


def adjust_share(scores: np.ndarray, control: np.ndarray) -> Adjusted | None:
    """What `estimate_share` estimates, with a control variate; arguments as in `adjust_ratio`."""
    return _adjust(estimate_share, scores, np.ones(len(scores)), control)


def fit_betas(amounts: np.ndarray, counts: np.ndarray, control: np.ndarray) -> np.ndarray:
    """The coefficient of the control variate for each pair, fitted to the other half of the pairs.

    So a pair's control variate is multiplied by a coefficient that does not depend on it: the
    product is zero in expectation, and subtracting it moves no mean.

    Returns:
        Shape [P], amounts per point. One half are the pairs of even places, the other the rest;
        arguments as in `adjust_ratio`.
    """
    betas = np.zeros(len(control))
    for half in (0, 1):
        amount, n, others = (values[1 - half :: 2] for values in (amounts, counts, control))
        squares = others @ others
        if squares > 0:
            excess = amount - amount.sum() / n.sum() * n
            betas[half::2] = excess @ others / squares
    return betas


def count_sweeps(winners: np.ndarray) -> Sweeps:
    """Count the pairs that one side won both games of.

    Args:
        winners: Shape [P, 2]: 0 for A, 1 for B, -1 for nobody.
    """
    by_a = int((winners == 0).all(axis=1).sum())
    by_b = int((winners == 1).all(axis=1).sum())
    return Sweeps(by_a, by_b, sign_test(by_a, by_b))


def describe_spread(values: np.ndarray) -> Spread:
    """The distribution of values (shape [K], at least one)."""
    least, lower, median, upper, greatest = np.quantile(values, (0, 0.25, 0.5, 0.75, 1)).tolist()
    return Spread(float(values.mean()), least, lower, median, upper, greatest)


def _sum_by_pair(hands: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points to A, control variate and number of hands of each played pair. Shape [P] each."""
    pairs = hands["pair"] - hands["pair"].min()
    n_hands = np.bincount(pairs)
    played = n_hands > 0
    points, control = (np.bincount(pairs, hands[name])[played] for name in ("points", "luck"))
    return points, control, n_hands[played]


def _adjust(
    estimate: Callable[[np.ndarray], Estimate],
    amounts: np.ndarray,
    counts: np.ndarray,
    control: np.ndarray,
) -> Adjusted | None:
    if len(amounts) < MIN_PAIRS_TO_ADJUST:
        return None
    betas = fit_betas(amounts, counts, control)
    adjusted, plain = estimate(amounts - betas * control), estimate(amounts)
    width = plain.high - plain.low
    shrinkage = (adjusted.high - adjusted.low) / width if width > 0 else 1.0
    return Adjusted(adjusted, float(betas.mean()), shrinkage)


def _describe_part(hands: np.ndarray) -> HandPart | None:
    if not len(hands):
        return None
    points, _, n_hands = _sum_by_pair(hands)
    return HandPart(
        n_hands=len(hands),
        points=estimate_ratio(points, n_hands),
        a=_describe_side(hands, 0),
        b=_describe_side(hands, 1),
        dead=int(np.count_nonzero(hands["ending"] == Ending.DEAD)),
        turns=describe_spread(hands["n_turns"]),
    )


def _sweeps_of_single_hands(hands: np.ndarray) -> Sweeps | None:
    in_pairs = len(hands) % 2 == 0 and not hands["hand"].any()
    if not in_pairs or not np.array_equal(hands["pair"][::2], hands["pair"][1::2]):
        return None
    return count_sweeps(hands["winner"].reshape(-1, 2))


def _describe_side(hands: np.ndarray, player: int) -> Side:
    won, knocked = hands["winner"] == player, hands["knocker"] == player

    def count(of: np.ndarray, *endings: Ending) -> int:
        return int(np.count_nonzero(of & np.isin(hands["ending"], endings)))

    return Side(
        hands_won=int(np.count_nonzero(won)),
        knocks=count(knocked, *PLAIN_KNOCKS),
        gins=count(knocked, Ending.GIN),
        big_gins=count(knocked, Ending.BIG_GIN),
        undercuts=count(won, Ending.UNDERCUT),
        forfeits=count(hands["winner"] == 1 - player, Ending.FORFEIT),
        deadwood=_describe_deadwood(hands[knocked]),
    )


def _describe_deadwood(hands: np.ndarray) -> Spread | None:
    knocks = hands[np.isin(hands["ending"], PLAIN_KNOCKS)]
    return describe_spread(knocks["deadwood"]) if len(knocks) else None
