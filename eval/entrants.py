"""What is typed on a command line for a player and for rules."""

from pathlib import Path

from gin_env import bots
from gin_env.bots import Bot
from gin_env.core.errors import BotError
from gin_env.core.rules import Rules
from gin_env.players import Player, resolve


def read_player(text: str) -> Player:
    """Seat a player: a bot, a bot with options, a run folder or a model file.

    Raises:
        GinError: If nobody is meant, an option is unknown or out of range, or a file is no agent.

    Example:
        >>> read_player("hard:danger_weight=0,slack=3").name
        'hard(slack=3, danger_weight=0)'
    """
    name, colon, options = text.partition(":")
    if not colon or name not in bots.names():
        return resolve(text)
    return resolve(Bot(name, dict(_read_option(name, part) for part in options.split(","))))


def read_rules(text: str) -> Rules:
    """Read rules: a preset's name or a YAML file.

    Raises:
        RulesError: If there is no such preset, or the file cannot be read or holds bad fields.
    """
    path = Path(text)
    if path.suffix in (".yaml", ".yml") or path.is_file():
        return Rules.from_yaml(path)
    return Rules.preset(text)


def _read_option(bot: str, text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError as error:
        raise BotError(f"{bot}: write options as name=number, not {text!r}") from error
