"""Opponents and callers that misbehave: what they break is theirs alone."""

import multiprocessing
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from stable_baselines3.common.env_util import make_vec_env

import gin_env
from gin_env import OptionError, PlayerError
from gin_env.core.batch import Batch
from gin_env.core.jit import kernel
from gin_env.envs.gym_env import GinRummyEnv
from gin_env.envs.vector_env import GinRummyVectorEnv
from gin_env.players import BotPlayer, Turn


class Failing:
    """Answers with its first legal action, and fails the second time it is asked."""

    def __init__(self, failure: BaseException) -> None:
        self.failure, self.n_asked = failure, 0

    def __call__(self, observation: np.ndarray, mask: np.ndarray) -> int:
        self.n_asked += 1
        if self.n_asked == 2:
            raise self.failure
        return int(mask.argmax())


@pytest.mark.parametrize("failure", [RuntimeError(), KeyboardInterrupt(), PlayerError()])
def test_failing_opponent_leaves_its_hand_hidden(failure: BaseException) -> None:
    env = GinRummyEnv(opponent=Failing(failure), seat=0)
    env.reset(seed=7, options={"dealer": 1})
    with pytest.raises(type(failure)):
        play_on(env)
    assert not env._observation().any()
    assert not env.action_masks().any()
    with pytest.raises(PlayerError, match="reset all games first"):
        env.step(0)
    env.reset(seed=7)
    env.step(int(env.action_masks().argmax()))


def play_on(env: GinRummyEnv) -> None:
    for _ in range(20):
        env.step(int(env.action_masks().argmax()))


def test_opponent_that_ends_every_hand_first_is_named() -> None:
    def first_legal(observation: np.ndarray, mask: np.ndarray) -> int:
        return int(mask.argmax())

    rules = {"turn_cap": 1, "opening": "draw"}
    env = GinRummyEnv(opponent=first_legal, seat=0, rules=rules)
    with pytest.raises(PlayerError, match="first_legal ends every hand"):
        env.reset(seed=1, options={"dealer": 0})


class Outsider:
    """A bot that no kernel knows."""

    extras: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.bot, self.name = BotPlayer(gin_env.bots.make("greedy")), "outsider"

    def reset(self, seeds: np.ndarray, seat: int, rows: np.ndarray | None = None) -> None:
        self.bot.reset(seeds, seat, rows)

    def act(self, turn: Turn) -> np.ndarray:
        return self.bot.act(turn)


class Forger(Outsider):
    """Writes on everything that it is handed."""

    def act(self, turn: Turn) -> np.ndarray:
        actions = super().act(turn)
        turn.rules_row["gin_bonus"] = turn.rules_row["undercut_bonus"] = 9999
        for array in (turn.rows, turn.observations, turn.masks):
            array[:] = 0
        return actions


def test_opponent_cannot_rewrite_what_it_is_handed() -> None:
    logs = []
    for opponent in (Outsider(), Forger()):
        env = GinRummyVectorEnv(8, opponent=opponent, autoreset_mode="same_step")
        _, infos = env.reset(seed=1)
        total = np.zeros(8)
        for _ in range(100):
            _, rewards, _, _, infos = env.step(infos["action_mask"].argmax(1))
            total += rewards
        logs.append(total.tolist())
    assert logs[0] == logs[1]
    assert any(logs[0])


def test_arrays_that_are_not_copied_cannot_be_written_on() -> None:
    env = GinRummyVectorEnv(2, copy=False)
    observations, infos = env.reset(seed=1)
    for array in (observations, infos["action_mask"], env.action_masks()):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 1


@pytest.mark.parametrize("action", [1.0, None, True, "draw", [104]])
def test_what_is_no_action_forfeits_where_illegal_actions_do(action: Any) -> None:
    env = GinRummyEnv()
    env.reset(seed=1)
    _, reward, terminated, _, info = env.step(action)
    assert (reward, terminated, info["illegal_action"]) == (-50.0, True, action)


@pytest.mark.parametrize("extras", [None, 5, [[]]])
def test_odd_extras_are_named(extras: Any) -> None:
    with pytest.raises(OptionError, match="observation block"):
        GinRummyEnv(extras=extras)


@pytest.mark.parametrize("options", ["abc", 5, [1]])
def test_odd_options_are_named(options: Any) -> None:
    for reset in (gin_env.env().reset, GinRummyEnv().reset):
        with pytest.raises(OptionError, match="options must be a mapping"):
            reset(options=options)


@pytest.mark.filterwarnings("ignore:.*render_mode.*:UserWarning")
def test_stable_baselines3_makes_it_by_its_id() -> None:
    env = make_vec_env("gin_env/GinRummy-v0", n_envs=2)
    observations = env.reset()
    assert isinstance(observations, np.ndarray)
    assert observations.shape == (2, gin_env.OBS_LAYOUT[-1].slice.stop)
    assert env.render_mode == "rgb_array"
    with pytest.raises(TypeError, match="render_mode"):  # which it takes for: no such mode
        gym.make("gin_env/GinRummy-v0", render_mode="rgb")


def step_in_child(batch: Batch) -> None:
    batch.step(batch.arrays.masks.argmax(1))


def test_threads_are_started_anew_after_a_fork() -> None:
    batch = Batch(8, num_threads=2)
    batch.reset(1)
    step_in_child(batch)
    child = multiprocessing.get_context("fork").Process(target=step_in_child, args=(batch,))
    child.start()
    child.join(60)
    assert child.exitcode == 0


def test_kernel_without_a_place_for_its_cache_is_compiled_all_the_same() -> None:
    space: dict[str, Any] = {}
    exec("def double(n):\n    return 2 * n", space)
    assert kernel(space["double"])(21) == 42
