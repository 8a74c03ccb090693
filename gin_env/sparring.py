"""Games of a learner against anyone: what the Gymnasium faces stand on.

A bot of ours answers inside the kernel; any other player is asked between steps. Without an
opponent the learner plays both seats.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from gin_env.bots.table import BY_LOT, Table
from gin_env.core.batch import Autoreset, Batch, Illegal, check_seeds, encode_views
from gin_env.core.errors import GinError, PlayerError
from gin_env.core.match import LOT
from gin_env.core.rows import NO_ROW, find_illegal
from gin_env.core.rules import Episode, Rules
from gin_env.players import BotPlayer, Player, Turn, resolve

SEATS = {"random": BY_LOT, 0: 0, 1: 1}
"""What may be said of the learner's seat."""


class Sparring:
    """B games of a learner against one opponent.

    Args:
        n_games: How many games, B.
        opponent: Whoever `gin_env.players.resolve` takes; None to let the learner play both seats.
        seat: The learner's seat: 0, 1, or ``"random"`` to draw it for every episode.
        rules: A preset's name, a mapping of fields, or `Rules`.
        episode: ``"hand"`` or ``"match"``.
        extras: Optional observation blocks.
        autoreset: As for `Batch`; likewise illegal and illegal_penalty.

    Attributes:
        batch: The games; its ``arrays`` hold observations, masks and seats of the learner.
        rewards: Shape [B], int64: points that the last step paid to the learner; where it plays
            both seats, to the seat that acted.
        is_over: Shape [B], bool: the last step ended the episode.
        final_observations: Shape [B, N], float32: the learner's, in rows whose episode has ended.

    Raises:
        GinError: If an argument is none of these.
    """

    def __init__(
        self,
        n_games: int,
        *,
        opponent: Any = "medium",
        seat: str | int = "random",
        rules: str | Mapping[str, Any] | Rules = "standard",
        episode: Episode = "hand",
        extras: Iterable[str] = (),
        autoreset: Autoreset = "same_step",
        illegal: Illegal = "raise",
        illegal_penalty: int = 50,
    ) -> None:
        if isinstance(seat, bool) or seat not in SEATS:
            raise GinError(f"seat must be 'random', 0 or 1, not {seat!r}")
        player = None if opponent is None else resolve(opponent)
        options: dict[str, Any] = {
            "episode": episode,
            "extras": extras,
            "autoreset": autoreset,
            "illegal": illegal,
            "illegal_penalty": illegal_penalty,
        }
        self.batch: Batch
        if player is None:
            self.batch = Batch(n_games, rules, **options)
        else:
            bot = player.bot if isinstance(player, BotPlayer) else None
            self.batch = Table(n_games, rules, opponents=[bot], seat=SEATS[seat], **options)
        self._outsider: Player | None = None if isinstance(player, BotPlayer) else player
        arrays = self.batch.arrays
        self.rewards = np.zeros(n_games, np.int64)
        self.is_over = np.zeros(n_games, bool)
        self.final_observations = np.zeros_like(arrays.observations)
        self._carried = np.zeros(n_games, np.int64)

    def __len__(self) -> int:
        """How many games."""
        return len(self.batch)

    def reset(
        self,
        seeds: int | np.ndarray | None = None,
        *,
        dealers: int | np.ndarray = LOT,
        rows: np.ndarray | None = None,
    ) -> None:
        """Begin new episodes; arguments as for `Batch.reset`."""
        if self._outsider is not None and (seeds is not None or not self.batch.is_begun):
            if seeds is None:
                seeds = np.random.SeedSequence().generate_state(len(self), np.uint64)
            seeds = check_seeds(seeds, len(self))
            self._outsider.reset(seeds, 1)
        self.batch.reset(seeds, dealers=dealers, rows=rows)
        fresh = np.ones(len(self), bool) if rows is None else rows.copy()
        self.rewards[fresh] = 0
        self.is_over[fresh] = False
        self._carried[fresh] = 0
        self._let_outsider_move(fresh)

    def step(self, actions: np.ndarray) -> None:
        """Play the learner's action in every row, and whatever the opponent answers.

        Raises:
            IllegalActionError: As `Batch.step`; no row has moved.
            PlayerError: If an opponent from outside plays what it may not.
        """
        was_over = self.batch.is_episode_over
        self.batch.step(actions)
        arrays = self.batch.arrays
        self.rewards[:] = self.batch.rewards + self._carried
        self.is_over[:] = arrays.is_over
        self._carried[:] = 0
        self.final_observations[self.is_over] = arrays.final_observations[self.is_over]
        began = self.is_over if self.batch.autoreset == "same_step" else was_over
        self._let_outsider_move(began.copy())

    @property
    def learner_seats(self) -> np.ndarray:
        """Where the learner sits; where it plays both seats, which is to move. Shape [B], int64."""
        if isinstance(self.batch, Table):
            return self.batch.first_seats
        return self.batch.arrays.seats.copy()

    def _let_outsider_move(self, fresh: np.ndarray) -> None:
        """Ask an opponent from outside until every row is the learner's, or over.

        Args:
            fresh: Shape [B], bool: rows whose episode has just begun. What they pay before the
                learner's first action counts with that action; an episode that ends before it is
                begun anew, as there was nothing to decide. Changed in place.
        """
        batch, outsider = self.batch, self._outsider
        if outsider is None:
            return
        while True:
            unplayed = fresh & batch.is_episode_over
            if unplayed.any():
                batch.reset(rows=unplayed)
                self._carried[unplayed] = 0
            waiting = ~batch.is_episode_over & (batch.arrays.seats != self.learner_seats)
            if not waiting.any():
                return
            batch.step(self._ask(outsider, waiting), rows=waiting)
            self._carried[fresh] += batch.rewards[fresh]
            played = waiting & ~fresh
            self.rewards[played] += batch.rewards[played]
            ended = played & batch.arrays.is_over
            self.is_over |= ended
            self.final_observations[ended] = batch.arrays.final_observations[ended]
            if batch.autoreset == "same_step":
                fresh |= ended

    def _ask(self, outsider: Player, waiting: np.ndarray) -> np.ndarray:
        """The opponent's actions, checked. Returns shape [B], int64."""
        batch, arrays = self.batch, self.batch.arrays
        rows = np.flatnonzero(waiting)
        views = arrays.views[rows]
        if outsider.extras == batch.extras:
            observations = arrays.observations[rows]
        else:
            observations = encode_views(batch.record, views, outsider.extras)
        turn = Turn(batch.record, rows, views, observations, arrays.masks[rows])
        actions = np.zeros(len(self), np.int64)
        actions[rows] = outsider.act(turn)
        row = find_illegal(arrays.masks, actions, waiting)
        if row != NO_ROW:
            raise PlayerError(f"the opponent {outsider.name} played {actions[row]}: not legal")
        return actions
