"""A figure: work done several times, each time by the clock."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from statistics import median
from typing import Any, NamedTuple

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


class Sample(NamedTuple):
    """One repetition."""

    n_done: int
    """How many of whatever is counted."""
    seconds: float
    """By the clock."""
    core_seconds: float
    """That this process had the core."""


class Target(NamedTuple):
    """What a figure ought to reach."""

    value: float
    is_floor: bool
    """At least, or else at most."""


def at_least(value: float) -> Target:
    """More is better."""
    return Target(value, is_floor=True)


def at_most(value: float) -> Target:
    """Less is better."""
    return Target(value, is_floor=False)


TARGETS = {
    "random_1024": at_least(3_000_000),
    "hands_simple": at_least(100_000),
    "hard": at_least(150_000),
    "deadwood_random": at_most(15),
    "deadwood_dense": at_most(60),
    "aec": at_least(60_000),
    "vector": at_least(500_000),
    "training_plain_share": at_most(5),
    "memory_batch": at_most(8_000),
}
"""What one core ought to reach, by the figure's name."""


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
        target = TARGETS.get(self.name)
        return {
            "name": self.name,
            "work": self.work,
            "unit": self.unit,
            "median": self.median,
            "lowest": min(self.repetitions),
            "highest": max(self.repetitions),
            "repetitions": list(self.repetitions),
            "core_share": self.core_share,
            "target": target and describe_target(target, self.median),
        }


def describe_target(target: Target, value: float) -> dict[str, Any]:
    """A target, and whether a value reaches it."""
    is_reached = value >= target.value if target.is_floor else value <= target.value
    kind = "at_least" if target.is_floor else "at_most"
    return {"kind": kind, "value": target.value, "is_reached": is_reached}


def rate(name: str, work: str, unit: str, samples: list[Sample]) -> Figure:
    """A figure of so many a second."""
    values = tuple(sample.n_done / sample.seconds for sample in samples)
    return _figure(name, work, unit, values, samples)


def cost(name: str, work: str, samples: list[Sample]) -> Figure:
    """A figure of nanoseconds for each."""
    values = tuple(NS * sample.seconds / sample.n_done for sample in samples)
    return _figure(name, work, "ns", values, samples)


def time_once(work: Callable[[], int]) -> Sample:
    """Do some work, which returns how much it was."""
    started, core_started = time.perf_counter(), time.process_time()
    n_done = work()
    return Sample(
        n_done, time.perf_counter() - started, max(time.process_time() - core_started, 0.0)
    )


def find_size(work: Callable[[int], int], seconds: float) -> int:
    """How large a piece of work takes about so long; whatever it needs first is done by then."""
    work(1)
    size, sample = 1, time_once(partial(work, 1))
    while sample.seconds < seconds / 4:
        size *= 2
        sample = time_once(partial(work, size))
    return max(1, round(size * seconds / sample.seconds))


def repeat(work: Callable[[int], int], effort: Effort) -> list[Sample]:
    """Time work of some size as often, and for as long, as the effort says."""
    size = find_size(work, effort.seconds)
    return [time_once(partial(work, size)) for _ in range(effort.n_repetitions)]


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


def _figure(
    name: str, work: str, unit: str, values: tuple[float, ...], samples: list[Sample]
) -> Figure:
    seconds = sum(sample.seconds for sample in samples)
    share = min(1.0, sum(sample.core_seconds for sample in samples) / seconds)
    return Figure(name=name, work=work, unit=unit, repetitions=values, core_share=share)
