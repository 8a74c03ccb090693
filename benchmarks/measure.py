"""All figures of some suites, and what they were measured on."""

import os
import platform
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import gin_env
from benchmarks import breakdown, engine, faces, processes
from benchmarks.figures import FULL, Effort, Figure, pinned
from benchmarks.results import FORMAT, VERSION, describe_line
from benchmarks.suites import SUITES
from gin_env.support.provenance import find_commit

PACKAGES = (
    "numpy",
    "numba",
    "gymnasium",
    "pettingzoo",
    "torch",
    "stable-baselines3",
    "sb3-contrib",
)
"""Whose versions are noted down, where they are installed."""

MEASURES: dict[str, Callable[[Effort], Iterator[Figure]]] = {
    "random": engine.measure_random,
    "aec": faces.measure_aec,
    "hands": engine.measure_hands,
    "hard": engine.measure_hard,
    "deadwood": engine.measure_deadwood,
    "vector": faces.measure_vector,
    "training": processes.measure_training,
    "memory": engine.measure_memory,
    "start": processes.measure_start,
    "breakdown": breakdown.measure_breakdown,
    "peers": processes.measure_peers,
}
"""How each of `SUITES` is measured."""

RATIOS = (
    ("random_1024", "openspiel", 30.0),
    ("random_1024", "openspiel_bare", None),
    ("random_1", "openspiel", None),
    ("aec_chosen", "openspiel", None),
    ("random_1024", "pettingzoo", None),
    ("aec_chosen", "pettingzoo", None),
)
"""Figures of ours and of a peer, and what the first ought to be in terms of the second."""


def measure(suites: Any, effort: Effort) -> dict[str, Any]:
    """Measure some suites, and print each figure as it comes. Returns what the JSON file holds."""
    figures: list[dict[str, Any]] = []
    notes: list[str] = []
    peers: dict[str, str] = {}
    with pinned() as core:
        for suite in [suite for suite in SUITES if suite in suites]:
            try:
                for figure in MEASURES[suite](effort):
                    peers.update(figure.versions)
                    figures.append({"suite": suite, **figure.to_dict()})
                    print(describe_line(figures[-1]), flush=True)
            except ImportError as missing:
                notes.append(f"{suite}: {missing}")
                print(notes[-1], flush=True)
    return {
        "format": FORMAT,
        "version": VERSION,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "is_quick": effort != FULL,
        "commit": find_commit(12),
        "machine": _describe_machine(core),
        "versions": {"gin_env": gin_env.__version__, **_versions()},
        "peers": peers,
        "figures": figures,
        "ratios": list(_compare({figure["name"]: figure for figure in figures})),
        "notes": notes,
    }


def _compare(figures: dict[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """What we do in terms of what they do, where both were measured."""
    for ours, theirs, least in RATIOS:
        if ours in figures and theirs in figures:
            yield {
                "ours": ours,
                "theirs": theirs,
                "our_work": figures[ours]["work"],
                "their_work": figures[theirs]["work"],
                "value": figures[ours]["median"] / figures[theirs]["median"],
                "at_least": least,
            }


def _describe_machine(core: int | None) -> dict[str, Any]:
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "pinned_to": core,
        "system": platform.system(),
        "python": platform.python_version(),
    }


def _cpu_model() -> str:
    """As the system has it; Linux tells no program but ``/proc/cpuinfo``."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def _versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
