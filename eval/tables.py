"""What is printed: one readable table for each command."""

import math

from rich.box import SIMPLE_HEAD
from rich.table import Table

from eval.measure import Plan, Result
from eval.statistics import Estimate, HandStatistics, MatchStatistics, Side, Spread, Sweeps

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
NOT_PLAYED = "-"


def match_table(result: Result, plan: Plan, rules: str) -> Table:
    """Two players side by side."""
    a, b = (result.a, result.b) if result.a != result.b else (f"{result.a} (A)", f"{result.b} (B)")
    table = Table(
        title=f"{a} against {b}",
        caption=f"{rules} rules, seed {plan.seed}; {_played(result)}.\n"
        "± and (..): 95 % interval, by pairs of mirrored deals",
        box=SIMPLE_HEAD,
    )
    table.add_column("")
    for name in (a, b):
        table.add_column(name, justify="right")
    for row in [*_hand_rows(result.hands), *_match_rows(result.matches)]:
        table.add_row(*row)
    return table


def levels_table(results: list[Result], plan: Plan, rules: str) -> Table:
    """One player against several (at least one), one row each."""
    name = results[0].a
    table = Table(
        title=f"{name} against the levels",
        caption=f"{rules} rules, seed {plan.seed}; a row: {_planned(plan, results)}.\n"
        f"p:q is {name}:level; ± and (..): 95 % interval, by pairs of mirrored deals;\n"
        "turns: lower quartile, median, upper quartile",
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    table.add_column("level")
    for head in LEVEL_COLUMNS:
        table.add_column(head, justify="right")
    for result in results:
        table.add_row(result.b, *_level_cells(result.hands), _won(result.matches))
    return table


def selfplay_table(result: Result, plan: Plan, rules: str) -> Table:
    """One player against itself, beside the figures reported of a table that knocks at once."""
    table = Table(
        title=f"{result.a} against itself",
        caption=f"{rules} rules, seed {plan.seed}; {_played(result)}.\n"
        "reported: of a computer table that knocks as soon as it can, 200 hands against itself",
        box=SIMPLE_HEAD,
    )
    table.add_column("")
    table.add_column("measured", justify="right")
    table.add_column("reported", justify="right")
    for name, measured in _selfplay_rows(result.hands):
        table.add_row(name, measured, REPORTED.get(name, ""))
    return table


def _hand_rows(hands: HandStatistics | None) -> list[tuple[str, str, str]]:
    if hands is None:
        return []
    a, b, n = hands.a, hands.b, hands.n_hands
    rows = [
        ("points per hand", _signed(hands.points), _signed(_turned(hands.points))),
        ("hands won", _share(a.hands_won, n), _share(b.hands_won, n)),
        ("knocks", _share(a.knocks, n), _share(b.knocks, n)),
        ("deadwood at the knock", _mean(a.deadwood), _mean(b.deadwood)),
        ("gins", _share(a.gins, n), _share(b.gins, n)),
    ]
    if a.big_gins or b.big_gins:
        rows.append(("big gins", _share(a.big_gins, n), _share(b.big_gins, n)))
    rows.append(("undercuts", _share(a.undercuts, n), _share(b.undercuts, n)))
    if hands.sweeps:
        rows += _sweep_rows("pairs of hands", hands.sweeps)
    rows.append(("dead hands", _share(hands.dead, n), ""))
    rows.append(("turns of a hand (quartiles)", _quartiles(hands.turns), ""))
    return rows


def _match_rows(matches: MatchStatistics | None) -> list[tuple[str, str, str]]:
    if matches is None:
        return [("matches won", NOT_PLAYED, NOT_PLAYED)]
    won = matches.won
    lost = Estimate(1 - won.value, 1 - won.high, 1 - won.low)
    return [
        ("matches won", _percent(won), _percent(lost)),
        ("points per match", _signed(matches.points), _signed(_turned(matches.points))),
        *_sweep_rows("pairs of matches", matches.sweeps),
        ("hands of a match (quartiles)", _quartiles(matches.hands), ""),
    ]


def _sweep_rows(pairs: str, sweeps: Sweeps) -> list[tuple[str, str, str]]:
    p_value = f"p = {sweeps.p_value:.2g}" if sweeps.p_value >= 1e-4 else "p < 0.0001"
    return [
        (f"{pairs} won 2 - 0", f"{sweeps.by_a:,}", f"{sweeps.by_b:,}"),
        ("  sign test of these", p_value, ""),
    ]


def _level_cells(hands: HandStatistics | None) -> list[str]:
    if hands is None:
        return [NOT_PLAYED] * 6
    n = hands.n_hands
    turns = hands.turns
    return [
        _signed(hands.points),
        f"{100 * hands.a.hands_won / n:.0f}:{100 * hands.b.hands_won / n:.0f}",
        _both(_all_gins(hands.a), _all_gins(hands.b), n),
        _both(hands.a.undercuts, hands.b.undercuts, n),
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
        ("deadwood at the knock, mean", _mean(deadwood)),
    ]
    if deadwood:
        quartiles = f"{deadwood.lower_quartile:g} - {deadwood.upper_quartile:g}"
        rows.append(("deadwood, quartiles", quartiles))
    return [
        *rows,
        ("knocks", _share(hands.a.knocks + hands.b.knocks, n)),
        ("gins", _share(gins, n)),
        ("undercuts", _share(hands.a.undercuts + hands.b.undercuts, n)),
        ("dead hands", _share(hands.dead, n)),
    ]


def _played(result: Result) -> str:
    """How much was played, in words."""
    said = [f"{result.hands.n_hands:,} hands"] if result.hands else []
    if result.matches:
        said.append(f"{result.matches.n_matches:,} matches")
    return " and ".join(said) + ("" if result.is_whole else ", then stopped")


def _planned(plan: Plan, results: list[Result]) -> str:
    """How much a row of several is, in words."""
    said = [f"{2 * plan.contest('hand').n_deals:,} hands"] if plan.n_hands else []
    if plan.n_matches:
        said.append(f"{2 * plan.contest('match').n_deals:,} matches")
    is_whole = all(result.is_whole for result in results)
    return " and ".join(said) + ("" if is_whole else "; then stopped, the last row is a part")


def _won(matches: MatchStatistics | None) -> str:
    if matches is None:
        return NOT_PLAYED
    won = matches.won
    return f"{100 * won.value:.0f} ({100 * won.low:.0f}-{100 * won.high:.0f})"


def _all_gins(side: Side) -> int:
    return side.gins + side.big_gins


def _turned(estimate: Estimate) -> Estimate:
    """The same points, seen from the other side."""
    return Estimate(-estimate.value, -estimate.high, -estimate.low)


def _signed(estimate: Estimate) -> str:
    text = f"{round(estimate.value, 2) + 0.0:+.2f}"  # no -0.00
    reach = (estimate.high - estimate.low) / 2
    return f"{text} ± {reach:.2f}" if math.isfinite(reach) else text


def _percent(estimate: Estimate) -> str:
    value, low, high = estimate
    return f"{100 * value:.1f} % ({100 * low:.1f}-{100 * high:.1f})"


def _share(n: int, of: int) -> str:
    return f"{100 * n / of:.1f} %"


def _both(n_a: int, n_b: int, of: int) -> str:
    return f"{100 * n_a / of:.1f}:{100 * n_b / of:.1f}"


def _mean(spread: Spread | None) -> str:
    return f"{spread.mean:.1f}" if spread else NOT_PLAYED


def _quartiles(spread: Spread) -> str:
    return f"{spread.median:g} ({spread.lower_quartile:g}-{spread.upper_quartile:g})"
