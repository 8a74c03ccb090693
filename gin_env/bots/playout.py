"""A hand played on for some turns from what one seat sees, with the hidden cards filled in."""

import numpy as np

from gin_env.bots.levels import act_hard
from gin_env.core.cards import HAND_SIZE, N_CARDS, bit, count, lowest
from gin_env.core.jit import int64, kernel
from gin_env.core.rules import AFTER_PASSES_STOCK_ONLY, OPENING_DRAW
from gin_env.core.state import DISCARD_PHASE, DRAW_PHASE, NO_CARD, OFFER, OVER, STOCK_SIZE
from gin_env.core.step import PILE_CLOSED, PILE_CLOSED_ONCE, PILE_OPEN, apply
from gin_env.core.view import look

ME, OPPONENT = 0, 1
"""Seats of a game that is rebuilt from a view: the seat that looks is always 0."""


@kernel
def rebuild(r: np.void, v: np.void, s: np.void) -> None:
    """Write all of a game that a view tells: everything but the other hand and the stock.

    The order of the pile below its top is not told, and never matters again.

    Args:
        r: The rules.
        v: The view of the seat to move.
        s: The game, a record of `STATE_DTYPE`.
    """
    s["hand"][ME], s["hand"][OPPONENT] = v["hand"], v["their_known"]
    s["known"][ME], s["known"][OPPONENT] = v["my_known"], v["their_known"]
    s["shed"][ME], s["shed"][OPPONENT] = 0, v["their_shed"]
    s["declined"][ME], s["declined"][OPPONENT] = 0, v["their_declined"]
    s["discarded"][ME], s["discarded"][OPPONENT] = v["my_discarded"], v["their_discarded"]
    s["pile_bits"], s["removed"] = v["pile"], v["out_of_play"] & ~v["pile"]
    _rebuild_pile(v, s)
    for card in range(N_CARDS):
        s["discard_turn"][ME, card] = v["discard_turn"][0, card]
        s["discard_turn"][OPPONENT, card] = v["discard_turn"][1, card]
    s["phase"], s["to_move"] = v["phase"], ME
    s["dealer"] = ME if v["is_dealer"] else OPPONENT
    s["n_passes"] = 1 if v["is_dealer"] else 0
    s["n_stock"], s["n_turns"] = v["n_stock"], v["n_turns"]
    s["n_own_turns"][ME] = v["n_own_turns"]
    s["n_own_turns"][OPPONENT] = v["n_turns"] - v["n_own_turns"]
    s["drawn"], s["is_drawn_open"] = v["drawn"], v["just_taken"] != NO_CARD
    s["knock_limit"], s["is_doubled"] = v["knock_limit"], v["is_doubled"]
    s["pile_status"] = _pile_status(r, v)
    s["totals"][ME], s["totals"][OPPONENT] = v["totals"][0], v["totals"][1]


@kernel
def _rebuild_pile(v: np.void, s: np.void) -> None:
    cards, place = v["pile"], int64(0)
    if v["top"] != NO_CARD:
        cards &= ~bit(v["top"])
    while cards:
        s["pile"][place] = lowest(cards)
        cards &= cards - 1
        place += 1
    if v["top"] != NO_CARD:
        s["pile"][place] = v["top"]
        place += 1
    s["n_pile"] = place


@kernel
def _pile_status(r: np.void, v: np.void) -> int:
    """Whether the pile may be taken, now and later.

    Two passes can close it for good; that they did shows in all turns having drawn from the stock.
    """
    n_drawn = int64(STOCK_SIZE) - v["n_stock"] - (v["phase"] == DISCARD_PHASE)
    if v["phase"] == OFFER or r["opening"] == OPENING_DRAW:
        return int64(PILE_OPEN)
    if r["after_two_passes"] == AFTER_PASSES_STOCK_ONLY and n_drawn == v["n_turns"]:
        return int64(PILE_CLOSED)
    is_closed = v["phase"] == DRAW_PHASE and v["top"] != NO_CARD and not v["can_take"]
    return int64(PILE_CLOSED_ONCE if is_closed else PILE_OPEN)


@kernel
def fill_in(s: np.void, cards: np.ndarray) -> None:
    """Put the cards that the seat cannot see into a rebuilt game.

    Args:
        s: The game.
        cards: Shape [52], int64; as in `gin_env.bots.worlds.World`.
    """
    place = int64(0)
    while place < HAND_SIZE - count(s["known"][OPPONENT]):
        s["hand"][OPPONENT] |= bit(cards[place])
        place += 1
    for drawn in range(N_CARDS - s["n_stock"], N_CARDS):
        s["deck"][drawn] = cards[place]
        place += 1


@kernel
def play_on(b: np.void, r: np.void, s: np.void, v: np.void, last_turn: int) -> None:
    """Play as Hard would at both seats until so many turns are played, or the hand is over.

    Args:
        b: Hard's options.
        r: The rules.
        s: The game; it is left in a draw phase or at its end.
        v: Room for a view.
        last_turn: Turns of both seats that shall have been played.
    """
    while s["phase"] != OVER and (s["n_turns"] < last_turn or s["phase"] != DRAW_PHASE):
        look(r, s, int64(s["to_move"]), v)
        apply(r, s, act_hard(b, r, v))
