"""The protocol's messages: made from what a seat may know, and read strictly."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from gin_env import Game
from gin_env.core.actions import DISCARD, DRAW, KNOCK, N_ACTIONS, PASS, TAKE
from gin_env.core.cards import parse_card
from gin_env.core.match import play_forfeit
from gin_env.core.rules import (
    CHOICES,
    FLAGS,
    PRESETS,
    RANGES,
    WORDS_BESIDE_NUMBERS,
    Episode,
    Rules,
)
from gin_env.core.state import NO_CARD, Ending
from gin_env.players.program.player import MAX_TEXT
from gin_env.values import messages
from gin_env.values.messages import ProgramError
from gin_env.values.result import HandResult, read_result
from tests.core.table import Table
from tests.core.test_no_leak import exchange, states
from tests.hands import sample_size

MAX_LENGTH = 8192
"""Bytes; docs/protocol.md promises that no line to a program is longer."""
WIDEST = "\N{GRINNING FACE}"
"""A letter that JSON writes with as many bytes as any."""


def read(line: str) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(line)
    return message


# --- Rules ---


def any_rules(rng: Random) -> Rules:
    values: dict[str, Any] = {name: rng.choice(words) for name, words in CHOICES.items()}
    values.update({name: rng.random() < 0.5 for name in FLAGS})
    for name, (low, high) in RANGES.items():
        words = WORDS_BESIDE_NUMBERS.get(name, ())
        values[name] = rng.choice([low, high, rng.randint(low, high), *words])
    return Rules.from_dict(values)


def test_rules_are_told_as_they_are() -> None:
    rng = Random(1)
    episodes: tuple[Episode, ...] = ("hand", "match")
    for rules in [*map(Rules.preset, PRESETS), *(any_rules(rng) for _ in range(300))]:
        for episode in episodes:
            record = rules.row(episode)
            message = read(messages.rules(record))
            assert message["episode"] == episode
            again = Rules.from_dict(message["rules"])
            assert again.row(episode) == record
            if rules.shutout != 0:  # the same as "none"
                assert again == rules


# --- The deal ---


def deal_of(game: Game, seat: int, *moves: str) -> dict[str, Any]:
    """The deal as it is told once some moves have been played."""
    for move in moves:
        game.play(move)
    upcard = messages.find_upcard(game.view(seat), "take" in moves)
    return read(messages.deal(5, game.view(seat), upcard))


@pytest.mark.parametrize(
    ("preset", "moves"),
    [
        ("standard", []),
        ("standard", ["pass"]),
        ("standard", ["take", "discard 4h"]),
        ("returning", ["take", "discard Td"]),
        ("home", []),
        ("home", ["draw", "discard 4h"]),
        ("home", ["take", "discard 4h"]),
        ("browser", ["pass"]),
    ],
)
def test_deal_is_told_as_it_was_whatever_the_other_seat_did_first(
    preset: str, moves: list[str]
) -> None:
    rules = Rules(may_return_taken=True) if preset == "returning" else Rules.preset(preset)
    hands = ["As 2s 3s 4h 5h 6h 7d 8d 9d Kc", "Qs Qh 2d 4d 6c 8c Tc Jh 8s 9h"]
    game = Game.from_deal(rules, dealer=1, hands=hands, upcard="Td")
    seat = 1 if moves else 0
    message = deal_of(game, seat, *moves)
    assert message == {
        "type": "deal",
        "game": 5,
        "dealer": "you" if seat == 1 else "opponent",
        "hand": list(game.hand(seat)),
        "upcard": "Td",
        "knock_limit": 10,
        "totals": {"you": 0, "opponent": 0},
    }


# --- Moves ---


@pytest.mark.parametrize(
    ("action", "drawn", "card"),
    [
        (PASS, "2s", None),
        (DRAW, "2s", "2s"),
        (DRAW, None, None),
        (TAKE, "2s", "9h"),
        (DISCARD + parse_card("7d"), "2s", "7d"),
        (KNOCK + parse_card("Kc"), None, "Kc"),
        (N_ACTIONS - 1, "2s", None),
    ],
)
def test_move_names_its_card_where_the_program_may_know_it(
    action: int, drawn: str | None, card: str | None
) -> None:
    id_of_drawn = NO_CARD if drawn is None else parse_card(drawn)
    moved = messages.moved_card(action, id_of_drawn, parse_card("9h"))
    message = read(messages.move(3, False, action, moved))
    assert message.get("card") == card
    assert (message["id"], message["who"], message["game"]) == (action, "opponent", 3)


def test_question_holds_what_is_needed_for_an_answer() -> None:
    hands = ["As 2s 3s 4h 5h 6h 7d 8d 9d Kc", "Qs Qh 2d 4d 6c 8c Tc Jh 8s 9h"]
    game = Game.from_deal(dealer=1, hands=hands, upcard="Td")
    game.play("take")
    message = read(messages.your_move(3, game.view(0), game.action_mask(0)))
    legal, ids = message.pop("legal"), message.pop("ids")
    assert message == {
        "type": "your_move",
        "game": 3,
        "phase": "discard",
        "hand": list(game.hand(0)),
        "top": None,
        "drawn": "Td",
        "stock": 31,
        "deadwood": 10,
    }
    assert ids == game.legal_actions()
    assert legal[-1] == "knock Kc"
    for text, action in zip(legal, ids, strict=True):
        copy, other = game.copy(), game.copy()
        copy.play(text)
        other.play(action)
        assert copy.actions == other.actions


# --- Results ---


def ends(preset: str, n_hands: int) -> Iterator[tuple[Table, HandResult]]:
    """Hands that have ended, with how."""
    rng = Random(preset)
    for number in range(n_hands):
        tables = list(states(Rules.preset(preset), rng))
        table = tables[-1]
        if number % 7 == 0:
            table = Table.seeded(Rules.preset(preset), number)
            play_forfeit(table.r, table.s, 50)
        end = read_result(table.r, table.s)
        assert end is not None
        yield table, end


def test_result_shows_both_hands_after_a_knock_and_none_otherwise() -> None:
    seen = Counter[str]()
    for table, end in ends("modern", 120):
        for seat in (0, 1):
            message = read(messages.result(9, end, seat, None))
            assert message["ending"] == end.ending.name.lower()
            assert message["points"] == end.points[seat]
            assert message["turns"] == end.n_turns
            is_shown = end.knocker is not None
            assert ("hands" in message, "layoffs" in message) == (is_shown, is_shown)
            for word, asked in (("winner", end.winner), ("knocker", end.knocker)):
                wanted = None if asked is None else "you" if asked == seat else "opponent"
                assert message[word] == wanted
            if is_shown:
                mine = message["hands"]["you"]
                cards = [card for meld in mine["melds"] for card in meld] + mine["unmelded"]
                if seat != end.knocker:
                    cards += [layoff["card"] for layoff in message["layoffs"]]
                assert {parse_card(card) for card in cards} == table.hand(seat)
                assert mine["deadwood"] == end.deadwoods[seat]
        seen[end.ending.name] += 1
    assert {"KNOCK", "GIN", "FORFEIT", "DEAD"} <= {*seen}


def test_result_says_why_the_program_forfeited() -> None:
    table = Table.seeded(Rules(), 1, dealer=1)
    play_forfeit(table.r, table.s, 50)
    end = read_result(table.r, table.s)
    assert end is not None
    assert read(messages.result(9, end, 0, "chose badly")) == {
        "type": "result",
        "game": 9,
        "ending": Ending.FORFEIT.name.lower(),
        "knocker": None,
        "winner": "opponent",
        "points": -50,
        "turns": 0,
        "reason": "chose badly",
    }
    assert "reason" not in read(messages.result(9, end, 1, None))


# --- Nothing hidden ---


def told(table: Table, seat: int) -> list[str]:
    """Every message that is made from what a seat sees."""
    view = table.view(seat)
    return [
        messages.deal(1, view, messages.find_upcard(view, False)),
        messages.your_move(1, view, table.mask(seat)),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_hidden_cards_change_no_message(preset: str) -> None:
    rng, n_changed = Random(preset), 0
    for _ in range(sample_size(200)):
        for table in states(Rules.preset(preset), rng):
            for seat in (0, 1):
                other = exchange(table, seat, rng)
                assert told(other, seat) == told(table, seat)
                n_changed += told(other, 1 - seat) != told(table, 1 - seat)
                if table.s["hand_end"]["ending"] in (Ending.DEAD, Ending.FORFEIT):
                    ends = [read_result(t.r, t.s) for t in (table, other)]
                    lines = {messages.result(1, end, seat, None) for end in ends if end}
                    assert len(lines) == 1
    assert n_changed > 100


def test_lines_are_short_and_plain() -> None:
    longest = 0
    for preset in PRESETS:
        rng = Random(preset)
        for _ in range(10):
            for table in states(Rules.preset(preset), rng):
                lines = [messages.rules(table.r), *told(table, 0), *told(table, 1)]
                if (end := read_result(table.r, table.s)) is not None:
                    lines.append(messages.result(10**9, end, 0, None))
                    end = replace(end, knocker=None)  # who has forfeited is shown no hands
                    lines.append(messages.result(10**9, end, 0, WIDEST * MAX_TEXT))
                for line in lines:
                    assert line.isascii()
                    assert line.isprintable()
                    longest = max(longest, len(line) + 1)
    assert MAX_LENGTH - 1000 < longest <= MAX_LENGTH


# --- Answers ---


def test_answers_are_read_whatever_else_they_hold() -> None:
    assert messages.read_hello('{"type": "hello", "name": "Ä b", "author": []}') == "Ä b"
    assert messages.read_hello(' {"name": "x", "type": "hello", "version": 1}\r') == "x"
    assert (
        messages.read_move('{"type": "move", "game": 3, "action": "draw", "why": 1}', 3) == "draw"
    )
    assert messages.read_move('{"type": "move", "game": 3, "action": 104}', 3) == 104


@pytest.mark.parametrize(
    "line", ["", "null", "NaN", "[]", '"hello"', "{", "\ufeff{}", "[" * 60_000]
)
def test_answers_that_are_no_message_are_rubbish(line: str) -> None:
    for refuse in (messages.read_hello, lambda line: messages.read_move(line, 1)):
        with pytest.raises(ProgramError, match="sent a line that is no JSON") as caught:
            refuse(line)
        assert caught.value.kind == "rubbish"
