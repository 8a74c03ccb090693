"""The layers of a network, compiled."""

import numpy as np

from gin_env.core.jit import kernel


@kernel
def feed(inputs: np.ndarray, weights: np.ndarray, bias: np.ndarray, outputs: np.ndarray) -> None:
    """Send rows of numbers through a linear layer.

    Two thirds of an observation are zeros, and so is much of what a ReLU leaves: those are passed
    over. A row's sums are always made in the same order, whatever rows there are besides it.

    Args:
        inputs: Shape [B, I], float32, contiguous, as are all the arrays.
        weights: Shape [I, O], float32.
        bias: Shape [O], float32.
        outputs: Shape [B, O], float32; every value is written.
    """
    for row in range(inputs.shape[0]):
        sums = outputs[row]
        for place in range(bias.shape[0]):
            sums[place] = bias[place]
        for source in range(inputs.shape[1]):
            value = inputs[row, source]
            if value != 0.0:
                for place in range(bias.shape[0]):
                    sums[place] += value * weights[source, place]
