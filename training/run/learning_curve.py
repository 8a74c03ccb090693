"""The learning curve as a picture."""

import io
from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

SIZE = (8.0, 4.5)
"""Inches."""
DOTS_PER_INCH = 120

# What is drawn: its key in the history, its unit, and what counts as even.
DRAWN = (("points", "points per hand", 0.0), ("matches", "share of matches won", 0.5))


def draw_curve(history: Sequence[dict[str, Any]]) -> bytes:
    """Draw all evaluations, as `EvaluationCallback` writes them, with intervals. Returns a PNG."""
    drawn = [one for one in DRAWN if one[0] == "points" or any(m[one[0]] for m in history)]
    with mpl.rc_context():
        mpl.rcdefaults()  # not what the user has set for other pictures
        figure = Figure((SIZE[0], SIZE[1] * len(drawn)), DOTS_PER_INCH, layout="constrained")
        FigureCanvasAgg(figure)
        for axes, (key, unit, even) in zip(
            figure.subplots(len(drawn), squeeze=False)[:, 0], drawn, strict=True
        ):
            _draw(axes, history, key)
            axes.axhline(even, color="#9a9a9a", linewidth=0.8)
            axes.set_xlabel("millions of decisions learned from")
            axes.set_ylabel(unit)
        stream = io.BytesIO()
        figure.savefig(stream, format="png")
    return stream.getvalue()


def _draw(axes: Axes, history: Sequence[dict[str, Any]], key: str) -> None:
    """Draw one line for each opponent."""
    names = list(dict.fromkeys(name for one in history for name in one[key]))
    for name in names:
        measured = [
            ((one["lessons"] + one["decisions"]) / 1e6, one[key][name])
            for one in history
            if name in one[key]
        ]
        at = [n_millions for n_millions, _ in measured]
        axes.plot(at, [one["value"] for _, one in measured], marker="o", markersize=3, label=name)
        low, high = ([one[end] for _, one in measured] for end in ("low", "high"))
        axes.fill_between(at, low, high, alpha=0.15)
    if names:
        legend = axes.legend(frameon=False)
        for text in legend.get_texts():
            text.set_parse_math(False)  # an agent's name may hold anything
