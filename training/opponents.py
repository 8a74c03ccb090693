"""Whom a config may name besides the run's own networks: bots, and agents of plain arrays."""

from gin_env import agents, bots
from gin_env.core.errors import PlayerError
from gin_env.players import BotPlayer, NetPlayer, find_model


def read_opponent(name: str) -> BotPlayer | NetPlayer:
    """Seat a bot or an agent.

    Args:
        name: A bot's name, also with options; the name of an agent that ships; an agent's npz; or
            the folder of a run that was exported. What would have to be unpickled is none of these.

    Raises:
        BotError: If an option is none of the bot's.
        PlayerError: If it is something else, or an agent cannot be read.
    """
    if name.partition(":")[0] in bots.names():
        return BotPlayer(bots.read(name))
    file = find_model(name)
    if file.suffix != agents.SUFFIX:
        raise PlayerError(
            f"{name!r} is neither a bot ({', '.join(bots.names())}) nor an agent: one that ships "
            f"({', '.join(agents.names())}), an npz file, or the folder of an exported run"
        )
    return NetPlayer(agents.read_agent(file), name)
