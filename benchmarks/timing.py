"""Timing of work, without any library: the Python of the other environments imports it too."""

import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple


class Sample(NamedTuple):
    """One repetition of some work."""

    n_done: int
    """How many of whatever is counted."""
    seconds: float
    """By the clock."""
    core_seconds: float
    """That this process had the core."""


def time_once(work: Callable[[], int]) -> Sample:
    """Time some work, which returns how much it was."""
    started, core_started = time.perf_counter(), time.process_time()
    n_done = work()
    return Sample(n_done, time.perf_counter() - started, time.process_time() - core_started)


def find_size(work: Callable[[int], int], seconds: float) -> int:
    """Find the size at which work takes about so long, after a first run that compiles."""
    work(1)
    size, sample = 1, time_once(partial(work, 1))
    while sample.seconds < seconds / 4:
        size *= 2
        sample = time_once(partial(work, size))
    return max(1, round(size * seconds / sample.seconds))


def repeat(work: Callable[[int], int], n_repetitions: int, seconds: float) -> list[Sample]:
    """Time work again and again, at the size at which it takes about so long."""
    size = find_size(work, seconds)
    return [time_once(partial(work, size)) for _ in range(n_repetitions)]
