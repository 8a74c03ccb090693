"""The files of a report that people read: Markdown, and one HTML page that needs nothing else."""

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from html import escape

from eval.experiment.measure import Report
from eval.report.tables import (
    Grid,
    head_to_head_grid,
    levels_grid,
    match_grid,
    order_grid,
    pairings_grid,
    ratings_grid,
    seats_grid,
    selfplay_grid,
    triples_grid,
)
from eval.stats.standings import Standings
from gin_env.rendering.words import printable

CAPTIONS = {
    "ratings.png": "Ratings on Elo's scale, with their 95 % intervals",
    "head_to_head.png": "What the row's player won against the column's",
    "points.png": "Points of a hand",
    "turns.png": "Turns of a hand, both seats' together",
}
SPECIAL_IN_MARKDOWN = "\\`*_[]<|~$&"

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2 { line-height: 1.2; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 0.7rem; text-align: right; border-bottom: 1px solid #8884; }
th { vertical-align: bottom; border-bottom: 2px solid #888; }
td { white-space: pre-wrap; overflow-wrap: anywhere; }
.left { text-align: left; }
.note { color: #777; white-space: pre-line; margin-top: 0.3rem; }
figure { margin: 1.5rem 0; }
img { max-width: 100%; background: #fff; }
"""


def make_markdown(report: Report, standings: Standings | None, plots: Sequence[str]) -> str:
    """The report as Markdown, which shows the plots that lie beside it."""
    parts = [f"# {_escape_markdown(_title(report))}"]
    parts += [_grid_as_markdown(grid) for grid in _grids(report, standings)]
    parts += [f"## Plots\n\n{_plots_as_markdown(plots)}"] if plots else []
    parts.append(_grid_as_markdown(order_grid(report.order, report.commit)))
    return "\n\n".join(parts) + "\n"


def make_html(report: Report, standings: Standings | None, plots: Mapping[str, bytes]) -> str:
    """The report as one page, with the plots in it. It loads nothing and runs nothing.

    Args:
        report: What was measured.
        standings: Where the players stand, if that is known.
        plots: PNG pictures by file name.
    """
    title = escape(_title(report))
    body = [f"<h1>{title}</h1>"]
    body += [_grid_as_html(grid) for grid in _grids(report, standings)]
    for name, picture in plots.items():
        caption = escape(CAPTIONS[name])
        source = f"data:image/png;base64,{b64encode(picture).decode()}"
        image = f'<img src="{source}" alt="{caption}">'
        body.append(f"<figure>{image}<figcaption>{caption}</figcaption></figure>")
    body.append(_grid_as_html(order_grid(report.order, report.commit)))
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    head = [
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title>",
        f"<style>{STYLE}</style>",
    ]
    lines = ["<!doctype html>", '<html lang="en">', "<head>", *head, "</head>"]
    return "\n".join([*lines, "<body>", *body, "</body>", "</html>"]) + "\n"


def _title(report: Report) -> str:
    command, first = report.order["command"], report.results[0]
    if command == "match":
        title = f"{printable(first.a)} against {printable(first.b)}"
    elif command == "selfplay":
        title = f"{printable(first.a)} against itself"
    elif command == "levels":
        title = f"{printable(first.a)} against the levels"
    else:
        title = f"Ladder of {len(report.order['players'])} players"
    return title if report.is_whole else f"{title} (stopped early)"


def _grids(report: Report, standings: Standings | None) -> list[Grid]:
    """What is shown, in order."""
    plan, results, rules = report.plan, report.results, str(report.order["rules_name"])
    command = report.order["command"]
    grids = []
    if command == "match":
        grids.append(match_grid(results[0], plan, rules))
    elif command == "selfplay":
        grids.append(selfplay_grid(results[0], plan, rules))
    elif command == "levels":
        grids.append(levels_grid(results, plan, rules))
    if standings:
        grids.append(ratings_grid(standings))
    if standings and len(standings.names) > 2:
        grids += [head_to_head_grid(standings), triples_grid(standings)]
    if len(results) > 1:
        grids.append(pairings_grid(results))
        grids += [match_grid(result, plan, rules) for result in results]
    return [*grids, *map(seats_grid, results)]


def _grid_as_markdown(grid: Grid) -> str:
    rows = [grid.head, tuple(_rule(grid)), *grid.rows] if grid.rows else []
    lines = [
        "| " + " | ".join(cell if number == 1 else _escape_markdown(cell) for cell in row) + " |"
        for number, row in enumerate(rows)
    ]
    parts = [f"## {_escape_markdown(grid.title)}", "\n".join(lines), _escape_markdown(grid.note)]
    return "\n\n".join(part for part in parts if part)


def _rule(grid: Grid) -> list[str]:
    return [":--" if place < grid.n_left else "--:" for place in range(len(grid.head))]


def _plots_as_markdown(plots: Sequence[str]) -> str:
    return "\n\n".join(f"![{CAPTIONS[name]}]({name})" for name in plots)


def _escape_markdown(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    marked = "".join(f"\\{letter}" if letter in SPECIAL_IN_MARKDOWN else letter for letter in text)
    return marked.replace("\n", " ")


def _grid_as_html(grid: Grid) -> str:
    def cells(tag: str, row: tuple[str, ...], show: Callable[[str], str]) -> str:
        marks = [' class="left"' if place < grid.n_left else "" for place in range(len(row))]
        shown = (
            f"<{tag}{mark}>{show(cell)}</{tag}>" for mark, cell in zip(marks, row, strict=True)
        )
        return f"<tr>{''.join(shown)}</tr>"

    head = cells("th", grid.head, lambda cell: escape(cell).replace("\n", "<br>"))
    rows = "\n".join(cells("td", row, escape) for row in grid.rows)
    table = f"<table><thead>{head}</thead><tbody>\n{rows}\n</tbody></table>" if grid.rows else ""
    note = f'<p class="note">{escape(grid.note)}</p>' if grid.note else ""
    return f'<h2>{escape(grid.title)}</h2>\n<div class="scroll">{table}</div>{note}'
