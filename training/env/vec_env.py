"""The games to learn from, as Stable-Baselines3 wants them: a `VecEnv` over one batched table."""

import time
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv

from gin_env import bots
from gin_env.core.actions import N_ACTIONS
from gin_env.core.observe import check_extras
from gin_env.core.rules import Episode, Rules
from gin_env.players import BotPlayer, NetPlayer, Player
from gin_env.table.bot_rows import DRAWN
from gin_env.table.table import Table
from training.config.run_config import MET_AS, PAST, LeagueConfig
from training.env.hidden_cards import HIDDEN_SIZE, write_hidden_rows
from training.env.league import PRESENT, League, LeaguePlayer
from training.errors import RunError
from training.policy import Actor

MASK_METHOD = "action_masks"
"""The method by which sb3-contrib asks for the legal actions."""


class Tally(NamedTuple):
    """What became of the episodes against each opponent. Shape [K], int64 each."""

    episodes: np.ndarray
    points: np.ndarray
    """The learner's."""
    won: np.ndarray
    """Episodes that brought the learner points."""


class TableVecEnv(VecEnv):
    """B games of the learner against all kinds of opponents, stepped in one call.

    An episode is over when its hand or match is: the game then begins anew in the same step, and
    that row's info holds the learner's last observation as ``terminal_observation``, its ``seat``,
    and, as `Monitor` has it, ``episode``: points (``r``, unscaled), decisions (``l``) and seconds
    since the start (``t``).

    Args:
        n_games: How many games, B.
        rules: A preset's name, a mapping of fields, or `Rules`.
        opponents: How often each opponent is met, relative to the others: bots by what `bots.read`
            reads, names of ``agents``, ``"self"`` for the policy that ``league`` is bound to, and
            ``"past"`` for the past selves that it holds.
        seat: Where the learner sits: 0, 1, or -1 to draw it for every episode.
        episode: ``"hand"`` or ``"match"``.
        extras: Optional observation blocks (`gin_env.core.observe.EXTRAS`).
        reward_scale: Factor on the learner's points.
        privileged: Whether to append what is hidden from the learner (`write_hidden`).
        gamma: Discount per decision, for the shaping.
        league: Whom ``"self"`` and ``"past"`` mean.
        agents: Trained agents by name, which play their likeliest moves.
        num_threads: Over how many threads the games are spread; the results are the same.

    Attributes:
        shaping_weight: Points that a point less of deadwood brings, in episodes that begin from now
            on. Its potential is 0 at an episode's end, so that no policy gains or loses by it.

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
        seat: int = DRAWN,
        episode: Episode = "hand",
        extras: Iterable[str] = (),
        reward_scale: float = 1.0,
        privileged: bool = False,
        gamma: float = 1.0,
        league: League | None = None,
        agents: Mapping[str, NetPlayer] | None = None,
        num_threads: int = 1,
    ) -> None:
        self.opponents = tuple(opponents)
        self.league = league or League(LeagueConfig(), 0)
        self._league_player = LeaguePlayer(self.league, n_games, check_extras(extras))
        self.table = Table(
            n_games,
            rules,
            opponents=[self._find_player(name, agents or {}) for name in opponents],
            shares=list(opponents.values()),
            seat=seat,
            on_begun=self._note_begun,
            episode=episode,
            extras=extras,
            num_threads=num_threads,
        )
        self.render_mode = None
        self.reward_scale, self.privileged, self.gamma = reward_scale, privileged, gamma
        self.shaping_weight = 0.0
        # Of the episodes that go on: whom the learner meets, its points and its decisions.
        self._met = np.zeros(n_games, np.int64)
        self._points = np.zeros(n_games, np.int64)
        self._n_decisions = np.zeros(n_games, np.int64)
        self._is_noted = np.zeros(n_games, bool)  # the league knows of the end in this step
        self._weights = np.zeros(n_games)
        self._potentials = np.zeros(n_games)
        self._tally = self._make_tally()
        self._started = time.time()
        size = self.table.observation_size + (HIDDEN_SIZE if privileged else 0)
        box = spaces.Box(0.0, 1.0, (size,), np.float32)
        super().__init__(n_games, box, spaces.Discrete(N_ACTIONS))

    def reset(self) -> np.ndarray:
        """Begin anew in every row, from the seeds given to `seed` if there are new ones.

        Returns:
            Shape [B, N], float32.
        """
        seeds = [seed for seed in self._seeds if seed is not None]
        self._is_noted[:] = True  # games that are given up here are not
        self.table.reset(seeds or None)
        self._points[:] = 0
        self._n_decisions[:] = 0
        self._potentials = self._find_potentials()
        self._reset_seeds()
        self._reset_options()
        return self._observe()

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
            BatchError: If opponents end one hand after the other before the learner acts.
            RunError: If a network is met that the league does not hold.
        """
        seats, met = self.table.first_seats, self._met.copy()
        self._is_noted[:] = False
        self._n_decisions += 1
        self.table.step(self.actions)
        points, is_over = self.table.rewards, self.table.arrays.is_over.copy()
        self._points += points
        rewards = (self.reward_scale * (points + self._shape(is_over))).astype(np.float32)
        infos = self._infos(np.flatnonzero(is_over), seats)
        self._count(met[is_over], self._points[is_over])
        self._points[is_over] = 0
        self._n_decisions[is_over] = 0
        return self._observe(), rewards, is_over, infos

    def action_masks(self) -> np.ndarray:
        """The legal actions of the learner.

        Returns:
            Shape [B, 108], bool, the caller's own.

        Raises:
            RunError: If a row has none; sampling there would pick any action.
        """
        masks: np.ndarray = self.table.arrays.masks != 0
        stuck = np.flatnonzero(~masks.any(axis=1))
        if stuck.size:
            raise RunError(
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

    def add_past_self(self, actor: Actor, n_decisions: int) -> None:
        """Let the league keep a frozen policy; whoever has to go leaves its games to others."""
        gone = self.league.add(actor, n_decisions)
        network = self._league_player.network
        if gone is not None:
            is_orphaned = network == gone
            network[network > gone] -= 1
            network[is_orphaned] = self.league.draw(int(is_orphaned.sum()))

    def take_tally(self) -> Tally:
        """What became of the episodes since this was last asked, by opponent."""
        tally, self._tally = self._tally, self._make_tally()
        return tally

    def _make_tally(self) -> Tally:
        return Tally(*(np.zeros(len(self.opponents), np.int64) for _ in Tally._fields))

    def _find_player(self, name: str, agents: Mapping[str, NetPlayer]) -> Player:
        if name in MET_AS:
            return self._league_player
        return agents[name] if name in agents else BotPlayer(bots.read(name))

    def _note_begun(self, rows: np.ndarray) -> None:
        """Note whom the learner meets where episodes have just begun, and what the last ones won.

        Args:
            rows: Shape [K], int64.
        """
        ended = rows[self.table.arrays.is_over[rows] & ~self._is_noted[rows]]
        self._is_noted[ended] = True
        self._weights[rows] = self.shaping_weight
        self._met[rows] = self.table.opponents_met[rows]
        if PAST not in self.opponents:
            return
        network = self._league_player.network
        told = ended[network[ended] != PRESENT]
        self.league.note(network[told], self._points[told] + self.table.rewards[told])
        is_past = self._met[rows] == self.opponents.index(PAST)
        network[rows] = PRESENT
        network[rows[is_past]] = self.league.draw(int(is_past.sum()))

    def _count(self, met: np.ndarray, points: np.ndarray) -> None:
        """Enter ended episodes into the tally: whom the learner met, and its points."""
        np.add.at(self._tally.episodes, met, 1)
        np.add.at(self._tally.points, met, points)
        np.add.at(self._tally.won, met, points > 0)

    def _shape(self, is_over: np.ndarray) -> np.ndarray:
        """What the potential adds to the points of a step. Shape [B], float64."""
        if not self._weights.any():
            return np.zeros(self.num_envs)
        before, self._potentials = self._potentials, self._find_potentials()
        added: np.ndarray = np.where(is_over, 0.0, self.gamma * self._potentials) - before
        return added

    def _find_potentials(self) -> np.ndarray:
        """The potential where the learner is to move: less with more deadwood. Shape [B]."""
        potentials: np.ndarray = -self._weights * self.table.arrays.views["deadwood"]
        return potentials

    def _observe(self) -> np.ndarray:
        """What the learner gets to see. Shape [B, N], float32, the caller's own."""
        a = self.table.arrays
        if not self.privileged:
            return a.observations.copy()
        n_seen = self.table.observation_size
        observations = np.empty((self.num_envs, n_seen + HIDDEN_SIZE), np.float32)
        observations[:, :n_seen] = a.observations
        write_hidden_rows(a.games, a.seats, observations, n_seen)
        return observations

    def _infos(self, ended: np.ndarray, seats: np.ndarray) -> list[dict[str, Any]]:
        """The infos of a step: empty but in the rows (shape [K], int64) whose episode has ended."""
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        seconds = round(time.time() - self._started, 6)
        for row in ended:
            last = np.zeros(self.observation_space.shape or (), np.float32)
            last[: self.table.observation_size] = self.table.arrays.final_observations[row]
            infos[row] = {
                "episode": {
                    "r": float(self._points[row]),
                    "l": int(self._n_decisions[row]),
                    "t": seconds,
                },
                "seat": int(seats[row]),
                "terminal_observation": last,
            }
        return infos
