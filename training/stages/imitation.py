"""The first stage, where a config has a section ``clone``: imitate a teacher (behaviour cloning).

The teacher plays against itself. At each decision of either seat the policy learns the teacher's
own move, and the value learns what that seat gained from there on.
"""

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.utils import explained_variance
from torch import Tensor
from torch.nn import functional

from gin_env import bots
from gin_env.bots.bot_row import make_memories
from gin_env.core.actions import N_ACTIONS
from gin_env.errors import BatchError
from training.config.run_config import Config, ImitationConfig
from training.env.hidden_cards import HIDDEN_SIZE
from training.stages.demonstrations import Demonstrations, write_demonstrations
from training.stages.stage import Stage, take

IMITATION_STREAM = 0x1E5505

HELD_OUT = 1 << 32
"""Number of the chunk that is never learned from."""

MEASURED_AT_ONCE = 8192


class Imitation(Stage):
    """A teacher against itself, one game at a time, and how its demonstrations are learned.

    Args:
        config: What is played.
        plan: Its section ``clone``: who teaches, and how much.

    Raises:
        GinError: If there are no such rules, or no such teacher.
    """

    def __init__(self, config: Config, plan: ImitationConfig) -> None:
        super().__init__(config, plan, IMITATION_STREAM)
        self._teacher, self._random_moves = bots.read(plan.teacher).row, plan.random_moves
        size, n_hidden = plan.portion, HIDDEN_SIZE if config.network.privileged else 0
        self._room = Demonstrations(
            observations=np.zeros((size, self.observation_size + n_hidden), np.float32),
            masks=np.zeros((size, N_ACTIONS), np.int8),
            actions=np.zeros(size, np.int64),
            seats=np.zeros(size, np.int64),
            returns=np.zeros(size, np.float32),
        )

    def play(self, chunk: int) -> Demonstrations:
        """Play a chunk, which depends on its number and the config alone.

        Returns:
            At most ``clone.portion`` demonstrations, of whole episodes; the next call overwrites
            them.

        Raises:
            BatchError: If not even one episode fits.
        """
        seeds = self._seeds(chunk, 2)
        self.reset(seeds[:1])
        memories = np.concatenate([make_memories(seeds[:1], seat) for seat in (0, 1)])
        teaching = (self._teacher, memories, make_memories(seeds[1:], 0))
        n = write_demonstrations(self._setup, self.arrays, teaching, self._random_moves, self._room)
        if n == 0:
            raise BatchError(f"no episode fits into a clone.portion of {len(self._room.actions)}")
        return take(self._room, slice(n))

    def learn(self, model: MaskablePPO, chunk: int) -> dict[str, float]:
        """Play a chunk and learn from it. Returns the policy's and the value's loss."""
        return self.learn_from(model, self.play(chunk), chunk)

    def learn_from(
        self, model: MaskablePPO, demonstrations: Demonstrations, chunk: int
    ) -> dict[str, float]:
        """Learn from demonstrations as from those of the chunk with this number."""

        def loss_of(part: Demonstrations) -> tuple[Tensor, tuple[Tensor, Tensor]]:
            policy_loss, value_loss, _ = self._losses(model, part)
            return policy_loss + self._config.ppo.vf_coef * value_loss, (policy_loss, value_loss)

        policy_loss, value_loss = self._fit(model, demonstrations, loss_of, chunk)
        return {"policy_loss": policy_loss, "value_loss": value_loss}

    def measure(self, model: MaskablePPO) -> dict[str, float]:
        """Compare a policy with demonstrations held out. It draws on no generator of the run.

        Returns:
            ``agreement``, the share of decisions at which the policy's likeliest move is the
            teacher's; ``policy_loss``, -log of the chance that it gives to the teacher's move, on
            average; and ``explained_variance``, the share of the variance of the returns that its
            value explains.
        """
        held_out = self.play(HELD_OUT)
        n_parts = -(-len(held_out.actions) // MEASURED_AT_ONCE)
        n_agreed, loss, values = 0, 0.0, []
        for rows in np.array_split(np.arange(len(held_out.actions)), n_parts):
            part = take(held_out, rows)
            chosen, _ = model.policy.predict(
                part.observations, deterministic=True, action_masks=part.masks
            )
            n_agreed += int((chosen == part.actions).sum())
            with torch.no_grad():
                policy_loss, _, value = self._losses(model, part)
            loss += policy_loss.item() * len(rows)
            values.append(value.numpy(force=True))
        returns = held_out.returns * np.float32(self._config.game.reward_scale)
        return {
            "agreement": n_agreed / len(returns),
            "policy_loss": loss / len(returns),
            "explained_variance": float(explained_variance(np.concatenate(values), returns)),
        }

    def _losses(self, model: MaskablePPO, part: Demonstrations) -> tuple[Tensor, Tensor, Tensor]:
        """The policy's and the value's loss, both scalars, and the values, shape [L]."""
        observations, masks, actions, _, returns = (
            torch.as_tensor(array, device=model.device) for array in part
        )
        values, log_chances, _ = model.policy.evaluate_actions(observations, actions, masks)
        values = values.flatten()
        value_loss = functional.mse_loss(values, returns * self._config.game.reward_scale)
        return -log_chances.mean(), value_loss, values
