"""What a config's fields take, and what they mean: each spec is a field's annotation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from gin_env import bots
from gin_env.core.observe import EXTRAS, check_extras
from gin_env.core.rules import to_rules
from gin_env.support.options import Flag, Number, Option, Whole, Word


class Spec(NamedTuple):
    """What a field takes, in the field's annotation."""

    option: Option
    meaning: str


@dataclass(frozen=True)
class _YamlNumber(Number):
    """A number; YAML takes one like ``1e-3``, without a point, for a text, which is read too."""

    def read(self, value: Any) -> Any:
        """See `Option.read`."""
        return super().read(float(value) if isinstance(value, str) else value)


@dataclass(frozen=True)
class _Listed(Option):
    """What a function reads, and a text describes."""

    function: Callable[[Any], Any]
    allowed: str

    def read(self, value: Any) -> Any:
        """See `Option.read`."""
        return self.function(value)

    def describe(self) -> str:
        """See `Option.describe`."""
        return self.allowed


def whole(low: int, high: int, meaning: str) -> Spec:
    """A whole number."""
    return Spec(Whole(low, high), meaning)


def number(low: float, high: float, meaning: str, *, may_be_null: bool = False) -> Spec:
    """A number."""
    return Spec(_YamlNumber(low, high, (None,) * may_be_null), meaning)


def word(words: Sequence[str | int], meaning: str) -> Spec:
    """One of a few words."""
    return Spec(Word(tuple(words)), meaning)


def flag(meaning: str) -> Spec:
    """True or false."""
    return Spec(Flag(), meaning)


def widths(n_least: int, high: int, meaning: str) -> Spec:
    """A list of at least so many whole numbers, from 1 on."""

    def read(value: Any) -> tuple[int, ...]:
        if len(_check_list(value)) < n_least:
            raise ValueError
        return tuple(Whole(1, high).read(one) for one in value)

    numbers = "at least one whole number" if n_least else "any number of whole numbers"
    return Spec(_Listed(read, f"a list of {numbers} from 1 to {high}"), meaning)


def rules(meaning: str) -> Spec:
    """Rules, by their preset's name or field by field; they are kept as they are written."""

    def read(value: Any) -> Any:
        to_rules(value)
        return value

    return Spec(_Listed(read, "a preset's name or a mapping of rule fields"), meaning)


def bot(meaning: str) -> Spec:
    """A bot."""
    return Spec(_Listed(_check_bot, "a bot"), meaning)


def section(meaning: str) -> Spec:
    """A section that may be there or not; what it holds has its own specs."""
    null = Word((None,)).read
    return Spec(_Listed(null, "a mapping of the keys that follow, or null"), meaning)


def shares_of_bots(meaning: str) -> Spec:
    """A mapping of bots to numbers."""
    return _shares("bots", _check_bot, meaning)


def shares_of_players(meaning: str, words: Sequence[str]) -> Spec:
    """A mapping of bots, agents and a few words to numbers."""

    def check(name: Any) -> str:
        return name if name in words else _check_player(name)

    listed = ", ".join(f"`{one}`" for one in words)
    return _shares(f"bots, agents, {listed}", check, meaning)


def _shares(whose: str, check: Callable[[Any], str], meaning: str) -> Spec:
    def read(value: Any) -> dict[str, float]:
        if not isinstance(value, Mapping):
            raise TypeError
        each = _YamlNumber(0, 1e6)
        found = {check(name): each.read(share) for name, share in value.items()}
        if not sum(found.values()) > 0:
            raise ValueError
        return found

    return Spec(_Listed(read, f"a mapping of {whose} to numbers from 0 on, not all 0"), meaning)


def players(meaning: str) -> Spec:
    """A list of different bots and agents; it may be empty."""

    def read(value: Any) -> tuple[str, ...]:
        found = tuple(_check_player(name) for name in _check_list(value))
        if len(set(found)) != len(found):
            raise ValueError
        return found

    return Spec(_Listed(read, "a list of different bots and agents"), meaning)


def extras(meaning: str) -> Spec:
    """A list of optional observation blocks; it may be empty."""

    def read(value: Any) -> tuple[str, ...]:
        return check_extras(_check_list(value))

    return Spec(_Listed(read, f"a list out of {', '.join(EXTRAS)}"), meaning)


def _check_bot(name: Any) -> str:
    """A bot's name, which may be followed by options: ``hard:slack=3``."""
    bots.read(str(name))
    return str(name)


def _check_player(name: Any) -> str:
    """A bot's name likewise, or somebody else's, who is looked for when a run begins."""
    if bots.is_bot(str(name)):
        return _check_bot(name)
    if not str(name).isprintable():
        raise ValueError
    return str(name)


def _check_list(value: Any) -> Sequence[Any]:
    if not isinstance(value, (list, tuple)):
        raise TypeError
    return value
