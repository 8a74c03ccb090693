"""Measure a MaskablePPO run by itself, on one thread: prints one JSON object.

    measure_training.py CONFIG N_REPETITIONS [KEY=VALUE ...]

Every repetition is one update: its decisions, and what is learned from them.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from stable_baselines3.common.logger import Logger

from benchmarks.timing import time_once
from training.config import read_config
from training.train import make_model


class Stopwatch:
    """Adds up the time inside some methods."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def wrap(self, method: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a method so that its time counts."""

        def timed(*arguments: Any, **options: Any) -> Any:
            started = time.perf_counter()
            try:
                return method(*arguments, **options)
            finally:
                self.seconds += time.perf_counter() - started

        return timed


def main(path: str, n_repetitions: int, settings: list[str]) -> None:
    """Train a little, and print what it took."""
    torch.set_num_threads(1)
    config = read_config(path, settings)
    model, watch = make_model(config), Stopwatch()
    model.set_logger(Logger(None, []))
    env = model.get_env()
    assert env is not None
    for name in ("step_async", "step_wait", "env_method"):
        setattr(env, name, watch.wrap(getattr(env, name)))

    def learn() -> int:
        watch.seconds = 0.0
        model.learn(config.update_size, reset_num_timesteps=False)
        return config.update_size

    model.learn(config.update_size)  # compiles, and warms up torch
    samples = [(*time_once(learn), watch.seconds) for _ in range(n_repetitions)]
    print(json.dumps({"samples": samples}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
