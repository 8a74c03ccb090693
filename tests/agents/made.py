"""Agents with random weights, for tests."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from gin_env.agents import Network, NetworkSpec, dump_agent
from gin_env.agents.metadata import make_metadata
from gin_env.core.observe import EXTRAS
from gin_env.core.rules import Rules

SPEC = NetworkSpec(EXTRAS, (24, 12), "relu", True)

SPECS = {
    "skip": SPEC,
    "danger": NetworkSpec(("danger",), (16,), "tanh", True),
    "bare": NetworkSpec((), (16, 8, 8), "tanh", True),
    "plain": NetworkSpec(("continuation",), (16,), "relu", False),
}


class Trap:
    """What runs when it is unpickled."""

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
        return (pytest.fail, ("it was unpickled",))


def random_arrays(spec: NetworkSpec = SPEC, seed: int = 1) -> dict[str, np.ndarray]:
    """Weights of about the size that training makes."""
    rng = np.random.default_rng(seed)
    return {
        name: (rng.normal(size=shape) / np.sqrt(shape[-1])).astype(np.float32)
        for name, shape in spec.shapes.items()
    }


def a_card(spec: NetworkSpec = SPEC, /, **changed: Any) -> dict[str, Any]:
    """A card, with some parts changed."""
    return {**make_metadata("random", spec, Rules(), {"decisions": 0}, {"measured": []}), **changed}


def save_agent(file: Path, spec: NetworkSpec = SPEC, seed: int = 1) -> Path:
    """Write an agent's file."""
    file.write_bytes(dump_agent(a_card(spec), random_arrays(spec, seed)))
    return file


def played(spec: NetworkSpec, n_steps: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """Observations and masks out of games that are played at random. Shapes [B, N] and [B, 108]."""
    envs = gym.make_vec("gin_env/GinRummy-v0", num_envs=32, opponent="simple", extras=spec.extras)
    rng, decisions = np.random.default_rng(1), []
    observation, info = envs.reset(seed=1)
    for _ in range(n_steps):
        decisions.append((observation, info["action_mask"]))
        chances = info["action_mask"] * rng.random(info["action_mask"].shape)
        observation, _, _, _, info = envs.step(chances.argmax(axis=1))
    envs.close()
    observations, masks = (np.concatenate(each) for each in zip(*decisions, strict=True))
    is_over = ~masks.any(axis=1)
    return observations[~is_over], masks[~is_over]


def slow_logits(
    spec: NetworkSpec, arrays: dict[str, np.ndarray], observation: np.ndarray
) -> list[float]:
    """The logits for one observation as docs/agents.md has them: in doubles, without matrices."""
    return _Slow(spec, arrays).logits([float(number) for number in observation])


class _Slow:
    def __init__(self, spec: NetworkSpec, arrays: dict[str, np.ndarray]) -> None:
        self._spec = spec
        self._arrays = {name: array.astype(float).tolist() for name, array in arrays.items()}

    def _layer(self, name: str, numbers: list[float]) -> list[float]:
        weight, bias = self._arrays[f"{name}.weight"], self._arrays[f"{name}.bias"]
        return [
            sum(w * x for w, x in zip(row, numbers, strict=True)) + b
            for row, b in zip(weight, bias, strict=True)
        ]

    def logits(self, seen: list[float]) -> list[float]:
        hidden = seen
        for place in range(len(self._spec.widths)):
            hidden = self._layer(f"hidden{place}", hidden)
            is_relu = self._spec.activation == "relu"
            hidden = [max(x, 0.0) if is_relu else float(np.tanh(x)) for x in hidden]
        logits = self._layer("logits", hidden)
        if not self._spec.skip:
            return logits
        of_extras = {name: 688 + 52 * i for i, name in enumerate(self._spec.extras)}
        starts = {"deadwood_after": 624, **of_extras}
        blocks = [seen[start : start + 52] for start in starts.values()]
        *multiples, waste, knock, gain = self._layer("multiples", hidden)
        for card in range(52):
            for multiple, block in zip(multiples, blocks, strict=True):
                logits[card] -= multiple * 10 * (block[card] - min(block))
            logits[52 + card] += knock - waste * 10 * (blocks[0][card] - min(blocks[0]))
        logits[105] += gain * 10 * (seen[676] - min(blocks[0]))
        return logits


def logits_of(network: Network, observations: np.ndarray) -> bytes:
    """The logits, to the bit."""
    return network.logits(observations).tobytes()
