"""What stands in the cells of a table: names and numbers as text."""

import math

from eval.stats.estimates import Estimate, Spread

NOT_PLAYED = "-"


def signed(points: Estimate) -> str:
    """Points, and how far the interval reaches: ``+3.61 ± 0.54``."""
    text = f"{round(points.value, 2) + 0.0:+.2f}"  # no -0.00
    reach = (points.high - points.low) / 2
    return f"{text} ± {reach:.2f}" if math.isfinite(reach) else text


def interval(points: Estimate) -> str:
    """The interval alone: ``+3.07 to +4.15``."""
    return f"{points.low:+.2f} to {points.high:+.2f}"


def percent(share: Estimate) -> str:
    """A share and its interval: ``66.2 % (64.9-67.4)``."""
    value, low, high = share
    return f"{100 * value:.1f} % ({100 * low:.1f}-{100 * high:.1f})"


def share(n: int, of: int) -> str:
    """A share of a number: ``46.7 %``."""
    return f"{100 * n / of:.1f} %"


def shares(n_a: int, n_b: int, of: int) -> str:
    """Two shares of one number, in percent: ``5.0:1.6``."""
    return f"{100 * n_a / of:.1f}:{100 * n_b / of:.1f}"


def mean(spread: Spread | None) -> str:
    """The mean: ``6.8``."""
    return f"{spread.mean:.1f}" if spread else NOT_PLAYED


def quartiles(spread: Spread) -> str:
    """The median and the quartiles: ``10 (7-15)``."""
    return f"{spread.median:g} ({spread.lower_quartile:g}-{spread.upper_quartile:g})"
