"""The network: what skips the trunk reaches the right logits, and all of it survives a save."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO

from gin_env.agents.forward import CARD_BLOCKS
from gin_env.core.actions import DISCARD, DRAW, KNOCK, N_ACTIONS, PASS, TAKE
from gin_env.core.cards import N_CARDS
from gin_env.core.observe import EXTRAS, obs_layout, obs_size
from gin_env.players import MODEL_FILE
from tests.agents.made import slow_logits
from tests.training.tiny import load_model, make_policy, tiny_config
from training.env.hidden_cards import HIDDEN_SIZE
from training.export.weights import actor_arrays, actor_facts, actor_network
from training.policy import Actor, GinPolicy, SkipHead, make_playable
from training.run.checkpoint import dump_model
from training.train import make_model

PRIVILEGED = {"widths": [12, 8], "value_widths": [10], "privileged": True}
OWN_VALUE = {"widths": [12], "value_widths": [5]}


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
    with torch.no_grad():
        return np.asarray(head((torch.zeros(1, 4), torch.as_tensor(observation)[None]))[0])


def some_observations(n: int, extras: tuple[str, ...] = EXTRAS) -> np.ndarray:
    """Random numbers. Shape [n, N]."""
    return np.random.default_rng(1).random((n, obs_size(extras)), dtype=np.float32)


AT = {block.name: block.slice for block in obs_layout(EXTRAS)}


def above(block: str) -> np.ndarray:
    """How much each card of a block lies above the least. Shape [52]."""
    costs = some_observations(1)[0, AT[block]]
    above_least: np.ndarray = costs - costs.min()
    return above_least


@pytest.mark.parametrize("name", CARD_BLOCKS)
def test_block_lowers_the_discards_that_it_speaks_against(name: str) -> None:
    logits = logits_of(make_head(EXTRAS, **{name: 2.0}), some_observations(1)[0])
    assert np.allclose(logits[DISCARD : DISCARD + N_CARDS], -20 * above(name), atol=1e-5)
    assert not logits[KNOCK:].any()


def test_knocks_pay_for_deadwood_above_the_least() -> None:
    logits = logits_of(make_head(waste=3.0, knock=1.5), some_observations(1)[0])
    expected = 1.5 - 30 * above("deadwood_after")
    assert np.allclose(logits[KNOCK : KNOCK + N_CARDS], expected, atol=1e-5)
    assert not logits[:KNOCK].any()
    assert not logits[KNOCK + N_CARDS :].any()


def test_taking_counts_what_it_gains() -> None:
    (observation,) = some_observations(1)
    logits = logits_of(make_head(gain=0.5), observation)
    gain = observation[AT["deadwood"]][0] - observation[AT["deadwood_after"]].min()
    assert np.isclose(logits[TAKE], 5 * gain, atol=1e-5)
    assert not logits[[DRAW, PASS]].any()
    assert np.count_nonzero(logits) == 1


@pytest.mark.parametrize("extras", [(), ("danger",), ("continuation",)])
def test_blocks_that_are_not_there_have_no_multiple(extras: tuple[str, ...]) -> None:
    head = make_head(extras, deadwood_after=1.0)
    assert head.multiples.out_features == 1 + len(extras) + 3
    assert logits_of(head, some_observations(1, extras)[0]).shape == (N_ACTIONS,)


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
    observations = some_observations(5)
    for each in (loaded.policy, pickle.loads(pickle.dumps(model.policy))):
        values = each.predict_values(torch.as_tensor(observations))
        assert (values == model.policy.predict_values(torch.as_tensor(observations))).all()
        assert (each.predict(observations)[0].shape) == (5,)


def test_loaded_agent_does_not_learn_with_the_model_that_it_came_from(tmp_path: Path) -> None:
    model = make_model(tiny_config())
    model.save(tmp_path / MODEL_FILE)
    agent = load_model(tmp_path / MODEL_FILE).model.policy.state_dict()
    live = model.policy.state_dict()
    before = {name: tensor.clone() for name, tensor in agent.items()}
    assert all(torch.equal(live[name], tensor) for name, tensor in before.items())
    shared = {tensor.data_ptr() for tensor in agent.values()}
    assert shared.isdisjoint(tensor.data_ptr() for tensor in live.values())
    model.learn(128)
    assert any(not torch.equal(live[name], tensor) for name, tensor in before.items())
    assert all(torch.equal(agent[name], tensor) for name, tensor in before.items())


def test_policy_saved_alone_loads_alone(tmp_path: Path) -> None:
    policy = make_policy(network={"widths": [12]})
    policy.save(str(tmp_path / "policy.pth"))
    loaded = GinPolicy.load(str(tmp_path / "policy.pth"), device="cpu")
    assert (loaded.extras, loaded.skip) == (EXTRAS, True)
    observations = some_observations(5)
    first, second = (each.predict(observations, deterministic=True)[0] for each in (policy, loaded))
    assert (first == second).all()


# --- A value of its own ---


def test_value_has_layers_of_its_own_where_it_is_to() -> None:
    shared, own = make_policy(network={"widths": [12]}), make_policy(network=OWN_VALUE)
    observations = torch.as_tensor(some_observations(1))
    for policy, is_shared in ((shared, True), (own, False)):
        before = policy.predict_values(observations).item()
        with torch.no_grad():
            next(policy.mlp_extractor.layers.parameters()).mul_(2.0)
        assert (policy.predict_values(observations).item() == before) == (not is_shared)
    assert own.value_net.in_features == 5


def test_nothing_hidden_reaches_the_policy() -> None:
    policy, rng = make_policy(network=PRIVILEGED), np.random.default_rng(2)
    seen = some_observations(20)
    one, other = (
        torch.as_tensor(np.hstack([seen, rng.random((20, HIDDEN_SIZE), dtype=np.float32)]))
        for _ in range(2)
    )
    masks = np.ones((20, N_ACTIONS), np.int8)
    everything = torch.arange(N_ACTIONS)[:, None]
    first, second = (
        policy.get_distribution(each, masks).log_prob(everything).detach() for each in (one, other)
    )
    assert first.numpy().tobytes() == second.numpy().tobytes()
    assert (policy.predict_values(one) != policy.predict_values(other)).all()
    both = [policy.evaluate_actions(each, torch.zeros(20), masks)[1] for each in (one, other)]  # type: ignore[arg-type]
    assert both[0].detach().numpy().tobytes() == both[1].detach().numpy().tobytes()


def test_playable_model_needs_nothing_hidden_and_plays_the_same(tmp_path: Path) -> None:
    model = make_model(tiny_config(network=PRIVILEGED))
    before, state = torch.get_rng_state(), {**model.policy.state_dict()}
    (tmp_path / MODEL_FILE).write_bytes(dump_model(model))
    assert torch.equal(torch.get_rng_state(), before)
    assert model.observation_space.shape == (obs_size(EXTRAS) + HIDDEN_SIZE,)
    assert all(torch.equal(state[name], one) for name, one in model.policy.state_dict().items())
    player = load_model(tmp_path / MODEL_FILE)
    assert player.extras == EXTRAS
    assert not player.model.policy.privileged
    seen = some_observations(30)
    hidden = np.ones((30, HIDDEN_SIZE), np.float32)
    masks = np.ones((30, N_ACTIONS), np.int8)
    chosen = player.model.predict(seen, action_masks=masks, deterministic=True)[0]
    expected = model.predict(np.hstack([seen, hidden]), action_masks=masks, deterministic=True)[0]
    assert (chosen == expected).all()
    assert not player.model.policy.predict_values(torch.as_tensor(seen)).any()


def test_policy_that_sees_nothing_hidden_is_playable_as_it_is() -> None:
    policy = make_policy(network=OWN_VALUE)
    assert make_playable(policy) is policy


# --- As plain arrays ---


@pytest.mark.parametrize(
    ("network", "extras"),
    [
        (PRIVILEGED, ["continuation", "danger"]),
        ({"widths": [12], "activation": "tanh"}, ["danger"]),
        ({"widths": [12, 9], "skip": False}, []),
    ],
)
def test_exported_arrays_are_all_that_the_policy_plays_by(
    network: dict[str, Any], extras: list[str]
) -> None:
    """They give the policy's logits, computed as docs/agents.md says."""
    model = make_model(tiny_config(network=network, game={"n_games": 8, "extras": extras}))
    model.learn(128)
    policy: GinPolicy = model.policy  # type: ignore[assignment]
    arrays, facts, spec = actor_arrays(policy), actor_facts(policy), actor_network(policy).spec
    assert json.loads(json.dumps(facts)) == facts
    assert (facts["extras"], facts["observation_size"]) == (extras, obs_size(extras))
    assert (facts["widths"], facts["activation"]) == ([*spec.widths], spec.activation)
    assert (facts["skip"], facts["blocks"]) == (spec.skip, [*spec.blocks])
    seen = some_observations(30, tuple(extras))
    expected = Actor(policy, is_frozen=True)(torch.as_tensor(seen)).numpy()
    assert np.allclose([slow_logits(spec, arrays, one) for one in seen], expected, atol=1e-4)
    assert not any(name.startswith("value") for name in arrays)
    for array in arrays.values():
        assert array.dtype == np.float32
        array[:] = 0  # a copy: the policy does not change
    assert (Actor(policy, is_frozen=True)(torch.as_tensor(seen)).numpy() == expected).all()
