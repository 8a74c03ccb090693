"""The search player (docs/bots.md): it plays its candidates on in worlds that may be.

A kernel of the same form as in `gin_env.bots.baselines`, except that a search makes room for
itself.
"""

import math
from typing import NamedTuple

import numpy as np

from gin_env.bots.clock import clock
from gin_env.bots.common import NO_ACTION, discards_within, end_hand, least_after
from gin_env.bots.levels import act_hard, best_by_outlook
from gin_env.bots.playout import ME, fill_in, play_on, rebuild
from gin_env.bots.value import (
    Room,
    Stakes,
    expect,
    make_room,
    weigh_stakes,
    worth,
)
from gin_env.bots.worlds import World, begin_worlds, make_world, next_world
from gin_env.core.actions import DISCARD, DRAW, KNOCK, PASS, TAKE
from gin_env.core.cards import bit
from gin_env.core.jit import allocating, inlined, int64, kernel
from gin_env.core.meld_tables import MAX_DEADWOOD
from gin_env.core.state import DISCARD_PHASE, OFFER, OVER, STATE_DTYPE
from gin_env.core.step import apply
from gin_env.core.view import VIEW_DTYPE

MAX_CANDIDATES = 6
ROUND = 16
"""Worlds between two looks at which candidates can be given up."""

PRIOR_LOSS = 0.5
PRIOR_SPREAD = 0.8
"""What is expected of leaving Hard's choice, points: the mean loss and its standard deviation."""
FIRST_SPREAD = 10.0
FIRST_COUNT = 8
"""Standard deviation of a difference before any world is seen, points; and its weight in worlds."""
FEWEST_WORLDS = 4
"""With fewer, Hard's choice stands."""
SURE = 2.5
"""A candidate is given up when it lies so many standard deviations behind."""


class Search(NamedTuple):
    """What a search works on, for K candidates."""

    actions: np.ndarray
    """Shape [K], int64: the candidates, Hard's choice first."""
    games: np.ndarray
    """Shape [2], `STATE_DTYPE`: what the view tells of the game, and the one being played on."""
    views: np.ndarray
    """Shape [1], `VIEW_DTYPE`."""
    world: World
    """The present world."""
    room: Room
    """For values."""
    stakes: Stakes
    """What points are worth."""
    is_open: np.ndarray
    """Shape [K], int64: whether a candidate is still in the running."""
    n_worlds: np.ndarray
    """Shape [K], int64: in how many worlds it was played."""
    values: np.ndarray
    """Shape [K], float64: what it was worth in the present one."""
    sums: np.ndarray
    """Shape [K, K], float64: by how much it beat another one, over the worlds that both played."""
    squares: np.ndarray
    """Shape [K, K], float64: likewise the squares."""


@allocating
def act_expert(b: np.void, r: np.void, v: np.void, m: np.void) -> int:
    """Play Hard's choice unless another action does better over worlds that may be."""
    first = act_hard(b, r, v)
    is_gin = v["phase"] == DISCARD_PHASE and (v["deadwood"] == 0 or least_after(v) == 0)
    if is_gin and first >= KNOCK:
        return first
    actions = np.zeros(MAX_CANDIDATES, np.int64)
    n_candidates = _list_candidates(b, r, v, first, actions)
    if n_candidates == 1:
        return first
    search = _make_search(actions[:n_candidates], weigh_stakes(r, v))
    return _search(b, r, v, m, search)


@inlined
def _make_search(actions: np.ndarray, stakes: Stakes) -> Search:
    n = len(actions)
    return Search(
        actions,
        np.zeros(2, STATE_DTYPE),
        np.zeros(1, VIEW_DTYPE),
        make_world(),
        make_room(),
        stakes,
        np.ones(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n),
        np.zeros((n, n)),
        np.zeros((n, n)),
    )


@kernel
def _list_candidates(b: np.void, r: np.void, v: np.void, first: int, actions: np.ndarray) -> int:
    """Write the actions worth a search, ``first`` first. Returns int64: how many."""
    actions[0] = first
    n = int64(1)
    if v["phase"] != DISCARD_PHASE:
        if v["can_take"]:
            stay = int64(PASS) if v["phase"] == OFFER else int64(DRAW)
            actions[1] = stay if first == TAKE else int64(TAKE)
            n += 1
        return n
    knock = end_hand(r, v, MAX_DEADWOOD)
    if knock not in (NO_ACTION, first):
        actions[n] = knock
        n += 1
    cards = discards_within(v, least_after(v) + int64(b["slack"]))
    if first < KNOCK:
        cards &= ~bit(first - DISCARD)
    while n < MAX_CANDIDATES and cards:
        card = best_by_outlook(b, v, cards)
        cards &= ~bit(card)
        actions[n] = int64(DISCARD) + card
        n += 1
    return n


@kernel
def _search(b: np.void, r: np.void, v: np.void, m: np.void, search: Search) -> int:
    """The best of the candidates, as far as the budget tells. Returns int64, an action."""
    is_timed = b["milliseconds"] > 0
    end = clock() + int64(1e6 * b["milliseconds"]) if is_timed else int64(0)
    rebuild(r, v, search.games[0])
    begin_worlds(v, m, search.world)
    n_worlds, n_open = int64(0), len(search.actions)
    while n_open > 1 and (clock() < end if is_timed else n_worlds < b["worlds"]):
        next_world(v, m, search.world)
        _play_world(b, r, search)
        n_worlds += 1
        if n_worlds % ROUND == 0:
            n_open = _narrow(search)
    return int64(search.actions[_leader(search)])


@kernel
def _play_world(b: np.void, r: np.void, search: Search) -> None:
    """Play every open candidate on in the present world, and enter the differences."""
    values, is_open = search.values, search.is_open
    for k in range(len(values)):
        if is_open[k]:
            values[k] = _play_candidate(b, r, search, search.actions[k])
            search.n_worlds[k] += 1
            for j in range(k):
                if is_open[j]:
                    difference = values[k] - values[j]
                    search.sums[k, j] += difference
                    search.sums[j, k] -= difference
                    search.squares[k, j] += difference * difference
                    search.squares[j, k] += difference * difference


@kernel
def _play_candidate(b: np.void, r: np.void, search: Search, action: int) -> float:
    """What an action is worth in the present world."""
    games = search.games
    games[1] = games[0]
    s = games[1]
    fill_in(s, search.world.cards)
    apply(r, s, action)
    play_on(b, r, s, search.views[0], int64(games[0]["n_turns"] + b["turns"]))
    if s["phase"] == OVER:
        return worth(search.stakes, float(s["hand_end"]["points"]))
    return expect(r, s, ME, search.stakes, search.room)


@kernel
def _narrow(search: Search) -> int:
    """Give up the candidates that are clearly behind the leader. Returns int64: how many stay."""
    best, n_open = _leader(search), int64(0)
    for k in range(len(search.actions)):
        if search.is_open[k] and k != best:
            gain, error = _gain(search, k, best)
            if gain < -SURE * error:
                search.is_open[k] = 0
        n_open += search.is_open[k]
    return n_open


@kernel
def _leader(search: Search) -> int:
    """The open candidate that gains most over Hard's choice. Returns int64: its place."""
    best, best_gain = int64(0), -1e9
    for k in range(len(search.actions)):
        if search.is_open[k] and (k == 0 or search.n_worlds[k] >= FEWEST_WORLDS):
            gain = _gain(search, k, 0)[0] if k > 0 else 0.0
            if gain > best_gain:
                best, best_gain = int64(k), gain
    return best


@kernel
def _gain(search: Search, k: int, j: int) -> tuple[float, float]:
    """What to expect of playing k in place of j, points, and the standard deviation of that.

    What was seen is weighed against what was expected beforehand, by their errors.
    """
    n = max(min(search.n_worlds[k], search.n_worlds[j]), 1)
    mean = search.sums[k, j] / n
    square = search.squares[k, j] - n * mean * mean + FIRST_COUNT * FIRST_SPREAD**2
    error = square / (n + FIRST_COUNT) / n
    prior = PRIOR_LOSS * (int64(k == 0) - int64(j == 0))
    spread = PRIOR_SPREAD**2
    gain = (mean * spread + prior * error) / (spread + error)
    return gain, math.sqrt(spread * error / (spread + error))
