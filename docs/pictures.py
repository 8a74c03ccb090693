"""Draw the pictures of the documentation; ``--check`` only says whether they are current.

They are the same picture as long as Pillow draws alike: the check lets a small difference pass.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

from gin_env import Game

FOLDER = Path(__file__).parent / "pictures"
HEIGHT = 540
MOST_DIFFERENCE = 4.0
"""By how much a picture may differ from the one that is kept, of 255 for each colour."""

HANDS = ("As 2s 3s 4h 5h 6h 7d 8d 9d 3c", "Jh Qh Kh Jc Qc Kc 4s Td 8c 4d")
DECK = [rank + suit for suit in "shdc" for rank in "A23456789TJQK"]
DEALT = (*HANDS[0].split(), *HANDS[1].split(), "5c", "Kd")
TURNS = (
    "pass, take, discard Qh, take, discard Ks, draw, discard Jd, take, discard Qd, "
    "draw, discard Ts, draw, discard 8h, take, discard 9h, take, discard 6s, draw, "
    "discard 4d, draw"
)


def turn() -> Image.Image:
    """A turn in the middle of a match: the seat in front has drawn and may knock."""
    game = Game.deal(seed=254, episode="match", dealer=1)
    for action in TURNS.split(", "):
        game.play(action)
    return _picture(game)


def knock() -> Image.Image:
    """The end of a hand, with cards laid off."""
    game = Game.from_deal(
        dealer=1,
        hands=list(HANDS),
        upcard="5c",
        stock=["Kd", *(card for card in DECK if card not in DEALT)],
    )
    for action in ("pass", "pass", "draw", "knock Kd"):
        game.play(action)
    return _picture(game)


PICTURES = {"turn": turn, "knock": knock}


def main(arguments: list[str]) -> int:
    """Draw the pictures, or with ``--check`` name those that are not current."""
    only_checks = arguments == ["--check"]
    FOLDER.mkdir(exist_ok=True)
    stale = []
    for name, draw in PICTURES.items():
        path, picture = FOLDER / f"{name}.png", draw()
        if path.exists() and _difference(picture, path) <= MOST_DIFFERENCE:
            continue
        stale.append(name)
        if not only_checks:
            picture.save(path, optimize=True)
        print(f"{path.name}: {'is not current' if only_checks else 'drawn anew'}")
    return int(bool(stale) and only_checks)


def _picture(game: Game) -> Image.Image:
    return Image.fromarray(game.render("rgb_array", 0, screen_height=HEIGHT))


def _difference(picture: Image.Image, path: Path) -> float:
    """The mean difference of two pictures, of 255; infinite where their sizes differ."""
    drawn = np.asarray(picture, float)
    with Image.open(path) as file:
        kept = np.asarray(file, float)
    return float(np.abs(drawn - kept).mean()) if drawn.shape == kept.shape else float("inf")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
