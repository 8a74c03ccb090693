"""A network, compiled: how much it likes each action, row by row."""

import math
from typing import NamedTuple

import numpy as np

from gin_env.core.actions import DISCARD, KNOCK, N_ACTIONS, TAKE
from gin_env.core.cards import N_CARDS
from gin_env.core.jit import inlined, int64, kernel
from gin_env.core.observe import DEADWOOD_AT

CARD_BLOCKS = ("deadwood_after", "continuation", "danger", "gin_draws", "knock_draws")
"""The blocks of the observation that skip the trunk, where it has them."""

BLOCK_SCALE = np.float32(10.0)
"""What these blocks are multiplied by on their way, as in training."""

N_MULTIPLES = len(CARD_BLOCKS) + 3
"""Of each block for discards; of deadwood for knocks; knocking at all; what taking gains."""
WASTE_AT, KNOCK_AT, GAIN_AT = range(N_ACTIONS + len(CARD_BLOCKS), N_ACTIONS + N_MULTIPLES)
"""Where the last three stand in what the head puts out; the others precede them."""


class Weights(NamedTuple):
    """A network's numbers; arrays are float32 and contiguous."""

    trunk: tuple[np.ndarray, ...]
    """Of each layer, shape [I, O]."""
    trunk_biases: tuple[np.ndarray, ...]
    """Of each layer, shape [O]."""
    head: np.ndarray
    """Shape [H, 108 + 8]: the logits, then the multiples; 0 for a block that there is not."""
    head_bias: np.ndarray
    """Shape [108 + 8]."""
    blocks: np.ndarray
    """Shape [5], int64: where the observation has each of `CARD_BLOCKS`; -1 where it has not."""
    is_relu: bool
    """Whether ReLU follows each layer of the trunk; else tanh does."""


class Thoughts(NamedTuple):
    """Room to think in, for one row."""

    hidden: tuple[np.ndarray, ...]
    """Of each layer of the trunk, shape [O], float32."""
    outputs: np.ndarray
    """Shape [108 + 8], float32."""


def make_thoughts(weights: Weights) -> Thoughts:
    """Room for a network."""
    hidden = tuple(np.zeros(len(bias), np.float32) for bias in weights.trunk_biases)
    return Thoughts(hidden, np.zeros(len(weights.head_bias), np.float32))


@kernel
def think(weights: Weights, thoughts: Thoughts, observation: np.ndarray) -> None:
    """Work out the logits of one observation: the first 108 of ``thoughts.outputs``.

    Sums are always made in the same order, whatever is thought of besides.

    Args:
        weights: The network.
        thoughts: Written.
        observation: Shape [N], float32, contiguous.
    """
    hidden = thoughts.hidden
    _feed(observation, weights.trunk[0], weights.trunk_biases[0], hidden[0])
    _activate(hidden[0], weights.is_relu)
    for layer in range(1, len(weights.trunk)):
        _feed(hidden[layer - 1], weights.trunk[layer], weights.trunk_biases[layer], hidden[layer])
        _activate(hidden[layer], weights.is_relu)
    outputs = thoughts.outputs
    _feed(hidden[len(hidden) - 1], weights.head, weights.head_bias, outputs)
    _skip(weights.blocks, observation, outputs)


@kernel
def think_rows(
    weights: Weights, thoughts: Thoughts, observations: np.ndarray, logits: np.ndarray
) -> None:
    """The logits (shape [B, 108], float32; written) of observations, shape [B, N]."""
    for row in range(len(observations)):
        think(weights, thoughts, observations[row])
        for action in range(N_ACTIONS):
            logits[row, action] = thoughts.outputs[action]


@kernel
def likeliest(logits: np.ndarray, mask: np.ndarray) -> int:
    """The legal action with the highest logit, of equals the first. Returns int64, -1 for none."""
    best = int64(-1)
    for action in range(N_ACTIONS):
        if mask[action] and (best < 0 or logits[action] > logits[best]):
            best = int64(action)
    return best


@kernel
def _feed(inputs: np.ndarray, weights: np.ndarray, bias: np.ndarray, outputs: np.ndarray) -> None:
    """Send a row of numbers (shape [I]) through a linear layer (to shape [O]).

    Two thirds of an observation are zeros, and so is much of what a ReLU leaves: those are passed
    over.
    """
    for place in range(len(bias)):
        outputs[place] = bias[place]
    for source in range(len(inputs)):
        value = inputs[source]
        if value != 0.0:
            for place in range(len(bias)):
                outputs[place] += value * weights[source, place]


@inlined
def _activate(hidden: np.ndarray, is_relu: bool) -> None:
    for place in range(len(hidden)):
        value = hidden[place]
        hidden[place] = max(value, np.float32(0.0)) if is_relu else np.float32(math.tanh(value))


@inlined
def _skip(blocks: np.ndarray, observation: np.ndarray, outputs: np.ndarray) -> None:
    """Add the multiples of the blocks to the logits: discards, knocks, taking."""
    least_deadwood = np.float32(0.0)
    for block in range(len(blocks)):
        start = blocks[block]
        if start < 0:
            continue
        least = observation[start]
        for card in range(1, N_CARDS):
            least = min(least, observation[start + card])
        multiple = outputs[N_ACTIONS + block] * BLOCK_SCALE
        for card in range(N_CARDS):
            cost = observation[start + card] - least
            outputs[DISCARD + card] -= multiple * cost
            if block == 0:
                outputs[KNOCK + card] -= outputs[WASTE_AT] * BLOCK_SCALE * cost
        if block == 0:
            least_deadwood = least
    for card in range(N_CARDS):
        outputs[KNOCK + card] += outputs[KNOCK_AT]
    gain = observation[DEADWOOD_AT] - least_deadwood
    outputs[TAKE] += outputs[GAIN_AT] * gain * BLOCK_SCALE
