"""Settings of self-play with RLlib, and where a run stands. Needs no Ray."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from gin_env import Rules
from gin_env.players import resolve

SETTINGS, PROGRESS, CHECKPOINTS, WEIGHTS = (
    "settings.json",
    "progress.jsonl",
    "checkpoints",
    "weights.pt",
)
"""What a run folder holds."""
KEPT = ("rules", "width", "past")
"""Settings that a run cannot go on without: its weights and its league have their shape."""
SMOKE: dict[str, Any] = {
    "decisions": 1200,
    "per_update": 400,
    "batch_size": 64,
    "env_runners": 1,
    "games": 4,
    "past": 2,
    "self_share": 0.2,
    "league_hands": 1,
    "gain": -1000.0,
    "width": 16,
    "hands": 20,
}
"""Settings that try everything once, in a minute: also that past selves are frozen."""


def setting(default: Any, meaning: str, least: float | None = None) -> Any:
    """One setting; the command line gets an option of its name and type."""
    return field(default=default, metadata={"help": meaning, "least": least})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What may be changed from the command line."""

    run: str = setting("runs/rllib", "the folder for weights and checkpoints")
    address: str = setting("", "a running Ray cluster, or auto; without it one starts here")
    env_runners: int = setting(2, "processes that play", 1)
    games: int = setting(32, "games that each of them plays at the same time", 1)
    learners: int = setting(0, "1: a process of its own learns; 0: this one does", 0)
    gpus: float = setting(0.0, "GPUs of the process that learns", 0)
    seed: int = setting(1, "of what is drawn by lot; processes race, so no two runs are alike", 0)
    rules: str = setting("standard", "a preset of docs/rules.md")
    decisions: int = setting(2_000_000, "of both seats, over all resumptions", 1)
    per_update: int = setting(16_384, "decisions between two updates", 2)
    batch_size: int = setting(4096, "decisions in a minibatch", 2)
    n_epochs: int = setting(2, "passes over the decisions of an update", 1)
    width: int = setting(256, "units of the hidden layer", 1)
    learning_rate: float = setting(2e-3, "Adam's step size at the start; it falls to 0", 0)
    entropy_weight: float = setting(0.05, "at the start; it falls to 0 likewise", 0)
    past: int = setting(4, "past selves in the league", 1)
    self_share: float = setting(0.5, "share of the hands that the learner plays against itself", 0)
    league_hands: int = setting(2000, "hands against past selves that are judged at a time", 1)
    gain: float = setting(1.0, "points a hand on them that make the learner one of them")
    save_every: int = setting(20, "updates between two checkpoints", 1)
    opponent: str = setting("medium", "whom to play on mirrored deals at each of them")
    hands: int = setting(2000, "how many hands; 0: none", 0)

    def check(self) -> None:
        """Raise a `ValueError` that names what is wrong."""
        for one in fields(self):
            value, least = getattr(self, one.name), one.metadata["least"]
            if least is not None and not value >= least:
                raise ValueError(f"{to_option(one.name)} must be at least {least}, not {value}")
        if self.learners > 1:  # RLlib cannot share out hands that an update has cut
            raise ValueError(f"--learners must be 0 or 1, not {self.learners}")
        if self.self_share > 1:
            raise ValueError(f"--self-share must be at most 1, not {self.self_share}")
        if self.batch_size > self.per_update:
            raise ValueError(
                f"--batch-size must be at most --per-update, {self.per_update}, "
                f"not {self.batch_size}"
            )
        Rules.preset(self.rules)
        resolve(self.opponent)


def to_option(name: str) -> str:
    """The option of a setting."""
    return f"--{name.replace('_', '-')}"


def read_settings(arguments: Sequence[str] | None = None) -> tuple[Settings, Path | None]:
    """Read the command line.

    Returns:
        The settings, and the checkpoint to go on with, if one is.
    """
    parser = argparse.ArgumentParser(
        prog="python -m examples.rllib.selfplay", description="Self-play with RLlib."
    )
    parser.add_argument("--smoke", action="store_true", help="try everything once, in a minute")
    parser.add_argument("--resume", action="store_true", help="go on with the run in the folder")
    for one in fields(Settings):
        meaning = f"{one.metadata['help']} (default: {one.default!r})"
        parser.add_argument(
            to_option(one.name), type=type(one.default), default=argparse.SUPPRESS, help=meaning
        )
    given = vars(parser.parse_args(arguments))
    is_smoke, is_resumed = given.pop("smoke"), given.pop("resume")
    try:
        settings = Settings(**{**(SMOKE if is_smoke else {}), **given})
        folder = Path(settings.run)
        checkpoint = find_checkpoint(folder) if is_resumed else None
        if checkpoint:
            settings = go_on_with(folder, given)
            if int(checkpoint.name) >= settings.decisions:
                raise ValueError(f"this run has its {checkpoint.name} --decisions: ask for more")
        elif folder.exists():
            raise ValueError(f"{settings.run!r} is there already: --resume it, or name another")
        settings.check()
    except (ValueError, TypeError, OSError) as error:
        parser.error(str(error))
    return settings, checkpoint


def find_checkpoint(folder: Path) -> Path:
    """The last checkpoint of a run; what is there under its final name is whole."""
    whole = [one for one in (folder / CHECKPOINTS).glob("*") if one.name.isdecimal()]
    if not whole:
        raise ValueError(f"{str(folder)!r} holds no run with a checkpoint to go on with")
    return max(whole, key=lambda one: int(one.name))


def go_on_with(folder: Path, given: dict[str, Any]) -> Settings:
    """The settings of the run in a folder, changed as the command line says."""
    stored = Settings(**json.loads((folder / SETTINGS).read_text(encoding="utf-8")))
    settings = replace(stored, **{**given, "run": str(folder)})
    for name in KEPT:
        if getattr(settings, name) != getattr(stored, name):
            raise ValueError(f"{to_option(name)} of this run is {getattr(stored, name)!r} for good")
    return settings
