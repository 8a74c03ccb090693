"""The league: the learner's present self and its past selves as opponents.

Past selves are frozen copies of its policy. The fewer points the learner has won against one
lately, the more often it is met.
"""

from typing import Any, NamedTuple

import numpy as np
import torch

from gin_env.players import Turn
from training.config.run_config import LeagueConfig
from training.env.sampling import pick_rows
from training.errors import RunError
from training.policy import Actor

PRESENT = -1
"""In place of a past self's place: the present self."""

PRIOR_EPISODES = 200
"""Each past self starts as if it had played so many even episodes."""

PRESSURE = 10.0
"""A past self is met e times as often for each tenth of a standard deviation that the learner wins
less against it."""

KEPT_OF_RECORD = 0.5
"""Factor on the records when a past self is added, since the learner has changed meanwhile."""


class PastSelf(NamedTuple):
    """A frozen copy of the policy."""

    actor: Actor
    n_decisions: int
    """How many the learner had learned from by then."""


class League:
    """The networks that are met, and how the learner does against them.

    Args:
        config: How many are kept, and how they are met.
        seed: Of the generator that draws opponents and their moves.
    """

    def __init__(self, config: LeagueConfig, seed: int) -> None:
        self.config = config
        self.present: Actor | None = None
        self.past: list[PastSelf] = []
        # Against each of `past`, faded by `KEPT_OF_RECORD`: episodes, points, and points squared.
        self.records = np.zeros((0, 3))
        self._rng = np.random.default_rng(seed)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the present self, which the model saves; it is bound again."""
        return {**self.__dict__, "present": None}

    def bind(self, present: Actor) -> None:
        """Take this policy, which goes on learning, as the present self."""
        self.present = present

    def add(self, actor: Actor, n_decisions: int) -> int | None:
        """Keep a frozen copy of a policy.

        Returns:
            The place of the past self that it replaces, the easiest to beat; None while there is
            room.
        """
        self.records *= KEPT_OF_RECORD
        replaced = None
        if len(self.past) == self.config.size:
            replaced = int(self.chances().argmin())
            del self.past[replaced]
            self.records = np.delete(self.records, replaced, axis=0)
        self.past.append(PastSelf(actor, n_decisions))
        self.records = np.vstack([self.records, np.zeros(3)])
        return replaced

    def means(self) -> np.ndarray:
        """Points an episode against each past self, shrunk towards 0. Shape [P], float64."""
        means: np.ndarray = self.records[:, 1] / (self.records[:, 0] + PRIOR_EPISODES)
        return means

    def chances(self) -> np.ndarray:
        """How often each past self is met. Shape [P], float64, sums to 1."""
        n_of, _, squares = self.records.sum(axis=0)
        deviation = np.sqrt(squares / n_of) if squares > 0 else 1.0
        weights = np.exp(-PRESSURE * (self.means() - self.means().min()) / deviation)
        floor = self.config.floor
        chances: np.ndarray = floor / len(weights) + (1 - floor) * weights / weights.sum()
        return chances

    def draw(self, n: int) -> np.ndarray:
        """Draw whom to meet. Returns places in ``past``: shape [n], int64.

        Raises:
            RunError: If there is no past self.
        """
        if not self.past:
            raise RunError("there is no past self to meet: add one before the games begin")
        return self._rng.choice(len(self.past), n, p=self.chances())

    def note(self, whom: np.ndarray, points: np.ndarray) -> None:
        """Enter ended episodes into the records.

        Args:
            whom: Shape [K], int64: places in ``past``.
            points: Shape [K]: what the learner won.
        """
        entries = np.stack([np.ones(len(points)), points, np.square(points)], axis=1)
        np.add.at(self.records, whom, entries)

    def act(self, whom: np.ndarray, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Choose actions, each network for all its games at once.

        Args:
            whom: Shape [K], int64: places in ``past``, or -1 for the present self.
            observations: Shape [K, N], float32.
            masks: Shape [K, 108], int8.

        Returns:
            Shape [K], int64.

        Raises:
            RunError: If the present self is to move and was not bound.
        """
        logits = np.empty(masks.shape, np.float32)
        for one in np.unique(whom):
            rows = whom == one
            actor = self.present if one == PRESENT else self.past[one].actor
            if actor is None:
                raise RunError("there is no present self to meet: bind it before the games")
            seen = torch.as_tensor(observations[rows], device=actor.device)
            with torch.no_grad():
                logits[rows] = actor(seen).numpy(force=True)
        drawn = np.full(len(whom), -1.0) if self.config.greedy else self._rng.random(len(whom))
        actions = np.zeros(len(whom), np.int64)
        pick_rows(logits, masks, drawn, actions)
        return actions


class LeaguePlayer:
    """Whoever is met as ``self`` or ``past``: a network of the league in each game.

    Attributes:
        network: Which one: a place among the past selves, or `PRESENT`. Shape [B], int64.
    """

    name = "league"

    def __init__(self, league: League, n_games: int, extras: tuple[str, ...]) -> None:
        self.extras = extras
        self.network = np.full(n_games, PRESENT, np.int64)
        self._league = league

    def reset(self, seeds: np.ndarray, seat: int, rows: np.ndarray | None = None) -> None:
        """Nothing to forget: a network sees one observation at a time."""

    def act(self, turn: Turn) -> np.ndarray:
        """See `gin_env.players.Player.act`."""
        return self._league.act(self.network[turn.rows], turn.observations, turn.masks)
