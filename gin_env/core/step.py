"""One hand: deal, legal moves, apply. One legal and one apply handler per phase.

Kernels trust: an action that the mask does not allow leaves a state without meaning. Faces check.
Rules: docs/rules.md.
"""

import numpy as np

from gin_env.core.actions import BIG_GIN, DISCARD, DRAW, KNOCK, PASS, TAKE
from gin_env.core.cards import CARD_POINTS, HAND_SIZE, N_CARDS, N_RANKS, bit
from gin_env.core.hand_end import end_by_knock, end_dead
from gin_env.core.jit import inlined, int64, kernel
from gin_env.core.rules import (
    AFTER_PASSES_EITHER,
    AFTER_PASSES_STOCK_ONLY,
    DECLINED_REMOVED,
    NO_BIG_GIN,
    OKLAHOMA_ACE_GIN,
    OKLAHOMA_OFF,
    OPENING_DRAW,
)
from gin_env.core.state import (
    DISCARD_PHASE,
    DRAW_PHASE,
    N_SEATS,
    NO_CARD,
    OFFER,
    STOCK_SIZE,
    UPCARD_PLACE,
    PileStatus,
    draw_below,
    next_word,
)

PILE_OPEN, PILE_CLOSED_ONCE, PILE_CLOSED = (int(status) for status in PileStatus)


@kernel
def deal(r: np.void, s: np.void) -> None:
    """Shuffle with the game's random word and lay out a new hand for the present dealer."""
    shuffle(s)
    lay_out(r, s)


@kernel
def shuffle(s: np.void) -> None:
    """Shuffle the deck; the order depends on the random word alone."""
    deck, word = s["deck"], s["rng_state"]
    for place in range(N_CARDS):
        deck[place] = place
    for place in range(N_CARDS - 1, 0, -1):
        word = next_word(word)
        other = draw_below(word, place + 1)
        card = deck[place]
        deck[place] = deck[other]
        deck[other] = card
    s["rng_state"] = word


@kernel
def lay_out(r: np.void, s: np.void) -> None:
    """Begin a hand with the deck as it lies: hands, upcard, stock, and who acts first."""
    deck = s["deck"]
    upcard = deck[UPCARD_PLACE]
    for seat in range(N_SEATS):
        hand = int64(0)
        for place in range(seat * HAND_SIZE, (seat + 1) * HAND_SIZE):
            hand |= bit(deck[place])
        s["hand"][seat] = hand
        s["known"][seat] = 0
        s["shed"][seat] = 0
        s["declined"][seat] = 0
        s["discarded"][seat] = 0
        s["n_own_turns"][seat] = 0
        for card in range(N_CARDS):
            s["discard_turn"][seat, card] = 0
    s["pile"][:] = NO_CARD
    s["pile"][0] = upcard
    s["pile_bits"] = bit(upcard)
    s["removed"] = 0
    s["n_pile"] = 1
    s["n_stock"] = STOCK_SIZE
    s["phase"] = DRAW_PHASE if r["opening"] == OPENING_DRAW else OFFER
    s["to_move"] = 1 - s["dealer"]
    s["n_passes"] = 0
    s["pile_status"] = PILE_OPEN
    s["drawn"] = NO_CARD
    s["is_drawn_open"] = 0
    s["n_turns"] = 0
    _set_knock_limit(r, s, upcard)


@kernel
def legal_mask(r: np.void, v: np.void, mask: np.ndarray) -> None:
    """Write which actions the rules allow to the seat whose view this is.

    Args:
        r: The rules.
        v: The seat's view, as `look` wrote it.
        mask: Shape [108], int8; 1 = legal, all 0 for a seat that is not to move.
    """
    mask[:] = 0
    if not v["is_to_move"]:
        return
    phase = v["phase"]
    if phase == OFFER:
        _legal_offer(mask)
    elif phase == DRAW_PHASE:
        _legal_draw(v, mask)
    else:
        _legal_discard(r, v, mask)


@kernel
def apply(r: np.void, s: np.void, action: int) -> None:
    """Play a legal action of the seat to move; the hand may end."""
    phase = s["phase"]
    if phase == OFFER:
        _apply_offer(r, s, action)
    elif phase == DRAW_PHASE:
        _apply_draw(s, action)
    else:
        _apply_discard(r, s, action)


# The offer of the upcard.


@inlined
def _legal_offer(mask: np.ndarray) -> None:
    mask[TAKE] = 1
    mask[PASS] = 1


@inlined
def _apply_offer(r: np.void, s: np.void, action: int) -> None:
    if action == TAKE:
        _take(s)
        return
    seat = s["to_move"]
    s["declined"][seat] |= s["pile_bits"]
    s["to_move"] = 1 - seat
    s["n_passes"] += 1
    if s["n_passes"] == N_SEATS:
        _end_offer(r, s)


@inlined
def _end_offer(r: np.void, s: np.void) -> None:
    """Both have passed: the non-dealer draws, from what `after_two_passes` leaves him."""
    s["phase"] = DRAW_PHASE
    if r["after_two_passes"] == AFTER_PASSES_STOCK_ONLY:
        s["pile_status"] = PILE_CLOSED
    elif r["after_two_passes"] != AFTER_PASSES_EITHER:
        s["pile_status"] = PILE_CLOSED_ONCE
    if r["declined_upcard"] == DECLINED_REMOVED:
        s["removed"] = s["pile_bits"]
        s["pile_bits"] = 0
        s["n_pile"] = 0


# The draw.


@inlined
def is_pile_open(s: np.void) -> bool:
    """Whether the top of the pile may be taken: two passes close it once, or for good."""
    return bool(s["n_pile"] > 0 and s["pile_status"] == PILE_OPEN)


@inlined
def _legal_draw(v: np.void, mask: np.ndarray) -> None:
    mask[DRAW] = 1
    if v["can_take"]:
        mask[TAKE] = 1


@inlined
def _apply_draw(s: np.void, action: int) -> None:
    if action == TAKE:
        _take(s)
        return
    seat = s["to_move"]
    if is_pile_open(s):
        s["declined"][seat] |= bit(s["pile"][s["n_pile"] - 1])
    elif s["pile_status"] == PILE_CLOSED_ONCE:
        s["pile_status"] = PILE_OPEN
    card = s["deck"][N_CARDS - s["n_stock"]]
    s["n_stock"] -= 1
    _receive(s, card, 0)


@inlined
def _take(s: np.void) -> None:
    """The seat to move takes the top of the pile, for all to see."""
    seat = s["to_move"]
    s["n_pile"] -= 1
    card = s["pile"][s["n_pile"]]
    card_bit = bit(card)
    s["pile_bits"] &= ~card_bit
    s["known"][seat] |= card_bit
    s["shed"][seat] &= ~card_bit
    s["declined"][seat] &= ~card_bit
    _receive(s, card, 1)


@inlined
def _receive(s: np.void, card: int, is_open: int) -> None:
    s["hand"][s["to_move"]] |= bit(card)
    s["drawn"] = card
    s["is_drawn_open"] = is_open
    s["phase"] = DISCARD_PHASE


# The discard, and what ends the hand.


@inlined
def just_taken(r: np.void, card: int, is_from_pile: bool) -> int:
    """The card just taken from the pile may not be discarded, or knocked with, in the same turn.

    Args:
        r: The rules; `may_return_taken` lifts this one.
        card: The card that the turn's draw has brought, or would bring.
        is_from_pile: Whether it comes from the pile and not from the stock.

    Returns:
        The card that may not be discarded, or `NO_CARD`.
    """
    if is_from_pile and not r["may_return_taken"]:
        return card
    return NO_CARD


@inlined
def may_discard(deadwood_after: int) -> bool:
    """Whether a card is held and not `just_taken`: only then has its discard a deadwood."""
    return deadwood_after >= 0


@inlined
def may_knock(deadwood_after: int, knock_limit: int) -> bool:
    """Whether a discard leaves deadwood at or below the hand's knock limit; 0 is gin."""
    return deadwood_after <= knock_limit


@inlined
def may_declare_big_gin(r: np.void, v: np.void) -> bool:
    """Whether all eleven cards are melded, at a table that pays for it."""
    return bool(r["big_gin_bonus"] != NO_BIG_GIN and v["deadwood"] == 0)


@inlined
def is_dead(r: np.void, s: np.void) -> bool:
    """Whether a discard without a knock was the last one: the stock or the turns have run out."""
    return bool(s["n_stock"] <= r["stock_end"] or s["n_turns"] >= r["turn_cap"])


@inlined
def _legal_discard(r: np.void, v: np.void, mask: np.ndarray) -> None:
    after, limit = v["deadwood_after"], v["knock_limit"]
    for card in range(N_CARDS):
        is_discard = may_discard(after[card])
        mask[DISCARD + card] = is_discard
        mask[KNOCK + card] = is_discard and may_knock(after[card], limit)
    mask[BIG_GIN] = may_declare_big_gin(r, v)


@inlined
def _apply_discard(r: np.void, s: np.void, action: int) -> None:
    seat = s["to_move"]
    s["n_turns"] += 1
    s["n_own_turns"][seat] += 1
    s["drawn"] = NO_CARD
    if action == BIG_GIN:
        end_by_knock(r, s, action)
        return
    is_knock = action >= KNOCK
    _put_on_pile(s, seat, action - KNOCK if is_knock else action - DISCARD)
    if is_knock:
        end_by_knock(r, s, action)
    elif is_dead(r, s):
        end_dead(r, s)
    else:
        s["phase"] = DRAW_PHASE
        s["to_move"] = 1 - seat


@inlined
def _put_on_pile(s: np.void, seat: int, card: int) -> None:
    card_bit = bit(card)
    s["hand"][seat] &= ~card_bit
    s["shed"][seat] |= s["known"][seat] & card_bit
    s["known"][seat] &= ~card_bit
    s["discarded"][seat] |= card_bit
    s["discard_turn"][seat, card] = s["n_turns"]
    s["pile"][s["n_pile"]] = card
    s["pile_bits"] |= card_bit
    s["n_pile"] += 1


@inlined
def _set_knock_limit(r: np.void, s: np.void, upcard: int) -> None:
    """Oklahoma: the upcard's points cap the knock limit, and a spade doubles the hand."""
    s["knock_limit"] = r["knock_limit"]
    s["is_doubled"] = 0
    if r["oklahoma_spades_double"]:
        s["is_doubled"] = upcard < N_RANKS
    if r["oklahoma"] != OKLAHOMA_OFF:
        cap = CARD_POINTS[upcard]
        if cap == 1 and r["oklahoma"] == OKLAHOMA_ACE_GIN:
            cap = 0
        s["knock_limit"] = min(r["knock_limit"], cap)
