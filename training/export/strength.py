"""How strong an agent is, for its metadata: from reports of ``python -m eval``, or from its run."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from eval.report.content import FORMAT as REPORT_FORMAT
from eval.report.content import VERSION as REPORT_VERSION
from eval.stats.estimates import Estimate
from training.errors import RunError
from training.run.folder import Run

POINTS, MATCHES = "points a hand", "share of matches won"
"""What is measured; each has a 95 % interval."""

Strength = dict[str, Any]
"""``source`` in words, and ``measured``: a list of results, each as `_entry` makes it."""


def from_training(run: Run, n_decisions: int, *, is_best: bool) -> Strength:
    """What the run's evaluations measured of a model.

    Args:
        run: The run.
        n_decisions: How many decisions of PPO the model has learned from.
        is_best: Whether it is the best model of the run; else the latest is taken.
    """
    history, panel, best = run.history(), run.config.panel, run.facts().get("best", {})
    found = [one for one in history if one["decisions"] == n_decisions]
    if is_best:
        found = [one for one in found if one["lessons"] == best.get("lessons")]
    if not found or not found[-1]["points"]:
        return {"source": "it was not measured", "measured": []}
    rules = run.config.game.rules
    rules_name = rules if isinstance(rules, str) else "as trained"
    kinds = ((POINTS, "points", panel.hands), (MATCHES, "matches", panel.matches))
    measured = [
        _entry(name, what, rules_name, n_games, Estimate(**one))
        for what, key, n_games in kinds
        for name, one in found[-1].get(key, {}).items()
    ]
    source = f"evaluations while it trained, {len(history)} on the same deals"
    if len(history) > 1 and all(found[-1][key] == value for key, value in best.items()):
        source += "; the best was kept, so these figures are on the high side"
    return {"source": source, "measured": measured}


def from_reports(files: Iterable[str | Path], hashes: Mapping[str, str]) -> Strength:
    """What ``python -m eval`` measured of an agent.

    Args:
        files: The JSON files of reports.
        hashes: The agent's files: names by their SHA-256.

    Raises:
        RunError: If a file is no such report, or the agent plays in none of its games.
    """
    measured: list[dict[str, Any]] = []
    for file in files:
        found = _find_results(_read_report(file), file, hashes)
        if not found:
            known = " or ".join(f"{name} ({digest})" for digest, name in hashes.items())
            raise RunError(f"{str(file)!r} has no results of this agent: no player is {known}")
        measured += found
    return {"source": "python -m eval, on mirrored deals", "measured": measured}


def describe_estimate(entry: Mapping[str, Any]) -> tuple[str, str]:
    """What was measured and its interval, as text."""
    if entry["measure"] == MATCHES:
        return f"{entry['value']:.1%}", f"{entry['low']:.1%} to {entry['high']:.1%}"
    return f"{entry['value']:+.2f}", f"{entry['low']:+.2f} to {entry['high']:+.2f}"


def _read_report(file: str | Path) -> dict[str, Any]:
    try:
        report = json.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise RunError(f"cannot read a report from {str(file)!r}: {error}") from error
    kind = (report.get("format"), report.get("version")) if isinstance(report, dict) else None
    if kind != (REPORT_FORMAT, REPORT_VERSION):
        raise RunError(
            f"{str(file)!r} is no report of version {REPORT_VERSION}, as `python -m eval` writes "
            "with --json or --out"
        )
    return report  # type: ignore[no-any-return]


def _find_results(
    report: dict[str, Any], file: str | Path, hashes: Mapping[str, str]
) -> list[dict[str, Any]]:
    """The results of the agent with these hashes against others."""
    try:
        players, rules = report["order"]["players"], Path(report["order"]["rules_name"]).name
        ours = {  # bots have no files and so no hashes
            player["name"]
            for player in players
            if not hashes.keys().isdisjoint(dict(player.get("sha256", {})).values())
        }
        return [
            entry
            for result in report["results"]
            if (result["a"] in ours) != (result["b"] in ours)
            for entry in _read_result(result, result["a"] in ours, rules)
        ]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise RunError(f"{str(file)!r} is no whole report: {error!r}") from error


def _read_result(result: dict[str, Any], is_a: bool, rules: str) -> list[dict[str, Any]]:
    """Points and matches of one pairing, from the agent's side."""
    other, entries = result["b" if is_a else "a"], []
    if hands := result["hands"]:
        points = _read_estimate(result, hands, "points")
        points = points if is_a else points.negated()
        entries.append(_entry(other, POINTS, rules, hands["n_hands"], points))
    if matches := result["matches"]:
        share = _read_estimate(result, matches, "won")
        share = share if is_a else share.complement()
        entries.append(_entry(other, MATCHES, rules, matches["n_matches"], share))
    return entries


def _read_estimate(result: dict[str, Any], statistics: dict[str, Any], key: str) -> Estimate:
    """The report's estimate: of its sequential test, else with the luck of the draw taken out."""
    anytime, adjusted = result["anytime"], statistics["adjusted"]
    estimate = adjusted["estimate"] if adjusted else statistics[key]
    if anytime and anytime[key]:
        estimate = anytime[key]
    return Estimate(**{name: float(estimate[name]) for name in Estimate._fields})


def _entry(other: str, what: str, rules: str, n_games: int, estimate: Estimate) -> dict[str, Any]:
    return {
        "against": other,
        "measure": what,
        "rules": rules,
        "games": n_games,
        **estimate._asdict(),
    }
