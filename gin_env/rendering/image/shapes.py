"""The four suits as shapes: outlines in a unit square, drawn large and made smaller."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import cos, pi, sin

from PIL import Image, ImageDraw

from gin_env.core.cards import SUIT_SYMBOLS

Point = tuple[float, float]
Curve = tuple[Point, Point, Point, Point]
"""A cubic Bezier curve: its ends and, between them, its two handles."""

SAMPLE_SIZE = 512
"""How large a shape is drawn before it is made smaller, pixels."""
N_POINTS = 48
"""Of a curve or a circle."""


@lru_cache(maxsize=256)
def suit_mask(suit: int, size: int) -> Image.Image:
    """Draw a suit as a mask.

    Args:
        suit: 0 to 3: spades, hearts, diamonds, clubs.
        size: Its height and width, pixels.

    Returns:
        A picture of ``size`` by ``size``, mode L, 255 inside.
    """
    return _large_mask(suit).resize((size, size), Image.Resampling.LANCZOS)


@lru_cache(maxsize=4)
def _large_mask(suit: int) -> Image.Image:
    mask = Image.new("L", (SAMPLE_SIZE, SAMPLE_SIZE), 0)
    draw = ImageDraw.Draw(mask)
    for outline in _OUTLINES[SUIT_SYMBOLS[suit]]():
        draw.polygon([(x * SAMPLE_SIZE, y * SAMPLE_SIZE) for x, y in outline], fill=255)
    return mask


def _spade() -> list[list[Point]]:
    leaf = _mirrored(
        [
            ((0.5, 0.0), (0.56, 0.2), (0.96, 0.36), (0.94, 0.6)),
            ((0.94, 0.6), (0.92, 0.82), (0.62, 0.86), (0.5, 0.66)),
        ]
    )
    return [leaf, _stem(0.55)]


def _heart() -> list[list[Point]]:
    return [
        _mirrored(
            [
                ((0.5, 0.27), (0.6, 0.0), (0.98, 0.0), (0.96, 0.33)),
                ((0.96, 0.33), (0.94, 0.58), (0.62, 0.74), (0.5, 0.99)),
            ]
        )
    ]


def _diamond() -> list[list[Point]]:
    return [
        _mirrored(
            [
                ((0.5, 0.0), (0.6, 0.2), (0.74, 0.38), (0.88, 0.5)),
                ((0.88, 0.5), (0.74, 0.62), (0.6, 0.8), (0.5, 1.0)),
            ]
        )
    ]


def _club() -> list[list[Point]]:
    leaves = [_circle(0.5, 0.23, 0.22), _circle(0.26, 0.56, 0.22), _circle(0.74, 0.56, 0.22)]
    return [*leaves, [(0.42, 0.3), (0.58, 0.3), (0.62, 0.6), (0.38, 0.6)], _stem(0.4)]


def _stem(top: float) -> list[Point]:
    return _mirrored(
        [((0.5, top), (0.54, top), (0.52, 0.9), (0.7, 0.98)), ((0.7, 0.98),) * 3 + ((0.5, 0.98),)]
    )


_OUTLINES: dict[str, Callable[[], list[list[Point]]]] = dict(
    zip(SUIT_SYMBOLS, (_spade, _heart, _diamond, _club), strict=True)
)


def _mirrored(curves: Sequence[Curve]) -> list[Point]:
    """An outline whose right half is given, from top to bottom."""
    right = [point for curve in curves for point in _along(curve)]
    return right + [(1 - x, y) for x, y in reversed(right)]


def _along(curve: Curve) -> list[Point]:
    points = []
    for step in range(N_POINTS + 1):
        t = step / N_POINTS
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
        x = sum(weight * point[0] for weight, point in zip(weights, curve, strict=True))
        y = sum(weight * point[1] for weight, point in zip(weights, curve, strict=True))
        points.append((x, y))
    return points


def _circle(x: float, y: float, radius: float) -> list[Point]:
    turns = [2 * pi * step / N_POINTS for step in range(N_POINTS)]
    return [(x + radius * cos(turn), y + radius * sin(turn)) for turn in turns]
