"""Runs of a second, for tests."""

import hashlib
from pathlib import Path
from typing import Any

from rich.console import Console
from sb3_contrib import MaskablePPO

from training.config.run_config import Config, to_config
from training.run.folder import Run
from training.train import describe_run, train

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
"""In place of what `TINY` has: a teacher first, then playouts, a league with an agent in it, and a
privileged value."""


def tiny_config(**changed: Any) -> Config:
    """The config of a run of a second."""
    return to_config({**TINY, **changed})


def start(folder: Path, **changed: Any) -> Run:
    """A run folder of a tiny run that has not begun."""
    config = tiny_config(**changed)
    return Run.create(folder, config, describe_run(config))


def go_on(run: Run) -> tuple[str, str]:
    """Train a run to its end. Returns how it ended, and what it printed."""
    console = Console(record=True, quiet=False, width=200, force_terminal=False, stderr=True)
    return train(run, console), console.export_text()


def hash_weights(file: Path) -> str:
    """A hash of the weights of a model file, bit by bit."""
    digest = hashlib.sha256()
    for name, tensor in MaskablePPO.load(file, device="cpu").policy.state_dict().items():
        digest.update(name.encode() + tensor.numpy().tobytes())
    return digest.hexdigest()
