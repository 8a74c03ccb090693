"""The table as a picture, drawn by Pillow, which is imported when the first one is asked for."""

from collections.abc import Sequence

import numpy as np

from gin_env.errors import PillowMissingError
from gin_env.rendering.text import PLAYER_NAMES
from gin_env.support.options import Whole
from gin_env.values.result import HandResult

MIN_HEIGHT, MAX_HEIGHT = 360, 2160
"""Of a picture, pixels."""
DEFAULT_HEIGHT = 720


def render_image(
    view: np.void,
    seat: int,
    *,
    result: HandResult | None = None,
    is_match: bool = False,
    names: Sequence[str] = PLAYER_NAMES,
    other: np.void | None = None,
    screen_height: int = DEFAULT_HEIGHT,
) -> np.ndarray:
    """Draw the table as ``seat`` sees it, that seat in front.

    Args:
        view: What the seat may know, a record of `gin_env.core.view.VIEW_DTYPE`.
        seat: Whose view that is.
        result: Of the hand, once it is over; None before.
        is_match: Show running totals.
        names: What to call seat 0 and seat 1; cut where they are long, and without accents.
        other: The other seat's view, to show both hands; for replays, never for a player.
        screen_height: Of the picture, 360 to 2160 pixels; the width is 16/9 of it, and even.

    Returns:
        Shape [screen_height, width, 3], uint8, a fresh array.

    Raises:
        PillowMissingError: If Pillow is not installed.
        OptionError: If the height is out of range.
    """
    height = check_height(screen_height)
    try:
        from gin_env.rendering.image.layout import Scene, cut_name, draw_table  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "PIL":
            raise
        message = "pictures of the table need Pillow: pip install 'gin-env[play]'"
        raise PillowMissingError(message) from error
    called = (cut_name(names[0]), cut_name(names[1]))
    return draw_table(Scene(view, seat, result, is_match, called, other), height).to_array()


def check_height(screen_height: object) -> int:
    """Read the height of pictures, pixels.

    Raises:
        OptionError: If it is no whole number from 360 to 2160.
    """
    height: int = Whole(MIN_HEIGHT, MAX_HEIGHT).check("screen_height", screen_height)
    return height
