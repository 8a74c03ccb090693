"""Actions: the ids of the contract, their text, and what is said of anything else."""

from typing import Any

import numpy as np
import pytest

from gin_env.core.actions import (
    ACTION_TABLE,
    BIG_GIN,
    DISCARD,
    DRAW,
    KNOCK,
    N_ACTIONS,
    PASS,
    TAKE,
    action_text,
    parse_action,
)
from gin_env.core.cards import card_text
from gin_env.errors import IllegalActionError


def test_action_ids_are_those_of_the_contract() -> None:
    assert (DISCARD, KNOCK, DRAW, TAKE, PASS, BIG_GIN, N_ACTIONS) == (
        0,
        52,
        104,
        105,
        106,
        107,
        108,
    )


def test_action_text_names_every_action_once() -> None:
    cards = [card_text(card) for card in range(52)]
    expected = [f"discard {card}" for card in cards] + [f"knock {card}" for card in cards]
    expected += ["draw", "take", "pass", "big gin"]
    assert [action_text(action) for action in range(N_ACTIONS)] == expected


def test_parse_action_undoes_action_text() -> None:
    assert [parse_action(action_text(action)) for action in range(N_ACTIONS)] == list(
        range(N_ACTIONS)
    )


@pytest.mark.parametrize(
    ("given", "action"),
    [
        ("discard 7s", DISCARD + 6),
        ("knock 7s", KNOCK + 6),
        ("  KNOCK   kC ", KNOCK + 51),
        ("Draw", DRAW),
        ("TAKE", TAKE),
        ("pass", PASS),
        ("Big  Gin", BIG_GIN),
        (0, 0),
        (107, BIG_GIN),
        (np.int64(58), KNOCK + 6),
        (np.int8(104), DRAW),
    ],
)
def test_parse_action_takes_text_and_ids(given: Any, action: int) -> None:
    parsed = parse_action(given)
    assert parsed == action
    assert type(parsed) is int


@pytest.mark.parametrize(
    "text", ["", "7s", "knock", "discard", "discard 7s 8s", "fold", "big", "biggin", "draw 7s", "5"]
)
def test_parse_action_lists_what_can_be_written(text: str) -> None:
    expected = (
        f"^{text!r} is no action: write 'draw', 'take', 'pass', 'big gin', "
        "'discard 7s' or 'knock 7s'$"
    )
    with pytest.raises(IllegalActionError, match=expected):
        parse_action(text)


@pytest.mark.parametrize("text", ["knock 1s", "discard 7x"])
def test_parse_action_names_the_bad_card(text: str) -> None:
    with pytest.raises(IllegalActionError, match=f"^{text!r} is no action: '..' is no card: write"):
        parse_action(text)


@pytest.mark.parametrize("number", [-1, 108, 10**30])
def test_action_ids_have_a_range(number: int) -> None:
    expected = f"^{number} is no action: ids lie between 0 and 107$"
    with pytest.raises(IllegalActionError, match=expected):
        parse_action(number)
    with pytest.raises(IllegalActionError, match=expected):
        action_text(number)


@pytest.mark.parametrize("given", [True, False, None, 3.0, [3], b"draw"])
def test_parse_action_takes_no_other_type(given: Any) -> None:
    with pytest.raises(IllegalActionError, match="is no action: give an id or a text like"):
        parse_action(given)


def test_action_table_covers_every_id_once() -> None:
    ids: list[int] = []
    for id_text, text, meaning in ACTION_TABLE:
        low, _, high = id_text.partition("-")
        some = list(range(int(low), int(high or low) + 1))
        ids += some
        assert action_text(some[0]).startswith(text.removesuffix(" C"))
        assert meaning
    assert ids == list(range(N_ACTIONS))


def test_parse_action_refuses_an_array() -> None:
    with pytest.raises(IllegalActionError, match="is no action"):
        parse_action(np.array([3]))
