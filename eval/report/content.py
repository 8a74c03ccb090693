"""The files of a report for programs: JSON with everything, CSV with one row a pairing."""

import csv
import io
import json
import math
import platform
from collections.abc import Sequence
from typing import Any

from eval.experiment.measure import EvalPlan, Report, Result, anytime
from eval.games.entrants import NETWORKS
from eval.stats.estimates import Adjusted, Estimate, HandStatistics, MatchStatistics, Side
from eval.stats.standings import Standings

FORMAT = "gin_env evaluation report"
VERSION = 1
"""Rises when a field of the JSON goes or changes its meaning; new ones may come without."""


def make_json(report: Report, standings: Standings | None) -> str:
    """Everything that was counted, and the manifest; nothing that depends on machine or time."""
    players = [_without_path(player) for player in report.manifest["players"]]
    content = {
        "format": FORMAT,
        "version": VERSION,
        "order": {**report.manifest, "players": players},
        "python": platform.python_version(),
        "commit": report.commit,
        "is_whole": report.is_whole,
        "results": [result.to_dict() | _anytime(result, report.plan) for result in report.results],
        "standings": standings.to_dict() if standings else None,
    }
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def make_csv(results: Sequence[Result]) -> str:
    """One row for each pairing (at least one); what was not played is empty."""
    rows = [_row(result) for result in results]
    columns = dict.fromkeys(column for row in rows for column in row)
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _without_path(player: dict[str, Any]) -> dict[str, Any]:
    """A player without the path of its file: the file's hash identifies it."""
    is_network = player["kind"] in NETWORKS
    return {name: value for name, value in player.items() if not (is_network and name == "text")}


def _anytime(result: Result, plan: EvalPlan) -> dict[str, Any]:
    """The anytime-valid intervals, where ``until`` asks for the sequential test."""
    points, won = anytime(result, plan)
    estimates = {"points": points and points._asdict(), "won": won and won._asdict()}
    return {"anytime": None if plan.until is None else {"error": plan.until, **estimates}}


def _row(result: Result) -> dict[str, Any]:
    row: dict[str, Any] = {"a": result.a, "b": result.b, "is_whole": result.is_whole}
    for side, verdicts in zip("ab", result.verdicts, strict=True):
        row[f"forfeits_{side}"] = sum(verdicts.values())
    if result.hands:
        row |= _hand_cells(result.hands)
    if result.matches:
        row |= _match_cells(result.matches)
    return row


def _hand_cells(hands: HandStatistics) -> dict[str, Any]:
    cells = {
        "hands": hands.n_hands,
        "hand_pairs": hands.n_pairs,
        **_estimate_cells("points", hands.points),
        **_adjusted_cells("points", hands.adjusted),
        "deviation": hands.deviation,
        "dead": hands.dead,
        "turns_mean": hands.turns.mean,
        "turns_median": hands.turns.median,
    }
    return cells | _side_cells("a", hands.a) | _side_cells("b", hands.b)


def _match_cells(matches: MatchStatistics) -> dict[str, Any]:
    return {
        "matches": matches.n_matches,
        "match_pairs": matches.n_pairs,
        **_estimate_cells("won", matches.won),
        **_adjusted_cells("won", matches.adjusted),
        **_estimate_cells("match_points", matches.points),
        "swept_a": matches.sweeps.by_a,
        "swept_b": matches.sweeps.by_b,
        "sign_test_p": matches.sweeps.p_value,
    }


def _side_cells(side: str, counts: Side) -> dict[str, Any]:
    names = ("hands_won", "knocks", "gins", "big_gins", "undercuts")
    return {f"{name}_{side}": getattr(counts, name) for name in names}


def _estimate_cells(name: str, estimate: Estimate) -> dict[str, Any]:
    ends = (end if math.isfinite(end) else "" for end in estimate)
    return dict(zip((name, f"{name}_low", f"{name}_high"), ends, strict=True))


def _adjusted_cells(name: str, adjusted: Adjusted | None) -> dict[str, Any]:
    if adjusted is None:
        return {}
    cells = _estimate_cells(f"{name}_less_luck", adjusted.estimate)
    return {**cells, f"{name}_shrinkage": adjusted.shrinkage}
