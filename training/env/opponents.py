"""Find the agents that a config names as opponents; a run keeps copies of them."""

from pathlib import Path

from gin_env import agents, bots
from gin_env.errors import PlayerError
from gin_env.players import MODEL_FILE, find_model
from training.config.run_config import MET_AS, Config
from training.errors import ConfigError


def name_agents(config: Config) -> dict[str, str]:
    """The opponents of PPO or of evaluations that are no bots, and the config key of each.

    Raises:
        ConfigError: If evaluations are to meet the run's own past or present self.
    """
    for name in MET_AS:
        if name in config.panel.opponents:
            raise ConfigError(f"panel.opponents: {name!r} is only met in game.opponents")
    named = dict.fromkeys(config.panel.opponents, "panel.opponents")
    named |= dict.fromkeys(config.game.opponents, "game.opponents")
    return {name: key for name, key in named.items() if not (name in MET_AS or bots.is_bot(name))}


def find_agents(config: Config) -> dict[str, bytes]:
    """The contents of these agents' files, by name. Files that hold pickles are refused unread.

    Raises:
        ConfigError: If a name is neither a bot's nor an agent's, or a file is no agent's.
    """
    found = {}
    for name, key in name_agents(config).items():
        try:
            found[name] = _read(name)
        except PlayerError as error:
            raise ConfigError(f"{key}: {error}") from error
    return found


def _read(name: str) -> bytes:
    file = find_model(name)
    if Path(name).is_dir() and file.name == MODEL_FILE and file.is_file():
        raise PlayerError(
            f"{name!r} has no agent of its present state; `python -m training export` makes one"
        )
    if file.suffix != agents.SUFFIX:
        raise PlayerError(
            f"{name!r} is neither a bot ({', '.join(bots.names())}) nor an agent: one that ships "
            f"({', '.join(agents.names())}), an npz file, or the folder of an exported run"
        )
    return agents.read_agent(file).content
