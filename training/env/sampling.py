"""Draw actions from the logits of a network."""

from math import exp

import numpy as np

from gin_env.agents.forward import likeliest
from gin_env.core.jit import inlined, kernel


@kernel
def pick_rows(
    logits: np.ndarray, masks: np.ndarray, drawn: np.ndarray, actions: np.ndarray
) -> None:
    """Draw legal actions, each with the chance that a network gives it.

    Args:
        logits: Shape [K, 108], float32.
        masks: Shape [K, 108], int8; each row has a legal action.
        drawn: Shape [K], float64, random numbers from 0 to 1; -1 for the likeliest action instead.
        actions: Shape [K], int64; written.
    """
    for row in range(len(drawn)):
        actions[row] = _pick(logits[row], masks[row], drawn[row])


@inlined
def _pick(logits: np.ndarray, mask: np.ndarray, drawn: float) -> int:
    best = likeliest(logits, mask)
    if drawn < 0:
        return best
    total = 0.0
    for action in range(len(mask)):
        if mask[action]:
            total += exp(logits[action] - logits[best])
    left = drawn * total
    for action in range(len(mask)):
        if mask[action]:
            left -= exp(logits[action] - logits[best])
            if left < 0:
                return action
    return best
