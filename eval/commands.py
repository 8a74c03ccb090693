"""The commands behind the command line: read what was typed, play, write, print."""

import argparse
import codecs
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from rich.console import Console

from eval.cli import INTERRUPTED, PROGRAM, fail
from eval.experiment.manifest import EvalSpec, check_same, make_manifest, read_players, read_spec
from eval.experiment.measure import (
    EvalPlan,
    PlayParts,
    Report,
    Result,
    WriteLines,
    make_progress,
    measure,
)
from eval.experiment.store import Store, check_free, create, read_manifest, reopen
from eval.experiment.workers import Workers
from eval.games.arena import GAMES_AT_ONCE
from eval.games.entrants import NETWORKS, Entrants, PlayerSpec, identify
from eval.report.terminal import make_rich, summary_tables
from eval.stats.standings import make_standings
from gin_env.core.rules import Rules
from gin_env.errors import GinError
from gin_env.history import Writer
from gin_env.support.files import OutputError
from gin_env.support.options import check_seed
from gin_env.support.provenance import find_commit

DEFAULT_HANDS = 2000
HANDS_PER_MATCH = 10
"""Hands that a match to 100 lasts, roughly: as many again are played in matches by default."""

COMMIT_DIGITS = 12

PLAIN_LETTERS = {"±": "~", "…": "."}
"""What is printed in their place where only ASCII can be."""


def run(options: argparse.Namespace) -> int:
    """Run the command that was typed. Returns the exit code."""
    try:
        if options.command == "benchmark":
            from benchmarks.command import run_benchmark  # noqa: PLC0415  (nobody else needs it)

            return run_benchmark(options)
        # One thread a process: then a network's sums do not depend on how many processes there are.
        # It must be said before torch loads.
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        return _evaluate(options)
    except (GinError, OSError) as error:  # OSError: a full disk, a name that is too long
        return fail(str(error))


def _evaluate(options: argparse.Namespace) -> int:
    """Play, write what was asked for, print. Returns the exit code."""
    _check_writable(options.json)
    if options.record is not None and not options.resume:
        _check_absent(options.record)
    spec, manifest = _resume(options.resume) if options.resume else _begin(options)
    spec = spec._replace(plan=replace(spec.plan, is_recorded=options.record is not None))
    if options.json is not None or options.resume or options.out is not None:
        import eval.report  # noqa: F401, PLC0415  (if a library is missing, it is missed now)
    with _open_store(options, manifest) as store, _open_record(options.record) as record:
        report = _play(spec, manifest, store, record, options.workers)
        if report.results:
            try:
                _write(report, store, options.json)
            finally:  # what took hours to play is shown, whatever the disk says
                _print(report)
        if report.is_whole:
            return 0
        what = "then stopped" if report.results else "stopped before there was anything to show"
        how = "" if store is None else f"; to go on: python -m eval --resume {store.folder}"
        print(f"{PROGRAM}: {what}{how}", file=sys.stderr)
    return INTERRUPTED


def _begin(options: argparse.Namespace) -> tuple[EvalSpec, dict[str, Any]]:
    """Read a new evaluation out of what was typed. Returns it, and its manifest."""
    if options.out is not None:
        check_free(options.out)
    n_hands, n_matches = options.hands, getattr(options, "matches", 0)
    if n_hands is None:
        n_hands = 0 if n_matches and options.command != "selfplay" else DEFAULT_HANDS
    if n_matches is None:
        n_matches = -(-n_hands // HANDS_PER_MATCH)
    players = (options.a, *options.others)
    n_games = options.games
    if n_games is None and any(identify(text)["kind"] in NETWORKS for text in players):
        n_games = GAMES_AT_ONCE  # a network is quicker with many games at once
    plan = EvalPlan(
        rules=_read_rules(options.rules),
        n_hands=n_hands,
        n_matches=n_matches,
        seed=check_seed(options.seed),
        n_games=n_games,
        until=getattr(options, "until", None),
        is_mirrored=options.command != "selfplay",
    )
    spec = EvalSpec(options.command, players, options.rules, plan)
    return spec, make_manifest(spec)


def _resume(folder: Path) -> tuple[EvalSpec, dict[str, Any]]:
    """Read the evaluation that a folder holds. Returns it, and its manifest."""
    before = read_manifest(folder)
    spec = read_spec(before)
    check_same(before, make_manifest(spec))
    return spec, before


@contextmanager
def _open_store(options: argparse.Namespace, manifest: dict[str, Any]) -> Iterator[Store | None]:
    """Hold the folder that was typed, if any."""
    if options.resume:
        with reopen(options.resume, manifest) as store:
            yield store
    elif options.out is not None:
        with create(options.out, manifest) as store:
            yield store
    else:
        yield None


@contextmanager
def _open_record(file: Path | None) -> Iterator[WriteLines | None]:
    """Hold the file for the hands that was typed, if any, and empty it.

    What was in it, an evaluation that goes on writes again: its parts keep their hands.
    """
    if file is None:
        yield None
        return
    with closing(Writer(file, anew=True)) as writer:
        yield writer.write_lines


def _play(
    spec: EvalSpec,
    manifest: dict[str, Any],
    store: Store | None,
    write_lines: WriteLines | None,
    n_workers: int,
) -> Report:
    """Play all pairings, until an interrupt."""
    players, names = read_players(manifest), [player["name"] for player in manifest["players"]]
    results: list[Result] = []
    is_whole = False
    try:
        with make_progress() as progress, _make_workers(n_workers) as workers:
            pairings = spec.pairings
            shown = pairings if len(pairings) == 1 else progress.track(pairings, description="all")
            for number, (a, b) in enumerate(shown):
                with _create_players((players[a], players[b]), workers) as play_parts:
                    result = measure(
                        (names[a], names[b]),
                        spec.plan,
                        play_parts,
                        progress,
                        store=store,
                        pairing=number,
                        write_lines=write_lines,
                    )
                if result.hands is not None:
                    results.append(result)
                if not result.is_whole:
                    break
            else:
                is_whole = True
    except KeyboardInterrupt:
        pass
    return Report(
        manifest=manifest,
        commit=find_commit(COMMIT_DIGITS),
        plan=spec.plan,
        results=tuple(results),
        is_whole=is_whole,
    )


def _make_workers(n_workers: int) -> AbstractContextManager[Workers | None]:
    return Workers(n_workers) if n_workers > 1 else nullcontext()


@contextmanager
def _create_players(
    specs: tuple[PlayerSpec, PlayerSpec], workers: Workers | None
) -> Iterator[PlayParts]:
    """Create two players, in this process or in the workers. Gives what plays parts."""
    if workers is not None:
        yield partial(workers.play, specs)
    else:
        with closing(Entrants(specs)) as entrants:
            yield entrants.play_parts


def _print(report: Report) -> None:
    """Print the tables of a report, with plainer letters where the terminal has no others."""
    codecs.register_error("plain letters", _plain_letters)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="plain letters")
    console = Console(highlight=False)
    for table in summary_tables(report):
        console.print(make_rich(table))


def _plain_letters(error: UnicodeError) -> tuple[str, int]:
    """What to print in place of letters that cannot be encoded, and where to go on."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(PLAIN_LETTERS.get(letter, "?") for letter in letters), error.end


def _check_writable(path: Path | None) -> None:
    """Find out before hours of play rather than after them.

    Raises:
        OutputError: If a file cannot be written.
    """
    if path is None:
        return
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise OutputError(f"cannot write {str(path)!r}: give a file in a folder that exists")
    try:
        if path.is_file():
            path.open("ab").close()
        elif not path.exists():
            tempfile.TemporaryFile(dir=path.absolute().parent).close()
    except OSError as error:
        raise OutputError(f"cannot write {str(path)!r}: {error.strerror}") from error


def _check_absent(file: Path) -> None:
    """Check that hands can be written to a new file.

    Raises:
        OutputError: If something is there.
    """
    if file.exists() and (not file.is_file() or file.stat().st_size):
        raise OutputError(f"{str(file)!r} is there already: choose another file with --record")


def _write(report: Report, store: Store | None, json_file: Path | None) -> None:
    """Write the files that were asked for."""
    if json_file is None and store is None:
        return
    from eval.report import write_report  # noqa: PLC0415  (draws: a second to import)
    from eval.report.content import make_json  # noqa: PLC0415

    if store is not None:
        write_report(store.folder, report)
    if json_file is not None:
        try:
            json_file.write_text(make_json(report, make_standings(report.results)), "utf-8")
        except OSError as error:
            raise OutputError(f"cannot write {str(json_file)!r}: {error.strerror}") from error


def _read_rules(text: str) -> Rules:
    """Read rules: a preset's name or a YAML file.

    Raises:
        RulesError: If there is no such preset, or the file cannot be read or holds bad fields.
    """
    path = Path(text)
    if path.suffix in (".yaml", ".yml") or path.is_file():
        return Rules.from_yaml(path)
    return Rules.preset(text)
