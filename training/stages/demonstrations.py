"""A teacher's games against itself, written down as demonstrations."""

from typing import NamedTuple

import numpy as np

from gin_env.bots.baselines import act_random
from gin_env.bots.choose import choose
from gin_env.bots.common import happens
from gin_env.core.jit import inlined, int64, kernel
from gin_env.core.match import BY_RULES, advance, begin
from gin_env.core.rows import Arrays, encode_all
from gin_env.core.step import legal_mask
from gin_env.core.view import look
from training.env.hidden_cards import write_hidden

NO_ROOM = -1
"""In place of a number of demonstrations: the episode does not fit any more."""


class Demonstrations(NamedTuple):
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
def write_demonstrations(
    setup: np.ndarray,
    a: Arrays,
    teaching: tuple[np.void, np.ndarray, np.ndarray],
    random_moves: float,
    out: Demonstrations,
) -> int:
    """Play episodes of a teacher against itself for as long as they fit in whole.

    Args:
        setup: Shape [1], `SETUP_DTYPE`.
        a: The arrays of one game, which is begun.
        teaching: The teacher, a record of `BOT_DTYPE`; its memories at both seats, shape [2],
            `MEMORY_DTYPE`; and one more memory, shape [1], for the random moves.
        random_moves: Chance that a random legal move is played in place of the teacher's.
        out: Written from the first place on.

    Returns:
        int64: how many demonstrations were written.
    """
    n_whole = int64(0)
    while True:
        end = _write_episode(setup[0], a, teaching, random_moves, (n_whole, out))
        if end == NO_ROOM:
            return n_whole
        n_whole = end


@inlined
def _write_episode(
    setup: np.void,
    a: Arrays,
    teaching: tuple[np.void, np.ndarray, np.ndarray],
    random_moves: float,
    room: tuple[int, Demonstrations],
) -> int:
    """Write one episode. Returns int64: demonstrations so far, or `NO_ROOM`."""
    r, s, v = setup["rules"], a.games[0], a.views[0]
    teacher, memories, random = teaching
    first, out = room
    place = first
    begin(r, s, BY_RULES)
    while not s["is_episode_over"]:
        if place == len(out.actions):
            return int64(NO_ROOM)
        seat = s["to_move"]
        look(r, s, seat, v)
        legal_mask(r, v, out.masks[place])
        observation = out.observations[place]
        encode_all(setup, v, observation)
        if len(observation) > a.observations.shape[1]:
            write_hidden(s, seat, observation, a.observations.shape[1])
        action = choose(teacher, r, v, memories[seat])
        out.actions[place], out.seats[place] = action, seat
        # The teacher's own move is learned, but a random one is played now and then: so it is also
        # seen to get out of positions that it would not have got into.
        if happens(random[0], random_moves):
            action = act_random(r, v, random[0])
        advance(r, s, action)
        out.returns[place] = s["reward"]
        place += 1
    _sum_up(out, first, place)
    return place


@inlined
def _sum_up(out: Demonstrations, first: int, end: int) -> None:
    """Turn what each move of an episode paid to seat 0 into what was still to come for its seat."""
    to_come = np.float32(0.0)
    for place in range(end - 1, first - 1, -1):
        to_come += out.returns[place]
        out.returns[place] = to_come if out.seats[place] == 0 else -to_come
