"""The policy of `training.policy` without torch: layers, and blocks that skip them."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from gin_env.agents.forward import (
    CARD_BLOCKS,
    N_MULTIPLES,
    Weights,
    make_thoughts,
    think_rows,
)
from gin_env.core.actions import N_ACTIONS
from gin_env.core.observe import obs_layout, obs_size
from gin_env.errors import PlayerError

ACTIVATIONS = ("relu", "tanh")
"""What may follow each layer of the trunk."""

LEAST = np.finfo(np.float32).min
"""No finite number is less."""


class NetworkSpec(NamedTuple):
    """The shape of a network; with its arrays it can be played."""

    extras: tuple[str, ...]
    """The optional blocks of the observation, in their order."""
    widths: tuple[int, ...]
    """Units of the layers of the trunk."""
    activation: str
    """One of `ACTIVATIONS`."""
    skip: bool
    """Whether blocks of the observation go to the logits directly too, past the trunk."""

    @property
    def blocks(self) -> tuple[str, ...]:
        """The blocks that skip the trunk."""
        present = {block.name for block in obs_layout(self.extras)}
        return tuple(name for name in CARD_BLOCKS if self.skip and name in present)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The arrays that a network has, all float32, by name."""
        n_inputs = [obs_size(self.extras), *self.widths]
        layers = {
            f"hidden{place}": (n_out, n_inputs[place]) for place, n_out in enumerate(self.widths)
        }
        layers["logits"] = (N_ACTIONS, n_inputs[-1])
        if self.skip:
            layers["multiples"] = (len(self.blocks) + 3, n_inputs[-1])
        shapes: dict[str, tuple[int, ...]] = {}
        for name, (n_out, n_in) in layers.items():
            shapes |= {f"{name}.weight": (n_out, n_in), f"{name}.bias": (n_out,)}
        return shapes


class Network:
    """A policy: logits for observations, and the likeliest legal action.

    The logits of a row do not depend on the other rows, to the bit.

    Args:
        spec: What it is made of.
        arrays: The arrays of ``spec.shapes``; they are copied.

    Attributes:
        weights: What kernels play from (`gin_env.agents.forward.think`).
    """

    def __init__(self, spec: NetworkSpec, arrays: Mapping[str, np.ndarray]) -> None:
        self.spec = spec
        self.weights = make_weights(spec, arrays)

    def logits(self, observations: np.ndarray) -> np.ndarray:
        """Work out how much the network prefers each action.

        Args:
            observations: Shape [N] or [B, N], with the optional blocks ``spec.extras``.

        Returns:
            Shape [108] or [B, 108], float32.

        Raises:
            PlayerError: If the observations have another size.
        """
        # A copy: arrays that may not be written to would be compiled for separately.
        rows = np.array(observations, np.float32, order="C", ndmin=2)
        if rows.ndim != 2 or rows.shape[1] != obs_size(self.spec.extras):
            raise PlayerError(
                f"the observations have shape {np.shape(observations)}; expected "
                f"({obs_size(self.spec.extras)},) each, with the blocks {list(self.spec.extras)}"
            )
        logits = np.empty((len(rows), N_ACTIONS), np.float32)
        think_rows(self.weights, make_thoughts(self.weights), rows, logits)
        return logits if np.ndim(observations) == 2 else logits[0]

    def choose(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Choose the likeliest legal actions; of equals the first.

        Args:
            observations: Shape [N] or [B, N].
            masks: Shape [108] or [B, 108], 1 for what is legal.

        Returns:
            Shape [] or [B], int64.
        """
        # Whatever the weights are: a legal action is preferred to any other.
        legal = np.where(masks, np.fmax(self.logits(observations), LEAST), -np.inf)
        return np.asarray(legal.argmax(axis=-1), np.int64)


def make_weights(spec: NetworkSpec, arrays: Mapping[str, np.ndarray]) -> Weights:
    """Copy the arrays of ``spec.shapes`` and lay them out for the kernels."""
    trunk = [f"hidden{place}" for place in range(len(spec.widths))]
    head = np.zeros((N_ACTIONS + N_MULTIPLES, spec.widths[-1]), np.float32)
    head_bias = np.zeros(len(head), np.float32)
    head[:N_ACTIONS], head_bias[:N_ACTIONS] = arrays["logits.weight"], arrays["logits.bias"]
    at = {block.name: block.slice.start for block in obs_layout(spec.extras)}
    if spec.skip:
        of_blocks = [CARD_BLOCKS.index(name) for name in spec.blocks]
        places = [N_ACTIONS + one for one in (*of_blocks, *range(len(CARD_BLOCKS), N_MULTIPLES))]
        head[places], head_bias[places] = arrays["multiples.weight"], arrays["multiples.bias"]
    return Weights(
        trunk=tuple(_transposed(arrays[f"{name}.weight"]) for name in trunk),
        trunk_biases=tuple(np.array(arrays[f"{name}.bias"], np.float32) for name in trunk),
        head=_transposed(head),
        head_bias=head_bias,
        blocks=np.array([at.get(name, -1) for name in CARD_BLOCKS], np.int64),
        is_relu=spec.activation == "relu",
    )


def _transposed(weights: np.ndarray) -> np.ndarray:
    return np.array(weights.T, np.float32, order="C")
