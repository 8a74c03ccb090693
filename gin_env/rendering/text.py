"""The table as lines of text, from one seat's point of view.

They are made from the seat's view, which holds nothing hidden; the result of a hand adds the other
hand only where the rules show it. In a replay both hands lie open.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from gin_env.core.cards import to_ids
from gin_env.core.state import NO_CARD
from gin_env.rendering.scene import Scene
from gin_env.rendering.words import (
    card_symbol,
    find_knocks,
    grouped,
    knock_words,
    layoffs_text,
    least_deadwood_after,
    match_text,
    pile_order,
    plural,
    printable,
    removed_cards,
    symbols,
    totals_text,
    turn_text,
    wrap,
)
from gin_env.values.melds import split_hand
from gin_env.values.result import HandResult

LABEL_WIDTH = 11

Row = tuple[str, str]
"""A label and a text."""


def render_text(scene: Scene) -> str:
    """Draw the table in lines of at most 80 columns; no newline at the end, no colour."""
    scene = replace(scene, names=tuple(map(printable, scene.names)))
    indent = " " * LABEL_WIDTH
    lines: list[str] = []
    for label, text in _rows(scene):
        lines += wrap(text, indent, f"{label[: LABEL_WIDTH - 1]:<{LABEL_WIDTH}}")
    return "\n".join(lines)


def _rows(scene: Scene) -> Iterator[Row]:
    view, other, me, them = scene.view, scene.other, scene.me, scene.them
    seen = f"seen by {me}" if other is None else "both hands open"
    dealer = me if view["is_dealer"] else them
    yield "Table", f"{seen} · dealt by {dealer} · {plural(view['n_turns'], 'turn')}"
    if scene.is_match:
        totals = totals_text((me, them), view["totals"])
        yield "Totals", f"{totals} · {plural(view['n_hands'], 'hand')} ended"
    yield "Stock", plural(view["n_stock"], "card")
    yield "Pile", _pile(view)
    yield them, _opponent(view)
    if scene.result is not None:
        yield from _end(scene, scene.result)
        return
    if other is not None:
        yield "", f"{_hand(other)} · deadwood {other['deadwood']}"
    yield me, _hand(view)
    yield "Deadwood", _deadwood(view)
    if other is not None and other["is_to_move"]:
        yield from _turn(other, them, f"{them}: ")
    else:
        yield from _turn(view, them, "")


def _pile(view: np.void) -> str:
    cards = pile_order(view)
    shown = f"{card_symbol(cards[0])} on top" if cards else "empty"
    if cards[1:]:
        shown += f" · under it {symbols(cards[1:])}"
    if removed := removed_cards(view):
        shown += f" · out of the game {symbols(removed)}"
    return shown


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
    return grouped(*split_hand(view["hand"], view["sets"], view["runs"]))


def _deadwood(view: np.void) -> str:
    least = least_deadwood_after(view)
    best = "" if least is None else f" · {least} after the best discard"
    return f"{view['deadwood']}{best} · {knock_words(view)}"


def _turn(view: np.void, other_name: str, prefix: str) -> Iterator[Row]:
    kept = int(view["just_taken"])
    keep = f"; {card_symbol(kept)} must be kept" if kept != NO_CARD else ""
    yield "Turn", prefix + turn_text(view, other_name) + keep
    if knocks := find_knocks(view):
        offers = [f"{card_symbol(card)} ({left or 'gin'})" for left, card in knocks]
        yield "May knock", "with " + ", ".join(offers)


def _end(scene: Scene, result: HandResult) -> Iterator[Row]:
    """The result; the other hand only where somebody knocked, or both lie open."""
    yield "Result", result.describe(scene.names)
    if score := result.explain():
        yield "Score", score
    if match := match_text(result, scene.names):
        yield "Match", match
    for seat in (scene.seat, 1 - scene.seat)[: 1 + scene.is_other_shown]:
        melds, unmelded, deadwood = result.arrangements[seat]
        yield scene.names[seat], f"{grouped(melds, unmelded)} · deadwood {deadwood}"
        if result.layoffs and seat != result.knocker:
            yield "", f"laid off {layoffs_text(result.layoffs)}"
