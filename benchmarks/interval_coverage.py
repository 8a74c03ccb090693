"""How often intervals cover the true value: many small evaluations against a long run.

    python -m benchmarks.interval_coverage

Prints the table of docs/evaluation.md.
"""

from dataclasses import dataclass

import numpy as np
from rich.console import Console

from eval.games.arena import Contest, join, play_contest
from eval.games.game_log import FORFEIT_PENALTY, HAND_DTYPE
from eval.report.tables import TextTable
from eval.report.terminal import make_rich
from eval.stats.estimates import CONFIDENCE, Estimate, describe_hands, describe_matches
from eval.stats.sequential import anytime_points, anytime_share, hand_bound
from gin_env.core.rules import Episode, Rules
from gin_env.players import resolve

A, B, PRESET = "hard", "simple", "eaai"
RULES = Rules.preset(PRESET)
SMALL_SEED, LONG_SEED = 1, 2
N_EVALUATIONS = 400
N_PAIRS: dict[Episode, int] = {"hand": 150, "match": 75}
"""Pairs of games in each small evaluation."""
N_PAIRS_LONG: dict[Episode, int] = {"hand": 400_000, "match": 50_000}


@dataclass(frozen=True)
class Coverage:
    """How often the intervals of small evaluations covered the value of the long run.

    Attributes:
        what: What was estimated.
        value: The long run's estimate.
        covered: The share of the small evaluations whose interval covered it.
        width: The mean width of these intervals.
    """

    what: str
    value: Estimate
    covered: float
    width: float


def measure_coverage(
    episode: Episode, n_evaluations: int, n_pairs: int, n_pairs_long: int
) -> list[Coverage]:
    """Play small evaluations on one set of deals and a long run on another.

    The value that the intervals should cover is the long run's estimate with control variate, its
    more precise one.

    Returns:
        One for the plain intervals, one for those with control variate, and one for the
        anytime-valid ones.
    """
    value = _estimate(_play(episode, n_pairs_long, LONG_SEED))[1]
    small = _play(episode, n_evaluations * n_pairs, SMALL_SEED)
    parts = [_estimate(part) for part in np.split(small, n_evaluations)]
    what = "points per hand" if episode == "hand" else "matches won"
    names = (what, f"{what}, with control variate", f"{what}, anytime-valid")
    found = []
    for name, estimates in zip(names, zip(*parts, strict=True), strict=True):
        covered = [low <= value.value <= high for _, low, high in estimates]
        widths = [high - low for _, low, high in estimates]
        found.append(Coverage(name, value, float(np.mean(covered)), float(np.mean(widths))))
    return found


def main() -> None:
    """Measure and print."""
    rows = [
        _row(coverage)
        for episode, n_pairs in N_PAIRS.items()
        for coverage in measure_coverage(episode, N_EVALUATIONS, n_pairs, N_PAIRS_LONG[episode])
    ]
    hands, matches = N_PAIRS.values()
    long_hands, long_matches = N_PAIRS_LONG.values()
    table = TextTable(
        f"{A} against {B}, {PRESET}: {N_EVALUATIONS} evaluations",
        ("", "long run", "interval\ncovers it", "mean\nwidth"),
        rows,
        f"each of {hands} pairs of hands, or {matches} of matches, seed {SMALL_SEED};\n"
        f"the long run: {long_hands:,} and {long_matches:,} pairs, seed {LONG_SEED}",
    )
    Console(highlight=False).print(make_rich(table))


def _play(episode: Episode, n_pairs: int, seed: int) -> np.ndarray:
    """The hands or matches of so many pairs: shape [2 P], `HAND_DTYPE` or `MATCH_DTYPE`."""
    contest = Contest(rules=RULES, episode=episode, n_deals=n_pairs, seed=seed)
    played = join(list(play_contest((resolve(A), resolve(B)), contest)))
    return played.hands if episode == "hand" else played.matches


def _estimate(games: np.ndarray) -> tuple[Estimate, Estimate, Estimate]:
    """The plain estimate, the one with control variate, and the anytime-valid one."""
    if games.dtype == HAND_DTYPE:
        hands = describe_hands(games)
        plain, adjusted = hands.points, hands.adjusted
        anytime = anytime_points(games, hand_bound(RULES, FORFEIT_PENALTY), 1 - CONFIDENCE)
    else:
        matches = describe_matches(games)
        plain, adjusted = matches.won, matches.adjusted
        anytime = anytime_share(games, 1 - CONFIDENCE)
    assert adjusted is not None
    return plain, adjusted.estimate, anytime


def _row(coverage: Coverage) -> tuple[str, ...]:
    is_share = "matches" in coverage.what
    scale, unit, digits = (100, " %", 1) if is_share else (1, "", 2)
    reach = scale * (coverage.value.high - coverage.value.low) / 2
    return (
        coverage.what,
        f"{scale * coverage.value.value:.{digits}f} ± {reach:.{digits}f}{unit}",
        f"{100 * coverage.covered:.1f} %",
        f"{scale * coverage.width:.{digits}f}{unit}",
    )


if __name__ == "__main__":
    main()
