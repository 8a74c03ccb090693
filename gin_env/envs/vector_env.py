"""The Gymnasium vector face: many games in one call, over the batched engine."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, Self, SupportsIndex

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from gin_env.core.actions import N_ACTIONS
from gin_env.core.batch import Illegal, check_seeds
from gin_env.core.match import BY_RULES
from gin_env.core.rules import Episode, Rules
from gin_env.core.state import ENDING_NAMES
from gin_env.errors import BatchError, OptionError
from gin_env.players import resolve
from gin_env.rendering.draw import RENDER_FPS, Painter, modes_here
from gin_env.rendering.image import DEFAULT_HEIGHT
from gin_env.table.table import Table, read_seat
from gin_env.values.checks import check_options, check_scale

RENDER_MODES = ("ansi", "rgb_array")
"""Many games fit on no terminal."""


class GinRummyVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """Many games of Gin Rummy; ``gymnasium.make_vec("gin_env/GinRummy-v0", num_envs=...)``.

    Row ``i`` of a reset with seed ``s`` is the single environment with seed ``s + i``, through
    every episode that follows.

    Args:
        num_envs: How many games, B.
        opponent: As for `gin_env.envs.gym_env.GinRummyEnv`; a bot of ours moves inside the
            kernel. None for self-play: observations are those of the seat to move, which
            ``info["seat"]`` names, and rewards those of the seat that acted.
        seat: The learner's seat: 0, 1, or ``"random"`` to draw it for every episode.
        rules: A preset's name, a mapping of rule fields, or `gin_env.Rules`.
        episode: ``"hand"`` or ``"match"``.
        render_mode: ``"ansi"`` or ``"rgb_array"``: what `render` returns of each game, as its
            learner sees it. See docs/rendering.md.
        autoreset_mode: When an ended game starts anew: `AutoresetMode` or its text. In same-step
            mode ``info["final_obs"]`` holds the last observations of the rows that
            ``info["_final_obs"]`` marks.
        illegal: ``"raise"`` an error before any row has moved, or ``"forfeit"`` the hand: then
            ``info["illegal_action"]`` holds the actions of the rows that
            ``info["_illegal_action"]`` marks.
        illegal_penalty: Points, from 0 to 10000.
        reward_scale: Rewards are points times this.
        extras: Optional observation blocks, see `gin_env.core.observe.EXTRAS`.
        num_threads: Over how many threads the games are spread; the results are the same bytes.
        screen_height: Of pictures, 360 to 2160 pixels.
        copy: False hands out the engine's own arrays to read; the next step overwrites them.
        record: A file to which every hand is appended as it ends (docs/history.md). The same games
            are played, but the opponent's moves are asked for one by one.

    Where hands have ended, in matches too, ``info["ending"]`` and ``info["hand_points"]`` say how
    the last of them did and what it paid the learner, in the rows that ``info["_ending"]`` marks.

    Raises:
        GinError: If an argument is none of these; the subclass and the message say which.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  (as gymnasium declares it)
        "render_modes": modes_here(RENDER_MODES),
        "render_fps": RENDER_FPS,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }
    closed = True
    """Until the games are made: before Gymnasium 1.3 even what could not be made gets closed."""

    def __init__(
        self,
        num_envs: int = 1,
        opponent: Any = "medium",
        seat: str | int = "random",
        rules: str | Mapping[str, Any] | Rules = "standard",
        *,
        episode: Episode = "hand",
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        illegal: Illegal = "raise",
        illegal_penalty: int = 50,
        reward_scale: float = 1.0,
        extras: Iterable[str] = (),
        num_threads: int = 1,
        screen_height: int = DEFAULT_HEIGHT,
        copy: bool = True,
        record: str | Path | None = None,
    ) -> None:
        self._painter = Painter(render_mode, screen_height, RENDER_MODES)
        self.render_mode = render_mode
        mode = _read_mode(autoreset_mode)
        self._table = Table(
            num_envs,
            rules,
            opponents=[None if opponent is None else resolve(opponent)],
            seat=read_seat(seat),
            episode=episode,
            extras=extras,
            autoreset=_AUTORESET[mode],
            illegal=illegal,
            illegal_penalty=illegal_penalty,
            num_threads=num_threads,
            record=record,
        )
        self.closed = False
        self.num_envs = len(self._table)
        self.metadata = {**type(self).metadata, "autoreset_mode": mode}
        self._scale = check_scale(reward_scale)
        self._is_copying = copy
        size = self._table.observation_size
        self.single_observation_space = spaces.Box(0.0, 1.0, (size,), np.float32)
        self.single_action_space = spaces.Discrete(N_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self,
        *,
        seed: SupportsIndex | Iterable[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin new episodes.

        Args:
            seed: One seed, from which row ``i`` takes ``seed + i``; one a row; or None to go on
                with the games' random words.
            options: ``"dealer"``: 0, 1, or -1 for what the rules say, one for all or one a row;
                ``"reset_mask"``: shape [B], bool: the rows to begin.

        Returns:
            Observations, shape [B, N], float32, and the infos.

        Raises:
            GinError: If a seed or an option has a wrong shape, type or range.
        """
        wanted = check_options(options, ("dealer", "reset_mask"))
        dealers, rows = wanted.get("dealer"), wanted.get("reset_mask")
        if rows is not None and not self._table.is_begun and not np.all(rows):
            raise BatchError("the first reset begins all games: leave reset_mask out")
        seeds = None if seed is None else check_seeds(seed, self.num_envs)
        super().reset(seed=None if seeds is None else int(seeds[0]))
        self._table.reset(seeds, dealers=BY_RULES if dealers is None else dealers, rows=rows)
        return self._out(self._table.arrays.observations), self._infos()

    def close_extras(self, **kwargs: Any) -> None:  # noqa: ARG002  (as its base class)
        """End a program that plays, and let go of the file of ``record``; `close` calls this."""
        self._table.close()

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play one action in every game, and the opponents' answers.

        Args:
            actions: Shape [B]: an array of whole numbers of any type and layout, or a sequence.

        Returns:
            Observations (shape [B, N], float32), rewards (shape [B], float64), terminations,
            truncations (shape [B], bool; the latter all False), and the infos.

        Raises:
            IllegalActionError: Where illegal actions raise; it names the row, the action and the
                phase, and no row has moved.
            BatchError: If ``actions`` has another shape or holds anything but whole numbers.
            PlayerError: If an opponent answers with anything but legal actions. After that, and
                after any other error of an opponent or of the record, only a `reset` of all games
                goes on.
        """
        if not self._table.is_begun:
            raise ResetNeeded("Cannot call env.step() before calling env.reset()")
        actions = _read_actions(actions, self.num_envs)
        self._table.step(actions)
        infos = self._infos()
        if self._table.arrays.is_forfeited.any():
            infos["_illegal_action"] = self._table.arrays.is_forfeited.copy()
            infos["illegal_action"] = np.where(infos["_illegal_action"], actions, 0)
        rewards = self._table.rewards * self._scale
        terminations = self._out(self._table.arrays.is_over)
        observations = self._out(self._table.arrays.observations)
        return observations, rewards, terminations, np.zeros(self.num_envs, bool), infos

    def action_masks(self) -> np.ndarray:
        """What `step` takes. Shape [B, 108], int8.

        That is the legal actions; anything, in a row that the next step begins anew; and nothing,
        in a row that only `reset` does.
        """
        return self._out(self._table.arrays.masks)

    def render(self) -> tuple[Any, ...] | None:
        """The tables of all games, each from its learner's seat; None without ``render_mode``.

        Returns:
            B texts, or B pictures of shape [screen_height, width, 3], uint8.

        Raises:
            ResetNeeded: Before `reset`.
            PillowMissingError: If pictures are asked for, and Pillow is not installed.
        """
        if self.render_mode is None:
            return None
        table = self._table
        if not table.is_begun:
            raise ResetNeeded("call reset before render")
        seats = self._table.caller_seats.tolist()
        games = zip(table.arrays.games, seats, strict=True)
        return tuple(self._painter.draw(table.rules_row, game, seat) for game, seat in games)

    def __copy__(self) -> Self:
        return deepcopy(self)

    def _infos(self) -> dict[str, Any]:
        everyone = np.ones(self.num_envs, bool)
        infos: dict[str, Any] = {
            "action_mask": self.action_masks(),
            "_action_mask": everyone,
            "seat": self._table.caller_seats,
            "_seat": everyone.copy(),
        }
        is_same_step = self.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
        if is_same_step and self._table.arrays.is_over.any():
            infos["final_obs"] = self._out(self._table.arrays.final_observations)
            infos["_final_obs"] = self._table.arrays.is_over.copy()
        told = self._table.told_hands
        is_told = told.n_hands > 0
        if is_told.any():
            infos["ending"] = _NAMES[told.endings]
            infos["_ending"] = is_told
            infos["hand_points"] = told.points.copy()
            infos["_hand_points"] = is_told.copy()
        return infos

    def _out(self, array: np.ndarray) -> np.ndarray:
        if self._is_copying:
            return array.copy()
        shown = array.view()
        shown.flags.writeable = False
        return shown


_NAMES = np.array([None, *ENDING_NAMES[1:]], object)  # None where no hand has ended
_AUTORESET: dict[AutoresetMode, Any] = {
    AutoresetMode.SAME_STEP: "same_step",
    AutoresetMode.NEXT_STEP: "next_step",
    AutoresetMode.DISABLED: "disabled",
}


def _read_actions(actions: Any, n_games: int) -> np.ndarray:
    """Read one whole number for each row. Returns shape [B], int64, contiguous.

    Raises:
        BatchError: If there are not B of them, or they are none.
    """
    try:
        given = np.asarray(actions)
    except ValueError:  # rows of different lengths
        given = np.zeros(())
    if given.shape != (n_games,) or given.dtype.kind not in "iu":
        what = f"shape {list(given.shape)} and dtype {given.dtype.name}"
        raise BatchError(f"actions must be {n_games} whole numbers, one a row, not of {what}")
    if given.dtype.kind == "u":
        given = np.minimum(given, np.iinfo(np.int64).max)
    return np.ascontiguousarray(given, np.int64)


def _read_mode(mode: AutoresetMode | str) -> AutoresetMode:
    for known, text in _AUTORESET.items():
        if mode in (known, known.value, text):
            return known
    allowed = ", ".join(repr(known.value) for known in _AUTORESET)
    raise OptionError(f"autoreset_mode must be one of {allowed}, not {mode!r}")
