"""Follows the hands of games, and hands each one on as it ends."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from gin_env.core.rules import Episode, Rules
from gin_env.core.state import STATE_DTYPE
from gin_env.errors import OptionError
from gin_env.history.hand import Hand
from gin_env.history.lines import Writer
from gin_env.history.verify import read_end
from gin_env.players.protocol import FORFEIT

_FIRST_ROOM = 64
"""Actions that a hand has room for at first."""

Names = tuple[str, str]


class Recorder:
    """Follows B games through their hands; hands that do not end are left out.

    Whoever runs the games tells it of every episode that begins (`begin`), of every action
    (`follow`), and of every hand that ends (`end`). Copies and pickles of a recorder are None: what
    a copy of an environment plays is not recorded.

    Args:
        n_games: How many games, B.
        rules: Of all of them.
        episode: Likewise.
        out: A file to append to, or a function that takes the hands of a step as they end.
        penalty: What a forfeit costs, points.

    Raises:
        HistoryError: If the file cannot be written, or holds something else.
        OptionError: If ``out`` is none of these.
    """

    def __init__(
        self,
        n_games: int,
        rules: Rules,
        episode: Episode,
        out: str | Path | Callable[[Iterable[Hand]], None],
        penalty: int,
    ) -> None:
        self._writer: Writer | None = None
        self._write: Callable[[Iterable[Hand]], None]
        if isinstance(out, (str, Path)):
            self._writer = Writer(out)
            self._write = self._writer.write
        elif callable(out):
            self._write = out
        else:
            raise OptionError(f"record must be the path of a file, not {out!r}")
        self._rules, self._episode, self._penalty = rules, episode, penalty
        self._dealt = np.zeros(n_games, STATE_DTYPE)
        self._actions = np.zeros((n_games, _FIRST_ROOM), np.int8)
        self._n_actions = np.zeros(n_games, np.int64)
        self._names: list[Names] = [("", "")] * n_games
        self._seeds: list[int | None] = [None] * n_games
        self._n_begun = np.zeros(n_games, np.int64)

    def begin(
        self,
        rows: np.ndarray,
        games: np.ndarray,
        names: Sequence[Names],
        seeds: Sequence[int] | np.ndarray | None = None,
    ) -> None:
        """An episode has begun in some games.

        Args:
            rows: Which games. Shape [K], int64.
            games: All games as they stand now. Shape [B], `STATE_DTYPE`.
            names: Who sits on seat 0 and on seat 1 in each of the K games.
            seeds: The seeds that those K games were given, if they were.
        """
        for place, row in enumerate(rows.tolist()):
            self._names[row] = names[place]
            if seeds is not None:
                self._seeds[row] = int(seeds[place])
                self._n_begun[row] = 0
        self._n_begun[rows] += 1
        self._lay_out(rows, games)

    def follow(self, rows: np.ndarray, actions: np.ndarray) -> None:
        """An action was played in some games.

        Args:
            rows: Which games. Shape [K], int64.
            actions: Shape [K], int64; `FORFEIT` where the hand was given up.
        """
        places = self._n_actions[rows]
        if len(rows) and places.max() == self._actions.shape[1]:
            self._actions = np.concatenate([self._actions, np.zeros_like(self._actions)], axis=1)
        self._actions[rows, places] = actions
        self._n_actions[rows] += 1

    def end(self, rows: np.ndarray, ends: np.ndarray, games: np.ndarray) -> None:
        """Hands have ended in some games with the actions that were followed last.

        Args:
            rows: Which games. Shape [K], int64.
            ends: How. Shape [K], `HAND_END_DTYPE`.
            games: All games as they stand now: with the next hand, where there is one. Shape [B],
                `STATE_DTYPE`.

        Raises:
            HistoryError: If a hand cannot be written.
        """
        pairs = zip(rows.tolist(), ends, strict=True)
        hands = [self._make_hand(row, end) for row, end in pairs]
        self._lay_out(rows, games)
        self._write(hands)

    def close(self) -> None:
        """Let go of the file; a later hand opens it again."""
        if self._writer is not None:
            self._writer.close()

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()

    def _lay_out(self, rows: np.ndarray, games: np.ndarray) -> None:
        self._dealt[rows] = games[rows]
        self._n_actions[rows] = 0

    def _make_hand(self, row: int, end: np.void) -> Hand:
        return make_hand(
            self._dealt[row],
            self._actions[row, : self._n_actions[row]].tolist(),
            end,
            rules=self._rules,
            episode=self._episode,
            players=self._names[row],
            seed=self._seeds[row],
            row=row,
            game=int(self._n_begun[row]) - 1,
            penalty=self._penalty,
        )


def make_hand(
    dealt: np.void,
    actions: Sequence[int],
    end: np.void,
    *,
    rules: Rules,
    episode: Episode,
    players: Names,
    seed: int | None,
    row: int = 0,
    game: int = 0,
    penalty: int,
) -> Hand:
    """Write down a hand that has ended.

    Args:
        dealt: Its state as dealt, a record of `STATE_DTYPE`.
        actions: All actions since; `FORFEIT` for one that gave it up.
        end: How it ended, a record of `HAND_END_DTYPE`.
        rules: See `Hand`; likewise what follows.
        episode: Hand or match.
        players: Who sat on seat 0 and on seat 1.
        seed: Of the game.
        row: Which game.
        game: Which episode since the seed.
        penalty: What a forfeit costs, points.
    """
    return Hand(
        rules=rules,
        episode=episode,
        players=players,
        seed=seed,
        row=row,
        game=game,
        hand=int(dealt["n_hands"]),
        dealer=int(dealt["dealer"]),
        deck=tuple(dealt["deck"].tolist()),
        hands_won=tuple(dealt["hands_won"].tolist()),
        totals=tuple(dealt["totals"].tolist()),
        actions=tuple(actions),
        penalty=penalty if FORFEIT in actions else None,
        **read_end(rules.row(episode), end)._asdict(),
    )
