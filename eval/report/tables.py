"""What is shown: small tables of text, for terminals and for reports alike."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from eval.experiment.measure import Plan, Result, anytime
from eval.report import formatting as cells
from eval.report.formatting import NOT_PLAYED
from eval.stats.estimates import (
    Adjusted,
    Estimate,
    HandPart,
    HandStatistics,
    MatchStatistics,
    Side,
    Sweeps,
)
from eval.stats.standings import Standings
from gin_env.rendering.words import printable

REPORTED = {
    "turns of a hand, median": "13",
    "turns, quartiles": "10 - 16",
    "turns, range": "3 - 28",
    "deadwood at the knock, mean": "about 6",
    "gins": "rarely",
    "dead hands": "almost never",
}
"""What was reported of a computer table that knocks as soon as it can: 200 hands against itself."""

LEVEL_COLUMNS = (
    "points\nper hand",
    "hands\nwon %",
    "gins\n%",
    "undercuts\n%",
    "dead\n%",
    "turns",
    "matches\nwon %",
)
"""With the level's name and single gaps they fit into 80 columns."""
SEAT_COLUMNS = (
    "player",
    "place",
    "hands",
    "points\nper hand",
    "won\n%",
    "gins\n%",
    "under-\ncuts %",
    "dead\n%",
    "turns",
)
ALWAYS = "  valid when stopped at will"
BY_PAIRS = "95 % interval, by pairs of mirrored deals"


class Grid(NamedTuple):
    """A table of text."""

    title: str
    head: tuple[str, ...]
    """A cell may have two lines."""
    rows: Sequence[tuple[str, ...]]
    note: str = ""
    n_left: int = 1
    """So many columns, from the first, are set to the left; the others to the right."""


def match_grid(result: Result, plan: Plan, rules: str) -> Grid:
    """Two players side by side."""
    a, b = _both_names(result)
    points, won = anytime(result, plan)
    rows = _hand_rows(result.hands, points) + _match_rows(result.matches, won)
    rows += _forfeit_rows(result)
    note = f"{rules} rules, seed {plan.seed}; {_played(result)}.\n± and (..): {BY_PAIRS}"
    if result.decided:
        kinds = " and ".join({"hand": "hands", "match": "matches"}[kind] for kind in result.decided)
        note += f"\n{kinds} stopped as soon as it was decided who is better, at an error of "
        note += f"{plan.until:g}: then trust the interval for that"
    return Grid(f"{a} against {b}", ("", a, b), rows, note)


def seats_grid(result: Result) -> Grid:
    """Two players by the seat and by who deals."""
    a, b = _both_names(result)
    hands = result.hands
    rows = []
    if hands:
        for name, side, places in (
            (a, 0, (hands.a_in_seat_0, hands.a_in_seat_1, hands.a_deals, hands.b_deals)),
            (b, 1, (hands.a_in_seat_1, hands.a_in_seat_0, hands.b_deals, hands.a_deals)),
        ):
            for place, part in zip(("seat 0", "seat 1", "deals", "does not"), places, strict=True):
                if part:
                    rows.append((name, place, *_part_cells(part, side)))
    note = "seat 0: the first game of A in each pair, the second of B; ±: 95 % interval"
    return Grid(f"{a} against {b}, by seat", SEAT_COLUMNS, rows, note, n_left=2)


def levels_grid(results: Sequence[Result], plan: Plan, rules: str) -> Grid:
    """One player against several (at least one), one row each."""
    name = printable(results[0].a)
    rows = [
        (printable(result.b), *_level_cells(result.hands), _won(result.matches))
        for result in results
    ]
    note = (
        f"{rules} rules, seed {plan.seed}; a row: {_planned(plan, results)}.\n"
        f"p:q is {name}:level; ± and (..): {BY_PAIRS};\n"
        "turns: lower quartile, median, upper quartile"
    )
    return Grid(f"{name} against the levels", ("level", *LEVEL_COLUMNS), rows, note)


def selfplay_grid(result: Result, plan: Plan, rules: str) -> Grid:
    """One player against itself, beside the figures reported of a table that knocks at once."""
    rows = [
        (name, measured, REPORTED.get(name, "")) for name, measured in _selfplay_rows(result.hands)
    ]
    note = (
        f"{rules} rules, seed {plan.seed}; {_played(result)}.\n"
        "reported: of a computer table that knocks as soon as it can, 200 hands against itself"
    )
    return Grid(f"{printable(result.a)} against itself", ("", "measured", "reported"), rows, note)


def ratings_grid(standings: Standings) -> Grid:
    """Players by rating."""
    rows = []
    for place, (name, rating) in enumerate(zip(standings.names, standings.ratings, strict=True)):
        low, high = (f"{round(end) + 0:+d}" for end in rating[1:])
        share = f"{100 * standings.mean_share(place):.1f}"
        value = f"{round(rating.value) + 0:+d}"
        rows.append((str(place + 1), printable(name), value, f"{low} to {high}", share))
    head = ("#", "player", "rating", "95 % interval", f"{_scored(standings)} won %")
    note = "Elo's scale, the mean of all is 0; won: the mean over the opponents"
    return Grid("Ratings", head, rows, note, n_left=2)


def head_to_head_grid(standings: Standings) -> Grid:
    """What each player won against each other one."""
    numbers = tuple(str(place + 1) for place in range(len(standings.names)))
    rows = [
        (number, printable(name), *map(_cell, shares))
        for number, name, shares in zip(numbers, standings.names, standings.shares, strict=True)
    ]
    note = (
        f"% of {_scored(standings)} that the row's player won against the column's;\n"
        "~ where the 95 % interval holds 50"
    )
    return Grid("Head to head", ("#", "player", *numbers), rows, note, n_left=2)


def triples_grid(standings: Standings) -> Grid:
    """Circles of three, one a row."""
    rows = []
    for triple in standings.triples:
        row = []
        for winner, loser in zip(triple, (*triple[1:], triple[0]), strict=True):
            share = standings.shares[winner][loser]
            row.append(printable(standings.names[winner]))
            row.append(f"{100 * share.value:.1f}" if share else NOT_PLAYED)
        rows.append(tuple(row))
    note = (
        f"% of {_scored(standings)} won against the next; the third's against the first;\n"
        "all are surely above 50: 95 % over all pairings together"
    )
    head = ("first", "won %", "second", "won %", "third", "won %")
    return Grid("Circles of three", head, rows, note if rows else "There is none that is sure.")


def pairings_grid(results: Sequence[Result]) -> Grid:
    """All pairings, one a row."""
    rows = []
    for result in results:
        points = result.hands.points if result.hands else None
        adjusted = result.hands.adjusted if result.hands else None
        rows.append(
            (
                " - ".join(_both_names(result)),
                cells.signed(points) if points else NOT_PLAYED,
                cells.signed(adjusted.estimate) if adjusted else NOT_PLAYED,
                _won(result.matches),
                _forfeits(result),
            )
        )
    head = ("A - B", "points\nper hand", "less luck\nof draws", "matches\nwon %", "forfeits\nA:B")
    return Grid(
        "Pairings", head, rows, f"points and matches won are those of A; ± and (..):\n{BY_PAIRS}"
    )


def order_grid(order: dict[str, Any], commit: str | None) -> Grid:
    """What was asked for, and by which programs it was played."""
    rows = [(printable(name), printable(_as_text(value))) for name, value in order.items()]
    rows.append(("commit", commit or "unknown"))
    return Grid("How it was played", ("", ""), rows, n_left=2)


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _both_names(result: Result) -> tuple[str, str]:
    a, b = printable(result.a), printable(result.b)
    return (a, b) if a != b else (f"{a} (A)", f"{b} (B)")


def _scored(standings: Standings) -> str:
    return "matches" if standings.kind == "matches" else "pairs of hands"


def _cell(share: Estimate | None) -> str:
    if share is None:
        return NOT_PLAYED
    text = f"{100 * share.value:.0f}"
    return f"~{text}" if share.low <= 0.5 <= share.high else text


def _hand_rows(hands: HandStatistics | None, always: Estimate | None) -> list[tuple[str, ...]]:
    if hands is None:
        return []
    a, b, n = hands.a, hands.b, hands.n_hands
    rows = [
        ("points per hand", cells.signed(hands.points), cells.signed(hands.points.negated())),
        *([(ALWAYS, cells.interval(always), cells.interval(always.negated()))] if always else []),
        *_adjusted_rows(hands.adjusted, n, "hands"),
        ("hands won", cells.share(a.hands_won, n), cells.share(b.hands_won, n)),
        ("knocks", cells.share(a.knocks, n), cells.share(b.knocks, n)),
        ("deadwood at the knock", cells.mean(a.deadwood), cells.mean(b.deadwood)),
        ("gins", cells.share(a.gins, n), cells.share(b.gins, n)),
    ]
    if a.big_gins or b.big_gins:
        rows.append(("big gins", cells.share(a.big_gins, n), cells.share(b.big_gins, n)))
    rows.append(("undercuts", cells.share(a.undercuts, n), cells.share(b.undercuts, n)))
    if hands.sweeps:
        rows += _sweep_rows("pairs of hands", hands.sweeps)
    rows.append(("dead hands", cells.share(hands.dead, n), ""))
    rows.append(("turns of a hand (quartiles)", cells.quartiles(hands.turns), ""))
    return rows


def _match_rows(matches: MatchStatistics | None, always: Estimate | None) -> list[tuple[str, ...]]:
    if matches is None:
        return [("matches won", NOT_PLAYED, NOT_PLAYED)]
    return [
        ("matches won", cells.percent(matches.won), cells.percent(matches.won.complement())),
        *([(ALWAYS, cells.percent(always), cells.percent(always.complement()))] if always else []),
        *_adjusted_rows(matches.adjusted, matches.n_matches, "matches"),
        ("points per match", cells.signed(matches.points), cells.signed(matches.points.negated())),
        *_sweep_rows("pairs of matches", matches.sweeps),
        ("hands of a match (quartiles)", cells.quartiles(matches.hands), ""),
    ]


def _adjusted_rows(adjusted: Adjusted | None, n_games: int, kind: str) -> list[tuple[str, ...]]:
    if adjusted is None:
        return []
    estimate, _, shrinkage = adjusted
    if kind == "hands":
        of_a, of_b = cells.signed(estimate), cells.signed(estimate.negated())
    else:
        of_a, of_b = cells.percent(estimate), cells.percent(estimate.complement())
    worth = f"{n_games / shrinkage**2:,.0f} {kind}" if shrinkage > 0 else NOT_PLAYED
    return [("  less the luck of draws", of_a, of_b), ("    as sure as plain from", worth, "")]


def _forfeit_rows(result: Result) -> list[tuple[str, ...]]:
    of_a, of_b = result.verdicts
    if not of_a and not of_b:
        return []
    rows: list[tuple[str, ...]] = [
        ("hands forfeited", f"{sum(of_a.values()):,}", f"{sum(of_b.values()):,}")
    ]
    rows += [
        (f"  {printable(reason)}", f"{of_a.get(reason, 0):,}", f"{of_b.get(reason, 0):,}")
        for reason in sorted({*of_a, *of_b})
    ]
    return rows


def _sweep_rows(pairs: str, sweeps: Sweeps) -> list[tuple[str, ...]]:
    p_value = f"p = {sweeps.p_value:.2g}" if sweeps.p_value >= 1e-4 else "p < 0.0001"
    return [
        (f"{pairs} won 2 - 0", f"{sweeps.by_a:,}", f"{sweeps.by_b:,}"),
        ("  sign test of these", p_value, ""),
    ]


def _part_cells(part: HandPart, player: int) -> tuple[str, ...]:
    side = (part.a, part.b)[player]
    points = part.points if player == 0 else part.points.negated()
    n = part.n_hands
    shares = (side.hands_won, _all_gins(side), side.undercuts, part.dead)
    return (
        f"{n:,}",
        cells.signed(points),
        *(f"{100 * k / n:.1f}" for k in shares),
        f"{part.turns.mean:.1f}",
    )


def _level_cells(hands: HandStatistics | None) -> list[str]:
    if hands is None:
        return [NOT_PLAYED] * 6
    n = hands.n_hands
    turns = hands.turns
    return [
        cells.signed(hands.points),
        f"{100 * hands.a.hands_won / n:.0f}:{100 * hands.b.hands_won / n:.0f}",
        cells.shares(_all_gins(hands.a), _all_gins(hands.b), n),
        cells.shares(hands.a.undercuts, hands.b.undercuts, n),
        f"{100 * hands.dead / n:.1f}",
        f"{turns.lower_quartile:.0f} {turns.median:.0f} {turns.upper_quartile:.0f}",
    ]


def _selfplay_rows(hands: HandStatistics | None) -> list[tuple[str, str]]:
    if hands is None:
        return []
    n, turns, deadwood = hands.n_hands, hands.turns, hands.deadwood
    gins = _all_gins(hands.a) + _all_gins(hands.b)
    rows = [
        ("turns of a hand, median", f"{turns.median:g}"),
        ("turns, quartiles", f"{turns.lower_quartile:g} - {turns.upper_quartile:g}"),
        ("turns, range", f"{turns.least:g} - {turns.greatest:g}"),
        ("deadwood at the knock, mean", cells.mean(deadwood)),
    ]
    if deadwood:
        quartiles = f"{deadwood.lower_quartile:g} - {deadwood.upper_quartile:g}"
        rows.append(("deadwood, quartiles", quartiles))
    return [
        *rows,
        ("knocks", cells.share(hands.a.knocks + hands.b.knocks, n)),
        ("gins", cells.share(gins, n)),
        ("undercuts", cells.share(hands.a.undercuts + hands.b.undercuts, n)),
        ("dead hands", cells.share(hands.dead, n)),
    ]


def _played(result: Result) -> str:
    """How much was played, in words."""
    said = [f"{result.hands.n_hands:,} hands"] if result.hands else []
    if result.matches:
        said.append(f"{result.matches.n_matches:,} matches")
    return " and ".join(said) + ("" if result.is_whole else ", then stopped")


def _planned(plan: Plan, results: Sequence[Result]) -> str:
    """How much a row of several is, in words."""
    said = [f"{2 * plan.contest('hand').n_deals:,} hands"] if plan.n_hands else []
    if plan.n_matches:
        said.append(f"{2 * plan.contest('match').n_deals:,} matches")
    is_whole = all(result.is_whole for result in results)
    return " and ".join(said) + ("" if is_whole else "; then stopped, the last row is a part")


def _forfeits(result: Result) -> str:
    of_a, of_b = (sum(side.values()) for side in result.verdicts)
    return f"{of_a}:{of_b}" if of_a or of_b else ""


def _won(matches: MatchStatistics | None) -> str:
    if matches is None:
        return NOT_PLAYED
    won = matches.won
    return f"{100 * won.value:.0f} ({100 * won.low:.0f}-{100 * won.high:.0f})"


def _all_gins(side: Side) -> int:
    return side.gins + side.big_gins
