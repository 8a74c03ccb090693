"""The picture of a table: where everything lies, on a table of 1280 by 720 units."""

from dataclasses import dataclass, replace

import numpy as np

from gin_env.core.cards import N_SUITS
from gin_env.core.state import NO_CARD, Ending, Phase
from gin_env.rendering.hand_groups import CardGroup, closed_groups, hand_groups, shown_groups
from gin_env.rendering.image.canvas import Box, Canvas
from gin_env.rendering.image.card_faces import ASPECT
from gin_env.rendering.image.colours import GOLD, IVORY, MUTED, PANEL, SKY, Colour
from gin_env.rendering.image.fonts import ELLIPSIS, load_font, to_drawable
from gin_env.rendering.image.hand_rows import spread
from gin_env.rendering.scene import Scene
from gin_env.rendering.words import (
    find_knocks,
    least_deadwood_after,
    match_text,
    newest_first,
    pile_order,
    removed_cards,
    symbols,
    turn_text,
)
from gin_env.values.result import HandResult

NAME_SIZE, NAME_WIDTH = 20, 150
"""Of the letters of a name, and how wide it may be: longer ones are cut. Units."""

LEFT, RIGHT = 28, 1252
"""Nothing lies outside these, units."""
PLATE_WIDTH, PLATE_HEIGHT = 310, 34
FACTS = Box(LEFT, 212, 254, 446)
STOCK_LEFT, PILE_LEFT, PILES_TOP, PILE_WIDTH = 286, 414, 226, 100
HISTORY = Box(544, 212, RIGHT, 446)
N_LISTED = 15
"""Cards of a line of them."""
N_PER_ROW, SMALL_WIDTH, SMALL_STEP = 16, 39, 43.2

TITLES = {
    Ending.DEAD: "Dead hand",
    Ending.KNOCK: "Knock",
    Ending.UNDERCUT: "Undercut",
    Ending.GIN: "Gin",
    Ending.BIG_GIN: "Big gin",
    Ending.PUSH: "A tie",
    Ending.FORFEIT: "Forfeit",
}


@dataclass(frozen=True)
class Row:
    """Where one seat's part of the table lies, units."""

    plate_top: float
    cards_top: float
    card_width: float
    values_top: float
    """Of what is written beneath each card."""
    marks_top: float
    """Of the line beneath a meld."""
    colour: Colour


MINE = Row(462, 514, 92, 673, 648, GOLD)
THEIRS = Row(18, 62, 80, 176, 180, SKY)


def draw_table(scene: Scene, height: int) -> Canvas:
    """Draw a table, ``height`` pixels high; long names are cut."""
    scene = replace(scene, names=tuple(map(cut_name, scene.names)))
    canvas = Canvas(height)
    _draw_plates(canvas, scene)
    _draw_banner(canvas, scene)
    _draw_facts(canvas, scene)
    _draw_piles(canvas, scene.view)
    if scene.result is None:
        _draw_history(canvas, scene)
    else:
        _draw_result(canvas, scene, scene.result)
    _draw_their_row(canvas, scene)
    _draw_my_row(canvas, scene)
    return canvas


def cut_name(name: str) -> str:
    """A name as it is drawn: in letters that the font has, and not too wide."""
    font, plain = load_font(NAME_SIZE), to_drawable(name)
    while font.getlength(plain) > NAME_WIDTH:
        plain = plain.removesuffix(ELLIPSIS)[:-1].rstrip() + ELLIPSIS
    return plain


# Who sits where, and whose turn it is.


def _draw_plates(canvas: Canvas, scene: Scene) -> None:
    view = scene.view
    mine, theirs = view["totals"].tolist()
    is_theirs = not view["is_to_move"] and view["phase"] != Phase.OVER
    for row, name, total, is_dealer, is_to_move in (
        (THEIRS, scene.them, theirs, not view["is_dealer"], is_theirs),
        (MINE, scene.me, mine, view["is_dealer"], view["is_to_move"]),
    ):
        box = Box(LEFT, row.plate_top, LEFT + PLATE_WIDTH, row.plate_top + PLATE_HEIGHT)
        canvas.panel(box, PANEL, 150, radius=17, line=row.colour if is_to_move else None)
        middle = (box.top + box.bottom) / 2
        canvas.disc(box.left + 18, middle, 6, row.colour)
        end = box.right - 16
        if scene.is_match:
            canvas.text(Box(end - 62, box.top, end, box.bottom), str(total), 20, IVORY, "right")
            end -= 62
        if is_dealer:
            canvas.disc(end - 11, middle, 11, GOLD)
            canvas.text(Box(end - 20, middle - 10, end - 2, middle + 10), "D", 16, PANEL, "middle")
            end -= 28
        canvas.text(Box(box.left + 34, box.top, end, box.bottom), name, NAME_SIZE, row.colour)
        right = Box(RIGHT - PLATE_WIDTH, row.plate_top, RIGHT, row.plate_top + PLATE_HEIGHT)
        canvas.panel(right, PANEL, 150, radius=17)
        text = _my_count(scene) if row is MINE else _their_count(scene)
        canvas.text(right.inset(16, 0), text, 20, IVORY, "middle")


def _my_count(scene: Scene) -> str:
    if scene.result is not None:
        return f"Deadwood {scene.result.deadwoods[scene.seat]}"
    return _deadwood(scene.view)


def _their_count(scene: Scene) -> str:
    if scene.result is not None and scene.is_other_shown:
        return f"Deadwood {scene.result.deadwoods[1 - scene.seat]}"
    if scene.other is not None:
        return _deadwood(scene.other)
    n_cards = sum(len(group.cards) for group in closed_groups(scene.view))
    return f"{n_cards} cards"


def _deadwood(view: np.void) -> str:
    least = least_deadwood_after(view)
    best = "" if least is None else f" \N{MIDDLE DOT} best {least}"
    return f"Deadwood {view['deadwood']}{best}"


def _draw_banner(canvas: Canvas, scene: Scene) -> None:
    box = Box(LEFT + PLATE_WIDTH + 12, 462, RIGHT - PLATE_WIDTH - 12, 462 + PLATE_HEIGHT)
    canvas.text(box, _banner(scene), 21, IVORY, "middle")


def _banner(scene: Scene) -> str:
    view, other = scene.view, scene.other
    if scene.result is not None:
        is_match_over = scene.result.match_winner is not None
        return "The match is over" if is_match_over else "The hand is over"
    if view["is_to_move"]:
        return f"{scene.me}: {turn_text(view, scene.them)}"
    if other is not None:
        return f"{scene.them}: {turn_text(other, scene.me)}"
    return turn_text(view, scene.them)


# The middle: facts, stock and pile, what was discarded or how it ended.


def _draw_facts(canvas: Canvas, scene: Scene) -> None:
    canvas.panel(FACTS, PANEL, 120)
    title = Box(FACTS.left, FACTS.top + 12, FACTS.right, FACTS.top + 44)
    canvas.text(title, "Gin Rummy", 24, GOLD, "middle")
    middle = (FACTS.left + FACTS.right) / 2
    for suit in range(N_SUITS):
        canvas.suit(suit, middle + (suit - 1.5) * 30, FACTS.top + 60, 15, GOLD)
    facts = _facts(scene)
    top, step = FACTS.top + 84, min(44.0, (FACTS.height - 92) / len(facts))
    for label, value in facts:
        bottom = top + step
        canvas.text(Box(FACTS.left + 16, top, FACTS.left + 116, bottom), label, 18, MUTED)
        canvas.text(Box(FACTS.left + 120, top, FACTS.right - 16, bottom), value, 18, IVORY, "right")
        top += step


def _facts(scene: Scene) -> list[tuple[str, str]]:
    view = scene.view
    limit = int(view["knock_limit"])
    facts = [("Turn", str(view["n_turns"]))]
    if scene.is_match:
        number = int(view["n_hands"]) + (scene.result is None)
        facts.append(("Hand", str(number)))
    facts.append(("Knock with", f"{limit} or less" if limit else "gin only"))
    if removed := removed_cards(view):
        facts.append(("Out of play", symbols(removed)))
    return facts


def _draw_piles(canvas: Canvas, view: np.void) -> None:
    n_stock, n_pile = int(view["n_stock"]), int(view["pile"]).bit_count()
    bottom = PILES_TOP + PILE_WIDTH * ASPECT
    for left in (STOCK_LEFT, PILE_LEFT):
        slot = Box(left, PILES_TOP, left + PILE_WIDTH, bottom)
        canvas.panel(slot, PANEL, 90, radius=7, line=MUTED)
    for layer in range(-(-n_stock // 8)):
        canvas.card(NO_CARD, STOCK_LEFT + 2 * layer, PILES_TOP - 2 * layer, PILE_WIDTH)
    if n_pile > 1:
        canvas.card(pile_order(view)[1], PILE_LEFT - 4, PILES_TOP + 3, PILE_WIDTH)
    if n_pile:
        canvas.card(int(view["top"]), PILE_LEFT, PILES_TOP, PILE_WIDTH)
    for left, name, number in ((STOCK_LEFT, "Stock", n_stock), (PILE_LEFT, "Pile", n_pile)):
        box = Box(left - 12, bottom + 14, left + PILE_WIDTH + 12, bottom + 44)
        canvas.text(box, f"{name} {number}", 20, IVORY, "middle")


def _draw_history(canvas: Canvas, scene: Scene) -> None:
    canvas.panel(HISTORY, PANEL, 120)
    left, top, right = HISTORY.left + 12, HISTORY.top, HISTORY.right - 12
    canvas.text(Box(left, top + 6, left + 240, top + 32), "Discards, newest first", 17, MUTED)
    middle, x = top + 19, right
    for name, colour in ((scene.them, SKY), (scene.me, GOLD)):
        width = min(200.0, canvas.text_width(name, 17) + 4)
        canvas.text(Box(x - width, top + 6, x, top + 32), name, 17, IVORY, "right")
        canvas.disc(x - width - 12, middle, 5, colour)
        x -= width + 36
    turns = scene.view["discard_turn"]
    for number, card in enumerate(pile_order(scene.view)):
        x = left + number % N_PER_ROW * SMALL_STEP
        y = top + 38 + number // N_PER_ROW * 66
        canvas.small_card(card, x, y, SMALL_WIDTH)
        mine, theirs = turns[0, card], turns[1, card]
        colour = MUTED if mine == theirs else (GOLD if mine > theirs else SKY)
        canvas.bar(Box(x + 3, y + 57, x + SMALL_WIDTH - 3, y + 60), colour)
    y = top + 172
    for what, field in (
        (f"{scene.them} declined", "their_declined"),
        (f"{scene.them} took and shed", "their_shed"),
    ):
        if bits := int(scene.view[field]):
            cards = _newest(scene.view, bits)
            canvas.text(Box(left, y, right, y + 28), f"{what} {cards}", 16, MUTED)
            y += 30


def _newest(view: np.void, bits: int) -> str:
    """Cards that have lain on the pile, as many as fit on a line: those that came there last."""
    cards = newest_first(view, bits)
    more = f" and {len(cards) - N_LISTED} more" if len(cards) > N_LISTED else ""
    return symbols(cards[:N_LISTED]) + more


def _draw_result(canvas: Canvas, scene: Scene, result: HandResult) -> None:
    canvas.panel(HISTORY, PANEL, 150, line=_winner_colour(scene, result))
    top = HISTORY.top + 10
    lines = [(TITLES[result.ending], 40, 52, _winner_colour(scene, result) or IVORY)]
    lines.append((result.describe(scene.names), 18, 30, IVORY))
    if score := result.explain():
        lines.append((score, 27, 42, GOLD))
    if result.layoffs:
        defender = scene.names[1 - (result.knocker or 0)]
        cards = symbols(card for card, _ in result.layoffs)
        lines.append((f"{defender} lays off {cards}", 17, 30, MUTED))
    if scene.is_match:
        mine, theirs = scene.view["totals"].tolist()
        totals = f"Totals: {scene.me} {mine}, {scene.them} {theirs}"
        lines.append((totals, 18, 28, IVORY))
    if match := match_text(result, scene.names):
        lines.append((match, 20, 30, GOLD))
    top += (HISTORY.height - 20 - sum(line[2] for line in lines)) / 2
    for text, size, height, colour in lines:
        box = Box(HISTORY.left + 14, top, HISTORY.right - 14, top + height)
        canvas.text(box, text, size, colour, "middle")
        top += height


def _winner_colour(scene: Scene, result: HandResult) -> Colour | None:
    if result.winner is None:
        return None
    return GOLD if result.winner == scene.seat else SKY


# The hands.


def _draw_their_row(canvas: Canvas, scene: Scene) -> None:
    if scene.result is not None and scene.is_other_shown:
        groups = shown_groups(scene.result, 1 - scene.seat)
    elif scene.other is not None:
        groups = hand_groups(scene.other, by_rank=True)
    else:
        groups = closed_groups(scene.view)
    _draw_row(canvas, THEIRS, groups, scene.other if scene.result is None else None)


def _draw_my_row(canvas: Canvas, scene: Scene) -> None:
    if scene.result is None:
        _draw_row(canvas, MINE, hand_groups(scene.view, by_rank=True), scene.view)
    else:
        _draw_row(canvas, MINE, shown_groups(scene.result, scene.seat), None)


def _draw_row(canvas: Canvas, row: Row, groups: list[CardGroup], view: np.void | None) -> None:
    """Lay out a hand; with its view, mark the drawn card and what each discard would leave."""
    places, spans = spread(groups, LEFT, RIGHT, row.card_width)
    drawn = NO_CARD if view is None else int(view["drawn"])
    for card, left, room, is_laid_off in places:
        is_drawn = card == drawn != NO_CARD
        box = canvas.card(card, left, row.cards_top - 10 * is_drawn, row.card_width)
        if is_drawn:
            canvas.outline(box, IVORY)
        if is_laid_off:
            canvas.outline(box, GOLD if row is THEIRS else SKY)
        if view is not None and row is MINE:
            value = Box(left, row.values_top, left + room, row.values_top + 20)
            _draw_value(canvas, view, card, value)
    for left, right, label in spans:
        if label:
            canvas.bar(Box(left, row.marks_top, right, row.marks_top + 2), row.colour)
            below = Box(left - 10, row.marks_top + 5, right + 10, row.marks_top + 25)
            canvas.text(below, label, 16, row.colour, "middle")


def _draw_value(canvas: Canvas, view: np.void, card: int, box: Box) -> None:
    """What is left after the discard of a card; that it has to be kept; or nothing."""
    if view["phase"] != Phase.DISCARD or not view["is_to_move"]:
        return
    if card == view["just_taken"]:
        canvas.text(box, "keep", 15, MUTED, "middle")
        return
    left = int(view["deadwood_after"][card])
    may_knock = any(card == each for _, each in find_knocks(view))
    canvas.text(box, str(left) if left else "gin", 17, GOLD if may_knock else MUTED, "middle")
