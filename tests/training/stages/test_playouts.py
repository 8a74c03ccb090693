"""Trials: what a candidate brought is what the game would have brought, and it is learned from."""

from random import Random
from typing import Any

import numpy as np
import pytest
import torch

from gin_env.agents import Network
from gin_env.core.observe import EXTRAS, obs_layout
from gin_env.core.rules import Rules
from gin_env.core.view import look
from tests.core.table import Table
from tests.core.test_no_leak import exchange, states
from tests.training.tiny import tiny_config
from training.config import Config
from training.export.weights import actor_network
from training.policy import Actor
from training.stages.playout_kernels import MAX_CANDIDATES, NO_CANDIDATE, Trials, try_all
from training.stages.playouts import Playouts
from training.stages.stage import take
from training.train import make_model

AT = {block.name: block.slice for block in obs_layout(EXTRAS)}


def playout_config(playouts: dict[str, Any] | None = None, **changed: Any) -> Config:
    """A config with playouts."""
    plan = {"portion": 2048, "opponents": {"simple": 1, "medium": 1}, **(playouts or {})}
    return tiny_config(playouts=plan, **changed)


def stage_of(config: Config) -> Playouts:
    assert config.playouts is not None
    return Playouts(config, config.playouts)


def network_of(config: Config) -> Network:
    """The policy that a config begins with."""
    return actor_network(make_model(config).policy)  # type: ignore[arg-type]


def play(config: Config, chunk: int = 0) -> Trials:
    """A chunk of that policy."""
    return stage_of(config).play(chunk, network_of(config).weights)


def play_hard(**plan: Any) -> Trials:
    """A chunk against Hard, without random moves."""
    return play(playout_config({"opponents": {"hard": 1}, "random_moves": 0.0, **plan}))


def hands_of(trials: Trials) -> list[np.ndarray]:
    """The places of the trials of each hand that has several: within a hand turns only go up."""
    turns = trials.observations[:, AT["turn"]][:, 0]
    dealers = trials.observations[:, AT["dealer"]][:, 0]
    is_new = (np.diff(turns) < 0) | (np.diff(dealers) != 0)
    hands = np.split(np.arange(len(turns)), np.flatnonzero(is_new) + 1)
    return [hand for hand in hands if len(hand) > 1]


def share_alike(trials: Trials, hands: list[np.ndarray]) -> float:
    """In which share of hands the learner's choices all bring the same."""
    return float(np.mean([len(set(trials.values[hand, 0].tolist())) == 1 for hand in hands]))


@pytest.mark.parametrize("opponents", [{"simple": 1}, {"easy": 1, "medium": 1}, {"hard": 1}])
@pytest.mark.parametrize("rules", ["standard", "eaai"])
def test_what_is_played_brings_what_its_playouts_said(opponents: Any, rules: str) -> None:
    """Where the learner always goes on itself, each decision of a hand foretells its end."""
    config = playout_config(
        {"opponents": opponents, "random_moves": 0.0, "own_turns": 1000, "horizon": 1000},
        game={"n_games": 8, "rules": rules},
    )
    trials = play(config)
    hands = hands_of(trials)
    # Two hands in a row may look like one, and a part of the chunk ends in the middle of one.
    assert share_alike(trials, hands) > 0.9
    assert len(hands) > 60
    assert (trials.values[:, 1] != trials.values[:, 0]).mean() > 0.3


def test_without_the_learner_going_on_the_playouts_differ_from_the_game() -> None:
    """The check above can fail."""
    plan = {"random_moves": 0.0, "own_turns": 0}
    trials = play(playout_config(plan, game={"n_games": 8, "rules": "standard"}))
    assert share_alike(trials, hands_of(trials)) < 0.5


@pytest.mark.parametrize("least_chance", [0.02, 0.15, 0.3])
def test_candidates_are_the_actions_that_have_a_chance(least_chance: float) -> None:
    config = playout_config({"least_chance": least_chance})
    trials, network = play(config), network_of(config)
    liked = np.where(trials.masks, network.logits(trials.observations), -np.inf)
    chances = np.exp(liked - liked.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    n_full = 0
    for row, candidates in zip(chances, trials.candidates, strict=True):
        wanted = np.argsort(-row, kind="stable")[: (row >= least_chance).sum()]
        assert candidates.tolist() == [*wanted, *[NO_CANDIDATE] * 8][:8]
        n_full += len(wanted) > 8
    assert (n_full > 0) == (least_chance == 0.02)
    assert (trials.candidates[:, 1] != NO_CANDIDATE).all()
    assert (trials.values[trials.candidates == NO_CANDIDATE] == 0).all()


def test_chunk_depends_on_its_number_the_seed_and_the_policy_alone() -> None:
    config = playout_config(threads=1)
    stage, weights = stage_of(config), network_of(config).weights
    first = [array.copy() for array in stage.play(1, weights)]
    second = [array.copy() for array in stage.play(2, weights)]
    again = stage_of(playout_config(threads=2)).play(1, weights)
    for one, other in zip(first, again, strict=True):
        assert one.tobytes() == other.tobytes()
    assert first[0].tobytes() != second[0].tobytes()
    assert first[0].tobytes() != play(playout_config(seed=9), 1)[0].tobytes()


def test_value_in_place_of_the_rest_of_a_hand_says_much_the_same() -> None:
    short, whole = (play_hard(horizon=horizon) for horizon in (2, 1000))
    assert short.observations.tobytes() == whole.observations.tobytes()
    is_one = short.candidates != NO_CANDIDATE
    valued, played = short.values[is_one], whole.values[is_one]
    assert np.corrcoef(valued, played)[0, 1] > 0.35
    assert valued.std() < 0.9 * played.std()


def test_many_worlds_say_what_an_action_brings_on_average() -> None:
    """Much the same as the game as it is, at first, and far from as much left to luck."""
    true, few, many = (play_hard(worlds=worlds) for worlds in (0, 2, 60))
    gains = [
        (trials.values - trials.values[:, :1])[:, 1:][trials.candidates[:, 1:] != NO_CANDIDATE]
        for trials in (true, few, many)
    ]
    assert gains[0].std() > 1.2 * gains[1].std() > 1.5 * gains[2].std() > 3.0
    assert abs(gains[0].mean() - gains[2].mean()) < 0.9 < abs(gains[2].mean())
    assert few.observations.tobytes() != true.observations.tobytes()


def test_hidden_cards_change_nothing_in_worlds() -> None:
    plan: dict[str, Any] = {"opponents": {"hard": 1}}
    in_worlds, as_it_is = (playout_config({**plan, "worlds": worlds}) for worlds in (6, 0))
    n_changed = n_trials = 0
    rng = Random(1)
    for seed in range(12):
        for table in states(Rules(), Random(seed)):
            seat = int(table.s["to_move"])
            legal = sorted(table.legal(seat))[:MAX_CANDIDATES]
            if len(legal) > 1 and rng.random() < 0.3:
                other = exchange(table, seat, rng)
                assert try_out(in_worlds, table, legal) == try_out(in_worlds, other, legal)
                n_changed += try_out(as_it_is, table, legal) != try_out(as_it_is, other, legal)
                n_trials += 1
    assert n_changed > 0.8 * n_trials > 40


def try_out(config: Config, table: Table, actions: list[int]) -> list[float]:
    """What some actions bring to the seat to move."""
    stage, seat = stage_of(config), int(table.s["to_move"])
    seeds = np.arange(3, dtype=np.uint64)
    scratch, players = stage._sit_down(seeds, network_of(config).weights)
    scratch.games[0] = table.s
    look(scratch.setup[0]["rules"], scratch.games[0], seat, scratch.views[0])
    trials = take(stage._room, slice(1))
    trials.candidates[0, : len(actions)] = actions
    try_all(scratch, players, stage._settings, (0, seat, 1.0, len(actions)), (0, trials))
    values: list[float] = trials.values[0].tolist()
    return values


def test_only_playouts_against_hard_are_made_in_worlds() -> None:
    plan = {"opponents": {"medium": 1, "simple": 1}}
    one, other = (play(playout_config({**plan, "worlds": worlds})) for worlds in (0, 8))
    for array, same in zip(one, other, strict=True):
        assert array.tobytes() == same.tobytes()


def test_values_of_a_match_are_in_points_of_an_even_score() -> None:
    config = playout_config(game={"n_games": 8, "rules": "eaai", "episode": "match"})
    trials = play(config)
    totals = trials.observations[:, AT["totals"]]
    is_even = (totals == 0).all(axis=1)
    differences = np.abs(trials.values[:, 1] - trials.values[:, 0])
    assert 3 < differences[is_even].mean() < 40
    # Where a seat is sure to win or lose it, nothing that it does counts for much.
    is_far = np.abs(totals[:, 0] - totals[:, 1]) > 0.7
    assert is_far.sum() > 20
    assert differences[is_far].mean() < differences[is_even].mean()


def test_learning_raises_what_the_policy_gains() -> None:
    config = playout_config({"decisions": 40 * 2048, "learning_rate": 3e-3, "batch_size": 512})
    model, stage, trials = make_model(config), stage_of(config), play(config)
    noted = [stage.learn_from(model, trials, chunk) for chunk in range(12)]
    assert noted[-1]["gain"] > noted[0]["gain"] + 1.0
    assert noted[-1]["entropy"] < noted[0]["entropy"]


def test_candidates_without_any_chance_leave_the_network_finite() -> None:
    config = playout_config()
    model, trials = make_model(config), take(play(config), slice(64))
    third = trials.candidates[:, 2].copy()
    row = int(np.flatnonzero(third != NO_CANDIDATE)[0])
    alone = take(trials, [row] * 8)
    alone.candidates[:, 2:] = NO_CANDIDATE
    actor = Actor(model.policy, is_frozen=False)  # type: ignore[arg-type]
    with torch.no_grad():
        actor.head.logits.bias[third[row]] += 300.0  # type: ignore[index, operator, union-attr]
    stage_of(config).learn_from(model, alone, 0)
    assert all(weights.isfinite().all() for weights in model.policy.parameters())


def test_only_the_policy_learns() -> None:
    config = playout_config(
        {"batch_size": 512}, network={"widths": [16], "value_widths": [12], "privileged": True}
    )
    model = make_model(config)
    before = {name: tensor.clone() for name, tensor in model.policy.state_dict().items()}
    stage_of(config).learn(model, 0)
    after = model.policy.state_dict()
    changed = {name for name, old in before.items() if not old.equal(after[name])}
    assert not [name for name in changed if "value" in name]
    assert {"action_net.logits.weight", "mlp_extractor.layers.0.weight"} <= changed
