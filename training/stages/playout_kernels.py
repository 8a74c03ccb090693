"""Loops of playouts: what each of several actions would bring, all with the same cards."""

from math import exp
from typing import NamedTuple

import numpy as np

from gin_env.agents.forward import Thoughts, Weights, likeliest, think
from gin_env.bots.baselines import act_random
from gin_env.bots.choose import HARD, choose
from gin_env.bots.common import happens, pick_below
from gin_env.bots.levels import act_hard
from gin_env.bots.playout import ME, fill_in, rebuild
from gin_env.bots.value import Room, Stakes, expect, weigh_stakes, worth
from gin_env.bots.worlds import World, begin_worlds, next_world
from gin_env.core.actions import N_ACTIONS
from gin_env.core.jit import inlined, int64, kernel
from gin_env.core.match import BY_RULES, advance, begin
from gin_env.core.rows import encode_all
from gin_env.core.state import DRAW_PHASE, OVER
from gin_env.core.step import apply, legal_mask
from gin_env.core.view import look

MAX_CANDIDATES = 8
NO_CANDIDATE = -1

LOT_SCALE = 1 << 30


class Trials(NamedTuple):
    """Decisions, and what each candidate would have brought."""

    observations: np.ndarray
    """Shape [D, N], float32."""
    masks: np.ndarray
    """Shape [D, 108], int8."""
    candidates: np.ndarray
    """Shape [D, K], int64: actions, the learner's choice first; `NO_CANDIDATE` fills up."""
    values: np.ndarray
    """Shape [D, K], float32: what they brought, in points of an even score."""


class Players(NamedTuple):
    """Who plays."""

    weights: Weights
    """The learner."""
    thoughts: Thoughts
    hard: np.void
    """Hard, who goes on for the learner, a record of `BOT_DTYPE`."""
    pool: np.ndarray
    """Shape [P], `BOT_DTYPE`: the opponents."""
    bounds: np.ndarray
    """Shape [P], float64: upper bounds of each opponent's part of the lots, ending in 1."""


class Scratch(NamedTuple):
    """What it is played on."""

    setup: np.ndarray
    """Shape [1], `SETUP_DTYPE`."""
    games: np.ndarray
    """Shape [3], `STATE_DTYPE`: the game, the playout, and what the learner knows of the game."""
    views: np.ndarray
    """Shape [2], `VIEW_DTYPE`: of the game, and of the playout."""
    memories: np.ndarray
    """Shape [3], `MEMORY_DTYPE`: the opponent's in the game and in the playout; lots."""
    observation: np.ndarray
    """Shape [N], float32: in the playout."""
    mask: np.ndarray
    """Shape [108], int8: likewise."""
    room: Room
    """For values."""
    world: World
    """Where the cards may be that the learner cannot see."""


class Plan(NamedTuple):
    """How it is played."""

    random_moves: float
    """Chance that the game goes on with a random move in place of the learner's."""
    least_chance: float
    """What chance the policy must give to an action for a trial."""
    own_turns: int
    """Turns of both seats in which the learner goes on itself."""
    horizon: int
    """Turns of both seats after which a playout against Hard ends in a value."""
    worlds: int
    """Worlds that may be, in which playouts against Hard are made; 0: in the game as it is."""


@kernel
def write_trials(scratch: Scratch, players: Players, plan: Plan, trials: Trials) -> None:
    """Play episodes of the learner against the opponents, and note down its decisions.

    A decision counts where the policy gives a chance to several actions. Each of these candidates
    is played out with the same cards, so that their differences are not those of luck. The learner
    goes on itself for some turns and then as Hard would; the opponent goes on as it is. Against a
    Hard the value of `gin_env.bots.value` stands in for the rest of a long hand.

    Args:
        scratch: Where; its games need not have begun, but have a random word.
        players: Who.
        plan: How.
        trials: Filled.
    """
    r, s, v, lots = (
        scratch.setup[0]["rules"],
        scratch.games[0],
        scratch.views[0],
        scratch.memories[2],
    )
    place = int64(0)
    while place < len(trials.masks):
        begin(r, s, BY_RULES)
        opponent = _draw_opponent(players, lots)
        seat = pick_below(lots, 2)
        look(r, s, seat, v)
        unit = weigh_stakes(r, v).slope
        while not s["is_episode_over"] and place < len(trials.masks):
            look(r, s, s["to_move"], v)
            if s["to_move"] != seat:
                advance(r, s, choose(players.pool[opponent], r, v, scratch.memories[0]))
                continue
            action = _decide(scratch, players, v, trials.observations[place], trials.masks[place])
            n = _list_candidates(players.thoughts.outputs, plan.least_chance, (place, trials))
            if n > 1:
                try_all(scratch, players, plan, (opponent, seat, unit, n), (place, trials))
                place += 1
            if happens(lots, plan.random_moves):
                action = act_random(r, v, lots)
            advance(r, s, action)


@inlined
def _draw_opponent(players: Players, lots: np.void) -> int:
    lot, opponent = pick_below(lots, LOT_SCALE) / LOT_SCALE, int64(0)
    while lot >= players.bounds[opponent]:
        opponent += 1
    return opponent


@kernel
def _decide(
    scratch: Scratch, players: Players, v: np.void, observation: np.ndarray, mask: np.ndarray
) -> int:
    """The learner's action in a view; its observation and mask are written. Returns int64."""
    encode_all(scratch.setup[0], v, observation)
    legal_mask(scratch.setup[0]["rules"], v, mask)
    think(players.weights, players.thoughts, observation)
    return likeliest(players.thoughts.outputs, mask)


@kernel
def _list_candidates(logits: np.ndarray, least_chance: float, room: tuple[int, Trials]) -> int:
    """Write the actions that have a chance, the likeliest first. Returns int64: how many.

    Args:
        logits: Shape [108] or more, float32.
        least_chance: What chance it takes.
        room: Where to write: a place, and in what; its mask says what is legal.
    """
    place, trials = room
    mask, candidates = trials.masks[place], trials.candidates[place]
    best = logits[likeliest(logits, mask)]
    total = 0.0
    for action in range(N_ACTIONS):
        if mask[action]:
            total += exp(logits[action] - best)
    n = int64(0)
    for action in range(N_ACTIONS):
        if mask[action] and exp(logits[action] - best) >= least_chance * total:
            at = min(n, len(candidates) - 1)
            if n == len(candidates) and logits[action] <= logits[candidates[at]]:
                continue
            while at > 0 and logits[action] > logits[candidates[at - 1]]:
                candidates[at] = candidates[at - 1]
                at -= 1
            candidates[at] = action
            n = min(n + 1, int64(len(candidates)))
    candidates[n:] = NO_CANDIDATE
    return n


@kernel
def try_all(
    scratch: Scratch,
    players: Players,
    plan: Plan,
    moment: tuple[int, int, float, int],
    room: tuple[int, Trials],
) -> None:
    """Play out every candidate, and note down what it brought.

    That is done in the game as it is, hidden cards and all; or, where so planned, against a Hard in
    worlds that may be, and the means are noted down.

    Args:
        scratch: Where.
        players: Who.
        plan: How.
        moment: Which opponent; the learner's seat; what a point is worth at an even score, in the
            unit of `worth`; how many candidates.
        room: Where to write: a place, and in what.
    """
    opponent, seat, unit, n = moment
    place, trials = room
    r, v, values = scratch.setup[0]["rules"], scratch.views[0], trials.values[place]
    games, lots, world = scratch.games, scratch.memories[2], scratch.world
    is_in_worlds = plan.worlds > 0 and players.pool[opponent]["kind"] == HARD
    first, n_rounds = int64(0), int64(1)
    if is_in_worlds:
        rebuild(r, v, games[2])
        begin_worlds(v, lots, world)
        seat, first, n_rounds = int64(ME), int64(2), int64(plan.worlds)
    stakes, when = weigh_stakes(r, v), (int64(v["n_turns"]), plan)
    scale = stakes.slope / unit / n_rounds
    values[:] = 0.0
    for _ in range(n_rounds):
        if is_in_worlds:
            next_world(v, lots, world)
        for k in range(n):
            games[1] = games[first]
            scratch.memories[1] = scratch.memories[0]
            if is_in_worlds:
                fill_in(games[1], world.cards)
            apply(r, games[1], trials.candidates[place, k])
            values[k] += scale * _play_out(scratch, players, (opponent, seat), when, stakes)


@kernel
def _play_out(
    scratch: Scratch, players: Players, who: tuple[int, int], when: tuple[int, Plan], stakes: Stakes
) -> float:
    """Play a hand on. Returns float64: what it was worth to the learner, as `worth` says.

    Args:
        scratch: Where; the playout's game is played.
        players: Who.
        who: The opponent, and the learner's seat.
        when: Turns played before the playout, and how it is played.
        stakes: What points are worth to the learner.
    """
    opponent, seat = who
    turn, plan = when
    foe = players.pool[opponent]
    r, t, v = scratch.setup[0]["rules"], scratch.games[1], scratch.views[1]
    last = turn + plan.horizon
    while t["phase"] != OVER:
        if foe["kind"] == HARD and t["n_turns"] >= last and t["phase"] == DRAW_PHASE:
            return expect(r, t, seat, stakes, scratch.room)
        look(r, t, t["to_move"], v)
        if t["to_move"] != seat:
            apply(r, t, choose(foe, r, v, scratch.memories[1]))
        elif t["n_turns"] < turn + plan.own_turns:
            apply(r, t, _decide(scratch, players, v, scratch.observation, scratch.mask))
        else:
            apply(r, t, act_hard(players.hard, r, v))
    points = float(t["hand_end"]["points"])
    return worth(stakes, points if seat == 0 else -points)
