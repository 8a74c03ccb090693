"""The second stage, where a config asks for it: learn what candidates bring with the same cards.

Where the policy gives a chance to several actions, each of them is played out from the game as it
is, with the true hidden cards. Those the policy does not see; but over many decisions that look
alike to it they are as likely as they should be, so what it learns is what an action brings on
average. As all candidates meet the same cards, their differences tell more than the result of one
of them would: a policy gradient over all candidates, with little of the noise that PPO has to
average out, and only where there is something to decide. Against Hard there may be many games in
place of the one that is: worlds that explain what he did, drawn as the search player draws them.
(Sutton et al. 1999 for the gradient; Tesauro and Galperin 1996 for policies improved by playouts.)
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.utils import LinearSchedule
from torch import Tensor

from gin_env import bots
from gin_env.agents.forward import Weights, make_thoughts
from gin_env.bots.bot_row import make_memories
from gin_env.bots.value import make_room
from gin_env.bots.worlds import make_world
from gin_env.core.actions import N_ACTIONS
from gin_env.core.batch import Batch
from gin_env.core.state import STATE_DTYPE, seed_words
from gin_env.core.view import VIEW_DTYPE
from gin_env.table.bot_rows import share_bounds
from training.config.run_config import Config, PlayoutsConfig
from training.errors import ConfigError
from training.policy import Actor
from training.stages.minibatches import get_left, learn_in_minibatches, take
from training.stages.playout_kernels import (
    MAX_CANDIDATES,
    NO_CANDIDATE,
    Plan,
    Players,
    Scratch,
    Trials,
    write_trials,
)

PLAYOUT_STREAM = 0x91A707
"""Sets the games of playouts apart from all others that come from a run's seed."""

N_PARTS = 8
"""A portion is played in so many parts, over the threads that there are."""

NOWHERE = -1e9


class Playouts(Batch):
    """Games of a policy against bots, written down as trials.

    Args:
        config: What is played; its ``playouts`` say how.

    Raises:
        GinError: If there are no such rules, or no such bots.
    """

    def __init__(self, config: Config) -> None:
        game, plan = config.game, get_playouts(config)
        super().__init__(1, game.rules, episode=game.episode, extras=game.extras)
        self._seed_of_run, self._n_threads = config.seed, config.threads
        self._plan = Plan(
            plan.random_moves, plan.least_chance, plan.own_turns, plan.horizon, plan.worlds
        )
        self._hard = bots.read("hard").row
        self._pool = np.array([bots.read(name).row for name in plan.opponents])
        self._bounds = share_bounds(list(plan.opponents.values()), len(self._pool))
        self._room = Trials(
            observations=np.zeros((plan.portion, self.observation_size), np.float32),
            masks=np.zeros((plan.portion, N_ACTIONS), np.int8),
            candidates=np.zeros((plan.portion, MAX_CANDIDATES), np.int64),
            values=np.zeros((plan.portion, MAX_CANDIDATES), np.float32),
        )

    def play(self, portion: int, weights: Weights) -> Trials:
        """Play a portion, which depends on its number, the policy and the config alone.

        Args:
            portion: Its number.
            weights: The policy.

        Returns:
            ``playouts.portion`` trials; the next call overwrites them.
        """
        entropy = np.random.SeedSequence((PLAYOUT_STREAM, self._seed_of_run, portion))
        seeds = entropy.generate_state(3 * N_PARTS, np.uint64).reshape(N_PARTS, 3)
        ends = np.linspace(0, len(self._room.masks), N_PARTS + 1).astype(int)

        def write(part: int) -> None:
            rows = slice(ends[part], ends[part + 1])
            self._write(seeds[part], weights, take(self._room, rows))

        with ThreadPoolExecutor(self._n_threads) as threads:
            list(threads.map(write, range(N_PARTS)))
        return self._room

    def _write(self, seeds: np.ndarray, weights: Weights, trials: Trials) -> None:
        """Play one part of a portion."""
        players = Players(weights, make_thoughts(weights), self._hard, self._pool, self._bounds)
        write_trials(self._make_scratch(seeds), players, self._plan, trials)

    def _make_scratch(self, seeds: np.ndarray) -> Scratch:
        """Room to play in. ``seeds``: shape [3], uint64."""
        games = np.zeros(3, STATE_DTYPE)
        games["rng_state"] = seed_words(seeds[0])
        memories = np.concatenate(
            [
                make_memories(seeds[1:2], 1),
                make_memories(seeds[1:2], 1),
                make_memories(seeds[2:], 0),
            ]
        )
        return Scratch(
            setup=self._setup,
            games=games,
            views=np.zeros(2, VIEW_DTYPE),
            memories=memories,
            observation=np.zeros(self.observation_size, np.float32),
            mask=np.zeros(N_ACTIONS, np.int8),
            room=make_room(),
            world=make_world(),
        )


def learn_from_trials(
    model: MaskablePPO, config: Config, trials: Trials, portion: int
) -> dict[str, float]:
    """Learn from one portion, in minibatches drawn by its number.

    Args:
        model: Who learns; its own optimizer takes the steps.
        config: Its ``playouts`` say how.
        trials: The portion.
        portion: Its number.

    Returns:
        Means over the portion: ``gain``, by how many points a decision the policy beats an even
        choice among its candidates, and its ``entropy``, nats.
    """
    plan = get_playouts(config)
    schedule = LinearSchedule(plan.ent_coef, plan.ent_coef_end, 1.0)
    ent_coef = schedule(get_left(plan, portion))
    actor = Actor(model.policy, is_frozen=False)  # type: ignore[arg-type]
    rng = np.random.default_rng((PLAYOUT_STREAM, config.seed, portion))

    def weigh(part: Trials) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        worth, entropy, gain = _weigh(actor, part)
        return -config.game.reward_scale * worth - ent_coef * entropy, (gain, entropy)

    gain, entropy = learn_in_minibatches(
        model,
        trials,
        weigh,
        plan=plan,
        portion=portion,
        rng=rng,
        max_grad_norm=config.ppo.max_grad_norm,
    )
    return {"gain": gain, "entropy": entropy}


def get_playouts(config: Config) -> PlayoutsConfig:
    """The section of a config that has one.

    Raises:
        ConfigError: If it has none.
    """
    if config.playouts is None:
        raise ConfigError("there is nothing to play out: the config has no playouts section")
    return config.playouts


def _weigh(actor: Actor, trials: Trials) -> tuple[Tensor, Tensor, Tensor]:
    """What to expect of the policy, all scalars, means over the trials.

    Returns:
        The points that it gains over the policy as it stands, which are 0, but have a gradient;
        its entropy, nats; and the points that it gains over an even choice among the candidates.
    """
    observations, masks, candidates, values = (
        torch.as_tensor(array, device=actor.device) for array in trials
    )
    log_chances = actor(observations).masked_fill(masks == 0, NOWHERE).log_softmax(dim=1)
    entropy = -(log_chances.exp() * log_chances).sum(dim=1)
    is_one = candidates != NO_CANDIDATE
    log_of_one = log_chances.gather(1, candidates.clamp(min=0)).masked_fill(~is_one, NOWHERE)
    chances = log_of_one.exp()
    # Actions that were not tried count as what the policy brings as it stands.
    shares = log_of_one.softmax(dim=1).detach()
    mean = (shares * values).sum(dim=1, keepdim=True)
    worth = (chances * (values - mean)).sum(dim=1)
    even = values.sum(dim=1, keepdim=True) / is_one.sum(dim=1, keepdim=True)
    return worth.mean(), entropy.mean(), (mean - even).mean()
