"""What is measured in processes of their own: training, starts, and the peers.

They stay on the same core, and are told to use one thread.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.figures import FULL, BenchmarkError, Effort, Figure, rate
from benchmarks.timing import Sample

ROOT = Path(__file__).parents[1]
SCRIPTS = Path(__file__).parent / "scripts"
CONFIG = ROOT / "configs" / "train" / "quick.yaml"
PEERS_PYTHON = ROOT / ".venv-peers" / "bin" / "python"

THREADS = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS", "NUMBA")}
SMALL_UPDATE = ("ppo.n_steps=8", "ppo.batch_size=2048")
"""For a first look at training; the figures mean little."""

START = """
import gin_env
env = gin_env.env()
env.reset(seed=1)
print("ready", flush=True)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    env.step(None if termination else env.action_space(agent).sample(info["action_mask"]))
print("played", flush=True)
"""


class MissingError(BenchmarkError):
    """What a suite needs is not installed; the message says what to do about it."""


def measure_training(effort: Effort) -> Iterator[Figure]:
    """MaskablePPO as configs/train/quick.yaml has it, and without the optional blocks.

    Raises:
        MissingError: If training, its libraries or the config is not there.
    """
    if find_spec("sb3_contrib") is None or find_spec("torch") is None:
        raise MissingError("training is not installed: pip install 'gin-env[train]'")
    if not CONFIG.is_file():
        raise MissingError("configs/train/quick.yaml is not there: run it in a checkout")
    settings = () if effort == FULL else SMALL_UPDATE
    kinds = {
        "training": ("MaskablePPO as in configs/train/quick.yaml", ()),
        "training_plain": ("MaskablePPO, without the optional blocks", ("game.extras=[]",)),
    }
    for name, (work, more) in kinds.items():
        arguments = [str(CONFIG), str(effort.n_repetitions), "threads=1", *settings, *more]
        (found,) = _run([sys.executable], "measure_training.py", arguments)
        samples = [Sample(*sample[:3]) for sample in found["samples"]]
        shares = tuple(100 * inside / seconds for _, seconds, _, inside in found["samples"])
        trained = rate(name, work, "decisions/s", samples)
        yield trained
        yield Figure(
            name=f"{name}_share",
            work=f"{work}: the environment's share",
            unit="%",
            repetitions=shares,
            core_share=trained.core_share,
        )


def measure_start(effort: Effort) -> Iterator[Figure]:
    """From an interpreter's start to the first observation, and to the end of the first hand."""
    cold, warm = [], []
    for number in range(max(1, effort.n_repetitions // 2)):  # they take long
        with TemporaryDirectory() as cache:
            cold.append(_start(cache))
            n_warm = effort.n_repetitions if number == 0 else 0
            warm += [_start(cache) for _ in range(n_warm)]
    for name, words, starts in (
        ("cold", "cold start, kernels compiled", cold),
        ("warm", "warm start, kernels cached", warm),
    ):
        ready, played = zip(*starts, strict=True)
        work = f"{words}: import and first reset"
        yield Figure(name=f"start_{name}", work=work, unit="s", repetitions=ready)
        work = f"{words}: and a hand played"
        yield Figure(name=f"start_{name}_hand", work=work, unit="s", repetitions=played)


def measure_peers(effort: Effort) -> Iterator[Figure]:
    """The other environments.

    Raises:
        MissingError: If they are not installed.
    """
    if not PEERS_PYTHON.is_file():
        raise MissingError("the peers are not installed: run `make bench-peers` first")
    arguments = [str(effort.n_repetitions), str(effort.seconds)]
    for found in _run([str(PEERS_PYTHON), "-I"], "measure_peers.py", arguments):
        if "missing" in found:
            raise MissingError(f"{found['work']}: {found['missing']}; run `make bench-peers` again")
        samples = [Sample(*sample) for sample in found["samples"]]
        figure = rate(found["name"], found["work"], "decisions/s", samples)
        yield replace(figure, versions=found["versions"])


def _start(cache: str) -> tuple[float, float]:
    """Start an interpreter. Returns seconds until the first reset, and until a hand is played."""
    started = time.perf_counter()
    reached = []
    with subprocess.Popen(
        [sys.executable, "-c", START],
        env={**_environment(), "NUMBA_CACHE_DIR": cache},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout is not None
        reached = [time.perf_counter() - started for _ in process.stdout]
    if process.returncode or len(reached) != 2:
        raise BenchmarkError("a fresh interpreter could not play a hand with gin_env")
    return reached[0], reached[1]


def _run(python: list[str], script: str, arguments: list[str]) -> list[dict[str, Any]]:
    """Run a script that prints one JSON object a line. Returns them."""
    command = [*python, str(SCRIPTS / script), *arguments]
    done = subprocess.run(command, env=_environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        raise BenchmarkError(f"{script} failed: {last}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def _environment() -> dict[str, str]:
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, **THREADS, "PYTHONPATH": os.pathsep.join(paths)}
