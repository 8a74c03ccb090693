"""The files of a report that people read: Markdown, and one HTML page that needs nothing else."""

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from html import escape

from eval.experiment.measure import Report
from eval.report.standings_tables import head_to_head_table, ratings_table, triples_table
from eval.report.tables import (
    TextTable,
    command_tables,
    manifest_table,
    match_table,
    pairings_table,
    seats_table,
)
from eval.stats.standings import Standings

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


PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" \
content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
</body>
</html>
"""


def make_markdown(report: Report, standings: Standings | None, plots: Sequence[str]) -> str:
    """The report as Markdown, which shows the plots that lie beside it."""
    tables = _make_tables(report, standings)
    images = [f"![{CAPTIONS[name]}]({name})" for name in plots]
    parts = [f"# {_escape_markdown(_title(report, tables))}"]
    parts += map(_as_markdown, tables)
    parts += ["## Plots", *images] if images else []
    parts.append(_as_markdown(manifest_table(report.manifest, report.commit)))
    return "\n\n".join(parts) + "\n"


def make_html(report: Report, standings: Standings | None, plots: Mapping[str, bytes]) -> str:
    """The report as one page, with the plots in it. It loads nothing and runs nothing.

    Args:
        report: What was measured.
        standings: Of the players, if they can be rated.
        plots: PNG pictures by file name.
    """
    tables = _make_tables(report, standings)
    title = escape(_title(report, tables))
    body = [f"<h1>{title}</h1>", *map(_as_html, tables)]
    for name, picture in plots.items():
        caption = escape(CAPTIONS[name])
        source = f"data:image/png;base64,{b64encode(picture).decode()}"
        image = f'<img src="{source}" alt="{caption}">'
        body.append(f"<figure>{image}<figcaption>{caption}</figcaption></figure>")
    body.append(_as_html(manifest_table(report.manifest, report.commit)))
    return PAGE.format(title=title, style=STYLE, body="\n".join(body))


def _make_tables(report: Report, standings: Standings | None) -> list[TextTable]:
    """What is shown, in order."""
    results, setting = report.results, (report.plan, report.manifest["rules_name"])
    tables = command_tables(report)
    if standings:
        tables.append(ratings_table(standings))
        if len(standings.names) > 2:
            tables += [head_to_head_table(standings), triples_table(standings)]
    if len(results) > 1:
        tables.append(pairings_table(results, *setting))
        tables += [match_table(result, *setting) for result in results]
    return [*tables, *map(seats_table, results)]


def _title(report: Report, tables: Sequence[TextTable]) -> str:
    is_ladder = report.manifest["command"] == "ladder"
    title = f"Ladder of {len(report.manifest['players'])} players" if is_ladder else tables[0].title
    return title if report.is_whole else f"{title} (stopped early)"


def _as_markdown(table: TextTable) -> str:
    rule = tuple(":--" if place < table.n_left else "--:" for place in range(len(table.head)))
    head, *rows = (tuple(map(_escape_markdown, row)) for row in (table.head, *table.rows))
    lines = [head, rule, *rows] if rows else []
    drawn = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    parts = [f"## {_escape_markdown(table.title)}", drawn, _escape_markdown(table.note)]
    return "\n\n".join(part for part in parts if part)


def _escape_markdown(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    marked = "".join(f"\\{letter}" if letter in SPECIAL_IN_MARKDOWN else letter for letter in text)
    return marked.replace("\n", " ")


def _as_html(table: TextTable) -> str:
    def cells(tag: str, row: tuple[str, ...], show: Callable[[str], str]) -> str:
        left = [' class="left"' if place < table.n_left else "" for place in range(len(row))]
        shown = (f"<{tag}{mark}>{show(cell)}</{tag}>" for mark, cell in zip(left, row, strict=True))
        return f"<tr>{''.join(shown)}</tr>"

    head = cells("th", table.head, lambda cell: escape(cell).replace("\n", "<br>"))
    rows = "\n".join(cells("td", row, escape) for row in table.rows)
    drawn = f"<table><thead>{head}</thead><tbody>\n{rows}\n</tbody></table>" if table.rows else ""
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    return f'<h2>{escape(table.title)}</h2>\n<div class="scroll">{drawn}</div>{note}'
