"""The league: who is kept, who is met how often, and that the past stays as it was."""

import pickle

import numpy as np
import pytest
import torch

from gin_env.core.observe import EXTRAS, obs_size
from tests.training.tiny import frozen, hash_tensors, tiny_config
from training.config.run_config import LeagueConfig
from training.env.league import PRESENT, League
from training.errors import RunError
from training.policy import Actor, GinPolicy
from training.train import make_model


def make_league(n_past: int = 3, **changed: float) -> League:
    """A league of different past selves, of 0, 10, 20 ... decisions."""
    league = League(LeagueConfig(**{"size": 3, **changed}), 5)  # type: ignore[arg-type]
    for place in range(n_past):
        league.add(frozen(place), 10 * place)
    return league


def test_frozen_copy_shares_nothing_with_the_policy_that_goes_on_learning() -> None:
    model = make_model(tiny_config())
    policy: GinPolicy = model.policy  # type: ignore[assignment]
    copy, present = Actor(policy, is_frozen=True), Actor(policy, is_frozen=False)
    before = hash_tensors(copy)
    assert before == hash_tensors(present)
    own = {tensor.data_ptr() for tensor in copy.state_dict().values()}
    assert own.isdisjoint(tensor.data_ptr() for tensor in policy.state_dict().values())
    assert not any(parameter.requires_grad for parameter in copy.parameters())
    model.learn(128)
    assert hash_tensors(copy) == before != hash_tensors(present)
    assert all(parameter.requires_grad for parameter in policy.parameters())


def test_each_network_decides_its_own_games() -> None:
    league = make_league(greedy=True)
    league.bind(frozen(9))
    rng = np.random.default_rng(1)
    observations = rng.random((40, obs_size(EXTRAS)), dtype=np.float32)
    masks = (rng.random((40, 108)) < 0.2).astype(np.int8)
    masks[:, 3] = 1
    whom = rng.integers(PRESENT, 3, 40)
    actions = league.act(whom, observations, masks)
    alone = [frozen(9), *(past.actor for past in league.past)]
    for row in range(40):
        logits = alone[whom[row] + 1](torch.as_tensor(observations[row : row + 1]))[0]
        assert actions[row] == np.where(masks[row], logits.numpy(), -np.inf).argmax()
    assert len(set(whom)) == 4


def test_networks_try_moves_unless_they_are_greedy() -> None:
    observations = np.zeros((400, obs_size(EXTRAS)), np.float32)
    masks = np.ones((400, 108), np.int8)
    whom = np.zeros(400, np.int64)
    assert len(set(make_league().act(whom, observations, masks))) > 50
    assert len(set(make_league(greedy=True).act(whom, observations, masks))) == 1


def test_those_hard_to_beat_are_met_more_often_and_nobody_never() -> None:
    league = make_league(floor=0.3)
    assert np.allclose(league.chances(), 1 / 3)
    rng = np.random.default_rng(1)
    for place, mean in enumerate((3.0, 0.0, -3.0)):
        league.note(np.full(2000, place), rng.normal(mean, 30.0, 2000))
    chances = league.chances()
    assert chances[0] < chances[1] < chances[2]
    assert chances.min() > 0.1
    assert np.isclose(chances.sum(), 1.0)
    drawn = np.bincount(league.draw(20_000), minlength=3) / 20_000
    assert np.abs(drawn - chances).max() < 0.015


def test_few_episodes_say_little() -> None:
    league = make_league()
    league.note(np.array([1]), np.array([-100]))
    assert np.allclose(league.means(), [0, -100 / 201, 0])


def test_the_easiest_to_beat_makes_room() -> None:
    league = make_league()
    league.note(np.full(500, 1), np.full(500, 20.0))
    assert league.add(frozen(7), 99) == 1
    assert [past.n_decisions for past in league.past] == [0, 20, 99]
    assert league.records.shape == (3, 3)
    assert not league.records.any()


def test_records_fade() -> None:
    league = make_league(2)
    league.note(np.array([0, 0]), np.array([4, 6]))
    assert league.add(frozen(7), 99) is None
    assert league.records[0].tolist() == [1, 5, 26]


def test_pickled_league_goes_on_as_it_was_without_the_present_self() -> None:
    league = make_league()
    league.bind(frozen(3))
    copy: League = pickle.loads(pickle.dumps(league))
    assert copy.present is None
    assert [hash_tensors(past.actor) for past in copy.past] == [
        hash_tensors(past.actor) for past in league.past
    ]
    assert (copy.draw(50) == league.draw(50)).all()


def test_who_is_not_there_is_named() -> None:
    with pytest.raises(RunError, match="no past self to meet"):
        make_league(0).draw(1)
    nothing = np.zeros((1, obs_size(EXTRAS)), np.float32)
    with pytest.raises(RunError, match="no present self to meet"):
        make_league().act(np.array([PRESENT]), nothing, np.ones((1, 108), np.int8))
