"""A frame as lines of text, for a terminal of 80 columns or more."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from unicodedata import east_asian_width

from gin_env.history import Hand
from gin_env.rendering.words import (
    HARD_SPACE,
    WIDTH,
    card_symbol,
    shorten,
    symbols,
    totals_text,
    wrap,
)
from gin_env.replay.frames import Frame, SeatFrame, describe_hand

HEIGHT = 22
"""Lines of a table; two of a terminal's 24 are left for who shows it."""
INDENT = " " * 4
N_EARLIER = 4
"""Actions shown beside the last one."""
NAME_WIDTH = 24
"""Cells that a name may take."""
BACK = "▒▒"
"""A card that lies face down."""


def draw(hand: Hand, frames: Sequence[Frame], place: int, below: int = 0) -> list[str]:
    """Draw the table after some action.

    Args:
        hand: The hand, its names short.
        frames: Its frames.
        place: Which of them.
        below: The seat whose cards lie at the bottom.

    Returns:
        At most `HEIGHT` lines of at most `WIDTH` characters.
    """
    frame = frames[place]
    lines = [*wrap(" · ".join(describe_hand(hand))), *_totals(hand), ""]
    lines += _seat(hand, frame, 1 - below)
    lines += ["", *_middle(frame), ""]
    lines += [*_seat(hand, frame, below), ""]
    if frame.end:
        lines += [line for text in (frame.action, *frame.end) for line in wrap(text)]
    else:
        first = max(1, place - N_EARLIER)
        lines += [shorten(f"{n:4} {frames[n].action}", WIDTH) for n in range(first, place + 1)]
    return lines[:HEIGHT]


def scrubber(place: int, n_places: int) -> str:
    """A line that shows how far a hand has come."""
    label = f" {place} of {n_places - 1}"
    room = WIDTH - len(label) - 1
    at = round(place * (room - 1) / max(1, n_places - 1))
    return "━" * at + "●" + "─" * (room - 1 - at) + label


def shorten_names(hand: Hand) -> Hand:
    """The same hand with names that fit beside other things."""
    first, second = map(_short_name, hand.players)
    return replace(hand, players=(first, second))


def _totals(hand: Hand) -> list[str]:
    if hand.episode != "match":
        return []
    return [f"Totals  {totals_text(hand.players, hand.totals)}"]


def _seat(hand: Hand, frame: Frame, seat: int) -> Iterator[str]:
    shown = frame.seats[seat]
    mark = "▶" if frame.to_move == seat else " "
    left = f"{mark} {hand.players[seat]} (seat {seat})"
    right = "" if shown.deadwood is None else f"deadwood {shown.deadwood}"
    yield f"{left:<{WIDTH // 2}}{right}"
    yield from wrap(_cards(shown), INDENT, INDENT)


def _cards(shown: SeatFrame) -> str:
    """Melds in brackets, then the other cards, then the backs of cards; + marks a fresh one."""
    melds = ("[" + _marked(meld, shown.fresh) + "]" for meld in shown.melds)
    groups = [meld.replace(" ", HARD_SPACE) for meld in melds]
    rest = _marked(shown.rest, shown.fresh)
    return " ".join([*groups, *([rest] if rest else []), *[BACK] * shown.n_hidden])


def _middle(frame: Frame) -> Iterator[str]:
    """The stock and the pile, its top first."""
    cards = [card_symbol(card) for card in reversed(frame.pile)]
    pile = f"[{cards[0]}] {' '.join(cards[1:])}".strip() if cards else "empty"
    yield from wrap(f"Stock {frame.n_stock}   Pile {pile}", INDENT + " " * 16, INDENT)
    if frame.removed:
        yield f"{INDENT}Out of the game {symbols(frame.removed)}"


def _marked(cards: Sequence[str], fresh: str | None) -> str:
    return " ".join(card_symbol(card) + ("+" if card == fresh else "") for card in cards)


def _short_name(name: str) -> str:
    if _n_cells(name) <= NAME_WIDTH:
        return name
    while _n_cells(name) >= NAME_WIDTH:
        name = name[:-1]
    return name + "…"


def _n_cells(text: str) -> int:
    """How wide a text is: letters of some scripts take two cells."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)
