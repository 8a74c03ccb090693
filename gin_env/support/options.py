"""What callers hand in, checked in one place: numbers, words, flags, names and seeds."""

import reprlib
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from difflib import get_close_matches
from math import inf, isfinite
from typing import Any

import numpy as np

from gin_env.errors import GinError, OptionError, SeedError

SEED_END = 1 << 64
"""Seeds lie below this."""

MAX_SHOWN = 80
"""Characters of a value that an error shows."""

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = MAX_SHOWN


class Option:
    """What an option takes. Each kind reads a value, and says in words what it allows."""

    def read(self, value: Any) -> Any:
        """Return a value in its right type.

        Raises:
            ValueError: If it is not allowed; so do TypeError and OverflowError.
        """
        raise NotImplementedError

    def describe(self) -> str:
        """What is allowed, to come after "must be"."""
        raise NotImplementedError

    def check(self, name: str, value: Any, error: type[GinError] = OptionError) -> Any:
        """Read a value, or raise an error that names the option, the value and what is allowed.

        Args:
            name: What the option is called.
            value: What was handed in.
            error: What to raise.
        """
        try:
            return self.read(value)
        except GinError as reason:
            raise error(f"{name}: {reason}") from reason
        except (ValueError, TypeError, OverflowError):
            raise error(f"{name} must be {self.describe()}, not {short(value)}") from None


@dataclass(frozen=True)
class Whole(Option):
    """A whole number of any integer type, from ``low`` to ``high``, or one of a few words."""

    low: int
    high: int | None = None
    words: tuple[str | None, ...] = ()

    def read(self, value: Any) -> Any:
        """See `Option.read`. Returns an int or a word."""
        number = read_int(value)
        if number is None:
            return _find_word(value, self.words)
        if number < self.low or (self.high is not None and number > self.high):
            raise ValueError
        return number

    def describe(self) -> str:
        """See `Option.describe`."""
        allowed = "on" if self.high is None else f"to {self.high}"
        return f"a whole number from {self.low} {allowed}{_describe_words(self.words)}"


SEED = Whole(0, SEED_END - 1)


@dataclass(frozen=True)
class Number(Option):
    """A finite number of any type, from ``low`` to ``high``, or one of a few words."""

    low: float
    high: float = inf
    words: tuple[str | None, ...] = ()

    def read(self, value: Any) -> Any:
        """See `Option.read`. Returns a float or a word."""
        if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
            return _find_word(value, self.words)
        if not (self.low <= value <= self.high and isfinite(value)):
            raise ValueError
        return float(value)

    def describe(self) -> str:
        """See `Option.describe`."""
        allowed = "on" if self.high == inf else f"to {self.high:g}"
        return f"a number from {self.low:g} {allowed}{_describe_words(self.words)}"


@dataclass(frozen=True)
class Word(Option):
    """One of a few values, most of them words."""

    words: tuple[Any, ...]

    def read(self, value: Any) -> Any:
        """See `Option.read`. Returns the one that it equals."""
        return _find_word(value, self.words)

    def describe(self) -> str:
        """See `Option.describe`."""
        return "one of " + ", ".join(map(str, self.words))


@dataclass(frozen=True)
class Flag(Option):
    """True or false."""

    def read(self, value: Any) -> bool:
        """See `Option.read`."""
        if not isinstance(value, bool):
            raise TypeError
        return value

    def describe(self) -> str:
        """See `Option.describe`."""
        return "true or false"


def check_known(
    what: str,
    name: Any,
    known: Collection[str],
    error: type[GinError] = OptionError,
    of: str | None = None,
) -> None:
    """Check that a name is one of those there are.

    Args:
        what: What it names, in the singular.
        name: The name.
        known: All that there are.
        error: What to raise; it lists them, and asks whether the nearest one was meant.
        of: Whose they are.
    """
    if isinstance(name, str) and name in known:
        return
    whose = f" of {of}" if of else ""
    listed = f"the {what}s{whose} are {', '.join(known)}" if known else "there are none"
    raise error(f"unknown {what} {short(name)}{whose}; {listed}{suggest(name, known)}")


def suggest(name: Any, known: Collection[str]) -> str:
    """The end of an error about an unknown name: which of the known ones is near, if any."""
    near = get_close_matches(name[:MAX_SHOWN], known, n=1) if isinstance(name, str) else ()
    return f" (did you mean {near[0]!r}?)" if near else ""


def short(value: Any) -> str:
    """A value in an error's message: of what is long, the start."""
    try:
        text = _SHORT.repr(value)
    except ValueError:  # a number of more digits than Python writes
        text = f"a {type(value).__name__}"
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}..."


def read_int(value: Any) -> int | None:
    """Read a whole number of any integer type; None for anything else, truth values included."""
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
        return None
    try:
        return int(value.__index__())
    except TypeError:
        return None


def check_seed(seed: Any) -> int:
    """Read a seed; None draws a fresh one from the operating system.

    Raises:
        SeedError: If it is no whole number from 0 to 2**64 - 1.
    """
    if seed is None:
        return secrets.randbits(64)
    try:
        number: int = SEED.read(seed)
    except ValueError:
        said = f"a seed is a whole number from 0 to 2**64 - 1, not {short(seed)}"
        raise SeedError(said) from None
    return number


def _find_word(value: Any, words: tuple[Any, ...]) -> Any:
    """The word that a value equals; a truth value equals none, not even 0 or 1."""
    for word in words:
        if isinstance(value, type(word)) and not isinstance(value, bool) and value == word:
            return word
    raise ValueError


def _describe_words(words: tuple[str | None, ...]) -> str:
    return ", or " * bool(words) + " or ".join("null" if one is None else one for one in words)
