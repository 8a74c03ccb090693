"""What one seat may know: the record that masks, observations and bots are made from.

Nothing downstream of `look` touches the state, so nothing hidden can leak out of it. Besides what
lies open, the record holds what a player can work out from that: melds and deadwoods.
"""

import numpy as np

from gin_env.core.cards import ALL_BITS, N_CARDS, bit
from gin_env.core.jit import inlined, int64, kernel
from gin_env.core.melds import NOT_IN_HAND, arrange, deadwood_after, run_cards, run_deadwood
from gin_env.core.state import (
    DISCARD_PHASE,
    DRAW_PHASE,
    N_SEATS,
    NO_CARD,
    OFFER,
    OVER,
)
from gin_env.core.step import is_pile_open, just_taken

VIEW_DTYPE = np.dtype(
    [
        # Cards, as masks. "mine" is the seat that looks, "theirs" the other.
        ("hand", np.int64),
        ("my_known", np.int64),  # taken openly and still held: what the opponent knows of mine
        ("their_known", np.int64),  # likewise of the opponent
        ("their_shed", np.int64),  # taken openly by the opponent and discarded again
        ("their_declined", np.int64),  # face-up cards that the opponent could have taken
        ("my_discarded", np.int64),  # all cards that this seat has discarded
        ("their_discarded", np.int64),
        ("pile", np.int64),
        ("out_of_play", np.int64),  # pile and removed upcard: in nobody's hand, not in the stock
        ("unseen", np.int64),  # stock, or the opponent's hand unless known
        ("sets", np.int64),  # set cards of the best arrangement of the hand
        ("runs", np.int64),  # run cards of it
        ("discard_candidates", np.int64),  # the cards that the next discard is chosen from, or 0
        (
            "deadwood_after",
            np.int16,
            N_CARDS,
        ),  # deadwood after each discard that may come next, or -1
        ("discard_turn", np.int16, (N_SEATS, N_CARDS)),  # mine, theirs; turns played then, 0 never
        ("is_to_move", np.int32),
        ("phase", np.int32),
        ("top", np.int32),  # of the pile, or NO_CARD
        ("can_take", np.int32),  # the seat to move may take the top of the pile now
        ("drawn", np.int32),  # card that this seat drew in this turn, or NO_CARD
        (
            "just_taken",
            np.int32,
        ),  # card that may not be discarded in this turn: just taken; or NO_CARD
        ("deadwood", np.int32),  # of the hand, points
        ("knock_limit", np.int32),
        ("is_doubled", np.int32),  # the hand counts twice: spade upcard (Oklahoma)
        ("n_stock", np.int32),
        ("n_turns", np.int32),  # turns completed by both seats
        ("n_own_turns", np.int32),  # turns completed by this seat
        ("is_dealer", np.int32),
        ("totals", np.int32, N_SEATS),  # mine, theirs; points
        ("n_hands", np.int32),  # hands ended in this episode
    ],
    align=True,
)


@kernel
def look(r: np.void, s: np.void, seat: int, v: np.void) -> None:
    """Write what ``seat`` may know into ``v``.

    Args:
        r: The rules, a record of `RULES_DTYPE`.
        s: The game, a record of `STATE_DTYPE`.
        seat: 0 or 1; any seat may look at any time.
        v: The view, a record of `VIEW_DTYPE`; every field is written.
    """
    _look_at_cards(s, seat, v)
    _look_at_table(s, seat, v)
    _look_at_draw(r, s, v)
    _work_out(r, v)


@inlined
def _look_at_cards(s: np.void, seat: int, v: np.void) -> None:
    other = 1 - seat
    hand = s["hand"][seat]
    v["hand"] = hand
    v["my_known"] = s["known"][seat]
    v["their_known"] = s["known"][other]
    v["their_shed"] = s["shed"][other]
    v["their_declined"] = s["declined"][other]
    v["my_discarded"] = s["discarded"][seat]
    v["their_discarded"] = s["discarded"][other]
    v["pile"] = s["pile_bits"]
    v["out_of_play"] = s["pile_bits"] | s["removed"]
    v["unseen"] = ALL_BITS & ~(hand | v["out_of_play"] | v["their_known"])
    for card in range(N_CARDS):
        v["discard_turn"][0, card] = s["discard_turn"][seat, card]
        v["discard_turn"][1, card] = s["discard_turn"][other, card]


@inlined
def _look_at_table(s: np.void, seat: int, v: np.void) -> None:
    v["phase"] = s["phase"]
    v["is_to_move"] = s["to_move"] == seat and s["phase"] != OVER
    v["knock_limit"] = s["knock_limit"]
    v["is_doubled"] = s["is_doubled"]
    v["n_stock"] = s["n_stock"]
    v["n_turns"] = s["n_turns"]
    v["n_own_turns"] = s["n_own_turns"][seat]
    v["is_dealer"] = s["dealer"] == seat
    v["totals"][0] = s["totals"][seat]
    v["totals"][1] = s["totals"][1 - seat]
    v["n_hands"] = s["n_hands"]


@inlined
def _look_at_draw(r: np.void, s: np.void, v: np.void) -> None:
    """The card to take, and the card just drawn: the other seat's draw from the stock is hidden."""
    n_pile, phase = s["n_pile"], s["phase"]
    v["top"] = s["pile"][n_pile - 1] if n_pile > 0 else NO_CARD
    is_drawing = v["is_to_move"] and phase in (OFFER, DRAW_PHASE)
    v["can_take"] = is_drawing and is_pile_open(s)
    v["drawn"], v["just_taken"] = NO_CARD, NO_CARD
    if v["is_to_move"] and phase == DISCARD_PHASE:
        v["drawn"] = s["drawn"]
        v["just_taken"] = just_taken(r, s["drawn"], s["is_drawn_open"])


@inlined
def _work_out(r: np.void, v: np.void) -> None:
    """Melds of the hand, and the deadwood after each discard that may come next."""
    hand = v["hand"]
    sets = arrange(hand, ALL_BITS & ~(hand | v["out_of_play"]))
    v["sets"] = sets
    v["runs"] = run_cards(hand & ~sets)
    v["deadwood"] = run_deadwood(hand & ~sets)
    kept = int64(v["just_taken"])
    v["discard_candidates"] = 0
    if v["can_take"]:
        v["discard_candidates"] = hand | bit(v["top"])
        kept = int64(just_taken(r, v["top"], True))
    elif v["is_to_move"] and v["phase"] == DISCARD_PHASE:
        v["discard_candidates"] = hand
    if v["discard_candidates"]:
        deadwood_after(v["discard_candidates"], v["deadwood_after"])
        if kept != NO_CARD:
            v["deadwood_after"][kept] = NOT_IN_HAND
    else:
        v["deadwood_after"][:] = NOT_IN_HAND
