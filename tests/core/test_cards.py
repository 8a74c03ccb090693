"""Cards: ids, masks, points and text, and what is said of input that is none of them."""

from typing import Any

import numpy as np
import pytest

from gin_env.core import cards
from gin_env.core.cards import (
    ALL_BITS,
    CARD_POINTS,
    CardsLike,
    bit,
    card_text,
    cards_text,
    count,
    lowest,
    parse_card,
    points,
    to_bits,
    to_ids,
)
from gin_env.core.jit import kernel
from gin_env.errors import CardError

IN_ORDER = (
    "As 2s 3s 4s 5s 6s 7s 8s 9s Ts Js Qs Ks Ah 2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh "
    "Ad 2d 3d 4d 5d 6d 7d 8d 9d Td Jd Qd Kd Ac 2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc"
)


def test_parse_card_reads_the_52_cards_in_the_documented_order() -> None:
    assert [parse_card(text) for text in IN_ORDER.split()] == list(range(52))


def test_card_text_undoes_parse_card() -> None:
    assert " ".join(card_text(card) for card in range(52)) == IN_ORDER


@pytest.mark.parametrize("text", ["td", "TD", "tD", "Td"])
def test_parse_card_takes_both_cases(text: str) -> None:
    assert parse_card(text) == 35


@pytest.mark.parametrize("text", ["", "A", "s", "sA", "1s", "10s", "Ax", "As ", " As", "A♠", "ASH"])
def test_parse_card_refuses_what_is_no_card(text: str) -> None:
    expected = (
        f"^{text!r} is no card: write a rank of A23456789TJQK and a suit of shdc, "
        "such as 'As' or 'Td'$"
    )
    with pytest.raises(CardError, match=expected):
        parse_card(text)


@pytest.mark.parametrize(
    ("given", "ids"),
    [
        ("", []),
        ("As Td", [0, 35]),
        ("Td, As", [35, 0]),
        ("Td,As", [35, 0]),
        ("  Kc\n2s\t", [51, 1]),
        (0, []),
        (0b101, [0, 2]),
        (1 << 51, [51]),
        (np.int64(1 << 51 | 1), [0, 51]),
        ([], []),
        ([35, 0], [35, 0]),
        (["Td", 0, np.int16(51)], [35, 0, 51]),
        (("Td", "As"), [35, 0]),
        (np.array([3, 1]), [3, 1]),
    ],
)
def test_to_ids_takes_text_masks_and_iterables(given: CardsLike, ids: list[int]) -> None:
    assert to_ids(given) == ids
    assert to_bits(given) == sum(1 << card for card in ids)


def test_to_ids_takes_all_cards() -> None:
    assert to_ids(ALL_BITS) == list(range(52))
    assert to_bits(IN_ORDER) == ALL_BITS


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("As Xx", "^'Xx' is no card: write a rank of"),
        ("AsTd", "^'AsTd' is no card"),
        (["As", "Xx"], "^'Xx' is no card"),
        (-1, "^-1 is no set of cards: a mask lies between 0 and 2\\*\\*52 - 1$"),
        (1 << 52, "^4503599627370496 is no set of cards"),
        (True, "no set of cards"),
        (None, "no set of cards"),
        (3.5, "no set of cards"),
        ([52], "^52 is no card: an id lies between 0 and 51, a text looks like 'As'$"),
        ([-1], "^-1 is no card: an id lies between 0 and 51"),
        ([True], "^True is no card: an id"),
        ([1.0], "^1.0 is no card: an id"),
        ([None], "^None is no card: an id"),
        ("As Td As", "^As comes twice; each card exists once$"),
        ([35, "Td"], "^Td comes twice"),
        ("As as", "^As comes twice"),
    ],
)
def test_to_ids_names_what_is_wrong(given: Any, message: str) -> None:
    with pytest.raises(CardError, match=message):
        to_ids(given)
    with pytest.raises(CardError, match=message):
        to_bits(given)


def test_cards_text_keeps_the_order_given_and_sorts_a_mask() -> None:
    assert cards_text([35, 0]) == "Td As"
    assert cards_text(to_bits("Td As")) == "As Td"
    assert cards_text("td,as") == "Td As"
    assert cards_text(0) == ""


def test_points_are_those_of_the_rule_book() -> None:
    suit = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]
    assert CARD_POINTS.tolist() == suit * 4
    assert [points(bit(card)) for card in range(52)] == suit * 4
    assert points(ALL_BITS) == 340
    assert points(0) == 0
    assert points(to_bits("As 9h Td Jd Qd Kd 5c")) == 55


def test_bit_does_not_overflow_in_small_integers() -> None:
    small: list[Any] = list(np.arange(52, dtype=np.int8))
    assert [bit(card) for card in small] == [1 << card for card in range(52)]


def test_masks_of_aces_kings_and_suits() -> None:
    assert cards_text(cards.ACE_BITS) == "As Ah Ad Ac"
    assert cards_text(cards.KING_BITS) == "Ks Kh Kd Kc"
    assert cards_text(cards.SUIT_BITS) == IN_ORDER[: 13 * 3 - 1]


@kernel
def _count_and_lowest(mask: int) -> tuple[int, int]:
    return count(mask), lowest(mask)


def test_count_and_lowest_are_the_same_compiled_and_plain() -> None:
    rng = np.random.default_rng(1)
    masks = [1 << card for card in range(52)] + rng.integers(1, ALL_BITS, 200).tolist()
    for mask in masks:
        held = [card for card in range(52) if mask >> card & 1]
        by_hand = (len(held), held[0])
        assert (count(mask), lowest(mask)) == by_hand
        assert _count_and_lowest(mask) == by_hand
    assert count(0) == _count_and_lowest(0)[0] == 0
