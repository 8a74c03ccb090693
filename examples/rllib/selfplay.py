"""Self-play with RLlib, for when one machine is too small.

    python -m examples.rllib.selfplay --smoke
    python -m examples.rllib.selfplay --address auto --env-runners 60 --decisions 200000000
    python -m examples.rllib.selfplay --resume --run runs/rllib

Run it from the checkout. The learner plays its present self and past ones (league.py); the games
are spread over the processes that `--env-runners` asks for, wherever the cluster has room. What it
leaves, examples/ppo_single_file.py measures too:

    python examples/ppo_single_file.py --decisions 0 --weights runs/rllib/weights.pt

README.md beside this file says more.
"""

import functools
import json
import logging
import os
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import ray
import torch
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.utils.metrics import ENV_RUNNER_RESULTS, NUM_ENV_STEPS_SAMPLED_LIFETIME

from examples.ppo_single_file import HAND_POINTS, measure
from examples.rllib.league import MAIN, N_FROZEN, Draw, League, name_past, restore
from examples.rllib.module import GinModule
from examples.rllib.settings import (
    CHECKPOINTS,
    PROGRESS,
    SETTINGS,
    WEIGHTS,
    Settings,
    read_settings,
)
from examples.rllib.table import GinRummyTable

ROOT = Path(__file__).parents[2]
NOT_SENT = [".git", ".venv*", "runs", "**/__pycache__"]
"""What of the checkout the machines of a cluster do not need."""
MAX_IDLE = 10
"""After so many updates in a row for which nobody has played, the run ends."""


def make_config(settings: Settings) -> PPOConfig:
    """PPO by RLlib's new API stack: EnvRunners play, Learners learn, RLModules are the policies."""
    scale = 1 / HAND_POINTS
    modules = [MAIN, *map(name_past, range(settings.past))]
    spec = RLModuleSpec(module_class=GinModule, model_config={"width": settings.width})
    return (
        PPOConfig()
        .environment(
            GinRummyTable,
            env_config={"rules": settings.rules, "reward_scale": scale},
            disable_env_checking=True,  # the check plays without looking at the mask
        )
        .env_runners(
            num_env_runners=settings.env_runners,
            num_envs_per_env_runner=settings.games,
            # Only whole hands would be the short ones rather than the long: those under way are
            # cut instead, and go on after the update.
            batch_mode="truncate_episodes",
            rollout_fragment_length="auto",
        )
        .learners(num_learners=settings.learners, num_gpus_per_learner=settings.gpus)
        .multi_agent(
            policies=set(modules),
            policy_mapping_fn=Draw(settings.past, settings.self_share),
            policies_to_train=[MAIN],
        )
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=dict.fromkeys(modules, spec)))
        .callbacks(
            functools.partial(
                League, hands=settings.league_hands, gain=settings.gain, reward_scale=scale
            )
        )
        .training(
            train_batch_size_per_learner=settings.per_update,
            minibatch_size=settings.batch_size,
            num_epochs=settings.n_epochs,
            lr=fall(settings.learning_rate, settings.decisions),
            entropy_coeff=fall(settings.entropy_weight, settings.decisions),
            gamma=1.0,
            lambda_=0.95,
            clip_param=0.2,
            vf_loss_coeff=0.5,
            use_kl_loss=True,
            kl_coeff=0.0,  # it is told, and nothing else
            grad_clip=0.5,
            grad_clip_by="global_norm",
        )
        .debugging(seed=settings.seed, log_level="ERROR")
    )


def fall(start: float, decisions: int) -> list[list[float]]:
    """A schedule of RLlib: from a value to 0, in a line over the decisions of the run."""
    return [[0, start], [decisions, 0.0]]


def connect(settings: Settings) -> None:
    """Join a cluster, to which the checkout is sent; or start one that lives as long as this."""
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if settings.address:
        environment = {"working_dir": str(ROOT), "excludes": NOT_SENT}
        ray.init(settings.address, runtime_env=environment, **quiet)
    else:
        # Processes that share cores are slow; those for which there is no core never start.
        wanted = settings.env_runners + settings.learners
        n_cpus = max(os.cpu_count() or 1, wanted)
        ray.init("local", num_cpus=n_cpus, include_dashboard=False, **quiet)


def learn(settings: Settings, checkpoint: Path | None = None) -> None:
    """Play and learn; each update prints a line, and so does each measurement."""
    folder = Path(settings.run).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / SETTINGS, lambda file: file.write_text(json.dumps(asdict(settings), indent=2)))
    algorithm = make_config(settings).build_algo()
    try:
        if checkpoint:
            restore(algorithm, checkpoint)
        n_updates = n_idle = 0
        while count_decisions(algorithm) < settings.decisions:
            told = describe(algorithm)
            if told["speed"] == 0:  # those that played have died, and RLlib starts them anew
                n_idle += 1
                if n_idle == MAX_IDLE:
                    raise RuntimeError("nobody plays any more; Ray's logs say why")
                continue
            report(folder, told)
            n_idle = 0
            n_updates += 1
            if n_updates % settings.save_every == 0:
                keep(algorithm, settings, folder)
        if n_updates % settings.save_every != 0:
            keep(algorithm, settings, folder)
    finally:
        algorithm.stop()


def count_decisions(algorithm: Algorithm) -> int:
    """How many were played, over all resumptions."""
    return int(
        algorithm.metrics.peek((ENV_RUNNER_RESULTS, NUM_ENV_STEPS_SAMPLED_LIFETIME), default=0)
    )


def describe(algorithm: Algorithm) -> dict[str, float]:
    """Play and learn once. Returns how it went, by name."""
    start, before = time.perf_counter(), count_decisions(algorithm)
    result = algorithm.train()
    decisions, learned = count_decisions(algorithm), result["learners"][MAIN]
    told = {
        "decisions": decisions,
        "speed": (decisions - before) / (time.perf_counter() - start),
        "entropy": learned["entropy"],
        "kl": learned["mean_kl_loss"],
        "explained": learned["vf_explained_var"],
        "frozen": result[N_FROZEN],
        "on past selves": result.get("points_on_past"),
    }
    return {name: round(float(value), 4) for name, value in told.items() if value is not None}


def keep(algorithm: Algorithm, settings: Settings, folder: Path) -> None:
    """Write the weights and a checkpoint, and measure them on mirrored deals."""
    network = algorithm.get_module(MAIN).network
    write(folder / WEIGHTS, lambda file: torch.save(network.state_dict(), file))
    name = str(count_decisions(algorithm))
    write(folder / CHECKPOINTS / name, algorithm.save_to_path)
    for other in (folder / CHECKPOINTS).iterdir():
        if other.name != name:
            shutil.rmtree(other)
    if settings.hands:
        points = measure(network, settings.opponent, settings.hands)
        figures = zip(("points", "low", "high"), points[:3], strict=True)
        told = {key: round(value, 4) for key, value in figures}
        report(folder, {"decisions": int(name), "against": settings.opponent, **told})


def write(path: Path, put: Callable[[Path], Any]) -> None:
    """Have something written beside its place, and then put there: whole, or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.new")
    if beside.is_dir():
        shutil.rmtree(beside)
    put(beside)
    beside.replace(path)


def report(folder: Path, told: dict[str, Any]) -> None:
    """Print a line, and add it to those of the run folder."""
    print("   ".join(f"{name} {value}" for name, value in told.items()), flush=True)
    with (folder / PROGRESS).open("a", encoding="utf-8") as file:
        print(json.dumps(told), file=file)


def main(arguments: Sequence[str] | None = None) -> None:
    """Join or start a cluster, and learn there."""
    settings, checkpoint = read_settings(arguments)
    connect(settings)
    try:
        learn(settings, checkpoint)
    finally:
        ray.shutdown()


if __name__ == "__main__":
    main()
