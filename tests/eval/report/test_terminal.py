"""Tables: what they say, that they fit a terminal of 80 columns, names taken as they are."""

import io
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import pytest
from rich.console import Console
from rich.table import Table

from eval.experiment.measure import Plan, Result
from eval.games.arena import Contest, join, play_contest
from eval.report.terminal import (
    ladder_tables,
    levels_table,
    match_table,
    seats_table,
    selfplay_table,
)
from eval.stats.estimates import describe_hands, describe_matches
from gin_env.core.rules import Rules
from gin_env.players import resolve
from gin_env.rendering.words import printable

RULES = Rules.preset("eaai")
PLAN = Plan(rules=RULES, n_hands=60, n_matches=40, seed=3)


@pytest.fixture(scope="module")
def match() -> Result:
    players = resolve("hard"), resolve("simple")
    hands = join(list(play_contest(players, Contest(rules=RULES, n_deals=30, seed=3)))).hands
    contest = Contest(rules=RULES, n_deals=20, seed=3, episode="match")
    matches = join(list(play_contest(players, contest))).matches
    return Result(
        a="hard",
        b="simple",
        hands=describe_hands(hands),
        matches=describe_matches(matches),
        is_whole=True,
        decided=(),
        played_hands=hands,
        played_matches=matches,
        verdicts=({}, {}),
    )


def show(*tables: Table) -> str:
    out = io.StringIO()
    console = Console(file=out, width=80, highlight=False, color_system=None)
    for table in tables:
        console.print(table)
    assert max(map(len, out.getvalue().splitlines())) <= 80
    return out.getvalue()


def rows_of(text: str, name: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip().startswith(name)]


def ladder(match: Result, names: Sequence[str]) -> list[Result]:
    return [replace(match, a=a, b=b) for a, b in combinations(names, 2)]


def test_match_table_shows_the_adjusted_estimate_below_the_plain_one(match: Result) -> None:
    assert match.hands is not None
    assert match.matches is not None
    assert match.hands.adjusted is not None
    assert match.matches.adjusted is not None
    text = show(match_table(match, PLAN, "eaai"))
    of_points, of_matches = rows_of(text, "less the luck of draws")
    assert f"{match.hands.adjusted.estimate.value:+.2f} ±" in of_points
    assert f"{-match.hands.adjusted.estimate.value:+.2f} ±" in of_points
    assert f"{100 * match.matches.adjusted.estimate.value:.1f} %" in of_matches
    of_hands, of_games = rows_of(text, "as sure as plain from")
    assert f"{60 / match.hands.adjusted.shrinkage**2:,.0f} hands" in of_hands
    assert f"{40 / match.matches.adjusted.shrinkage**2:,.0f} matches" in of_games


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
    assert len(rows_of(text, "valid when stopped at will")) == 2
    assert not rows_of(show(match_table(match, PLAN, "eaai")), "valid when stopped at will")


def test_seats_table_gives_both_sides_of_each_seat(match: Result) -> None:
    assert match.hands is not None
    text = show(seats_table(match))
    of_hard, of_simple = rows_of(text, "hard "), rows_of(text, "simple ")
    assert len(of_hard) - 1 == len(of_simple) == 4  # hard is in the title too
    part = match.hands.a_in_seat_0
    assert part is not None
    assert f"{part.points.value:+.2f}" in of_hard[1]
    assert f"{-part.points.value:+.2f}" in of_simple[1]
    assert f"{100 * part.b.hands_won / 30:.1f}" in of_simple[1]


@pytest.mark.parametrize("n_players", [2, 5, 12])
def test_ladder_tables_fit(match: Result, n_players: int) -> None:
    names = [f"player{number}" for number in range(n_players)]
    text = show(*ladder_tables(ladder(match, names), PLAN, "eaai"))
    assert len(rows_of(text, "player0 - ")) == n_players - 1
    for title in ("Ratings", "Head to head", "Pairings"):
        assert title in text
    assert "Circles" not in text


def test_ladder_tables_show_ratings_in_order_and_what_is_unsure(match: Result) -> None:
    text = show(*ladder_tables(ladder(match, ["best", "middle", "worst"]), PLAN, "eaai"))
    order = re.findall(r"^ +[123] +(\w+) +[+-]\d", text, re.MULTILINE)
    assert order == ["best", "middle", "worst"]
    share = match.matches.won.value if match.matches else 0
    assert re.search(rf"^1 +best +- +{100 * share:.0f}", text, re.MULTILINE)
    few = describe_matches(match.played_matches[:4])
    unsure = replace(match, matches=few, played_matches=match.played_matches[:4])
    text = show(*ladder_tables([unsure], PLAN, "eaai"))
    assert re.search(r"^1 +\w+ +- +~\d", text, re.MULTILINE)


def test_ladder_tables_show_circles(match: Result) -> None:
    rock, scissors, paper = "rock", "scissors", "paper"
    results = [
        replace(match, a=a, b=b) for a, b in ((rock, scissors), (scissors, paper), (paper, rock))
    ]
    text = show(*ladder_tables(results, PLAN, "eaai"))
    found = [re.findall("rock|scissors|paper", line) for line in text.splitlines()]
    (names,) = (names for names in found if len(names) == 3)
    first = names.index(rock)
    assert names[first:] + names[:first] == [rock, scissors, paper]


def test_levels_and_selfplay_tables_fit(match: Result) -> None:
    results = [replace(match, b=level) for level in ("easy", "medium", "hard")]
    assert "hard against the levels" in show(levels_table(results, PLAN, "eaai"))
    assert rows_of(show(selfplay_table(match, PLAN, "eaai")), "turns of a hand, median")


def test_names_are_text_and_nothing_else(match: Result) -> None:
    assert printable("a\x1b[31m\nb") == "a?[31m?b"
    results = [replace(match, a="[red]x[/red]", b="\x1b[2J")]
    text = show(match_table(results[0], PLAN, "eaai"), *ladder_tables(results, PLAN, "eaai"))
    assert "[red]x[/red]" in text
    assert "\x1b" not in text
