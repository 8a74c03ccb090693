"""Numbers as the text of a table's cells."""

import math

from eval.stats.estimates import Estimate, Spread

NOT_PLAYED = "-"


def format_points(points: Estimate) -> str:
    """Points and half the width of their interval: ``+3.61 ± 0.54``."""
    text = f"{round(points.value, 2) + 0.0:+.2f}"  # no -0.00
    reach = (points.high - points.low) / 2
    return f"{text} ± {reach:.2f}" if math.isfinite(reach) else text


def format_interval(points: Estimate) -> str:
    """The interval alone: ``+3.07 to +4.15``."""
    return f"{points.low:+.2f} to {points.high:+.2f}"


def format_share(share: Estimate, digits: int = 1, unit: str = " %") -> str:
    """A share and its interval: ``66.2 % (64.9-67.4)``."""
    value, low, high = (f"{100 * number:.{digits}f}" for number in share)
    return f"{value}{unit} ({low}-{high})"


def format_rating(rating: float) -> str:
    """A rating, or an end of its interval: ``+120``."""
    return f"{round(rating) + 0:+d}"


def percent(n: int, of: int, digits: int = 1) -> str:
    """A part of a number in percent, without the sign: ``46.7``."""
    return f"{100 * n / of:.{digits}f}"


def format_mean(spread: Spread | None) -> str:
    """The mean: ``6.8``."""
    return f"{spread.mean:.1f}" if spread else NOT_PLAYED


def format_quartiles(spread: Spread) -> str:
    """The median and the quartiles: ``10 (7-15)``."""
    return f"{spread.median:g} ({spread.lower_quartile:g}-{spread.upper_quartile:g})"
