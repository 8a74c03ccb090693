"""The table as text, from one seat's point of view.

It is made from the seat's view, which holds nothing hidden; the result of a hand adds the other
hand only where the rules show it. A replay hands in the other seat's view as well, and then both
hands lie open. Whoever else shows a table takes the words for cards and actions from here.
"""

import re
import textwrap
from collections.abc import Iterable, Sequence

import numpy as np

from gin_env.core.actions import BIG_GIN, DISCARD, DRAW, KNOCK, PASS, TAKE
from gin_env.core.cards import N_RANKS, RANKS, SUIT_SYMBOLS, parse_card, to_ids
from gin_env.core.state import NO_CARD, Phase
from gin_env.players.protocol import FORFEIT
from gin_env.values.melds import Layoff, Meld, meld_text, split_melds
from gin_env.values.result import HandResult

WIDTH = 80
"""No line is longer, in characters."""
LABEL_WIDTH = 11
PLAYER_NAMES = ("player_0", "player_1")
HARD_SPACE = "\N{NO-BREAK SPACE}"
"""Between cards that stay on one line; `wrap` makes it a blank."""
RED_CARD = re.compile(rf"[{RANKS}][{SUIT_SYMBOLS[1:3]}]")
"""A heart or a diamond, as `card_symbol` writes it."""


def render_text(
    view: np.void,
    seat: int,
    *,
    result: HandResult | None = None,
    is_match: bool = False,
    names: Sequence[str] = PLAYER_NAMES,
    other: np.void | None = None,
) -> str:
    """Draw the table as ``seat`` sees it: at most 80 columns, no colour.

    Args:
        view: What the seat may know, a record of `gin_env.core.view.VIEW_DTYPE`.
        seat: Whose view that is.
        result: Of the hand, once it is over; None before.
        is_match: Show running totals.
        names: What to call seat 0 and seat 1.
        other: The other seat's view, to show both hands; for replays, never for a player.

    Returns:
        Lines, without a newline at the end.
    """
    names = [printable(name) for name in names]
    me, them = names[seat], names[1 - seat]
    seen = f"seen by {me}" if other is None else "both hands open"
    dealer = me if view["is_dealer"] else them
    rows = [("Table", f"{seen} · dealt by {dealer} · {_count(view['n_turns'], 'turn')}")]
    if is_match:
        mine, theirs = view["totals"].tolist()
        hands = _count(view["n_hands"], "hand")
        rows.append(("Totals", f"{me} {mine} · {them} {theirs} · {hands} ended"))
    rows += [
        ("Stock", _count(view["n_stock"], "card")),
        ("Pile", _pile(view)),
        (them, _opponent(view)),
    ]
    if result is not None:
        rows += _end(result, seat, names, is_open=other is not None)
    else:
        if other is not None:
            rows.append(("", f"{_hand(other)} · deadwood {other['deadwood']}"))
        rows += [(me, _hand(view)), ("Deadwood", _deadwood(view))]
        mover = other if other is not None and other["is_to_move"] else view
        rows += _turn(mover, them, "" if mover is view else f"{them}: ")
    indent = " " * LABEL_WIDTH
    lines = (
        wrap(text, indent, f"{label[: LABEL_WIDTH - 1]:<{LABEL_WIDTH}}") for label, text in rows
    )
    return "\n".join(line for row in lines for line in row)


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


def printable(text: str) -> str:
    """A text from outside without what would move the cursor."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def wrap(text: str, indent: str = "", first: str = "") -> list[str]:
    """Break a text into lines of at most `WIDTH` characters.

    Args:
        text: The text; it is not broken at `HARD_SPACE`.
        indent: What the lines after the first begin with.
        first: What the first begins with.
    """
    lines = textwrap.wrap(first + text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
    return [line.replace(HARD_SPACE, " ") for line in lines]


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


def find_knocks(view: np.void) -> list[tuple[int, int]]:
    """Find what the seat may knock with now: (deadwood left, card id), the least deadwood first."""
    if not view["is_to_move"] or view["phase"] != Phase.DISCARD:
        return []
    limit = int(view["knock_limit"])
    after = enumerate(view["deadwood_after"].tolist())
    return sorted((left, card) for card, left in after if 0 <= left <= limit)


def match_text(result: HandResult, names: Sequence[str]) -> str:
    """Say what a hand meant to its match beyond its points; nothing where it meant nothing."""
    parts = []
    if result.match_bonus and result.winner is not None:
        parts.append(f"bonuses {result.match_bonus:+} to {names[result.winner]}")
    if result.match_winner is not None:
        parts.append(f"{names[result.match_winner]} wins the match")
    return " · ".join(parts)


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


def _bracketed(meld: Iterable[str]) -> str:
    return f"[{symbols(meld)}]".replace(" ", HARD_SPACE)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _deadwood(view: np.void) -> str:
    after = [left for left in view["deadwood_after"].tolist() if left >= 0]
    is_discard = view["phase"] == Phase.DISCARD and after
    best = f" · {min(after)} after the best discard" if is_discard else ""
    return f"{view['deadwood']}{best} · {knock_words(view)}"


def _pile(view: np.void) -> str:
    top = int(view["top"])
    if top == NO_CARD:
        return "empty" + _removed(view)
    rest = pile_order(view)[1:]
    under = f" · under it {symbols(rest)}" if rest else ""
    return f"{card_symbol(top)} on top{under}{_removed(view)}"


def _removed(view: np.void) -> str:
    removed = removed_cards(view)
    return f" · out of the game {symbols(removed)}" if removed else ""


def _opponent(view: np.void) -> str:
    """What the other seat did openly."""
    marks = (
        ("holds", view["their_known"]),
        ("took and shed", view["their_shed"]),
        ("declined", view["their_declined"]),
    )
    shown = [f"{mark} {symbols(to_ids(int(bits)))}" for mark, bits in marks if bits]
    return " · ".join(shown) or "has taken and declined nothing"


def _hand(view: np.void) -> str:
    hand, sets, runs = int(view["hand"]), int(view["sets"]), int(view["runs"])
    return grouped(split_melds(sets, runs), meld_text(hand & ~sets & ~runs))


def _turn(view: np.void, other_name: str, prefix: str) -> list[tuple[str, str]]:
    kept = int(view["just_taken"])
    keep = f"; {card_symbol(kept)} must be kept" if kept != NO_CARD else ""
    rows = [("Turn", prefix + turn_text(view, other_name) + keep)]
    if knocks := find_knocks(view):
        offers = [f"{card_symbol(card)} ({left or 'gin'})" for left, card in knocks]
        rows.append(("May knock", "with " + ", ".join(offers)))
    return rows


def _end(
    result: HandResult, seat: int, names: Sequence[str], *, is_open: bool
) -> list[tuple[str, str]]:
    """The result; the other hand only where somebody knocked, or both lie open."""
    rows = [("Result", result.describe(names))]
    if score := result.explain():
        rows.append(("Score", score))
    if match := match_text(result, names):
        rows.append(("Match", match))
    shown = [seat] if result.knocker is None and not is_open else [seat, 1 - seat]
    for each in shown:
        melds, unmelded, deadwood = result.arrangements[each]
        cards = grouped(melds, unmelded)
        rows.append((f"{names[each]}", f"{cards} · deadwood {deadwood}"))
        if result.layoffs and each != result.knocker:
            rows.append(("", f"laid off {layoffs_text(result.layoffs)}"))
    return rows
