"""Ratings from a round robin (Bradley and Terry 1952), and circles of three players.

In the model the stronger of two players wins with the chance 1 / (1 + 10**(-d / 400)), where d is
the difference of their ratings: the scale of Elo's. Two conventions:

- One game is added to each pairing, half of it won by each side: so a player who won or lost
  everything gets a finite rating. Adding more would pull ratings that are far apart together (after
  Firth 1993: about this much removes the bias).
- Only differences mean something: the ratings are shifted so that their mean is 0.

The covariance is a "sandwich" estimate with deals as its units, for the games of one deal depend on
each other, within a pairing and between pairings.
"""

import math
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from eval.errors import EvalError
from eval.stats.distributions import student_quantile
from eval.stats.estimates import CONFIDENCE, Estimate, estimate_share

SCALE = 400 / math.log(10)
"""Points of Elo's scale to a unit of the logistic curve."""
MAX_STEPS = 100
ADDED = 0.25
"""Pairs of games that are added to a pairing as swept by each side."""
TOLERANCE = 1e-10
"""Newton's method ends when no step is larger, in units of the logistic curve."""


@dataclass(frozen=True)
class Pairing:
    """The games of two players of a round robin.

    Attributes:
        a: Index of A among the players.
        b: Index of B.
        deals: Shape [P], int64: which deal each pair of games was; the same number in another
            pairing is the same deal.
        scores: Shape [P], float64: the share of the deal's games that A won; a game that nobody won
            is half a game for each.
    """

    a: int
    b: int
    deals: np.ndarray
    scores: np.ndarray


class Triple(NamedTuple):
    """Indices of three players: each beats the next, and the third the first."""

    first: int
    second: int
    third: int


def score_matches(matches: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The deals of matches, and the share of each deal's matches that A won.

    Args:
        matches: Shape [M], `MATCH_DTYPE`.

    Returns:
        The deals' numbers (shape [P], int64, ascending) and the scores (shape [P], float64).
    """
    return _score(matches["pair"], np.where(matches["winner"] == 0, 1.0, -1.0))


def score_hands(hands: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same of hands (shape [H], `HAND_DTYPE`): whoever gained points over a deal has won it.

    Hands won would be a poor score: who plays for gin loses more hands, and wins the valuable ones.
    """
    deals, scores = _score(hands["pair"], hands["points"])
    return deals, (1 + np.sign(scores - 0.5)) / 2


def fit_ratings(n_players: int, pairings: list[Pairing]) -> list[Estimate]:
    """Rate players by all pairings between them.

    The interval of a rating is that of its distance from the mean of all.

    Args:
        n_players: How many players there are, N.
        pairings: At least one pair of games each.

    Returns:
        N ratings, with the mean 0, and their 95 % intervals.

    Raises:
        EvalError: If the players fall into groups that have not met each other.
    """
    if not _is_connected(n_players, pairings):
        raise EvalError("only players who have met, directly or through others, can be rated")
    ratings, curvature = _climb(n_players, pairings)
    inverse = np.linalg.inv(curvature)
    noise, n_deals = _measure_noise(ratings, pairings)
    variance = inverse @ noise @ inverse
    reach = student_quantile(max(n_deals - 1, 1), CONFIDENCE) * SCALE * np.sqrt(variance.diagonal())
    values = SCALE * ratings
    columns = np.stack([values, values - reach, values + reach], axis=1)
    return [Estimate(*row) for row in columns.tolist()]


def find_triples(pairings: list[Pairing]) -> list[Triple]:
    """Find the circles of three: each won significantly more than half against the next.

    With all pairings together, equal players are told apart in 5 % of cases at most (Bonferroni).

    Returns:
        Each circle once, beginning with its lowest index.
    """
    beats = set()
    confidence = 1 - (1 - CONFIDENCE) / max(len(pairings), 1)
    for pairing in pairings:
        share = estimate_share(pairing.scores, confidence)
        if share.low > 0.5:
            beats.add((pairing.a, pairing.b))
        elif share.high < 0.5:
            beats.add((pairing.b, pairing.a))
    players = sorted({player for pair in beats for player in pair})
    return [
        Triple(first, *others)
        for first, low, high in combinations(players, 3)
        for others in ((low, high), (high, low))
        if {(first, others[0]), others, (others[1], first)} <= beats
    ]


def _climb(n_players: int, pairings: list[Pairing]) -> tuple[np.ndarray, np.ndarray]:
    """Maximise the likelihood: ratings in units of the logistic curve, and the curvature there.

    The square of the ratings' sum is subtracted from the likelihood, so the sum becomes 0.
    """
    ratings, curvature = np.zeros(n_players), np.zeros((n_players, n_players))
    for _ in range(MAX_STEPS):
        slope = np.full(n_players, -ratings.sum())
        curvature = np.ones((n_players, n_players))
        for pairing in pairings:
            a, b, n_pairs = pairing.a, pairing.b, len(pairing.scores) + 2 * ADDED
            chance = _chance(ratings, pairing)
            excess = float(pairing.scores.sum()) + ADDED - n_pairs * chance
            slope[a] += excess
            slope[b] -= excess
            weight = n_pairs * chance * (1 - chance)
            curvature[[a, b], [a, b]] += weight
            curvature[[a, b], [b, a]] -= weight
        step = np.linalg.solve(curvature, slope)
        ratings += step * min(1.0, 2.0 / max(float(np.abs(step).max()), TOLERANCE))
        if np.abs(step).max() < TOLERANCE:
            break
    return ratings, curvature


def _measure_noise(ratings: np.ndarray, pairings: list[Pairing]) -> tuple[np.ndarray, int]:
    """The covariance of the likelihood's slope by deals, shape [N, N], and the number of deals."""
    deals = np.unique(np.concatenate([pairing.deals for pairing in pairings]))
    slopes = np.zeros((len(deals), len(ratings)))
    added = np.zeros((len(ratings), len(ratings)))
    for pairing in pairings:
        a, b, chance = pairing.a, pairing.b, _chance(ratings, pairing)
        places = np.searchsorted(deals, pairing.deals)
        slopes[places, a] += pairing.scores - chance
        slopes[places, b] -= pairing.scores - chance
        square = ADDED * (chance**2 + (1 - chance) ** 2)  # of the added game, which is no deal
        added[[a, b], [a, b]] += square
        added[[a, b], [b, a]] -= square
    return slopes.T @ slopes * len(deals) / max(len(deals) - 1, 1) + added, len(deals)


def _chance(ratings: np.ndarray, pairing: Pairing) -> float:
    """The chance of A to win, as the model gives it."""
    return float(1 / (1 + np.exp(ratings[pairing.b] - ratings[pairing.a])))


def _is_connected(n_players: int, pairings: list[Pairing]) -> bool:
    met = {0}
    for _ in range(n_players):
        for pairing in pairings:
            if pairing.a in met or pairing.b in met:
                met |= {pairing.a, pairing.b}
    return len(met) == n_players


def _score(pairs: np.ndarray, gains: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pairs' numbers, and the mean of their gains, scaled from [-1, 1] to [0, 1]."""
    deals, places, n_games = np.unique(pairs, return_inverse=True, return_counts=True)
    return deals, (1 + np.bincount(places, gains) / n_games) / 2
