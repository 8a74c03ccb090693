"""Random legal play through a face, and the same play once more with the choices known.

The second time tells what the face costs by itself: everything but the choosing is repeated.
"""

from abc import ABC, abstractmethod
from copy import deepcopy
from functools import partial
from typing import Any, NamedTuple

import gymnasium
import numpy as np

import gin_env
from benchmarks.figures import Effort, Sample, find_size, time_once
from benchmarks.measured_loops import as_quads, choose_at_random
from gin_env.core.batch import Batch
from gin_env.core.state import seed_words
from gin_env.envs.aec import GinRummyAEC

SEED = 1
CHOICE_STREAM = 200
"""Stream of `seed_words` for random choices; games use the low numbers."""
N_MIXING = 200
"""Steps until games that were dealt at the same time are at all stages of a hand."""


class Played(NamedTuple):
    """Repetitions of a play, and of the same with the choices known."""

    chosen: list[Sample]
    known: list[Sample]


class RandomPlay(ABC):
    """A face with games under way.

    Attributes:
        face: What is played on; it can be copied as it stands.
        actions: One entry a step.
    """

    face: Any
    actions: np.ndarray
    n_done: int

    @abstractmethod
    def make_room(self, n_steps: int) -> np.ndarray:
        """Room for the actions of so many steps; the first length is the number of steps."""

    @abstractmethod
    def choose(self) -> int:
        """Play a step for every entry of ``actions``, choosing them. Returns the decisions."""

    @abstractmethod
    def follow(self) -> None:
        """Play ``actions`` as they are."""


def measure_play(play: RandomPlay, effort: Effort) -> Played:
    """Measure a play both ways, in turn."""

    def choose(n_steps: int) -> int:
        play.actions = play.make_room(n_steps)
        return play.choose()

    n_steps = find_size(choose, effort.seconds)
    play.actions = play.make_room(n_steps)
    played = Played([], [])
    for _ in range(effort.n_repetitions):
        before = deepcopy(play.face)
        chosen = time_once(play.choose)
        play.face, after = before, play.face
        known = time_once(partial(_follow, play, chosen.n_done))
        play.face = after
        played.chosen.append(chosen)
        played.known.append(known)
    return played


def _follow(play: RandomPlay, n_done: int) -> int:
    play.follow()
    return n_done


class BatchPlay(RandomPlay):
    """A batch of single hands; a game that ends is dealt anew in the same step."""

    face: Batch

    def __init__(self, n_games: int) -> None:
        self.face = Batch(n_games)
        self.face.reset(SEED)
        self.words = _choice_words(n_games)
        self.actions = self.make_room(N_MIXING)
        self.choose()

    def make_room(self, n_steps: int) -> np.ndarray:
        """Shape [n_steps, B], int64."""
        return np.zeros((n_steps, len(self.face)), np.int64)

    def choose(self) -> int:
        """Choose, step, and so on."""
        quads, words, step = as_quads(self.face.arrays.masks), self.words, self.face.step
        for actions in self.actions:
            choose_at_random(quads, words, actions)
            step(actions)
        return self.actions.size

    def follow(self) -> None:
        """Step after step."""
        step = self.face.step
        for actions in self.actions:
            step(actions)


class AECPlay(RandomPlay):
    """Single hands through `last` and `step`; a hand that ends is followed by a reset."""

    face: GinRummyAEC

    def __init__(self) -> None:
        self.face = gin_env.env()
        self.face.reset(seed=SEED)
        self._random = np.random.default_rng(SEED).random

    def make_room(self, n_steps: int) -> np.ndarray:
        """Shape [n_steps], int64."""
        return np.zeros(n_steps, np.int64)

    def choose(self) -> int:
        """Look, choose, step, and so on."""
        face, actions, random = self.face, self.actions, self._random
        for place in range(len(actions)):
            observation, _, is_over, _, _ = face.last()
            if is_over:
                face.reset()
                observation = face.last()[0]
            assert observation is not None
            legal = np.flatnonzero(observation["action_mask"])
            actions[place] = legal[int(random() * len(legal))]
            face.step(actions[place])
        return len(actions)

    def follow(self) -> None:
        """Look, step, and so on."""
        face = self.face
        for action in self.actions:
            if face.last()[2]:
                face.reset()
                face.last()
            face.step(action)


class VectorPlay(RandomPlay):
    """The learner's side of many games, as `gymnasium.make_vec` makes them by default."""

    face: gymnasium.vector.VectorEnv[np.ndarray, np.ndarray, np.ndarray]

    def __init__(self, n_games: int, opponent: str) -> None:
        self.face = gymnasium.make_vec("gin_env/GinRummy-v0", num_envs=n_games, opponent=opponent)
        _, infos = self.face.reset(seed=SEED)
        self._masks = infos["action_mask"]
        self.words = _choice_words(n_games)
        self.actions = self.make_room(N_MIXING)
        self.choose()

    def make_room(self, n_steps: int) -> np.ndarray:
        """Shape [n_steps, B], int64."""
        return np.zeros((n_steps, self.face.num_envs), np.int64)

    def choose(self) -> int:
        """Choose, step, and so on. A game that begins anew in a step has no decision there."""
        masks, words, step = self._masks, self.words, self.face.step
        n_done = 0
        for actions in self.actions:
            n_done += choose_at_random(as_quads(masks), words, actions)
            masks = step(actions)[4]["action_mask"]
        self._masks = masks
        return n_done

    def follow(self) -> None:
        """Step after step."""
        step = self.face.step
        for actions in self.actions:
            step(actions)


def _choice_words(n_games: int) -> np.ndarray:
    seeds = np.arange(n_games, dtype=np.uint64)
    return seed_words(seeds, CHOICE_STREAM)
