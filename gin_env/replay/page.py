"""Recorded hands as one page for a browser: everything in one file, nothing from a network."""

import html
import json
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from gin_env.errors import HistoryError
from gin_env.history import Hand
from gin_env.replay.frames import describe_hand, make_frames, open_seats
from gin_env.support.files import write_whole

FOLDER = Path(__file__).parent
HIDDEN_PROBLEM = "it is damaged, or cannot be played; gin-env verify says more"
"""Instead of the reason, which may name cards that a seat does not see."""


class WrittenPage(NamedTuple):
    """What a page shows."""

    n_hands: int
    problem: str | None
    """Why no more hands could be shown, if there was a reason."""


def write_page(
    file: str | Path, hands: Iterable[Hand], title: str, perspective: str = "both", first: int = 1
) -> WrittenPage:
    """Write a page of hands. The engine plays them here; the page only draws what came out.

    Args:
        file: Where.
        hands: Recorded hands; if one cannot be read or played, those before it are shown.
        title: What to call them.
        perspective: Whose cards lie open, see `gin_env.replay.frames`; the page of one seat's
            perspective holds nothing that the seat may not see.
        first: The number of the first one, from 1.

    Raises:
        HistoryError: If there is not one hand to show.
        OutputError: If the file cannot be written.
    """
    shown, problem = _collect(hands, perspective, first)
    if not shown:
        raise HistoryError(problem or "there are no hands to show")
    below = 1 if open_seats(perspective) == (1,) else 0
    told = problem
    if problem is not None and perspective != "both":
        told = f"line {first + len(shown)}: {HIDDEN_PROBLEM}"
    content = {"first": first, "below": below, "trouble": told, "hands": shown}
    write_whole(Path(file), make_page(title, content).encode())
    return WrittenPage(len(shown), problem)


def make_page(title: str, content: dict[str, Any]) -> str:
    """The page's HTML: styles, script and data are in it, and nothing else may be loaded."""
    style, script = ((FOLDER / name).read_text("utf-8") for name in ("page.css", "page.js"))
    parts = {
        "TITLE": html.escape(title),
        "STYLE_HASH": _hash(style),
        "SCRIPT_HASH": _hash(script),
        "STYLE": style,
        "SCRIPT": script,
        "DATA": _escape(json.dumps(content, separators=(",", ":"))),
    }
    page = (FOLDER / "page.html").read_text("utf-8")
    pieces = page.split("@@")  # every second one is the name of a part
    return "".join(parts[piece] if place % 2 else piece for place, piece in enumerate(pieces))


def _collect(
    hands: Iterable[Hand], perspective: str, first: int
) -> tuple[list[dict[str, Any]], str | None]:
    """The hands of the page, and why there are no more."""
    shown: list[dict[str, Any]] = []
    try:
        shown.extend(_show(hand, perspective) for hand in hands)
    except HistoryError as error:
        said = str(error) if error.line is not None else f"line {first + len(shown)}: {error}"
        return shown, said
    return shown, None


def _show(hand: Hand, perspective: str) -> dict[str, Any]:
    known = hand if perspective == "both" else replace(hand, seed=None)  # it would tell the deal
    return {
        "players": hand.players,
        "facts": describe_hand(known),
        "totals": hand.totals if hand.episode == "match" else None,
        "frames": make_frames(hand, perspective),
    }


def _escape(data: str) -> str:
    """JSON that no reader of HTML takes for markup; it is ASCII already."""
    for letter in "<>&":
        data = data.replace(letter, f"\\u{ord(letter):04x}")
    return data


def _hash(text: str) -> str:
    """What tells a browser which styles and which script are ours."""
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
