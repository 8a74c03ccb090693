"""Write the generated tables of the documentation; ``--check`` only says whether they are current.

A table stands between ``<!-- table: NAME -->`` and ``<!-- end -->``.
"""

import ast
import inspect
import re
import sys
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

from gin_env.bots.choose import KINDS
from gin_env.core.actions import ACTION_TABLE
from gin_env.core.observe import EXTRAS, OBS_LAYOUT, OBS_SIZE, ObsBlock, obs_layout
from gin_env.core.rules import FIELDS, PRESETS, Rules
from gin_env.support.options import Flag, Word

DOCS = Path(__file__).parent
PATTERN = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)

UNITS = {"stock_end": "cards", "turn_cap": "turns"}
"""What the numbers of a rule field count; the others count points."""

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
        (
            f"`{bot}`",
            f"`{name}`",
            f"{o.default:g}",
            f"{o.takes.low:g} to {o.takes.high:g}",
            o.meaning,
        )
        for bot, kind in KINDS.items()
        for name, o in kind.options.items()
    ]
    return _table(("bot", "option", "default", "range", "meaning"), rows)


def rule_table() -> str:
    """The fields of `Rules`."""
    meanings = _rule_meanings()
    rows = [
        (f"`{name}`", _allowed(name), _value(default), meanings[name])
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


def _rule_meanings() -> dict[str, str]:
    """What each rule field means: the docstring below it, up to where it names its source."""
    (rules,) = ast.parse(inspect.getsource(Rules)).body
    assert isinstance(rules, ast.ClassDef)
    meanings = {}
    for field, text in pairwise(rules.body):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
            meaning = " ".join(ast.literal_eval(text.value).partition(" (docs/")[0].split())
            meanings[ast.unparse(field.target)] = meaning[0].lower() + meaning[1:]
    return meanings


def _allowed(name: str) -> str:
    """What a rule field takes."""
    option = FIELDS[name]
    if isinstance(option, Word):
        return ", ".join(map(_value, option.words))
    if isinstance(option, Flag):
        return "true, false"
    low, high = option.low, option.high
    numbers = f"{low}, {high}" if high == low + 1 else f"{low}–{high:,}"  # noqa: RUF001
    words = map(_value, option.words)
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
