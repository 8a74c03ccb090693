"""Random legal play through a face, and the same play once more with the choices known.

The second time measures the face by itself: it repeats everything but the choosing.
"""

from abc import ABC, abstractmethod
from copy import deepcopy
from typing import Any, NamedTuple

import gymnasium
import numpy as np

import gin_env
from benchmarks.figures import Effort
from benchmarks.measured_loops import as_quads, choose_at_random
from benchmarks.timing import Sample, find_size, time_once
from gin_env.core.batch import Batch
from gin_env.core.state import seed_words
from gin_env.envs.aec import GinRummyAEC

SEED = 1
CHOICE_STREAM = 200
"""Stream of `seed_words` for random choices; games use the low numbers."""
N_MIXING = 200
"""Steps until games that were dealt at the same time are at all stages of a hand."""


class PlayTimes(NamedTuple):
    """Repetitions of a play, and of the same with the choices known."""

    chosen: list[Sample]
    known: list[Sample]


class RandomPlay(ABC):
    """A face with games under way.

    Attributes:
        face: What is played on; it can be copied as it stands.
        actions: One row a step, int64.
    """

    face: Any
    actions: np.ndarray
    row_shape: tuple[int, ...] = ()

    def make_room(self, n_steps: int) -> None:
        """Make ``actions`` as long as so many steps."""
        self.actions = np.zeros((n_steps, *self.row_shape), np.int64)

    @abstractmethod
    def choose(self) -> int:
        """Play a step for every row of ``actions``, choosing them. Returns the decisions."""

    def follow(self) -> int:
        """Play ``actions`` as they are. Returns how many they are."""
        step = self.face.step
        for actions in self.actions:
            step(actions)
        return self.actions.size


def measure_play(play: RandomPlay, effort: Effort) -> PlayTimes:
    """Measure a play both ways, in turn."""

    def choose(n_steps: int) -> int:
        play.make_room(n_steps)
        return play.choose()

    play.make_room(find_size(choose, effort.seconds))
    times = PlayTimes([], [])
    for _ in range(effort.n_repetitions):
        before = deepcopy(play.face)
        times.chosen.append(time_once(play.choose))
        play.face, after = before, play.face
        known = time_once(play.follow)
        play.face = after
        times.known.append(known._replace(n_done=times.chosen[-1].n_done))
    return times


class BatchPlay(RandomPlay):
    """A batch of single hands; a game that ends is dealt anew in the same step."""

    face: Batch

    def __init__(self, n_games: int) -> None:
        self.face, self.row_shape = Batch(n_games), (n_games,)
        self.face.reset(SEED)
        self.words = _choice_words(n_games)
        self.make_room(N_MIXING)
        self.choose()

    def choose(self) -> int:
        """Choose, step, and so on."""
        quads, words, step = as_quads(self.face.arrays.masks), self.words, self.face.step
        for actions in self.actions:
            choose_at_random(quads, words, actions)
            step(actions)
        return self.actions.size


class AECPlay(RandomPlay):
    """Single hands through `last` and `step`; a hand that ends is followed by a reset."""

    face: GinRummyAEC

    def __init__(self) -> None:
        self.face = gin_env.env()
        self.face.reset(seed=SEED)
        self._random = np.random.default_rng(SEED).random

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

    def follow(self) -> int:
        """Look, step, and so on."""
        face = self.face
        for action in self.actions:
            if face.last()[2]:
                face.reset()
                face.last()
            face.step(action)
        return len(self.actions)


class VectorPlay(RandomPlay):
    """The learner's side of many games, as `gymnasium.make_vec` makes them by default."""

    face: gymnasium.vector.VectorEnv[np.ndarray, np.ndarray, np.ndarray]

    def __init__(self, n_games: int, opponent: str) -> None:
        self.face = gymnasium.make_vec("gin_env/GinRummy-v0", num_envs=n_games, opponent=opponent)
        self.row_shape = (n_games,)
        _, infos = self.face.reset(seed=SEED)
        self._masks = infos["action_mask"]
        self.words = _choice_words(n_games)
        self.make_room(N_MIXING)
        self.choose()

    def choose(self) -> int:
        """Choose, step, and so on. A game that begins anew in a step has no decision there."""
        masks, words, step = self._masks, self.words, self.face.step
        n_done = 0
        for actions in self.actions:
            n_done += choose_at_random(as_quads(masks), words, actions)
            masks = step(actions)[4]["action_mask"]
        self._masks = masks
        return n_done


def _choice_words(n_games: int) -> np.ndarray:
    return seed_words(np.arange(n_games, dtype=np.uint64), CHOICE_STREAM)
