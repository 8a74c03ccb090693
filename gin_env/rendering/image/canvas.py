"""What the table is painted on: text that fits its box, panels, cards; every place is kept.

Places and sizes are given in units of a table of 1280 by 720 and scaled to the picture's height.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from gin_env.core.cards import RANKS, SUIT_SYMBOLS
from gin_env.core.state import NO_CARD
from gin_env.rendering.image.card_faces import (
    ASPECT,
    card_back,
    card_face,
    card_shadow,
    rank_text,
    small_card,
    suit_colour,
)
from gin_env.rendering.image.colours import FELT, FELT_EDGE, IVORY, PAPER, RIM, Colour
from gin_env.rendering.image.fonts import ELLIPSIS, load_font
from gin_env.rendering.image.shapes import suit_mask

WIDTH, HEIGHT = 1280, 720
"""Of the table, in units."""
LEAST_SHRINK = 0.7
"""A text that is too wide becomes so much smaller before it is cut."""
SAMPLES = 4

_CARD = re.compile(rf"([{RANKS}][{SUIT_SYMBOLS}])")
_RIM_WIDTH = 10

Align = Literal["left", "middle", "right"]


class Box(NamedTuple):
    """A rectangle: left, top, right, bottom. Units or pixels, as said."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """From left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """From top to bottom."""
        return self.bottom - self.top

    def inset(self, across: float, down: float) -> "Box":
        """The box that is left without a margin on either side, and above and below."""
        return Box(self.left + across, self.top + down, self.right - across, self.bottom - down)


class Written(NamedTuple):
    """A text on the canvas."""

    text: str
    """As it was to be."""
    drawn: str
    """As it is: shorter where it was cut."""
    size: float
    """Of the letters, pixels."""
    box: Box
    """Where its ink is, pixels."""


@dataclass
class _Piece:
    """A part of a line: some words or, with a card, that card as a chip."""

    text: str
    card: int | None
    width: float = 0.0


class Canvas:
    """A picture of a table, and what has been put on it.

    Args:
        height: Of the picture, pixels; its width is 16/9 of that, rounded to an even number.

    Attributes:
        image: Mode RGB.
        texts: What is written on the felt and the panels, in order.
        cards: Where whole cards lie, in order, pixels.
    """

    def __init__(self, height: int) -> None:
        self.scale = height / HEIGHT
        self.image = _felt(height).copy()
        self.texts: list[Written] = []
        self.cards: list[Box] = []

    def to_array(self) -> np.ndarray:
        """The picture. Shape [height, width, 3], uint8, a fresh array."""
        return np.array(self.image)

    def panel(
        self,
        box: Box,
        fill: Colour,
        opacity: int,
        *,
        radius: float = 10,
        line: Colour | None = None,
    ) -> None:
        """Lay a panel with round corners.

        Args:
            box: Units.
            fill: Its colour.
            opacity: From 0 to 255.
            radius: Of the corners, units.
            line: Colour of an outline.
        """
        size, at = self._place(box)
        mask = _panel_mask(size, round(radius * self.scale), 0)
        if opacity < 255:
            mask = mask.point(lambda value: value * opacity // 255)
        self.image.paste(fill, at, mask)
        if line is not None:
            width = max(1, round(1.6 * self.scale * SAMPLES))
            self.image.paste(line, at, _panel_mask(size, round(radius * self.scale), width))

    def card(self, card: int, left: float, top: float, width: float) -> Box:
        """Lay a card.

        Args:
            card: Its id; `NO_CARD` for one face down.
            left: Units, as the others.
            top: Of the card.
            width: Of the card.

        Returns:
            Where it lies, units.
        """
        pixels = max(8, round(width * self.scale))
        at = (round(left * self.scale), round(top * self.scale))
        shadow, margin = card_shadow(pixels)
        drop = round(pixels * 0.02)
        self.image.paste(shadow, (at[0] - margin + drop, at[1] - margin + drop), shadow)
        image = card_back(pixels) if card == NO_CARD else card_face(card, pixels)
        self._lay(image, at)
        return Box(left, top, left + width, top + width * ASPECT)

    def small_card(self, card: int, left: float, top: float, width: float) -> None:
        """Lay a small card of a list; units."""
        pixels = max(8, round(width * self.scale))
        at = (round(left * self.scale), round(top * self.scale))
        self._lay(small_card(card, pixels), at)

    def outline(self, box: Box, colour: Colour) -> None:
        """Draw a line around a card; units."""
        size, at = self._place(box)
        width = round(3.2 * self.scale * SAMPLES)
        mask = _panel_mask(size, round(box.width * 0.07 * self.scale), width)
        self.image.paste(colour, at, mask)

    def bar(self, box: Box, colour: Colour) -> None:
        """Draw a line or a bar, at least one pixel thick; units."""
        place = self._pixels(box)
        bottom = max(round(place.bottom), round(place.top) + 1)
        corners = [round(place.left), round(place.top), round(place.right) - 1, bottom - 1]
        ImageDraw.Draw(self.image).rectangle(corners, colour)

    def disc(self, x: float, y: float, radius: float, colour: Colour) -> None:
        """Draw a disc around a point; units."""
        self.panel(Box(x - radius, y - radius, x + radius, y + radius), colour, 255, radius=radius)

    def suit(self, suit: int, x: float, y: float, size: float, colour: Colour) -> None:
        """Draw a suit around a point; units."""
        pixels = max(4, round(size * self.scale))
        at = (round(x * self.scale - pixels / 2), round(y * self.scale - pixels / 2))
        self.image.paste(colour, at, suit_mask(suit, pixels))

    def text(
        self, box: Box, text: str, size: float, colour: Colour = IVORY, align: Align = "left"
    ) -> None:
        """Write one line, smaller and at last cut where it would not fit.

        Args:
            box: Where it must stay, units; it stands in the middle of its height.
            text: Cards in it, such as ``10`` and a suit symbol, are drawn as chips.
            size: Of the letters, units.
            colour: Of the words.
            align: Where in the box it stands.
        """
        if not text:
            return
        place = self._pixels(box)
        pieces, pixels = self._fit(text, size * self.scale, place.width)
        spare = max(0.0, place.width - _length(pieces))
        left = place.left + {"left": 0.0, "middle": spare / 2, "right": spare}[align]
        middle = (place.top + place.bottom) / 2
        inks = []
        for piece in pieces:
            if piece.card is None:
                inks.append(self._write_words(piece.text, left, middle, pixels, colour))
            else:
                chip = Box(left, middle - pixels * 0.66, left + piece.width, middle + pixels * 0.66)
                inks.append(self._draw_chip(piece.card, chip.inset(pixels * 0.08, 0), pixels))
            left += piece.width
        drawn = "".join(piece.text for piece in pieces)
        self.texts.append(Written(text, drawn, pixels, _around(inks)))

    def text_width(self, text: str, size: float) -> float:
        """How wide a line would be at its full size, units."""
        return _length(_measure(text, size * self.scale)) / self.scale

    def _fit(self, text: str, size: float, width: float) -> tuple[list[_Piece], float]:
        """The pieces of a line and the size at which they fit."""
        pieces, least = _measure(text, size), size * LEAST_SHRINK
        while _length(pieces) > width and size > least:
            size = max(least, size * 0.97)  # widths do not shrink evenly: they are in whole pixels
            pieces = _measure(text, size)
        while len(text) > 1 and _length(pieces) > width:
            text = text.removesuffix(ELLIPSIS)[:-1].rstrip() + ELLIPSIS
            pieces = _measure(text, size)
        return pieces, size

    def _write_words(
        self, words: str, left: float, middle: float, size: float, colour: Colour
    ) -> Box:
        font = load_font(size)
        draw = ImageDraw.Draw(self.image)
        draw.text((left, middle), words, colour, font, "lm")
        return Box(*draw.textbbox((left, middle), words, font, "lm"))

    def _draw_chip(self, card: int, box: Box, size: float) -> Box:
        """Draw a card in a line of text: rank and suit on paper."""
        at = (round(box.left), round(box.top))
        mask = _panel_mask((round(box.width), round(box.height)), round(size * 0.2), 0)
        self.image.paste(PAPER, at, mask)
        middle = (box.top + box.bottom) / 2
        place = (box.left + size * 0.18, middle)
        font = load_font(size * 0.92)
        ImageDraw.Draw(self.image).text(place, rank_text(card), suit_colour(card), font, "lm")
        pixels = round(size * 0.72)
        corner = (round(box.right - size * 0.16) - pixels, round(middle - pixels / 2))
        self.image.paste(suit_colour(card), corner, suit_mask(card // len(RANKS), pixels))
        return box

    def _lay(self, image: Image.Image, at: tuple[int, int]) -> None:
        self.image.paste(image, at, image)
        self.cards.append(Box(*at, at[0] + image.width, at[1] + image.height))

    def _pixels(self, box: Box) -> Box:
        return Box(*(edge * self.scale for edge in box))

    def _place(self, box: Box) -> tuple[tuple[int, int], tuple[int, int]]:
        """The size and the upper left corner of a box, whole pixels."""
        place = self._pixels(box)
        size = round(place.width), round(place.height)
        return size, (round(place.left), round(place.top))


def _measure(text: str, size: float) -> list[_Piece]:
    """Cut a line into words and cards, with their widths in pixels."""
    pieces = []
    for part in _CARD.split(text):
        if _CARD.fullmatch(part):
            card = RANKS.index(part[0]) + len(RANKS) * SUIT_SYMBOLS.index(part[1])
            width = load_font(size * 0.92).getlength(rank_text(card)) + size * 1.22
            pieces.append(_Piece(part, card, width))
        elif part:
            pieces.append(_Piece(part, None, load_font(size).getlength(part)))
    return pieces


def _length(pieces: list[_Piece]) -> float:
    return sum(piece.width for piece in pieces)


def _around(boxes: list[Box]) -> Box:
    """The smallest box that holds all of these."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return Box(min(lefts), min(tops), max(rights), max(bottoms))


@lru_cache(maxsize=256)
def _panel_mask(size: tuple[int, int], radius: int, line: int) -> Image.Image:
    """A rectangle with round corners, or its outline, ``line`` samples thick."""
    large = Image.new("L", (size[0] * SAMPLES, size[1] * SAMPLES), 0)
    corners = [0, 0, large.width - 1, large.height - 1]
    draw = ImageDraw.Draw(large)
    if line:
        draw.rounded_rectangle(corners, radius * SAMPLES, outline=255, width=line)
    else:
        draw.rounded_rectangle(corners, radius * SAMPLES, fill=255)
    return large.resize(size, Image.Resampling.BOX)


@lru_cache(maxsize=8)
def _felt(height: int) -> Image.Image:
    """An empty table: felt that darkens towards its wooden rim."""
    width = 2 * round(height * WIDTH / HEIGHT / 2)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    away = np.hypot((x / width - 0.5) * 1.9, (y / height - 0.5) * 1.9).clip(0, 1)[..., None] ** 1.8
    felt = np.array(FELT, np.float32) * (1 - away) + np.array(FELT_EDGE, np.float32) * away
    image = Image.new("RGB", (width, height), RIM)
    rim = max(2, round(_RIM_WIDTH * height / HEIGHT))
    size = (width - 2 * rim, height - 2 * rim)
    inside = Image.fromarray(felt.clip(0, 255).astype(np.uint8)).crop(
        (rim, rim, width - rim, height - rim)
    )
    image.paste(inside, (rim, rim), _panel_mask(size, 2 * rim, 0))
    image.paste((20, 12, 8), (rim, rim), _panel_mask(size, 2 * rim, SAMPLES * max(1, rim // 5)))
    return image
