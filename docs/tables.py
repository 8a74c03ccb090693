"""Write the generated tables of the documentation; ``--check`` only says whether they are current.

A table stands between ``<!-- table: NAME -->`` and ``<!-- end -->``.
"""

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gin_env.bots.choose import KINDS
from gin_env.core.actions import ACTION_TABLE
from gin_env.core.observe import EXTRAS, OBS_LAYOUT, OBS_SIZE, ObsBlock, obs_layout
from gin_env.core.rules import CHOICES, FLAGS, PRESETS, RANGES, WORDS_BESIDE_NUMBERS, Rules

DOCS = Path(__file__).parent
PATTERN = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)

UNITS = {"stock_end": "cards", "turn_cap": "turns"}
"""What the numbers of a rule field count; the others count points."""

RULE_MEANINGS = {
    "opening": "whether the upcard is offered; with `draw` the non-dealer starts with an ordinary "
    "draw, from stock or pile",
    "after_two_passes": "the non-dealer's first draw once both declined: from the stock; from the "
    "stock or the pile; from the stock, and then the pile is closed to both seats until the "
    "hand ends",
    "declined_upcard": "the card that both declined is the bottom of the pile, or leaves the game: "
    "seen by both, out of reach",
    "knock_limit": "the most deadwood to knock with; with 0 only gin ends a hand",
    "oklahoma": "the upcard's points cap the knock limit for that hand; an ace allows 1, or only "
    "gin",
    "oklahoma_spades_double": "the points of a hand are doubled if its upcard is a spade",
    "gin_bonus": "for gin",
    "undercut_bonus": "for the defender who undercuts",
    "big_gin_bonus": "for declaring, instead of a discard, that all eleven cards are melded; with "
    "none there is no such declaration and the hand is played as gin",
    "tie": "equal deadwood after layoffs: an undercut by 0; no points, no winner, same dealer; or "
    "a win for the knocker, worth 0",
    "may_return_taken": "whether the card taken from the pile may be discarded, or knocked with, "
    "in the same turn",
    "stock_end": "how many cards in the stock end a hand",
    "turn_cap": "how many turns, of both seats together, end a hand",
    "first_dealer": "who deals the first hand of a match; with `seat_1`, seat 0 acts first",
    "next_dealer": "who deals after a hand that somebody won",
    "target": "the running total that ends a match",
    "hand_bonus": "for every hand won in a match",
    "hand_bonus_paid": "whether that bonus is added after the match, or to the running total with "
    "its hand",
    "game_bonus": "for winning the match",
    "shutout": "for winning the match against a running total of 0: nothing, the winner's running "
    "total once more, or a fixed bonus",
}

PRESET_MEANINGS = {
    "standard": "the table of the three computer levels",
    "browser": "a table in the browser, for one player",
    "browser_quick": "the short game of that table",
    "club": "an older club's description",
    "home": "a household's score sheet",
    "home_20_10": "its common variation",
    "modern": "tournaments of today",
    "bicycle": "the classic American book",
    "palace": "a phone app",
    "eaai": "the research challenge of 2021",
    "oklahoma": "Oklahoma gin",
    "straight": "straight gin",
}


def action_table() -> str:
    """The actions: ids, text, meaning."""
    return _table(("id", "text", "meaning"), ACTION_TABLE)


def observation_table() -> str:
    """The blocks of every observation."""
    return _layout_table(OBS_LAYOUT)


def extras_table() -> str:
    """The optional blocks, with the places they take when all are asked for."""
    return _layout_table(obs_layout(EXTRAS)[len(OBS_LAYOUT) :])


def bot_table() -> str:
    """The bots' options."""
    rows = [
        (f"`{bot}`", f"`{name}`", f"{o.default:g}", f"{o.low:g} to {o.high:g}", o.meaning)
        for bot, kind in KINDS.items()
        for name, o in kind.options.items()
    ]
    return _table(("bot", "option", "default", "range", "meaning"), rows)


def rule_table() -> str:
    """The fields of `Rules`."""
    rows = [
        (f"`{name}`", _allowed(name), _value(default), RULE_MEANINGS[name])
        for name, default in Rules().to_dict().items()
    ]
    return _table(("field", "values", "default", "meaning"), rows)


def preset_table() -> str:
    """The presets, and what they set otherwise than ``standard``."""
    standard = Rules().to_dict()
    rows = []
    for preset in PRESETS:
        values = Rules.preset(preset).to_dict()
        other = [name for name in standard if values[name] != standard[name]]
        differs = ", ".join(f"`{name}: {_plain(values[name])}`" for name in other)
        rows.append((f"`{preset}`", PRESET_MEANINGS[preset], differs or "nothing"))
    return _table(("preset", "what it is", "differs from `standard` in"), rows)


TABLES = {
    "rules": rule_table,
    "presets": preset_table,
    "actions": action_table,
    "observation": observation_table,
    "extras": extras_table,
    "bot_options": bot_table,
}


def fill(text: str) -> str:
    """Put the current tables into a page."""
    page = PATTERN.sub(lambda match: match[1] + TABLES[match[2]]() + match[3], text)
    return re.sub(r"<!-- size -->\d*", f"<!-- size -->{OBS_SIZE}", page)


def main(arguments: list[str]) -> int:
    """Rewrite the pages, or with ``--check`` name those that are not current."""
    only_checks = arguments == ["--check"]
    stale = [path for path in sorted(DOCS.glob("*.md")) if fill(_read(path)) != _read(path)]
    for path in stale:
        print(f"{path.name}: tables {'are not current' if only_checks else 'written anew'}")
        if not only_checks:
            path.write_text(fill(_read(path)), encoding="utf-8")
    return int(bool(stale) and only_checks)


def _allowed(name: str) -> str:
    """What a rule field takes."""
    if name in CHOICES:
        return ", ".join(map(_value, CHOICES[name]))
    if name in FLAGS:
        return "true, false"
    low, high = RANGES[name]
    numbers = f"{low}, {high}" if high == low + 1 else f"{low}–{high:,}"  # noqa: RUF001
    words = map(_value, WORDS_BESIDE_NUMBERS.get(name, ()))
    return ", ".join([f"{numbers} {UNITS.get(name, 'points')}", *words])


def _value(value: Any) -> str:
    """A value of a rule field in a table: words as code."""
    return f"`{value}`" if isinstance(value, str) else _plain(value)


def _plain(value: Any) -> str:
    """A value as YAML has it, but for ``none``."""
    return "none" if value is None else str(value).lower()


def _layout_table(layout: Iterable[ObsBlock]) -> str:
    rows = [
        (f"`{b.name}`", f"{b.slice.start}:{b.slice.stop}", str(b.shape[0]), b.meaning)
        for b in layout
    ]
    return _table(("block", "places", "size", "meaning"), rows)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
