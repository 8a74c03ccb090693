"""Cards as pictures: faces, backs, small ones and the shadow beneath, each drawn once a size."""

from functools import lru_cache

from PIL import Image, ImageDraw, ImageFilter

from gin_env.core.cards import N_RANKS, RANKS
from gin_env.rendering.image.colours import (
    BACK,
    BACK_LINES,
    BLACK,
    COURT,
    EDGE,
    GOLD,
    PAPER,
    RED,
    Colour,
)
from gin_env.rendering.image.fonts import load_font
from gin_env.rendering.image.shapes import suit_mask

ASPECT = 1.4
"""Height of a card over its width."""
SAMPLES = 4
"""Cards are drawn so many times larger and made smaller, for smooth edges."""
UNITS = 100
"""Width of a card in the units that its parts are placed in; its height is 140."""

_LEFT, _MIDDLE, _RIGHT = 39, 50, 61
PIPS = {
    "2": ((_MIDDLE, 27), (_MIDDLE, 113)),
    "3": ((_MIDDLE, 27), (_MIDDLE, 70), (_MIDDLE, 113)),
    "4": ((_LEFT, 27), (_RIGHT, 27), (_LEFT, 113), (_RIGHT, 113)),
}
"""Where the suit stands on the cards from two to ten: centres in units."""
PIPS["5"] = (*PIPS["4"], (_MIDDLE, 70))
PIPS["6"] = (*PIPS["4"], (_LEFT, 70), (_RIGHT, 70))
PIPS["7"] = (*PIPS["6"], (_MIDDLE, 48))
PIPS["8"] = (*PIPS["7"], (_MIDDLE, 92))
_FOUR_PAIRS = tuple((x, y) for y in (25, 55, 85, 115) for x in (_LEFT, _RIGHT))
PIPS["9"] = (*_FOUR_PAIRS, (_MIDDLE, 70))
PIPS["T"] = (*_FOUR_PAIRS, (_MIDDLE, 40), (_MIDDLE, 100))

_CROWNS = {
    "J": ((0, 10), (3, 0), (10, 5), (17, 0), (20, 10)),
    "Q": ((0, 11), (0, 2), (5, 7), (10, 0), (15, 7), (20, 2), (20, 11)),
    "K": ((0, 12), (0, 1), (4, 7), (7, 0), (10, 6), (13, 0), (16, 7), (20, 1), (20, 12)),
}
"""Outlines of what the court cards wear, 20 units wide."""


def rank_text(card: int) -> str:
    """The rank of a card as people write it."""
    rank = RANKS[card % N_RANKS]
    return "10" if rank == "T" else rank


def suit_colour(card: int) -> Colour:
    """Red or black."""
    return RED if card // N_RANKS in (1, 2) else BLACK


@lru_cache(maxsize=256)
def card_face(card: int, width: int) -> Image.Image:
    """A card, face up. Mode RGBA, ``width`` pixels wide."""
    image, draw = _blank(width, PAPER)
    unit = image.width / UNITS
    rank = RANKS[card % N_RANKS]
    if rank in _CROWNS:
        _draw_court(image, draw, card, unit)
    elif rank == "A":
        _stamp(image, card, (_MIDDLE, 70), 46, unit)
    else:
        for x, y in PIPS[rank]:
            _stamp(image, card, (x, y), 18, unit, is_upright=y <= 70)
    corner = _corner(card, unit)
    image.alpha_composite(corner, (round(4 * unit), round(5 * unit)))
    place = (
        image.width - corner.width - round(4 * unit),
        image.height - corner.height - round(5 * unit),
    )
    image.alpha_composite(corner.rotate(180), place)
    return _smaller(image, width)


@lru_cache(maxsize=256)
def small_card(card: int, width: int) -> Image.Image:
    """A card for a list of them: rank above suit. Mode RGBA."""
    image, draw = _blank(width, PAPER)
    unit = image.width / UNITS
    font = load_font(62 * unit)
    draw.text(
        (_MIDDLE * unit, 42 * unit),
        rank_text(card),
        suit_colour(card),
        font,
        "mm",
        stroke_width=round(2 * unit),
        stroke_fill=suit_colour(card),
    )
    _stamp(image, card, (_MIDDLE, 100), 52, unit)
    return _smaller(image, width)


@lru_cache(maxsize=16)
def card_back(width: int) -> Image.Image:
    """A card, face down. Mode RGBA."""
    image, draw = _blank(width, PAPER)
    unit = image.width / UNITS
    inner = [7 * unit, 7 * unit, image.width - 7 * unit, image.height - 7 * unit]
    draw.rounded_rectangle(inner, 5 * unit, BACK)
    lattice = Image.new("L", image.size, 0)
    lines = ImageDraw.Draw(lattice)
    for start in range(-140, 241, 12):
        for slope in (1, -1):
            ends = (start * unit, 0, (start + slope * 140) * unit, 140 * unit)
            lines.line(ends, fill=110, width=round(1.6 * unit))
    mask = Image.new("L", image.size, 0)
    frame = [13 * unit, 13 * unit, image.width - 13 * unit, image.height - 13 * unit]
    ImageDraw.Draw(mask).rounded_rectangle(frame, 3 * unit, fill=255)
    empty = Image.new("L", image.size, 0)
    image.paste(BACK_LINES, (0, 0), Image.composite(lattice, empty, mask))
    draw.rounded_rectangle(frame, 3 * unit, outline=BACK_LINES, width=round(1.4 * unit))
    return _smaller(image, width)


@lru_cache(maxsize=16)
def card_shadow(width: int) -> tuple[Image.Image, int]:
    """The shadow of a card: mode RGBA, and by how many pixels it is larger on each side."""
    margin = max(2, round(width * 0.08))
    size = (width + 2 * margin, round(width * ASPECT) + 2 * margin)
    mask = Image.new("L", size, 0)
    box = [margin, margin, size[0] - margin - 1, size[1] - margin - 1]
    ImageDraw.Draw(mask).rounded_rectangle(box, width * 0.07, fill=105)
    mask = mask.filter(ImageFilter.GaussianBlur(margin * 0.5))
    shadow = Image.new("RGBA", size, (0, 0, 0, 0))
    shadow.putalpha(mask)
    return shadow, margin


def _blank(width: int, fill: Colour) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    """A card with nothing on it, large."""
    size = (width * SAMPLES, round(width * ASPECT) * SAMPLES)
    image = Image.new("RGBA", size, (*EDGE, 0))
    draw = ImageDraw.Draw(image)
    unit = size[0] / UNITS
    box = [0, 0, size[0] - 1, size[1] - 1]
    draw.rounded_rectangle(box, 7 * unit, fill, EDGE, max(1, round(1.2 * unit)))
    return image, draw


def _corner(card: int, unit: float) -> Image.Image:
    """Rank above suit, for the corners."""
    colour = suit_colour(card)
    corner = Image.new("RGBA", (round(24 * unit), round(50 * unit)), (*colour, 0))
    draw = ImageDraw.Draw(corner)
    text = rank_text(card)
    font = load_font((21 if len(text) > 1 else 26) * unit)
    draw.text(
        (corner.width / 2, 13 * unit),
        text,
        colour,
        font,
        "mm",
        stroke_width=round(0.7 * unit),
        stroke_fill=colour,
    )
    size = round(17 * unit)
    place = (round((corner.width - size) / 2), round(28 * unit))
    corner.paste(colour, place, suit_mask(card // N_RANKS, size))
    return corner


def _draw_court(image: Image.Image, draw: ImageDraw.ImageDraw, card: int, unit: float) -> None:
    """A frame with the letter between two crowns, the same upside down."""
    colour, rank = suit_colour(card), RANKS[card % N_RANKS]
    frame = [30 * unit, 13 * unit, 70 * unit, 127 * unit]
    draw.rounded_rectangle(frame, 4 * unit, COURT, colour, max(1, round(1.2 * unit)))
    half = Image.new("RGBA", (image.width, image.height // 2), (*colour, 0))
    crown = [((34 + 1.6 * x) * unit, (21 + 1.5 * y) * unit) for x, y in _CROWNS[rank]]
    half_draw = ImageDraw.Draw(half)
    half_draw.polygon(crown, fill=GOLD, outline=colour, width=max(1, round(unit)))
    band = [34 * unit, 42 * unit, 66 * unit, 45 * unit]
    half_draw.rectangle(band, colour)
    image.alpha_composite(half, (0, 0))
    image.alpha_composite(half.rotate(180), (0, image.height - half.height))
    _stamp(image, card, (_MIDDLE, 70), 34, unit)


def _stamp(
    image: Image.Image,
    card: int,
    centre: tuple[float, float],
    size: float,
    unit: float,
    *,
    is_upright: bool = True,
) -> None:
    """The suit of a card, at a place in units."""
    pixels = round(size * unit)
    mask = suit_mask(card // N_RANKS, pixels)
    place = (round(centre[0] * unit - pixels / 2), round(centre[1] * unit - pixels / 2))
    image.paste(suit_colour(card), place, mask if is_upright else mask.rotate(180))


def _smaller(image: Image.Image, width: int) -> Image.Image:
    size = (width, image.height // SAMPLES)
    return image.resize(size, Image.Resampling.BOX)
