"""The plots of a report, as PNG pictures."""

import io
import warnings
from collections.abc import Sequence
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from eval.experiment.measure import Result
from eval.report.formatting import format_rating
from eval.stats.standings import Standings
from gin_env.rendering.words import printable

WIDTH = 8.0
DOTS_PER_INCH = 120
LONGEST_NAME = 24
"""Characters of a name that a plot shows; the tables show all of it."""

BLUE, GREY, DARK = "#3b6fb6", "#9a9a9a", "#222222"
POINTS_SHOWN = 100
"""Hands of more points to either side are counted at the edge."""
POINTS_BIN = 5
TURNS_SHOWN = 40

Series = tuple[str, np.ndarray]
"""The label of a histogram, and its values."""


def make_plots(results: Sequence[Result], standings: Standings | None) -> dict[str, bytes]:
    """Draw all plots that the results allow. Returns PNG pictures by file name.

    Args:
        results: At least one.
        standings: Of the players, if they can be rated.
    """
    plots = {}
    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()  # not the settings of the user
        mpl.rcParams.update({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False})
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)  # in somebody's name
        if standings:
            plots["ratings.png"] = draw_ratings(standings)
            if len(standings.names) > 2:
                plots["head_to_head.png"] = draw_head_to_head(standings)
        if any(result.hands for result in results):
            names = standings.names if standings else ()
            plots["points.png"] = draw_points(results, names)
            plots["turns.png"] = draw_turns(results, names)
    return plots


def draw_ratings(standings: Standings) -> bytes:
    """One row for each player: the rating and its interval."""
    n_players = len(standings.names)
    figure, axes = _begin(1.4 + 0.36 * n_players)
    values, lows, highs = np.array(standings.ratings).T
    rows = np.arange(n_players)
    axes.axvline(0, color=GREY, linewidth=0.8)
    reach = (values - lows, highs - values)
    axes.errorbar(values, rows, xerr=reach, fmt="o", color=BLUE, capsize=3)
    for row, value in zip(rows, values.tolist(), strict=True):
        font: dict[str, Any] = {"ha": "center", "fontsize": 8, "color": DARK}
        axes.annotate(
            format_rating(value), (value, row), (0, 6), textcoords="offset points", **font
        )
    _name_rows(axes, standings.names)
    axes.set_ylim(n_players - 0.4, -0.7)
    axes.margins(x=0.08)
    axes.grid(axis="x", color=GREY, alpha=0.3)
    axes.set_xlabel("rating, points of Elo's scale; the mean of all is 0")
    return _finish(figure)


def draw_head_to_head(standings: Standings) -> bytes:
    """A square of squares: the row's share against the column's."""
    names, n_players = standings.names, len(standings.names)
    shares = np.array(
        [[share.value if share else np.nan for share in row] for row in standings.shares]
    )
    figure, axes = _begin(min(max(3.0, 0.5 * n_players), 5.0) + 0.6, layout="compressed")
    image = axes.imshow(100 * shares, cmap="RdBu", vmin=0, vmax=100)
    for (row, column), share in np.ndenumerate(shares):
        if np.isfinite(share):
            colour = "white" if abs(share - 0.5) > 0.3 else DARK
            style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 9}
            axes.text(column, row, f"{100 * share:.0f}", color=colour, **style)
    labels = [f"{place + 1}  {_shorten(name)}" for place, name in enumerate(names)]
    _name_rows(axes, labels, LONGEST_NAME + 4)
    axes.set_xticks(range(n_players), [str(place + 1) for place in range(n_players)])
    axes.set_facecolor("#dddddd")  # where two have not met
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    kind = "matches" if standings.kind == "matches" else "pairs of hands"
    figure.colorbar(image, ax=axes, label=f"{kind} won by the row's player, %")
    return _finish(figure)


def draw_points(results: Sequence[Result], names: Sequence[str] = ()) -> bytes:
    """The points of hands to each player, in the order of ``names``, or to the first of two."""
    edges = np.arange(-POINTS_SHOWN - 0.5, POINTS_SHOWN + POINTS_BIN, POINTS_BIN)
    series = _by_player(results, names, "points")
    if len(results) == 1:
        series = [(f"to {_shorten(results[0].a)}", results[0].played_hands["points"])]
    return _draw_histograms(series, edges, "points of a hand; larger ones are counted at the edges")


def draw_turns(results: Sequence[Result], names: Sequence[str] = ()) -> bytes:
    """The turns of hands for each player, in the order of ``names``, or between two."""
    series = _by_player(results, names, "n_turns")
    if len(results) == 1:
        series = [("hands", results[0].played_hands["n_turns"])]
    label = "turns of a hand, both seats' together; longer hands are counted at the edge"
    return _draw_histograms(series, np.arange(0.5, TURNS_SHOWN + 1), label)


def _by_player(results: Sequence[Result], names: Sequence[str], field: str) -> list[Series]:
    """The hands of each player against all others; points are the player's own."""
    parts: dict[str, list[np.ndarray]] = {name: [] for name in names}
    for result in results:
        values = result.played_hands[field].astype(np.int64)
        parts.setdefault(result.a, []).append(values)
        parts.setdefault(result.b, []).append(-values if field == "points" else values)
    return [(name, np.concatenate(part)) for name, part in parts.items() if part]


def _draw_histograms(series: list[Series], edges: np.ndarray, label: str) -> bytes:
    """One histogram above the other, on a common scale; a line marks each mean, dots mark 0."""
    height = 2.6 if len(series) == 1 else 0.75 * len(series) + 0.6
    figure = Figure(figsize=(WIDTH, height), dpi=DOTS_PER_INCH, layout="constrained")
    rows = figure.subplots(len(series), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    for axes, (name, values) in zip(rows, series, strict=True):
        shown = np.clip(values, edges[0] + 0.5, edges[-1] - 0.5)
        weights = np.full(len(shown), 100 / max(len(shown), 1))
        axes.hist(shown, edges, weights=weights, color=BLUE, alpha=0.8)
        axes.axvline(values.mean(), color=DARK, linewidth=1.2)
        if edges[0] < 0:
            axes.axvline(0, color=GREY, linewidth=0.8, linestyle=":")
        axes.yaxis.set_major_locator(MaxNLocator(2 if len(series) > 1 else 5, integer=True))
        axes.set_ylabel(
            _shorten(name), rotation=0, ha="right", va="center", parse_math=False, labelpad=8
        )
        axes.tick_params(axis="x", length=3)
        axes.set_xlim(edges[0], edges[-1])
    rows[-1].set_xlabel(label)
    figure.suptitle("% of hands; the dark line is the mean", fontsize=9, color=DARK)
    return _finish(figure)


def _begin(
    height: float, layout: Literal["constrained", "compressed"] = "constrained"
) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(WIDTH, height), dpi=DOTS_PER_INCH, layout=layout)
    return figure, figure.subplots()


def _finish(figure: Figure) -> bytes:
    content = io.BytesIO()
    FigureCanvasAgg(figure)  # draws without a screen
    figure.savefig(content, format="png", metadata={"Software": None})
    return content.getvalue()


def _name_rows(axes: Axes, names: Sequence[str], longest: int = LONGEST_NAME) -> None:
    shown = [_shorten(name, longest) for name in names]
    axes.set_yticks(range(len(names)), shown, parse_math=False)
    axes.tick_params(axis="y", length=0)


def _shorten(name: str, longest: int = LONGEST_NAME) -> str:
    shown = printable(name)
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"
