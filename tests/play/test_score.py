"""The sums under a finished hand are those that the engine made."""

import re

import numpy as np
import pytest

from gin_env import Game, Rules
from gin_env.core.actions import KNOCK
from gin_env.core.rules import PRESETS
from gin_env.play.opponent import HUMAN
from gin_env.play.score import end_lines, match_sum
from tests.play.matches import MINE, deal

NAMES = ("You", "hard")


def test_gin_shows_both_hands_and_the_sum() -> None:
    assert end_lines(deal("Jc", "take", "knock Kd", episode="match"), NAMES) == [
        "You go gin",
        "",
        "You: [7♥ 7♦ 7♣] [A♠ 2♠ 3♠] [8♣ 9♣ T♣ J♣]",
        "  deadwood 0",
        "hard: [4♠ 5♠ 6♠] 2♥ 3♥ 4♦ 5♦ 8♦ J♦ Q♦",
        "  deadwood 42",
        "",
        "Hand: 25 for gin + 42 = 67, for you",
        "Totals: You 67 · hard 0",
    ]


def test_knock_shows_layoffs() -> None:
    assert end_lines(deal("9d", "take", "knock Kd", episode="match"), NAMES)[4:] == [
        "hard: 2♥ 3♥ 4♦ 5♦ 8♦ J♦ Q♦",
        "  laid off 4♠ 5♠ 6♠ on [A♠ 2♠ 3♠]",
        "  deadwood 42",
        "",
        "Hand: 42 - 9 = 33, for you",
        "Totals: You 33 · hard 0",
    ]


def test_doubled_hand_says_so() -> None:
    rules = Rules.preset("standard", oklahoma_spades_double=True)
    mine = MINE.replace("Kd", "Kc")
    game = deal("9s", "take", "knock Kc", rules=rules, mine=mine)
    assert "Hand: 2 x (42 - 9) = 66, doubled by a spade upcard, for you" in end_lines(game, NAMES)


def test_dead_hand_shows_only_ones_own() -> None:
    rules = Rules.preset("standard", turn_cap=1)
    lines = end_lines(deal("9d", "take", "discard Kd", rules=rules), NAMES)
    assert lines[0].startswith("A dead hand")
    assert not [line for line in lines if line.startswith("hard:")]
    assert "Hand: nobody scores" in lines


@pytest.mark.parametrize("preset", PRESETS)
def test_sums_are_the_engines(preset: str) -> None:
    rng = np.random.default_rng(3)
    rules = Rules.preset(preset, target=40)
    n_knocks = 0
    for seed in range(6):
        game = Game.deal(rules, seed, "match")
        while True:
            actions = game.legal_actions()
            knocks = [action for action in actions if action >= KNOCK and action < KNOCK + 52]
            game.play(knocks[0] if knocks else int(rng.choice(actions)))
            if game.is_over:
                result = game.result
                assert result is not None
                n_knocks += result.knocker is not None
                check_sum(result.explain(), abs(result.points[0]))
                assert result.winner is None or result.explain() in " ".join(end_lines(game, NAMES))
                if game.is_match_over or game.n_hands > 12:
                    break
                game.next_hand()
        check_match(game)
    assert n_knocks or preset == "straight"


def check_sum(text: str, points: int) -> None:
    """The words of a sum make its result."""
    if not text:
        assert points == 0
        return
    words, result = text.split(" = ")
    plain = re.sub(r"[a-z]", "", words.replace("x", "*"))
    assert int(result) == points == eval(plain)


def check_match(game: Game) -> None:
    """What the winner gains besides is what the engine paid."""
    winner, result = game.match_winner, game.result
    if winner is None or result is None:
        return
    paid_at_once = game.rules.hand_bonus if game.rules.hand_bonus_paid == "at_once" else 0
    paid = game.rewards[winner] - result.points[winner] - paid_at_once
    assert sum(number for number, _ in match_sum(game)) == paid
    last = " ".join(end_lines(game, NAMES))
    assert ("You win the match" if winner == HUMAN else "hard wins the match") in last
