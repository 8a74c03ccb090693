"""What the faces render with: one game, by the render mode, as a seat sees it."""

from collections.abc import Sequence

import numpy as np

from gin_env.core.view import VIEW_DTYPE, look
from gin_env.errors import RenderModeError
from gin_env.rendering.image import DEFAULT_HEIGHT, check_height, render_image
from gin_env.rendering.live_terminal import FPS, Screen
from gin_env.rendering.text import PLAYER_NAMES, render_text
from gin_env.values.result import read_result

RENDER_MODES = ("human", "ansi", "rgb_array")
"""Live in the terminal; text; a picture as an array."""
RENDER_FPS = FPS


class Painter:
    """Draws tables in one render mode.

    Args:
        mode: One of ``modes``, or None for a face that renders nothing.
        screen_height: Of pictures, 360 to 2160 pixels.
        modes: Those that the face has.

    Raises:
        RenderModeError: If the face has no such mode.
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
        if self.mode == "rgb_array":
            return draw_image(r, s, seat, screen_height=self._height)
        text = draw_text(r, s, seat)
        if self.mode == "ansi":
            return text
        self._screen.show(text, is_end=read_result(r, s) is not None)
        return None


def draw_text(
    r: np.void,
    s: np.void,
    seat: int,
    *,
    both: bool = False,
    names: Sequence[str] = PLAYER_NAMES,
) -> str:
    """Draw a game as text, with the cards of both seats if asked; see `render_text`."""
    view, other = _views(r, s, seat)
    return render_text(
        view,
        seat,
        result=read_result(r, s),
        is_match=bool(r["is_match"]),
        names=names,
        other=other if both else None,
    )


def draw_image(
    r: np.void,
    s: np.void,
    seat: int,
    *,
    both: bool = False,
    names: Sequence[str] = PLAYER_NAMES,
    screen_height: int = DEFAULT_HEIGHT,
) -> np.ndarray:
    """Draw a game as a picture, with the cards of both seats if asked; see `render_image`."""
    view, other = _views(r, s, seat)
    return render_image(
        view,
        seat,
        result=read_result(r, s),
        is_match=bool(r["is_match"]),
        names=names,
        other=other if both else None,
        screen_height=screen_height,
    )


def _views(r: np.void, s: np.void, seat: int) -> tuple[np.void, np.void]:
    """What a seat may know, and what the other may."""
    views = np.zeros(2, VIEW_DTYPE)
    look(r, s, seat, views[0])
    look(r, s, 1 - seat, views[1])
    return views[0], views[1]
