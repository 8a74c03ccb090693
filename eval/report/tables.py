"""The tables of an evaluation as text, for the terminal and for reports."""

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from eval.experiment.measure import EvalPlan, Report, Result, anytime
from eval.report.formatting import (
    NOT_PLAYED,
    format_interval,
    format_mean,
    format_points,
    format_quartiles,
    format_share,
    percent,
)
from eval.stats.estimates import (
    Adjusted,
    Estimate,
    HandPart,
    HandStatistics,
    MatchStatistics,
    Side,
    Sweeps,
)
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
ANYTIME = "  anytime-valid interval"
BY_PAIRS = "95 % interval, by pairs of mirrored deals"

Row = tuple[str, ...]


class TextTable(NamedTuple):
    """A table of text."""

    title: str
    head: Row
    """A cell may have two lines."""
    rows: Sequence[Row]
    note: str = ""
    n_left: int = 1
    """So many columns, from the first, are set to the left; the others to the right."""
    is_tight: bool = False
    """Whether it needs single gaps between the columns to fit into 80 characters."""


def command_tables(report: Report) -> list[TextTable]:
    """The table that a command is about; none for a ladder."""
    command, results = report.manifest["command"], report.results
    setting = report.plan, report.manifest["rules_name"]
    if command == "match":
        return [match_table(results[0], *setting)]
    if command == "levels":
        return [levels_table(results, *setting)]
    return [selfplay_table(results[0], *setting)] if command == "selfplay" else []


def match_table(result: Result, plan: EvalPlan, rules: str) -> TextTable:
    """Two players side by side."""
    a, b = _both_names(result)
    points, won = anytime(result, plan)
    rows = _hand_rows(result.hands, points) + _match_rows(result.matches, won)
    rows += _forfeit_rows(result)
    note = f"{_setting(plan, rules)}; {_played(result)}.\n± and (..): {BY_PAIRS}"
    if result.decided:
        kinds = " and ".join({"hand": "hands", "match": "matches"}[kind] for kind in result.decided)
        note += f"\n{kinds} stopped as soon as it was decided who is better, at an error of "
        note += f"{plan.until:g}: use the anytime-valid interval"
    return TextTable(f"{a} against {b}", ("", a, b), rows, note)


def seats_table(result: Result) -> TextTable:
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
    title = f"{a} against {b}, by seat"
    return TextTable(title, SEAT_COLUMNS, rows, note, n_left=2, is_tight=True)


def levels_table(results: Sequence[Result], plan: EvalPlan, rules: str) -> TextTable:
    """One player against several (at least one), one row each."""
    name = printable(results[0].a)
    rows = [
        (printable(result.b), *_level_cells(result.hands), _won(result.matches))
        for result in results
    ]
    note = (
        f"{_setting(plan, rules)}; a row: {_planned(plan, results)}.\n"
        f"p:q is {name}:level; ± and (..): {BY_PAIRS};\n"
        "turns: lower quartile, median, upper quartile"
    )
    title = f"{name} against the levels"
    return TextTable(title, ("level", *LEVEL_COLUMNS), rows, note, is_tight=True)


def selfplay_table(result: Result, plan: EvalPlan, rules: str) -> TextTable:
    """One player against itself, beside the figures reported of a table that knocks at once."""
    rows = [
        (name, measured, REPORTED.get(name, "")) for name, measured in _selfplay_rows(result.hands)
    ]
    note = (
        f"{_setting(plan, rules)}; {_played(result)}.\n"
        "reported: of a computer table that knocks as soon as it can, 200 hands against itself"
    )
    title = f"{printable(result.a)} against itself"
    return TextTable(title, ("", "measured", "reported"), rows, note)


def pairings_table(results: Sequence[Result], plan: EvalPlan, rules: str) -> TextTable:
    """All pairings, one a row."""
    rows = []
    for result in results:
        points = result.hands.points if result.hands else None
        adjusted = result.hands.adjusted if result.hands else None
        rows.append(
            (
                " - ".join(_both_names(result)),
                format_points(points) if points else NOT_PLAYED,
                format_points(adjusted.estimate) if adjusted else NOT_PLAYED,
                _won(result.matches),
                _forfeits(result),
            )
        )
    head = (
        "A - B",
        "points\nper hand",
        "with control\nvariate",
        "matches\nwon %",
        "forfeits\nA:B",
    )
    setting = _setting(plan, rules)
    note = f"{setting}; points and matches won are those of A; ± and (..):\n{BY_PAIRS}"
    return TextTable("Pairings", head, rows, note, is_tight=True)


def manifest_table(manifest: dict[str, Any], commit: str | None) -> TextTable:
    """What was asked for, and by which programs it was played."""
    texts = {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in manifest.items()
    }
    rows = [(printable(name), printable(text)) for name, text in texts.items()]
    return TextTable("How it was played", ("", ""), [*rows, ("commit", commit or "unknown")], "", 2)


def _setting(plan: EvalPlan, rules: str) -> str:
    return f"{rules} rules, seed {plan.seed}"


def _both_names(result: Result) -> tuple[str, str]:
    a, b = printable(result.a), printable(result.b)
    return (a, b) if a != b else (f"{a} (A)", f"{b} (B)")


def _hand_rows(hands: HandStatistics | None, always: Estimate | None) -> list[Row]:
    if hands is None:
        return []
    sides, n = (hands.a, hands.b), hands.n_hands

    def counted(label: str, name: str) -> Row:
        return (label, *(f"{percent(getattr(side, name), n)} %" for side in sides))

    rows = [_points_row("points per hand", hands.points)]
    if always:
        rows.append(_points_row(ANYTIME, always, format_interval))
    rows += [
        *_adjusted_rows(hands.adjusted, _points_row, n, "hands"),
        counted("hands won", "hands_won"),
        counted("knocks", "knocks"),
        ("deadwood at the knock", *(format_mean(side.deadwood) for side in sides)),
        counted("gins", "gins"),
    ]
    if hands.a.big_gins or hands.b.big_gins:
        rows.append(counted("big gins", "big_gins"))
    rows.append(counted("undercuts", "undercuts"))
    if hands.sweeps:
        rows += _sweep_rows("pairs of hands", hands.sweeps)
    rows.append(("dead hands", f"{percent(hands.dead, n)} %", ""))
    rows.append(("turns of a hand (quartiles)", format_quartiles(hands.turns), ""))
    return rows


def _match_rows(matches: MatchStatistics | None, always: Estimate | None) -> list[Row]:
    if matches is None:
        return [("matches won", NOT_PLAYED, NOT_PLAYED)]
    return [
        _share_row("matches won", matches.won),
        *([_share_row(ANYTIME, always)] if always else []),
        *_adjusted_rows(matches.adjusted, _share_row, matches.n_matches, "matches"),
        _points_row("points per match", matches.points),
        *_sweep_rows("pairs of matches", matches.sweeps),
        ("hands of a match (quartiles)", format_quartiles(matches.hands), ""),
    ]


def _points_row(
    label: str, points: Estimate, show: Callable[[Estimate], str] = format_points
) -> Row:
    return label, show(points), show(points.negated())


def _share_row(label: str, share: Estimate) -> Row:
    return label, format_share(share), format_share(share.complement())


def _adjusted_rows(
    adjusted: Adjusted | None, make_row: Callable[[str, Estimate], Row], n_games: int, kind: str
) -> list[Row]:
    if adjusted is None:
        return []
    estimate, _, shrinkage = adjusted
    worth = f"{n_games / shrinkage**2:,.0f} {kind}" if shrinkage > 0 else NOT_PLAYED
    return [make_row("  with control variate", estimate), ("    effective sample", worth, "")]


def _forfeit_rows(result: Result) -> list[Row]:
    of_a, of_b = result.verdicts
    if not of_a and not of_b:
        return []
    return [
        ("hands forfeited", f"{sum(of_a.values()):,}", f"{sum(of_b.values()):,}"),
        *(
            (f"  {printable(reason)}", f"{of_a.get(reason, 0):,}", f"{of_b.get(reason, 0):,}")
            for reason in sorted({*of_a, *of_b})
        ),
    ]


def _sweep_rows(pairs: str, sweeps: Sweeps) -> list[Row]:
    p_value = f"p = {sweeps.p_value:.2g}" if sweeps.p_value >= 1e-4 else "p < 0.0001"
    return [
        (f"{pairs} won 2 - 0", f"{sweeps.by_a:,}", f"{sweeps.by_b:,}"),
        ("  sign test", p_value, ""),
    ]


def _part_cells(part: HandPart, player: int) -> Row:
    side, n = (part.a, part.b)[player], part.n_hands
    return (
        f"{n:,}",
        format_points(part.points if player == 0 else part.points.negated()),
        percent(side.hands_won, n),
        percent(_all_gins(side), n),
        percent(side.undercuts, n),
        percent(part.dead, n),
        format_mean(part.turns),
    )


def _level_cells(hands: HandStatistics | None) -> list[str]:
    if hands is None:
        return [NOT_PLAYED] * 6
    a, b, n, turns = hands.a, hands.b, hands.n_hands, hands.turns
    return [
        format_points(hands.points),
        f"{percent(a.hands_won, n, 0)}:{percent(b.hands_won, n, 0)}",
        f"{percent(_all_gins(a), n)}:{percent(_all_gins(b), n)}",
        f"{percent(a.undercuts, n)}:{percent(b.undercuts, n)}",
        percent(hands.dead, n),
        f"{turns.lower_quartile:.0f} {turns.median:.0f} {turns.upper_quartile:.0f}",
    ]


def _selfplay_rows(hands: HandStatistics | None) -> list[tuple[str, str]]:
    if hands is None:
        return []
    a, b, turns, deadwood = hands.a, hands.b, hands.turns, hands.deadwood
    counts = {
        "knocks": a.knocks + b.knocks,
        "gins": _all_gins(a) + _all_gins(b),
        "undercuts": a.undercuts + b.undercuts,
        "dead hands": hands.dead,
    }
    rows = [
        ("turns of a hand, median", f"{turns.median:g}"),
        ("turns, quartiles", f"{turns.lower_quartile:g} - {turns.upper_quartile:g}"),
        ("turns, range", f"{turns.least:g} - {turns.greatest:g}"),
        ("deadwood at the knock, mean", format_mean(deadwood)),
    ]
    if deadwood:
        quartiles = f"{deadwood.lower_quartile:g} - {deadwood.upper_quartile:g}"
        rows.append(("deadwood, quartiles", quartiles))
    return rows + [(name, f"{percent(k, hands.n_hands)} %") for name, k in counts.items()]


def _played(result: Result) -> str:
    """How much was played, in words."""
    n_hands = result.hands.n_hands if result.hands else 0
    n_matches = result.matches.n_matches if result.matches else 0
    return _amounts(n_hands, n_matches) + ("" if result.is_whole else ", then stopped")


def _planned(plan: EvalPlan, results: Sequence[Result]) -> str:
    """How much a row of several is, in words."""
    said = _amounts(2 * plan.contest("hand").n_deals, 2 * plan.contest("match").n_deals)
    is_whole = all(result.is_whole for result in results)
    return said if is_whole else f"{said}; then stopped, the last row is a part"


def _amounts(n_hands: int, n_matches: int) -> str:
    amounts = {"hands": n_hands, "matches": n_matches}
    return " and ".join(f"{n:,} {kind}" for kind, n in amounts.items() if n)


def _forfeits(result: Result) -> str:
    of_a, of_b = (sum(side.values()) for side in result.verdicts)
    return f"{of_a}:{of_b}" if of_a or of_b else ""


def _won(matches: MatchStatistics | None) -> str:
    return format_share(matches.won, digits=0, unit="") if matches else NOT_PLAYED


def _all_gins(side: Side) -> int:
    return side.gins + side.big_gins
