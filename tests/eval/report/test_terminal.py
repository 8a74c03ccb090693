"""Tables: what they say, that they fit a terminal of 80 columns, names taken as they are."""

import io
import re
from dataclasses import replace
from itertools import pairwise

import pytest
from rich.console import Console

from eval.experiment.measure import Result
from eval.report.tables import (
    TextTable,
    levels_table,
    match_table,
    seats_table,
    selfplay_table,
)
from eval.report.terminal import make_rich, summary_tables
from gin_env.rendering.words import printable
from tests.eval.results import PLAN, given, make_ladder, make_report, make_result


def show(*tables: TextTable) -> str:
    out = io.StringIO()
    console = Console(file=out, width=80, highlight=False, color_system=None)
    for table in tables:
        console.print(make_rich(table))
    assert max(map(len, out.getvalue().splitlines())) <= 80
    return out.getvalue()


def rows_of(text: str, name: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip().startswith(name)]


def test_match_table_shows_the_adjusted_estimate_below_the_plain_one(match: Result) -> None:
    points, won = given(given(match.hands).adjusted), given(given(match.matches).adjusted)
    text = show(match_table(match, PLAN, "eaai"))
    of_points, of_matches = rows_of(text, "with control variate")
    assert f"{points.estimate.value:+.2f} ±" in of_points
    assert f"{-points.estimate.value:+.2f} ±" in of_points
    assert f"{100 * won.estimate.value:.1f} %" in of_matches
    of_hands, of_games = rows_of(text, "effective sample")
    assert f"{60 / points.shrinkage**2:,.0f} hands" in of_hands
    assert f"{40 / won.shrinkage**2:,.0f} matches" in of_games


def test_match_table_shows_forfeits_only_where_there_were_any(match: Result) -> None:
    assert "forfeited" not in show(match_table(match, PLAN, "eaai"))
    verdicts = ({"out of time": 2}, {"out of time": 1, "illegal action": 4})
    text = show(match_table(replace(match, verdicts=verdicts), PLAN, "eaai"))
    assert rows_of(text, "hands forfeited")[0].split()[-2:] == ["2", "5"]
    assert rows_of(text, "illegal action")[0].split()[-2:] == ["0", "4"]
    assert rows_of(text, "out of time")[0].split()[-2:] == ["2", "1"]


def test_match_table_says_what_was_decided_early(match: Result) -> None:
    plan = replace(PLAN, until=0.05)
    text = show(match_table(replace(match, decided=("hand",)), plan, "eaai"))
    assert "hands stopped as soon as it was decided" in " ".join(text.split())
    assert len(rows_of(text, "anytime-valid interval")) == 2
    assert not rows_of(show(match_table(match, PLAN, "eaai")), "anytime-valid interval")


def test_seats_table_gives_both_sides_of_each_seat(match: Result) -> None:
    text = show(seats_table(match))
    of_hard, of_simple = rows_of(text, "hard "), rows_of(text, "simple ")
    assert len(of_hard) - 1 == len(of_simple) == 4  # hard is in the title too
    part = given(given(match.hands).a_in_seat_0)
    assert f"{part.points.value:+.2f}" in of_hard[1]
    assert f"{-part.points.value:+.2f}" in of_simple[1]
    assert f"{100 * part.b.hands_won / 30:.1f}" in of_simple[1]


@pytest.mark.parametrize("n_players", [2, 5, 12])
def test_ladder_tables_fit(match: Result, n_players: int) -> None:
    names = [f"player{number}" for number in range(n_players)]
    text = show(*summary_tables(make_ladder(match, names)))
    assert len(rows_of(text, "player0 - ")) == n_players - 1
    for title in ("Ratings", "Head to head", "Pairings"):
        assert title in text
    assert "Circles" not in text


def test_ladder_tables_show_ratings_in_order_and_what_is_unsure(match: Result) -> None:
    text = show(*summary_tables(make_ladder(match, ["best", "middle", "worst"])))
    order = re.findall(r"^ +[123] +(\w+) +[+-]\d", text, re.MULTILINE)
    assert order == ["best", "middle", "worst"]
    share = given(match.matches).won.value
    assert re.search(rf"^1 +best +- +{100 * share:.0f}", text, re.MULTILINE)
    unsure = make_result("a", "b", match.played_hands, match.played_matches[:4])
    text = show(*summary_tables(make_report("ladder", [unsure])))
    assert re.search(r"^1 +\w+ +- +~\d", text, re.MULTILINE)


def test_ladder_tables_show_circles(match: Result) -> None:
    circle = ["rock", "scissors", "paper", "rock"]
    results = [replace(match, a=a, b=b) for a, b in pairwise(circle)]
    text = show(*summary_tables(make_report("ladder", results)))
    found = [re.findall("rock|scissors|paper", line) for line in text.splitlines()]
    (names,) = (names for names in found if len(names) == 3)
    first = names.index("rock")
    assert names[first:] + names[:first] == circle[:3]


def test_levels_and_selfplay_tables_fit(match: Result) -> None:
    results = [replace(match, b=level) for level in ("easy", "medium", "hard")]
    assert "hard against the levels" in show(levels_table(results, PLAN, "eaai"))
    assert rows_of(show(selfplay_table(match, PLAN, "eaai")), "turns of a hand, median")


def test_names_are_text_and_nothing_else(match: Result) -> None:
    assert printable("a\x1b[31m\nb") == "a?[31m?b"
    results = [replace(match, a="[red]x[/red]", b="\x1b[2J")]
    reports = [make_report(command, results) for command in ("match", "ladder")]
    text = show(*(table for report in reports for table in summary_tables(report)))
    assert "[red]x[/red]" in text
    assert "\x1b" not in text
