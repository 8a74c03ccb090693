"""Measure other environments on random legal play: prints one JSON object a peer.

    measure_peers.py N_REPETITIONS SECONDS

Run by the Python of the peers' own environment, which knows nothing of gin_env. Each is played by
the shortest loop that its interface allows, and writes a mask and a full observation for every
decision.
"""

import json
import sys
from abc import ABC, abstractmethod
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))  # that Python does not know of this package
from benchmarks.timing import repeat

SEED = 1


class Peer(ABC):
    """Another environment, on random legal play."""

    name: str
    work: str
    packages: tuple[str, ...]

    def play(self, n_hands: int) -> int:
        """Play hands. Returns the decisions."""
        return sum(self.play_hand() for _ in range(n_hands))

    @abstractmethod
    def play_hand(self) -> int:
        """Play one hand. Returns the decisions."""


class OpenSpiel(Peer):
    """OpenSpiel: states cloned from one that is made once, observations in one buffer.

    The cards come from a shuffled deck, which spares it the lists of chance outcomes; the mask is
    written from the legal actions, which is faster than its own list of zeros and ones.
    """

    name = "openspiel"
    work = "OpenSpiel gin_rummy, random legal play"
    packages = ("open_spiel",)

    def __init__(self) -> None:
        import pyspiel  # type: ignore[import-not-found]  # noqa: PLC0415
        from open_spiel.python.observation import (  # type: ignore[import-not-found]  # noqa: PLC0415
            make_observation,
        )

        game = pyspiel.load_game("gin_rummy")
        self._root = game.new_initial_state()
        self._observation = make_observation(game)
        self._mask = np.zeros(game.num_distinct_actions(), np.int8)
        self._chance, self._terminal = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)
        self._rng = Random(SEED)

    def play_hand(self) -> int:
        """See `Peer`."""
        random, mask, chance, terminal = self._rng.random, self._mask, self._chance, self._terminal
        state, deck = self._root.clone(), list(range(52))
        self._rng.shuffle(deck)
        draw, n_decisions = iter(deck).__next__, 0
        apply_action, to_move = state.apply_action, state.current_player
        legal_actions, observe = state.legal_actions, self._observation.set_from
        while (player := to_move()) != terminal:
            if player == chance:
                apply_action(draw())
                continue
            observe(state, player)
            legal = legal_actions()
            mask[:] = 0
            for action in legal:
                mask[action] = 1
            apply_action(legal[int(random() * len(legal))])
            n_decisions += 1
        return n_decisions


class OpenSpielBots(Peer):
    """OpenSpiel's own random bots: the whole hand in C++, without masks or observations."""

    name = "openspiel_bare"
    work = "OpenSpiel gin_rummy, its random bots in C++, no masks, no observations"
    packages = ("open_spiel",)

    def __init__(self) -> None:
        import pyspiel  # noqa: PLC0415

        self._evaluate = pyspiel.evaluate_bots
        self._root = pyspiel.load_game("gin_rummy").new_initial_state()
        self._bots = [pyspiel.make_uniform_random_bot(seat, SEED + seat) for seat in (0, 1)]
        self._n_hands = 0

    def play_hand(self) -> int:
        """See `Peer`."""
        state = self._root.clone()
        self._evaluate(state, self._bots, SEED + self._n_hands)
        self._n_hands += 1
        moves: list[int] = state.history()[_N_DEALT:]
        return len(moves) - moves.count(_STOCK_ACTION)  # chance answers each of these


class PettingZoo(Peer):
    """PettingZoo's gin_rummy_v4, without the wrappers that check what is done to it."""

    name = "pettingzoo"
    work = "PettingZoo gin_rummy_v4, last() and step(), random legal play"
    packages = ("pettingzoo", "rlcard")

    def __init__(self) -> None:
        from pettingzoo.classic import gin_rummy_v4  # noqa: PLC0415

        self._env = gin_rummy_v4.raw_env()
        self._rng = Random(SEED)
        self._n_hands = 0

    def play_hand(self) -> int:
        """See `Peer`."""
        env, random, n_decisions = self._env, self._rng.random, 0
        env.reset(seed=SEED + self._n_hands)
        self._n_hands += 1
        while True:
            observation, _, is_over, _, _ = env.last()
            if is_over:
                return n_decisions
            legal = np.flatnonzero(observation["action_mask"])
            env.step(int(legal[int(random() * len(legal))]))
            n_decisions += 1


_N_DEALT = 21
"""Cards that OpenSpiel deals before the first decision, each a move of chance."""
_STOCK_ACTION = 53
"""OpenSpiel's action of drawing from the stock."""

PEERS: tuple[type[Peer], ...] = (OpenSpiel, OpenSpielBots, PettingZoo)


def main(n_repetitions: int, seconds: float) -> None:
    """Measure every peer that is installed, and say what keeps the others from it."""
    for peer in PEERS:
        found: dict[str, Any] = {"name": peer.name, "work": peer.work}
        try:
            found["versions"] = {package: version(package) for package in peer.packages}
            found["samples"] = repeat(peer().play, n_repetitions, seconds)
        except ImportError as error:
            found["missing"] = str(error)
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
