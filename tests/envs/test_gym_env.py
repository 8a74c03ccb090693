"""The Gymnasium face: conformance, seeds, rewards, illegal actions, copies."""

import copy
import pickle
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RenderCollection
from stable_baselines3.common.env_checker import check_env as sb3_check_env

import gin_env
from gin_env import Game, IllegalActionError, OptionError, SeatError, SeedError
from gin_env.core.actions import KNOCK
from gin_env.envs.gym_env import GinRummyEnv
from gin_env.errors import GinError

ENV_ID = "gin_env/GinRummy-v0"


def make(**options: Any) -> GinRummyEnv:
    env = gym.make(ENV_ID, **options).unwrapped
    assert isinstance(env, GinRummyEnv)
    return env


def play_first_legal(env: GinRummyEnv, n_steps: int = 400) -> list[tuple[bytes, float, bool]]:
    """Always the first legal action but draws; what came of it, over several episodes."""
    log = []
    for _ in range(n_steps):
        action = int(np.flatnonzero(env.action_masks())[-1])
        observation, reward, terminated, truncated, info = env.step(action)
        assert not truncated
        log.append((observation.tobytes() + info["action_mask"].tobytes(), reward, terminated))
        if terminated:
            env.reset()
    return log


@pytest.mark.parametrize("mode", ["ansi", "human", "rgb_array"])
@pytest.mark.parametrize("options", [{}, {"episode": "match", "rules": "modern"}], ids=str)
def test_check_env_of_gymnasium(options: dict[str, Any], mode: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(render_mode=mode, **options), skip_render_check=False)


def test_frames_can_be_collected_for_a_video() -> None:
    env = RenderCollection(make(render_mode="rgb_array", screen_height=360))
    env.reset(seed=1)
    for _ in range(4):
        env.step(env.unwrapped.action_masks().argmax())  # type: ignore[attr-defined]
    frames: Any = env.render()
    assert [frame.shape for frame in frames] == [(360, 640, 3)] * 5
    assert {frame.dtype for frame in frames} == {np.dtype(np.uint8)}


def test_check_env_of_stable_baselines3() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sb3_check_env(make(), warn=True)


@pytest.mark.parametrize("opponent", ["random", "simple", "greedy", "easy", "medium", "hard"])
def test_same_seed_same_episodes(opponent: str) -> None:
    logs = []
    for _ in range(2):
        env = make(opponent=opponent)
        env.reset(seed=11)
        logs.append(play_first_legal(env))
    assert logs[0] == logs[1]
    assert sum(terminated for _, _, terminated in logs[0]) >= 3


def test_seeded_reset_keeps_its_options() -> None:
    for dealer in (0, 1):
        env = make(seat=0)
        for _ in range(3):
            env.reset(seed=5, options={"dealer": dealer})
            assert env._table.arrays.games[0]["dealer"] == dealer


def test_deals_are_those_of_a_game() -> None:
    hand = next(block.slice for block in gin_env.OBS_LAYOUT if block.name == "hand")
    env, first_movers = make(seat=0), []
    for seed in range(8):
        game = Game.deal("standard", seed=seed)
        observation, _ = env.reset(seed=seed)
        # The opponent may have moved, the learner has not: it holds what it was dealt.
        dealt = gin_env.core.cards.to_ids(game.hand(0))
        assert np.flatnonzero(observation[hand]).tolist() == dealt
        if game.to_move == 0:
            np.testing.assert_array_equal(observation, game.observation(0))
        first_movers.append(game.to_move)
    assert {0, 1} <= set(first_movers)


def test_rewards_are_the_learners_points() -> None:
    env = make(opponent="simple")
    env.reset(seed=3)
    seen: set[int] = set()
    for _ in range(3000):
        legal = np.flatnonzero(env.action_masks())
        knocks = legal[(legal >= KNOCK) & (legal < KNOCK + 52)]
        action = int(knocks[0] if len(knocks) else legal[0])
        _, reward, terminated, _, info = env.step(action)
        if not terminated:
            assert reward == 0
            continue
        state = env._table.arrays.games[0]
        sign = 1 if info["seat"] == 0 else -1
        assert reward == sign * state["hand_end"]["points"]
        assert info["ending"] == state_ending(state)
        seen.add(int(np.sign(reward)))
        env.reset()
    assert seen >= {-1, 1}


def state_ending(state: np.void) -> str:
    return gin_env.core.state.Ending(state["hand_end"]["ending"]).name.lower()


def test_reward_scale_only_multiplies() -> None:
    logs = []
    for scale in (1.0, 0.25):
        env = make(reward_scale=scale)
        env.reset(seed=2)
        logs.append([reward for _, reward, _ in play_first_legal(env)])
    assert np.any(logs[0])
    assert logs[1] == [0.25 * reward for reward in logs[0]]


def test_illegal_action_forfeits_and_next_reset_is_unaffected() -> None:
    env, other = make(illegal_penalty=30), make()
    env.reset(seed=4)
    other.reset(seed=4)
    illegal = int(np.flatnonzero(env.action_masks() == 0)[0])
    observation, reward, terminated, _, info = env.step(illegal)
    assert (reward, terminated, info["illegal_action"]) == (-30.0, True, illegal)
    assert info["ending"] == "forfeit"
    assert not info["action_mask"].any()
    assert observation in env.observation_space
    other.reset(seed=9)
    assert env.reset(seed=9)[0].tobytes() == other.reset(seed=9)[0].tobytes()
    assert "illegal_action" not in env.reset()[1]


def test_illegal_action_raises_and_leaves_the_game() -> None:
    env = make(illegal="raise")
    before = env.reset(seed=4)[0].tobytes()
    state = env._table.arrays.games.tobytes()
    for action in (int(np.flatnonzero(env.action_masks() == 0)[0]), 108, -1):
        with pytest.raises(IllegalActionError, match=r"in the offer phase, holding|is no action"):
            env.step(action)
    with pytest.raises(IllegalActionError, match="no action"):
        env.step("draw")  # type: ignore[arg-type]
    assert env._table.arrays.games.tobytes() == state
    assert env._observation().tobytes() == before


def test_step_after_the_end_is_an_error() -> None:
    env = make()
    env.reset(seed=1)
    env.step(int(np.flatnonzero(env.action_masks() == 0)[0]))
    with pytest.raises(IllegalActionError, match="the hand is over"):
        env.step(0)


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))]
)
def test_copies_go_on_as_the_original(duplicate: Any) -> None:
    env = make(opponent="simple", episode="match", rules="eaai")
    env.reset(seed=6)
    play_first_legal(env, 37)
    twin = duplicate(env)
    assert play_first_legal(env) == play_first_legal(twin)


def test_handed_out_arrays_are_not_written_again() -> None:
    env = make()
    observation, info = env.reset(seed=1)
    kept = observation.copy(), info["action_mask"].copy()
    play_first_legal(env, 20)
    assert (observation == kept[0]).all()
    assert (info["action_mask"] == kept[1]).all()


def test_callable_opponent_plays() -> None:
    def last_legal(observation: np.ndarray, action_mask: np.ndarray) -> int:
        assert observation.shape == (gin_env.OBS_LAYOUT[-1].slice.stop,)
        return int(np.flatnonzero(action_mask)[-1])

    env = make(opponent=last_legal)
    env.reset(seed=1)
    assert sum(terminated for _, _, terminated in play_first_legal(env)) > 2


def test_render_shows_the_learners_table() -> None:
    env = make(render_mode="ansi", seat=1)
    env.reset(seed=1)
    text = env.render()
    assert text is not None
    assert "player_1" in text
    assert make().render() is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seat": 2}, "seat must be 'random', 0 or 1"),
        ({"opponent": "nobody"}, "neither a bot"),
        ({"rules": "poker"}, "unknown preset"),
        ({"episode": "game"}, "episode must be one of"),
        ({"illegal": "ignore"}, "illegal must be one of"),
        ({"illegal_penalty": -1}, "illegal_penalty must be"),
        ({"reward_scale": float("nan")}, "reward_scale must be"),
        ({"extras": ["luck"]}, "unknown observation block"),
        ({"render_mode": "hologram"}, "render_mode must be one of"),
    ],
)
def test_bad_arguments_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(GinError, match=message):
        GinRummyEnv(**options)


def test_unknown_reset_option_is_named() -> None:
    with pytest.raises(OptionError, match="unknown option 'dealr'"):
        make().reset(options={"dealr": 0})


def test_action_masks_are_at_hand_behind_gymnasium_make() -> None:
    env: Any = gym.make(ENV_ID)
    _, info = env.reset(seed=1)
    assert (env.action_masks() == info["action_mask"]).all()
    assert (env.get_wrapper_attr("action_masks")() == info["action_mask"]).all()


@pytest.mark.parametrize("seed", [np.int64(3), np.uint64(2**64 - 1)])
def test_seeds_of_numpy_are_seeds(seed: Any) -> None:
    env = make(seat=0)
    assert env.reset(seed=seed)[0].tobytes() == make(seat=0).reset(seed=int(seed))[0].tobytes()


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, True, "1"])
def test_what_is_no_seed_is_named(seed: Any) -> None:
    with pytest.raises(SeedError, match="a seed is a whole number"):
        make().reset(seed=seed)


def test_who_deals_is_0_or_1() -> None:
    with pytest.raises(SeatError, match="dealer"):
        make().reset(options={"dealer": 2})
    make().reset(options={"dealer": None})


def test_step_and_render_before_reset_are_errors() -> None:
    with pytest.raises(gym.error.ResetNeeded):
        make().step(0)
    with pytest.raises(gym.error.ResetNeeded):
        make(render_mode="ansi").render()


def test_huge_action_forfeits() -> None:
    env = make()
    env.reset(seed=1)
    _, reward, terminated, _, info = env.step(10**30)
    assert (reward, terminated, info["illegal_action"]) == (-50.0, True, 10**30)


@pytest.mark.parametrize("action", [500, -7, 10**30, 1.5, None, "pass"], ids=str)
def test_an_action_that_is_none_is_named_as_it_was_given(action: Any) -> None:
    env = gym.make(ENV_ID, illegal="raise")
    env.reset(seed=1)
    with pytest.raises(IllegalActionError, match=f"^{action!r} is no"):
        env.step(action)
    over = gym.make(ENV_ID, rules={"turn_cap": 1, "opening": "draw"}, seat=0)
    _, info = over.reset(seed=1, options={"dealer": 1})
    terminated = False
    while not terminated:
        *_, terminated, _, info = over.step(int(info["action_mask"].argmax()))
    with pytest.raises(IllegalActionError, match=f"^{action!r} is no"):
        over.step(action)
