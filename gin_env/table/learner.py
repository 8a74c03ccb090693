"""Games of a learner against anyone: what the Gymnasium faces stand on.

A bot of ours answers inside the kernel, unless its games are recorded; any other player is asked
between steps. Without an opponent the learner plays both seats.
"""

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, Self, Unpack

import numpy as np

from gin_env.core.batch import Batch, BatchOptions, check_seeds
from gin_env.core.match import BY_RULES, play, play_forfeit
from gin_env.core.rows import AUTORESETS
from gin_env.core.rules import Rules
from gin_env.core.state import seed_words
from gin_env.errors import PlayerError, SeatError
from gin_env.history import Recorder
from gin_env.players import BotPlayer, ask_batch, resolve
from gin_env.players.protocol import FORFEIT, Watcher
from gin_env.rendering.words import PLAYER_NAMES
from gin_env.support.options import check_choice, read_int
from gin_env.table.bot_rows import DRAWN, MAX_UNDECIDED, Table
from gin_env.values.result import HandResult, read_result

WATCH_STREAM = 4
"""Stream of `seed_words` for what a watcher is told where a reset gives no seeds."""

LEARNER = "learner"
"""What it is called in a record."""


class Sparring:
    """B games of a learner against one opponent.

    Args:
        n_games: How many games, B.
        opponent: Whoever `gin_env.players.resolve` takes; None to let the learner play both seats.
        seat: The learner's seat: 0, 1, or ``"random"`` to draw it for every episode.
        rules: A preset's name, a mapping of fields, or `Rules`.
        record: A file to which every hand is appended as it ends.
        **options: As for `Batch`.

    Attributes:
        autoreset: When an ended game starts anew, as for `Batch`.
        batch: The games; its ``arrays`` hold observations, masks and seats of the learner.
        rewards: Shape [B], int64: points that the last step paid to the learner; where it plays
            both seats, to the seat that acted.
        is_over: Shape [B], bool: the last step ended the episode.
        is_forfeited: Shape [B], bool: the learner's last action was illegal and cost it the hand.
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
        record: str | Path | None = None,
        **options: Unpack[BatchOptions],
    ) -> None:
        first_seat = _read_seat(seat)
        player = None if opponent is None else resolve(opponent)
        is_inside = isinstance(player, BotPlayer) and record is None
        self._outsider = None if is_inside else player
        self._watcher = player if player is not None and isinstance(player, Watcher) else None
        autoreset = options.get("autoreset", "same_step")
        self._is_stepwise = self._outsider is not None or record is not None
        if self._is_stepwise:
            options["autoreset"] = "disabled"
        self.batch: Batch
        if player is None:
            self.batch = Batch(n_games, rules, **options)
        else:
            bot = player.bot if isinstance(player, BotPlayer) and is_inside else None
            self.batch = Table(n_games, rules, opponents=[bot], seat=first_seat, **options)
        check_choice("autoreset", autoreset, AUTORESETS)
        self.autoreset = autoreset
        arrays = self.batch.arrays
        self.rewards, self.is_over = arrays.rewards, arrays.is_over
        self.is_forfeited = arrays.is_forfeited
        self.final_observations = arrays.final_observations
        if self._is_stepwise:  # more than one step of the batch makes one step here
            self.rewards, self.is_over = self.rewards.copy(), self.is_over.copy()
            self.is_forfeited = self.is_forfeited.copy()
            self.final_observations = self.final_observations.copy()
        self._is_interrupted = False
        self._carried = np.zeros(len(self.batch), np.int64)
        self._dealers = np.full(len(self.batch), BY_RULES, np.int64)
        self._recorder = None
        if record is not None:
            rules, penalty = self.batch.rules, self.batch.illegal_penalty
            self._recorder = Recorder(n_games, rules, self.batch.episode, record, penalty)

    def __len__(self) -> int:
        """How many games."""
        return len(self.batch)

    def reset(
        self,
        seeds: int | np.ndarray | None = None,
        *,
        dealers: int | np.ndarray = BY_RULES,
        rows: np.ndarray | None = None,
    ) -> None:
        """Begin new episodes; arguments as for `Batch.reset`."""
        if not self._is_stepwise:
            self.batch.reset(seeds, dealers=dealers, rows=rows)
            return
        begun = np.ones(len(self), bool) if rows is None else rows.copy()
        if seeds is None and not self.batch.is_begun:
            seeds = np.random.SeedSequence().generate_state(len(self), np.uint64)
        if rows is None:
            self._is_interrupted = False
        self._check_whole()
        self.batch.reset(seeds, dealers=dealers, rows=rows)
        self._record_begin(begun, seeds)
        if seeds is None and self._watcher is not None:  # hands that it follows may have been cut
            seeds = seed_words(self.batch.arrays.games["rng_state"], WATCH_STREAM)
        if seeds is not None and self._outsider is not None:
            which = {} if rows is None else {"rows": rows.copy()}
            self._outsider.reset(check_seeds(seeds, len(self)), 1, **which)
        self._dealers[begun] = np.broadcast_to(dealers, len(self))[begun]
        self.rewards[begun] = 0
        self.is_over[begun] = False
        self.is_forfeited[begun] = False
        self._carried[begun] = 0
        self._let_outsider_move(begun)

    def step(self, actions: np.ndarray) -> None:
        """Play the learner's action in every row, and whatever the opponent answers.

        Raises:
            IllegalActionError: As `Batch.step`; no row has moved.
            PlayerError: If an opponent from outside answers with anything but a legal action. After
                that, and after whatever else it raises, only a reset of all games goes on.
        """
        if not self._is_stepwise:
            self.batch.step(actions)
            return
        self._check_whole()
        self._dealers[:] = BY_RULES
        restarting = self.batch.is_episode_over & (self.autoreset == "next_step")
        self._play(actions, ~restarting)
        self.rewards[:] = self.batch.rewards + self._carried
        self._carried[:] = 0
        self.is_forfeited[:] = self.batch.arrays.is_forfeited
        self.is_over[:] = False
        self._note_ends(self.batch.arrays.is_over)
        fresh = restarting
        if self.autoreset == "same_step":
            fresh = fresh | self.is_over
        self._begin(fresh)
        self._let_outsider_move(fresh)

    def close(self) -> None:
        """Let go of what an opponent holds, such as a program's process, and of the record."""
        close = getattr(self._outsider, "close", None)
        if callable(close):
            close()
        if self._recorder is not None:
            self._recorder.close()

    @property
    def learner_seats(self) -> np.ndarray:
        """Where the learner sits; where it plays both seats, which is to move. Shape [B], int64."""
        if isinstance(self.batch, Table):
            return self.batch.first_seats
        return self.batch.arrays.seats.copy()

    def __copy__(self) -> Self:
        return deepcopy(self)

    def _let_outsider_move(self, fresh: np.ndarray) -> None:
        """Ask an opponent from outside until every row is the learner's, or over.

        Args:
            fresh: Shape [B], bool: rows whose episode has just begun. What they pay before the
                learner's first action counts with that action; an episode that ends before it is
                begun anew, as there was nothing to decide. Changed in place.
        """
        batch, outsider, n_undecided = self.batch, self._outsider, 0
        while outsider is not None:
            waiting = self._find_waiting()
            if not waiting.any():
                return
            try:
                answers = ask_batch(outsider, batch, waiting)
                if n_undecided > MAX_UNDECIDED:
                    raise PlayerError(f"{outsider.name} ends every hand before the learner acts")
            except BaseException:
                self._interrupt()
                raise
            self._play(answers, waiting)
            ended = batch.arrays.is_over & waiting
            n_undecided += int((ended & fresh).any())
            self._carried[fresh] += batch.rewards[fresh]
            self.rewards[~fresh] += batch.rewards[~fresh]
            self._note_ends(ended & ~fresh)
            if self.autoreset == "same_step":
                fresh |= ended
            self._begin(ended & fresh)

    def _play(self, actions: np.ndarray, rows: np.ndarray) -> None:
        """Play one action in some rows, as `Batch.step`; who watches or records sees it."""
        if self._watcher is None:
            self.batch.step(actions, rows=rows)
            self._record(actions, rows)
            return
        arrays = self.batch.arrays
        games, seats = arrays.games.copy(), arrays.seats.copy()
        self.batch.step(actions, rows=rows)
        self._record(actions, rows)
        played = np.where(arrays.is_forfeited, FORFEIT, actions)
        ended = np.flatnonzero(rows & (arrays.games["n_hands"] != games["n_hands"]))
        try:
            for seat in (0, 1):
                moved = np.flatnonzero(rows & (seats == seat))
                if len(moved):
                    self._watcher.see_moves(moved, seat, played[moved])
            if len(ended):
                results = [self._find_end(games[row], int(played[row])) for row in ended]
                self._watcher.see_ends(ended, results)
        except BaseException:
            self._interrupt()
            raise

    def _find_end(self, game: np.void, action: int) -> HandResult:
        """How a hand ends with an action; in a match the game has gone on to the next one since."""
        record = self.batch.rules_row
        if action == FORFEIT:
            play_forfeit(record, game, self.batch.illegal_penalty)
        else:
            play(record, game, action)
        result = read_result(record, game)
        assert result is not None
        return result

    def _find_waiting(self) -> np.ndarray:
        """The rows in which the opponent is to move. Shape [B], bool."""
        is_theirs = self.batch.arrays.seats != self.learner_seats
        return np.asarray(~self.batch.is_episode_over & is_theirs)

    def _interrupt(self) -> None:
        """Stop in the middle of a step; what an opponent was shown is not the learner's."""
        rows = self._find_waiting()
        self._is_interrupted = True
        self.batch.arrays.observations[rows] = 0.0
        self.batch.arrays.masks[rows] = 0

    def _check_whole(self) -> None:
        if self._is_interrupted:
            raise PlayerError("the opponent failed in the middle of a step: reset all games first")

    def _note_ends(self, rows: np.ndarray) -> None:
        self.final_observations[rows] = self.batch.arrays.final_observations[rows]
        self.is_over |= rows

    def _begin(self, rows: np.ndarray) -> None:
        """Begin new episodes in some rows, with the dealers that the last reset asked for."""
        self._carried[rows] = 0
        if rows.any():
            self.batch.reset(dealers=self._dealers, rows=rows)
            self._record_begin(rows)

    def _record(self, actions: np.ndarray, rows: np.ndarray) -> None:
        """Record what was just played in some rows."""
        if self._recorder is not None:
            arrays, moved = self.batch.arrays, np.flatnonzero(rows)
            played = np.where(arrays.is_forfeited, FORFEIT, actions)[moved]
            try:
                self._recorder.follow(moved, played, arrays.games)
            except BaseException:
                self._interrupt()
                raise

    def _record_begin(self, rows: np.ndarray, seeds: int | np.ndarray | None = None) -> None:
        """Record that episodes have just begun in some rows."""
        if self._recorder is None:
            return
        begun, names = np.flatnonzero(rows), [PLAYER_NAMES] * int(rows.sum())
        if self._outsider is not None:
            names = [(LEARNER, self._outsider.name), (self._outsider.name, LEARNER)]
            names = [names[seat] for seat in self.learner_seats[begun].tolist()]
        given = None if seeds is None else check_seeds(seeds, len(self))[begun]
        self._recorder.begin(begun, self.batch.arrays.games, names, given)


def _read_seat(seat: Any) -> int:
    """Read the learner's seat; `DRAWN` for ``"random"``."""
    if isinstance(seat, str) and seat == "random":
        return DRAWN
    number = read_int(seat)
    if number not in (0, 1):
        raise SeatError(f"seat must be 'random', 0 or 1, not {seat!r}")
    return number
