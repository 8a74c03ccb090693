"""The commands behind the command line: read what was typed, play, print, write."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from eval.arena import GAMES_AT_ONCE
from eval.cli import INTERRUPTED, fail
from eval.measure import Plan, Result, make_progress, measure, measure_selfplay
from eval.tables import levels_table, match_table, selfplay_table
from gin_env import __version__
from gin_env.core.errors import GinError
from gin_env.core.rules import Rules
from gin_env.players import resolve

LEVELS = ("easy", "medium", "hard")
DEFAULT_HANDS = 2000
HANDS_PER_MATCH = 10
"""Hands that a match to 100 lasts, roughly: as many again are played in matches by default."""

JSON_VERSION = 1


class OutputError(GinError):
    """A file that cannot be written."""


def run(options: argparse.Namespace) -> int:
    """Run the command that was typed. Returns the exit code."""
    try:
        if options.command == "benchmark":
            from eval.benchmark.run import run_benchmark  # noqa: PLC0415  (nobody else needs it)

            return run_benchmark(options)
        _check_writable(options.json)
        plan = _read_plan(options)
        results = _COMMANDS[options.command](options, plan)
        if options.json is not None:
            _write_json(options, plan, results)
    except GinError as error:
        return fail(str(error))
    return 0 if all(result.is_whole for result in results) else INTERRUPTED


def _run_match(options: argparse.Namespace, plan: Plan) -> list[Result]:
    results = _measure_all(options.a, [options.b], plan)
    _print(match_table(results[0], plan, options.rules))
    return results


def _run_levels(options: argparse.Namespace, plan: Plan) -> list[Result]:
    results = _measure_all(options.a, LEVELS, plan)
    _print(levels_table(results, plan, options.rules))
    return results


def _run_selfplay(options: argparse.Namespace, plan: Plan) -> list[Result]:
    players = resolve(options.a), resolve(options.a)
    with make_progress() as progress:
        result = measure_selfplay(players, plan, progress)
    if result.hands is None:
        raise KeyboardInterrupt
    _print(selfplay_table(result, plan, options.rules))
    return [result]


_COMMANDS = {"match": _run_match, "levels": _run_levels, "selfplay": _run_selfplay}


def _measure_all(who: str, others: Sequence[str], plan: Plan) -> list[Result]:
    """Play one against each of the others, until an interrupt; at least one result."""
    pairs = [(resolve(who), resolve(other)) for other in others]
    results = []
    with make_progress() as progress:
        for players in pairs:
            result = measure(players, plan, progress)
            if result.hands is not None:
                results.append(result)
            if not result.is_whole:
                break
    if not results:
        raise KeyboardInterrupt
    return results


def _read_plan(options: argparse.Namespace) -> Plan:
    n_hands, n_matches = options.hands, getattr(options, "matches", 0)
    if n_hands is None:
        n_hands = 0 if n_matches and options.command != "selfplay" else DEFAULT_HANDS
    if n_matches is None:
        n_matches = -(-n_hands // HANDS_PER_MATCH)
    return Plan(
        rules=_read_rules(options.rules),
        n_hands=n_hands,
        n_matches=n_matches,
        seed=options.seed,
        n_games=options.games or GAMES_AT_ONCE,
    )


def _print(table: Table) -> None:
    Console(highlight=False).print(table)


def _check_writable(path: Path | None) -> None:
    """Find out before hours of play rather than after them."""
    if path is None:
        return
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise OutputError(f"cannot write {str(path)!r}: give a file in a folder that exists")


def _write_json(options: argparse.Namespace, plan: Plan, results: list[Result]) -> None:
    content: dict[str, Any] = {
        "format": "gin_env eval",
        "version": JSON_VERSION,
        "gin_env": __version__,
        "command": options.command,
        "rules": plan.rules.to_dict(),
        "seed": plan.seed,
        "results": [result.to_dict() for result in results],
    }
    try:
        options.json.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise OutputError(f"cannot write {str(options.json)!r}: {error.strerror}") from error


def _read_rules(text: str) -> Rules:
    """Read rules: a preset's name or a YAML file.

    Raises:
        RulesError: If there is no such preset, or the file cannot be read or holds bad fields.
    """
    path = Path(text)
    if path.suffix in (".yaml", ".yml") or path.is_file():
        return Rules.from_yaml(path)
    return Rules.preset(text)
