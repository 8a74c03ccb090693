"""The first stage, where a config asks for it: do as a teacher does, before learning by oneself.

The teacher plays against itself, now and then with a random move in its place, so that it is also
seen to get out of what it would not have got into. What is learned at each decision of either seat
is the teacher's own move there, and what that seat gained from there on.
"""

from typing import NamedTuple

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.utils import explained_variance
from torch import Tensor
from torch.nn import functional

from gin_env import bots
from gin_env.bots.bot_row import make_memories
from gin_env.core.actions import N_ACTIONS
from gin_env.core.batch import Batch
from gin_env.errors import BatchError
from training.config.run_config import CloneConfig, Config
from training.env.hidden_cards import HIDDEN_SIZE
from training.errors import ConfigError
from training.stages.demonstrations import Lessons, write_lessons
from training.stages.minibatches import learn_in_minibatches, take

LESSON_STREAM = 0x1E5505
"""Sets the games of lessons apart from all others that come from a run's seed."""

HELD_OUT = 1 << 32
"""Number of the portion that nobody learns from."""

MEASURED_AT_ONCE = 8192


class Agreement(NamedTuple):
    """How a policy does on lessons that it has not learned from."""

    agreement: float
    """Share of the decisions at which its likeliest move is the teacher's."""
    policy_loss: float
    """Mean of -log of the chance that it gives to the teacher's move."""
    explained_variance: float
    """Share of the variance of what was gained that its value explains."""


class Teacher(Batch):
    """A teacher against itself, one game at a time, written down as lessons.

    Args:
        config: What is played; its ``clone`` says who teaches.

    Raises:
        GinError: If there are no such rules, or no such teacher.
    """

    def __init__(self, config: Config) -> None:
        game, self._clone = config.game, get_clone(config)
        super().__init__(1, game.rules, episode=game.episode, extras=game.extras)
        self._seed_of_run = config.seed
        n_hidden = HIDDEN_SIZE if config.network.privileged else 0
        size = self._clone.portion
        self._room = Lessons(
            observations=np.zeros((size, self.observation_size + n_hidden), np.float32),
            masks=np.zeros((size, N_ACTIONS), np.int8),
            actions=np.zeros(size, np.int64),
            seats=np.zeros(size, np.int64),
            returns=np.zeros(size, np.float32),
        )

    def teach(self, portion: int) -> Lessons:
        """Play a portion of lessons, which depends on its number and the config alone.

        Returns:
            At most ``clone.portion`` lessons, of whole episodes; the next call overwrites them.

        Raises:
            BatchError: If not even one episode fits.
        """
        entropy = np.random.SeedSequence((LESSON_STREAM, self._seed_of_run, portion))
        seeds = entropy.generate_state(2, np.uint64)
        self.reset(seeds[:1])
        record = bots.read(self._clone.teacher).row
        memories = np.concatenate([make_memories(seeds[:1], seat) for seat in (0, 1)])
        teaching = (record, memories, make_memories(seeds[1:], 0))
        chance = self._clone.random_moves
        n_lessons = write_lessons(self._setup, self.arrays, teaching, chance, self._room)
        if n_lessons == 0:
            raise BatchError(f"no episode fits into a clone.portion of {self._clone.portion}")
        return take(self._room, slice(n_lessons))


def learn(
    model: MaskablePPO, config: Config, lessons: Lessons, portion: int
) -> tuple[float, float]:
    """Learn from one portion, in minibatches drawn by its number.

    Args:
        model: Who learns; its own optimizer takes the steps.
        config: Its ``clone`` says how.
        lessons: The portion.
        portion: Its number.

    Returns:
        The losses, the policy's and the value's: means over the minibatches.
    """
    model.policy.set_training_mode(True)
    rng = np.random.default_rng((LESSON_STREAM, config.seed, portion))

    def weigh(part: Lessons) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        policy_loss, value_loss, _ = _losses(model, config, part)
        return policy_loss + config.ppo.vf_coef * value_loss, (policy_loss, value_loss)

    of_policy, of_value = learn_in_minibatches(
        model,
        lessons,
        weigh,
        plan=get_clone(config),
        portion=portion,
        rng=rng,
        max_grad_norm=config.ppo.max_grad_norm,
    )
    return of_policy, of_value


def measure(model: MaskablePPO, config: Config, lessons: Lessons) -> Agreement:
    """Compare a policy with lessons. It draws on no generator."""
    model.policy.set_training_mode(False)
    n_parts = -(-len(lessons.actions) // MEASURED_AT_ONCE)
    n_agreed, loss, values = 0, 0.0, []
    for rows in np.array_split(np.arange(len(lessons.actions)), n_parts):
        part = take(lessons, rows)
        chosen, _ = model.policy.predict(
            part.observations, deterministic=True, action_masks=part.masks
        )
        n_agreed += int((chosen == part.actions).sum())
        with torch.no_grad():
            policy_loss, _, value = _losses(model, config, part)
        loss += policy_loss.item() * len(rows)
        values.append(value.numpy(force=True))
    returns = lessons.returns * np.float32(config.game.reward_scale)
    return Agreement(
        agreement=n_agreed / len(returns),
        policy_loss=loss / len(returns),
        explained_variance=float(explained_variance(np.concatenate(values), returns)),
    )


def get_clone(config: Config) -> CloneConfig:
    """The section of a config that has one.

    Raises:
        ConfigError: If it has none.
    """
    if config.clone is None:
        raise ConfigError("there is no teacher to learn from: the config has no clone section")
    return config.clone


def _losses(model: MaskablePPO, config: Config, lessons: Lessons) -> tuple[Tensor, Tensor, Tensor]:
    """The policy's and the value's loss, both scalars, and the values, shape [L]."""
    observations, actions, returns = (
        torch.as_tensor(array, device=model.device)
        for array in (lessons.observations, lessons.actions, lessons.returns)
    )
    values, log_chances, _ = model.policy.evaluate_actions(
        observations, actions, torch.as_tensor(lessons.masks, device=model.device)
    )
    values = values.flatten()
    value_loss = functional.mse_loss(values, returns * config.game.reward_scale)
    return -log_chances.mean(), value_loss, values
