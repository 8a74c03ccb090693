"""The network: what skips the trunk reaches the right logits, and all of it survives a save."""

import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO

from gin_env.core.actions import DISCARD, DRAW, KNOCK, N_ACTIONS, PASS, TAKE
from gin_env.core.cards import N_CARDS
from gin_env.core.observe import EXTRAS, obs_layout, obs_size
from gin_env.players import MODEL_FILE, load_agent
from tests.training.tiny import tiny_config
from training.policy import CARD_BLOCKS, GinPolicy, SkipHead
from training.train import make_model


def make_head(extras: tuple[str, ...] = EXTRAS, **multiples: float) -> SkipHead:
    """A head whose trunk says nothing but the multiples; those not given are 0."""
    head = SkipHead(4, extras)
    names = [name for name in CARD_BLOCKS if name in extras or name == "deadwood_after"]
    order = [*names, "waste", "knock", "gain"]
    with torch.no_grad():
        for parameter in head.parameters():
            parameter.zero_()
        for name, value in multiples.items():
            head.multiples.bias[order.index(name)] = value
    return head


def logits_of(head: SkipHead, observation: np.ndarray) -> np.ndarray:
    """The logits for one observation. Shape [108]."""
    observations = torch.as_tensor(observation)[None]
    with torch.no_grad():
        return np.asarray(head((torch.zeros(1, 4), observations))[0])


def some_observation(extras: tuple[str, ...] = EXTRAS) -> tuple[np.ndarray, dict[str, slice]]:
    """Random numbers, and where which block lies."""
    rng = np.random.default_rng(1)
    observation = rng.random(obs_size(extras), dtype=np.float32)
    return observation, {block.name: block.slice for block in obs_layout(extras)}


@pytest.mark.parametrize("name", CARD_BLOCKS)
def test_block_lowers_the_discards_that_it_speaks_against(name: str) -> None:
    observation, at = some_observation()
    logits = logits_of(make_head(EXTRAS, **{name: 2.0}), observation)
    block = observation[at[name]]
    assert np.allclose(logits[DISCARD : DISCARD + N_CARDS], -20 * (block - block.min()), atol=1e-5)
    assert not logits[KNOCK:].any()


def test_knocks_pay_for_deadwood_above_the_least() -> None:
    observation, at = some_observation()
    logits = logits_of(make_head(waste=3.0, knock=1.5), observation)
    after = observation[at["deadwood_after"]]
    wanted = 1.5 - 30 * (after - after.min())
    assert np.allclose(logits[KNOCK : KNOCK + N_CARDS], wanted, atol=1e-5)
    assert not logits[:KNOCK].any()
    assert not logits[KNOCK + N_CARDS :].any()


def test_taking_counts_what_it_gains() -> None:
    observation, at = some_observation()
    logits = logits_of(make_head(gain=0.5), observation)
    gain = observation[at["deadwood"]][0] - observation[at["deadwood_after"]].min()
    assert np.isclose(logits[TAKE], 5 * gain, atol=1e-5)
    assert not logits[[DRAW, PASS]].any()
    assert np.count_nonzero(logits) == 1


@pytest.mark.parametrize("extras", [(), ("danger",), ("continuation",)])
def test_blocks_that_are_not_there_have_no_multiple(extras: tuple[str, ...]) -> None:
    head = make_head(extras, deadwood_after=1.0)
    assert head.multiples.out_features == 1 + len(extras) + 3
    assert logits_of(head, some_observation(extras)[0]).shape == (N_ACTIONS,)


def test_new_policy_tries_every_legal_move() -> None:
    model = make_model(tiny_config())
    env = model.get_env()
    assert env is not None
    observations = torch.as_tensor(np.asarray(env.reset()))
    masks = np.asarray(env.env_method("action_masks"))
    distribution = model.policy.get_distribution(observations, masks)
    everything = torch.arange(N_ACTIONS)[:, None]
    chances = distribution.log_prob(everything).exp().detach().numpy().T
    uniform = masks / masks.sum(axis=1, keepdims=True)
    assert np.abs(chances - uniform).max() < 0.1


@pytest.mark.parametrize("skip", [True, False])
def test_saved_model_plays_the_same(tmp_path: Path, skip: bool) -> None:
    model = make_model(tiny_config(network={"widths": [12, 8], "skip": skip}))
    model.save(tmp_path / "model.zip")
    loaded = MaskablePPO.load(tmp_path / "model.zip", device="cpu")
    assert isinstance(loaded.policy, GinPolicy)
    observations = np.random.default_rng(2).random((5, obs_size(EXTRAS)), dtype=np.float32)
    for each in (loaded.policy, pickle.loads(pickle.dumps(model.policy))):
        values = each.predict_values(torch.as_tensor(observations))
        assert (values == model.policy.predict_values(torch.as_tensor(observations))).all()
        assert (each.predict(observations)[0].shape) == (5,)


def test_loaded_agent_does_not_learn_with_the_model_that_it_came_from(tmp_path: Path) -> None:
    model = make_model(tiny_config())
    model.save(tmp_path / MODEL_FILE)
    agent = load_agent(tmp_path / MODEL_FILE).model.policy.state_dict()
    live = model.policy.state_dict()
    before = {name: tensor.clone() for name, tensor in agent.items()}
    assert all(torch.equal(live[name], tensor) for name, tensor in before.items())
    shared = {tensor.data_ptr() for tensor in agent.values()}
    assert shared.isdisjoint(tensor.data_ptr() for tensor in live.values())
    model.learn(128)
    assert any(not torch.equal(live[name], tensor) for name, tensor in before.items())
    assert all(torch.equal(agent[name], tensor) for name, tensor in before.items())


def test_policy_saved_alone_loads_alone(tmp_path: Path) -> None:
    policy = make_model(tiny_config(network={"widths": [12]})).policy
    policy.save(str(tmp_path / "policy.pth"))
    loaded = GinPolicy.load(str(tmp_path / "policy.pth"), device="cpu")
    assert (loaded.extras, loaded.skip) == (EXTRAS, True)
    observations = np.random.default_rng(2).random((5, obs_size(EXTRAS)), dtype=np.float32)
    first, second = (each.predict(observations, deterministic=True)[0] for each in (policy, loaded))
    assert (first == second).all()
