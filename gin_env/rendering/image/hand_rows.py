"""Hands as rows of cards: which lie together, and where each of them lies."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gin_env.core.cards import N_CARDS, N_RANKS, parse_card, to_bits, to_ids
from gin_env.values.melds import Meld, is_set, split_melds
from gin_env.values.result import HandResult

GAP = 26.0
"""Between groups, units."""
LOOSE_STEP = 1.06
"""From one card to the next where there is room, in widths of a card."""


@dataclass(frozen=True)
class Group:
    """Cards of a row that lie together.

    Attributes:
        cards: Their ids; None for a card face down.
        label: What is written beneath them.
        laid_off: Which of them the other seat has laid off here.
    """

    cards: tuple[int | None, ...]
    label: str = ""
    laid_off: frozenset[int] = frozenset()


class Place(NamedTuple):
    """Where a card of a row lies."""

    card: int | None
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


def hand_groups(view: np.void) -> list[Group]:
    """The hand of a seat as it melds it."""
    sets, runs = int(view["sets"]), int(view["runs"])
    loose = int(view["hand"]) & ~sets & ~runs
    return _arranged(split_melds(sets, runs), to_ids(loose))


def closed_groups(view: np.void) -> list[Group]:
    """The hand of the other seat: cards face down, and those that it took openly."""
    known = to_ids(int(view["their_known"]))
    gone = sum(int(view[name]).bit_count() for name in ("hand", "out_of_play"))
    n_hidden = N_CARDS - gone - int(view["n_stock"]) - len(known)
    groups = [Group((None,) * n_hidden), Group(tuple(known), "taken")]
    return [group for group in groups if group.cards]


def shown_groups(result: HandResult, seat: int) -> list[Group]:
    """A hand as it was laid down at the end; on a knocker's melds lies what was laid off there."""
    melds, unmelded, _ = result.arrangements[seat]
    laid_off = result.layoffs if seat == result.knocker else ()
    return _arranged(melds, map(parse_card, unmelded), dict(laid_off))


def spread(
    groups: Sequence[Group], left: float, right: float, width: float
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


def _arranged(
    melds: Iterable[Meld], loose: Iterable[int], laid_off: dict[str, Meld] | None = None
) -> list[Group]:
    groups = []
    for meld in melds:
        own = [parse_card(card) for card in meld]
        added = [parse_card(card) for card, on in (laid_off or {}).items() if on == meld]
        label = "set" if is_set(to_bits(meld)) else "run"
        groups.append(Group(tuple(sorted(own + added)), label, frozenset(added)))
    rest = tuple(sorted(loose, key=lambda card: (card % N_RANKS, card)))
    return [*groups, Group(rest)] if rest else groups
