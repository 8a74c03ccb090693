"""The table as lines of 80 columns, from the person's view; nothing depends on colour."""

import textwrap
from collections.abc import Sequence

import numpy as np

from gin_env.core.actions import DISCARD, DRAW, KNOCK, PASS, TAKE
from gin_env.core.cards import HAND_SIZE, to_ids
from gin_env.core.rules import PRESETS, Rules
from gin_env.core.state import NO_CARD, Phase
from gin_env.history import name_preset
from gin_env.play.opponent import HUMAN, tell_again
from gin_env.play.session import Session
from gin_env.rendering.hand_groups import CardGroup, hand_groups
from gin_env.rendering.words import (
    WIDTH,
    action_words,
    card_symbol,
    find_knocks,
    knock_words,
    pile_order,
    removed_cards,
    symbols,
    totals_text,
)

CARD_WIDTH = 5
"""Columns of a card of the hand, the gap after it included."""
GROUP_GAP = 2
PILE_INDENT = 20


def rules_name(rules: Rules) -> str:
    """Name the preset that is played, whatever the target; ``own`` for any other rules."""
    others = (name for name in PRESETS if Rules.preset(name, target=rules.target) == rules)
    return name_preset(rules) or next(others, "own")


def head_lines(session: Session) -> list[str]:
    """Say what is played, and how it stands: two lines."""
    game = session.game
    what, score = "one hand", ""
    if game.episode == "match":
        what = f"match to {game.rules.target} · hand {game.n_hands + (not game.is_over)}"
        score = f"{totals_text(session.names, game.totals)} · "
    played = f"gin-env · {rules_name(game.rules)} rules · {what} · {knock_words(session.look())}"
    dealer = "you" if game.dealer == HUMAN else session.opponent.name
    return [played, f"{score}dealt by {dealer}"]


def opponent_lines(session: Session) -> list[str]:
    """Say what the opponent did openly: at most four lines."""
    view = session.look()
    n_known, n_shed = (int(view[name]).bit_count() for name in ("their_known", "their_shed"))
    n_cards = HAND_SIZE + (session.is_opponents_turn and session.game.phase == Phase.DISCARD)
    shown = [
        f"{verb} {symbols(to_ids(int(view[name])))}"
        for verb, name in (("holds", "their_known"), ("shed again", "their_shed"))
        if view[name]
    ]
    took = f"took openly {n_known + n_shed}: {' · '.join(shown)}" if shown else "took openly 0"
    declined = symbols(to_ids(int(view["their_declined"]))) or "nothing"
    more = [*textwrap.wrap(took, WIDTH - 4, max_lines=2, placeholder=" …"), f"declined {declined}"]
    return [f"{session.opponent.name} holds {n_cards} cards", *(f"  {line}" for line in more)]


def pile_lines(view: np.void) -> list[str]:
    """Draw the stock and the pile: four lines."""
    top, n_stock = int(view["top"]), int(view["n_stock"])
    face = card_symbol(top) if top != NO_CARD else "  "
    left = [
        "Stock     Pile",
        "╭──╮      ╭──╮",
        f"│▒▒│ {n_stock:<4} │{face}│",
        "╰──╯      ╰──╯",
    ]
    under = symbols(pile_order(view)[1:])
    notes = [f"under it {under}"] if under else []
    if removed := removed_cards(view):
        notes.append(f"out of the game {symbols(removed)}")
    right = textwrap.wrap(" · ".join(notes), WIDTH - PILE_INDENT)
    right += [""] * (len(left) - len(right))
    return [f"{a:<{PILE_INDENT}}{b}".rstrip() for a, b in zip(left, right, strict=True)]


def last_line(session: Session) -> str:
    """Say what the opponent did since the person's last action."""
    game = session.game
    since: list[str] = []
    for seat, action, top in tell_again(game):
        if seat == HUMAN:
            since.clear()
        else:
            since.append(action_words(action, top))
    if since:
        return f"{session.opponent.name} {', '.join(since)}"
    if game.actions:
        return ""
    first = "you act" if game.to_move == HUMAN else f"{session.opponent.name} acts"
    return f"A new deal: {first} first"


def drawn_line(view: np.void) -> str:
    """Say the person's deadwood, the card just drawn, and the best knock there is."""
    drawn = int(view["drawn"])
    parts = [f"Your deadwood: {view['deadwood']}"]
    if drawn == NO_CARD:
        return parts[0]
    if drawn == int(view["just_taken"]):
        parts.append(f"you took {card_symbol(drawn)}: it stays for now")
    else:
        parts.append(f"you drew {card_symbol(drawn)}")
    if knocks := find_knocks(view):
        least, _ = knocks[0]
        parts.append(f"you may knock with {least}" if least else "gin!")
    return " · ".join(parts)


def first_touched(view: np.void) -> int:
    """Choose the card that is touched at the beginning of the discard phase.

    That is the card just drawn, if it is unmelded; else the last unmelded one; else the last one.
    """
    groups = hand_groups(view)
    cards = [card for group in groups for card in group.cards if view["deadwood_after"][card] >= 0]
    unmelded = [card for card in cards if not (view["sets"] | view["runs"]) >> card & 1]
    drawn = int(view["drawn"])
    return drawn if drawn in unmelded else (unmelded or cards)[-1]


def hand_lines(
    groups: Sequence[CardGroup], touched: int | None, notes: dict[int, str]
) -> list[str]:
    """Draw the hand: cards, melds bracketed below them, the touched card lifted: five lines.

    Args:
        groups: As `hand_groups` gives them.
        touched: A card, or None.
        notes: What to write under unmelded cards, at most four characters.
    """
    rows = ["", "", "", "", ""]
    for group in groups:
        gap = " " * (GROUP_GAP if rows[0] else 0)
        rows = [row + gap for row in rows]
        for card in group.cards:
            box = ["╭──╮", f"│{card_symbol(card)}│", "╰──╯"]
            column = [*box, " ▲▲ "] if card == touched else ["    ", *box]
            rows[:4] = [row + part + " " for row, part in zip(rows[:4], column, strict=True)]
            if not group.label:
                rows[4] += f"{notes.get(card, ''):<{CARD_WIDTH}}"
        if group.label:
            inner = CARD_WIDTH * len(group.cards) - 3
            rows[4] += f"└{f' {group.label} ':─^{inner}}┘ "
    return [row.rstrip() for row in rows]


def card_at(groups: Sequence[CardGroup], column: int) -> int | None:
    """Find the card of `hand_lines` in some column; None between cards."""
    for group in groups:
        place, within = divmod(column, CARD_WIDTH)
        if 0 <= place < len(group.cards) and within < CARD_WIDTH - 1:
            return group.cards[place]
        column -= CARD_WIDTH * len(group.cards) + GROUP_GAP
    return None


def action_label(action: int, view: np.void) -> str:
    """Say an action in words, with the deadwood that it leaves."""
    top, after = int(view["top"]), view["deadwood_after"].tolist()
    if action == PASS:
        return f"Pass {card_symbol(top)}"
    if action == TAKE:
        least = min(left for left in after if left >= 0)
        return f"Take {card_symbol(top)} (at best it leaves deadwood {least})"
    if action == DRAW:
        return "Draw from the stock"
    if action < KNOCK:
        card = action - DISCARD
        return f"Discard {card_symbol(card)} (leaves deadwood {after[card]})"
    if action < DRAW:
        card = action - KNOCK
        knock = f"Knock with {after[card]}" if after[card] else "Gin"
        return f"{knock}, discarding {card_symbol(card)}"
    return "Big gin: all eleven cards are melded"
