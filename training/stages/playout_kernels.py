"""Playouts: what each of several actions would bring, all with the same cards.

The learner plays episodes against bots. At each of its decisions that is open, every candidate is
tried in a copy of the game and the copy is played on.
"""

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

RANDOM_STEPS = 1 << 30
"""A random number from 0 to 1 is a multiple of 1 over this."""


class Trials(NamedTuple):
    """Decisions, and what each candidate would have brought."""

    observations: np.ndarray
    """Shape [D, N], float32."""
    masks: np.ndarray
    """Shape [D, 108], int8."""
    candidates: np.ndarray
    """Shape [D, K], int64: actions, the learner's choice first; `NO_CANDIDATE` fills up."""
    values: np.ndarray
    """Shape [D, K], float32: what they brought, in points as they count at an even score."""


class Players(NamedTuple):
    """Who plays: the learner, and the bots that it meets."""

    weights: Weights
    """The learner's network."""
    thoughts: Thoughts
    """Room for what it computes; its outputs are the logits."""
    hard: np.void
    """Hard, who plays the learner's later turns in a playout, a record of `BOT_DTYPE`."""
    opponents: np.ndarray
    """Shape [P], `BOT_DTYPE`."""
    bounds: np.ndarray
    """Shape [P], float64: cumulative shares of the opponents, ending in 1."""


class Scratch(NamedTuple):
    """The games, and room for what is computed while they are played."""

    setup: np.ndarray
    """Shape [1], `SETUP_DTYPE`."""
    games: np.ndarray
    """Shape [3], `STATE_DTYPE`: the game, the playout, and what the learner knows of the game."""
    views: np.ndarray
    """Shape [2], `VIEW_DTYPE`: of the game, and of the playout."""
    memories: np.ndarray
    """Shape [3], `MEMORY_DTYPE`: the opponent's in the game and in the playout; the third is a
    random generator."""
    observation: np.ndarray
    """Shape [N], float32: the learner's in the playout."""
    mask: np.ndarray
    """Shape [108], int8: likewise."""
    room: Room
    """For values."""
    world: World
    """A drawn place for each card that the learner cannot see."""


class Settings(NamedTuple):
    """The keys of `training.config.run_config.PlayoutsConfig` that the kernels need."""

    random_moves: float
    least_chance: float
    own_turns: int
    horizon: int
    worlds: int


@kernel
def write_trials(scratch: Scratch, players: Players, settings: Settings, trials: Trials) -> None:
    """Play episodes of the learner against the opponents, and note down its open decisions.

    A decision is open where the policy gives several actions a chance of ``least_chance``. Each of
    these candidates is played out with the same cards, so that their values differ by what the
    action does and not by the luck of the deal.

    Args:
        scratch: Its games need not have begun, but have a random word.
        players: Who plays.
        settings: How.
        trials: Filled.
    """
    r, s, v = scratch.setup[0]["rules"], scratch.games[0], scratch.views[0]
    random = scratch.memories[2]
    place = int64(0)
    while place < len(trials.masks):
        begin(r, s, BY_RULES)
        opponent = _draw_opponent(players, random)
        seat = pick_below(random, 2)
        look(r, s, seat, v)
        # Values of a match are chances to win it. Over this slope, the one at an even score, they
        # are points again, so that all rewards of a run have the same scale.
        unit = weigh_stakes(r, v).slope
        while not s["is_episode_over"] and place < len(trials.masks):
            look(r, s, s["to_move"], v)
            if s["to_move"] != seat:
                advance(r, s, choose(players.opponents[opponent], r, v, scratch.memories[0]))
                continue
            action = _decide(scratch, players, v, trials.observations[place], trials.masks[place])
            n = _list_candidates(players.thoughts.outputs, settings.least_chance, (place, trials))
            # Five of six decisions are settled: only the others are worth the time of playouts. A
            # settled one is overwritten by the next.
            if n > 1:
                try_all(scratch, players, settings, (opponent, seat, unit, n), (place, trials))
                place += 1
            if happens(random, settings.random_moves):
                action = act_random(r, v, random)
            advance(r, s, action)


@inlined
def _draw_opponent(players: Players, random: np.void) -> int:
    drawn, opponent = pick_below(random, RANDOM_STEPS) / RANDOM_STEPS, int64(0)
    while drawn >= players.bounds[opponent]:
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
    """Write the legal actions that have a chance, the likeliest first. Returns int64: how many.

    Args:
        logits: Shape [108] or more, float32.
        least_chance: The least chance of a candidate.
        room: A place in the trials, and these; its mask is written already.
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
    settings: Settings,
    moment: tuple[int, int, float, int],
    room: tuple[int, Trials],
) -> None:
    """Play out every candidate, and write what it brought.

    Args:
        scratch: Its first game and view are where the learner decides.
        players: Who plays.
        settings: How.
        moment: Which opponent; the learner's seat; what a point is worth at an even score, in the
            unit of `worth`; how many candidates.
        room: A place in the trials, and these; its candidates are written already.
    """
    opponent, seat, unit, n = moment
    place, trials = room
    r, v, values = scratch.setup[0]["rules"], scratch.views[0], trials.values[place]
    games, random, world = scratch.games, scratch.memories[2], scratch.world
    # Playouts of the game as it is know the hidden cards, and are much a matter of luck. Worlds, in
    # which these cards are drawn anew so that they explain what the opponent did, average that out.
    # How the opponent plays must be known to draw them, so they are for Hard alone.
    is_in_worlds = settings.worlds > 0 and players.opponents[opponent]["kind"] == HARD
    start, n_rounds = int64(0), int64(1)
    if is_in_worlds:
        rebuild(r, v, games[2])
        begin_worlds(v, random, world)
        seat, start, n_rounds = int64(ME), int64(2), int64(settings.worlds)
    stakes, when = weigh_stakes(r, v), (int64(v["n_turns"]), settings)
    scale = stakes.slope / unit / n_rounds
    values[:] = 0.0
    for _ in range(n_rounds):
        if is_in_worlds:
            next_world(v, random, world)
        for k in range(n):
            games[1] = games[start]
            # The opponent goes on as it would have: with its own memory and random word.
            scratch.memories[1] = scratch.memories[0]
            if is_in_worlds:
                fill_in(games[1], world.cards)
            apply(r, games[1], trials.candidates[place, k])
            values[k] += scale * _play_out(scratch, players, (opponent, seat), when, stakes)


@kernel
def _play_out(
    scratch: Scratch,
    players: Players,
    who: tuple[int, int],
    when: tuple[int, Settings],
    stakes: Stakes,
) -> float:
    """Play a hand on. Returns float64: what it was worth to the learner, as `worth` says.

    Args:
        scratch: The game at place 1 is played.
        players: Who plays.
        who: The opponent, and the learner's seat.
        when: Turns played before the playout, and how it is played.
        stakes: What points are worth to the learner.
    """
    opponent, seat = who
    turn, settings = when
    foe = players.opponents[opponent]
    r, t, v = scratch.setup[0]["rules"], scratch.games[1], scratch.views[1]
    last = turn + settings.horizon
    while t["phase"] != OVER:
        # The value was fitted to games of Hard: against others it misleads. Where it applies, it
        # has a quarter of the variance of a hand's end at less than half the cost.
        if foe["kind"] == HARD and t["n_turns"] >= last and t["phase"] == DRAW_PHASE:
            return expect(r, t, seat, stakes, scratch.room)
        look(r, t, t["to_move"], v)
        if t["to_move"] != seat:
            apply(r, t, choose(foe, r, v, scratch.memories[1]))
        elif t["n_turns"] < turn + settings.own_turns:
            # Were Hard to go on at once, waiting with a knock would look good, since Hard knocks
            # at the next turn; a policy that then waits again and again loses.
            apply(r, t, _decide(scratch, players, v, scratch.observation, scratch.mask))
        else:
            apply(r, t, act_hard(players.hard, r, v))
    points = float(t["hand_end"]["points"])
    return worth(stakes, points if seat == 0 else -points)
