"""The games to learn from, as Stable-Baselines3 wants them: a `VecEnv` over one batched table."""

import time
from collections.abc import Iterable, Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv

from gin_env import bots
from gin_env.bots.table import BY_LOT, Table
from gin_env.core.actions import N_ACTIONS
from gin_env.core.rules import Episode, Rules
from training.errors import NoLegalActionError

MASK_METHOD = "action_masks"
"""The method by which sb3-contrib asks for the legal actions."""


class TableVecEnv(VecEnv):
    """B games of the learner against bots, all stepped in one call.

    An episode is over when its hand or match is: the game then begins anew in the same step, and
    that row's info holds the learner's last observation as ``terminal_observation``, its ``seat``,
    and, as `Monitor` has it, ``episode``: points (``r``, unscaled), decisions (``l``) and seconds
    since the start (``t``).

    Args:
        n_games: How many games, B.
        rules: A preset's name, a mapping of fields, or `Rules`.
        opponents: How often each bot is met, relative to the others, by what `bots.read` reads.
        seat: Where the learner sits: 0, 1, or -1 to draw it for every episode.
        episode: ``"hand"`` or ``"match"``.
        extras: Optional observation blocks (`gin_env.core.observe.EXTRAS`).
        reward_scale: Factor on the learner's points.

    Raises:
        GinError: If an argument is none of these.
    """

    actions: np.ndarray

    def __init__(
        self,
        n_games: int,
        rules: str | Mapping[str, Any] | Rules = "standard",
        *,
        opponents: Mapping[str, float],
        seat: int = BY_LOT,
        episode: Episode = "hand",
        extras: Iterable[str] = (),
        reward_scale: float = 1.0,
    ) -> None:
        self.table = Table(
            n_games,
            rules,
            opponents=[bots.read(name) for name in opponents],
            shares=list(opponents.values()),
            seat=seat,
            episode=episode,
            extras=extras,
        )
        self.render_mode = None
        self.reward_scale = reward_scale
        self._points = np.zeros(n_games, np.int64)
        self._n_decisions = np.zeros(n_games, np.int64)
        self._started = time.time()
        box = spaces.Box(0.0, 1.0, (self.table.observation_size,), np.float32)
        super().__init__(n_games, box, spaces.Discrete(N_ACTIONS))

    def reset(self) -> np.ndarray:
        """Begin anew in every row, from the seeds given to `seed` if there are new ones.

        Returns:
            Shape [B, N], float32.
        """
        seeds = [seed for seed in self._seeds if seed is not None]
        self.table.reset(seeds or None)
        self._points[:] = 0
        self._n_decisions[:] = 0
        self._reset_seeds()
        self._reset_options()
        return self.table.arrays.observations.copy()

    def step_async(self, actions: np.ndarray) -> None:
        """Take note of the learner's actions. ``actions``: shape [B], whole numbers."""
        self.actions = np.ascontiguousarray(actions, np.int64)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Play them, and what the opponents answer.

        Returns:
            Observations (shape [B, N], float32), rewards (shape [B], float32), whether the episode
            ended (shape [B], bool), and infos. All are the caller's own.

        Raises:
            IllegalActionError: If a row's action is not legal; no row has moved.
        """
        seats = self.table.first_seats
        self.table.step(self.actions)
        self._points += self.table.rewards
        self._n_decisions += 1
        rewards = (self.reward_scale * self.table.rewards).astype(np.float32)
        dones = self.table.arrays.is_over.copy()
        infos = self._infos(dones, seats)
        self._points[dones] = 0
        self._n_decisions[dones] = 0
        return self.table.arrays.observations.copy(), rewards, dones, infos

    def action_masks(self) -> np.ndarray:
        """The legal actions of the learner.

        Returns:
            Shape [B, 108], bool, the caller's own.

        Raises:
            NoLegalActionError: If a row has none; sampling there would pick any action.
        """
        masks: np.ndarray = self.table.arrays.masks != 0
        stuck = np.flatnonzero(~masks.any(axis=1))
        if stuck.size:
            raise NoLegalActionError(
                f"{stuck.size} of {self.num_envs} games have no legal action, the first in row "
                f"{stuck[0]}: call reset before asking for masks"
            )
        return masks

    def close(self) -> None:
        """Nothing to close."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of the table, once for each row asked for."""
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute for all rows; one row alone has none of its own."""
        if len(list(self._get_indices(indices))) != self.num_envs:
            raise AttributeError(f"{attr_name!r} can only be set for all rows at once")
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> Any:
        """Call a method that answers for all rows at once, such as `action_masks`.

        Returns:
            Its answer: one array with a row a game, not a list of them.
        """
        answer = getattr(self, method_name)(*method_args, **method_kwargs)
        return answer if indices is None else answer[list(self._get_indices(indices))]

    def env_is_wrapped(self, wrapper_class: type[gym.Wrapper], indices: Any = None) -> list[bool]:
        """Whether a wrapper's work is done: `Monitor`'s is, no other one's."""
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]

    def _infos(self, dones: np.ndarray, seats: np.ndarray) -> list[dict[str, Any]]:
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        seconds = round(time.time() - self._started, 6)
        for row in np.flatnonzero(dones):
            infos[row] = {
                "episode": {
                    "r": float(self._points[row]),
                    "l": int(self._n_decisions[row]),
                    "t": seconds,
                },
                "seat": int(seats[row]),
                "terminal_observation": self.table.arrays.final_observations[row].copy(),
            }
        return infos
