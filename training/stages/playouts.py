"""The second stage, where a config has a section ``playouts``: learn what candidates bring.

Where the policy gives a chance to several actions, each of them is played out from the game as it
is, with the true hidden cards. The policy does not see those; but over many decisions that look
alike to it they are as likely as they should be, so it learns what an action brings on average. All
candidates meet the same cards, so their differences tell more than the result of one of them: this
is a policy gradient over all candidates, with little of the noise that PPO has to average out.
(Sutton et al. 1999 for the gradient; Tesauro and Galperin 1996 for policies improved by playouts.)
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from torch import Tensor

from gin_env import bots
from gin_env.agents.forward import Weights, make_thoughts
from gin_env.bots.bot_row import make_memories
from gin_env.bots.value import make_room
from gin_env.bots.worlds import make_world
from gin_env.core.actions import N_ACTIONS
from gin_env.core.state import STATE_DTYPE, seed_words
from gin_env.core.view import VIEW_DTYPE
from gin_env.table.table import share_bounds
from training.config.run_config import Config, PlayoutsConfig
from training.export.weights import actor_network
from training.policy import Actor
from training.stages.playout_kernels import (
    MAX_CANDIDATES,
    NO_CANDIDATE,
    Players,
    Scratch,
    Settings,
    Trials,
    write_trials,
)
from training.stages.stage import Stage, take

PLAYOUT_STREAM = 0x91A707

N_PARTS = 8
"""A chunk is played in so many parts, however many threads share them: so it is always the same."""

IMPOSSIBLE = -1e9
"""A logit of no chance at all, which keeps gradients finite as minus infinity would not."""


class Playouts(Stage):
    """Games of a policy against bots, and how the trials made in them are learned.

    Args:
        config: What is played.
        plan: Its section ``playouts``.

    Raises:
        GinError: If there are no such rules, or no such bots.
    """

    def __init__(self, config: Config, plan: PlayoutsConfig) -> None:
        super().__init__(config, plan, PLAYOUT_STREAM)
        self._settings = Settings(*(getattr(plan, key) for key in Settings._fields))
        self._ent_coef = plan.ent_coef, plan.ent_coef_end
        self._hard = bots.read("hard").row
        self._opponents = np.array([bots.read(name).row for name in plan.opponents])
        self._bounds = share_bounds(list(plan.opponents.values()), len(self._opponents))
        self._room = Trials(
            observations=np.zeros((plan.portion, self.observation_size), np.float32),
            masks=np.zeros((plan.portion, N_ACTIONS), np.int8),
            candidates=np.zeros((plan.portion, MAX_CANDIDATES), np.int64),
            values=np.zeros((plan.portion, MAX_CANDIDATES), np.float32),
        )

    def play(self, chunk: int, weights: Weights) -> Trials:
        """Play a chunk, which depends on its number, the policy and the config alone.

        Returns:
            ``playouts.portion`` trials; the next call overwrites them.
        """
        seeds = self._seeds(chunk, 3 * N_PARTS).reshape(N_PARTS, 3)
        ends = np.linspace(0, len(self._room.masks), N_PARTS + 1).astype(int)

        def write(part: int) -> None:
            trials = take(self._room, slice(ends[part], ends[part + 1]))
            scratch, players = self._sit_down(seeds[part], weights)
            write_trials(scratch, players, self._settings, trials)

        with ThreadPoolExecutor(self._config.threads) as threads:
            list(threads.map(write, range(N_PARTS)))
        return self._room

    def learn(self, model: MaskablePPO, chunk: int) -> dict[str, float]:
        """Play a chunk with the policy as it stands, and learn from it.

        Returns:
            Averages over the chunk: ``gain``, by how many points a decision the policy beats an
            even choice among its candidates, and its ``entropy``, nats.
        """
        weights = actor_network(model.policy).weights  # type: ignore[arg-type]
        return self.learn_from(model, self.play(chunk, weights), chunk)

    def learn_from(self, model: MaskablePPO, trials: Trials, chunk: int) -> dict[str, float]:
        """Learn from trials as from those of the chunk with this number."""
        ent_coef = self._schedule(*self._ent_coef, chunk)
        actor = Actor(model.policy, is_frozen=False)  # type: ignore[arg-type]

        def loss_of(part: Trials) -> tuple[Tensor, tuple[Tensor, Tensor]]:
            worth, entropy, gain = _expect(actor, part)
            reward = self._config.game.reward_scale * worth
            return -reward - ent_coef * entropy, (gain, entropy)

        gain, entropy = self._fit(model, trials, loss_of, chunk)
        return {"gain": gain, "entropy": entropy}

    def _sit_down(self, seeds: np.ndarray, weights: Weights) -> tuple[Scratch, Players]:
        """Games to play in, and who plays. ``seeds``: shape [3], uint64."""
        games = np.zeros(3, STATE_DTYPE)
        games["rng_state"] = seed_words(seeds[0])
        pairs = ((seeds[1:2], 1), (seeds[1:2], 1), (seeds[2:], 0))
        scratch = Scratch(
            setup=self._setup,
            games=games,
            views=np.zeros(2, VIEW_DTYPE),
            memories=np.concatenate([make_memories(seed, seat) for seed, seat in pairs]),
            observation=np.zeros(self.observation_size, np.float32),
            mask=np.zeros(N_ACTIONS, np.int8),
            room=make_room(),
            world=make_world(),
        )
        thoughts = make_thoughts(weights)
        return scratch, Players(weights, thoughts, self._hard, self._opponents, self._bounds)


def _expect(actor: Actor, trials: Trials) -> tuple[Tensor, Tensor, Tensor]:
    """What to expect of the policy, all scalars, averages over the trials.

    Returns:
        The points that it gains over the policy as it stands, which are 0, but have a gradient;
        its entropy, nats; and the points that it gains over an even choice among the candidates.
    """
    observations, masks, candidates, values = (
        torch.as_tensor(array, device=actor.device) for array in trials
    )
    log_chances = actor(observations).masked_fill(masks == 0, IMPOSSIBLE).log_softmax(dim=1)
    entropy = -(log_chances.exp() * log_chances).sum(dim=1)
    is_candidate = candidates != NO_CANDIDATE
    logs = log_chances.gather(1, candidates.clamp(min=0)).masked_fill(~is_candidate, IMPOSSIBLE)
    # Actions that were not tried count as what the policy brings as it stands.
    shares = logs.softmax(dim=1).detach()
    mean = (shares * values).sum(dim=1, keepdim=True)
    worth = (logs.exp() * (values - mean)).sum(dim=1)
    even = values.sum(dim=1, keepdim=True) / is_candidate.sum(dim=1, keepdim=True)
    return worth.mean(), entropy.mean(), (mean - even).mean()
