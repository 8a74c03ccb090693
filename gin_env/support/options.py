"""Reading what callers hand in: whole numbers, seeds, and options of a few values."""

import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np

from gin_env.errors import OptionError, SeedError

SEED_END = 1 << 64
"""Seeds lie below this."""


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
    number = read_int(seed)
    if number is None or not 0 <= number < SEED_END:
        raise SeedError(f"a seed is a whole number from 0 to 2**64 - 1, not {seed!r}")
    return number


def check_whole(name: str, value: Any, low: int, high: int | None = None) -> int:
    """Read a whole number.

    Raises:
        OptionError: If it is none, or lies outside the range.
    """
    number = read_int(value)
    if number is None or number < low or (high is not None and number > high):
        allowed = f"from {low} on" if high is None else f"from {low} to {high}"
        raise OptionError(f"{name} must be a whole number {allowed}, not {value!r}")
    return number


def check_choice(name: str, value: object, choices: Sequence[object]) -> None:
    """Check an option that takes one of a few values.

    Raises:
        OptionError: If it is none of them.
    """
    if not any(value is choice or value == choice for choice in choices):
        allowed = ", ".join(map(repr, choices))
        raise OptionError(f"{name} must be one of {allowed}, not {value!r}")
