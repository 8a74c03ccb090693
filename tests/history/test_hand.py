"""One hand as one line: there and back again, and no line that is not one."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gin_env import Game, Rules
from gin_env.core.rules import PRESETS
from gin_env.core.state import Ending
from gin_env.errors import HistoryError
from gin_env.history import Hand, name_preset, read_line, write_line
from gin_env.history.hand import FIELDS, MAX_NAME, clean_name
from tests.history.recorded import GOLDEN, change, seal

LINE = GOLDEN[0]


def test_lines_are_read_as_they_were_written() -> None:
    endings = set()
    for line in GOLDEN:
        hand = read_line(line)
        assert write_line(hand) == line
        endings.add(hand.result.ending.name)
    assert endings == {ending.name for ending in Ending if ending != Ending.NONE}


def test_line_is_one_line_of_ascii_and_holds_the_documented_fields() -> None:
    hand = replace(read_line(LINE), players=("Zoë\n", "\N{HEAVY BLACK HEART}"))
    line = write_line(hand)
    assert line.isascii()
    assert line.count(b"\n") == 1
    assert tuple(json.loads(line)) == FIELDS
    assert read_line(line).players == ("Zoë?", "\N{HEAVY BLACK HEART}")


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("hard", "hard"),
        ("", "?"),
        ("\x1b[2J", "?[2J"),
        ("\ud800", "?"),
        ("\N{RIGHT-TO-LEFT OVERRIDE}x", "?x"),
        ("n" * 100, "n" * MAX_NAME),
        ("</script>", "</script>"),
    ],
)
def test_names_hold_nothing_that_a_terminal_obeys(name: str, clean: str) -> None:
    assert clean_name(name) == clean == clean_name(clean)


def test_presets_are_named_and_other_rules_are_not() -> None:
    for name in PRESETS:
        assert name_preset(Rules.preset(name)) == name
    assert name_preset(Rules(target=51)) is None


def test_hand_of_a_game_says_what_was_played(file: Path) -> None:
    game = Game.from_deal(
        dealer=1,
        hands=["As 2s 3s 4h 5h 6h 7d 8d 9d Kc", "Qs Qh 2d 4d 6c 8c Tc Jh 8s 9h"],
        upcard="Td",
        record=file,
        names=["Ann", "Bob"],
    )
    game.play("take")
    game.play("knock Kc")
    fields = json.loads(file.read_text())
    assert fields["actions"] == ["take", "knock Kc"]
    assert fields["players"] == ["Ann", "Bob"]
    assert fields["hands"][0] == "As 2s 3s 4h 5h 6h 7d 8d 9d Kc"
    assert fields["seed"] is None  # no seed has dealt these cards
    assert fields["result"]["ending"] == "gin"
    assert fields["result"]["points"] == fields["paid"] == [102, -102]
    assert fields["result"]["arrangements"][0] == {
        "melds": [["As", "2s", "3s"], ["4h", "5h", "6h"], ["7d", "8d", "9d", "Td"]],
        "unmelded": [],
        "deadwood": 0,
    }


def nested(depth: int) -> bytes:
    return seal(LINE.split(b', "rules"')[0] + b', "rules": ' + b"[" * depth + b"]" * depth)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"", "it must begin with"),
        (b"\n", "it must begin with"),
        (b"{}\n", "it must begin with"),
        (b"\xff\xfe\n", "it must begin with"),
        (LINE.replace(b"history", b"History"), "it must begin with"),
        (LINE[:-2], "cut short or was changed"),
        (LINE[:50], "cut short or was changed"),
        (LINE.replace(b'history": 1', b'history": 2'), "version '2', but only 1"),
        (LINE.replace(b'history": 1', b'history": true'), "version 'true', but only 1"),
        (seal(b'{"gin_env_history": 1'), "missing or unknown fields"),
        (seal(b'{"gin_env_history": 1, "a": 1, "a": 2'), "'a' stands there twice"),
        (seal(b'{"gin_env_history": 1, "a": NaN'), "NaN is no number"),
        (seal(b'{"gin_env_history": 1, "a": -Infinity'), "-Infinity is no number"),
        (seal(b'{"gin_env_history": 1, "a": ' + b"9" * 5000), "broken JSON"),
        (seal(b'{"gin_env_history": 1, "a": "\xc3\xab"'), "plain ASCII"),
        (seal(b'{"gin_env_history": 1, "a'), "broken JSON"),
        (nested(50_000), "broken JSON"),
    ],
)
def test_line_that_is_none_is_a_named_error(line: bytes, message: str) -> None:
    with pytest.raises(HistoryError, match=message):
        read_line(line)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"x": 1}, "missing or unknown fields"),
        ({"rules": {}}, "rules must hold a preset's name"),
        ({"rules": {"preset": None}}, "rules must hold every rule field"),
        ({"rules": {"preset": "home", **Rules(target=7).to_dict()}}, "but the fields make None"),
        ({"rules": {"preset": None, **Rules().to_dict()}}, "but the fields make standard"),
        ({"rules": {"preset": [], **Rules().to_dict()}}, "the preset is"),
        ({"episode": []}, "episode must be"),
        ({"players": ["a"]}, "players must be two names"),
        ({"players": ["a", "b\x1b"]}, "players must be two names"),
        ({"players": ["a", "b" * 81]}, "players must be two names"),
        ({"players": ["a", 3]}, "players must be a list of texts"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"seed": 1.5}, "seed must be a whole number"),
        ({"seed": 1 << 64}, "seed must be a whole number"),
        ({"row": None}, "row must be a whole number"),
        ({"game": True}, "game must be a whole number"),
        ({"dealer": 2}, "dealer must be a whole number"),
        ({"hand": -1}, "hand must be a whole number"),
        ({"hands_won": [5, 5]}, "hands_won must be a whole number"),
        ({"totals": [0]}, "totals must be a pair"),
        ({"upcard": "Xx"}, "upcard"),
        ({"hands": ["As", "2s"]}, "hand of seat 0 must be 10 cards"),
        ({"actions": ["fold"]}, "'fold' is no action"),
        ({"actions": "pass"}, "actions must be a list"),
        ({"actions": ["forfeit"]}, "penalty must be a whole number"),
        ({"penalty": 50}, "nobody forfeits"),
        ({"result": []}, "the result must be"),
        ({"result": {}}, "fields of the result"),
        ({"paid": [1e400, 0]}, "no number|must be a whole number"),
        ({"totals_after": ["9", 0]}, "totals_after must be a whole number"),
        ({"match_winner": 2}, "match_winner must be a whole number"),
    ],
)
def test_line_with_a_wrong_field_is_a_named_error(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(HistoryError, match=message):
        read_line(change(LINE, **fields))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"ending": "none"}, "ending must be one of"),
        ({"ending": []}, "ending must be one of"),
        ({"knocker": 2}, "knocker must be a whole number"),
        ({"points": [1]}, "points must be a pair"),
        ({"turns": "9"}, "turns must be a whole number"),
        ({"arrangements": {}}, "arrangements must be a list"),
        ({"arrangements": []}, "arrangements must be two"),
        ({"arrangements": [1, 2]}, "an arrangement must hold"),
        ({"arrangements": [{"melds": 1, "unmelded": [], "deadwood": 0}] * 2}, "melds must be a"),
        ({"arrangements": [{"melds": [3], "unmelded": [], "deadwood": 0}] * 2}, "list of texts"),
        ({"layoffs": None}, "layoffs must be a list"),
        ({"layoffs": [{"card": 1, "meld": []}]}, "card must be a list of texts"),
        ({"layoffs": [{"card": "As"}]}, "a layoff must hold"),
    ],
)
def test_line_with_a_wrong_result_is_a_named_error(fields: dict[str, Any], message: str) -> None:
    result = {**json.loads(LINE)["result"], **fields}
    with pytest.raises(HistoryError, match=message):
        read_line(change(LINE, result=result))


def test_error_says_its_line() -> None:
    assert HistoryError("x").line is None
    assert str(HistoryError("x", 7)) == "line 7: x"


def test_hand_is_compared_by_value() -> None:
    assert isinstance(read_line(LINE), Hand)
    assert read_line(LINE) == read_line(LINE)
