"""Hands and deals to test with: random and meld-dense, from a generator that the caller seeds.

The environment variable ``GIN_TEST_SCALE`` (a number, 1 where it is not set) multiplies the sample
sizes of the tests that draw their hands here. At `FULL_SCALE` they compare 200,000 hands and 20,000
settlements with the reference, and play 100,000 hands of every preset; ``make test-full`` does so.
"""

import json
import os
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any, NamedTuple

from tests import ROOT
from tests.reference.cards import ALL_CARDS
from tests.reference.melds import all_melds

Hand = frozenset[int]

FULL_SCALE = 20.0
SCALE = float(os.environ.get("GIN_TEST_SCALE", "1"))

MELDS = tuple(meld for meld in all_melds(ALL_CARDS) if len(meld) <= 5)


class Deal(NamedTuple):
    """The 52 cards as they lie before the first move; the stock in drawing order."""

    hands: tuple[Hand, Hand]
    upcard: int
    stock: tuple[int, ...]


def sample_size(at_full_scale: int) -> int:
    """How many to draw, where full scale asks for so many."""
    return max(1, round(at_full_scale * SCALE / FULL_SCALE))


def read_cases(name: str) -> list[dict[str, Any]]:
    """The 200 worked cases "deadwood" or "settle"."""
    lines = (ROOT / "tests" / "data" / "cases" / f"{name}.jsonl").read_text().splitlines()
    assert len(lines) == 200
    return [json.loads(line) for line in lines]


def bits(cards: Iterable[int]) -> int:
    """The mask of some card ids."""
    return sum(1 << card for card in cards)


def cards(mask: int) -> Hand:
    """The card ids of a mask."""
    return frozenset(card for card in range(52) if int(mask) >> card & 1)


def random_hand(rng: Random, size: int) -> Hand:
    """Any cards, each hand equally likely."""
    return frozenset(rng.sample(range(52), size))


def dense_hand(rng: Random, size: int) -> Hand:
    """Cards that meld in many ways: a few neighbouring ranks, or melds thrown together."""
    if rng.random() < 0.5:
        return frozenset(rng.sample(_window(rng, rng.randint(3, 6)), size))
    held: set[int] = set()
    while len(held) < size:
        held |= rng.choice(MELDS)
    return frozenset(rng.sample(sorted(held), size))


def dense_pair(rng: Random) -> tuple[Hand, Hand]:
    """Two hands of ten that share neighbouring ranks, so that much can be laid off."""
    window = _window(rng, rng.randint(5, 8))
    drawn = rng.sample(window, 20)
    return frozenset(drawn[:10]), frozenset(drawn[10:])


def hands(seed: int, size: int, n_hands: int, *, dense: bool) -> Iterator[Hand]:
    """Draw hands of one size from a seed."""
    rng = Random(seed)
    draw = dense_hand if dense else random_hand
    for _ in range(n_hands):
        yield draw(rng, size)


def random_deal(rng: Random) -> Deal:
    """Any deal, each equally likely."""
    deck = rng.sample(range(52), 52)
    return Deal((frozenset(deck[:10]), frozenset(deck[10:20])), deck[20], tuple(deck[21:]))


def dense_deal(rng: Random) -> Deal:
    """A deal whose hands are meld-dense, and so is what can be drawn at first."""
    window = _window(rng, rng.randint(6, 8))
    others = sorted(ALL_CARDS - set(window))
    deck = rng.sample(window, len(window)) + rng.sample(others, len(others))
    return Deal((frozenset(deck[:10]), frozenset(deck[10:20])), deck[20], tuple(deck[21:]))


def _window(rng: Random, n_ranks: int) -> list[int]:
    """All cards of some neighbouring ranks."""
    low = rng.randint(0, 13 - n_ranks)
    return [suit * 13 + rank for suit in range(4) for rank in range(low, low + n_ranks)]
