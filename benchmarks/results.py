"""What is written of a benchmark: JSON with every repetition, Markdown, a table in the docs."""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.figures import BenchmarkError

FORMAT = "gin_env benchmark"
VERSION = 1
JSON_NAME, MARKDOWN_NAME = "benchmark.json", "benchmark.md"
PERFORMANCE_PAGE = Path(__file__).parents[1] / "docs" / "performance.md"

QUIET = 0.95
"""Where the core was less than this much of the time our own, figures say little."""

_PLACE = re.compile(r"(<!-- benchmark -->\n).*?(<!-- end of benchmark -->)", re.DOTALL)

Content = Mapping[str, Any]
"""What the JSON file holds."""


def write_report(folder: Path, content: Content) -> None:
    """Write both files into a folder that exists.

    Raises:
        BenchmarkError: If that cannot be done.
    """
    try:
        text = json.dumps(content, indent=2) + "\n"
        (folder / JSON_NAME).write_text(text, encoding="utf-8")
        (folder / MARKDOWN_NAME).write_text(to_markdown(content), encoding="utf-8")
    except OSError as error:
        raise BenchmarkError(f"cannot write into {str(folder)!r}: {error.strerror}") from error


def read_report(file: Path) -> Content:
    """Read the JSON file.

    Raises:
        BenchmarkError: If there is none, or it is not one of ours.
    """
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BenchmarkError(f"cannot read {str(file)!r}: {error}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise BenchmarkError(f"{str(file)!r} was not written by this benchmark")
    if content.get("version") != VERSION:
        raise BenchmarkError(f"{str(file)!r} has version {content.get('version')}, not {VERSION}")
    return content


def fill_docs(file: Path, page: Path = PERFORMANCE_PAGE) -> None:
    """Put the figures of a JSON file into docs/performance.md.

    Raises:
        BenchmarkError: If one of the two cannot be read, or the figures are quick ones.
    """
    content = read_report(file)
    if content["is_quick"]:
        raise BenchmarkError(f"{str(file)!r} holds quick figures: too rough for the docs")
    try:
        page.write_text(fill(page.read_text(encoding="utf-8"), content), encoding="utf-8")
    except OSError as error:
        raise BenchmarkError(f"cannot fill {str(page)!r}: {error.strerror}") from error


def fill(page: str, content: Content) -> str:
    """Put a report between the marks of a page.

    Raises:
        BenchmarkError: If it has none.
    """
    if not _PLACE.search(page):
        raise BenchmarkError("the page has no <!-- benchmark --> ... <!-- end of benchmark -->")
    return _PLACE.sub(lambda place: place[1] + to_markdown(content) + place[2], page)


def to_markdown(content: Content) -> str:
    """The whole report."""
    figures = content["figures"]
    sections = {
        "work": [one for one in figures if one["suite"] not in ("peers", "breakdown")],
        "other environments": [one for one in figures if one["suite"] == "peers"],
        "what the parts of a decision cost": [
            one for one in figures if one["suite"] == "breakdown"
        ],
    }
    parts = [_head(content)]
    parts += [_figure_table(title, ones) for title, ones in sections.items() if ones]
    if content["ratios"]:
        parts.append(_ratio_table(content["ratios"]))
    parts.append(_remarks(content))
    return "\n".join(part for part in parts if part)


def describe_line(figure: Mapping[str, Any]) -> str:
    """One figure in one line, for the terminal."""
    target = figure["target"]
    line = f"{figure['work']}: {number(figure['median'])} {figure['unit']} ({_spread(figure)})"
    if target is None:
        return line
    aim = _aim(target) if target["kind"] == "at_most" else f"at least {_aim(target)}"
    return f"{line}; {'reaches' if target['is_reached'] else 'MISSES'} {aim}"


def number(value: float) -> str:
    """Four digits that count, and thousands set apart."""
    if abs(value) >= 1000:
        digits = 4 - len(str(int(abs(value))))
        return f"{round(value, digits):,.0f}"
    return f"{value:.{3 if abs(value) < 1 else 2 if abs(value) < 10 else 1}f}"


def _head(content: Content) -> str:
    machine, versions = content["machine"], dict(content["versions"])
    commit = content["commit"] or "unknown"
    core = machine["pinned_to"]
    place = "one thread, not pinned" if core is None else f"one thread, pinned to core {core}"
    listed = ", ".join(f"{name} {of}" for name, of in versions.items())
    peers = ", ".join(f"{name} {of}" for name, of in content["peers"].items())
    return (
        f"Measured on {content['date'][:10]}: {machine['cpu']}, {machine['cores']} cores, "
        f"{place}; {machine['system']}, Python {machine['python']}; commit {commit}; {listed}"
        f"{'; beside ' + peers if peers else ''}.\n"
    )


def _figure_table(title: str, figures: Iterable[Mapping[str, Any]]) -> str:
    rows = [
        (
            one["work"],
            f"{number(one['median'])} {one['unit']}",
            _spread(one),
            "" if one["target"] is None else _aim(one["target"]),
            "" if one["target"] is None else _yes(one["target"]["is_reached"]),
        )
        for one in figures
    ]
    if any(row[3] for row in rows):
        return _table((title, "median", "lowest to highest", "at least", "reached"), rows)
    return _table((title, "median", "lowest to highest"), [row[:3] for row in rows])


def _ratio_table(ratios: Iterable[Mapping[str, Any]]) -> str:
    rows = [
        (
            one["our_work"],
            one["their_work"],
            number(one["value"]),
            "" if one["at_least"] is None else f"{one['at_least']:g}",
            "" if one["at_least"] is None else _yes(one["value"] >= one["at_least"]),
        )
        for one in ratios
    ]
    return _table(("ours", "theirs", "ratio", "at least", "reached"), rows)


def _remarks(content: Content) -> str:
    lines = [*content["notes"]]
    shares = {
        one["work"]: one["core_share"]
        for one in content["figures"]
        if one["core_share"] is not None
    }
    if shares:
        work = min(shares, key=lambda work: shares[work])
        percent = f"{100 * shares[work]:.0f} %"
        if shares[work] < QUIET:
            lines.append(f"**The core was busy:** only {percent} of its time went to: {work}.")
        else:
            lines.append(f"The core was this run's own for at least {percent} of every figure.")
    if content["is_quick"]:
        lines.append("**Quick figures**, from a fraction of a second each.")
    return "".join(f"- {line}\n" for line in lines)


def _spread(figure: Mapping[str, Any]) -> str:
    if len(figure["repetitions"]) == 1:
        return "once"
    return f"{number(figure['lowest'])} to {number(figure['highest'])}"


def _aim(target: Mapping[str, Any]) -> str:
    """What the column "at least" holds."""
    return f"{'at most ' * (target['kind'] == 'at_most')}{target['value']:,.10g}"


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "**no**"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    rule = ("---", *("--:" for _ in head[1:]))
    return "".join(f"| {' | '.join(line)} |\n" for line in (head, rule, *rows))
