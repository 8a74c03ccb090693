"""Results and reports to test with: of real play, or of numbers that are made up."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations
from typing import Any, TypeVar

import numpy as np

from eval.experiment.measure import EvalPlan, Report, Result
from eval.games.arena import Contest, Played, join, play_contest
from eval.games.game_log import MATCH_DTYPE
from eval.stats.estimates import describe_hands, describe_matches
from gin_env.core.rules import Rules
from gin_env.players import resolve

T = TypeVar("T")

RULES = Rules.preset("eaai")
PLAN = EvalPlan(rules=RULES, n_hands=60, n_matches=40, seed=3)


def given(value: T | None) -> T:
    assert value is not None
    return value


def count_covered(estimates: Iterable[Iterable[float]], true: float) -> float:
    """The share of some estimates (value, low, high) whose interval covers the true value."""
    return float(np.mean([low <= true <= high for _, low, high in estimates]))


def play(a: str, b: str, **contest: Any) -> Played:
    """Play a whole contest, under `RULES` if nothing else is said."""
    players = resolve(a), resolve(b)
    return join(list(play_contest(players, Contest(**{"rules": RULES, **contest}))))


def make_result(a: str, b: str, hands: np.ndarray, matches: np.ndarray | None = None) -> Result:
    matches = np.zeros(0, MATCH_DTYPE) if matches is None else matches
    return Result(
        a=a,
        b=b,
        hands=describe_hands(hands),
        matches=describe_matches(matches) if len(matches) else None,
        is_whole=True,
        decided=(),
        played_hands=hands,
        played_matches=matches,
        verdicts=({}, {}),
    )


def make_report(command: str, results: Iterable[Result], **others: Any) -> Report:
    results = tuple(results)
    names = dict.fromkeys(name for result in results for name in (result.a, result.b))
    manifest = {
        "command": command,
        "players": [{"name": name, "text": name, "kind": "bot"} for name in names],
        "rules_name": "eaai",
        "rules": RULES.to_dict(),
        "seed": 3,
        "versions": {"gin_env": "1.2.3", "numpy": "2.0.0", "numba": "0.61.0"},
    }
    report = Report(manifest=manifest, commit="c0ffee", plan=PLAN, results=results, is_whole=True)
    return replace(report, **others)


def make_ladder(match: Result, names: Iterable[str]) -> Report:
    """A ladder in which all pairings went the same way: the first named is the best."""
    pairings = combinations(names, 2)
    return make_report("ladder", [replace(match, a=a, b=b) for a, b in pairings])
