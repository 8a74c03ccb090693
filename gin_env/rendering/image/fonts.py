"""The one font: the one that Pillow brings along. It has no more than ASCII, a dot and dots."""

import unicodedata
from functools import lru_cache

from PIL import ImageFont

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
_EXTRA = ELLIPSIS + "\N{MIDDLE DOT}"


@lru_cache(maxsize=256)
def load_font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The font in a size in pixels."""
    return ImageFont.load_default(size)


def to_drawable(text: str) -> str:
    """Write a text in the letters that the font has: without accents, ``?`` for what is left."""
    plain = unicodedata.normalize("NFKD", " ".join(text.split()))
    letters = (letter for letter in plain if not unicodedata.combining(letter))
    return "".join(
        letter if letter in _EXTRA or (letter.isascii() and letter.isprintable()) else "?"
        for letter in letters
    )
