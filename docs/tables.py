"""Write the generated tables of the documentation; ``--check`` only says whether they are current.

A table stands between ``<!-- table: NAME -->`` and ``<!-- end -->``.
"""

import re
import sys
from collections.abc import Iterable
from pathlib import Path

from gin_env.bots.choose import KINDS
from gin_env.core.actions import ACTION_TABLE
from gin_env.core.observe import EXTRAS, OBS_LAYOUT, OBS_SIZE, ObsBlock, obs_layout

DOCS = Path(__file__).parent
PATTERN = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


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


TABLES = {
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
    stale = [path for path in sorted(DOCS.glob("*.md")) if fill(_read(path)) != _read(path)]
    for path in stale:
        print(f"{path.name}: tables are not current")
        if arguments != ["--check"]:
            path.write_text(fill(_read(path)), encoding="utf-8")
    return int(bool(stale) and arguments == ["--check"])


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
