"""An illegal action can end the hand: its mover pays points to the other seat."""

from typing import Any

import pytest

import gin_env


@pytest.mark.parametrize("moves", [[], ["pass"], ["pass", "pass"], ["pass", "pass", "draw"]])
def test_forfeit_pays_the_penalty_whenever_it_is(moves: list[str]) -> None:
    env: Any = gin_env.env(illegal_penalty=50)
    env.reset(seed=1, options={"dealer": 1})
    for move in moves:
        env.step({"pass": 106, "draw": 104}[move])
    loser = env.agent_selection
    env.step(107)  # big gin
    winner = "player_1" if loser == "player_0" else "player_0"
    assert env.rewards == {loser: -50, winner: 50}
    assert all(env.terminations.values())


def test_forfeit_is_never_doubled() -> None:
    env: Any = gin_env.env({"oklahoma_spades_double": True}, illegal_penalty=30)
    for seed in range(20):  # among them upcards of all suits
        env.reset(seed=seed)
        env.step(107)
        assert {*env.rewards.values()} == {30, -30}


@pytest.mark.parametrize("loser", [0, 1])
def test_forfeit_counts_in_a_match_as_a_hand_that_the_other_seat_won(loser: int) -> None:
    rules = {"preset": "palace", "next_dealer": "loser"}
    env: Any = gin_env.env(rules, "match", illegal_penalty=50)
    env.reset(seed=1, options={"dealer": 1 - loser})
    env.step(107)
    other = f"player_{1 - loser}"
    assert env.rewards == {f"player_{loser}": -60, other: 60}  # 50, and 10 for the hand, at once
    assert env.observe(other)["observation"][-2:].tolist() == [pytest.approx(0.6), 0]  # totals
    assert not any(env.terminations.values())
    assert env.agent_selection == other  # the loser deals
