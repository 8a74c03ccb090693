"""A hand as a row of cards: where each of them lies."""

from collections.abc import Sequence
from typing import NamedTuple

from gin_env.rendering.hand_groups import CardGroup

GAP = 26.0
"""Between groups, units."""
LOOSE_STEP = 1.06
"""From one card to the next where there is room, in widths of a card."""


class Place(NamedTuple):
    """Where a card of a row lies."""

    card: int
    """Its id; `NO_CARD` for one face down."""
    left: float
    """Units."""
    room: float
    """How much of its width no other card covers, units."""
    is_laid_off: bool


class Span(NamedTuple):
    """From where to where a group reaches, units."""

    left: float
    right: float
    label: str


def spread(
    groups: Sequence[CardGroup], left: float, right: float, width: float
) -> tuple[list[Place], list[Span]]:
    """Lay a row out in the middle between two edges, cards side by side or one over the next.

    Args:
        groups: Of the row, from left to right.
        left: Edge, units.
        right: Edge, units.
        width: Of a card, units.

    Returns:
        A place for each card, and a span for each group.
    """
    n_cards = sum(len(group.cards) for group in groups)
    n_groups = len(groups)
    free = right - left - GAP * (n_groups - 1) - n_groups * width
    step = min(LOOSE_STEP * width, free / max(1, n_cards - n_groups))
    used = (n_cards - n_groups) * step + n_groups * width + GAP * (n_groups - 1)
    x = (left + right - used) / 2
    places, spans = [], []
    for group in groups:
        start = x
        for number, card in enumerate(group.cards):
            is_last = number == len(group.cards) - 1
            room = width if is_last else min(step, width)
            places.append(Place(card, x, room, card in group.laid_off))
            x += width if is_last else step
        spans.append(Span(start, x, group.label))
        x += GAP
    return places, spans
