"""Loops of training over games: lessons from a teacher, what is hidden, and drawing moves.

The rules are not here: the loops call the row kernels of `gin_env.core` and `gin_env.bots`.
"""

from math import exp
from typing import NamedTuple

import numpy as np

from gin_env.agents.forward import likeliest
from gin_env.bots.baselines import act_random
from gin_env.bots.choose import choose
from gin_env.bots.common import happens
from gin_env.core.cards import ALL_BITS, N_CARDS, spread
from gin_env.core.jit import inlined, int64, kernel
from gin_env.core.match import BY_RULES, advance, begin
from gin_env.core.melds import arrange, run_cards, run_deadwood
from gin_env.core.observe import POINTS_SCALE
from gin_env.core.rows import Arrays, encode_all
from gin_env.core.step import legal_mask
from gin_env.core.view import look

# What `write_hidden` writes, one place per card id but for the last.
THEIR_HAND_AT = 0
THEIR_MELDED_AT = N_CARDS
STOCK_AT = 2 * N_CARDS
THEIR_DEADWOOD_AT = 3 * N_CARDS
HIDDEN_SIZE = THEIR_DEADWOOD_AT + 1

NO_ROOM = -1
"""In place of a number of lessons: the episode does not fit any more."""


class Lessons(NamedTuple):
    """Decisions of a teacher, in the order in which they were met."""

    observations: np.ndarray
    """Shape [L, N], float32, or [L, N + 157] with what is hidden."""
    masks: np.ndarray
    """Shape [L, 108], int8."""
    actions: np.ndarray
    """Shape [L], int64: what the teacher would do."""
    seats: np.ndarray
    """Shape [L], int64: who decides."""
    returns: np.ndarray
    """Shape [L], float32: points that this seat gained from here to the end of the episode."""


@kernel
def write_lessons(
    setup: np.ndarray,
    a: Arrays,
    teaching: tuple[np.void, np.ndarray, np.ndarray],
    random_moves: float,
    lessons: Lessons,
) -> int:
    """Play episodes of a teacher against itself for as long as they fit in whole.

    Args:
        setup: Shape [1], `SETUP_DTYPE`.
        a: The arrays of one game, which is begun.
        teaching: The teacher, a record of `BOT_DTYPE`; its memories at both seats, shape [2],
            `MEMORY_DTYPE`; and one more memory, shape [1], for the random moves.
        random_moves: Chance that a random legal move is played in place of the teacher's.
        lessons: Written from the first place on.

    Returns:
        int64: how many lessons were written.
    """
    n_whole = int64(0)
    while True:
        n_lessons = _write_episode(setup[0], a, teaching, random_moves, (n_whole, lessons))
        if n_lessons == NO_ROOM:
            return n_whole
        n_whole = n_lessons


@inlined
def _write_episode(
    plan: np.void,
    a: Arrays,
    teaching: tuple[np.void, np.ndarray, np.ndarray],
    random_moves: float,
    room: tuple[int, Lessons],
) -> int:
    """Write the lessons of one episode. Returns int64, lessons so far, or `NO_ROOM`."""
    r, s, v = plan["rules"], a.games[0], a.views[0]
    teacher, memories, lots = teaching
    first, lessons = room
    place = first
    begin(r, s, BY_RULES)
    while not s["is_episode_over"]:
        if place == len(lessons.actions):
            return int64(NO_ROOM)
        seat = s["to_move"]
        look(r, s, seat, v)
        legal_mask(r, v, lessons.masks[place])
        observation = lessons.observations[place]
        encode_all(plan, v, observation)
        if len(observation) > a.observations.shape[1]:
            write_hidden(s, seat, observation, a.observations.shape[1])
        action = choose(teacher, r, v, memories[seat])
        lessons.actions[place] = action
        lessons.seats[place] = seat
        if happens(lots[0], random_moves):
            action = act_random(r, v, lots[0])
        advance(r, s, action)
        lessons.returns[place] = s["reward"]
        place += 1
    _sum_up(lessons, first, place)
    return place


@inlined
def _sum_up(lessons: Lessons, first: int, end: int) -> None:
    """Turn what each move of an episode paid to seat 0 into what was still to come for its seat."""
    to_come = np.float32(0.0)
    for place in range(end - 1, first - 1, -1):
        to_come += lessons.returns[place]
        lessons.returns[place] = to_come if lessons.seats[place] == 0 else -to_come


class Progress(NamedTuple):
    """What a learner's episodes have come to, by row. Shape [B], int64 each."""

    met: np.ndarray
    """Whom the learner meets: a place in a list of opponents."""
    points: np.ndarray
    """What it has won in this episode."""
    n_decisions: np.ndarray
    carried: np.ndarray
    """Points from before its first decision: the next step tells of them."""


class Outcome(NamedTuple):
    """What a step has brought the learner. Shape [B] each, int64 but for ``is_over``, bool.

    The last three are filled in where an episode of the learner's is over.
    """

    points: np.ndarray
    is_over: np.ndarray
    total: np.ndarray
    """Points of the episode."""
    n_decisions: np.ndarray
    seat: np.ndarray


class Tally(NamedTuple):
    """What became of the episodes against each opponent. Shape [K], int64 each."""

    episodes: np.ndarray
    points: np.ndarray
    """The learner's."""
    won: np.ndarray
    """Episodes that brought the learner points."""


def make_outcome(n_games: int) -> Outcome:
    """The outcome of a step that has brought nothing yet."""
    points, *last = (np.zeros(n_games, np.int64) for _ in range(4))
    return Outcome(points, np.zeros(n_games, bool), *last)


def make_tally(n_opponents: int) -> Tally:
    """A tally without an episode."""
    return Tally(*(np.zeros(n_opponents, np.int64) for _ in Tally._fields))


@kernel
def enter_step(
    a: Arrays,
    moved: tuple[np.ndarray, np.ndarray],
    progress: Progress,
    outcome: Outcome,
    tally: Tally,
) -> None:
    """Enter what a table's last step has brought.

    An episode that ends before the learner has decided anything is not told of.

    Args:
        a: The table's.
        moved: Where a move was made, shape [B], bool; where the learner sat then, int64.
        progress: Likewise, and the others: written.
        outcome: What the learner is told.
        tally: What is counted.
    """
    rows, seats = moved
    for row in range(len(rows)):
        if not rows[row]:
            continue
        paid = a.rewards[row]
        if progress.n_decisions[row] == 0:
            progress.carried[row] += paid
            continue
        outcome.points[row] += paid
        progress.points[row] += paid
        if a.is_over[row]:
            points, met = progress.points[row], progress.met[row]
            outcome.is_over[row] = True
            outcome.total[row] = points
            outcome.n_decisions[row] = progress.n_decisions[row]
            outcome.seat[row] = seats[row]
            tally.episodes[met] += 1
            tally.points[met] += points
            tally.won[met] += points > 0


@kernel
def write_hidden(s: np.void, seat: int, out: np.ndarray, at: int) -> None:
    """Write what a seat cannot know.

    That is the other hand, which of it is melded, its deadwood (points / 100), and of each card in
    the stock 1 / (1 + draws before it).

    Args:
        s: The game.
        seat: From whom this is hidden.
        out: Float32, contiguous; 157 values from 0 to 1 are written.
        at: From which place on.
    """
    hand = s["hand"][1 - seat]
    sets = arrange(hand, ALL_BITS & ~(hand | s["pile_bits"] | s["removed"]))
    spread(hand, out, at + THEIR_HAND_AT)
    spread(sets | run_cards(hand & ~sets), out, at + THEIR_MELDED_AT)
    out[at + THEIR_DEADWOOD_AT] = min(run_deadwood(hand & ~sets) / POINTS_SCALE, 1.0)
    for card in range(N_CARDS):
        out[at + STOCK_AT + card] = 0.0
    first = N_CARDS - s["n_stock"]
    for place in range(first, N_CARDS):
        out[at + STOCK_AT + s["deck"][place]] = np.float32(1.0) / np.float32(1 + place - first)


@kernel
def write_hidden_rows(games: np.ndarray, seats: np.ndarray, out: np.ndarray, at: int) -> None:
    """`write_hidden` for many games.

    Args:
        games: Shape [B], `STATE_DTYPE`.
        seats: Shape [B], int64.
        out: Shape [B, N], float32, contiguous.
        at: From which place of each row on.
    """
    for row in range(len(games)):
        write_hidden(games[row], seats[row], out[row], at)


@kernel
def pick_rows(logits: np.ndarray, masks: np.ndarray, lots: np.ndarray, actions: np.ndarray) -> None:
    """Draw legal actions, each with the chance that a network gives it.

    Args:
        logits: Shape [K, 108], float32.
        masks: Shape [K, 108], int8; each row has a legal action.
        lots: Shape [K], float64, from 0 to 1; below 0 for the likeliest action instead.
        actions: Shape [K], int64; written.
    """
    for row in range(len(lots)):
        actions[row] = _pick(logits[row], masks[row], lots[row])


@inlined
def _pick(logits: np.ndarray, mask: np.ndarray, lot: float) -> int:
    best = likeliest(logits, mask)
    if lot < 0:
        return best
    total = 0.0
    for action in range(len(mask)):
        if mask[action]:
            total += exp(logits[action] - logits[best])
    left = lot * total
    for action in range(len(mask)):
        if mask[action]:
            left -= exp(logits[action] - logits[best])
            if left < 0:
                return action
    return best
