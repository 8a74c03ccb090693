"""The Gymnasium face: one learner's seat against a named opponent."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, Self

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from gin_env.core.actions import N_ACTIONS
from gin_env.core.batch import Illegal
from gin_env.core.describe import describe_illegal
from gin_env.core.rules import Episode, Rules
from gin_env.core.state import ENDING_NAMES
from gin_env.errors import IllegalActionError
from gin_env.players import resolve
from gin_env.rendering.draw import RENDER_FPS, Painter, modes_here
from gin_env.rendering.image import DEFAULT_HEIGHT
from gin_env.support.options import check_seed, read_int, short
from gin_env.table.table import Table, read_seat
from gin_env.values.checks import check_options, check_scale, read_dealer

NO_ACTION = -1
"""In place of an action: what was handed in is none."""


class GinRummyEnv(gym.Env[np.ndarray, np.integer[Any]]):
    """Gin Rummy as a single-agent environment; ``gymnasium.make("gin_env/GinRummy-v0", ...)``.

    The opponent's moves are made inside `step` and `reset`. Mask your actions with `action_masks`
    or ``info["action_mask"]``. Where a hand has ended, in a match too, ``info["ending"]`` and
    ``info["hand_points"]`` say how, and what it paid the learner.

    Args:
        opponent: A bot's name, a `gin_env.bots.Bot`, a model file or run folder, a function
            ``(observation, action_mask) -> action``, or a program (docs/protocol.md). None to play
            both seats yourself: observations are those of the seat to move, which ``info["seat"]``
            names, and rewards those of the seat that acted.
        seat: The learner's seat: 0, 1, or ``"random"`` to draw it for every episode.
        rules: A preset's name, a mapping of rule fields, or `gin_env.Rules`.
        episode: ``"hand"`` or ``"match"``.
        render_mode: ``"ansi"`` makes `render` return the table as text, as the learner sees it,
            ``"rgb_array"`` as a picture, which needs Pillow; ``"human"`` shows it in the terminal
            after every reset and step. See docs/rendering.md.
        illegal: ``"forfeit"``: an illegal action ends the hand and costs ``illegal_penalty``
            points; ``info["illegal_action"]`` holds it. ``"raise"``: it is an `IllegalActionError`
            and the game is as before.
        illegal_penalty: Points, from 0 to 10000.
        reward_scale: Rewards are points times this.
        extras: Optional observation blocks, see `gin_env.core.observe.EXTRAS`.
        record: A file to which every hand is appended as it ends (docs/history.md).
        screen_height: Of pictures, 360 to 2160 pixels.

    Raises:
        GinError: If an argument is none of these; the subclass and the message say which.

    Example:
        >>> env = gym.make("gin_env/GinRummy-v0", opponent="easy")
        >>> observation, info = env.reset(seed=7)
        >>> action = env.action_space.sample(info["action_mask"])
        >>> observation, reward, terminated, truncated, info = env.step(action)
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  (as gymnasium declares it)
        "render_modes": modes_here(),
        "render_fps": RENDER_FPS,
    }

    def __init__(
        self,
        opponent: Any = "medium",
        seat: str | int = "random",
        rules: str | Mapping[str, Any] | Rules = "standard",
        episode: Episode = "hand",
        *,
        render_mode: str | None = None,
        illegal: Illegal = "forfeit",
        illegal_penalty: int = 50,
        reward_scale: float = 1.0,
        extras: Iterable[str] = (),
        record: str | Path | None = None,
        screen_height: int = DEFAULT_HEIGHT,
    ) -> None:
        self._painter = Painter(render_mode, screen_height)
        self.render_mode = render_mode
        self._scale = check_scale(reward_scale)
        self._table = Table(
            1,
            rules,
            opponents=[None if opponent is None else resolve(opponent)],
            seat=read_seat(seat),
            episode=episode,
            extras=extras,
            autoreset="disabled",
            illegal=illegal,
            illegal_penalty=illegal_penalty,
            record=record,
        )
        size = self._table.observation_size
        self.observation_space = spaces.Box(0.0, 1.0, (size,), np.float32)
        self.action_space = spaces.Discrete(N_ACTIONS)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin a new episode.

        Args:
            seed: From 0 to 2**64 - 1: the same seed, the same deals, through every face. None goes
                on with the game's random word.
            options: ``{"dealer": 0 or 1}`` says who deals first.

        Returns:
            The observation, shape [N], float32, and the info.

        Raises:
            GinError: If the seed or an option is out of range.
        """
        dealer = read_dealer(check_options(options, ("dealer",)))
        number = None if seed is None else check_seed(seed)
        super().reset(seed=number)
        self._table.reset(number, dealers=dealer)
        self._show()
        return self._observation(), self._info()

    def step(
        self, action: np.integer[Any] | int
    ) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Play an action and the opponent's answer.

        Returns:
            The observation (shape [N], float32), the reward (points to the learner times
            ``reward_scale``), whether the episode has ended, False, and the info.

        Raises:
            IllegalActionError: For an illegal action where those raise, and after the end; nothing
                has happened.
            PlayerError: If the opponent answers with anything but a legal action. After that, and
                after any other error of an opponent or of the record, only `reset` goes on. After
                an error of the renderer the step has been made.
            ResetNeeded: Before `reset`.
        """
        if not self._table.is_begun:
            raise ResetNeeded("call reset before step")
        arrays, number = self._table.arrays, read_int(action)
        if number is None or not 0 <= number < N_ACTIONS:
            number = NO_ACTION
            if self._table.illegal == "raise" or self._table.is_episode_over[0]:
                raise IllegalActionError(self._describe(action))
        self._table.step(np.array([number], np.int64))
        self._show()
        info = self._info()
        if arrays.is_forfeited[0]:
            info["illegal_action"] = action
        reward = float(arrays.rewards[0] * self._scale)
        return self._observation(), reward, bool(arrays.is_over[0]), False, info

    def action_masks(self) -> np.ndarray:
        """The legal actions. Shape [108], int8, a fresh array; all 0 after the end."""
        return np.array(self._table.arrays.masks[0])

    def close(self) -> None:
        """End an opponent that runs as a program, and let go of the file of ``record``."""
        self._table.close()

    def render(self) -> str | np.ndarray | None:
        """The table from the learner's seat; None without ``render_mode``.

        Returns:
            Text in mode ``"ansi"``; in mode ``"rgb_array"`` a picture, shape [screen_height,
            width, 3], uint8; None in mode ``"human"``, which shows the table in the terminal.

        Raises:
            ResetNeeded: Before `reset`.
            PillowMissingError: If a picture is asked for, and Pillow is not installed.
        """
        if self.render_mode is None:
            return None
        if not self._table.is_begun:
            raise ResetNeeded("call reset before render")
        seat = int(self._table.caller_seats[0])
        return self._painter.draw(self._table.rules_row, self._table.arrays.games[0], seat)

    def __copy__(self) -> Self:
        return deepcopy(self)

    def _describe(self, action: Any) -> str:
        """Say what is wrong with an action that is none."""
        if read_int(action) is None:
            return f"{short(action)} is no action: ids are whole numbers"
        arrays = self._table.arrays
        return describe_illegal(arrays.views[0], arrays.masks[0], action)

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _observation(self) -> np.ndarray:
        return np.array(self._table.arrays.observations[0])

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {
            "action_mask": self.action_masks(),
            "seat": int(self._table.caller_seats[0]),
        }
        told = self._table.told_hands
        if told.n_hands[0]:
            info["ending"] = ENDING_NAMES[told.endings[0]]
            info["hand_points"] = int(told.points[0])
        return info
