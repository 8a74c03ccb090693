"""The rules of a table: one frozen, validated record, its presets, and what kernels read of it.

Every field and preset is described in docs/rules.md.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np

from gin_env.errors import RulesError
from gin_env.support.options import check_whole

MAX_POINTS = 10_000
MAX_TURN_CAP = 1_000

Episode = Literal["hand", "match"]
EPISODES = ("hand", "match")

CHOICES: dict[str, tuple[str, ...]] = {
    "opening": ("offer", "draw"),
    "after_two_passes": ("stock", "either", "stock_only"),
    "declined_upcard": ("pile", "removed"),
    "oklahoma": ("off", "ace_one", "ace_gin"),
    "tie": ("undercut", "push", "knocker"),
    "first_dealer": ("seat_0", "seat_1", "lot"),
    "next_dealer": ("loser", "winner", "alternate"),
    "hand_bonus_paid": ("end", "at_once"),
}
"""The fields that take one of a few words. Kernels read a word's place in its tuple."""

RANGES: dict[str, tuple[int, int]] = {
    "knock_limit": (0, 10),
    "gin_bonus": (0, MAX_POINTS),
    "undercut_bonus": (0, MAX_POINTS),
    "big_gin_bonus": (0, MAX_POINTS),
    "stock_end": (2, 3),
    "turn_cap": (1, MAX_TURN_CAP),
    "target": (1, MAX_POINTS),
    "hand_bonus": (0, MAX_POINTS),
    "game_bonus": (0, MAX_POINTS),
    "shutout": (0, MAX_POINTS),
}
"""The fields that take a whole number, with the least and the greatest (points, cards or turns)."""

FLAGS = ("oklahoma_spades_double", "may_return_taken")
"""The fields that are true or false."""

WORDS_BESIDE_NUMBERS: dict[str, tuple[str | None, ...]] = {
    "big_gin_bonus": (None,),
    "shutout": ("none", "double"),
}
"""What a field of `RANGES` takes besides a number."""

NO_BIG_GIN = -1
SHUTOUT_DOUBLE = -1

RULES_DTYPE = np.dtype(
    [(name, np.int32) for name in (*CHOICES, *RANGES, *FLAGS)] + [("is_match", np.int32)],
)
"""The compact record that kernels read; `Rules.row` fills it."""


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The rules of one table. The defaults are the preset ``standard``.

    Raises:
        RulesError: If a field is outside its range; the message names the field, the value and
            what is allowed.

    Example:
        >>> Rules.preset("home", target=50).game_bonus
        100
    """

    opening: str = "offer"
    after_two_passes: str = "stock"
    declined_upcard: str = "pile"
    knock_limit: int = 10
    oklahoma: str = "off"
    oklahoma_spades_double: bool = False
    gin_bonus: int = 25
    undercut_bonus: int = 25
    big_gin_bonus: int | None = None
    tie: str = "undercut"
    may_return_taken: bool = False
    stock_end: int = 2
    turn_cap: int = 100
    first_dealer: str = "seat_1"
    next_dealer: str = "alternate"
    target: int = 100
    hand_bonus: int = 0
    hand_bonus_paid: str = "end"
    game_bonus: int = 0
    shutout: str | int = "none"

    def __post_init__(self) -> None:
        """Check every field."""
        for field in fields(self):
            _check_field(field.name, getattr(self, field.name))

    @classmethod
    def preset(cls, name: str, **overrides: Any) -> Self:
        """Take a preset of docs/rules.md, with some fields set otherwise.

        Raises:
            RulesError: If the preset or a field is unknown, or a value is outside its range.
        """
        if name not in list(PRESETS):  # a list also compares what cannot be hashed
            raise RulesError(f"unknown preset {name!r}; the presets are {', '.join(PRESETS)}")
        return cls.from_dict({**PRESETS[name], **overrides})

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Build rules from field names and values; an entry ``preset`` names where to start.

        Raises:
            RulesError: If the preset or a field is unknown, or a value is outside its range.
        """
        known = [field.name for field in fields(cls)]
        for name in values:
            if name not in (*known, "preset"):
                raise RulesError(f"unknown rule field {name!r}; the fields are {', '.join(known)}")
        rest = {name: value for name, value in values.items() if name != "preset"}
        return cls.preset(values["preset"], **rest) if "preset" in values else cls(**rest)

    @classmethod
    def from_yaml(cls, path: str | Path) -> Self:
        """Read rules from a YAML file of field names and values (and ``preset``, see `from_dict`).

        Raises:
            RulesError: If the file cannot be read, is no mapping, or holds bad fields.
        """
        import yaml  # noqa: PLC0415  (only files need it)

        try:
            values = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        except Exception as error:  # of some odd texts the YAML reader makes odd errors
            raise RulesError(f"cannot read rules from {str(path)!r}: {error!r}") from error
        if not isinstance(values, dict) or not all(isinstance(key, str) for key in values):
            raise RulesError(f"{str(path)!r} must hold a mapping of rule fields to values")
        return cls.from_dict({name: _undo_yaml(name, value) for name, value in values.items()})

    def to_dict(self) -> dict[str, Any]:
        """All fields and their values, as `from_dict` reads them."""
        return asdict(self)

    def replace(self, **overrides: Any) -> Self:
        """The same rules with some fields set otherwise.

        Raises:
            RulesError: If a field is unknown or a value is outside its range.
        """
        if "preset" in overrides:
            raise RulesError(
                "replace takes fields, not a preset; use Rules.preset to start from one"
            )
        return self.from_dict({**self.to_dict(), **overrides})

    def row(self, episode: Episode = "hand") -> np.void:
        """The record that kernels read. Returns a scalar of `RULES_DTYPE`."""
        if episode not in EPISODES:
            raise RulesError(f"episode must be one of {', '.join(EPISODES)}, not {episode!r}")
        row = np.zeros(1, RULES_DTYPE)[0]
        for field in fields(self):
            row[field.name] = _field_code(field.name, getattr(self, field.name))
        row["is_match"] = episode == "match"
        return row  # type: ignore[no-any-return]


def to_rules(rules: "str | Mapping[str, Any] | Rules") -> Rules:
    """Read rules given as a preset's name, a mapping of fields, or `Rules`.

    Raises:
        RulesError: If it is none of these, or holds something unknown or out of range.
    """
    if isinstance(rules, Rules):
        return rules
    if isinstance(rules, str):
        return Rules.preset(rules)
    if isinstance(rules, Mapping):
        return Rules.from_dict(rules)
    raise RulesError(f"rules must be a preset's name, a mapping or Rules, not {rules!r}")


def _check_field(name: str, value: Any) -> None:
    if name in CHOICES:
        is_right = isinstance(value, str) and value in CHOICES[name]
        allowed = "one of " + ", ".join(CHOICES[name])
    elif name in FLAGS:
        is_right = isinstance(value, bool)
        allowed = "true or false"
    else:
        low, high = RANGES[name]
        words = WORDS_BESIDE_NUMBERS.get(name, ())
        is_number = isinstance(value, int) and not isinstance(value, bool)
        is_word = value is None or isinstance(value, str)
        is_right = (low <= value <= high) if is_number else is_word and value in words
        allowed = " or ".join([f"a whole number from {low} to {high}", *map(str, words)])
    if not is_right:
        raise RulesError(f"{name} must be {allowed}, not {value!r}")


def _undo_yaml(name: str, value: Any) -> Any:
    """YAML reads a bare ``off`` as false."""
    return "off" if value is False and "off" in CHOICES.get(name, ()) else value


def _field_code(name: str, value: Any) -> int:
    if name in CHOICES:
        return CHOICES[name].index(value)
    if name == "big_gin_bonus" and value is None:
        return NO_BIG_GIN
    if name == "shutout" and isinstance(value, str):
        return SHUTOUT_DOUBLE if value == "double" else 0
    return int(value)


_BROWSER = {"next_dealer": "loser", "declined_upcard": "removed"}
_HOME = {
    "opening": "draw",
    "next_dealer": "loser",
    "first_dealer": "lot",
    "game_bonus": 100,
    "shutout": 100,
    "hand_bonus": 20,
}
_MODERN = {
    "first_dealer": "lot",
    "next_dealer": "winner",
    "big_gin_bonus": 31,
    "hand_bonus": 25,
    "game_bonus": 100,
    "shutout": "double",
}

PRESETS: dict[str, dict[str, Any]] = {
    "standard": {},
    "browser": _BROWSER,
    "browser_quick": {**_BROWSER, "target": 50},
    "club": {
        "next_dealer": "winner",
        "first_dealer": "lot",
        "after_two_passes": "either",
        "tie": "push",
    },
    "home": _HOME,
    "home_20_10": {**_HOME, "gin_bonus": 20, "undercut_bonus": 10},
    "modern": _MODERN,
    "bicycle": {
        **_MODERN,
        "gin_bonus": 20,
        "undercut_bonus": 10,
        "big_gin_bonus": None,
        "hand_bonus": 20,
        "shutout": 100,
    },
    "palace": {
        **_MODERN,
        "big_gin_bonus": None,
        "undercut_bonus": 20,
        "hand_bonus": 10,
        "hand_bonus_paid": "at_once",
        "game_bonus": 0,
        "shutout": "none",
    },
    "eaai": {"first_dealer": "lot"},
    "oklahoma": {**_MODERN, "oklahoma": "ace_gin", "oklahoma_spades_double": True},
    "straight": {"knock_limit": 0},
}
"""What each preset of docs/rules.md sets otherwise than ``standard``."""


def _code(field: str, word: str) -> int:
    return CHOICES[field].index(word)


OPENING_DRAW = _code("opening", "draw")
AFTER_PASSES_EITHER = _code("after_two_passes", "either")
AFTER_PASSES_STOCK_ONLY = _code("after_two_passes", "stock_only")
DECLINED_REMOVED = _code("declined_upcard", "removed")
OKLAHOMA_OFF = _code("oklahoma", "off")
OKLAHOMA_ACE_GIN = _code("oklahoma", "ace_gin")
TIE_UNDERCUT = _code("tie", "undercut")
TIE_PUSH = _code("tie", "push")
FIRST_DEALER_DRAWN = _code("first_dealer", "lot")
NEXT_DEALER_LOSER = _code("next_dealer", "loser")
NEXT_DEALER_WINNER = _code("next_dealer", "winner")
PAID_AT_ONCE = _code("hand_bonus_paid", "at_once")


def check_penalty(penalty: Any) -> int:
    """Read the price of an illegal action, points.

    Raises:
        OptionError: If it is no whole number from 0 to `MAX_POINTS`.
    """
    return check_whole("illegal_penalty", penalty, 0, MAX_POINTS)
