"""The network plays what training has trained, row by row, fast enough for anybody."""

from typing import Any

import numpy as np
import pytest

from gin_env.agents import Network
from gin_env.core.actions import N_ACTIONS
from gin_env.core.observe import EXTRAS, obs_layout, obs_size
from gin_env.errors import PlayerError
from tests.agents.made import SPEC, SPECS, logits_of, played, random_arrays, slow_logits


def test_blocks_lie_where_the_slow_network_looks_for_them() -> None:
    starts = {block.name: block.slice.start for block in obs_layout(EXTRAS)}
    assert starts["deadwood_after"] == 624
    assert starts["deadwood"] == 676
    assert [starts[name] for name in EXTRAS] == [688, 740, 792, 844]


@pytest.mark.parametrize("kind", SPECS)
def test_logits_are_those_that_the_docs_describe(kind: str) -> None:
    spec, arrays = SPECS[kind], random_arrays(SPECS[kind])
    observations, _ = played(spec, 3)
    rng = np.random.default_rng(2)
    observations[::2] = rng.random(observations[::2].shape, dtype=np.float32)
    logits = Network(spec, arrays).logits(observations)
    assert logits.shape == (len(observations), N_ACTIONS)
    assert logits.dtype == np.float32
    for place in range(0, len(observations), 9):
        wanted = slow_logits(spec, arrays, observations[place])
        assert np.allclose(logits[place], wanted, rtol=1e-5, atol=1e-5)


def test_rows_do_not_depend_on_each_other_to_the_bit() -> None:
    network, (observations, masks) = Network(SPEC, random_arrays()), played(SPEC)
    together = network.logits(observations)
    for place in (0, 7, len(observations) - 1):
        alone = network.logits(observations[place])
        assert alone.shape == (N_ACTIONS,)
        assert alone.tobytes() == together[place].tobytes()
        assert network.choose(observations[place], masks[place]).shape == ()
    assert logits_of(network, observations[5:9]) == together[5:9].tobytes()


def test_choice_is_the_greatest_legal_logit() -> None:
    network, (observations, masks) = Network(SPEC, random_arrays()), played(SPEC)
    actions, logits = network.choose(observations, masks), network.logits(observations)
    assert actions.dtype == np.int64
    assert actions.shape == (len(masks),)
    for action, row, mask in zip(actions, logits, masks, strict=True):
        legal = np.flatnonzero(mask)
        assert action == legal[row[legal].argmax()]
    assert len(set(actions.tolist())) > 20


@pytest.mark.parametrize("size", [3e38, -3e38, np.nan])
def test_choice_is_legal_whatever_the_weights(size: float) -> None:
    arrays = random_arrays()
    for name in ("hidden0.bias", "logits.weight"):
        arrays[name][:] = size if name.startswith("logits") else 3e38
    observations, masks = played(SPEC)
    network = Network(SPEC, arrays)
    assert not np.isfinite(network.logits(observations)).any()
    assert masks[np.arange(len(masks)), network.choose(observations, masks)].all()


def test_of_equals_the_first_is_chosen() -> None:
    arrays = {name: np.zeros_like(array) for name, array in random_arrays().items()}
    observations, masks = played(SPEC, 2)
    actions = Network(SPEC, arrays).choose(observations, masks)
    assert actions.tolist() == masks.argmax(axis=1).tolist()


def test_arrays_and_observations_are_left_as_they_are() -> None:
    arrays = random_arrays()
    network, (observations, _) = Network(SPEC, arrays), played(SPEC, 2)
    before = observations.copy()
    first = logits_of(network, observations)
    assert (observations == before).all()
    for array in arrays.values():
        array[:] = 0
    assert logits_of(network, observations) == first


def test_observations_may_be_read_only_and_of_any_kind() -> None:
    network, (observations, _) = Network(SPEC, random_arrays()), played(SPEC, 2)
    wanted = logits_of(network, observations)
    observations.setflags(write=False)
    others: list[Any] = [observations, np.asfortranarray(observations), observations.tolist()]
    for other in others:
        assert logits_of(network, other) == wanted


@pytest.mark.parametrize("shape", [(0,), (688,), (3, 688), (2, 3, 896), ()])
def test_observations_of_another_size_are_named(shape: tuple[int, ...]) -> None:
    network = Network(SPEC, random_arrays())
    said = rf"have shape .*; expected \({obs_size(EXTRAS)},\) each, with the blocks \['contin"
    with pytest.raises(PlayerError, match=said):
        network.logits(np.zeros(shape, np.float32))


def test_no_observations_have_no_logits() -> None:
    network = Network(SPEC, random_arrays())
    assert network.logits(np.zeros((0, obs_size(EXTRAS)), np.float32)).shape == (0, N_ACTIONS)
