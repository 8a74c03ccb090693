"""The policy of `training.policy` without torch: a trunk, and blocks that skip it to the logits."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from gin_env.agents.kernels import feed
from gin_env.core.actions import DISCARD, KNOCK, N_ACTIONS, TAKE
from gin_env.core.cards import N_CARDS
from gin_env.core.errors import PlayerError
from gin_env.core.observe import obs_layout, obs_size

ACTIVATIONS = ("relu", "tanh")
"""What may follow each layer of the trunk."""

CARD_BLOCKS = ("deadwood_after", "continuation", "danger")
"""The blocks of the observation that skip the trunk, where it has them."""

BLOCK_SCALE = 10.0
"""What these blocks are multiplied by on their way, as in training."""


class NetworkSpec(NamedTuple):
    """What must be known beside the arrays to play from them."""

    extras: tuple[str, ...]
    """The optional blocks of the observation, in their order."""
    widths: tuple[int, ...]
    """Units of the layers of the trunk."""
    activation: str
    """One of `ACTIVATIONS`."""
    skip: bool
    """Whether blocks skip the trunk."""

    @property
    def blocks(self) -> tuple[str, ...]:
        """The blocks that do."""
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


class _Layer(NamedTuple):
    """A linear layer, laid out for `feed`."""

    weights: np.ndarray
    bias: np.ndarray

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        """Shape [B, I] to shape [B, O]."""
        outputs = np.empty((len(inputs), len(self.bias)), np.float32)
        feed(inputs, self.weights, self.bias, outputs)
        return outputs


class Network:
    """A policy: logits for observations, and the likeliest legal action.

    Each row is decided by itself: what comes of it does not depend on the others, to the bit.

    Args:
        spec: What it is made of.
        arrays: The arrays of ``spec.shapes``; they are copied.
    """

    def __init__(self, spec: NetworkSpec, arrays: Mapping[str, np.ndarray]) -> None:
        self.spec = spec
        self._trunk = [_make_layer(f"hidden{place}", arrays) for place in range(len(spec.widths))]
        self._logits = _make_layer("logits", arrays)
        self._multiples = _make_layer("multiples", arrays) if spec.skip else None
        self._at = {block.name: block.slice for block in obs_layout(spec.extras)}

    def logits(self, observations: np.ndarray) -> np.ndarray:
        """How much it likes each action.

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
        hidden = rows
        for layer in self._trunk:
            hidden = layer(hidden)
            if self.spec.activation == "relu":
                np.maximum(hidden, 0.0, out=hidden)
            else:
                np.tanh(hidden, out=hidden)
        logits = self._logits(hidden)
        if self._multiples is not None:
            self._skip(rows, self._multiples(hidden), logits)
        return logits if np.ndim(observations) == 2 else logits[0]

    def choose(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """The likeliest legal actions; of equals the first.

        Args:
            observations: Shape [N] or [B, N].
            masks: Shape [108] or [B, 108], 1 for what is legal.

        Returns:
            Shape [] or [B], int64.
        """
        liked = np.where(masks, self.logits(observations), -np.inf)
        return np.asarray(liked.argmax(axis=-1), np.int64)

    def _skip(self, rows: np.ndarray, multiples: np.ndarray, logits: np.ndarray) -> None:
        """Add the multiples of the blocks to the logits: discards, knocks, taking."""
        *of_block, of_waste, of_knock, of_gain = multiples.T[:, :, None]
        blocks = [rows[:, self._at[name]] for name in self.spec.blocks]
        least = [block.min(axis=1, keepdims=True) for block in blocks]
        costs = [(block - low) * BLOCK_SCALE for block, low in zip(blocks, least, strict=True)]
        discards = logits[:, DISCARD : DISCARD + N_CARDS]
        for multiple, cost in zip(of_block, costs, strict=True):
            discards -= multiple * cost
        logits[:, KNOCK : KNOCK + N_CARDS] += of_knock - of_waste * costs[0]
        gain = rows[:, self._at["deadwood"]] - least[0]
        logits[:, TAKE : TAKE + 1] += of_gain * gain * BLOCK_SCALE


def _make_layer(name: str, arrays: Mapping[str, np.ndarray]) -> _Layer:
    weights, bias = arrays[f"{name}.weight"].T, arrays[f"{name}.bias"]
    return _Layer(np.array(weights, np.float32, order="C"), np.array(bias, np.float32))
