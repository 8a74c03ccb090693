"""What spans hands: the dealer, totals, bonuses and the end of the episode.

An episode is one hand or one match; which, the rules record says (``is_match``). Faces and batches
call `begin`, then `advance` until ``is_episode_over``.
"""

import numpy as np

from gin_env.core.hand_end import clear_hand_end, end_by_forfeit
from gin_env.core.jit import inlined, int64, kernel
from gin_env.core.rules import (
    FIRST_DEALER_DRAWN,
    NEXT_DEALER_LOSER,
    NEXT_DEALER_WINNER,
    PAID_AT_ONCE,
    SHUTOUT_DOUBLE,
)
from gin_env.core.state import NO_SEAT, OVER, draw_below, next_word
from gin_env.core.step import apply, deal

BY_RULES = -1
"""In place of a dealer: let the rules choose."""


@kernel
def begin(r: np.void, s: np.void, dealer: int) -> None:
    """Begin an episode from the game's random word.

    Args:
        r: The rules.
        s: The game.
        dealer: Who deals first: 0, 1, or `BY_RULES`. The cards do not depend on it.
    """
    s["rng_state"] = next_word(s["rng_state"])
    lot = draw_below(s["rng_state"], 2)
    s["dealer"] = _first_dealer(r, lot) if dealer == BY_RULES else dealer
    for seat in range(2):
        s["totals"][seat] = 0
        s["hands_won"][seat] = 0
    s["n_hands"] = 0
    s["match_winner"] = NO_SEAT
    s["is_episode_over"] = 0
    s["reward"] = 0
    clear_hand_end(s)
    deal(r, s)


@kernel
def advance(r: np.void, s: np.void, action: int) -> None:
    """Play a legal action; where it ends a hand of a match that goes on, deal the next one."""
    play(r, s, action)
    _go_on(r, s)


@kernel
def advance_forfeit(r: np.void, s: np.void, penalty: int) -> None:
    """End the hand against the seat to move; in a match that goes on, deal the next one."""
    play_forfeit(r, s, penalty)
    _go_on(r, s)


@kernel
def play(r: np.void, s: np.void, action: int) -> None:
    """Play a legal action and count the hand that it ends; ``reward`` is what it paid to seat 0."""
    s["reward"] = 0
    apply(r, s, action)
    if s["phase"] == OVER:
        _count_hand(r, s)


@kernel
def play_forfeit(r: np.void, s: np.void, penalty: int) -> None:
    """End the hand against the seat to move, at the price of ``penalty`` points, and count it."""
    end_by_forfeit(r, s, penalty)
    _count_hand(r, s)


@kernel
def next_hand(r: np.void, s: np.void) -> None:
    """Deal the next hand of a match, by the dealer that the last hand's result calls for."""
    s["dealer"] = _next_dealer(r, s["dealer"], s["hand_end"]["winner"])
    deal(r, s)


@inlined
def _go_on(r: np.void, s: np.void) -> None:
    if s["phase"] == OVER and not s["is_episode_over"]:
        next_hand(r, s)


@inlined
def _first_dealer(r: np.void, lot: int) -> int:
    """A single hand is always dealt by lot."""
    if not r["is_match"] or r["first_dealer"] == FIRST_DEALER_DRAWN:
        return lot
    return int64(r["first_dealer"])  # seat_0, seat_1


@inlined
def _next_dealer(r: np.void, dealer: int, winner: int) -> int:
    if winner == NO_SEAT:
        return dealer
    if r["next_dealer"] == NEXT_DEALER_LOSER:
        return 1 - winner
    return winner if r["next_dealer"] == NEXT_DEALER_WINNER else 1 - dealer


@inlined
def _count_hand(r: np.void, s: np.void) -> None:
    """Enter an ended hand into the totals, and end the episode where it is over."""
    end = s["hand_end"]
    s["n_hands"] += 1
    s["reward"] = end["points"]
    s["is_episode_over"] = not r["is_match"]
    if end["winner"] != NO_SEAT:
        _count_won(r, s, end["winner"])
    end["paid"] = s["reward"]
    end["totals"][0], end["totals"][1] = s["totals"][0], s["totals"][1]
    end["match_winner"] = s["match_winner"]


@inlined
def _count_won(r: np.void, s: np.void, winner: int) -> None:
    """Enter what a hand's winner gains in the match."""
    sign = 1 if winner == 0 else -1
    bonus = r["hand_bonus"] if r["is_match"] and r["hand_bonus_paid"] == PAID_AT_ONCE else 0
    s["hands_won"][winner] += 1
    s["totals"][winner] += sign * s["hand_end"]["points"] + bonus
    s["reward"] += sign * bonus
    if r["is_match"] and s["totals"][winner] >= r["target"]:
        s["match_winner"] = winner
        s["is_episode_over"] = 1
        s["reward"] += sign * _final_bonus(r, s, winner)


@inlined
def _final_bonus(r: np.void, s: np.void, winner: int) -> int:
    """What the match's winner gains beyond the running totals, net of the loser's hand bonuses."""
    loser = 1 - winner
    bonus = int64(r["game_bonus"])
    if r["hand_bonus_paid"] != PAID_AT_ONCE:
        bonus += r["hand_bonus"] * (s["hands_won"][winner] - s["hands_won"][loser])
    if s["totals"][loser] == 0:
        bonus += s["totals"][winner] if r["shutout"] == SHUTOUT_DOUBLE else r["shutout"]
    return bonus
