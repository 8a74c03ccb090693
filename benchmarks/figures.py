"""A figure: what some work takes, measured several times."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Literal, NamedTuple

from benchmarks.timing import Sample
from gin_env.errors import GinError

NS = 1e9
"""Nanoseconds in a second."""


class BenchmarkError(GinError):
    """Something cannot be measured, or its figures cannot be read or written."""


class Effort(NamedTuple):
    """How long to measure."""

    n_repetitions: int
    """Of each figure."""
    seconds: float
    """That one repetition lasts, about."""


FULL = Effort(7, 1.0)
QUICK = Effort(2, 0.02)

TARGETS: dict[str, tuple[Literal["at_least", "at_most"], int]] = {
    "random_1024": ("at_least", 3_000_000),
    "hands_simple": ("at_least", 100_000),
    "hard": ("at_least", 150_000),
    "deadwood_random": ("at_most", 15),
    "deadwood_dense": ("at_most", 60),
    "aec": ("at_least", 60_000),
    "vector": ("at_least", 500_000),
    "training_plain_share": ("at_most", 5),
    "memory_batch": ("at_most", 8_000),
}
"""What one core should reach, by the figure's name."""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """What was measured.

    Attributes:
        name: Unique; the suite's name comes first.
        work: What was done, in words.
        unit: Of the repetitions.
        repetitions: One value each.
        core_share: How much of the time the core was this process's own, from 0 to 1; None where
            that says nothing.
        versions: Of what was measured, where that is not gin_env.
    """

    name: str
    work: str
    unit: str
    repetitions: tuple[float, ...]
    core_share: float | None = None
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def median(self) -> float:
        """The figure."""
        return median(self.repetitions)

    def to_dict(self) -> dict[str, Any]:
        """What the JSON file holds of it."""
        target = None
        if self.name in TARGETS:
            kind, value = TARGETS[self.name]
            is_reached = self.median >= value if kind == "at_least" else self.median <= value
            target = {"kind": kind, "value": value, "is_reached": is_reached}
        return {
            "name": self.name,
            "work": self.work,
            "unit": self.unit,
            "median": self.median,
            "lowest": min(self.repetitions),
            "highest": max(self.repetitions),
            "repetitions": list(self.repetitions),
            "core_share": self.core_share,
            "target": target,
        }


def rate(name: str, work: str, unit: str, samples: list[Sample]) -> Figure:
    """A figure of how much is done in a second."""
    values = tuple(sample.n_done / sample.seconds for sample in samples)
    return _make_figure(name, work, unit, values, samples)


def cost(name: str, work: str, samples: list[Sample]) -> Figure:
    """A figure of the nanoseconds that each takes."""
    values = tuple(NS * sample.seconds / sample.n_done for sample in samples)
    return _make_figure(name, work, "ns", values, samples)


@contextmanager
def pinned() -> Iterator[int | None]:
    """Keep this process, and those that it starts, on one core. Gives the core; None for none."""
    if not hasattr(os, "sched_setaffinity"):
        yield None
        return
    before = os.sched_getaffinity(0)
    core = max(before)  # the system's own work mostly goes to the first
    os.sched_setaffinity(0, {core})
    try:
        yield core
    finally:
        os.sched_setaffinity(0, before)


def _make_figure(
    name: str, work: str, unit: str, values: tuple[float, ...], samples: list[Sample]
) -> Figure:
    seconds = sum(sample.seconds for sample in samples)
    share = min(1.0, sum(sample.core_seconds for sample in samples) / seconds)
    return Figure(name=name, work=work, unit=unit, repetitions=values, core_share=share)
