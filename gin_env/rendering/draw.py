"""What the environments render with: one game, in the render mode asked for, as a seat sees it."""

from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np

from gin_env.errors import RenderModeError
from gin_env.rendering.image import DEFAULT_HEIGHT, check_height, render_image
from gin_env.rendering.live_terminal import FPS, Screen
from gin_env.rendering.scene import see_table
from gin_env.rendering.text import render_text
from gin_env.rendering.words import PLAYER_NAMES

RENDER_MODES = ("human", "ansi", "rgb_array")
"""Live in the terminal; text; a picture as an array."""
RENDER_FPS = FPS


def modes_here(modes: Sequence[str] = RENDER_MODES) -> list[str]:
    """What an environment declares: pictures only where Pillow is installed."""
    return [mode for mode in modes if mode != "rgb_array" or find_spec("PIL")]


class Painter:
    """Draws tables in one render mode.

    Args:
        mode: One of ``modes``, or None for an environment that renders nothing.
        screen_height: Of pictures, 360 to 2160 pixels.
        modes: Those that the environment has.

    Raises:
        RenderModeError: If the environment has no such mode.
        OptionError: If the height is out of range.
    """

    def __init__(
        self,
        mode: str | None,
        screen_height: int = DEFAULT_HEIGHT,
        modes: Sequence[str] = RENDER_MODES,
    ) -> None:
        if mode is not None and mode not in modes:
            allowed = ", ".join(map(repr, (None, *modes)))
            raise RenderModeError(f"render_mode must be one of {allowed}, not {mode!r}")
        self.mode = mode
        self._height = check_height(screen_height)
        self._screen = Screen()

    def draw(self, r: np.void, s: np.void, seat: int) -> str | np.ndarray | None:
        """Draw a game as a seat sees it.

        Args:
            r: The rules, a record of `RULES_DTYPE`.
            s: The game, a record of `STATE_DTYPE`.
            seat: 0 or 1.

        Returns:
            Text in mode ``"ansi"``; shape [H, W, 3], uint8, in mode ``"rgb_array"``; None in the
            others, after showing the table in mode ``"human"``.

        Raises:
            PillowMissingError: If a picture is asked for, and Pillow is not installed.
        """
        if self.mode is None:
            return None
        scene = see_table(r, s, seat)
        if self.mode == "rgb_array":
            return render_image(scene, self._height)
        text = render_text(scene)
        if self.mode == "ansi":
            return text
        self._screen.show(text, is_end=scene.result is not None)
        return None


def draw_text(
    r: np.void,
    s: np.void,
    seat: int,
    *,
    both: bool = False,
    names: Sequence[str] = PLAYER_NAMES,
) -> str:
    """Draw a game as text; arguments as for `see_table`."""
    return render_text(see_table(r, s, seat, both=both, names=names))


def draw_image(
    r: np.void,
    s: np.void,
    seat: int,
    *,
    both: bool = False,
    names: Sequence[str] = PLAYER_NAMES,
    screen_height: int = DEFAULT_HEIGHT,
) -> np.ndarray:
    """Draw a game as a picture; arguments as for `see_table` and `render_image`."""
    return render_image(see_table(r, s, seat, both=both, names=names), screen_height)
