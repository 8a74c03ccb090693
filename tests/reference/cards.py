"""Cards of the reference: ids, points and text.

A card is ``suit * 13 + rank``, suits in the order s h d c, ranks A 2 ... 9 T J Q K.
"""

from collections.abc import Iterable

RANKS = "A23456789TJQK"
SUITS = "shdc"
ALL_CARDS = frozenset(range(52))


def ids(names: str) -> frozenset[int]:
    """Read cards from text such as ``"As 2s"``; a card named twice is an error."""
    found = listed(names)
    if len(set(found)) != len(found):
        raise ValueError(f"a card is named twice in {names!r}")
    return frozenset(found)


def listed(names: str) -> list[int]:
    """Read cards from text, in the order in which they are written."""
    return [SUITS.index(name[1]) * 13 + RANKS.index(name[0]) for name in names.split()]


def card(name: str) -> int:
    """Read one card."""
    (only,) = listed(name)
    return only


def text(cards: Iterable[int]) -> str:
    """Write cards in the order of their ids."""
    return " ".join(RANKS[rank(each)] + SUITS[suit(each)] for each in sorted(cards))


def suit(card_id: int) -> int:
    """Return the suit, 0 to 3 for s h d c."""
    return card_id // 13


def rank(card_id: int) -> int:
    """Return the rank, 0 for an ace to 12 for a king."""
    return card_id % 13


def total(cards: Iterable[int]) -> int:
    """Add up points: ace 1, 2-9 their number, ten and pictures 10."""
    return sum(min(rank(each) + 1, 10) for each in cards)
