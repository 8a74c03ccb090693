"""What the terminal shows of an evaluation."""

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from eval.experiment.measure import Report
from eval.report.standings_tables import head_to_head_table, ratings_table, triples_table
from eval.report.tables import TextTable, command_tables, pairings_table, seats_table
from eval.stats.standings import make_standings


def summary_tables(report: Report) -> list[TextTable]:
    """The tables that are shown, in order."""
    command, results = report.manifest["command"], report.results
    tables = command_tables(report)
    if command == "match":
        tables.append(seats_table(results[0]))
    elif command == "ladder":
        standings = make_standings(results)
        if standings:
            tables += [ratings_table(standings), head_to_head_table(standings)]
            tables += [triples_table(standings)] if standings.triples else []
        tables.append(pairings_table(results, report.plan, report.manifest["rules_name"]))
    return tables


def make_rich(table: TextTable) -> Table:
    """Make a table that rich prints. The cells are shown as they are: markup in them is text."""
    made = Table(title=Text(table.title), caption=Text(table.note), box=SIMPLE_HEAD)
    if table.is_tight:
        made.show_edge, made.pad_edge, made.padding = False, False, (0, 1, 0, 0)
    for place, head in enumerate(table.head):
        made.add_column(Text(head), justify="left" if place < table.n_left else "right")
    for row in table.rows:
        made.add_row(*map(Text, row))
    return made
