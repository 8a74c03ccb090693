"""Every face records the hands that are played through it, and plays the same ones as without."""

import os
import pickle
from copy import copy, deepcopy
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import gin_env
from gin_env import Game
from gin_env.core.rules import EPISODES, Episode
from gin_env.core.state import Ending
from gin_env.errors import OptionError
from gin_env.history import Hand, HistoryError, read, verify
from gin_env.players import FORFEIT

ID = "gin_env/GinRummy-v0"
COPIES = [copy, deepcopy, lambda it: pickle.loads(pickle.dumps(it))]


def hands_of(file: Path) -> list[Hand]:
    """All hands, once they have been verified."""
    verify(file)
    return list(read(file))


def first_legal(_: np.ndarray, mask: np.ndarray) -> int:
    """An opponent from outside."""
    return int(mask.argmax())


# --- AEC ---


def play_aec(env: Any, rng: Random, most: int = 10**9) -> list[float]:
    """Play on at random; the rewards that were paid to player_0."""
    paid = []
    for _ in range(most):
        if not env.agents:
            break
        _, _, termination, truncation, info = env.last(observe=False)
        legal = np.flatnonzero(info["action_mask"]).tolist()
        env.step(None if termination or truncation else rng.choice(legal))
        if not (termination or truncation) and env.rewards["player_0"]:
            paid.append(env.rewards["player_0"])
    return paid


@pytest.mark.parametrize("episode", EPISODES)
def test_aec_records_every_hand(file: Path, episode: Episode) -> None:
    rules = {"preset": "modern", "target": 12}
    env = gin_env.env(rules, episode, record=file)
    rng, paid = Random(3), []
    for seed in (5, None, None, 6):
        env.reset(seed=seed, options={"dealer": 1} if seed == 6 else None)
        paid += play_aec(env, rng)
    hands = hands_of(file)
    assert [hand.paid[0] for hand in hands if hand.paid[0]] == paid
    assert {hand.players for hand in hands} == {("player_0", "player_1")}
    games = [(hand.seed, hand.game) for hand in hands]
    assert list(dict.fromkeys(games)) == [(5, 0), (5, 1), (5, 2), (6, 0)]
    firsts = [hand for hand in hands if hand.hand == 0]
    assert len(firsts) == 4
    assert firsts[-1].dealer == 1
    if episode == "match":
        assert len(hands) > 4
        for before, after in pairwise(hands):
            if after.hand:
                assert (after.hand, after.totals) == (before.hand + 1, before.totals_after)
                assert before.match_winner is None
            else:
                assert before.match_winner is not None


def test_aec_records_the_fresh_seed_that_it_took(file: Path) -> None:
    env = gin_env.env(record=file)
    env.reset()
    play_aec(env, Random(1))
    (hand,) = hands_of(file)
    assert hand.seed is not None
    assert Game.deal(seed=hand.seed).dealer == hand.dealer


@pytest.mark.parametrize("episode", EPISODES)
def test_aec_records_forfeits(file: Path, episode: Episode) -> None:
    env: Any = gin_env.env(episode=episode, illegal_penalty=7, record=file)
    env.reset(seed=4)
    env.step(105)
    loser = env.agent_selection
    env.step("rubbish")
    (hand,) = hands_of(file)
    assert hand.actions == (105, FORFEIT)
    assert (hand.penalty, hand.result.ending) == (7, Ending.FORFEIT)
    assert hand.paid[env.possible_agents.index(loser)] == -7


def test_aec_leaves_out_what_is_refused_and_hands_that_do_not_end(file: Path) -> None:
    env = gin_env.env(illegal="raise", record=file)
    env.reset(seed=4)
    with pytest.raises(gin_env.IllegalActionError):
        env.step(0)
    play_aec(env, Random(2), most=6)
    env.reset(seed=9)
    play_aec(env, Random(2))
    (hand,) = hands_of(file)
    assert hand.seed == 9


@pytest.mark.parametrize("duplicate", COPIES)
def test_copies_of_an_environment_do_not_record(file: Path, duplicate: Any) -> None:
    env = gin_env.env(record=file)
    env.reset(seed=1)
    other = duplicate(env)
    play_aec(other, Random(1))
    assert hands_of(file) == []
    play_aec(env, Random(1))
    assert len(hands_of(file)) == 1


# --- Gymnasium ---


def last_legal(masks: np.ndarray) -> np.ndarray:
    """The last legal action of each row. Shape [B], int64."""
    return np.asarray(masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)) * masks.any(axis=1)


def play_gym(env: gym.Env[Any, Any], seed: int | None) -> tuple[float, int]:
    """Play an episode by last legal actions; its last reward, and the seat that got it."""
    _, info = env.reset(seed=seed)
    is_over, reward, seat = False, 0.0, 0
    while not is_over:
        seat = info["seat"]
        action = int(last_legal(info["action_mask"][None])[0])
        _, paid, is_over, _, info = env.step(action)
        reward = float(paid)
    return reward, seat


@pytest.mark.parametrize("opponent", ["hard", None, first_legal])
def test_gymnasium_records_both_sides(file: Path, opponent: Any) -> None:
    env = gym.make(ID, opponent=opponent, rules="home", record=file)
    paid, seats = [], []
    for seed in (3, None, None, None, 4, None):
        reward, seat = play_gym(env, seed)
        paid.append(reward)
        seats.append(seat)
    env.close()
    hands = hands_of(file)
    pairs = zip(hands, seats, strict=True)
    assert [hand.paid[seat] for hand, seat in pairs] == paid
    assert [hand.game for hand in hands] == [0, 1, 2, 3, 0, 1]
    for hand, seat in zip(hands, seats, strict=True):
        if opponent is None:
            assert hand.players == ("player_0", "player_1")
        else:
            assert hand.players[seat] == "learner"
            assert hand.players[1 - seat] == ("hard" if opponent == "hard" else "first_legal")


def test_gymnasium_records_forfeits(file: Path) -> None:
    env = gym.make(ID, opponent="simple", seat=1, record=file)
    env.reset(seed=3)
    env.step(np.int64(107))
    (hand,) = hands_of(file)
    assert hand.actions[-1] == FORFEIT
    assert hand.paid == (50, -50)


def everything(outcome: tuple[Any, ...]) -> list[Any]:
    """All that a step or a reset hands out, to be compared."""
    *arrays, infos = outcome
    named = {name: value.tobytes() for name, value in sorted(infos.items()) if name != "final_obs"}
    final = infos["final_obs"][infos["_final_obs"]].tobytes() if "final_obs" in infos else None
    return [*(array.tobytes() for array in arrays), named, final]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize(
    "options",
    [
        {"opponent": "medium"},
        {"opponent": "easy", "episode": "match", "rules": "modern", "illegal": "forfeit"},
        {"opponent": None, "num_threads": 2},
        {"opponent": None, "episode": "match", "illegal": "forfeit"},
        {"opponent": first_legal, "rules": {"turn_cap": 1}},
    ],
)
def test_vector_environment_plays_the_same_games_and_records_them(
    file: Path, mode: str, options: dict[str, Any]
) -> None:
    n_games, rng = 5, Random(8)
    options = {"num_envs": n_games, "autoreset_mode": mode, **options}
    both: list[Any] = [gym.make_vec(ID, **options), gym.make_vec(ID, **options, record=file)]
    before: Any
    after: Any
    before, after = (envs.reset(seed=20) for envs in both)
    assert everything(before) == everything(after)
    paid = np.zeros(n_games)
    for _ in range(150):
        masks = after[-1]["action_mask"]
        actions = np.array(
            [rng.choice(np.flatnonzero(mask).tolist()) if mask.any() else 0 for mask in masks]
        )
        if options.get("illegal") == "forfeit" and rng.random() < 0.1:
            actions[rng.randrange(n_games)] = 107
        seats = after[-1]["seat"]
        before, after = (envs.step(actions) for envs in both)
        assert everything(before) == everything(after)
        paid += np.where(seats == 0, after[1], -after[1])
        if mode == "Disabled" and after[2].any():
            ended = {"reset_mask": after[2].copy()}
            before, after = (envs.reset(options=ended) for envs in both)
    hands = hands_of(file)
    assert {hand.row for hand in hands} == set(range(n_games))
    assert all(hand.seed == 20 + hand.row for hand in hands)
    if options["opponent"] is None:
        of_rows = [sum(hand.paid[0] for hand in hands if hand.row == row) for row in range(n_games)]
        assert of_rows == paid.tolist()
    if options.get("illegal") == "forfeit":
        assert any(hand.penalty == 50 for hand in hands)
    for row in range(n_games):
        games = [hand.game for hand in hands if hand.row == row]
        assert games == sorted(games)


def test_vector_environment_that_is_copied_plays_on_unrecorded(file: Path) -> None:
    envs = gym.make_vec(ID, num_envs=2, opponent="simple", record=file)
    envs.reset(seed=1)
    other = deepcopy(envs)
    play_on(other)
    assert hands_of(file) == []


def test_row_of_a_batch_is_recorded_as_a_single_game(tmp_path: Path) -> None:
    envs = gym.make_vec(ID, num_envs=3, opponent="hard", record=tmp_path / "all.jsonl")
    _, infos = envs.reset(seed=40)
    for _ in range(60):
        _, _, _, _, infos = envs.step(last_legal(infos["action_mask"]))
    rows = [hand for hand in hands_of(tmp_path / "all.jsonl") if hand.row == 2]
    env = gym.make(ID, opponent="hard", record=tmp_path / "one.jsonl")
    for number in range(len(rows)):
        play_gym(env, None if number else 42)
    singles = hands_of(tmp_path / "one.jsonl")
    assert [hand.actions for hand in singles] == [hand.actions for hand in rows]
    assert [hand.result for hand in singles] == [hand.result for hand in rows]


def play_on(envs: Any) -> None:
    for _ in range(100):
        envs.step(last_legal(envs.action_masks()))


def test_disk_that_fails_in_the_middle_of_a_step_calls_for_a_reset(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    envs: Any = gym.make_vec(ID, num_envs=2, opponent="simple", record=file)
    envs.reset(seed=1)

    def fail(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", fail)
    with pytest.raises(HistoryError, match="No space left"):
        play_on(envs)
    with pytest.raises(gin_env.PlayerError, match="reset all games first"):
        envs.step(last_legal(envs.action_masks()))
    monkeypatch.undo()
    envs.reset(seed=1)
    envs.step(last_legal(envs.action_masks()))


# --- Game ---


def play_game(game: Game, rng: Random) -> None:
    while not game.is_over:
        game.play(rng.choice(game.legal_actions()))


def test_game_records_a_match_that_is_taken_up_again(file: Path) -> None:
    rng = Random(4)
    game = Game.deal({"target": 30}, 11, "match", record=file, names=["Ann", "hard"])
    n_hands = 0
    while True:
        for _ in range(5):
            if not game.is_over:
                game.play(rng.choice(game.legal_actions()))
        game = Game.from_text(game.to_text(), record=file, names=game.names)
        if game.is_over:
            n_hands += 1
            if game.is_match_over:
                break
            game.next_hand()
    hands = hands_of(file)
    assert len(hands) == n_hands
    assert [hand.hand for hand in hands] == list(range(n_hands))
    assert {hand.players for hand in hands} == {("Ann", "hard")}
    assert {hand.seed for hand in hands} == {11}
    assert hands[-1].match_winner == game.match_winner


@pytest.mark.parametrize("duplicate", COPIES)
def test_copies_of_a_game_do_not_record(file: Path, duplicate: Any) -> None:
    game = Game.deal(seed=1, record=file)
    play_game(duplicate(game), Random(1))
    assert hands_of(file) == []
    play_game(game, Random(1))
    assert len(hands_of(file)) == 1


@pytest.mark.parametrize("names", ["ab", ["a"], ["a", "b", "c"], None, 3])
def test_game_takes_two_names(names: Any) -> None:
    with pytest.raises(OptionError, match="names must be two"):
        Game.deal(seed=1, names=names)
    for mode in ("ansi", "rgb_array"):
        with pytest.raises(OptionError, match="names must be two"):
            Game.deal(seed=1).render(mode, names=names)


# --- All of them ---


@pytest.mark.parametrize(
    "make",
    [
        lambda file: gin_env.env(record=file),
        lambda file: gym.make(ID, record=file),
        lambda file: gym.make_vec(ID, num_envs=2, record=file),
        lambda file: Game.deal(record=file),
    ],
)
def test_file_of_something_else_is_refused_at_once(tmp_path: Path, make: Any) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("notes")
    with pytest.raises(HistoryError, match="holds something else"):
        make(file)


@pytest.mark.parametrize("record", [3, True, b"hands.jsonl", ["hands.jsonl"], "a\0b"])
def test_what_is_no_path_is_refused_at_once(record: Any) -> None:
    for make in (gin_env.env, partial(gym.make, ID, opponent="easy")):
        with pytest.raises(gin_env.GinError, match=r"record must be the path|cannot record .*null"):
            make(record=record)
