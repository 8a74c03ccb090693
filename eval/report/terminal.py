"""What is printed: one readable table for each command."""

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from eval.experiment.measure import Plan, Result
from eval.report.tables import (
    Grid,
    head_to_head_grid,
    levels_grid,
    match_grid,
    pairings_grid,
    ratings_grid,
    seats_grid,
    selfplay_grid,
    triples_grid,
)
from eval.stats.standings import make_standings


def match_table(result: Result, plan: Plan, rules: str) -> Table:
    """Two players side by side."""
    return print_grid(match_grid(result, plan, rules))


def seats_table(result: Result) -> Table:
    """Two players by the seat and by who deals."""
    return print_grid(seats_grid(result), is_tight=True)


def levels_table(results: Sequence[Result], plan: Plan, rules: str) -> Table:
    """One player against several (at least one), one row each."""
    return print_grid(levels_grid(results, plan, rules), is_tight=True)


def selfplay_table(result: Result, plan: Plan, rules: str) -> Table:
    """One player against itself, beside the figures reported of a table that knocks at once."""
    return print_grid(selfplay_grid(result, plan, rules))


def ladder_tables(results: Sequence[Result], plan: Plan, rules: str) -> list[Table]:
    """All against all: ratings, head to head, circles where there are any, and the pairings."""
    standings = make_standings(results)
    tables = []
    if standings:
        tables += [print_grid(ratings_grid(standings))]
        tables += [print_grid(head_to_head_grid(standings), is_tight=True)]
        if standings.triples:
            tables += [print_grid(triples_grid(standings))]
    pairings = pairings_grid(results)
    note = f"{rules} rules, seed {plan.seed}; {pairings.note}"
    return [*tables, print_grid(pairings._replace(note=note), is_tight=True)]


def print_grid(grid: Grid, *, is_tight: bool = False) -> Table:
    """A grid for the terminal. Its cells are taken as they are, whatever rich would read there."""
    table = Table(title=Text(grid.title), caption=Text(grid.note), box=SIMPLE_HEAD)
    if is_tight:
        table.show_edge, table.pad_edge, table.padding = False, False, (0, 1, 0, 0)
    for place, head in enumerate(grid.head):
        table.add_column(Text(head), justify="left" if place < grid.n_left else "right")
    for row in grid.rows:
        table.add_row(*map(Text, row))
    return table
