"""Cards: ids, 52-bit sets, points and text.

A card is ``suit * 13 + rank`` with the suits in the order s h d c and the ranks A 2 ... 9 T J Q K.
A set of cards is an int64 with bit ``card`` set for each card in it.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from gin_env.core.jit import int64, kernel
from gin_env.errors import CardError

N_SUITS = 4
N_RANKS = 13
N_CARDS = N_SUITS * N_RANKS
HAND_SIZE = 10

SUITS = "shdc"
RANKS = "A23456789TJQK"
SUIT_SYMBOLS = "♠♥♦♣"

SUIT_BITS = (1 << N_RANKS) - 1
"""The thirteen bits of one suit."""
ALL_BITS = (1 << N_CARDS) - 1
ACE_BITS = sum(1 << (suit * N_RANKS) for suit in range(N_SUITS))
KING_BITS = ACE_BITS << (N_RANKS - 1)

CardsLike = int | str | Iterable[int | str]
"""Cards as a 52-bit mask, as text (``"As Td"``), or as an iterable of ids and texts."""

CARD_POINTS = np.array([min(card % N_RANKS + 1, 10) for card in range(N_CARDS)], np.int64)
"""Points of each card: ace 1, two to nine their number, ten and pictures 10. Shape [52], int64."""


def _build_suit_points() -> np.ndarray:
    """Points of each set of ranks in one suit. Shape [8192], int16."""
    patterns = np.arange(SUIT_BITS + 1)[:, None] >> np.arange(N_RANKS) & 1
    suit_points: np.ndarray = (patterns * CARD_POINTS[:N_RANKS]).sum(1)
    return suit_points.astype(np.int16)


SUIT_POINTS = _build_suit_points()


def parse_card(text: str) -> int:
    """Read one card, for example ``"As"`` or ``"Td"``; upper and lower case are both taken.

    Raises:
        CardError: If the text names no card.
    """
    if len(text) == 2:
        rank, suit = RANKS.find(text[0].upper()), SUITS.find(text[1].lower())
        if rank >= 0 and suit >= 0:
            return suit * N_RANKS + rank
    raise CardError(
        f"{text!r} is no card: write a rank of {RANKS} and a suit of {SUITS}, such as 'As' or 'Td'"
    )


def card_text(card: int) -> str:
    """Write one card as text, for example ``"As"``."""
    return RANKS[card % N_RANKS] + SUITS[card // N_RANKS]


def to_ids(cards: CardsLike) -> list[int]:
    """Read cards in any accepted form into a list of ids, in the order given.

    A bare int is a 52-bit mask (its cards come out in ascending order); text may separate cards by
    blanks or commas; an iterable may mix ids and texts.

    Raises:
        CardError: If something names no card, or a card comes twice.

    Example:
        >>> to_ids("As Td")
        [0, 35]
        >>> to_ids(0b101)
        [0, 2]
    """
    if isinstance(cards, str):
        ids = [parse_card(text) for text in cards.replace(",", " ").split()]
    elif _is_int(cards):
        ids = _mask_ids(int(cards))  # type: ignore[arg-type]
    elif isinstance(cards, Iterable):
        ids = [_to_id(card) for card in cards]
    else:
        raise CardError(f"{cards!r} is no set of cards: give text, ids or a 52-bit mask")
    seen: set[int] = set()
    for card in ids:
        if card in seen:
            raise CardError(f"{card_text(card)} comes twice; each card exists once")
        seen.add(card)
    return ids


def to_bits(cards: CardsLike) -> int:
    """Read cards in any form that `to_ids` takes into a 52-bit mask."""
    return sum(1 << card for card in to_ids(cards))


def cards_text(cards: CardsLike) -> str:
    """Write cards as text separated by blanks, in the order given (a mask: ascending ids).

    Example:
        >>> cards_text([35, 0])
        'Td As'
    """
    return " ".join(card_text(card) for card in to_ids(cards))


def _is_int(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _mask_ids(mask: int) -> list[int]:
    if not 0 <= mask <= ALL_BITS:
        raise CardError(f"{mask} is no set of cards: a mask lies between 0 and 2**52 - 1")
    return [card for card in range(N_CARDS) if mask >> card & 1]


def _to_id(card: int | str) -> int:
    if isinstance(card, str):
        return parse_card(card)
    if _is_int(card) and 0 <= card < N_CARDS:
        return int(card)
    raise CardError(f"{card!r} is no card: an id lies between 0 and 51, a text looks like 'As'")


# Bit tricks. Each is one machine instruction in a kernel and plain Python without the JIT.


@intrinsic
def _ctpop(typingctx: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), codegen


@intrinsic
def _cttz(typingctx: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), codegen


@intrinsic
def _spread_16(typingctx: Any, out: Any, at: Any, bits: Any) -> Any:
    """Write the lowest sixteen bits as floats, in one store where the machine has vectors."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> None:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        vector = ir.VectorType(ir.FloatType(), 16)
        is_set = builder.bitcast(
            builder.trunc(args[2], ir.IntType(16)), ir.VectorType(ir.IntType(1), 16)
        )
        floats = builder.select(is_set, ir.Constant(vector, [1.0] * 16), ir.Constant(vector, None))
        place = builder.gep(array.data, [args[1]])
        builder.store(floats, builder.bitcast(place, vector.as_pointer()), align=4)

    return types.void(out, types.int64, types.int64), codegen


def count(bits: int) -> int:
    """Count the cards of a set."""
    return int(bits).bit_count()


def lowest(bits: int) -> int:
    """Find the lowest card of a set that is not empty."""
    return (int(bits) & -int(bits)).bit_length() - 1


def spread(cards: int, out: np.ndarray, at: int) -> None:
    """Write a set of cards as 52 zeros and ones into ``out`` (contiguous float32) from ``at``."""
    for card in range(N_CARDS):
        out[at + card] = cards >> card & 1


@overload(count)
def _count_compiled(bits):  # type: ignore[no-untyped-def]  # numba compares the bare signatures
    return lambda bits: _ctpop(int64(bits))


@overload(lowest)
def _lowest_compiled(bits):  # type: ignore[no-untyped-def]
    return lambda bits: _cttz(int64(bits))


@overload(spread)
def _spread_compiled(cards, out, at):  # type: ignore[no-untyped-def]
    def write(cards, out, at):  # type: ignore[no-untyped-def]
        for card in (0, 16, 32, N_CARDS - 16):  # the last two overlap
            _spread_16(out, int64(at + card), cards >> card)

    return write


@kernel
def bit(card: int) -> int:
    """The set that holds one card. ``1 << card`` would overflow in a small integer type."""
    return int64(1) << int64(card)


@kernel
def points(bits: int) -> int:
    """Points of a set of cards. Returns int64, points."""
    return (
        int64(SUIT_POINTS[bits & SUIT_BITS])
        + int64(SUIT_POINTS[bits >> N_RANKS & SUIT_BITS])
        + int64(SUIT_POINTS[bits >> 2 * N_RANKS & SUIT_BITS])
        + int64(SUIT_POINTS[bits >> 3 * N_RANKS])
    )
