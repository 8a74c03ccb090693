"""The table as text: what it says in each phase, that it fits, and that it hides what is hidden."""

import re
from random import Random
from typing import Any

import pytest

from gin_env import Game, Rules
from gin_env.core.cards import SUIT_SYMBOLS, to_bits
from gin_env.core.rules import PRESETS
from gin_env.rendering.scene import Scene
from gin_env.rendering.text import render_text
from gin_env.rendering.words import WIDTH, card_symbol
from tests.rendering.hands import dead_hand
from tests.rules import DEADWOOD_3, GIN, LEFT_WITH_6, LOOSE, deal, knock
from tests.test_game import play_randomly

DECK = [rank + suit for suit in "shdc" for rank in "A23456789TJQK"]
CARD = re.compile(rf"([A2-9TJQK])([{SUIT_SYMBOLS}])")


def table(game: Game, seat: int) -> str:
    scene = Scene(game.view(seat), seat, game.result, game.episode == "match")
    return render_text(scene)


def cards_named(text: str) -> int:
    """The cards that a text names, as a mask."""
    found = {rank + "shdc"[SUIT_SYMBOLS.index(suit)] for rank, suit in CARD.findall(text)}
    return to_bits(sorted(found))


def test_table_of_an_offer() -> None:
    game = deal(LOOSE, "Kc")
    assert table(game, 0).splitlines() == [
        "Table      seen by player_0 · dealt by player_1 · 0 turns",
        "Stock      31 cards",
        "Pile       K♣ on top",
        "player_1   has taken and declined nothing",
        "player_0   A♠ 3♠ 5♠ 7♥ 9♥ J♥ 2♦ 4♦ 6♦ 8♣",
        "Deadwood   55 · knock with 10 or less",
        "Turn       take or pass K♣",
    ]
    assert table(game, 1).splitlines()[-1] == "Turn       player_0 answers the offer"


def test_table_of_a_turn_shows_what_was_taken_and_what_must_be_kept() -> None:
    game = deal(LOOSE, "Kc")
    game.play("pass")
    game.play("take")
    assert table(game, 1).splitlines()[2:] == [
        "Pile       empty",
        "player_0   declined K♣",
        "player_1   A♥ 3♥ 5♥ 7♦ 9♦ J♦ K♦ 2♣ 4♣ 6♣ K♣",
        "Deadwood   67 · 57 after the best discard · knock with 10 or less",
        "Turn       drew K♣: discard a card; K♣ must be kept",
    ]
    assert table(game, 0).splitlines()[3] == "player_1   holds K♣"
    assert table(game, 0).splitlines()[-1] == "Turn       player_1 discards"
    game.play("discard Kd")
    assert table(game, 0).splitlines()[-1] == "Turn       draw from the stock, or take K♦"
    assert table(game, 1).splitlines()[-1] == "Turn       player_0 draws"


def test_table_groups_melds_and_offers_knocks() -> None:
    game = deal((GIN, LEFT_WITH_6), "5c", "Kd")
    for action in ("pass", "pass", "draw"):
        game.play(action)
    assert table(game, 0).splitlines()[-4:] == [
        "player_0   [A♠ 2♠ 3♠] [4♥ 5♥ 6♥] [7♦ 8♦ 9♦ T♦] K♦",
        "Deadwood   10 · 0 after the best discard · knock with 10 or less",
        "Turn       drew K♦: discard a card",
        "May knock  with K♦ (gin), 7♦ (10), T♦ (10)",
    ]


def test_table_of_a_straight_gin_game_says_so() -> None:
    assert "only gin ends the hand" in table(deal(LOOSE, "Kc", knock_limit=0), 0)


def test_table_after_a_knock_shows_both_hands_and_the_layoffs() -> None:
    game = knock(DEADWOOD_3, "Jh Qh Kh Jc Qc Kc 4s Td 8c 4d")
    result = [
        "Result     player_0 knocks with 3 against 12: 9 points",
        "Score      12 - 3 = 9",
        "player_0   [A♠ 2♠ 3♠] [4♥ 5♥ 6♥] [7♦ 8♦ 9♦] 3♣ · deadwood 3",
        "player_1   [J♥ Q♥ K♥] [J♣ Q♣ K♣] 4♦ 8♣ · deadwood 12",
        "           laid off 4♠ on [A♠ 2♠ 3♠], T♦ on [7♦ 8♦ 9♦]",
    ]
    assert table(game, 0).splitlines()[-5:] == result
    assert table(game, 1).splitlines()[-5:] == [*result[:2], *result[3:], result[2]]


@pytest.mark.parametrize(
    ("kept", "defender", "line", "score"),
    [
        (GIN, LEFT_WITH_6, "player_0 makes gin against 15: 40 points", "25 for gin + 15 = 40"),
        (DEADWOOD_3, LEFT_WITH_6, "player_0 knocks with 3 against 6: 3 points", "6 - 3 = 3"),
        (
            DEADWOOD_3.replace("3c", "8c"),
            LEFT_WITH_6,
            "player_0 knocks with 8 and is undercut with 6: 27 points to player_1",
            "25 for the undercut + 8 - 6 = 27",
        ),
    ],
)
def test_table_says_how_the_hand_ended(kept: str, defender: str, line: str, score: str) -> None:
    text = table(knock(kept, defender), 0).splitlines()
    assert f"Result     {line}" in text
    assert f"Score      {score}" in text


def test_table_of_an_ended_match_names_the_winner_and_the_bonuses() -> None:
    rules = Rules.preset("modern", target=40)
    stock = ["Kd", *(card for card in DECK if card not in f"{GIN} {LEFT_WITH_6} 5c Kd".split())]
    game = Game.from_deal(
        rules, dealer=1, hands=(GIN, LEFT_WITH_6), upcard="5c", stock=stock, episode="match"
    )
    for action in ("pass", "pass", "draw", "knock Kd"):
        game.play(action)
    lines = table(game, 1).splitlines()
    assert "Totals     player_1 0 · player_0 40 · 1 hand ended" in lines
    assert "Match      bonuses +165 to player_0 · player_0 wins the match" in lines
    assert game.rewards == (40 + 165, -205)
    assert game.result is not None
    assert (game.result.match_bonus, game.result.match_winner) == (165, 0)


@pytest.mark.parametrize(
    ("rules", "score"),
    [
        ({"oklahoma_spades_double": True}, "2 x (25 for gin + 15) = 80"),
        ({"gin_bonus": 20}, "20 for gin + 15 = 35"),
    ],
)
def test_score_is_that_of_the_rules(rules: dict[str, Any], score: str) -> None:
    game = deal((GIN, LEFT_WITH_6), "5s", "Kd", **rules)
    for action in ("pass", "pass", "draw", "knock Kd"):
        game.play(action)
    assert f"Score      {score}" in table(game, 0).splitlines()


def test_table_after_a_dead_hand_hides_the_other_hand() -> None:
    game = dead_hand()
    text = table(game, 0)
    assert "Result     a dead hand: no points" in text.splitlines()
    assert len(re.findall("^player_1 ", text, re.MULTILINE)) == 1
    assert cards_named(text) & int(game.view(0)["unseen"]) == 0


def test_table_of_a_match_shows_the_totals() -> None:
    game = Game.deal(seed=1, episode="match")
    assert "Totals     player_0 0 · player_1 0 · 0 hands ended" in table(game, 0).splitlines()


@pytest.mark.parametrize("preset", PRESETS)
def test_table_fits_and_names_no_hidden_card(preset: str) -> None:
    rng = Random(1)
    for seed in range(8):
        game = Game.deal(preset, seed=seed, episode="match")
        while not game.is_over:
            for seat in (0, 1):
                text = table(game, seat)
                assert all(0 < len(line) <= WIDTH for line in text.splitlines()), text
                assert all(line.isprintable() for line in text.splitlines()), text
                assert cards_named(text) & int(game.view(seat)["unseen"]) == 0, text
            play_randomly(game, rng, 1)
        assert all(len(line) <= WIDTH for line in str(game).splitlines())


def test_names_are_the_callers() -> None:
    game = deal(LOOSE, "Kc")
    text = render_text(Scene(game.view(0), 0, names=("Ann", "a very long name indeed")))
    assert text.splitlines()[3] == "a very lon has taken and declined nothing"
    assert max(map(len, text.splitlines())) <= WIDTH


def test_names_move_no_cursor() -> None:
    game = knock(GIN, LEFT_WITH_6)
    for seat in (0, 1):
        names = ("\x1b[2J", "two\nlines\r")
        text = render_text(Scene(game.view(seat), seat, game.result, names=names))
        assert "?[2J makes gin" in text
        assert "two?lines?" in text
        assert all(line.isprintable() for line in text.splitlines())


def test_card_symbol_takes_ids_and_texts() -> None:
    assert [card_symbol(card) for card in (0, "Th", "2d", 51)] == ["A♠", "T♥", "2♦", "K♣"]
