"""How a hand ends: what is shown, who wins, and the points (docs/rules.md, "Scoring").

The facts go into the state's ``hand_end``, which keeps them until the next hand ends; the rules put
a price on them.
"""

import numpy as np

from gin_env.core.actions import BIG_GIN
from gin_env.core.cards import ALL_BITS
from gin_env.core.jit import inlined, int64, kernel
from gin_env.core.melds import arrange, defend, run_cards, run_deadwood
from gin_env.core.rules import TIE_PUSH, TIE_UNDERCUT
from gin_env.core.state import N_SEATS, NO_SEAT, OVER, Ending

NO_ENDING, DEAD, KNOCKED, UNDERCUT, GIN, BIG_GIN_DECLARED, PUSH, FORFEIT = map(int, Ending)


@kernel
def end_by_knock(r: np.void, s: np.void, action: int) -> None:
    """Show both hands, lay off, and end the hand.

    Args:
        r: The rules.
        s: The game; the seat to move knocks and has already discarded.
        action: The knock, or `BIG_GIN`.
    """
    knocker = s["to_move"]
    defender = 1 - knocker
    end = s["hand_end"]
    hand = s["hand"][knocker]
    sets = arrange(hand, ALL_BITS & ~(hand | s["pile_bits"] | s["removed"]))
    runs = run_cards(hand & ~sets)
    left = run_deadwood(hand & ~sets)
    if left == 0:  # nothing may be laid off against gin
        other_left, other_sets, laid_off = defend(s["hand"][defender], 0, 0)
    else:
        other_left, other_sets, laid_off = defend(s["hand"][defender], sets, runs)
    end["knocker"] = knocker
    end["sets"][knocker], end["sets"][defender], end["laid_off"] = sets, other_sets, laid_off
    end["deadwood"][knocker], end["deadwood"][defender] = left, other_left
    ending = _judge(r, action == BIG_GIN, left, other_left)
    if ending == PUSH:
        _end(r, s, ending, NO_SEAT)
    else:
        _end(r, s, ending, defender if ending == UNDERCUT else knocker)


@kernel
def end_dead(r: np.void, s: np.void) -> None:
    """End the hand without a winner: nobody scores."""
    _show_nothing(s)
    _end(r, s, DEAD, NO_SEAT)


@kernel
def end_by_forfeit(r: np.void, s: np.void, penalty: int) -> None:
    """End the hand against the seat to move, which loses ``penalty`` points."""
    _show_nothing(s)
    s["hand_end"]["penalty"] = penalty
    _end(r, s, FORFEIT, 1 - s["to_move"])


@kernel
def clear_hand_end(s: np.void) -> None:
    """Forget how the last hand ended: none has ended yet."""
    end = s["hand_end"]
    _show_nothing(s)
    for seat in range(N_SEATS):
        end["hand"][seat] = 0
        end["totals"][seat] = 0
    end["out_of_play"] = 0
    end["ending"] = NO_ENDING
    end["winner"] = NO_SEAT
    end["dealer"] = NO_SEAT
    end["n_turns"] = 0
    end["factor"] = 0
    end["points"] = 0
    end["paid"] = 0
    end["match_winner"] = NO_SEAT


@inlined
def _judge(r: np.void, is_big_gin: bool, left: int, other_left: int) -> int:
    """How a knock ends the hand, by the deadwood of knocker and defender."""
    if is_big_gin:
        return BIG_GIN_DECLARED
    if left == 0:
        return GIN
    if is_undercut(r, left, other_left):
        return UNDERCUT
    if left == other_left and r["tie"] == TIE_PUSH:
        return PUSH
    return KNOCKED


@inlined
def is_undercut(r: np.void, left: int, other_left: int) -> bool:
    """Whether a defender undercuts: with less deadwood, or as much where ``tie`` says so."""
    return other_left < left or (other_left == left and r["tie"] == TIE_UNDERCUT)


@kernel
def find_bonus(r: np.void, end: np.void) -> int:
    """Points for gin, big gin or an undercut. Returns int64."""
    if end["ending"] == GIN:
        return int64(r["gin_bonus"])
    if end["ending"] == BIG_GIN_DECLARED:
        return int64(r["big_gin_bonus"])
    return int64(r["undercut_bonus"] if end["ending"] == UNDERCUT else 0)


@inlined
def _price(r: np.void, end: np.void) -> int:
    """Points that the winner of a hand scores. Returns int64."""
    if end["ending"] == FORFEIT:
        return int64(end["penalty"])
    if end["winner"] == NO_SEAT:
        return int64(0)
    difference = abs(end["deadwood"][0] - end["deadwood"][1])
    return int64(end["factor"] * (find_bonus(r, end) + difference))


@inlined
def _show_nothing(s: np.void) -> None:
    """Nobody knocked, so neither hand is shown."""
    end = s["hand_end"]
    end["knocker"] = NO_SEAT
    end["laid_off"] = 0
    end["penalty"] = 0
    for seat in range(N_SEATS):
        end["sets"][seat] = 0
        end["deadwood"][seat] = 0


@inlined
def _end(r: np.void, s: np.void, ending: int, winner: int) -> None:
    end = s["hand_end"]
    s["phase"] = OVER
    end["ending"] = ending
    end["winner"] = winner
    for seat in range(N_SEATS):
        end["hand"][seat] = s["hand"][seat]
    end["out_of_play"] = s["pile_bits"] | s["removed"]
    end["dealer"] = s["dealer"]
    end["n_turns"] = s["n_turns"]
    end["factor"] = 2 if s["is_doubled"] and ending != FORFEIT else 1
    points = _price(r, end)
    end["points"] = points if winner == 0 else -points
