"""Runs of a second, for tests."""

import hashlib
import signal
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from sb3_contrib import MaskablePPO
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch import nn

from gin_env.players import MODEL_FILE, ModelPlayer, load_agent
from training.config import Config, to_config
from training.policy import Actor, GinPolicy
from training.run import Run
from training.run.callbacks import FINISHED
from training.run.folder import TENSORBOARD
from training.train import describe_run, make_model, train

TINY: dict[str, Any] = {
    "seed": 3,
    "decisions": 640,
    "threads": 1,
    "checkpoint_every": 128,
    "game": {"n_games": 8, "opponents": {"easy": 1, "hard": 2}},
    "ppo": {"n_steps": 16, "batch_size": 64, "n_epochs": 2, "ent_coef_end": 0.0},
    "network": {"widths": [16]},
    "panel": {"opponents": ["simple"], "hands": 8, "every": 256},
}

LEAGUE: dict[str, Any] = {
    "game": {"n_games": 8, "opponents": {"easy": 1, "quick": 1, "self": 1, "past": 2}},
    "clone": {"decisions": 3 * 2048, "portion": 2048, "teacher": "greedy", "batch_size": 512},
    "playouts": {
        "decisions": 2 * 2048,
        "portion": 2048,
        "opponents": {"simple": 1, "hard": 2},
        "batch_size": 512,
    },
    "league": {"every": 128, "size": 2},
    "shaping": {"weight": 0.2, "until": 0.6},
    "network": {"widths": [16], "value_widths": [12], "privileged": True},
    "checkpoint_every": 128,
    "panel": {"opponents": ["simple", "quick"], "hands": 8, "every": 256},
}
"""In place of what `TINY` has: imitation first, then playouts, a league with an agent in it, and a
privileged value."""

RARE = {"checkpoint_every": 10**6}


def tiny_config(**changed: Any) -> Config:
    """The config of a run of a second."""
    return to_config({**TINY, **changed})


def make_policy(**changed: Any) -> GinPolicy:
    """A policy that has not learned anything, by the keys of a tiny config."""
    policy: GinPolicy = make_model(tiny_config(**changed)).policy  # type: ignore[assignment]
    return policy


def frozen(seed: int, **changed: Any) -> Actor:
    """A frozen copy of such a policy."""
    return Actor(make_policy(seed=seed, **changed), is_frozen=True)


def start(folder: Path, **changed: Any) -> Run:
    """A run folder of a tiny run that has not begun."""
    config = tiny_config(**changed)
    return Run.create(folder, config, describe_run(config))


def go_on(run: Run) -> tuple[str, str]:
    """Train a run to its end. Returns how it ended, and what it printed."""
    console = Console(record=True, quiet=False, width=200, force_terminal=False, stderr=True)
    return train(run, console), console.export_text()


def finish(run: Run | Path, **changed: Any) -> Run:
    """Train a run to its end, one that is there or one that starts in a folder."""
    run = run if isinstance(run, Run) else start(run, **changed)
    assert go_on(run)[0] == FINISHED
    return run


def hash_tensors(module: nn.Module) -> str:
    """A hash of the weights of a network, bit by bit."""
    digest = hashlib.sha256()
    for name, tensor in module.state_dict().items():
        digest.update(name.encode() + tensor.numpy().tobytes())
    return digest.hexdigest()


def hash_weights(model: Run | Path) -> str:
    """A hash of the weights of a model file, or of a run's model."""
    file = model.path / MODEL_FILE if isinstance(model, Run) else model
    return hash_tensors(MaskablePPO.load(file, device="cpu").policy)


def load_model(file: Path) -> ModelPlayer:
    """The player of a model file."""
    player = load_agent(file)
    assert isinstance(player, ModelPlayer)
    return player


def read_log(run: Run) -> EventAccumulator:
    """What a run has logged for TensorBoard."""
    log = EventAccumulator(str(run.path / TENSORBOARD))
    log.Reload()
    return log


def interrupt(monkeypatch: pytest.MonkeyPatch, owner: type, method: str, n: int) -> None:
    """Let Ctrl-C be pressed at the n-th call of a method."""
    call, calls = getattr(owner, method), iter(range(1, 10**9))

    def interrupted(*args: Any) -> Any:
        if next(calls) == n:
            signal.raise_signal(signal.SIGINT)
        return call(*args)

    monkeypatch.setattr(owner, method, interrupted)
