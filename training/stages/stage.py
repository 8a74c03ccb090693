"""What the stages before PPO have in common: they learn in chunks, from games of their own."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.utils import LinearSchedule
from torch import Tensor
from torch.nn.utils import clip_grad_norm_

from gin_env.core.batch import Batch
from training.config.run_config import Config, ImitationConfig, PlayoutsConfig

Rows = TypeVar("Rows", bound=NamedTuple)
"""Arrays that have the same rows."""


class Stage(Batch):
    """A stage before PPO: it plays a chunk of decisions, learns from it, and drops it.

    What a chunk holds, and in which order it is learned from, depends on the run's seed and the
    chunk's number, so that a run may be cut short between any two.

    Args:
        config: What is played.
        plan: The stage's own section of it.
        stream: Sets its random numbers apart from all others that come from the run's seed.

    Raises:
        GinError: If there are no such rules.
    """

    def __init__(self, config: Config, plan: ImitationConfig | PlayoutsConfig, stream: int) -> None:
        game = config.game
        super().__init__(1, game.rules, episode=game.episode, extras=game.extras)
        self._config, self._plan, self._stream = config, plan, stream

    def _seeds(self, chunk: int, n: int) -> np.ndarray:
        """Seeds for the games of a chunk. Shape [n], uint64."""
        entropy = np.random.SeedSequence((self._stream, self._config.seed, chunk))
        return entropy.generate_state(n, np.uint64)

    def _schedule(self, start: float, end: float, chunk: int) -> float:
        """What is left at a chunk of a number that falls in a line over the stage."""
        return LinearSchedule(start, end, 1.0)(1.0 - chunk / self._plan.n_chunks)

    def _fit(
        self,
        model: MaskablePPO,
        rows: Rows,
        loss_of: Callable[[Rows], tuple[Tensor, tuple[Tensor, ...]]],
        chunk: int,
    ) -> tuple[float, ...]:
        """Learn from one chunk in minibatches.

        Args:
            model: Who learns; its own optimizer takes the steps.
            rows: The chunk.
            loss_of: The loss of a minibatch, a scalar, and the scalars to report of it.
            chunk: Its number.

        Returns:
            The reported scalars, averaged over the minibatches.
        """
        plan, policy, n_rows, reported = self._plan, model.policy, len(rows[0]), []
        rng = np.random.default_rng((self._stream, self._config.seed, chunk))
        for group in policy.optimizer.param_groups:
            group["lr"] = self._schedule(plan.learning_rate, plan.learning_rate_end, chunk)
        for _ in range(plan.n_epochs):
            order = rng.permutation(n_rows)
            for places in np.array_split(order, -(-n_rows // plan.batch_size)):
                loss, scalars = loss_of(take(rows, places))
                policy.optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                clip_grad_norm_(policy.parameters(), self._config.ppo.max_grad_norm)
                policy.optimizer.step()
                reported.append([scalar.item() for scalar in scalars])
        return tuple(np.mean(reported, axis=0).tolist())


def take(arrays: Rows, rows: Any) -> Rows:
    """Some of the rows."""
    return type(arrays)(*(array[rows] for array in arrays))
