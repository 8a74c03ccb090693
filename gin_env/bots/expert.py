"""The search player (docs/bots.md): it plays its candidates out in worlds that may be.

Kernels of the same form as in `gin_env.bots.baselines`, except that a search makes room for itself.
"""

import math
from typing import NamedTuple

import numpy as np

from gin_env.bots.common import NO_ACTION, discards_within, end_hand, least_after
from gin_env.bots.levels import act_hard, best_by_outlook
from gin_env.bots.link import clock
from gin_env.bots.playout import fill_in, play_on, rebuild
from gin_env.bots.value import Room, Stakes, expect, make_room, weigh_stakes, worth
from gin_env.bots.worlds import (
    N_FIRST_STEPS,
    N_STEPS,
    list_unseen,
    log_likelihood,
    sample,
    weigh_past,
)
from gin_env.core.actions import BIG_GIN, DISCARD, DRAW, KNOCK, PASS, TAKE
from gin_env.core.cards import N_CARDS, bit
from gin_env.core.jit import allocating, inlined, int64, kernel
from gin_env.core.melds import MAX_DEADWOOD
from gin_env.core.state import DISCARD_PHASE, OFFER, OVER, STATE_DTYPE
from gin_env.core.step import apply
from gin_env.core.view import VIEW_DTYPE

MAX_CANDIDATES = 6
ROUND = 16
"""Worlds between two looks at what can be given up."""

PRIOR_LOSS = 0.5
PRIOR_SPREAD = 0.8
"""What is expected of leaving Hard's choice, points: the mean loss and its standard deviation."""
FIRST_SPREAD = 20.0
FIRST_COUNT = 8
"""Standard deviation of a difference in one world before any is seen, and how many that counts."""
SURE = 2.5
"""A candidate is given up when it lies so many standard deviations behind."""


class Search(NamedTuple):
    """Room for a search."""

    games: np.ndarray
    """Shape [2], `STATE_DTYPE`: the game as the view tells it, and the one being played out."""
    views: np.ndarray
    """Shape [1], `VIEW_DTYPE`."""
    room: Room
    """For values."""
    cards: np.ndarray
    """Shape [52], int64: the present world."""
    weights: np.ndarray
    """Shape [52], float64: see `weigh_past`."""
    actions: np.ndarray
    """Shape [K], int64: the candidates; Hard's choice first."""
    is_open: np.ndarray
    """Shape [K], int64: whether a candidate is still in the running."""
    values: np.ndarray
    """Shape [K], float64: what each was worth in the present world, points."""
    sums: np.ndarray
    """Shape [K, K], float64: sums over worlds of the differences of two candidates."""
    squares: np.ndarray
    """Shape [K, K], float64: likewise of their squares."""
    n_worlds: np.ndarray
    """Shape [K], int64: in how many worlds each was played."""


@allocating
def act_expert(b: np.void, r: np.void, v: np.void, m: np.void) -> int:
    """Play Hard's choice unless another action does better over worlds that may be."""
    first = act_hard(b, r, v)
    if first == BIG_GIN or (v["phase"] == DISCARD_PHASE and least_after(v) == 0 and first >= KNOCK):
        return first
    search = _make_search()
    n_candidates = _list_candidates(b, r, v, first, search.actions)
    if n_candidates == 1:
        return first
    return _search(b, r, v, m, search, n_candidates)


@inlined
def _make_search() -> Search:
    shape = (MAX_CANDIDATES, MAX_CANDIDATES)
    return Search(
        np.zeros(2, STATE_DTYPE),
        np.zeros(1, VIEW_DTYPE),
        make_room(),
        np.zeros(N_CARDS, np.int64),
        np.zeros(N_CARDS, np.float64),
        np.zeros(MAX_CANDIDATES, np.int64),
        np.ones(MAX_CANDIDATES, np.int64),
        np.zeros(MAX_CANDIDATES, np.float64),
        np.zeros(shape, np.float64),
        np.zeros(shape, np.float64),
        np.zeros(MAX_CANDIDATES, np.int64),
    )


@kernel
def _list_candidates(b: np.void, r: np.void, v: np.void, first: int, actions: np.ndarray) -> int:
    """Write the actions worth a search, ``first`` first. Returns int64: how many."""
    actions[0] = first
    n = int64(1)
    if v["phase"] != DISCARD_PHASE:
        if v["can_take"]:
            other = int64(PASS) if v["phase"] == OFFER else int64(DRAW)
            actions[1] = other if first == TAKE else int64(TAKE)
            n += 1
        return n
    knock = end_hand(r, v, MAX_DEADWOOD)
    if knock != NO_ACTION and knock != first:
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
def _search(b: np.void, r: np.void, v: np.void, m: np.void, search: Search, n: int) -> int:
    """The best of the candidates, as far as the budget tells. Returns int64, an action."""
    end = clock() + int64(1e6 * b["milliseconds"]) if b["milliseconds"] > 0 else int64(0)
    rebuild(r, v, search.games[0])
    stakes = weigh_stakes(r, v)
    n_hidden = list_unseen(v, search.cards)
    weigh_past(v, search.weights)
    hand = v["their_known"]
    for place in range(n_hidden):
        hand |= bit(search.cards[place])
    odds = log_likelihood(v, search.weights, hand)
    odds = sample(v, m, search.weights, search.cards, (n_hidden, int64(N_FIRST_STEPS), odds))
    n_played = int64(0)
    while n_played < b["worlds"] or end > 0:
        odds = sample(v, m, search.weights, search.cards, (n_hidden, int64(N_STEPS), odds))
        _play_world(b, r, search, stakes, n, n_hidden)
        n_played += 1
        if n_played % ROUND == 0:
            if _narrow(search, n) == 1:
                break
            if end > 0 and clock() >= end:
                break
    return search.actions[_leader(search, n)]


@kernel
def _play_world(
    b: np.void, r: np.void, search: Search, stakes: Stakes, n: int, n_hidden: int
) -> None:
    """Play every open candidate out in the present world, and count the differences."""
    games, values, is_open = search.games, search.values, search.is_open
    for k in range(n):
        if is_open[k]:
            games[1] = games[0]
            fill_in(games[1], search.cards, n_hidden)
            apply(r, games[1], search.actions[k])
            play_on(b, r, games[1], search.views[0], int64(games[0]["n_turns"] + b["turns"]))
            if games[1]["phase"] == OVER:
                values[k] = worth(stakes, float(games[1]["points"]))
            else:
                values[k] = expect(r, games[1], stakes, search.room)
            search.n_worlds[k] += 1
    for k in range(n):
        for j in range(n):
            if is_open[k] and is_open[j]:
                difference = values[k] - values[j]
                search.sums[k, j] += difference
                search.squares[k, j] += difference * difference


@kernel
def _gain(search: Search, k: int, j: int) -> tuple[float, float]:
    """What is to be expected of playing k in place of j, and the error of that, points."""
    n_of = min(search.n_worlds[k], search.n_worlds[j])
    mean = search.sums[k, j] / max(n_of, 1)
    square = search.squares[k, j] - n_of * mean * mean + FIRST_COUNT * FIRST_SPREAD**2
    error = square / (n_of + FIRST_COUNT) / max(n_of, 1)
    prior = 0.0
    if k == 0:
        prior = PRIOR_LOSS
    elif j == 0:
        prior = -PRIOR_LOSS
    spread = PRIOR_SPREAD**2
    gain = (mean * spread + prior * error) / (spread + error)
    return gain, math.sqrt(spread * error / (spread + error))


@kernel
def _leader(search: Search, n: int) -> int:
    """The open candidate that gains most over Hard's choice, or the last one that is open."""
    best, best_gain = int64(0), -1e9
    for k in range(n):
        if search.is_open[k]:
            gain = _gain(search, k, 0)[0] if k > 0 else 0.0
            if gain > best_gain:
                best, best_gain = int64(k), gain
    return best


@kernel
def _narrow(search: Search, n: int) -> int:
    """Give up the candidates that are clearly behind the leader. Returns int64: how many stay."""
    best = _leader(search, n)
    n_open = int64(0)
    for k in range(n):
        if search.is_open[k] and k != best:
            gain, error = _gain(search, k, best)
            if gain < -SURE * error:
                search.is_open[k] = 0
        n_open += search.is_open[k]
    return n_open
