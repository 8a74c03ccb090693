"""What a config's fields take: each spec reads a value from YAML, or says what is allowed."""

from collections.abc import Callable, Mapping, Sequence
from math import inf, isfinite
from typing import Any, NamedTuple

from gin_env import bots
from gin_env.core.observe import EXTRAS, check_extras
from gin_env.core.rules import to_rules


class Spec(NamedTuple):
    """What a field takes, in the field's annotation."""

    read: Callable[[Any], Any]
    """Returns the value in its right type, or raises a ValueError or a TypeError."""
    allowed: str
    meaning: str


def whole(low: int, high: int, meaning: str) -> Spec:
    """A whole number."""

    def read(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise ValueError
        return value

    return Spec(read, f"a whole number from {low} to {high}", meaning)


def number(low: float, high: float, meaning: str, *, may_be_null: bool = False) -> Spec:
    """A number; YAML takes one like ``1e-3``, without a point, for a text, which is read too."""

    def read(value: Any) -> float | None:
        if value is None and may_be_null:
            return None
        if isinstance(value, bool) or not low <= float(value) <= high or not isfinite(float(value)):
            raise ValueError
        return float(value)

    to = f"from {low:g} on" if high == inf else f"from {low:g} to {high:g}"
    return Spec(read, f"a number {to}" + ", or null" * may_be_null, meaning)


def word(words: Sequence[str | int], meaning: str) -> Spec:
    """One of a few words."""

    def read(value: Any) -> str | int:
        for one in words:
            if value == one and type(value) is type(one):
                return one
        raise ValueError

    return Spec(read, "one of " + ", ".join(map(str, words)), meaning)


def flag(meaning: str) -> Spec:
    """True or false."""

    def read(value: Any) -> bool:
        if not isinstance(value, bool):
            raise TypeError
        return value

    return Spec(read, "true or false", meaning)


def widths(n_least: int, high: int, meaning: str) -> Spec:
    """A list of at least so many whole numbers, from 1 on."""
    each = whole(1, high, meaning)

    def read(value: Any) -> tuple[int, ...]:
        if len(_check_list(value)) < n_least:
            raise ValueError
        return tuple(each.read(one) for one in value)

    least = "at least one" if n_least else "any number of"
    number_of = each.allowed.removeprefix("a ")
    if not n_least:
        number_of = number_of.replace("number", "numbers")
    return Spec(read, f"a list of {least} {number_of}", meaning)


def rules(meaning: str) -> Spec:
    """Rules, by their preset's name or field by field; they are kept as they are written."""

    def read(value: Any) -> Any:
        to_rules(value)
        return value

    return Spec(read, "a preset's name or a mapping of rule fields", meaning)


def bot(meaning: str) -> Spec:
    """A bot."""
    return Spec(_check_bot, "a bot", meaning)


def section(meaning: str) -> Spec:
    """A section that may be there or not; what it holds has its own specs."""

    def read(value: Any) -> None:
        if value is not None:
            raise TypeError

    return Spec(read, "a mapping of the keys that follow, or null", meaning)


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
        found = {check(name): each.read(share) for name, share in value.items()}
        if not sum(found.values()) > 0:
            raise ValueError
        return found

    each = number(0, 1e6, meaning)
    return Spec(read, f"a mapping of {whose} to numbers from 0 on, not all 0", meaning)


def players(meaning: str) -> Spec:
    """A list of different bots and agents; it may be empty."""

    def read(value: Any) -> tuple[str, ...]:
        found = tuple(_check_player(name) for name in _check_list(value))
        if len(set(found)) != len(found):
            raise ValueError
        return found

    return Spec(read, "a list of different bots and agents", meaning)


def extras(meaning: str) -> Spec:
    """A list of optional observation blocks; it may be empty."""

    def read(value: Any) -> tuple[str, ...]:
        return check_extras(_check_list(value))

    return Spec(read, f"a list out of {', '.join(EXTRAS)}", meaning)


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
