"""How a hand is likely to end, from both hands and the stock: what a short playout ends in.

A small neural network, fitted to hands of Hard against itself (training/stages/fit_value.py). It
says with which chance each of six endings comes, or none, and what each would be worth beyond its
bonus. So it serves whatever bonuses a table pays, and a match as well as a hand.
"""

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gin_env.core.cards import ALL_BITS, bit, lowest
from gin_env.core.heuristics import N_BEST_DRAWS
from gin_env.core.jit import inlined, int64, kernel
from gin_env.core.meld_tables import MAX_DEADWOOD
from gin_env.core.melds import deadwood, least_deadwood_after
from gin_env.core.rules import PAID_AT_ONCE
from gin_env.core.state import N_SEATS

N_OF_SEAT = 9
N_FEATURES = 2 * N_OF_SEAT + 4
N_HIDDEN = 48
N_ENDINGS = 6
"""The mover gins, knocks and wins, is undercut; then the same of the other seat."""
N_OUTPUTS = 2 * N_ENDINGS + 1
"""A score for each ending and for none, then the points of each, in tens."""

WEIGHTS_FILE = Path(__file__).with_name("value.npz")
"""What training/stages/fit_value.py found: float64, hidden layer and outputs."""
with np.load(WEIGHTS_FILE) as _weights:
    HIDDEN_WEIGHTS, HIDDEN_BIASES, OUT_WEIGHTS, OUT_BIASES = (
        _weights[name] for name in ("hidden_weights", "hidden_biases", "out_weights", "out_biases")
    )

LEAD_WEIGHT, LEAD_OFFSET = 0.34, 58.0
"""The chance to win a match from what both still need: fitted to the exact one of equal players."""


class Stakes(NamedTuple):
    """What the points of a hand are worth."""

    is_match: bool
    bonus: float
    """Points that come on top for whoever wins the hand."""
    mine: float
    """Points that the seat still needs to win the match; likewise the other."""
    theirs: float
    slope: float
    """What a point is worth, in chances to win the match."""


class Room(NamedTuple):
    """Room to work out a value in."""

    features: np.ndarray
    """Shape [N_FEATURES], float64."""
    hidden: np.ndarray
    """Shape [N_HIDDEN], float64."""
    outputs: np.ndarray
    """Shape [N_OUTPUTS], float64."""
    counts: np.ndarray
    """Shape [MAX_DEADWOOD + 1], int64."""


@inlined
def make_room() -> Room:
    """Room to work out values in."""
    return Room(
        np.zeros(N_FEATURES),
        np.zeros(N_HIDDEN),
        np.zeros(N_OUTPUTS),
        np.zeros(MAX_DEADWOOD + 1, np.int64),
    )


@kernel
def describe(s: np.void, features: np.ndarray, counts: np.ndarray) -> None:
    """Write what the value depends on.

    Args:
        s: A game in the draw phase.
        features: Shape [N_FEATURES], float64; written.
        counts: Shape [MAX_DEADWOOD + 1], int64: room to count in.
    """
    mover = int64(s["to_move"])
    stock = ALL_BITS & ~(s["hand"][0] | s["hand"][1] | s["pile_bits"] | s["removed"])
    for seat in range(N_SEATS):
        place = 0 if seat == mover else N_OF_SEAT
        limit = int64(s["knock_limit"])
        _describe_seat(s["hand"][seat], stock, limit, features[place : place + N_OF_SEAT], counts)
        n_turns = s["n_own_turns"][seat]
        features[place + 7] = n_turns / 10.0
        features[place + 8] = max(5 - n_turns, 0) / 5.0
    place, top = 2 * N_OF_SEAT, int64(MAX_DEADWOOD)
    if s["n_pile"] > 0:
        top = least_deadwood_after(s["hand"][mover] | bit(s["pile"][s["n_pile"] - 1]))
    features[place] = min(top, 50) / 20.0
    features[place + 1] = (top == 0) + 0.5 * (top <= s["knock_limit"])
    features[place + 2] = s["n_stock"] / 20.0
    features[place + 3] = s["knock_limit"] / 10.0


@kernel
def _describe_seat(
    hand: int, stock: int, limit: int, features: np.ndarray, n_left: np.ndarray
) -> None:
    """The deadwood of a hand, and what one draw from the stock can make of it."""
    n_left[:] = 0
    n_cards, total = int64(0), int64(0)
    while stock:
        least = least_deadwood_after(hand | bit(lowest(stock)))
        stock &= stock - 1
        n_left[least] += 1
        n_cards += 1
        total += least
    n_wanted, best, least, n_knocks = int64(N_BEST_DRAWS), int64(0), int64(-1), int64(0)
    for left in range(MAX_DEADWOOD + 1):
        if n_left[left] > 0 and least < 0:
            least = int64(left)
        if left <= limit:
            n_knocks += n_left[left]
        n_kept = min(n_left[left], n_wanted)
        best += n_kept * left
        n_wanted -= n_kept
        if n_wanted == 0 and left >= limit:
            break
    features[0] = deadwood(hand) / 30.0
    features[1] = least / 20.0
    features[2] = best / max(N_BEST_DRAWS - n_wanted, 1) / 20.0
    features[3] = total / max(n_cards, 1) / 30.0
    features[4] = n_left[0] / max(n_cards, 1) * 5.0
    features[5] = n_knocks / max(n_cards, 1) * 2.0
    features[6] = n_left[0] > 0


@kernel
def expect(r: np.void, s: np.void, seat: int, stakes: Stakes, room: Room) -> float:
    """What a hand in the draw phase is worth to a seat, as `worth` says.

    Args:
        r: The rules.
        s: The game.
        seat: To whom.
        stakes: What points are worth to that seat.
        room: Written.
    """
    features, hidden, outputs = room.features, room.hidden, room.outputs
    describe(s, features, room.counts)
    for unit in range(N_HIDDEN):
        hidden[unit] = HIDDEN_BIASES[unit]
    for place in range(N_FEATURES):
        feature = features[place]
        for unit in range(N_HIDDEN):
            hidden[unit] += feature * HIDDEN_WEIGHTS[place, unit]
    for output in range(N_OUTPUTS):
        outputs[output] = OUT_BIASES[output]
    for unit in range(N_HIDDEN):
        if hidden[unit] > 0:
            for output in range(N_OUTPUTS):
                outputs[output] += hidden[unit] * OUT_WEIGHTS[unit, output]
    return _weigh_endings(r, s, seat, stakes, outputs)


@kernel
def _weigh_endings(r: np.void, s: np.void, seat: int, stakes: Stakes, outputs: np.ndarray) -> float:
    highest = outputs[0]
    for ending in range(1, N_ENDINGS + 1):
        highest = max(highest, outputs[ending])
    total, value = 0.0, 0.0
    for ending in range(N_ENDINGS + 1):
        chance = math.exp(outputs[ending] - highest)
        total += chance
        points = 0.0
        if ending < N_ENDINGS:
            points = 10.0 * outputs[N_ENDINGS + 1 + ending]
            if ending % 3 == 0:
                points += r["gin_bonus"]
            elif ending % 3 == 2:
                points += r["undercut_bonus"]
            points *= 1 + s["is_doubled"]
            is_won = ending in (0, 1, 5)
            if is_won != (s["to_move"] == seat):
                points = -points
        value += chance * worth(stakes, points)
    return value / total


@kernel
def weigh_stakes(r: np.void, v: np.void) -> Stakes:
    """What the points of this hand are worth to the seat that looks."""
    is_match = r["is_match"] != 0
    bonus = float(r["hand_bonus"]) if r["hand_bonus_paid"] == PAID_AT_ONCE else 0.0
    mine, theirs = r["target"] - v["totals"][0], r["target"] - v["totals"][1]
    stakes = Stakes(is_match, bonus, float(mine), float(theirs), 1.0)
    slope = 1.0
    if is_match:
        slope = (worth(stakes, 10.0) - worth(stakes, -10.0)) / 20.0
    return Stakes(is_match, bonus, float(mine), float(theirs), max(slope, 1e-4))


@kernel
def worth(stakes: Stakes, points: float) -> float:
    """What it is worth to win points (negative: to lose them) with this hand.

    Returns:
        float64: the points; in a match the chance to win it, in units of one point's worth.
    """
    if not stakes.is_match:
        return points
    mine, theirs = stakes.mine, stakes.theirs
    if points > 0:
        mine -= points + stakes.bonus
    elif points < 0:
        theirs -= stakes.bonus - points
    if mine <= 0:
        chance = 1.0
    elif theirs <= 0:
        chance = 0.0
    else:
        lead = (theirs - mine) / math.sqrt(mine + theirs + LEAD_OFFSET)
        chance = 1.0 / (1.0 + math.exp(-LEAD_WEIGHT * lead))
    return chance / stakes.slope
