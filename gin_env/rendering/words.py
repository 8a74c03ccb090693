"""Cards, moves and results in words, for whoever shows a table to people."""

import re
import textwrap
from collections.abc import Iterable, Sequence

import numpy as np

from gin_env.core.actions import BIG_GIN, DISCARD, DRAW, KNOCK, PASS, TAKE
from gin_env.core.cards import N_RANKS, RANKS, SUIT_SYMBOLS, parse_card, to_ids
from gin_env.core.state import NO_CARD, Phase
from gin_env.players.protocol import FORFEIT
from gin_env.values.melds import Layoff, Meld
from gin_env.values.result import HandResult

WIDTH = 80
"""No line is longer, in characters."""
PLAYER_NAMES = ("player_0", "player_1")
HARD_SPACE = "\N{NO-BREAK SPACE}"
"""Between cards that stay on one line; `wrap` turns it into a blank."""
RED_CARD = re.compile(rf"[{RANKS}][{SUIT_SYMBOLS[1:3]}]")
"""A heart or a diamond, as `card_symbol` writes it."""


# Texts and names.


def printable(text: str) -> str:
    """Replace control characters, which could move the cursor, by question marks."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def shorten(text: str, length: int) -> str:
    """Cut a text to a number of characters; an ellipsis stands for what is left out."""
    return text if len(text) <= length else text[: length - 1] + "…"


def wrap(text: str, indent: str = "", first: str = "") -> list[str]:
    """Break a text into lines of at most `WIDTH` characters.

    Args:
        text: The text; it is not broken at `HARD_SPACE`.
        indent: What the lines after the first begin with.
        first: What the first begins with.
    """
    lines = textwrap.wrap(first + text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
    return [line.replace(HARD_SPACE, " ") for line in lines]


def plural(number: int, noun: str) -> str:
    """Write a number of things: "1 card", "2 cards"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def totals_text(names: Iterable[str], totals: Iterable[int]) -> str:
    """Write the running totals of a match, each after its player's name."""
    return " · ".join(f"{name} {total}" for name, total in zip(names, totals, strict=True))


# Cards.


def card_symbol(card: str | int) -> str:
    """Write a card, given as id or text, with the symbol of its suit.

    Example:
        >>> card_symbol("Td"), card_symbol(0)
        ('T♦', 'A♠')
    """
    number = parse_card(card) if isinstance(card, str) else card
    return RANKS[number % N_RANKS] + SUIT_SYMBOLS[number // N_RANKS]


def symbols(cards: Iterable[str | int]) -> str:
    """Write cards with the symbols of their suits, separated by blanks."""
    return " ".join(map(card_symbol, cards))


def grouped(melds: Iterable[Iterable[str]], unmelded: Iterable[str]) -> str:
    """Write melds in brackets, each kept on one line by `HARD_SPACE`, then the other cards."""
    return " ".join([*map(_bracketed, melds), symbols(unmelded)]).strip()


def layoffs_text(layoffs: Iterable[Layoff]) -> str:
    """Say which cards were laid off on which melds."""
    by_meld: dict[Meld, list[str]] = {}
    for card, meld in layoffs:
        by_meld.setdefault(meld, []).append(card)
    return ", ".join(f"{symbols(cards)} on {_bracketed(meld)}" for meld, cards in by_meld.items())


# What a seat sees.


def pile_order(view: np.void) -> list[int]:
    """The ids of the cards of the pile, its top first."""
    return newest_first(view, int(view["pile"]))


def newest_first(view: np.void, cards: int) -> list[int]:
    """The ids of cards that have lain on the pile, given as a mask: first what came there last."""
    turns = view["discard_turn"].max(0)
    return sorted(to_ids(cards), key=lambda card: -int(turns[card]))


def removed_cards(view: np.void) -> list[int]:
    """The ids of cards that have left the game: a declined upcard, by some rules."""
    return to_ids(int(view["out_of_play"]) & ~int(view["pile"]))


def find_knocks(view: np.void) -> list[tuple[int, int]]:
    """Find what the seat may knock with now: (deadwood left, card id), the least deadwood first."""
    if not view["is_to_move"] or view["phase"] != Phase.DISCARD:
        return []
    limit = int(view["knock_limit"])
    after = enumerate(view["deadwood_after"].tolist())
    return sorted((left, card) for card, left in after if 0 <= left <= limit)


def least_deadwood_after(view: np.void) -> int | None:
    """Find what the best discard leaves, points; None where none is to be made."""
    after = [left for left in view["deadwood_after"].tolist() if left >= 0]
    return min(after) if view["phase"] == Phase.DISCARD and after else None


# What happens.


def turn_text(view: np.void, other_name: str) -> str:
    """Say in a few words whose turn it is and what it offers, while the hand is played.

    Args:
        view: What the seat may know.
        other_name: What to call the other seat.
    """
    phase = Phase(int(view["phase"]))
    if not view["is_to_move"]:
        verbs = {Phase.OFFER: "answers the offer", Phase.DRAW: "draws", Phase.DISCARD: "discards"}
        return f"{other_name} {verbs.get(phase, 'is not to move')}"
    top = int(view["top"])
    if phase == Phase.OFFER:
        return f"take or pass {card_symbol(top)}"
    if phase == Phase.DRAW:
        take = f", or take {card_symbol(top)}" if view["can_take"] else ""
        return f"draw from the stock{take}"
    return f"drew {card_symbol(int(view['drawn']))}: discard a card"


def action_words(action: int, top: int, drawn: int = NO_CARD) -> str:
    """Say what somebody does, as "passes 8♦".

    Args:
        action: Its id, or `FORFEIT`.
        top: The top of the pile before it, an id.
        drawn: The card that it brings from the stock; `NO_CARD` where that is not seen.
    """
    if action in (PASS, TAKE):
        return f"{'passes' if action == PASS else 'takes'} {card_symbol(top)}"
    if action == DRAW:
        return f"draws {'from the stock' if drawn == NO_CARD else card_symbol(drawn)}"
    if action in (FORFEIT, BIG_GIN):
        return "forfeits the hand" if action == FORFEIT else "declares big gin"
    if action >= KNOCK:
        return f"knocks, discarding {card_symbol(action - KNOCK)}"
    return f"discards {card_symbol(action - DISCARD)}"


def knock_words(view: np.void) -> str:
    """Say what may be knocked with in this hand."""
    limit = int(view["knock_limit"])
    return f"knock with {limit} or less" if limit else "only gin ends the hand"


def match_text(result: HandResult, names: Sequence[str]) -> str:
    """Say what a hand meant to its match beyond its points; nothing where it meant nothing."""
    parts = []
    if result.match_bonus and result.winner is not None:
        parts.append(f"bonuses {result.match_bonus:+} to {names[result.winner]}")
    if result.match_winner is not None:
        parts.append(f"{names[result.match_winner]} wins the match")
    return " · ".join(parts)


def _bracketed(meld: Iterable[str]) -> str:
    return f"[{symbols(meld)}]".replace(" ", HARD_SPACE)
