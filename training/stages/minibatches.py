"""How the stages before PPO learn from a portion: in minibatches, with a step size that falls."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.utils import LinearSchedule
from torch import Tensor
from torch.nn.utils import clip_grad_norm_

from training.config.run_config import CloneConfig, PlayoutsConfig

Rows = TypeVar("Rows", bound=NamedTuple)
"""Arrays that have the same rows."""


def take(arrays: Rows, rows: Any) -> Rows:
    """Some of the rows."""
    return type(arrays)(*(array[rows] for array in arrays))


def get_left(plan: CloneConfig | PlayoutsConfig, portion: int) -> float:
    """The share of a stage that is left where a portion of this number begins."""
    return 1.0 - portion / plan.n_portions


def learn_in_minibatches(
    model: MaskablePPO,
    arrays: Rows,
    weigh: Callable[[Rows], tuple[Tensor, tuple[Tensor, ...]]],
    *,
    plan: CloneConfig | PlayoutsConfig,
    portion: int,
    rng: np.random.Generator,
    max_grad_norm: float,
) -> tuple[float, ...]:
    """Learn from one portion.

    Args:
        model: Who learns; its own optimizer takes the steps.
        arrays: The portion.
        weigh: The loss of a minibatch, a scalar, and what to note down of it, scalars.
        plan: Says how.
        portion: Its number.
        rng: Draws the minibatches.
        max_grad_norm: Gradients longer than this are shortened to it.

    Returns:
        Of each number noted down, the mean over the minibatches.
    """
    rate = LinearSchedule(plan.learning_rate, plan.learning_rate_end, 1.0)(get_left(plan, portion))
    for group in model.policy.optimizer.param_groups:
        group["lr"] = rate
    n_rows, noted = len(arrays[0]), []
    for _ in range(plan.n_epochs):
        order = rng.permutation(n_rows)
        for rows in np.array_split(order, -(-n_rows // plan.batch_size)):
            loss, notes = weigh(take(arrays, rows))
            model.policy.optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            clip_grad_norm_(model.policy.parameters(), max_grad_norm)
            model.policy.optimizer.step()
            noted.append([note.item() for note in notes])
    return tuple(float(mean) for mean in np.mean(noted, axis=0))
