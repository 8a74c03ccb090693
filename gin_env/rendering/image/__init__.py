"""The table as a picture, drawn by Pillow, which is imported when the first one is asked for."""

import numpy as np

from gin_env.errors import PillowMissingError
from gin_env.rendering.scene import Scene
from gin_env.support.options import Whole

MIN_HEIGHT, MAX_HEIGHT = 360, 2160
"""Of a picture, pixels."""
DEFAULT_HEIGHT = 720


def render_image(scene: Scene, screen_height: int = DEFAULT_HEIGHT) -> np.ndarray:
    """Draw the table, the seat that looks in front.

    Args:
        scene: What is drawn; long names are cut, and accents left out.
        screen_height: Of the picture, 360 to 2160 pixels; the width is 16/9 of it, and even.

    Returns:
        Shape [screen_height, width, 3], uint8, a fresh array.

    Raises:
        PillowMissingError: If Pillow is not installed.
        OptionError: If the height is out of range.
    """
    height = check_height(screen_height)
    try:
        from gin_env.rendering.image.layout import draw_table  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "PIL":
            raise
        message = "pictures of the table need Pillow: pip install 'gin-env[play]'"
        raise PillowMissingError(message) from error
    return draw_table(scene, height).to_array()


def check_height(screen_height: object) -> int:
    """Read the height of pictures, pixels.

    Raises:
        OptionError: If it is no whole number from 360 to 2160.
    """
    height: int = Whole(MIN_HEIGHT, MAX_HEIGHT).check("screen_height", screen_height)
    return height
