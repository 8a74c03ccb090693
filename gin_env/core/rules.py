"""The rules of a table: one frozen, validated record, its presets, and what kernels read of it.

Every field and preset is described in docs/rules.md.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_type_hints

import numpy as np

from gin_env.errors import RulesError
from gin_env.support.key_values import load_yaml
from gin_env.support.options import Flag, Whole, Word, check_known, short

MAX_POINTS = 10_000
MAX_TURN_CAP = 1_000

Episode = Literal["hand", "match"]
EPISODES = ("hand", "match")

NO_BIG_GIN = -1
SHUTOUT_DOUBLE = -1
SPECIAL_CODES = {None: NO_BIG_GIN, "none": 0, "double": SHUTOUT_DOUBLE}
"""How the record has what a field takes besides numbers."""

_POINTS = Whole(0, MAX_POINTS)


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

    opening: Annotated[str, Word(("offer", "draw"))] = "offer"
    """Whether the upcard is offered; with `draw` the non-dealer starts with an ordinary draw, from
    stock or pile (docs/rules.md, "What every table shares")."""
    after_two_passes: Annotated[str, Word(("stock", "either", "stock_only"))] = "stock"
    """The non-dealer's first draw once both declined: from the stock; from the stock or the pile;
    from the stock, and then the pile is closed to both seats until the hand ends (docs/rules.md,
    "Where the books are silent")."""
    declined_upcard: Annotated[str, Word(("pile", "removed"))] = "pile"
    """The card that both declined is the bottom of the pile, or leaves the game: seen by both, out
    of reach (docs/rules.md, "Where the books are silent")."""
    knock_limit: Annotated[int, Whole(0, 10)] = 10
    """The most deadwood to knock with; with 0 only gin ends a hand (docs/rules.md, "What every
    table shares")."""
    oklahoma: Annotated[str, Word(("off", "ace_one", "ace_gin"))] = "off"
    """The upcard's points cap the knock limit for that hand; an ace allows 1, or only gin
    (docs/rules.md, "Where the books are silent")."""
    oklahoma_spades_double: Annotated[bool, Flag()] = False
    """The points of a hand are doubled if its upcard is a spade (docs/rules.md, "Where the books
    are silent")."""
    gin_bonus: Annotated[int, _POINTS] = 25
    """For gin (docs/rules.md, "Scoring a hand"). Points."""
    undercut_bonus: Annotated[int, _POINTS] = 25
    """For the defender who undercuts (docs/rules.md, "Scoring a hand"). Points."""
    big_gin_bonus: Annotated[int | None, Whole(0, MAX_POINTS, (None,))] = None
    """For declaring, instead of a discard, that all eleven cards are melded; with none there is no
    such declaration and the hand is played as gin (docs/rules.md, "Scoring a hand"). Points."""
    tie: Annotated[str, Word(("undercut", "push", "knocker"))] = "undercut"
    """Equal deadwood after layoffs: an undercut by 0; no points, no winner, same dealer; or a win
    for the knocker, worth 0 (docs/rules.md, "Scoring a hand" and "Matches")."""
    may_return_taken: Annotated[bool, Flag()] = False
    """Whether the card taken from the pile may be discarded, or knocked with, in the same turn
    (docs/rules.md, "Where the books are silent")."""
    stock_end: Annotated[int, Whole(2, 3)] = 2
    """How many cards in the stock end a hand (docs/rules.md, "What every table shares")."""
    turn_cap: Annotated[int, Whole(1, MAX_TURN_CAP)] = 100
    """How many turns, of both seats together, end a hand (docs/rules.md, "What every table
    shares")."""
    first_dealer: Annotated[str, Word(("seat_0", "seat_1", "lot"))] = "seat_1"
    """Who deals the first hand of a match; with `seat_1`, seat 0 acts first (docs/rules.md,
    "Matches")."""
    next_dealer: Annotated[str, Word(("loser", "winner", "alternate"))] = "alternate"
    """Who deals after a hand that somebody won (docs/rules.md, "Matches")."""
    target: Annotated[int, Whole(1, MAX_POINTS)] = 100
    """The running total that ends a match (docs/rules.md, "Matches"). Points."""
    hand_bonus: Annotated[int, _POINTS] = 0
    """For every hand won in a match (docs/rules.md, "Matches"). Points."""
    hand_bonus_paid: Annotated[str, Word(("end", "at_once"))] = "end"
    """Whether that bonus is added after the match, or to the running total with its hand
    (docs/rules.md, "Matches")."""
    game_bonus: Annotated[int, _POINTS] = 0
    """For winning the match (docs/rules.md, "Matches"). Points."""
    shutout: Annotated[str | int, Whole(0, MAX_POINTS, ("none", "double"))] = "none"
    """For winning the match against a running total of 0: nothing, the winner's running total once
    more, or a fixed bonus (docs/rules.md, "Matches"). Points."""

    def __post_init__(self) -> None:
        """Check every field."""
        for name, option in FIELDS.items():
            value = option.check(name, getattr(self, name), RulesError)
            object.__setattr__(self, name, value)

    @classmethod
    def preset(cls, name: str, **overrides: Any) -> Self:
        """Take a preset of docs/rules.md, with some fields set otherwise.

        Raises:
            RulesError: If the preset or a field is unknown, or a value is outside its range.
        """
        check_known("preset", name, PRESETS, RulesError)
        return cls.from_dict({**PRESETS[name], **overrides})

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Build rules from field names and values; an entry ``preset`` names where to start.

        Raises:
            RulesError: If the preset or a field is unknown, or a value is outside its range.
        """
        if not isinstance(values, Mapping):
            raise RulesError(f"rules must be a mapping of fields, not {short(values)}")
        rest = {name: value for name, value in values.items() if name != "preset"}
        for name in rest:
            check_known("rule field", name, FIELDS, RulesError)
        return cls.preset(values["preset"], **rest) if "preset" in values else cls(**rest)

    @classmethod
    def from_yaml(cls, path: str | Path) -> Self:
        """Read rules from a YAML file of field names and values (and ``preset``, see `from_dict`).

        Raises:
            RulesError: If the file cannot be read, is no mapping, or holds bad fields.
        """
        try:
            values = load_yaml(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise RulesError(f"cannot read rules from {str(path)!r}: {error}") from error
        if not isinstance(values, dict) or not all(isinstance(key, str) for key in values):
            raise RulesError(f"{str(path)!r} must hold a mapping of rule fields to values")
        return cls.from_dict({name: _undo_yaml(name, value) for name, value in values.items()})

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read rules as they are typed: a preset's name, or the path of a YAML file.

        Raises:
            RulesError: If there is neither, or the file cannot be read or holds bad fields.
        """
        path = Path(text)
        is_file = text not in PRESETS and (path.suffix in (".yaml", ".yml") or path.exists())
        return cls.from_yaml(path) if is_file else cls.preset(text)

    @classmethod
    def from_row(cls, row: np.void) -> Self:
        """The rules that a record was filled with; ``"none"`` where `shutout` was 0 points."""
        values: dict[str, Any] = {name: int(row[name]) for name in FIELDS}
        for name, option in FIELDS.items():
            if isinstance(option, Word):
                values[name] = option.words[values[name]]
            elif isinstance(option, Flag):
                values[name] = bool(values[name])
            else:
                words = {SPECIAL_CODES[word]: word for word in option.words}
                values[name] = words.get(values[name], values[name])
        return cls(**values)

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
        Word(EPISODES).check("episode", episode, RulesError)
        row = np.zeros(1, RULES_DTYPE)[0]
        for name, option in FIELDS.items():
            value = getattr(self, name)
            if isinstance(option, Word):
                row[name] = option.words.index(value)
            else:
                row[name] = SPECIAL_CODES.get(value, value)
        row["is_match"] = episode == "match"
        return row  # type: ignore[no-any-return]


FIELDS: dict[str, Flag | Whole | Word] = {
    name: hint.__metadata__[0] for name, hint in get_type_hints(Rules, include_extras=True).items()
}
"""What each field takes. Kernels read a word's place among its words."""

RULES_DTYPE = np.dtype(
    [
        (name, np.int32)
        for kind in (Word, Whole, Flag)
        for name, option in FIELDS.items()
        if isinstance(option, kind)
    ]
    + [("is_match", np.int32)]
)
"""The compact record that kernels read; `Rules.row` fills it."""


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
    raise RulesError(f"rules must be a preset's name, a mapping or Rules, not {short(rules)}")


def check_penalty(penalty: Any) -> int:
    """Read the price of an illegal action, points.

    Raises:
        OptionError: If it is no whole number from 0 to `MAX_POINTS`.
    """
    points: int = _POINTS.check("illegal_penalty", penalty)
    return points


def _undo_yaml(name: str, value: Any) -> Any:
    """YAML reads a bare ``off`` as false."""
    return "off" if value is False and name == "oklahoma" else value


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
    option = FIELDS[field]
    assert isinstance(option, Word)
    return option.words.index(word)


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
