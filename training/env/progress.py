"""What a learner's episodes come to: accounts that each step of its table is entered into."""

from typing import NamedTuple

import numpy as np

from gin_env.core.jit import kernel
from gin_env.core.rows import Arrays


class Progress(NamedTuple):
    """What a learner's episodes have come to, by row. Shape [B], int64 each."""

    met: np.ndarray
    """Whom the learner meets: a place in a list of opponents."""
    points: np.ndarray
    """What it has won in this episode."""
    n_decisions: np.ndarray
    carried: np.ndarray
    """Points from before its first decision: the next step tells of them."""


class Outcome(NamedTuple):
    """What a step has brought the learner. Shape [B] each, int64 but for ``is_over``, bool.

    The last three are filled in where an episode of the learner's is over.
    """

    points: np.ndarray
    is_over: np.ndarray
    total: np.ndarray
    """Points of the episode."""
    n_decisions: np.ndarray
    seat: np.ndarray


class Tally(NamedTuple):
    """What became of the episodes against each opponent. Shape [K], int64 each."""

    episodes: np.ndarray
    points: np.ndarray
    """The learner's."""
    won: np.ndarray
    """Episodes that brought the learner points."""


def make_outcome(n_games: int) -> Outcome:
    """The outcome of a step that has brought nothing yet."""
    points, *last = (np.zeros(n_games, np.int64) for _ in range(4))
    return Outcome(points, np.zeros(n_games, bool), *last)


def make_tally(n_opponents: int) -> Tally:
    """A tally without an episode."""
    return Tally(*(np.zeros(n_opponents, np.int64) for _ in Tally._fields))


@kernel
def enter_step(
    a: Arrays,
    moved: tuple[np.ndarray, np.ndarray],
    progress: Progress,
    outcome: Outcome,
    tally: Tally,
) -> None:
    """Enter what a table's last step has brought.

    An episode that ends before the learner has decided anything is not told of.

    Args:
        a: The table's.
        moved: Where a move was made, shape [B], bool; where the learner sat then, int64.
        progress: Likewise, and the others: written.
        outcome: What the learner is told.
        tally: What is counted.
    """
    rows, seats = moved
    for row in range(len(rows)):
        if not rows[row]:
            continue
        paid = a.rewards[row]
        if progress.n_decisions[row] == 0:
            progress.carried[row] += paid
            continue
        outcome.points[row] += paid
        progress.points[row] += paid
        if a.is_over[row]:
            points, met = progress.points[row], progress.met[row]
            outcome.is_over[row] = True
            outcome.total[row] = points
            outcome.n_decisions[row] = progress.n_decisions[row]
            outcome.seat[row] = seats[row]
            tally.episodes[met] += 1
            tally.points[met] += points
            tally.won[met] += points > 0
