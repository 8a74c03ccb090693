"""What a player and whoever runs the games hand each other: turns, moves and ends, verdicts."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from gin_env.values.messages import VerdictKind
from gin_env.values.result import HandResult

FORFEIT = -1
"""In place of an action: the hand is given up, at the price of an illegal action."""


@dataclass(frozen=True)
class Turn:
    """Decisions to make: one row for each game in which the player is to move.

    Attributes:
        rules_row: The rules, a record of `RULES_DTYPE`.
        rows: Which games of those begun. Shape [K], int64.
        views: Shape [K], `VIEW_DTYPE`.
        observations: Shape [K, N], float32, with the blocks that the player asks for.
        masks: Shape [K, 108], int8.
    """

    rules_row: np.void
    rows: np.ndarray
    views: np.ndarray
    observations: np.ndarray
    masks: np.ndarray


class Verdict(NamedTuple):
    """Why a player gave up a hand."""

    row: int
    """The game, numbered as in ``Turn.rows``."""
    kind: VerdictKind
    text: str
    """What was wrong, in one line."""


@runtime_checkable
class Player(Protocol):
    """Decides for its seats in a number of games.

    A player with an attribute ``reads_views = True`` decides from ``views``; its turns hold empty
    observations. One with an attribute ``may_forfeit = True`` may answer `FORFEIT` for a row. It
    keeps a list ``verdicts`` of `Verdict`, to which it adds the reason each time.

    Attributes:
        name: What tables and reports call it.
        extras: The optional observation blocks that it needs.
    """

    name: str
    extras: tuple[str, ...]

    def reset(self, seeds: np.ndarray, seat: int, rows: np.ndarray | None = None) -> None:
        """Begin new games, and forget those that they replace.

        Args:
            seeds: Shape [B], uint64: the games' seeds, for its own random choices.
            seat: 0 or 1; the same player at the two seats chooses independently.
            rows: Shape [B], bool: which games begin; all of B where none is given, and no others
                are left.
        """

    def act(self, turn: Turn) -> np.ndarray:
        """Choose a legal action for each row of the turn. Returns shape [K], int64."""


@runtime_checkable
class Watcher(Protocol):
    """A player that follows its games also where others move; whoever runs them tells it."""

    def see_moves(self, rows: np.ndarray, seat: int, actions: np.ndarray) -> None:
        """See what a seat plays, its own moves included, before anybody is asked again.

        Args:
            rows: The games, numbered as in ``Turn.rows``. Shape [K], int64.
            seat: Whose moves these are, 0 or 1.
            actions: Shape [K], int64; `FORFEIT` where the seat forfeits the hand.
        """

    def see_ends(self, rows: np.ndarray, results: list[HandResult]) -> None:
        """See how hands ended, right after the moves that ended them.

        A result holds both hands. Unless there is a knocker, neither was shown.

        Args:
            rows: The games, numbered as in ``Turn.rows``. Shape [K], int64.
            results: One for each of them.
        """
