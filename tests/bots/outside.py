"""Opponents from outside the kernels, for tests: a function, and bots in disguise."""

import numpy as np

from gin_env import bots
from gin_env.core.actions import BIG_GIN, DISCARD, DRAW, KNOCK, PASS, TAKE
from gin_env.core.observe import OBS_LAYOUT
from gin_env.players import BotPlayer, Turn

BLOCKS = {block.name: block.slice for block in OBS_LAYOUT}


def greedy_by_eye(observation: np.ndarray, action_mask: np.ndarray) -> int:
    """The greedy bot over again, out of the observation and the mask."""
    after = np.rint(observation[BLOCKS["deadwood_after"]] * 100)
    deadwood = np.rint(observation[BLOCKS["deadwood"]] * 100)[0]
    if action_mask[BIG_GIN]:
        return BIG_GIN
    discards = np.flatnonzero(action_mask[DISCARD:KNOCK])
    if len(discards) == 0:
        is_wanted = action_mask[TAKE] and after.min() < deadwood
        return TAKE if is_wanted else PASS if action_mask[PASS] else DRAW
    least = after[discards].min()
    card = max((card for card in discards if after[card] == least), key=lambda c: (c % 13, -c))
    return int(KNOCK + card if action_mask[KNOCK + card] else DISCARD + card)


class Outside:
    """A bot of ours as a player from outside: the kernel does not know it."""

    extras: tuple[str, ...] = ()

    def __init__(self, name: str) -> None:
        self._bot, self.name = BotPlayer(bots.make(name)), f"outside {name}"

    def reset(self, seeds: np.ndarray, seat: int, rows: np.ndarray | None = None) -> None:
        """Begin new games."""
        self._bot.reset(seeds, seat, rows)

    def act(self, turn: Turn) -> np.ndarray:
        """What the bot chooses."""
        return self._bot.act(turn)


class Watcher(Outside):
    """Keeps what it is handed."""

    def __init__(self, extras: tuple[str, ...] = ()) -> None:
        super().__init__("medium")
        self.extras = extras
        self.turns: list[Turn] = []
        self.begun: list[tuple[list[int], int, list[bool] | None]] = []

    def reset(self, seeds: np.ndarray, seat: int, rows: np.ndarray | None = None) -> None:
        """Begin new games, and remember which."""
        super().reset(seeds, seat, rows)
        self.begun.append((seeds.tolist(), seat, None if rows is None else rows.tolist()))

    def act(self, turn: Turn) -> np.ndarray:
        """What the bot chooses, remembering what it was asked."""
        self.turns.append(turn)
        return super().act(turn)
