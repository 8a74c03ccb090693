"""The VecEnv: what Stable-Baselines3 is told is what was played, for the learner's own seat."""

import pickle
import time
from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.callbacks import EvalCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv, VecMonitor

from gin_env import bots
from gin_env.core.actions import N_ACTIONS
from gin_env.core.observe import EXTRAS, OBS_SIZE, obs_size
from gin_env.core.rules import Episode, Rules
from gin_env.errors import BatchError, BotError, IllegalActionError
from tests.bots.duel import Duel, by_bot
from tests.bots.play import some_actions
from training.env.vec_env import TableVecEnv
from training.errors import RunError


def make_env(n_games: int = 4, seed: int = 30, **options: Any) -> TableVecEnv:
    """An environment that is reset."""
    env = TableVecEnv(n_games, **{"opponents": {"easy": 1.0}, **options})
    env.seed(seed)
    env.reset()
    return env


def step(env: TableVecEnv, actions: np.ndarray) -> tuple[Any, ...]:
    """What a step returns."""
    return env.step(actions)


def step_somehow(env: TableVecEnv, rngs: list[Random]) -> tuple[Any, ...]:
    """What a step returns that plays some legal actions."""
    return step(env, some_actions(env.table, rngs))


def rngs_for(env: TableVecEnv) -> list[Random]:
    return [Random(row) for row in range(env.num_envs)]


# --- Returns ---


@pytest.mark.parametrize("episode", ["hand", "match"])
@pytest.mark.parametrize("name", ["greedy", "hard"])
def test_learner_is_paid_what_its_seat_gets(name: str, episode: Episode) -> None:
    """Both seats played by hand, through the row kernels, from the same seeds."""
    rules, bot = Rules.preset("bicycle", target=40), bots.make(name)
    env = make_env(rules=rules, opponents={name: 1.0}, episode=episode, reward_scale=0.5)
    duels = [Duel(rules, episode, 30 + row, by_bot(bot, 30 + row)) for row in range(4)]
    paid, n_moves = [0] * 4, [0] * 4
    rngs, seen = rngs_for(env), Counter[str]()
    for _ in range(200):
        actions = some_actions(env.table, rngs)
        observations, rewards, dones, infos = step(env, actions)
        for row, duel in enumerate(duels):
            outcome = duel.step(int(actions[row]))
            paid[row] += outcome.reward
            n_moves[row] += 1
            assert rewards[row] == 0.5 * outcome.reward
            assert dones[row] == outcome.is_over
            if not outcome.is_over:
                assert infos[row] == {}
                continue
            info = infos[row]
            assert info["seat"] == duel.seat
            assert (info["episode"]["r"], info["episode"]["l"]) == (paid[row], n_moves[row])
            assert info["terminal_observation"].tobytes() == outcome.final
            is_by_me = duel.table.s["hand_end"]["knocker"] == duel.seat
            seen["won" if paid[row] > 0 else "lost"] += paid[row] != 0
            seen["lost by their move"] += paid[row] < 0 and not is_by_me
            seen["won by my move"] += paid[row] > 0 and bool(is_by_me)
            seen[f"seat {duel.seat}"] += 1
            paid[row], n_moves[row] = 0, 0
            duel.begin()
        for row, duel in enumerate(duels):
            assert observations[row].tobytes() == duel.observation()
    wanted = ("won", "lost", "lost by their move", "won by my move", "seat 0", "seat 1")
    assert min(seen[what] for what in wanted) > 0, seen


@pytest.mark.parametrize("extras", [(), EXTRAS])
def test_rollout_buffer_holds_what_was_played(extras: tuple[str, ...]) -> None:
    """Stable-Baselines3 keeps the arrays that it is handed: had we kept them too, they would have
    changed under it."""
    rules, bot = Rules(), bots.make("medium")
    env = TableVecEnv(3, rules, opponents={"medium": 1.0}, extras=extras, reward_scale=1 / 30)
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=64, seed=7, device="cpu")
    model.learn(64)
    buffer = model.rollout_buffer
    # train() has flattened the buffer, game by game.
    observations = buffer.observations.reshape(3, 64, -1)
    actions, masks, rewards, starts = (
        np.asarray(array).reshape(3, 64, -1)
        for array in (
            buffer.actions,
            buffer.action_masks,
            buffer.rewards.T,
            buffer.episode_starts.T,
        )
    )
    n_ended = 0
    for row in range(3):
        duel, is_new = Duel(rules, "hand", 7 + row, by_bot(bot, 7 + row)), True
        for step in range(64):
            assert observations[row, step, :OBS_SIZE].tobytes() == duel.observation()
            assert masks[row, step].astype(np.int8).tobytes() == duel.facts()[2]
            assert starts[row, step] == is_new
            outcome = duel.step(int(actions[row, step, 0]))
            assert rewards[row, step] == np.float32(outcome.reward / 30)
            is_new = outcome.is_over
            n_ended += is_new
            if is_new:
                duel.begin()
    assert n_ended > 3


def test_terminal_observation_is_the_learner_s_own() -> None:
    env = make_env(8)
    n_seen = 0
    rngs = rngs_for(env)
    for _ in range(60):
        hands = env.table.arrays.views["hand"].copy()
        _, _, dones, infos = step_somehow(env, rngs)
        for row in np.flatnonzero(dones):
            shown = np.flatnonzero(infos[row]["terminal_observation"][:52])
            kept = {card for card in range(52) if int(hands[row]) >> card & 1}
            # It has drawn and discarded at most one card since.
            assert len(kept & set(shown.tolist())) >= 9
            n_seen += 1
    assert n_seen > 10


def test_infos_are_as_monitor_has_them() -> None:
    started = time.time()
    env = make_env(16)
    rngs = rngs_for(env)
    ended = []
    for _ in range(40):
        infos = step_somehow(env, rngs)[3]
        ended += [info["episode"] for info in infos if info]
    assert ended
    for episode in ended:
        assert list(episode) == ["r", "l", "t"]
        assert [type(value) for value in episode.values()] == [float, int, float]
        assert 0 < episode["t"] <= time.time() - started


# --- Arrays ---


def test_returned_arrays_are_the_caller_s_own() -> None:
    env = make_env(16)
    rngs = rngs_for(env)
    first = env.reset()
    kept = first.copy()
    handed = [first, env.action_masks(), *step_somehow(env, rngs)[:3]]
    before = [array.copy() for array in handed]
    for _ in range(30):
        observations, rewards, dones, infos = step_somehow(env, rngs)
        finals = [info["terminal_observation"] for info in infos if info]
        for array in (observations, rewards, dones, *finals, env.action_masks()):
            assert not any(np.shares_memory(array, own) for own in env.table.arrays)
            assert array.flags.owndata
    assert (first == kept).all()
    assert all((now == then).all() for now, then in zip(handed, before, strict=True))


@pytest.mark.parametrize("extras", [(), ("danger",), EXTRAS])
def test_spaces_describe_what_is_returned(extras: tuple[str, ...]) -> None:
    env = make_env(extras=extras)
    assert env.observation_space.shape == (obs_size(extras),)
    rngs = rngs_for(env)
    for _ in range(30):
        observations, rewards, dones, infos = step_somehow(env, rngs)
        assert observations.dtype == rewards.dtype == np.float32
        assert (dones.dtype, dones.shape, len(infos)) == (bool, (4,), 4)
        assert all(env.observation_space.contains(one) for one in observations)


# --- Masks ---


def test_masks_come_as_one_array() -> None:
    env = make_env()
    answer = env.env_method("action_masks")
    assert isinstance(answer, np.ndarray)
    assert (answer.shape, answer.dtype) == ((4, N_ACTIONS), bool)
    assert (answer == env.table.arrays.masks).all()
    assert (env.env_method("action_masks", indices=[2, 0]) == answer[[2, 0]]).all()
    assert (env.env_method("action_masks", indices=1) == answer[[1]]).all()


def test_sb3_contrib_finds_the_masks() -> None:
    env = make_env()
    assert is_masking_supported(env)
    assert (get_action_masks(env) == env.table.arrays.masks).all()


def test_mask_without_a_legal_action_is_an_error() -> None:
    env = make_env()
    env.table.arrays.masks[2] = 0
    message = "1 of 4 games have no legal action, the first in row 2"
    with pytest.raises(RunError, match=message):
        env.action_masks()
    with pytest.raises(RunError, match=message):
        get_action_masks(env)


def test_masks_before_reset_are_an_error() -> None:
    env = TableVecEnv(3, opponents={"easy": 1.0})
    with pytest.raises(RunError, match="call reset before asking for masks"):
        env.action_masks()


def test_illegal_action_is_an_error_before_any_row_moves() -> None:
    env = make_env()
    before = env.table.arrays.games.copy()
    actions = env.action_masks().argmax(axis=1)
    actions[3] = int((~env.action_masks()[3]).argmax())
    with pytest.raises(IllegalActionError, match=r"^row 3: .* is not legal"):
        env.step(actions)
    assert (env.table.arrays.games == before).all()


@pytest.mark.parametrize("kind", [EvalCallback, MaskableEvalCallback])
def test_evaluation_while_learning_plays_with_masks_or_not_at_all(kind: Any) -> None:
    """Stable-Baselines3's own callback asks for no masks, so it has to fail aloud."""
    env = TableVecEnv(2, opponents={"easy": 1.0})
    callback = kind(make_env(2), n_eval_episodes=4, eval_freq=8, verbose=0)
    model = MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=16, seed=1, device="cpu")
    if kind is MaskableEvalCallback:
        model.learn(32, callback)
        assert callback.n_calls == 16
        assert np.isfinite(callback.last_mean_reward)
        return
    with pytest.raises(IllegalActionError, match=r"row \d: .* is not legal"):
        model.learn(32, callback)


# --- The rest of the interface ---


def play(env: VecEnv, table: Any, n_steps: int) -> list[bytes]:
    """Everything that some steps return, but for the time."""
    rngs, seen = [Random(row) for row in range(env.num_envs)], []
    for _ in range(n_steps):
        observations, rewards, dones, _ = env.step(some_actions(table, rngs))
        seen += [np.asarray(observations).tobytes(), rewards.tobytes(), dones.tobytes()]
    return seen


def test_seed_fixes_the_next_reset_and_no_other() -> None:
    env, same = make_env(seed=5), make_env(seed=5)
    assert play(env, env.table, 40) == play(same, same.table, 40)
    assert env.seed(5) == [5, 6, 7, 8]
    first = env.reset()
    second = env.reset()
    assert (first != second).any()
    env.seed(5)
    assert (env.reset() == first).all()


def test_pickled_games_go_on_as_the_original() -> None:
    env = make_env(opponents={"easy": 1.0, "hard": 2.0})
    play(env, env.table, 25)
    copy: TableVecEnv = pickle.loads(pickle.dumps(env))
    assert play(copy, copy.table, 60) == play(env, env.table, 60)


def test_attributes_are_shared_by_all_rows() -> None:
    env = make_env()
    assert env.get_attr("render_mode") == [None] * 4
    assert env.get_attr("reward_scale", indices=[1, 2]) == [1.0, 1.0]
    assert env.get_attr("reward_scale", indices=0) == [1.0]
    assert not env.has_attr("no_such_thing")
    env.set_attr("reward_scale", 0.25)
    assert env.reward_scale == 0.25
    with pytest.raises(AttributeError, match="'reward_scale' can only be set for all rows"):
        env.set_attr("reward_scale", 1.0, indices=[0])
    assert env.reward_scale == 0.25
    with pytest.raises(AttributeError, match="no_such_thing"):
        env.env_method("no_such_thing")


def test_only_monitor_s_work_is_done() -> None:
    env = make_env(2)
    assert env.env_is_wrapped(Monitor) == [True, True]
    assert env.env_is_wrapped(VecMonitor, indices=0) == [False]  # type: ignore[arg-type]
    env.close()


def test_bad_arguments_are_named() -> None:
    with pytest.raises(BotError, match="unknown bot 'esy'"):
        TableVecEnv(2, opponents={"esy": 1.0})
    with pytest.raises(BatchError, match="a table needs at least one opponent"):
        TableVecEnv(2, opponents={})
