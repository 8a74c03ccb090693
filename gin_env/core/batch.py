"""Many games in arrays, stepped in one call: loops over the same row kernels as a single game.

Row ``i`` of a batch equals a single game with the seed of row ``i``, byte for byte, whatever the
other rows do.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from gin_env.core.actions import N_ACTIONS, action_text
from gin_env.core.errors import BatchError, IllegalActionError
from gin_env.core.jit import kernel
from gin_env.core.match import LOT, advance, begin
from gin_env.core.observe import check_extras, encode, encode_extras, obs_size
from gin_env.core.rules import Episode, Rules, to_rules
from gin_env.core.state import STATE_DTYPE, Phase, seed_words
from gin_env.core.step import legal_mask
from gin_env.core.view import VIEW_DTYPE, look

Autoreset = Literal["same_step", "next_step", "disabled"]
AUTORESETS = ("same_step", "next_step", "disabled")

NO_ROW = -1
MAX_SEED = (1 << 64) - 1


class Arrays(NamedTuple):
    """The arrays of a batch, one row a game. They are written in place: copy what must last."""

    games: np.ndarray
    """Shape [B], `STATE_DTYPE`."""
    views: np.ndarray
    """Shape [B], `VIEW_DTYPE`: what the seat to move may know."""
    observations: np.ndarray
    """Shape [B, N], float32, of the seat to move."""
    masks: np.ndarray
    """Shape [B, 108], int8, of the seat to move."""
    seats: np.ndarray
    """Shape [B], int64: the seat to move; after the end, the seat reported to."""
    points: np.ndarray
    """Shape [B], int64: points that the last step paid to seat 0."""
    is_over: np.ndarray
    """Shape [B], bool: the last step ended the episode."""
    final_observations: np.ndarray
    """Shape [B, N], float32: of the reported seat at the end, in rows whose episode has ended."""


class Batch:
    """B games, one action each a step, by whichever seat is to move.

    Rewards and final observations are reported to one seat per row: the one that acted.

    Args:
        n_games: How many games, B.
        rules: A preset's name, a mapping of fields, or `Rules`.
        episode: ``"hand"`` or ``"match"``.
        extras: Optional observation blocks (`gin_env.core.observe.EXTRAS`).
        autoreset: When an ended game starts anew: in the step that ended it (``"same_step"``; its
            last observation stays in ``final_observations``), in the next step, whose action it
            ignores (``"next_step"``), or only by `reset` (``"disabled"``).

    Raises:
        GinError: If an argument is none of these.
    """

    def __init__(
        self,
        n_games: int,
        rules: str | Mapping[str, Any] | Rules = "standard",
        *,
        episode: Episode = "hand",
        extras: Iterable[str] = (),
        autoreset: Autoreset = "same_step",
    ) -> None:
        if autoreset not in AUTORESETS:
            raise BatchError(f"autoreset must be one of {', '.join(AUTORESETS)}, not {autoreset!r}")
        self.rules = to_rules(rules)
        self.episode = episode
        self.extras = check_extras(extras)
        self.autoreset = autoreset
        self.record = self.rules.record(episode)
        self.arrays = _make_arrays(_check_n_games(n_games), obs_size(self.extras))
        self.rewards = np.zeros(len(self), np.int64)
        """Shape [B], int64: points that the last step paid to the seat reported to."""
        self._everyone = np.ones(len(self), bool)
        self._is_begun = False

    def __len__(self) -> int:
        """How many games."""
        return len(self.arrays.games)

    @property
    def observation_size(self) -> int:
        """Length of one observation, N."""
        return int(self.arrays.observations.shape[1])

    def reset(
        self,
        seeds: int | Iterable[int] | np.ndarray | None = None,
        *,
        dealers: int | np.ndarray = LOT,
        rows: np.ndarray | None = None,
    ) -> None:
        """Begin a new episode in every row, or in some.

        Args:
            seeds: One seed a row; or one seed, from which row ``i`` takes ``seeds + i``; or none,
                to go on with the rows' random words (fresh entropy at the first reset).
            dealers: Who deals first: 0, 1, or -1 for what the rules say; one for all, or shape [B].
            rows: Shape [B], bool: the rows to begin; all where none is given.

        Raises:
            BatchError: If an argument has the wrong shape, type or range.
        """
        chosen = self._everyone if rows is None else check_rows(rows, len(self))
        dealer_of = _check_dealers(dealers, len(self))
        if seeds is None and not self._is_begun:
            seeds = np.random.SeedSequence().generate_state(len(self), np.uint64)
        if seeds is not None:
            self._seed(check_seeds(seeds, len(self)), chosen)
        self._is_begun = True
        self.arrays.is_over[chosen] = False
        self.arrays.points[chosen] = 0
        self._begin(chosen, dealer_of)
        self._write(self._reported_seats(), chosen)

    def step(self, actions: np.ndarray, rows: np.ndarray | None = None) -> None:
        """Play one action in every row, or in some, and write what follows into the arrays.

        Args:
            actions: Shape [B], int64, contiguous: legal actions of the seats to move.
            rows: Shape [B], bool: the rows that move; all where none is given. The others keep
                everything, and are paid nothing.

        Raises:
            IllegalActionError: If a row's action is not legal: it names the row, the action and the
                phase, and no row has moved.
            BatchError: If an argument has the wrong shape, dtype or layout, or before `reset`.
        """
        chosen = self._everyone if rows is None else check_rows(rows, len(self))
        self._check_actions(actions)
        ended = self.arrays.games["is_episode_over"].astype(bool)
        restarting = chosen & ended & (self.autoreset == "next_step")
        moving = chosen & ~restarting
        self._check_legal(actions, moving)
        reported = self._reported_seats()
        self.arrays.is_over[:] = False
        advance_rows(self.record, self.arrays, actions, moving)
        self._respond(moving)
        self._report(reported, moving)
        if self.autoreset == "same_step":
            restarting = self.arrays.is_over.copy()
        self._begin(restarting, _check_dealers(LOT, len(self)))
        self._write(reported, chosen)

    def _reported_seats(self) -> np.ndarray:
        """To whom the next step reports rewards and final observations. Shape [B], int64."""
        return self.arrays.seats.copy()

    def _seed(self, seeds: np.ndarray, rows: np.ndarray) -> None:
        self.arrays.games["word"][rows] = seed_words(seeds)[rows]

    def _begin(self, rows: np.ndarray, dealers: np.ndarray) -> None:
        if rows.any():
            begin_rows(self.record, self.arrays, dealers, rows)

    def _respond(self, rows: np.ndarray) -> None:
        """Nobody answers by himself in a plain batch; bots do in a table."""

    def _write(self, reported: np.ndarray, rows: np.ndarray) -> None:
        write_rows(self.record, self.arrays, reported, rows, _extra_flags(self.extras))

    def _report(self, reported: np.ndarray, rows: np.ndarray) -> None:
        sign = 1 - 2 * reported
        np.multiply(self.arrays.points, sign, out=self.rewards)
        if self.arrays.is_over.any():
            ended = self.arrays.is_over & rows
            write_final_rows(self.record, self.arrays, reported, ended, _extra_flags(self.extras))

    def _check_actions(self, actions: np.ndarray) -> None:
        if not self._is_begun:
            raise BatchError("call reset before step")
        check_array("actions", actions, (len(self),), np.int64)

    def _check_legal(self, actions: np.ndarray, moving: np.ndarray) -> None:
        row = find_illegal(self.arrays.masks, actions, moving)
        if row == NO_ROW:
            return
        game, action = self.arrays.games[row], int(actions[row])
        phase = Phase(game["phase"]).name.lower()
        text = action_text(action) if 0 <= action < N_ACTIONS else "no action"
        legal = np.flatnonzero(self.arrays.masks[row])
        allowed = ", ".join(action_text(int(one)) for one in legal) or "nothing: the game is over"
        raise IllegalActionError(
            f"row {row}: action {action} ({text}) is not legal in phase {phase}; legal: {allowed}"
        )


def check_array(name: str, array: np.ndarray, shape: tuple[int, ...], dtype: type) -> None:
    """Check that an array is just what a kernel takes.

    Raises:
        BatchError: If it is no array, or has another shape, dtype or memory layout.
    """
    wanted = f"{name} must be a contiguous array of shape {list(shape)} and dtype "
    wanted += np.dtype(dtype).name
    if not isinstance(array, np.ndarray):
        raise BatchError(f"{wanted}, not {type(array).__name__}")
    if array.shape != shape or array.dtype != dtype:
        raise BatchError(f"{wanted}, not shape {list(array.shape)} and dtype {array.dtype.name}")
    if not array.flags.c_contiguous:
        raise BatchError(f"{wanted}; this one is not contiguous")


def _check_n_games(n_games: Any) -> int:
    is_int = isinstance(n_games, (int, np.integer)) and not isinstance(n_games, bool)
    if not is_int or n_games < 1:
        raise BatchError(f"a batch has a whole number of games from 1 on, not {n_games!r}")
    return int(n_games)


def check_rows(rows: np.ndarray, n_games: int) -> np.ndarray:
    """Check which rows are meant. Returns them: shape [B], bool."""
    check_array("rows", rows, (n_games,), np.bool_)
    return rows


def check_seeds(seeds: int | Iterable[int] | np.ndarray, n_games: int) -> np.ndarray:
    """Read one seed for each row. Returns shape [B], uint64.

    Raises:
        BatchError: If there are not B of them, or one is no whole number from 0 to 2**64 - 1.
    """
    if isinstance(seeds, (int, np.integer)):
        listed = [(int(seeds) + row) & MAX_SEED if seeds >= 0 else seeds for row in range(n_games)]
    else:
        listed = list(seeds)
    if len(listed) != n_games:
        raise BatchError(f"{len(listed)} seeds for {n_games} games: give one each, or a single one")
    return np.array([check_seed(seed) for seed in listed], np.uint64)


def check_seed(seed: Any) -> int:
    """Read one seed.

    Raises:
        BatchError: If it is no whole number from 0 to 2**64 - 1.
    """
    is_int = isinstance(seed, (int, np.integer)) and not isinstance(seed, bool)
    if not is_int or not 0 <= seed <= MAX_SEED:
        raise BatchError(f"a seed is a whole number from 0 to 2**64 - 1, not {seed!r}")
    return int(seed)


def _check_dealers(dealers: int | np.ndarray, n_games: int) -> np.ndarray:
    dealer_of = np.asarray(dealers)
    if dealer_of.dtype.kind not in "iu" or not np.isin(dealer_of, (LOT, 0, 1)).all():
        raise BatchError(f"a dealer is 0, 1, or -1 for what the rules say, not {dealers!r}")
    if dealer_of.shape not in ((), (n_games,)):
        raise BatchError(f"{dealer_of.size} dealers for {n_games} games: give one each, or one")
    return np.full(n_games, dealer_of, np.int64)


def _make_arrays(n_games: int, size: int) -> Arrays:
    return Arrays(
        games=np.zeros(n_games, STATE_DTYPE),
        views=np.zeros(n_games, VIEW_DTYPE),
        observations=np.zeros((n_games, size), np.float32),
        masks=np.zeros((n_games, N_ACTIONS), np.int8),
        seats=np.zeros(n_games, np.int64),
        points=np.zeros(n_games, np.int64),
        is_over=np.zeros(n_games, bool),
        final_observations=np.zeros((n_games, size), np.float32),
    )


def _extra_flags(extras: tuple[str, ...]) -> tuple[bool, bool]:
    return "continuation" in extras, "danger" in extras


@kernel
def begin_rows(r: np.void, a: Arrays, dealers: np.ndarray, rows: np.ndarray) -> None:
    """Begin an episode in some rows. ``dealers``: shape [B], int64; ``rows``: shape [B], bool."""
    for row in range(len(rows)):
        if rows[row]:
            begin(r, a.games[row], dealers[row])


@kernel
def advance_rows(r: np.void, a: Arrays, actions: np.ndarray, rows: np.ndarray) -> None:
    """Play the actions (shape [B], int64) in some rows (shape [B], bool), all of them legal."""
    for row in range(len(rows)):
        a.points[row] = 0
        if rows[row]:
            s = a.games[row]
            advance(r, s, actions[row])
            a.points[row] = s["reward"]
            a.is_over[row] = s["is_episode_over"]


@kernel
def write_rows(
    r: np.void, a: Arrays, reported: np.ndarray, rows: np.ndarray, extras: tuple[bool, bool]
) -> None:
    """Write what the seats to move may know in some rows; at the end, what the reported ones may.

    Args:
        r: The rules.
        a: The batch; its seats, views, masks and observations are written.
        reported: Shape [B], int64: the seats that rewards are reported to.
        rows: Shape [B], bool.
        extras: Whether to append the continuation and the danger block.
    """
    for row in range(len(rows)):
        if rows[row]:
            s, v = a.games[row], a.views[row]
            a.seats[row] = reported[row] if s["is_episode_over"] else s["to_move"]
            look(r, s, a.seats[row], v)
            legal_mask(r, v, a.masks[row])
            encode(r, v, a.observations[row])
            if extras[0] or extras[1]:
                encode_extras(v, extras[0], extras[1], a.observations[row])


@kernel
def write_final_rows(
    r: np.void, a: Arrays, seats: np.ndarray, rows: np.ndarray, extras: tuple[bool, bool]
) -> None:
    """Write the last observations of the given seats (shape [B], int64) in ended rows."""
    for row in range(len(rows)):
        if rows[row]:
            v = a.views[row]
            look(r, a.games[row], seats[row], v)
            encode(r, v, a.final_observations[row])
            if extras[0] or extras[1]:
                encode_extras(v, extras[0], extras[1], a.final_observations[row])


@kernel
def find_illegal(masks: np.ndarray, actions: np.ndarray, rows: np.ndarray) -> int:
    """The first of the rows whose action its mask does not allow, or `NO_ROW`. Returns int64."""
    for row in range(len(rows)):
        action = actions[row]
        if rows[row] and (action < 0 or action >= masks.shape[1] or masks[row, action] == 0):
            return row
    return NO_ROW
