"""The table as text: worked cases, nothing too wide, nothing hidden."""

from pathlib import Path

import numpy as np
import pytest

from gin_env import Game, Rules
from gin_env.core.cards import card_text, parse_card
from gin_env.core.rules import PRESETS
from gin_env.play.opponent import HUMAN, MAX_NAME, OPPONENT, Opponent, tell_again
from gin_env.play.score import end_lines
from gin_env.play.session import Session
from gin_env.play.table_text import (
    action_label,
    card_at,
    drawn_line,
    first_touched,
    hand_lines,
    head_lines,
    last_line,
    opponent_lines,
    pile_lines,
    rules_name,
)
from gin_env.rendering.hand_groups import hand_groups
from gin_env.rendering.words import WIDTH, card_symbol
from tests.play import matches

HANDS = ["As 2s 3s 7h 7d 7c 9c Td Kd Kh", "4s 5s 6s 2h 3h 4d 5d 8c Jc Qc"]
BODY_ROWS = 15
"""Lines of the screen for a finished hand."""


def deal() -> Game:
    return Game.from_deal(dealer=1, hands=HANDS, upcard="Kc")


def seat(game: Game, folder: Path, who: str = "hard") -> Session:
    return Session(game, Opponent(who), folder / "match.json")


def test_hand_is_grouped_lifted_and_bracketed() -> None:
    game = deal()
    groups = hand_groups(game.view(HUMAN))
    assert hand_lines(groups, parse_card("9c"), {parse_card("9c"): "new"}) == [
        "                                                 ╭──╮",
        "╭──╮ ╭──╮ ╭──╮   ╭──╮ ╭──╮ ╭──╮   ╭──╮ ╭──╮ ╭──╮ │9♣│",
        "│7♥│ │7♦│ │7♣│   │A♠│ │2♠│ │3♠│   │K♥│ │T♦│ │K♦│ ╰──╯",
        "╰──╯ ╰──╯ ╰──╯   ╰──╯ ╰──╯ ╰──╯   ╰──╯ ╰──╯ ╰──╯  ▲▲",
        "└─── set ────┘   └─── run ────┘                  new",
    ]


@pytest.mark.parametrize("upcard", ["2d", "Ks", "Tc"], ids=["before it", "melds", "after it"])
def test_first_touched_card_is_the_last_unmelded_one_after_taking(upcard: str) -> None:
    theirs = "4s 5s 6s 2h 3h 4d 5d 8c Jc Qc"
    game = Game.from_deal(dealer=1, hands=[HANDS[0], theirs], upcard=upcard)
    game.play("take")
    assert card_text(first_touched(game.view(HUMAN))) == "9c"


def test_card_drawn_is_touched_first() -> None:
    game = Game.deal(seed=3, dealer=1)
    for action in ("pass", "pass", "draw"):
        game.play(action)
    view = game.view(HUMAN)
    drawn = int(view["drawn"])
    is_melded = bool((int(view["sets"]) | int(view["runs"])) >> drawn & 1)
    assert (first_touched(view) == drawn) != is_melded


def test_click_finds_the_card_that_is_drawn_there() -> None:
    groups = hand_groups(deal().view(HUMAN))
    row = hand_lines(groups, None, {})[2]
    for group in groups:
        for card in group.cards:
            column = row.index(card_symbol(card))
            assert card_at(groups, column) == card
    assert card_at(groups, 4) is None
    assert card_at(groups, 15) is None
    assert card_at(groups, 79) is None


def test_what_the_opponent_took_is_counted(tmp_path: Path) -> None:
    game = deal()
    session = seat(game, tmp_path)
    assert opponent_lines(session)[1:] == ["  took openly 0", "  declined nothing"]
    for action in ("pass", "take", "discard Qc", "draw"):
        game.play(action)
    assert opponent_lines(session) == [
        "hard holds 10 cards",
        "  took openly 1: holds K♣",
        "  declined nothing",
    ]
    assert last_line(session) == ""
    game.play(f"discard {next(card for card in game.hand(HUMAN) if card != 'Kd')}")
    game.play("draw")
    game.play("discard Kc")
    assert "  took openly 1: shed again K♣" in opponent_lines(session)
    assert last_line(session) == "hard draws from the stock, discards K♣"


def test_last_line_names_the_card_taken(tmp_path: Path) -> None:
    game = deal()
    session = seat(game, tmp_path)
    assert last_line(session) == "A new deal: you act first"
    for action in ("pass", "take", "discard Qc"):
        game.play(action)
    assert last_line(session) == "hard takes K♣, discards Q♣"


def test_labels_show_deadwood_and_turn_to_gin() -> None:
    game = matches.deal("9d")
    assert action_label(game.legal_actions()[0], game.view(HUMAN)) == (
        "Take 9♦ (at best it leaves deadwood 9)"
    )
    game.play("take")
    view = game.view(HUMAN)
    labels = {action_label(action, view) for action in game.legal_actions()}
    assert {"Discard A♠ (leaves deadwood 24)", "Knock with 9, discarding K♦"} <= labels
    assert drawn_line(view).endswith("you took 9♦: it stays for now · you may knock with 9")
    game = matches.deal("Jc", "take")
    view = game.view(HUMAN)
    labels = {action_label(action, view) for action in game.legal_actions()}
    assert "Gin, discarding K♦" in labels
    assert drawn_line(view).endswith("it stays for now · gin!")


def test_rules_are_named() -> None:
    for name in PRESETS:
        assert rules_name(Rules.preset(name)) == name
    assert rules_name(Rules.preset("palace", target=17)) == "palace"
    assert rules_name(Rules(gin_bonus=3)) == "own"


def test_hand_told_again_is_what_was_played() -> None:
    rng = np.random.default_rng(5)
    for seed in range(20):
        game, played = Game.deal(seed=seed), []
        while not game.is_over:
            action = int(rng.choice(game.legal_actions()))
            played.append((game.to_move, action, game.view(HUMAN)["top"]))
            game.play(action)
        assert list(tell_again(game)) == played


@pytest.mark.parametrize("rules", ["standard", "browser", "modern", "palace"])
def test_nothing_is_too_wide_or_too_long(rules: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    for seed in range(3):
        game = Game.deal(rules, seed, "match")
        session = seat(game, tmp_path)
        session.opponent.name = "W" * MAX_NAME
        while not game.is_match_over and game.n_hands < 3:
            if game.is_over:
                assert len(end_lines(game, session.names)) <= BODY_ROWS
                assert max(map(len, end_lines(game, session.names))) <= WIDTH
                game.next_hand()
            view = session.look()
            lines = [
                *head_lines(session),
                *opponent_lines(session),
                last_line(session),
                *pile_lines(view),
                *hand_lines(hand_groups(view), None, {}),
                drawn_line(view),
            ]
            if game.to_move == HUMAN:
                lines += [action_label(action, view) for action in game.legal_actions()]
            assert max(map(len, lines)) <= WIDTH
            assert len(opponent_lines(session)) <= 4
            assert len(pile_lines(view)) == 4
            assert not [line for line in lines if "…" in line]
            actions = game.legal_actions()
            knocks = [action for action in actions if 52 <= action < 104]
            game.play(knocks[0] if knocks and rng.random() < 0.3 else int(rng.choice(actions)))


def test_opponents_hand_changes_nothing_on_the_screen(tmp_path: Path) -> None:
    """The same view with other hidden cards is the same screen."""
    others = [HANDS[1], "4s 5s 6s 2h 3h 4d 5d 8c 9h Th"]
    screens = []
    for hand in others:
        game = Game.from_deal(dealer=OPPONENT, hands=[HANDS[0], hand], upcard="Kc", seed=1)
        session = seat(game, tmp_path)
        screens.append([*head_lines(session), *opponent_lines(session)])
        screens[-1] += [last_line(session), *pile_lines(session.look())]
    assert screens[0] == screens[1]
