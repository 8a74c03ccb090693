"""The PettingZoo face: conformance, and the traps that such environments fall into."""

import copy
import pickle
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test

import gin_env
from gin_env import (
    Game,
)
from gin_env.core.actions import DRAW, KNOCK, N_ACTIONS
from gin_env.core.observe import AFTER_AT, EXTRAS, OBS_SIZE
from gin_env.core.rules import PRESETS
from gin_env.envs.aec import AGENTS, GinRummyAEC
from gin_env.errors import HistoryError


@pytest.fixture
def env() -> Iterator[GinRummyAEC]:
    environment = gin_env.env()
    environment.reset(seed=5)
    yield environment
    environment.close()


def choose(env: GinRummyAEC, rng: Random) -> int | None:
    """Any legal action, or a sensible one; None for an agent whose episode is over."""
    observation, _, termination, truncation, info = env.last()
    if termination or truncation:
        return None
    assert observation is not None
    legal = np.flatnonzero(info["action_mask"]).tolist()
    card = int(observation["observation"][AFTER_AT : AFTER_AT + 52].argmin())
    for action in (KNOCK + card, card):
        if action in legal and rng.random() < 0.8:
            return action
    return int(rng.choice(legal))


def play(env: GinRummyAEC, rng: Random, n_steps: int = 100_000) -> list[Any]:
    """Step up to so many times; returns all that was seen and done, for comparison."""
    trace: list[Any] = []
    while env.agents and len(trace) < n_steps:
        observation, reward, termination, truncation, info = env.last()
        assert observation is not None
        action = choose(env, rng)
        seen = (env.agent_selection, reward, termination, truncation, action)
        trace.append((seen, *(array.tobytes() for array in observation.values()), sorted(info)))
        env.step(action)
    return trace


# PettingZoo's documentation asks for Dict observations where there is a mask; its test warns of it.
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")
@pytest.mark.filterwarnings(
    "ignore:Observation space for each agent probably should be:UserWarning"
)
@pytest.mark.parametrize("episode", ["hand", "match"])
@pytest.mark.parametrize("make", ["env", "raw_env"])
def test_env_passes_api_test(make: str, episode: Any) -> None:
    api_test(getattr(gin_env, make)(episode=episode), num_cycles=300)


@pytest.mark.parametrize("episode", ["hand", "match"])
def test_env_passes_seed_test(episode: Any) -> None:
    seed_test(lambda: gin_env.env(episode=episode), num_cycles=300)


def test_env_passes_render_test(capsys: pytest.CaptureFixture[str]) -> None:
    render_test(gin_env.env)
    assert "seen by player_" in capsys.readouterr().out


def test_spaces_and_metadata_are_those_of_the_contract(env: GinRummyAEC) -> None:
    assert str(env) == "gin_rummy_v0"
    assert env.metadata["is_parallelizable"] is False
    assert env.possible_agents == ["player_0", "player_1"]
    for agent in env.possible_agents:
        space = env.observation_space(agent)
        assert space is env.observation_space(agent)
        assert space["observation"].shape == (OBS_SIZE,)
        assert space["action_mask"].shape == (N_ACTIONS,)
        assert space.contains(env.observe(agent))
        assert env.action_space(agent) is env.action_space(agent)
        assert env.action_space(agent).n == N_ACTIONS
    assert env.action_space("player_0") is not env.action_space("player_1")


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("episode", ["hand", "match"])
def test_env_plays_the_same_game_as_game(preset: str, episode: Any) -> None:
    env = gin_env.env(preset, episode=episode)
    rng = Random(3)
    for seed in range(2):
        env.reset(seed=seed)
        game = Game.deal(preset, seed=seed, episode=episode)
        for _ in range(400):
            if env.terminations["player_0"]:
                break
            assert env.agent_selection == AGENTS[game.to_move or 0]
            compare_observations(env, game)
            action = choose(env, rng)
            assert action is not None
            env.step(action)
            game.play(action)
            assert tuple(env.rewards.values()) == game.rewards
            if game.is_over and episode == "match" and not game.is_match_over:
                game.next_hand()
        assert all(env.terminations.values()) == (game.to_move is None)
        compare_observations(env, game)


def compare_observations(env: GinRummyAEC, game: Game) -> None:
    for seat, agent in enumerate(AGENTS):
        observation = env.observe(agent)
        assert np.array_equal(observation["observation"], game.observation(seat))
        assert np.array_equal(observation["action_mask"], game.action_mask(seat))
        assert np.array_equal(env.infos[agent]["action_mask"], game.action_mask(seat))


def test_extras_are_appended() -> None:
    env = gin_env.env(extras=("knock_draws", "danger", "continuation", "gin_draws"))
    env.reset(seed=2)
    game = Game.deal(seed=2)
    observation = env.observe("player_0")["observation"]
    assert np.array_equal(observation, game.observation(0, EXTRAS))
    assert env.observation_space("player_0")["observation"].contains(observation)


def test_rewards_are_scaled_hand_points_and_sum_to_zero() -> None:
    env = gin_env.env(reward_scale=0.5)
    rng = Random(0)
    endings = 0
    for seed in range(30):
        env.reset(seed=seed)
        game = Game.deal(seed=seed)
        while not game.is_over:
            action = choose(env, rng)
            assert action is not None
            game.play(action)
            env.step(action)
        assert env.rewards == {"player_0": game.points[0] / 2, "player_1": game.points[1] / 2}
        assert env.last()[1] == game.points[0] / 2
        env.step(None)
        assert env.last()[1] == game.points[1] / 2
        endings += game.points != (0, 0)
    assert endings > 5


def test_match_pays_every_hand_to_both_seats() -> None:
    env = gin_env.env("home", episode="match")
    env.reset(seed=1)
    rng = Random(1)
    returns = dict.fromkeys(AGENTS, 0.0)
    gathered = dict.fromkeys(AGENTS, 0.0)
    n_paid = 0
    for agent in env.agent_iter(3_000):
        gathered[agent] += env.last(observe=False)[1]
        env.step(choose(env, rng))
        for each, reward in env.rewards.items():
            returns[each] += reward
        n_paid += any(env.rewards.values())
    pending = {agent: gathered[agent] + env._cumulative_rewards[agent] for agent in env.agents}
    assert n_paid > 3
    assert returns["player_0"] == -returns["player_1"]
    assert all(pending[agent] == returns[agent] for agent in pending)


# Traps.


@pytest.mark.parametrize("dealer", [0, 1])
def test_a_seeded_reset_keeps_its_options(dealer: int) -> None:
    env = gin_env.env()
    hands = set()
    for seed in (None, 0, 1, 2, 3):
        env.reset(seed=seed, options={"dealer": dealer})
        assert env.agent_selection == AGENTS[1 - dealer]
        hands.add(env.observe("player_0")["observation"].tobytes())
    assert len(hands) == 5


def test_reset_without_options_deals_by_lot() -> None:
    env = gin_env.env()
    env.reset(seed=0)
    first = set()
    for _ in range(20):
        env.reset()
        first.add(env.agent_selection)
    assert first == set(AGENTS)


def test_resets_without_a_seed_go_on_from_the_seed_before() -> None:
    hands = []
    for _ in range(2):
        env = gin_env.env()
        env.reset(seed=8)
        env.reset()
        hands.append(env.observe("player_0")["observation"].tobytes())
        env.reset()
        hands.append(env.observe("player_0")["observation"].tobytes())
    assert hands[:2] == hands[2:]
    assert hands[0] != hands[1]
    fresh = [gin_env.env(), gin_env.env()]
    for env in fresh:
        env.reset()
    observations = [env.observe("player_0")["observation"].tobytes() for env in fresh]
    assert observations[0] != observations[1]


def test_deals_do_not_depend_on_how_hands_were_played() -> None:
    env = gin_env.env()
    decks = []
    for n_steps in (0, 5, 10_000):
        env.reset(seed=4)
        play(env, Random(0), n_steps)
        env.reset()
        decks.append(env.observe("player_1")["observation"].tobytes())
    assert decks[0] == decks[1] == decks[2]


def test_observe_shows_each_agent_its_own_hand(env: GinRummyAEC) -> None:
    game = Game.deal(seed=5)
    rng = Random(1)
    for _ in range(30):
        mover = env.agent_selection
        (other,) = set(AGENTS) - {mover}
        compare_observations(env, game)
        assert not env.observe(other)["action_mask"].any()
        assert not env.infos[other]["action_mask"].any()
        action = choose(env, rng)
        assert action is not None
        env.step(action)
        game.play(action)


def test_looking_changes_nothing(env: GinRummyAEC) -> None:
    twin = copy.deepcopy(env)
    rng, other_rng = Random(6), Random(6)
    for _ in range(15):
        for agent in AGENTS:
            env.observe(agent)
        env.last()
        assert play(env, rng, 1) == play(twin, other_rng, 1)


def test_arrays_handed_out_are_the_callers(env: GinRummyAEC) -> None:
    rng = Random(2)
    kept = []
    while env.agents:
        observation, _, _, _, info = env.last()
        assert observation is not None
        arrays = [*observation.values(), info["action_mask"]]
        action = choose(env, rng)
        kept.append((arrays, [array.copy() for array in arrays]))
        env.step(action)
    for arrays, copies in kept:
        assert all(np.array_equal(array, twin) for array, twin in zip(arrays, copies, strict=True))
    assert len({id(arrays[0]) for arrays, _ in kept}) == len(kept)


def test_writing_into_a_mask_makes_nothing_legal(env: GinRummyAEC) -> None:
    observation, _, _, _, info = env.last()
    assert observation is not None
    for array in (*observation.values(), info["action_mask"]):
        array[:] = 1
    mover = env.agent_selection
    env.step(DRAW)  # not allowed in the offer
    assert env.infos[mover]["illegal_action"] == DRAW
    env.reset()
    assert env.last()[4]["action_mask"].sum() == 2


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, "pickle"])
@pytest.mark.parametrize("episode", ["hand", "match"])
def test_copies_go_on_exactly_as_the_original(duplicate: Any, episode: Any) -> None:
    env = gin_env.env(episode=episode)
    env.reset(seed=12)
    play(env, Random(0), 9)
    env.action_space(env.agent_selection).seed(3)
    pickled = duplicate == "pickle"
    twin = pickle.loads(pickle.dumps(env)) if pickled else duplicate(env)
    spaces = [each.action_space(each.agent_selection) for each in (env, twin)]
    assert spaces[0].sample() == spaces[1].sample()
    assert play(env, Random(1), 300) == play(twin, Random(1), 300)
    env.reset()
    twin.reset()
    assert play(env, Random(2), 300) == play(twin, Random(2), 300)


def test_an_environment_not_yet_reset_copies_too() -> None:
    twin = pickle.loads(pickle.dumps(copy.deepcopy(gin_env.env())))
    twin.reset(seed=1)
    assert twin.agents == list(AGENTS)


def test_infos_tell_both_agents_of_every_hand_s_end_until_they_move() -> None:
    env, rng = gin_env.env({"target": 40}, episode="match"), Random(3)
    game = Game.deal({"target": 40}, seed=9, episode="match")
    env.reset(seed=9)
    told: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
    n_ended = 0
    while not env.terminations["player_0"]:
        mover, action = env.agent_selection, choose(env, rng)
        assert action is not None
        env.step(action)
        game.play(action)
        told[mover] = {}
        if game.is_over:
            n_ended += 1
            assert game.result is not None
            for seat, agent in enumerate(AGENTS):
                ending, points = game.result.ending.name.lower(), game.points[seat]
                told[agent] = {"ending": ending, "hand_points": points}
            if not game.is_match_over:
                game.next_hand()
        for agent in AGENTS:
            info = {name: env.infos[agent].get(name) for name in ("ending", "hand_points")}
            assert info == {"ending": None, "hand_points": None, **told[agent]}
    assert n_ended > 2


@pytest.mark.parametrize("failing", ["record", "render"])
def test_an_error_after_the_move_leaves_all_as_if_there_had_been_none(
    failing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: dict[str, Any] = {"episode": "match"}
    twin = gin_env.env({"target": 100}, **options)
    if failing == "record":
        options["record"] = tmp_path / "hands.jsonl"
    else:
        options["render_mode"] = "human"

    def fail(*arguments: Any) -> None:
        raise HistoryError("the disk is full")

    monkeypatch.setattr("gin_env.history.lines.Writer.write", fail)
    env, rng, n_failed = gin_env.env({"target": 100}, **options), Random(4), 0

    twin.reset(seed=3)
    monkeypatch.setattr("gin_env.rendering.draw.Painter.draw", lambda *_: None)
    env.reset(seed=3)
    monkeypatch.setattr("gin_env.rendering.draw.Painter.draw", fail)
    while not twin.terminations["player_0"]:
        action = choose(twin, rng)
        twin.step(action)
        try:
            env.step(action)
        except HistoryError:
            n_failed += 1
        for name in ("agent_selection", "rewards", "terminations", "_cumulative_rewards"):
            assert getattr(env, name) == getattr(twin, name)
        for agent in AGENTS:
            assert env.infos[agent].keys() == twin.infos[agent].keys()
            seen, wanted = env.observe(agent), twin.observe(agent)
            assert all((seen[name] == wanted[name]).all() for name in wanted)
    assert n_failed > 2
