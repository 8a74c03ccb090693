"""What is said of a player's illegal answer: others read it, so it holds nothing of the hand."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from gin_env import PlayerError
from gin_env.core.actions import BIG_GIN, PASS, parse_action
from gin_env.play.opponent import Opponent
from gin_env.play.session import Session
from gin_env.players import Turn
from tests.players.program.host import HOSTILE, hostile, play

CARD = re.compile(r"\b(?:[A2-9TJQK]|10)[shdc♠♥♦♣]")
PHASES = {"offer", "draw", "discard"}


class Waiting:
    """Plays by the first legal action until a phase comes, and then what is not legal there."""

    name = "waiting"
    extras: tuple[str, ...] = ()

    def __init__(self, phase: str) -> None:
        self.phase = ("offer", "draw", "discard").index(phase)

    def reset(self, seeds: np.ndarray, seat: int, rows: np.ndarray | None = None) -> None:
        """Nothing to forget."""

    def act(self, turn: Turn) -> np.ndarray:
        """The first action of each mask, or another."""
        wrong = BIG_GIN if self.phase < 2 else PASS
        is_now = turn.views["phase"] == self.phase
        answer: np.ndarray = np.where(is_now, wrong, turn.masks.argmax(1))
        return answer


def as_function(phase: str) -> Callable[[np.ndarray, np.ndarray], int]:
    """The same as a function of observation and mask."""
    wrong = "pass" if phase == "discard" else "big gin"

    def answer(observation: np.ndarray, action_mask: np.ndarray) -> int:
        n_legal = action_mask.sum()
        is_offer = bool(action_mask[parse_action("pass")])
        now = "offer" if is_offer else "discard" if n_legal > 2 else "draw"
        return parse_action(wrong) if now == phase else int(action_mask.argmax())

    return answer


@pytest.mark.parametrize("phase", sorted(PHASES))
@pytest.mark.parametrize("make", [Waiting, as_function], ids=["object", "function"])
@pytest.mark.parametrize("n_envs", [0, 3], ids=["single", "vector"])
def test_error_of_an_illegal_answer_names_action_and_phase_alone(
    phase: str, make: Callable[[str], Any], n_envs: int
) -> None:
    name, opponent = "gin_env/GinRummy-v0", make(phase)
    env: Any = (
        gym.make_vec(name, num_envs=n_envs, opponent=opponent)
        if n_envs
        else gym.make(name, opponent=opponent)
    )
    with pytest.raises(PlayerError) as caught:
        play_on(env)
    check(str(caught.value), phase)


def test_verdict_of_an_illegal_answer_names_action_and_phase_alone() -> None:
    phases = set()
    for question in range(1, 5):
        player = hostile("illegal", question)
        play(player, 1)
        for verdict in player.verdicts:
            phases.add(check(verdict.text))
    assert phases == PHASES


def test_person_is_not_shown_the_hand_of_a_program_that_errs(tmp_path: Path) -> None:
    program = "program:" + shlex.join([*HOSTILE, "illegal", "1", "-"])
    session = Session.begin(tmp_path / "m.json", Opponent(program), "standard", seed=3)
    while not session.is_opponents_turn:
        session.play(int(session.game.legal_actions()[0]))
    with pytest.raises(PlayerError) as caught:
        session.opponent.decide(session.game)
    session.opponent.close()
    check(str(caught.value))


def play_on(env: Any) -> None:
    """Play first legal actions for ever."""
    _, info = env.reset(seed=1)
    while True:
        _, _, is_over, _, info = env.step(info["action_mask"].argmax(-1))
        if np.ndim(is_over) == 0 and is_over:
            _, info = env.reset()


def check(text: str, phase: str | None = None) -> str:
    """Find no card in what is said, and the phase; returns it."""
    assert not CARD.search(text)
    found = re.search(r"is not legal in the (\w+) phase$", text)
    assert found is not None, text
    assert phase in (None, found[1])
    return found[1]
