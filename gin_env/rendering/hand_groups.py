"""A hand in groups of cards that lie together: its melds, and then the rest."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from gin_env.core.cards import N_CARDS, N_RANKS, parse_card, to_bits, to_ids
from gin_env.core.state import NO_CARD
from gin_env.values.melds import Layoff, Meld, is_set, split_hand
from gin_env.values.result import HandResult


@dataclass(frozen=True)
class CardGroup:
    """Cards of a hand that lie together.

    Attributes:
        cards: Their ids; `NO_CARD` for a card face down.
        label: What is written beneath them: ``set``, ``run``, ``taken``, or nothing.
        laid_off: Which of them the other seat has laid off here.
    """

    cards: tuple[int, ...]
    label: str = ""
    laid_off: frozenset[int] = frozenset()


def hand_groups(view: np.void, *, by_rank: bool = False) -> list[CardGroup]:
    """Group a seat's own hand: melds, then the unmelded cards, by suit or by rank."""
    return _group(*split_hand(view["hand"], view["sets"], view["runs"]), (), by_rank)


def closed_groups(view: np.void) -> list[CardGroup]:
    """Group the hand of the other seat: cards face down, then those that it took openly."""
    known = to_ids(int(view["their_known"]))
    n_seen = sum(int(view[name]).bit_count() for name in ("hand", "out_of_play"))
    n_hidden = N_CARDS - n_seen - int(view["n_stock"]) - len(known)
    groups = [CardGroup((NO_CARD,) * n_hidden), CardGroup(tuple(known), "taken")]
    return [group for group in groups if group.cards]


def shown_groups(result: HandResult, seat: int) -> list[CardGroup]:
    """Group a hand as it was laid down at the end, layoffs on the knocker's melds; by rank."""
    melds, unmelded, _ = result.arrangements[seat]
    return _group(melds, unmelded, result.layoffs if seat == result.knocker else (), by_rank=True)


def _group(
    melds: Iterable[Meld], unmelded: Iterable[str], layoffs: Iterable[Layoff], by_rank: bool
) -> list[CardGroup]:
    groups = []
    for meld in melds:
        added = frozenset(parse_card(card) for card, on in layoffs if on == meld)
        label = "set" if is_set(to_bits(meld)) else "run"
        groups.append(CardGroup(tuple(sorted({*map(parse_card, meld), *added})), label, added))
    rest = sorted(map(parse_card, unmelded), key=lambda card: (by_rank * (card % N_RANKS), card))
    return [*groups, CardGroup(tuple(rest))] if rest else groups
