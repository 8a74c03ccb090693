"""A bot as an object: its name, its options, and the record that kernels read."""

from dataclasses import dataclass, field

import numpy as np

from gin_env.bots.bot_row import BOT_DTYPE
from gin_env.bots.choose import EXPERT, KINDS
from gin_env.bots.deferred_search import link_search
from gin_env.errors import BotError
from gin_env.support.key_values import unique
from gin_env.support.options import check_known, short


@dataclass(frozen=True)
class Bot:
    """A bot with its options.

    Attributes:
        name: A name of `names`.
        options: Every option that this bot has, by name.
    """

    name: str
    options: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the name and the options, and fill in what was left out."""
        check_known("bot", self.name, KINDS, BotError)
        known = KINDS[self.name].options
        filled = {name: option.default for name, option in known.items()}
        for name, value in self.options.items():
            check_known("option", name, known, BotError, of=self.name)
            filled[name] = known[name].takes.check(f"{self.name}: {name}", value, BotError)
        object.__setattr__(self, "options", filled)

    @property
    def row(self) -> np.void:
        """What kernels read. Returns a scalar of `BOT_DTYPE`."""
        kind = KINDS[self.name].kind
        if kind == EXPERT:
            link_search()
        row = np.zeros(1, BOT_DTYPE)[0]
        row["kind"] = kind
        for name, value in self.options.items():
            row[name] = value
        return row  # type: ignore[no-any-return]

    def __hash__(self) -> int:
        """Equal bots have equal hashes."""
        return hash((self.name, *sorted(self.options.items())))

    def __str__(self) -> str:
        """The name, with the options that differ from the defaults."""
        kind = KINDS[self.name]
        changed = [
            f"{name}={value:g}"
            for name, value in self.options.items()
            if value != kind.options[name].default
        ]
        return f"{self.name}({', '.join(changed)})" if changed else self.name


def make(name: str, **options: float) -> Bot:
    """Make a bot by name.

    Args:
        name: One of `names`.
        **options: Options of that bot; docs/bots.md lists them with their ranges.

    Raises:
        BotError: If the bot or an option is unknown, or a value is outside its range.

    Example:
        >>> print(make("hard", danger_weight=0))
        hard(danger_weight=0)
    """
    return Bot(name, options)


def read(text: str) -> Bot:
    """Make a bot from text: a name, or a name and options.

    Raises:
        BotError: If the bot or an option is unknown, or a value is outside its range.

    Example:
        >>> print(read("hard:danger_weight=0,slack=3"))
        hard(slack=3, danger_weight=0)
    """
    name, colon, options = text.partition(":")
    check_known("bot", name, KINDS, BotError)
    pairs = [_read_option(name, part) for part in options.split(",") if colon]
    try:
        given = unique(pairs)
    except ValueError as error:
        raise BotError(f"{name}: {error}") from error
    return Bot(name, given)


def is_bot(text: str) -> bool:
    """Whether a text is meant for `read`: whether it is a bot's name, or begins with one."""
    return text.partition(":")[0] in KINDS


def names() -> tuple[str, ...]:
    """The names of all bots, from the weakest idea to the strongest."""
    return tuple(KINDS)


def _read_option(bot: str, text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError as error:
        raise BotError(f"{bot}: write options as name=number, not {short(text)}") from error
