"""The Gymnasium vector face: rows equal single environments, autoreset, masks, copies."""

import copy
import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

from gin_env import BatchError, IllegalActionError
from gin_env.envs.gym_env import GinRummyEnv
from gin_env.envs.vector_env import GinRummyVectorEnv
from gin_env.errors import GinError, SeedError

ENV_ID = "gin_env/GinRummy-v0"
MODES = [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED]


def make(num_envs: int, **options: Any) -> GinRummyVectorEnv:
    env = gym.make_vec(ENV_ID, num_envs=num_envs, **options)
    assert isinstance(env, GinRummyVectorEnv)
    return env


def first_legal(observation: np.ndarray, mask: np.ndarray) -> int:
    """An opponent from outside."""
    return int(mask.argmax())


def last_legal(masks: np.ndarray) -> np.ndarray:
    """The last legal action of every row; 0 where the game is over."""
    actions: np.ndarray = masks.shape[1] - 1 - masks[:, ::-1].argmax(1)
    chosen: np.ndarray = actions * masks.any(1)
    return chosen


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("options", [{}, {"episode": "match", "rules": "palace"}], ids=str)
def test_rows_equal_single_environments(mode: AutoresetMode, options: dict[str, Any]) -> None:
    n = 5
    vector = make(n, opponent="easy", autoreset_mode=mode, **options)
    singles = [GinRummyEnv(opponent="easy", illegal="raise", **options) for _ in range(n)]
    observations, infos = vector.reset(seed=40)
    for row, env in enumerate(singles):
        assert observations[row].tobytes() == env.reset(seed=40 + row)[0].tobytes()
    over = np.zeros(n, bool)
    n_ends = 0
    for _ in range(260):
        masks = vector.action_masks()
        actions = last_legal(masks)
        observations, rewards, terminations, truncations, infos = vector.step(actions)
        assert not truncations.any()
        for row, env in enumerate(singles):
            if mode == AutoresetMode.NEXT_STEP and over[row]:
                expected, reward, terminated = env.reset()[0], 0.0, False
            else:
                expected, reward, terminated, _, _ = env.step(int(actions[row]))
            assert (rewards[row], terminations[row]) == (reward, terminated)
            if terminated and mode == AutoresetMode.SAME_STEP:
                assert infos["_final_obs"][row]
                assert infos["final_obs"][row].tobytes() == expected.tobytes()
                expected = env.reset()[0]
            assert observations[row].tobytes() == expected.tobytes()
            if terminated and mode == AutoresetMode.NEXT_STEP:
                assert infos["action_mask"][row].all()  # the next step begins anew
            else:
                assert infos["action_mask"][row].tobytes() == env.action_masks().tobytes()
        n_ends += int(terminations.sum())
        over = terminations
        if mode == AutoresetMode.DISABLED and over.any():
            vector.reset(options={"reset_mask": over.copy()})
            for row in np.flatnonzero(over).tolist():
                singles[row].reset()
    assert n_ends >= (2 if options else 15)


def test_self_play_shows_the_seat_to_move() -> None:
    env = make(64, opponent=None, autoreset_mode=AutoresetMode.SAME_STEP)
    _, infos = env.reset(seed=3)
    to_seat_0 = np.zeros(64)
    seats_seen = set()
    for _ in range(300):
        movers = infos["seat"]
        seats_seen |= set(movers.tolist())
        _, rewards, _, _, infos = env.step(last_legal(infos["action_mask"]))
        to_seat_0 += np.where(movers == 0, rewards, -rewards)
    assert seats_seen == {0, 1}
    assert np.any(to_seat_0 > 0)
    assert np.any(to_seat_0 < 0)


def test_arrays_are_the_callers_own_unless_asked_otherwise() -> None:
    for is_copying in (True, False):
        env = make(4, copy=is_copying)
        observations, infos = env.reset(seed=1)
        before = observations.copy(), infos["action_mask"].copy()
        env.step(last_legal(infos["action_mask"]))
        assert (observations.tobytes() == before[0].tobytes()) is is_copying
        assert (infos["action_mask"].tobytes() == before[1].tobytes()) is is_copying


def test_illegal_action_names_row_action_and_phase_and_moves_nobody() -> None:
    env = make(4)
    env.reset(seed=1)
    actions = last_legal(env.action_masks())
    actions[2] = 7
    before = env._table.arrays.games.tobytes()
    with pytest.raises(IllegalActionError, match=r"row 2: 'discard 8s' is not legal: in"):
        env.step(actions)
    assert env._table.arrays.games.tobytes() == before


def test_step_before_reset_is_an_error() -> None:
    with pytest.raises(gym.error.ResetNeeded):
        make(2).step(np.zeros(2, np.int64))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "n_games must be"),
        ({"autoreset_mode": "now"}, "autoreset_mode must be one of"),
        ({"render_mode": "human"}, "render_mode must be one of None, 'ansi', 'rgb_array', not"),
        ({"seat": "left"}, "seat must be 'random', 0 or 1"),
    ],
)
def test_bad_arguments_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(GinError, match=message):
        GinRummyVectorEnv(**options)


def test_spaces_hold_what_comes_out() -> None:
    env = make(8, autoreset_mode="same_step")
    observations, _ = env.reset(seed=2)
    assert env.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    assert observations in env.observation_space
    assert last_legal(env.action_masks()) in env.action_space


@pytest.mark.parametrize("opponent", ["easy", first_legal])
def test_forfeits_are_marked_and_nothing_else_is(opponent: Any) -> None:
    env = make(4, opponent=opponent, illegal="forfeit", autoreset_mode="same_step")
    _, infos = env.reset(seed=1)
    actions = last_legal(infos["action_mask"])
    actions[1] = actions[3] = 7
    _, rewards, terminations, _, infos = env.step(actions)
    assert infos["_illegal_action"].tolist() == [False, True, False, True]
    assert infos["illegal_action"][[1, 3]].tolist() == [7, 7]
    assert rewards[[1, 3]].tolist() == [-50.0, -50.0]
    assert terminations[[1, 3]].all()
    _, _, _, _, infos = env.step(last_legal(infos["action_mask"]))
    assert "illegal_action" not in infos


def test_seeded_reset_keeps_its_dealer() -> None:
    env = make(8, seat=0)
    for dealer in (0, 1):
        env.reset(seed=5, options={"dealer": dealer})
        assert (env._table.arrays.games["dealer"] == dealer).all()


def test_seeds_are_one_a_row_or_one_for_all() -> None:
    env = make(3)
    observations, _ = env.reset(seed=np.int64(7))
    assert (env.reset(seed=[7, 8, 9])[0] == observations).all()
    for seed in (-1, [1, 2], [1, 2, None], 0.5):
        with pytest.raises(GinError, match="seed"):
            env.reset(seed=seed)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))]
)
def test_copies_go_on_as_the_original(duplicate: Any) -> None:
    env = make(6, opponent="simple", num_threads=2)
    _, infos = env.reset(seed=3)
    env.step(last_legal(infos["action_mask"]))
    twin = duplicate(env)
    for _ in range(50):
        actions = last_legal(env.action_masks())
        ours, theirs = env.step(actions), twin.step(actions)
        assert ours[0].tobytes() == theirs[0].tobytes()
        assert (ours[1] == theirs[1]).all()


def test_threads_change_nothing() -> None:
    one, many = make(37, opponent="hard"), make(37, opponent="hard", num_threads=5)
    for env in (one, many):
        env.reset(seed=9)
    for _ in range(60):
        actions = last_legal(one.action_masks())
        ours, theirs = one.step(actions), many.step(actions)
        assert ours[0].tobytes() == theirs[0].tobytes()
        assert (ours[1] == theirs[1]).all()


def test_render_shows_every_game_from_its_learners_seat() -> None:
    texts = make(3, render_mode="ansi")
    with pytest.raises(ResetNeeded):
        texts.render()
    _, infos = texts.reset(seed=4)
    tables = texts.render()
    assert tables is not None
    single = GinRummyEnv(render_mode="ansi")
    for row, seat in enumerate(infos["seat"]):
        single.reset(seed=4 + row)
        assert tables[row] == single.render()
        assert f"seen by player_{seat}" in tables[row]
    assert make(3).render() is None


def test_frames_of_all_games_have_one_shape() -> None:
    env = make(2, render_mode="rgb_array", screen_height=360)
    env.reset(seed=4)
    for _ in range(3):
        env.step(last_legal(env.action_masks()))
        frames = np.array(env.render())
        assert frames.shape == (2, 360, 640, 3)
        assert frames.dtype == np.uint8
    assert env.metadata["render_modes"] == ["ansi", "rgb_array"]


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
def test_infos_tell_of_hands_as_the_single_environment_does(mode: str) -> None:
    options: dict[str, Any] = {"opponent": "greedy", "episode": "match", "rules": {"target": 60}}
    envs = gym.make_vec(ENV_ID, num_envs=4, autoreset_mode=mode, **options)
    singles = [gym.make(ENV_ID, **options) for _ in range(4)]
    _, infos = envs.reset(seed=40)
    for row, single in enumerate(singles):
        single.reset(seed=40 + row)
    n_told, over = 0, np.zeros(4, bool)
    for _ in range(120):
        actions = infos["action_mask"].argmax(axis=1)
        _, _, ends, _, infos = envs.step(actions)
        for row, single in enumerate(singles):
            if over[row]:
                _, info = single.reset()
            else:
                *_, info = single.step(actions[row])
            is_told = bool(infos.get("_ending", over * False)[row])
            assert is_told == ("ending" in info)
            if is_told:
                n_told += 1
                assert infos["ending"][row] == info["ending"]
                assert infos["hand_points"][row] == info["hand_points"]
            elif "ending" in infos:
                assert infos["ending"][row] is None
                assert infos["hand_points"][row] == 0
            if ends[row] and mode == "SameStep":
                single.reset()
        over = ends if mode == "NextStep" else over
    assert n_told > 8


# --- What step and reset take ---


@pytest.mark.parametrize("mode", MODES)
def test_masks_say_what_a_finished_row_takes(mode: AutoresetMode) -> None:
    env = make(40, opponent="greedy", rules={"turn_cap": 2}, autoreset_mode=mode)
    _, infos = env.reset(seed=3)
    n_over = 0
    for _ in range(6):
        actions = infos["action_mask"].argmax(axis=1)
        _, _, over, _, infos = env.step(actions)
        masks = infos["action_mask"][over]
        n_over += len(masks)
        if mode == AutoresetMode.NEXT_STEP:
            assert masks.all()
        elif mode == AutoresetMode.DISABLED:
            assert not masks.any()
            _, infos = env.reset(options={"reset_mask": over})
        assert infos["action_mask"].any(axis=1).all()
    assert n_over > 20


@pytest.mark.parametrize("mode", MODES)
def test_first_reset_begins_all_rows(mode: AutoresetMode) -> None:
    env = make(2, autoreset_mode=mode)
    with pytest.raises(BatchError, match=r"^the first reset begins all games: leave "):
        env.reset(options={"reset_mask": np.array([True, False])})
    env.reset(options={"reset_mask": np.array([True, True])})
    assert env.action_masks().any(axis=1).all()


@pytest.mark.parametrize(
    ("seed", "said"),
    [
        (2**64 - 1, f"row 1 would take seed {2**64 - 1} \\+ 1"),
        ({3, 4}, "seeds come in the order of the rows: give a list, not a set"),
        ({3: 4, 5: 6}, "seeds come in the order of the rows: give a list, not a dict"),
    ],
    ids=str,
)
def test_reset_refuses_seeds_that_name_no_rows(seed: Any, said: str) -> None:
    env = make(2)
    with pytest.raises(SeedError, match=f"^{said}"):
        env.reset(seed=seed)
    env.reset(seed=2**64 - 2)


@pytest.mark.parametrize(
    "as_given",
    [
        list,
        tuple,
        lambda actions: actions.astype(np.int8),
        lambda actions: actions.astype(np.uint64),
        lambda actions: np.repeat(actions, 2)[::2],
        lambda actions: np.array([*actions, 0], np.int32)[:-1],
    ],
    ids=["list", "tuple", "int8", "uint64", "strided", "int32"],
)
def test_actions_are_whole_numbers_however_they_come(as_given: Any) -> None:
    env, twin = make(5), make(5)
    _, infos = env.reset(seed=1)
    twin.reset(seed=1)
    for _ in range(20):
        actions = infos["action_mask"].argmax(axis=1)
        given = env.step(as_given(actions))
        *wanted, infos = twin.step(actions)
        for mine, theirs in zip(given, wanted, strict=False):
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize(
    "actions",
    [[0.0, 1.0], [True, False], ["pass", "pass"], [[0], [1]], [0], [0, [1, 2]], None, 7],
    ids=str,
)
def test_other_actions_are_refused(actions: Any) -> None:
    env = make(2)
    env.reset(seed=1)
    with pytest.raises(BatchError, match=r"^actions must be 2 whole numbers, one a row"):
        env.step(actions)


def test_an_illegal_action_is_named_as_it_was_given() -> None:
    env = make(2)
    env.reset(seed=1)
    for action in (500, -7):
        with pytest.raises(IllegalActionError, match=f"^row 1: {action} is no action"):
            env.step(np.array([env.action_masks()[0].argmax(), action], np.int64))
