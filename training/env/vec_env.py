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
from gin_env.core.actions import N_ACTIONS
from gin_env.core.rules import Episode, Rules
from gin_env.errors import BatchError
from gin_env.players import NetPlayer, ask_batch
from gin_env.table.bot_rows import DRAWN, Table
from training.config.run_config import MET_AS, PAST, LeagueConfig
from training.env.hidden_cards import HIDDEN_SIZE, write_hidden_rows
from training.env.league import PRESENT, League
from training.env.progress import Outcome, Progress, Tally, enter_step, make_outcome, make_tally
from training.errors import NoLegalActionError
from training.policy import Actor

MASK_METHOD = "action_masks"
"""The method by which sb3-contrib asks for the legal actions."""

MAX_ANSWERS = 100_000
"""Moves in a row from outside the kernel before the learner has anything to decide."""


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
        agents = agents or {}
        self.table = Table(
            n_games,
            rules,
            opponents=[
                None if name in MET_AS or name in agents else bots.read(name) for name in opponents
            ],
            shares=list(opponents.values()),
            seat=seat,
            episode=episode,
            extras=extras,
            num_threads=num_threads,
        )
        self.render_mode = None
        self.reward_scale, self.privileged, self.gamma = reward_scale, privileged, gamma
        self.league = league or League(LeagueConfig(), 0)
        self.shaping_weight = 0.0
        # By their places among the opponents.
        self._agents = {
            place: agents[name] for place, name in enumerate(opponents) if name in agents
        }
        self._progress = Progress(*(np.zeros(n_games, np.int64) for _ in Progress._fields))
        # As which network each row's opponent plays: a place among the past selves.
        self._network = np.full(n_games, PRESENT, np.int64)
        self._weights = np.zeros(n_games)
        self._potentials = np.zeros(n_games)
        self._finals = np.zeros((n_games, self.table.observation_size), np.float32)
        self._tally = make_tally(len(self.opponents))
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
        self.table.reset(seeds or None)
        everyone = np.ones(self.num_envs, bool)
        self._begin(everyone)
        self._answer(make_outcome(self.num_envs))
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
            BatchError: If an opponent ends every episode before the learner first acts.
            LeagueError: If a network is met that the league does not hold.
        """
        seats, progress = self.table.first_seats, self._progress
        self.table.step(self.actions)
        outcome = make_outcome(self.num_envs)
        outcome.points[:] = progress.carried
        progress.points[:] += progress.carried
        progress.carried[:] = 0
        progress.n_decisions[:] += 1
        self._take_in(outcome, np.ones(self.num_envs, bool), seats)
        self._answer(outcome)
        gained = outcome.points + self._shape(outcome.is_over)
        rewards = (self.reward_scale * gained).astype(np.float32)
        return self._observe(), rewards, outcome.is_over, self._infos(outcome)

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

    def add_past_self(self, actor: Actor, n_decisions: int) -> None:
        """Let the league keep a frozen policy; whoever has to go leaves its games to others."""
        gone = self.league.add(actor, n_decisions)
        if gone is not None:
            is_orphaned = self._network == gone
            self._network[self._network > gone] -= 1
            self._network[is_orphaned] = self.league.draw(int(is_orphaned.sum()))

    def take_tally(self) -> Tally:
        """What became of the episodes since this was last asked, by opponent."""
        tally, self._tally = self._tally, make_tally(len(self.opponents))
        return tally

    def _begin(self, rows: np.ndarray) -> None:
        """Note down that episodes have begun in some rows (shape [B], bool), and against whom."""
        progress = self._progress
        for array in (progress.points, progress.n_decisions, progress.carried):
            array[rows] = 0
        self._weights[rows] = self.shaping_weight
        progress.met[rows] = self.table.opponents_met[rows]
        if PAST in self.opponents:
            is_past = rows & (progress.met == self.opponents.index(PAST))
            self._network[rows] = PRESENT
            self._network[is_past] = self.league.draw(int(is_past.sum()))

    def _answer(self, outcome: Outcome) -> None:
        """Let those outside the kernel move until the learner is to move in every row."""
        if None not in self.table.opponents:
            return
        a = self.table.arrays
        for _ in range(MAX_ANSWERS):
            seats = self.table.first_seats
            waiting = a.seats != seats
            if not waiting.any():
                return
            self.table.step(self._ask(waiting), waiting)
            self._take_in(outcome, waiting, seats)
        raise BatchError("the opponent ends every episode before the learner first acts")

    def _ask(self, waiting: np.ndarray) -> np.ndarray:
        """The actions of whoever is to move in the rows that wait. Returns shape [B], int64."""
        a, actions = self.table.arrays, np.zeros(self.num_envs, np.int64)
        rows = waiting.copy()
        for place, agent in self._agents.items():
            its_own = waiting & (self._progress.met == place)
            if its_own.any():
                actions[its_own] = ask_batch(agent, self.table, its_own)[its_own]
                rows &= ~its_own
        if rows.any():
            actions[rows] = self.league.act(
                self._network[rows], a.observations[rows], a.masks[rows]
            )
        return actions

    def _take_in(self, outcome: Outcome, rows: np.ndarray, seats: np.ndarray) -> None:
        """Enter what the table's last step has brought.

        An episode that ends before the learner has decided anything is passed over.

        Args:
            outcome: What the learner is told; written.
            rows: Shape [B], bool: where a move was made.
            seats: Shape [B], int64: where the learner sat then.
        """
        a, progress = self.table.arrays, self._progress
        enter_step(a, (rows, seats), progress, outcome, self._tally)
        ended = rows & a.is_over
        if not ended.any():
            return
        told = np.flatnonzero(ended & (progress.n_decisions > 0))
        self._finals[told] = a.final_observations[told]
        if PAST in self.opponents:
            told = told[self._network[told] != PRESENT]
            self.league.note(self._network[told], progress.points[told])
        self._begin(ended)

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

    def _infos(self, outcome: Outcome) -> list[dict[str, Any]]:
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        seconds = round(time.time() - self._started, 6)
        for row in np.flatnonzero(outcome.is_over):
            last = np.zeros(self.observation_space.shape or (), np.float32)
            last[: self.table.observation_size] = self._finals[row]
            infos[row] = {
                "episode": {
                    "r": float(outcome.total[row]),
                    "l": int(outcome.n_decisions[row]),
                    "t": seconds,
                },
                "seat": int(outcome.seat[row]),
                "terminal_observation": last,
            }
        return infos
