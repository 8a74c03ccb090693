"""A game's text form: it holds everything, and nothing that cannot be is read."""

import json
from contextlib import suppress
from random import Random
from typing import Any

import pytest

from gin_env import Game, GameTextError
from tests.test_game import play_randomly


def fields_of(game: Game) -> dict[str, Any]:
    return dict(json.loads(game.to_text()))


@pytest.fixture
def fields() -> dict[str, Any]:
    game = Game.deal("modern", seed=6, episode="match")
    rng = Random(6)
    play_randomly(game, rng)
    game.next_hand()
    play_randomly(game, rng, 7)
    return fields_of(game)


def test_text_is_one_line_and_comes_back_the_same() -> None:
    rng = Random(4)
    for seed in range(20):
        game = Game.deal("club", seed=seed, episode="match")
        for n_actions in (0, 3, 20, 1_000):
            play_randomly(game, rng, n_actions)
            text = game.to_text()
            twin = Game.from_text(text)
            assert "\n" not in text
            assert twin.to_text() == text
            assert (twin.phase, twin.to_move, twin.pile) == (game.phase, game.to_move, game.pile)
            assert (twin.seed, twin.rules, twin.totals) == (game.seed, game.rules, game.totals)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "chess"}, "the format 'gin_env game' is needed"),
        ({"version": 2}, "version 2, but only 1 can be read"),
        ({"version": True}, "version True"),
        ({"extra": 1}, "missing or unknown fields: \\['extra'\\]"),
        ({"rules": {"preset": "home"}}, "rules must hold every rule field"),
        ({"rules": []}, "rules must hold every rule field"),
        ({"episode": "evening"}, "episode must be hand or match"),
        ({"episode": ["hand"]}, "episode must be hand or match"),
        ({"episode": "hand"}, "n_hands must be a whole number from 0 to 0"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"seed": 1.5}, "seed must be a whole number"),
        ({"word": 0}, "word must be a whole number from 1"),
        ({"word": 2**64}, "word must be a whole number"),
        ({"dealer": 2}, "dealer must be a whole number from 0 to 1, not 2"),
        ({"dealer": False}, "dealer must be a whole number"),
        ({"n_hands": -1}, "n_hands must be a whole number"),
        ({"hands_won": [1, 1]}, "hands won of 1"),
        ({"hands_won": [1]}, "hands_won must be a pair"),
        ({"hands_won": {"0": 1}}, "hands_won must be a pair"),
        ({"totals": [100, 0]}, "totals must be a whole number from 0 to 99"),
        ({"totals": [9, 9], "hands_won": [1, 0]}, "a total of 9 without a hand won"),
        ({"hands": "As 2s"}, "hands must be a list of texts"),
        ({"hands": ["As 2s", "3s"]}, "hand of seat 0 must be 10 cards, not 2"),
        ({"hands": [1, 2]}, "hands must be a list of texts"),
        ({"hands": []}, "a list of two hands"),
        ({"upcard": 3}, "upcard must be cards as text"),
        ({"stock": None}, "stock must be cards as text"),
        ({"stock": "As"}, "stock must be 31 cards, not 1"),
        ({"actions": ["fold"]}, "'fold' is no action"),
        ({"actions": [104]}, "actions must be a list of texts"),
        ({"actions": ["big gin"]}, "action 1: 'big gin' is not legal: in the offer phase"),
        ({"actions": ["pass", "pass", "pass"]}, "action 3: 'pass' is not legal: in the draw"),
    ],
)
def test_text_of_a_game_that_cannot_be_is_refused(
    fields: dict[str, Any], change: dict[str, Any], message: str
) -> None:
    with pytest.raises(GameTextError, match=message):
        Game.from_text(json.dumps(fields | change))


def test_text_with_a_card_in_two_places_is_refused(fields: dict[str, Any]) -> None:
    twice = fields["hands"][0].split()[0]
    fields["stock"] = " ".join([twice, *fields["stock"].split()[1:]])
    with pytest.raises(GameTextError, match=f"{twice} comes twice in the deal"):
        Game.from_text(json.dumps(fields))


def test_text_with_a_rule_out_of_range_is_refused(fields: dict[str, Any]) -> None:
    fields["rules"]["knock_limit"] = 11
    with pytest.raises(GameTextError, match="knock_limit must be a whole number from 0 to 10"):
        Game.from_text(json.dumps(fields))


def test_text_without_a_field_is_refused(fields: dict[str, Any]) -> None:
    for name in fields:
        less = {key: value for key, value in fields.items() if key != name}
        with pytest.raises(GameTextError):
            Game.from_text(json.dumps(less))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{",
        "NaN",
        "[" * 50_000,
        '{"seed": ' + "9" * 5_000 + "}",
        '{"a": 1, "a": 2}',
        "x" * 200_000,
        None,
        b"{}",
        3,
    ],
)
def test_hostile_text_is_a_named_error(text: Any) -> None:
    with pytest.raises(GameTextError):
        Game.from_text(text)


def test_text_cut_or_changed_anywhere_is_never_anything_but_a_named_error() -> None:
    game = Game.deal("home", seed=3, episode="match")
    rng = Random(9)
    play_randomly(game, rng, 12)
    text = game.to_text()
    for cut in range(0, len(text), 29):
        with pytest.raises(GameTextError):
            Game.from_text(text[:cut])
    for _ in range(300):
        place = rng.randrange(len(text))
        hostile = text[:place] + rng.choice('0Z"[]{}:,-e ') + text[place + 1 :]
        with suppress(GameTextError):  # some changes are harmless: another seed, a blank
            Game.from_text(hostile)
