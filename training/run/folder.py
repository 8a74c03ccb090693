"""The run folder: what it holds, and how it is written so that a kill leaves no half a file."""

import json
import re
import shutil
import tempfile
from contextlib import AbstractContextManager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from gin_env.agents import SUFFIX, read_agent
from gin_env.errors import OutputError, PlayerError
from gin_env.players import EXPORTS, MODEL_FILE, RUN_FILE, NetPlayer
from gin_env.support.files import hold, read_mapping, write_whole
from gin_env.support.key_values import load_json
from training.config.run_config import Config, read_config
from training.env.opponents import find_agents, name_agents
from training.errors import ConfigError, RunError

# Beside these a run folder holds RUN_FILE and MODEL_FILE, which players read.
CONFIG_FILE = "config.yaml"
AGENTS = "agents"
CHECKPOINTS = "checkpoints"
TENSORBOARD = "tensorboard"
BEST_FILE = "best.zip"
HISTORY_FILE = "panel.json"
CURVE_FILE = "curve.png"
LEAGUE_FILE = "league.json"
LOCK_FILE = "lock"

SHA256 = re.compile("[0-9a-f]{64}")

N_CHECKPOINTS = 3
"""How many checkpoints are kept, in case that the last one is damaged."""


class Run:
    """A run folder. Use `create` for a new one, `open` for one that is there."""

    def __init__(self, path: Path, config: Config) -> None:
        self.path, self.config = path, config

    @classmethod
    def create(
        cls, path: str | Path, config: Config, facts: dict[str, Any], *, overwrite: bool = False
    ) -> "Run":
        """Make a new run folder, complete or not at all, with the agents that the run will meet.

        Args:
            path: Where; it may be an empty folder.
            config: What will be trained.
            facts: What ``run.json`` holds.
            overwrite: Whether to replace a run folder that is there.

        Raises:
            RunError: If something else is there, or the folder cannot be made.
            ConfigError: If an opponent is neither a bot nor an agent.
        """
        folder = Path(path)
        check_free(folder, overwrite=overwrite)
        agents = find_agents(config)  # one may lie in the folder that is replaced
        hashes = {name: sha256(content).hexdigest() for name, content in agents.items()}
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            made = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
            made.chmod(0o755)
            write_whole(made / CONFIG_FILE, config.to_yaml().encode())
            write_whole(made / RUN_FILE, _to_json({**facts, "agents": hashes}))
            if agents:
                (made / AGENTS).mkdir()
            for name, content in agents.items():
                write_whole(made / AGENTS / f"{hashes[name]}{SUFFIX}", content)
            before = made.with_name(made.name + "-before")
            if folder.exists():
                folder.rename(before)
            made.rename(folder)
            shutil.rmtree(before, ignore_errors=True)
        except (OSError, OutputError) as error:
            raise RunError(f"cannot make the run folder {str(path)!r}: {error}") from error
        return cls(folder, config)

    @classmethod
    def open(cls, path: str | Path) -> "Run":
        """Open an existing run folder.

        Raises:
            RunError: If there is none, or its config cannot be read.
        """
        folder = Path(path)
        if not is_run(folder):
            raise RunError(
                f"{str(path)!r} is no run folder: it must hold {CONFIG_FILE} and {RUN_FILE}"
            )
        try:
            config = read_config(folder / CONFIG_FILE)
        except ConfigError as error:
            raise RunError(f"cannot go on with {str(path)!r}: {error}") from error
        return cls(folder, config)

    def hold(self) -> AbstractContextManager[None]:
        """Keep other processes from training the run: a context manager.

        Raises:
            RunError: On entering, if another process trains it already.
        """
        in_use = f"{str(self.path)!r} is being trained by another process"
        return hold(self.path / LOCK_FILE, RunError, in_use)

    def check_config(self) -> None:
        """Check that nothing but the budget has changed in the config since the run began.

        Raises:
            RunError: If something has: the checkpoints were made with the old config.
        """
        if self.facts().get("config_hash") != config_hash(self.config):
            raise RunError(
                f"{str(self.path / CONFIG_FILE)!r} was changed since the run began; put it back, "
                "or start another run from it (only the budget may change, with --set)"
            )

    def facts(self) -> dict[str, Any]:
        """What ``run.json`` holds.

        Raises:
            RunError: If it cannot be read.
        """
        return read_mapping(self.path / RUN_FILE, RunError)

    def agents(self) -> dict[str, NetPlayer]:
        """The agents that the run meets, as they were when it began, by their names in the config.

        Raises:
            RunError: If one cannot be read, or was changed.
        """
        noted = self.facts().get("agents")
        hashes = noted if isinstance(noted, dict) else {}
        return {name: self._read_agent(name, hashes.get(name)) for name in name_agents(self.config)}

    def _read_agent(self, name: str, digest: Any) -> NetPlayer:
        if not isinstance(digest, str) or not SHA256.fullmatch(digest):
            raise RunError(f"{str(self.path / RUN_FILE)!r} has no hash of the agent {name!r}")
        try:
            agent = read_agent(self.path / AGENTS / f"{digest}{SUFFIX}")
        except PlayerError as error:
            raise RunError(f"the run has lost the agent {name!r}: {error}") from error
        if sha256(agent.content).hexdigest() != digest:
            raise RunError(f"the run's copy of the agent {name!r} was changed")
        return NetPlayer(agent, name)

    def write_facts(self, **changed: Any) -> None:
        """Enter facts into ``run.json``, besides those that it holds."""
        self.write_json(RUN_FILE, {**self.facts(), **changed})

    def write_config(self, config: Config) -> None:
        """Replace the config by one that goes on from it."""
        self.config = config
        self.write(CONFIG_FILE, config.to_yaml().encode())

    def write(self, name: str, content: bytes) -> None:
        """Replace a file."""
        write_whole(self.path / name, content)

    def history(self) -> list[dict[str, Any]]:
        """The evaluations so far, in their order.

        Raises:
            RunError: If it cannot be read.
        """
        file = self.path / HISTORY_FILE
        if not file.is_file():
            return []
        try:
            return list(load_json(file.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError, RecursionError) as error:
            raise RunError(f"cannot read {str(file)!r}: {error}") from error

    def write_json(self, name: str, content: Any) -> None:
        """Replace a file by one of JSON."""
        self.write(name, _to_json(content))

    def write_checkpoint(self, n_decisions: int, checkpoint: bytes) -> None:
        """Add a checkpoint, and delete the oldest where there are more than `N_CHECKPOINTS`."""
        folder = self.path / CHECKPOINTS
        folder.mkdir(exist_ok=True)
        write_whole(folder / f"{n_decisions:015d}.zip", checkpoint)
        for old in self.checkpoints()[N_CHECKPOINTS:]:
            old.unlink()
        for half in folder.glob("*.tmp"):
            half.unlink()

    def checkpoints(self) -> list[Path]:
        """The checkpoints, the newest first."""
        return sorted((self.path / CHECKPOINTS).glob("*.zip"), reverse=True)


def config_hash(config: Config) -> str:
    """A hash of a config without its budget, the part that may change within a run."""
    budgetless = replace(config, decisions=1, minutes=None)
    return sha256(budgetless.to_yaml().encode()).hexdigest()


def is_run(path: Path) -> bool:
    """Whether a run folder is there."""
    return (path / CONFIG_FILE).is_file() and (path / RUN_FILE).is_file()


def holds_only_a_run(path: Path) -> bool:
    """Whether a run folder is there that holds nothing but a run's files."""
    own = {CONFIG_FILE, RUN_FILE, MODEL_FILE, CHECKPOINTS, TENSORBOARD}
    own |= {AGENTS, BEST_FILE, HISTORY_FILE, CURVE_FILE, LEAGUE_FILE, LOCK_FILE, EXPORTS}
    names = {entry.name.removesuffix(".tmp") for entry in path.iterdir()}
    return is_run(path) and not path.is_symlink() and names <= own


def check_free(path: Path, *, overwrite: bool) -> None:
    """Check that a run folder can be made.

    Raises:
        RunError: If something is in the way: other files, or a run without ``overwrite``.
    """
    if not path.exists() or (path.is_dir() and not any(path.iterdir())):
        return
    if not is_run(path):
        raise RunError(f"{str(path)!r} is there and no run folder: choose another with --run")
    if overwrite and (not holds_only_a_run(path) or path.resolve() == Path.cwd()):
        raise RunError(
            f"{str(path)!r} is not overwritten: it is the present folder, a link, or holds other "
            "files than a run's; choose another with --run"
        )
    if not overwrite:
        raise RunError(
            f"{str(path)!r} is there already: choose another folder with --run, go on with it with "
            "--resume, or replace it with --overwrite"
        )


def _to_json(content: Any) -> bytes:
    return (json.dumps(content, indent=2) + "\n").encode()
