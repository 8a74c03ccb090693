"""The agents that a config names as opponents: found as a run begins, which keeps them."""

from gin_env import agents, bots
from gin_env.core.errors import PlayerError
from gin_env.players import MODEL_FILE, find_model
from training.config import MET_AS, Config
from training.errors import ConfigError


def find_agents(config: Config) -> dict[str, bytes]:
    """The files of the agents among a config's opponents and its panel, by the names given there.

    Raises:
        ConfigError: If a name is nobody's, or a file is no agent's. What would have to be unpickled
            is refused unread.
    """
    in_games = [name for name in config.game.opponents if name not in MET_AS]
    found = {}
    for key, names in (("game", in_games), ("panel", config.panel.opponents)):
        for name in names:
            if not bots.is_bot(name):
                try:
                    found[name] = _read(name)
                except PlayerError as error:
                    raise ConfigError(f"{key}.opponents: {error}") from error
    return found


def _read(name: str) -> bytes:
    """An agent's file, which was checked."""
    file = find_model(name)
    if file.name == MODEL_FILE and file.is_file() and str(file) != name:
        raise PlayerError(
            f"{name!r} has no agent of its present state; `python -m training export` makes one"
        )
    if file.suffix != agents.SUFFIX:
        raise PlayerError(
            f"{name!r} is neither a bot ({', '.join(bots.names())}) nor an agent: one that ships "
            f"({', '.join(agents.names())}), an npz file, or the folder of an exported run"
        )
    agents.read_agent(file)
    return file.read_bytes()
