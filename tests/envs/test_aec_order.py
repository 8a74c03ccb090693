"""The PettingZoo face where something is wrong: illegal actions, wrong order, wrong arguments."""

import pickle
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from pettingzoo.utils.env_logger import EnvLogger

import gin_env
from gin_env import (
    EpisodeOverError,
    Game,
    GinError,
    IllegalActionError,
    OptionError,
    RulesError,
    SeatError,
    SeedError,
)
from gin_env.core.actions import DRAW, N_ACTIONS, PASS, TAKE
from gin_env.envs.aec import AGENTS, GinRummyAEC
from tests.envs.test_aec import choose, play


@pytest.fixture
def env() -> Iterator[GinRummyAEC]:
    environment = gin_env.env()
    environment.reset(seed=5)
    yield environment
    environment.close()


# Illegal actions.

ILLEGAL_ACTIONS = [DRAW, 0, N_ACTIONS, -1, 10**30, None, 2.0, "pass", True, np.nan, [PASS]]


@pytest.mark.parametrize("action", ILLEGAL_ACTIONS)
def test_an_illegal_action_forfeits_the_hand(action: Any) -> None:
    env = gin_env.env(illegal_penalty=30, reward_scale=2.0)
    env.reset(seed=5, options={"dealer": 0})
    env.step(action)
    assert env.rewards == {"player_0": 60.0, "player_1": -60.0}
    assert all(env.terminations.values())
    assert not any(env.truncations.values())
    assert env.infos["player_1"]["illegal_action"] is action
    assert "illegal_action" not in env.infos["player_0"]
    for agent in AGENTS:
        assert not env.observe(agent)["action_mask"].any()
    env.step(None)
    env.step(None)
    assert env.agents == []


@pytest.mark.parametrize("action", ILLEGAL_ACTIONS)
def test_an_illegal_action_raises_and_changes_nothing(action: Any) -> None:
    env = gin_env.env(illegal="raise")
    env.reset(seed=5)
    play(env, Random(0), 2)
    before = pickle.dumps(env)
    illegal = 0 if action == DRAW else 107 if action == 0 else action
    with pytest.raises(IllegalActionError, match=r"in the draw phase, holding") as caught:
        env.step(illegal)
    assert "legal: draw" in str(caught.value)
    assert pickle.dumps(env) == before


def test_the_reset_after_a_forfeit_is_like_any_other() -> None:
    env, twin = gin_env.env(), gin_env.env()
    env.reset(seed=5)
    twin.reset(seed=5)
    env.step(DRAW)
    for seed in (None, 5, None):
        env.reset(seed=seed)
        twin.reset(seed=seed)
        assert all("illegal_action" not in env.infos[agent] for agent in AGENTS)
        assert not any(env.terminations.values())
        assert not any(env._cumulative_rewards.values())
        assert play(env, Random(1)) == play(twin, Random(1))


def test_a_forfeit_in_a_match_costs_the_hand_and_play_goes_on() -> None:
    env = gin_env.env(episode="match")
    env.reset(seed=5)
    loser = env.agent_selection
    (winner,) = set(AGENTS) - {loser}
    env.step(DRAW)
    assert (env.rewards[winner], env.rewards[loser]) == (50.0, -50.0)
    assert not any(env.terminations.values())
    seen: dict[str, Any] = {}
    for agent in env.agent_iter(6):
        _, reward, _, _, info = env.last()
        seen.setdefault(agent, (reward, info.get("illegal_action")))
        env.step(TAKE if info["action_mask"][TAKE] else int(info["action_mask"].argmax()))
    assert seen == {winner: (50.0, None), loser: (-50.0, DRAW)}
    env.reset(seed=5)
    for _ in range(2):
        env.step(env.action_spaces[loser].n)  # the other way of being illegal, by either seat
    assert sum(env.rewards.values()) == 0


# What PettingZoo documents about order.


def test_nothing_works_before_reset() -> None:
    env = gin_env.env(render_mode="ansi")
    for name in ("agents", "rewards", "terminations", "infos", "agent_selection", "num_agents"):
        with pytest.raises(AttributeError, match=f"{name} cannot be accessed before reset"):
            getattr(env, name)
    for call in (lambda: env.step(0), lambda: env.observe("player_0"), env.render, env.agent_iter):
        with pytest.raises(AssertionError, match="reset\\(\\) needs to be called before"):
            call()
    with pytest.raises(AttributeError, match="has no attribute 'deck'"):
        _ = env.deck
    with pytest.raises(AttributeError, match="before reset"):
        env.last()


def test_stepping_on_after_the_end_takes_none_and_then_only_warns(env: GinRummyAEC) -> None:
    env.step(DRAW)
    assert env.agent_selection == "player_0"
    with pytest.raises(ValueError, match="the only valid action is None"):
        env.step(PASS)
    env.step(None)
    assert env.agents == ["player_1"]
    assert set(env.rewards) == set(env.infos) == set(env.terminations) == {"player_1"}
    env.step(None)
    assert (env.agents, env.rewards, list(env.agent_iter())) == ([], {}, [])
    EnvLogger.flush()
    env.step(None)
    env.step(PASS)
    assert any("Should reset() first" in message for message in EnvLogger.mqueue)


def test_last_after_the_end_names_the_error(env: GinRummyAEC) -> None:
    env.step(DRAW)
    assert env.last()[2] is True
    env.step(None)
    env.step(None)
    with pytest.raises(EpisodeOverError, match="call reset") as caught:
        env.last()
    assert isinstance(caught.value, KeyError)
    assert str(caught.value).startswith("the episode is over")
    assert not env.observe("player_1")["action_mask"].any()


def test_reset_in_the_middle_begins_anew(env: GinRummyAEC) -> None:
    play(env, Random(0), 10)
    env.reset(seed=5)
    fresh = gin_env.env()
    fresh.reset(seed=5)
    assert play(env, Random(3)) == play(fresh, Random(3))


def test_iterating_without_a_step_is_an_error(env: GinRummyAEC) -> None:
    with pytest.raises(AssertionError, match="need to call step"):
        list(env.agent_iter())
    assert list(env.agent_iter(1)) == [env.agent_selection]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"rules": "bridge"}, RulesError, "unknown preset 'bridge'"),
        ({"episode": "week"}, RulesError, "episode must be one of hand, match"),
        ({"render_mode": "svg"}, OptionError, "render_mode must be one of None, 'human', 'ansi'"),
        ({"perspective": "both"}, OptionError, "perspective must be one of to_move, player_0"),
        ({"screen_height": 100}, OptionError, "screen_height must be a whole number from 360 to"),
        ({"illegal": "ignore"}, OptionError, "illegal must be one of forfeit, raise"),
        ({"illegal_penalty": -1}, OptionError, "illegal_penalty must be a whole number from 0"),
        ({"illegal_penalty": 0.5}, OptionError, "illegal_penalty"),
        ({"reward_scale": np.inf}, OptionError, "reward_scale must be a finite number, not inf"),
        ({"reward_scale": "1"}, OptionError, "reward_scale"),
        ({"extras": ("luck",)}, GinError, "unknown observation block 'luck'"),
    ],
)
def test_wrong_arguments_are_named(
    arguments: dict[str, Any], error: type[GinError], message: str
) -> None:
    with pytest.raises(error, match=message):
        gin_env.env(**arguments)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"seed": -1}, SeedError, "a seed is a whole number from 0"),
        ({"seed": 2**64}, SeedError, "a seed is a whole number"),
        ({"options": {"dealer": 2}}, SeatError, "must be 0 or 1, not 2"),
        ({"options": {"dealer": "player_0"}}, SeatError, "must be 0 or 1"),
    ],
)
def test_a_wrong_reset_is_named_and_changes_nothing(
    env: GinRummyAEC, arguments: dict[str, Any], error: type[GinError], message: str
) -> None:
    before = pickle.dumps(env)
    with pytest.raises(error, match=message):
        env.reset(**arguments)
    assert pickle.dumps(env) == before


def test_observing_nobody_is_named(env: GinRummyAEC) -> None:
    with pytest.raises(SeatError, match="there is no agent 'dealer'; the agents are player_0"):
        env.observe("dealer")


# Rendering.


def test_render_shows_the_agent_to_move_what_it_may_know() -> None:
    env = gin_env.env(render_mode="ansi", episode="match")
    env.reset(seed=7)
    game = Game.deal(seed=7, episode="match")
    for _ in range(12):
        text = env.render()
        assert text == str(game)
        assert text is not None
        assert f"seen by {env.agent_selection}" in text
        action = choose(env, Random(1))
        assert action is not None
        env.step(action)
        game.play(action)


def test_render_shows_the_result_after_the_end() -> None:
    env = gin_env.env(render_mode="ansi")
    env.reset(seed=7, options={"dealer": 1})
    env.step(DRAW)
    assert "player_0 forfeits the hand: 50 points to player_1" in (env.render() or "")


@pytest.mark.parametrize("seat", [0, 1])
def test_render_keeps_to_one_perspective(seat: int) -> None:
    env = gin_env.env(render_mode="ansi", perspective=AGENTS[seat])
    env.reset(seed=7)
    for _ in range(8):
        assert f"seen by player_{seat}" in str(env.render())
        action = choose(env, Random(1))
        assert action is not None
        env.step(action)


def test_frames_keep_their_shape_and_change(env: GinRummyAEC) -> None:
    env = gin_env.env(render_mode="rgb_array", screen_height=360, perspective="player_0")
    env.reset(seed=7)
    frames = [env.render()]
    while not env.terminations["player_0"]:
        action = choose(env, Random(1))
        assert action is not None
        env.step(action)
        frames.append(env.render())
    shapes = {frame.shape for frame in frames if isinstance(frame, np.ndarray)}
    assert shapes == {(360, 640, 3)}
    assert len({frame.tobytes() for frame in frames if isinstance(frame, np.ndarray)}) > 5


def test_human_mode_prints_as_it_goes(capsys: pytest.CaptureFixture[str]) -> None:
    env = gin_env.env(render_mode="human")
    env.reset(seed=7)
    env.step(PASS)
    assert capsys.readouterr().out.count("take or pass") == 2
    assert env.render() is None


def test_render_without_a_mode_only_warns(env: GinRummyAEC) -> None:
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None
