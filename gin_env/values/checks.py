"""What every face checks, because kernels trust: seats, seeds, deals and actions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, SupportsIndex

import numpy as np

from gin_env.core.actions import N_ACTIONS, parse_action
from gin_env.core.cards import HAND_SIZE, CardsLike, card_text, to_ids
from gin_env.core.describe import describe_illegal
from gin_env.core.match import BY_RULES
from gin_env.core.rules import Rules
from gin_env.core.state import N_SEATS, STOCK_SIZE, seed_words
from gin_env.core.step import legal_mask
from gin_env.core.view import VIEW_DTYPE, look
from gin_env.errors import (
    CardError,
    DealError,
    IllegalActionError,
    OptionError,
    SeatError,
)
from gin_env.support.options import read_int

RulesLike = str | Mapping[str, Any] | Rules
"""Rules as a preset's name, as a mapping of rule fields, or as `Rules`."""


def seed_word(seed: int) -> np.uint64:
    """The random word that a game with this seed begins with."""
    return seed_words(np.array([seed], np.uint64))[0]  # type: ignore[no-any-return]


def check_seat(seat: SupportsIndex, name: str = "seat") -> int:
    """Read a seat.

    Raises:
        SeatError: If it is neither 0 nor 1.
    """
    number = read_int(seat)
    if number is None or not 0 <= number < N_SEATS:
        raise SeatError(f"{name} must be 0 or 1, not {seat!r}")
    return number


def check_options(options: Any, known: Sequence[str]) -> dict[str, Any]:
    """Read the options of a reset; None stands for none.

    Raises:
        OptionError: If they are no mapping, or one is unknown.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise OptionError(f"options must be a mapping, not {options!r}")
    for name in options:
        if name not in known:
            raise OptionError(f"unknown option {name!r}; there are {', '.join(known)}")
    return dict(options)


def read_dealer(options: Mapping[str, Any]) -> int:
    """Read who is to deal out of the options of a reset; `BY_RULES` where nobody is named.

    Raises:
        SeatError: If it is neither 0 nor 1.
    """
    dealer = options.get("dealer")
    return BY_RULES if dealer is None else check_seat(dealer, "options['dealer']")


MAX_SCALE = 1e9
"""No reward scale is larger."""


def check_scale(scale: Any) -> float:
    """Read a reward scale.

    Raises:
        OptionError: If it is no finite number.
    """
    is_number = isinstance(scale, (int, float, np.integer, np.floating))
    if not is_number or isinstance(scale, bool) or not abs(scale) <= MAX_SCALE:
        raise OptionError(f"reward_scale must be a finite number, not {scale!r}")
    return float(scale)


def read_deal(
    hands: Any, upcard: CardsLike, stock: CardsLike | None, shuffled: Sequence[int]
) -> list[int]:
    """Put a deal together: seat 0, seat 1, the upcard, the stock in drawing order.

    Args:
        hands: Ten cards for seat 0 and ten for seat 1.
        upcard: One card; an int is its id.
        stock: 31 cards in drawing order (a mask: ascending ids), or None for all others as they
            come in ``shuffled``.
        shuffled: All 52 cards.

    Returns:
        52 ids.

    Raises:
        DealError: If a part has a wrong number of cards.
        CardError: If something names no card, or a card comes twice.
    """
    if isinstance(hands, str) or not isinstance(hands, Sequence) or len(hands) != N_SEATS:
        raise DealError(f"hands must be a list of two hands, seat 0 and seat 1, not {hands!r}")
    deck: list[int] = []
    for seat in range(N_SEATS):
        deck += _read_part(f"hand of seat {seat}", hands[seat], HAND_SIZE)
    deck += _read_part("upcard", upcard if isinstance(upcard, str) else _listed(upcard), 1)
    _check_once(deck)
    if stock is None:
        return deck + [int(card) for card in shuffled if card not in deck]
    deck += _read_part("stock", stock, STOCK_SIZE)
    _check_once(deck)
    return deck


def check_action(r: np.void, s: np.void, action: str | SupportsIndex) -> int:
    """Read an action of the seat to move, given as an id or as text.

    Raises:
        IllegalActionError: If it is no action, or one that the rules do not allow now.
    """
    try:
        number = parse_action(action)
    except IllegalActionError as error:
        raise illegal_action(r, s, action) from error
    if not legal_now(r, s)[number]:
        raise illegal_action(r, s, number)
    return number


def legal_now(r: np.void, s: np.void) -> np.ndarray:
    """What the seat to move may do. Shape [108], int8; all 0 when the hand is over."""
    return _face(r, s)[1]


def illegal_action(r: np.void, s: np.void, action: object) -> IllegalActionError:
    """The error for an illegal action; it names the action, the phase, the hand, what is legal."""
    return IllegalActionError(describe_illegal(*_face(r, s), action))


def _face(r: np.void, s: np.void) -> tuple[np.void, np.ndarray]:
    """The view of the seat to move, and what it may do."""
    view = np.zeros(1, VIEW_DTYPE)[0]
    mask = np.zeros(N_ACTIONS, np.int8)
    look(r, s, int(s["to_move"]), view)
    legal_mask(r, view, mask)
    return view, mask


def _listed(upcard: CardsLike) -> list[int | str]:
    return list(upcard) if isinstance(upcard, Iterable) else [upcard]


def _read_part(name: str, cards: CardsLike, size: int) -> list[int]:
    try:
        ids = to_ids(cards)
    except CardError as error:
        raise CardError(f"{name}: {error}") from error
    if len(ids) != size:
        wanted = f"{size} cards" if size > 1 else "one card"
        raise DealError(f"the {name} must be {wanted}, not {len(ids)}")
    return ids


def _check_once(deck: list[int]) -> None:
    seen: set[int] = set()
    for card in deck:
        if card in seen:
            raise CardError(f"{card_text(card)} comes twice in the deal; each card exists once")
        seen.add(card)
