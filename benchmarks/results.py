"""The files of a benchmark: JSON with every repetition, Markdown, and the tables in the docs."""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.figures import BenchmarkError
from gin_env.support.files import read_mapping

FORMAT = "gin_env benchmark"
VERSION = 1
JSON_NAME, MARKDOWN_NAME = "benchmark.json", "benchmark.md"
PERFORMANCE_PAGE = Path(__file__).parents[1] / "docs" / "performance.md"

QUIET = 0.95
"""Below this share of the core's time for ourselves, figures say little."""

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
    content = read_mapping(file, BenchmarkError)
    if content.get("format") != FORMAT:
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
    titles = {"peers": "other environments", "breakdown": "what the parts of a decision cost"}
    sections: dict[str, list[Mapping[str, Any]]] = {"work": [], **{t: [] for t in titles.values()}}
    for one in figures:
        sections[titles.get(one["suite"], "work")].append(one)
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
    """Four significant digits, and commas between thousands."""
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
    rows = []
    for one in figures:
        target = one["target"]
        aim = (_aim(target), _yes(target["is_reached"])) if target else ("", "")
        rows.append((one["work"], f"{number(one['median'])} {one['unit']}", _spread(one), *aim))
    head = (title, "median", "lowest to highest", "at least", "reached")
    n_columns = 5 if any(row[3] for row in rows) else 3
    return _table(head[:n_columns], [row[:n_columns] for row in rows])


def _ratio_table(ratios: Iterable[Mapping[str, Any]]) -> str:
    rows = []
    for one in ratios:
        value, least = one["value"], one["at_least"]
        aim = ("", "") if least is None else (f"{least:g}", _yes(value >= least))
        rows.append((one["our_work"], one["their_work"], number(value), *aim))
    return _table(("ours", "theirs", "ratio", "at least", "reached"), rows)


def _remarks(content: Content) -> str:
    lines = [*content["notes"]]
    figures = content["figures"]
    shares = [(f["core_share"], f["work"]) for f in figures if f["core_share"] is not None]
    if shares:
        share, work = min(shares)
        percent = f"{100 * share:.0f} %"
        if share < QUIET:
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
