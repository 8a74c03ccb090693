"""What lies on the table after each action of a recorded hand, as somebody sees it.

The engine plays the hand; whoever draws frames needs no rules. A frame of one seat's perspective
is made from what that seat may know, and holds nothing else.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gin_env.core.cards import card_text
from gin_env.core.state import N_SEATS, NO_CARD, OVER
from gin_env.core.view import VIEW_DTYPE, look
from gin_env.errors import OptionError
from gin_env.history import Hand, name_preset, play_again
from gin_env.rendering.words import action_words, layoffs_text, match_text, removed_cards
from gin_env.replay import PERSPECTIVES
from gin_env.values.melds import Meld, meld_text, split_hand
from gin_env.values.result import HandResult, read_result


class SeatFrame(NamedTuple):
    """The cards at one seat, as text."""

    melds: tuple[Meld, ...]
    rest: tuple[str, ...]
    """Open cards beside melds: deadwood; of a hand that lies face down, what is known of it."""
    n_hidden: int
    """Cards that lie face down."""
    deadwood: int | None
    """Points; None for a hand that lies face down."""
    fresh: str | None
    """The card drawn in this turn, where it is seen."""


class Frame(NamedTuple):
    """The table after one action."""

    action: str
    """Who did what; empty for the deal."""
    to_move: int | None
    """None once the hand is over."""
    n_stock: int
    pile: tuple[str, ...]
    """Its top last."""
    removed: tuple[str, ...]
    """A declined upcard that has left the game."""
    seats: tuple[SeatFrame, SeatFrame]
    end: tuple[str, ...]
    """How the hand ended, in a few lines; empty before."""


def make_frames(hand: Hand, perspective: str = "both") -> list[Frame]:
    """Play a hand, and look at the table before the first action and after each one.

    Args:
        hand: A recorded hand.
        perspective: One of `PERSPECTIVES`.

    Raises:
        HistoryError: If one of its actions is illegal.
        OptionError: If there is no such perspective.
    """
    return list(_play(hand, open_seats(perspective)))


def open_seats(perspective: str) -> tuple[int, ...]:
    """The seats whose cards lie open.

    Raises:
        OptionError: If there is no such perspective.
    """
    if perspective not in PERSPECTIVES:
        raise OptionError(
            f"the perspective must be one of {', '.join(PERSPECTIVES)}, not {perspective!r}"
        )
    return tuple(range(N_SEATS)) if perspective == "both" else (int(perspective),)


def describe_hand(hand: Hand) -> list[str]:
    """Which hand this is, in a few words each."""
    facts = [f"{name_preset(hand.rules) or 'other'} rules"]
    if hand.episode == "match":
        facts.append(f"match {hand.game + 1}, hand {hand.hand + 1}")
    elif hand.game:
        facts.append(f"game {hand.game + 1}")
    if hand.row:
        facts.append(f"row {hand.row}")
    if hand.seed is not None:
        facts.append(f"seed {hand.seed}")
    return [*facts, f"{hand.players[hand.dealer]} deals"]


def _play(hand: Hand, seats: tuple[int, ...]) -> Iterator[Frame]:
    mover, top = 0, NO_CARD
    for place, (rules, state) in enumerate(play_again(hand)):
        views = np.zeros(N_SEATS, VIEW_DTYPE)
        for seat in range(N_SEATS):
            look(rules, state, seat, views[seat])
        action = ""
        if place:
            drawn = int(state["drawn"]) if mover in seats else NO_CARD
            words = action_words(hand.actions[place - 1], top, drawn)
            action = f"{hand.players[mover]} {words}"
        yield _look(hand, state, views, seats, read_result(rules, state))._replace(action=action)
        mover, top = int(state["to_move"]), int(views[0]["top"])


def _look(
    hand: Hand,
    state: np.void,
    views: np.ndarray,
    seats: tuple[int, ...],
    result: HandResult | None,
) -> Frame:
    view = views[seats[0]]
    shown = [
        _open(views[seat]) if seat in seats else _closed(views[1 - seat], int(state["hand"][seat]))
        for seat in range(N_SEATS)
    ]
    if result is not None and result.knocker is not None:
        shown = [
            SeatFrame(melds, unmelded, 0, deadwood, None)
            for melds, unmelded, deadwood in result.arrangements
        ]
    return Frame(
        action="",
        to_move=None if state["phase"] == OVER else int(state["to_move"]),
        n_stock=int(view["n_stock"]),
        pile=tuple(card_text(card) for card in state["pile"][: state["n_pile"]].tolist()),
        removed=tuple(map(card_text, removed_cards(view))),
        seats=(shown[0], shown[1]),
        end=() if result is None else tuple(_end(hand, result)),
    )


def _open(view: np.void) -> SeatFrame:
    """The hand of a seat as it sees it itself."""
    melds, rest = split_hand(view["hand"], view["sets"], view["runs"])
    drawn = int(view["drawn"])
    fresh = None if drawn == NO_CARD else card_text(drawn)
    return SeatFrame(melds, rest, 0, int(view["deadwood"]), fresh)


def _closed(view: np.void, hand: int) -> SeatFrame:
    """A hand as the other seat, whose view this is, sees it; how many cards it holds lies open."""
    known = int(view["their_known"])
    return SeatFrame((), meld_text(known), hand.bit_count() - known.bit_count(), None, None)


def _end(hand: Hand, result: HandResult) -> Iterator[str]:
    """The result, the layoffs, and how the match stands."""
    names = hand.players
    yield result.describe(names)
    if result.knocker is not None and result.layoffs:
        yield f"{names[1 - result.knocker]} has laid off {layoffs_text(result.layoffs)}"
    if match := match_text(result, names):
        yield match
    if hand.episode == "match":
        totals = (f"{name} {total}" for name, total in zip(names, hand.totals_after, strict=True))
        yield "totals: " + ", ".join(totals)
