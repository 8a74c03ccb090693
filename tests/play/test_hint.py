"""Hints: what others would do, with their own numbers, and from one's own view."""

import numpy as np
import pytest

from gin_env import Game, bots
from gin_env.core.actions import TAKE
from gin_env.play import hint
from gin_env.play.opponent import HUMAN
from gin_env.play.table_text import action_label
from gin_env.players import ModelPlayer, NetPlayer, load_agent

MINE = "As 2s 3s 7h 7d 9c Jc Tc Kd 5h"
THEIRS = ("4s 5s 6s 2h 3h 4d 5d 8d Jd Qd", "4s 5s 6s 2h 3h 4d 5d 8d Jd Qh")


def before_discard(theirs: str = THEIRS[0], upcard: str = "9d") -> Game:
    game = Game.from_deal(dealer=1, hands=[MINE, theirs], upcard=upcard, seed=1)
    game.play(TAKE)
    return game


def test_hard_says_its_move_and_the_sums_behind_it() -> None:
    game = before_discard()
    lines = hint.ask_hard(game)
    choice = hint.choose_for(bots.make("hard"), game)
    view = game.view(HUMAN)
    assert lines[0] == f"Hard would: {action_label(choice, view)}"
    rows = [line.split() for line in lines[3:]]
    assert len(rows) == 10  # of eleven cards one must be kept
    sums = [float(row[-1]) for row in rows]
    assert sums == sorted(sums)
    for _, after, feeding, going_on, total in rows:
        made = float(after) + float(feeding) + 11.0 * float(going_on)
        assert made == pytest.approx(float(total), abs=0.7)


def test_agent_says_its_chances() -> None:
    game = before_discard()
    lines = hint.ask_agent(game)
    assert lines[0].startswith("champion (trained agent) would: ")
    chances = [int(part.rstrip("%,")) for part in lines[1].split() if "%" in part]
    assert chances == sorted(chances, reverse=True)
    assert 0 < sum(chances) <= 101


def test_champion_is_preferred_where_it_ships(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[str]()

    def load(name: str) -> NetPlayer | ModelPlayer:
        asked.append(name)
        return load_agent("quick")

    monkeypatch.setattr("gin_env.agents.names", lambda: ("champion", "quick"))
    monkeypatch.setattr(hint, "load_agent", load)
    assert hint.ask_agent(before_discard())[0].startswith("champion (trained agent)")
    assert asked == ["champion"]


@pytest.mark.slow
def test_expert_says_its_move() -> None:
    (line,) = hint.ask_expert(before_discard())
    assert line.startswith("Expert (100 worlds) would: ")


@pytest.mark.parametrize("adviser", [hint.ask_hard, hint.ask_agent])
def test_hint_does_not_look_at_hidden_cards(adviser: hint.Adviser) -> None:
    first, second = (adviser(before_discard(theirs)) for theirs in THEIRS)
    assert first == second


@pytest.mark.parametrize("adviser", [hint.ask_hard, hint.ask_agent])
def test_hint_changes_nothing_and_comes_in_every_phase(adviser: hint.Adviser) -> None:
    rng = np.random.default_rng(1)
    game = Game.deal("modern", 2, dealer=1)
    while not game.is_over:
        if game.to_move == HUMAN:
            before = game.to_text()
            lines = adviser(game)
            assert lines
            assert max(map(len, lines)) <= 120
            assert game.to_text() == before
        game.play(int(rng.choice(game.legal_actions())))
