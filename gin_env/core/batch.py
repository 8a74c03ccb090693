"""Many games stepped in one call.

Row ``i`` of a batch equals a single game with the seed of row ``i``, byte for byte, whatever the
other rows do.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Set
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from itertools import pairwise
from typing import Any, Literal, Self, SupportsIndex, TypedDict

import numpy as np

from gin_env.core.describe import describe_illegal
from gin_env.core.match import BY_RULES
from gin_env.core.observe import check_extras, extras_bits, obs_size
from gin_env.core.rows import (
    AUTORESETS,
    ILLEGALS,
    NO_ROW,
    SETUP_DTYPE,
    begin_rows,
    encode_rows,
    find_unplayable,
    make_arrays,
    step_rows,
)
from gin_env.core.rules import Episode, Rules, check_penalty, to_rules
from gin_env.core.state import seed_words
from gin_env.errors import BatchError, IllegalActionError, SeatError, SeedError
from gin_env.support.options import (
    SEED_END,
    Whole,
    Word,
    check_seed,
    read_int,
    short,
)

MAX_THREADS = 1024

Autoreset = Literal["same_step", "next_step", "disabled"]
Illegal = Literal["raise", "forfeit"]


class BatchOptions(TypedDict, total=False):
    """What can be said by name to `Batch`, and to whatever hands it on."""

    episode: Episode
    extras: Iterable[str]
    autoreset: Autoreset
    illegal: Illegal
    illegal_penalty: int
    num_threads: int


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
        illegal: What an illegal action does: ``"raise"`` an error before any row has moved, or
            ``"forfeit"`` the hand: it ends, and the mover loses ``illegal_penalty`` points.
        illegal_penalty: Points, a whole number from 0 to 10000.
        num_threads: Over how many threads the rows are spread; the results are the same bytes.

    Raises:
        GinError: If an argument is none of these: `RulesError` or `OptionError`.
    """

    def __init__(
        self,
        n_games: int,
        rules: str | Mapping[str, Any] | Rules = "standard",
        *,
        episode: Episode = "hand",
        extras: Iterable[str] = (),
        autoreset: Autoreset = "same_step",
        illegal: Illegal = "raise",
        illegal_penalty: int = 50,
        num_threads: int = 1,
    ) -> None:
        self.rules = to_rules(rules)
        self.episode = episode
        self.extras = check_extras(extras)
        self.autoreset = autoreset
        self.illegal = illegal
        self.illegal_penalty = illegal_penalty
        self.rules_row = self.rules.row(episode)
        self.is_begun = False
        self.arrays = make_arrays(Whole(1).check("n_games", n_games), obs_size(self.extras))
        self._setup = _make_setup(self)
        self._everyone = np.ones(len(self), bool)
        self._parts = _split(len(self), Whole(1, MAX_THREADS).check("num_threads", num_threads))
        self._threads: ThreadPoolExecutor | None = None
        self._process = os.getpid()

    def __len__(self) -> int:
        """How many games."""
        return len(self.arrays.games)

    @property
    def observation_size(self) -> int:
        """Length of one observation, N."""
        return int(self.arrays.observations.shape[1])

    @property
    def rewards(self) -> np.ndarray:
        """Points that the last step paid to the seat reported to. Shape [B], int64."""
        return self.arrays.rewards

    @property
    def is_episode_over(self) -> np.ndarray:
        """Which rows stand at the end of their episode. Shape [B], bool."""
        return np.asarray(self.arrays.games["is_episode_over"] != 0)

    def reset(
        self,
        seeds: int | Iterable[int] | np.ndarray | None = None,
        *,
        dealers: int | np.ndarray = BY_RULES,
        rows: np.ndarray | None = None,
    ) -> None:
        """Begin a new episode in every row, or in some.

        Args:
            seeds: One seed a row; or one seed, from which row ``i`` takes ``seeds + i``; or none,
                to go on with the rows' random words (fresh entropy at the first reset).
            dealers: Who deals first: 0, 1, or -1 for what the rules say; one for all, or shape [B].
            rows: Shape [B], bool: the rows to begin; all where none is given.

        Raises:
            BatchError: If an argument has the wrong shape or dtype.
            SeatError: If a dealer is out of range.
            SeedError: If a seed is out of range.
        """
        chosen = self._everyone if rows is None else check_rows(rows, len(self))
        dealer_of = _check_dealers(dealers, len(self))
        wanted = None if seeds is None else check_seeds(seeds, len(self))
        if not self.is_begun:
            entropy = np.random.SeedSequence().generate_state(len(self), np.uint64)
            self._seed(entropy, self._everyone)
        if wanted is not None:
            self._seed(wanted, chosen)
        self.is_begun = True
        self._begin(dealer_of, chosen)

    def step(self, actions: np.ndarray, rows: np.ndarray | None = None) -> None:
        """Play one action in every row, or in some, and write what follows into the arrays.

        Args:
            actions: Shape [B], int64, contiguous: legal actions of the seats to move.
            rows: Shape [B], bool: the rows that move; all where none is given. The others keep
                everything, and are paid nothing.

        Raises:
            IllegalActionError: If a row's action is not legal and illegal actions raise, or the
                game is over: it names the row, the action and the phase, and no row has moved.
            BatchError: If an argument has the wrong shape, dtype or layout, or before `reset`.
        """
        chosen = self._everyone if rows is None else check_rows(rows, len(self))
        if not self.is_begun:
            raise BatchError("call reset before step")
        check_array("actions", actions, (len(self),), np.int64)
        a = self.arrays
        row = find_unplayable(self._setup, a.games, a.masks, actions, chosen)
        if row != NO_ROW:
            raise self._illegal_action(row, int(actions[row]))
        self._step(actions, chosen)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the threads, which a copy starts anew."""
        return {**self.__dict__, "_threads": None}

    def _seed(self, seeds: np.ndarray, rows: np.ndarray) -> None:
        self.arrays.games["rng_state"][rows] = seed_words(seeds)[rows]

    def _begin(self, dealers: np.ndarray, rows: np.ndarray) -> None:
        self._run(begin_rows, self._setup, self.arrays, dealers, rows)

    def _step(self, actions: np.ndarray, rows: np.ndarray) -> None:
        self._run(step_rows, self._setup, self.arrays, actions, rows)

    def _run(self, loop: Callable[..., None], *arguments: Any) -> None:
        """Run a loop over all rows, in as many parts as there are threads."""
        if len(self._parts) == 1:
            loop(*arguments, self._parts[0])
            return
        if self._threads is None or self._process != os.getpid():  # threads do not survive a fork
            self._threads, self._process = ThreadPoolExecutor(len(self._parts)), os.getpid()
        for done in [self._threads.submit(loop, *arguments, part) for part in self._parts]:
            done.result()

    def _illegal_action(self, row: int, action: int) -> IllegalActionError:
        said = describe_illegal(self.arrays.views[row], self.arrays.masks[row], action)
        return IllegalActionError(said if len(self) == 1 else f"row {row}: {said}")

    def __copy__(self) -> Self:
        return deepcopy(self)


def check_array(name: str, array: Any, shape: tuple[int, ...], dtype: type) -> None:
    """Check that an array is just what a kernel takes.

    Raises:
        BatchError: If it is no array, or has another shape, dtype or memory layout.
    """
    is_right = isinstance(array, np.ndarray) and array.shape == shape and array.dtype == dtype
    if is_right and array.flags.c_contiguous:
        return
    wanted = f"{name} must be a contiguous array of shape {list(shape)} and dtype "
    wanted += np.dtype(dtype).name
    if not isinstance(array, np.ndarray):
        raise BatchError(f"{wanted}, not {type(array).__name__}")
    if array.shape != shape or array.dtype != dtype:
        raise BatchError(f"{wanted}, not shape {list(array.shape)} and dtype {array.dtype.name}")
    raise BatchError(f"{wanted}; this one is not contiguous")


def check_rows(rows: np.ndarray, n_games: int) -> np.ndarray:
    """Check which rows are meant. Returns them: shape [B], bool."""
    check_array("rows", rows, (n_games,), np.bool_)
    return rows


def check_seeds(seeds: SupportsIndex | Iterable[int], n_games: int) -> np.ndarray:
    """Read one seed for each row. Returns shape [B], uint64.

    Raises:
        BatchError: If there are not B of them.
        SeedError: If one is no whole number from 0 to 2**64 - 1, or they come in no order.
    """
    first = read_int(seeds)
    if first is not None:
        first = check_seed(first)
        if first + n_games > SEED_END:
            raise SeedError(
                f"row {n_games - 1} would take seed {first} + {n_games - 1}; seeds end at 2**64 - 1"
            )
        listed: list[Any] = [first + row for row in range(n_games)]
    elif isinstance(seeds, (Set, Mapping)):
        kind = type(seeds).__name__
        raise SeedError(f"seeds come in the order of the rows: give a list, not a {kind}")
    elif isinstance(seeds, Iterable):
        listed = list(seeds)
    else:
        raise SeedError(f"a seed is a whole number from 0 to 2**64 - 1, not {short(seeds)}")
    if len(listed) != n_games:
        raise BatchError(f"{len(listed)} seeds for {n_games} games: give one each, or a single one")
    if any(seed is None for seed in listed):
        raise SeedError("a seed for some rows and none for others: reset those rows by themselves")
    return np.array([check_seed(seed) for seed in listed], np.uint64)


def encode_views(rules_row: np.void, views: np.ndarray, extras: tuple[str, ...]) -> np.ndarray:
    """The observations of some views.

    Args:
        rules_row: The rules, a record of `RULES_DTYPE`.
        views: Shape [K], `VIEW_DTYPE`, as `look` wrote them.
        extras: Optional observation blocks to append.

    Returns:
        Shape [K, N], float32.
    """
    setup = np.zeros(1, SETUP_DTYPE)
    setup["rules"] = rules_row
    setup["extras"] = extras_bits(extras)
    observations = np.zeros((len(views), obs_size(extras)), np.float32)
    encode_rows(setup, views, observations)
    return observations


def _check_dealers(dealers: int | np.ndarray, n_games: int) -> np.ndarray:
    dealer_of = np.asarray(dealers)
    if dealer_of.dtype.kind not in "iu" or not np.isin(dealer_of, (BY_RULES, 0, 1)).all():
        raise SeatError(f"a dealer is 0, 1, or -1 for what the rules say, not {dealers!r}")
    if dealer_of.shape not in ((), (n_games,)):
        raise BatchError(f"{dealer_of.size} dealers for {n_games} games: give one each, or one")
    return np.full(n_games, dealer_of, np.int64)


def _make_setup(batch: Batch) -> np.ndarray:
    """What kernels read of a batch's arguments, checked. Returns shape [1], `SETUP_DTYPE`."""
    setup = np.zeros(1, SETUP_DTYPE)
    setup["rules"] = batch.rules_row
    Word(AUTORESETS).check("autoreset", batch.autoreset)
    Word(ILLEGALS).check("illegal", batch.illegal)
    setup["autoreset"] = AUTORESETS.index(batch.autoreset)
    setup["illegal"] = ILLEGALS.index(batch.illegal)
    setup["penalty"] = check_penalty(batch.illegal_penalty)
    setup["extras"] = extras_bits(batch.extras)
    return setup


def _split(n_games: int, n_parts: int) -> list[tuple[int, int]]:
    """Cut the rows into parts of about the same size."""
    ends = [n_games * part // n_parts for part in range(n_parts + 1)]
    return [(first, last) for first, last in pairwise(ends) if first < last]
