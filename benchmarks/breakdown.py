"""Where the time of a decision goes: each part of a step over 1024 games at all stages of a hand.

The parts repeat what a step does, on the states that the step has met, so that caches and branches
are as they are there. They do not add up to the step: the rest of it is checking the actions,
reporting rewards and ends, and the observations that ended games leave behind.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks import measured_loops as kernels
from benchmarks.figures import NS, Effort, Figure, Sample, cost, repeat
from benchmarks.measured_loops import begin_games
from benchmarks.random_play import AECPlay, BatchPlay
from gin_env.core.cards import N_CARDS
from gin_env.core.observe import EXTRAS, obs_size
from gin_env.core.rows import SETUP_DTYPE, encode_rows
from gin_env.core.rules import RULES_DTYPE
from gin_env.core.state import STATE_DTYPE
from gin_env.core.view import VIEW_DTYPE

N_GAMES = 1024
N_CACHED = 8
"""Observations that the nearest cache holds: 2.7 KB each."""

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


class Parts(NamedTuple):
    """Room for what the parts write, so that the batch stays as it is."""

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
    parts = _make_parts(play)
    _time_step(play, parts, actions)  # compiles
    repetitions = [
        _time_steps(play, parts, actions, effort.seconds) for _ in range(effort.n_repetitions)
    ]
    for name, work in WORK.items():
        yield cost(f"breakdown_{name}", work, [samples[name] for samples in repetitions])
    yield cost(
        "breakdown_encode_cached",
        f"the observation, where only {N_CACHED} of them are written over and over",
        repeat(lambda n_rounds: _encode_again(parts, n_rounds), effort),
    )
    yield from _measure_calls(effort)


def _time_steps(
    play: BatchPlay, parts: Parts, actions: np.ndarray, seconds: float
) -> dict[str, Sample]:
    """Time every part, step by step, for about so long."""
    spent = dict.fromkeys(WORK, (0, 0))
    started, n_steps = time.perf_counter(), 0
    while n_steps == 0 or time.perf_counter() - started < seconds:
        n_steps += 1
        for name, (by_clock, on_core) in _time_step(play, parts, actions).items():
            spent[name] = (spent[name][0] + by_clock, spent[name][1] + on_core)
    n_done = n_steps * N_GAMES
    return {name: Sample(n_done, a / NS, b / NS) for name, (a, b) in spent.items()}


def _time_step(play: BatchPlay, p: Parts, actions: np.ndarray) -> dict[str, tuple[int, int]]:
    """Play one step, and repeat its parts beside it. Returns nanoseconds by the clock, on core."""
    batch = play.face
    arrays = batch.arrays
    p.games[:] = arrays.games
    quads = kernels.as_quads(arrays.masks)
    record = p.rules[0]
    return {
        "choose": _time(kernels.choose_at_random, quads, play.words, actions),
        "advance": _time(kernels.advance_games, p.rules, p.games, actions),
        "deal": _time(begin_games, record, p.games),
        "step": _time(batch.step, actions),
        "look": _time(kernels.look_at_games, p.rules, arrays.games, p.views),
        "melds": _time(kernels.work_out_melds, p.views, p.after),
        "mask": _time(kernels.mask_games, p.rules, p.views, p.masks),
        "encode": _time(encode_rows, p.setup, p.views, p.observations),
        "extras": _time(kernels.encode_extra_blocks, p.views, p.with_extras),
    }


def _time(work: Callable[..., Any], *arguments: Any) -> tuple[int, int]:
    started, on_core = time.perf_counter_ns(), time.process_time_ns()
    work(*arguments)
    return time.perf_counter_ns() - started, time.process_time_ns() - on_core


def _make_parts(play: BatchPlay) -> Parts:
    setup, rules = np.zeros(1, SETUP_DTYPE), np.zeros(1, RULES_DTYPE)
    setup["rules"] = rules[0] = play.face.rules_row
    size = obs_size()
    return Parts(
        setup=setup,
        rules=rules,
        games=np.zeros(N_GAMES, STATE_DTYPE),
        views=np.zeros(N_GAMES, VIEW_DTYPE),
        masks=np.zeros_like(play.face.arrays.masks),
        observations=np.zeros((N_GAMES, size), np.float32),
        with_extras=np.zeros((N_GAMES, obs_size(EXTRAS)), np.float32),
        after=np.zeros(N_CARDS, np.int16),
    )


def _encode_again(p: Parts, n_rounds: int) -> int:
    kernels.encode_again(p.setup, p.views[:N_CACHED], p.observations[:N_CACHED], n_rounds)
    return n_rounds * N_CACHED


def _measure_calls(effort: Effort) -> Iterator[Figure]:
    """What lies between Python and a kernel."""
    rules = np.zeros(1, RULES_DTYPE)
    arguments = {
        "call_array": ("an array", rules),
        "call_record": ("a record", rules[0]),
        "call_batch": ("the arrays of a batch", BatchPlay(1).face.arrays),
    }
    for name, (words, argument) in arguments.items():
        work = f"a call from Python that passes {words}"
        yield cost(f"breakdown_{name}", work, repeat(_caller(argument), effort))
    aec = AECPlay().face

    def look(n_calls: int) -> int:
        for _ in range(n_calls):
            aec.last()
        return n_calls

    yield cost("breakdown_aec_last", "AEC, last() by itself", repeat(look, effort))


def _caller(argument: Any) -> Callable[[int], int]:
    def call(n_calls: int) -> int:
        do_nothing = kernels.do_nothing
        for _ in range(n_calls):
            do_nothing(argument)
        return n_calls

    return call
