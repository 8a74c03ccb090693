"""Where the time of a decision goes: each part of a step over 1024 games at all stages of a hand.

Each part repeats what the step does on the same states, so that caches and branches behave alike.
The parts do not add up to the step, which also checks the actions, reports rewards and ends, and
keeps the last observations of games that ended.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks import measured_loops
from benchmarks.figures import NS, Effort, Figure, cost
from benchmarks.random_play import AECPlay, BatchPlay
from benchmarks.timing import Sample, repeat
from gin_env.core.cards import N_CARDS
from gin_env.core.observe import EXTRAS, obs_size
from gin_env.core.rows import SETUP_DTYPE, encode_rows
from gin_env.core.rules import RULES_DTYPE
from gin_env.core.state import STATE_DTYPE
from gin_env.core.view import VIEW_DTYPE

N_GAMES = 1024
N_CACHED = 8
"""Observations that fit into the nearest cache: 2.7 KB each."""

WORK = {
    "choose": "choosing a random legal action (not part of a step)",
    "step": "a step, all in all",
    "advance": "playing the action; settling and dealing anew where the hand ends",
    "deal": "a deal by itself",
    "look": "what the seat to move may know: open cards, its melds and deadwoods",
    "melds": "the melds and deadwoods among them",
    "mask": "the mask",
    "encode": "the observation",
    "extras": "the optional blocks of the observation (not part of this step)",
}
"""What is timed at every step, in the order of a step."""


class Buffers(NamedTuple):
    """Buffers for what the parts write, so that the batch stays as it is."""

    setup: np.ndarray
    rules: np.ndarray
    games: np.ndarray
    views: np.ndarray
    masks: np.ndarray
    observations: np.ndarray
    with_extras: np.ndarray
    after: np.ndarray


def measure_breakdown(effort: Effort) -> Iterator[Figure]:
    """What the parts of a decision cost, and what a call costs."""
    play = BatchPlay(N_GAMES)
    actions = np.zeros(N_GAMES, np.int64)
    buffers = _make_buffers(play)
    _time_step(play, buffers, actions)  # compiles
    repetitions = [
        _time_steps(play, buffers, actions, effort.seconds) for _ in range(effort.n_repetitions)
    ]
    for name, work in WORK.items():
        yield cost(f"breakdown_{name}", work, [samples[name] for samples in repetitions])

    def encode_again(n_rounds: int) -> int:
        cached = buffers.views[:N_CACHED], buffers.observations[:N_CACHED]
        measured_loops.encode_again(buffers.setup, *cached, n_rounds)
        return n_rounds * N_CACHED

    yield cost(
        "breakdown_encode_cached",
        f"the observation, where only {N_CACHED} of them are written over and over",
        repeat(encode_again, *effort),
    )
    yield from _measure_calls(effort)


def _time_steps(
    play: BatchPlay, buffers: Buffers, actions: np.ndarray, seconds: float
) -> dict[str, Sample]:
    """Time every part, step by step, for about ``seconds``."""
    spent = dict.fromkeys(WORK, (0, 0))
    started, n_steps = time.perf_counter(), 0
    while n_steps == 0 or time.perf_counter() - started < seconds:
        n_steps += 1
        for name, (by_clock, on_core) in _time_step(play, buffers, actions).items():
            spent[name] = (spent[name][0] + by_clock, spent[name][1] + on_core)
    n_done = n_steps * N_GAMES
    return {name: Sample(n_done, a / NS, b / NS) for name, (a, b) in spent.items()}


def _time_step(play: BatchPlay, b: Buffers, actions: np.ndarray) -> dict[str, tuple[int, int]]:
    """Play one step and repeat its parts. Returns nanoseconds by the clock and on the core."""
    batch = play.face
    arrays = batch.arrays
    b.games[:] = arrays.games
    quads = measured_loops.as_quads(arrays.masks)
    record = b.rules[0]
    return {
        "choose": _time(measured_loops.choose_at_random, quads, play.words, actions),
        "advance": _time(measured_loops.advance_games, b.rules, b.games, actions),
        "deal": _time(begin_games, record, b.games),
        "step": _time(batch.step, actions),
        "look": _time(measured_loops.look_at_games, b.rules, arrays.games, b.views),
        "melds": _time(measured_loops.work_out_melds, b.views, b.after),
        "mask": _time(measured_loops.mask_games, b.rules, b.views, b.masks),
        "encode": _time(encode_rows, b.setup, b.views, b.observations),
        "extras": _time(measured_loops.encode_extra_blocks, b.views, b.with_extras),
    }


def _time(work: Callable[..., Any], *arguments: Any) -> tuple[int, int]:
    started, on_core = time.perf_counter_ns(), time.process_time_ns()
    work(*arguments)
    return time.perf_counter_ns() - started, time.process_time_ns() - on_core


def _make_buffers(play: BatchPlay) -> Buffers:
    setup, rules = np.zeros(1, SETUP_DTYPE), np.zeros(1, RULES_DTYPE)
    setup["rules"] = rules[0] = play.face.rules_row
    size = obs_size()
    return Buffers(
        setup=setup,
        rules=rules,
        games=np.zeros(N_GAMES, STATE_DTYPE),
        views=np.zeros(N_GAMES, VIEW_DTYPE),
        masks=np.zeros_like(play.face.arrays.masks),
        observations=np.zeros((N_GAMES, size), np.float32),
        with_extras=np.zeros((N_GAMES, obs_size(EXTRAS)), np.float32),
        after=np.zeros(N_CARDS, np.int16),
    )


def _measure_calls(effort: Effort) -> Iterator[Figure]:
    """What calls from Python into a kernel cost."""
    rules = np.zeros(1, RULES_DTYPE)
    arguments = {
        "call_array": ("an array", rules),
        "call_record": ("a record", rules[0]),
        "call_batch": ("the arrays of a batch", BatchPlay(1).face.arrays),
    }
    for name, (words, argument) in arguments.items():
        work = f"a call from Python that passes {words}"
        yield cost(f"breakdown_{name}", work, repeat(_caller(argument), *effort))
    aec = AECPlay().face

    def look(n_calls: int) -> int:
        for _ in range(n_calls):
            aec.last()
        return n_calls

    yield cost("breakdown_aec_last", "AEC, last() by itself", repeat(look, *effort))


def _caller(argument: Any) -> Callable[[int], int]:
    def call(n_calls: int) -> int:
        do_nothing = measured_loops.do_nothing
        for _ in range(n_calls):
            do_nothing(argument)
        return n_calls

    return call
