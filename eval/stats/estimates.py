"""What the played hands and matches say, and how surely (docs/evaluation.md).

The pair is the unit of every interval: two games of one deal with the seats exchanged depend on
each other, two pairs do not.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from eval.stats.distributions import sign_test, student_quantile
from gin_env.core.state import Ending
from gin_env.errors import GinError

CONFIDENCE = 0.95
MIN_PAIRS_TO_ADJUST = 20
"""With fewer pairs what a point of luck is worth is guessed too badly to be of use."""

PLAIN_KNOCKS = (Ending.KNOCK, Ending.UNDERCUT, Ending.PUSH)
"""How a hand ends when somebody knocks without gin."""


class StatisticsError(GinError):
    """Numbers that an estimate, a test or a rating cannot be made from."""


class Estimate(NamedTuple):
    """A mean and its 95 % interval, which is endless where a single pair was played."""

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


class Adjusted(NamedTuple):
    """An estimate less the luck of the cards drawn: the same value is aimed at, more narrowly."""

    estimate: Estimate
    beta: float
    """How much of the amount a point of luck was taken for; the mean of the two halves'."""
    shrinkage: float
    """The width of this interval over the plain one's: with 0.8 of it, 1 / 0.8**2 = 1.56 times as
    many pairs would have been needed for as narrow an interval without the adjustment."""


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
    """The hands that were played in one of the two ways to seat A and B."""

    n_hands: int
    points: Estimate
    """Points per hand to A."""
    a: Side
    b: Side
    dead: int
    turns: Spread


@dataclass(frozen=True)
class HandStatistics:
    """A number of hands between A and B."""

    n_hands: int
    n_pairs: int
    points: Estimate
    """Points per hand to A."""
    adjusted: Adjusted | None
    """The same less the luck of the draws; None below `MIN_PAIRS_TO_ADJUST` pairs."""
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
    a_in_seat_0: HandPart | None
    """The first game of each pair; None where there was no such hand, likewise below."""
    a_in_seat_1: HandPart | None
    a_deals: HandPart | None
    b_deals: HandPart | None


@dataclass(frozen=True)
class MatchStatistics:
    """A number of matches between A and B."""

    n_matches: int
    n_pairs: int
    won: Estimate
    """The share of matches that A won."""
    adjusted: Adjusted | None
    """The same less the luck of the draws; None below `MIN_PAIRS_TO_ADJUST` pairs."""
    points: Estimate
    """Points per match to A, bonuses included."""
    hands: Spread
    """Hands of a match."""
    sweeps: Sweeps


def describe_hands(hands: np.ndarray) -> HandStatistics:
    """Describe hands (shape [H], `HAND_DTYPE`, at least one), ordered as `Played` has them."""
    points, luck, n_hands = _sum_by_pair(hands)
    is_plain = np.isin(hands["ending"], PLAIN_KNOCKS)
    return HandStatistics(
        n_hands=len(hands),
        n_pairs=len(n_hands),
        points=estimate_ratio(points, n_hands),
        adjusted=adjust_ratio(points, n_hands, luck),
        deviation=float(hands["points"].std()),
        a=_describe_side(hands, 0),
        b=_describe_side(hands, 1),
        dead=int(np.count_nonzero(hands["ending"] == Ending.DEAD)),
        turns=describe_spread(hands["n_turns"]),
        deadwood=_describe_deadwood(hands[is_plain]),
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
        scores: Shape [P]: the share of its two matches that A won, 0, 1/2 or 1; less its luck it
            may lie outside.
        confidence: Of the interval.
    """
    padded = estimate_ratio(pad(scores), np.ones(len(scores) + 2), confidence)
    value = min(max(float(scores.mean()), 0.0), 1.0)
    return Estimate(value, max(padded.low, 0.0), min(padded.high, 1.0))


def adjust_ratio(amounts: np.ndarray, counts: np.ndarray, luck: np.ndarray) -> Adjusted | None:
    """What `estimate_ratio` estimates, from amounts less their luck.

    Args:
        amounts: Shape [P].
        counts: Shape [P].
        luck: Shape [P]: a pair's sum, zero in expectation.

    Returns:
        None where there are fewer than `MIN_PAIRS_TO_ADJUST` pairs.
    """
    if len(amounts) < MIN_PAIRS_TO_ADJUST:
        return None
    betas = fit_betas(amounts, counts, luck)
    estimate = estimate_ratio(amounts - betas * luck, counts)
    return _compare(estimate, estimate_ratio(amounts, counts), betas)


def adjust_share(scores: np.ndarray, luck: np.ndarray) -> Adjusted | None:
    """What `estimate_share` estimates, from scores less their luck; arguments as there."""
    if len(scores) < MIN_PAIRS_TO_ADJUST:
        return None
    betas = fit_betas(scores, np.ones(len(scores)), luck)
    return _compare(estimate_share(scores - betas * luck), estimate_share(scores), betas)


def pad(scores: np.ndarray) -> np.ndarray:
    """Scores (shape [P]) and two more pairs, one swept by each side. Returns shape [P + 2]."""
    return np.concatenate([scores, [0.0, 1.0]])


def fit_betas(amounts: np.ndarray, counts: np.ndarray, luck: np.ndarray) -> np.ndarray:
    """How much a point of luck is worth, for each pair out of the pairs of the other half.

    A pair's luck is then multiplied by something that it has no part in; so the product is zero in
    expectation, and taking it away moves no mean.

    Args:
        amounts: Shape [P].
        counts: Shape [P].
        luck: Shape [P]: a pair's sum, zero in expectation.

    Returns:
        Shape [P], amounts per point. One half are the pairs of even places, the other the rest.
    """
    betas = np.zeros(len(luck))
    for half in (0, 1):
        amount, n, other_luck = (values[1 - half :: 2] for values in (amounts, counts, luck))
        squares = other_luck @ other_luck
        if squares > 0:
            excess = amount - amount.sum() / n.sum() * n
            betas[half::2] = excess @ other_luck / squares
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
    """Where the values (shape [K], at least one) lie."""
    least, lower, median, upper, greatest = np.quantile(values, (0, 0.25, 0.5, 0.75, 1)).tolist()
    return Spread(float(values.mean()), least, lower, median, upper, greatest)


def _sum_by_pair(hands: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points to A, luck of A and number of hands of each pair that was played. Shape [P] each."""
    pairs = hands["pair"] - hands["pair"].min()
    n_hands = np.bincount(pairs)
    played = n_hands > 0
    points, luck = (np.bincount(pairs, hands[name])[played] for name in ("points", "luck"))
    return points, luck, n_hands[played]


def _compare(estimate: Estimate, plain: Estimate, betas: np.ndarray) -> Adjusted:
    width = plain.high - plain.low
    shrinkage = (estimate.high - estimate.low) / width if width > 0 else 1.0
    return Adjusted(estimate, float(betas.mean()), shrinkage)


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
    is_plain = np.isin(hands["ending"], PLAIN_KNOCKS)

    def count(of: np.ndarray, ending: Ending) -> int:
        return int(np.count_nonzero(of & (hands["ending"] == ending)))

    return Side(
        hands_won=int(np.count_nonzero(won)),
        knocks=int(np.count_nonzero(knocked & is_plain)),
        gins=count(knocked, Ending.GIN),
        big_gins=count(knocked, Ending.BIG_GIN),
        undercuts=count(won, Ending.UNDERCUT),
        forfeits=count(hands["winner"] == 1 - player, Ending.FORFEIT),
        deadwood=_describe_deadwood(hands[knocked & is_plain]),
    )


def _describe_deadwood(knocks: np.ndarray) -> Spread | None:
    return describe_spread(knocks["deadwood"]) if len(knocks) else None
