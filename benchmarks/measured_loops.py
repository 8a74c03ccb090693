"""The loops that are measured, and random legal choice. The rules are not here.

They take arrays of one record where a record alone would do: numba unpacks those faster.
"""

from typing import NamedTuple

import numpy as np

from gin_env.bots.choose import choose
from gin_env.core.actions import N_ACTIONS
from gin_env.core.cards import count, lowest
from gin_env.core.jit import int64, kernel
from gin_env.core.match import BY_RULES, advance, begin
from gin_env.core.melds import arrange, deadwood, deadwood_after
from gin_env.core.observe import EXTRAS, encode_extras, extras_bits
from gin_env.core.rows import encode_rows
from gin_env.core.state import draw_below, next_word
from gin_env.core.step import legal_mask
from gin_env.core.view import look

N_QUADS = N_ACTIONS // 4
ALL_EXTRAS = extras_bits(EXTRAS)


class BotTable(NamedTuple):
    """Games that bots play at both seats."""

    games: np.ndarray
    """Shape [B], `STATE_DTYPE`."""
    views: np.ndarray
    """Shape [B], `VIEW_DTYPE`: of the seat to move."""
    memories: np.ndarray
    """Shape [B, 2], `MEMORY_DTYPE`: of the bot at each seat."""


def as_quads(masks: np.ndarray) -> np.ndarray:
    """The same masks, four actions to a number. Shape [B, 27], uint32."""
    return masks.view("<u4")


@kernel
def choose_at_random(quads: np.ndarray, words: np.ndarray, actions: np.ndarray) -> int:
    """Choose a legal action in every game that has one, each with the same chance.

    Args:
        quads: Shape [B, 27], uint32: what `as_quads` makes of masks.
        words: Shape [B], uint64: random words; they move on.
        actions: Shape [B], int64; written.

    Returns:
        int64: how many games had a legal action.
    """
    n_chosen = int64(0)
    for row in range(len(quads)):
        n_legal = int64(0)
        for place in range(N_QUADS):
            n_legal += count(quads[row, place])
        if n_legal > 0:
            words[row] = next_word(words[row])
            actions[row] = _nth_action(quads[row], draw_below(words[row], n_legal))
            n_chosen += 1
    return n_chosen


@kernel
def _nth_action(quads: np.ndarray, n: int) -> int:
    place, n_here = 0, count(quads[0])
    while n >= n_here:
        n -= n_here
        place += 1
        n_here = count(quads[place])
    ones = int64(quads[place])
    for _ in range(n):
        ones &= ones - 1
    return 4 * place + lowest(ones) // 8


@kernel
def play_hands(rules: np.ndarray, bot: np.ndarray, table: BotTable, n_hands: int) -> int:
    """Play hands of a bot against itself, from the deal to the settlement.

    Args:
        rules: Shape [1], `RULES_DTYPE`, of single hands.
        bot: Shape [1], `BOT_DTYPE`.
        table: The games.
        n_hands: How many in every game.

    Returns:
        int64: how many decisions it took.
    """
    r, b = rules[0], bot[0]
    n_decisions = int64(0)
    for _ in range(n_hands):
        for row in range(len(table.games)):
            s, v = table.games[row], table.views[row]
            begin(r, s, BY_RULES)
            while not s["is_episode_over"]:
                seat = int64(s["to_move"])
                look(r, s, seat, v)
                advance(r, s, choose(b, r, v, table.memories[row, seat]))
                n_decisions += 1
    return n_decisions


@kernel
def sum_deadwood(hands: np.ndarray) -> int:
    """The deadwood of some hands together. ``hands``: shape [K], int64. Returns int64, points."""
    total = int64(0)
    for place in range(len(hands)):
        total += deadwood(hands[place])
    return total


# The parts of a step, each over all games.


@kernel
def advance_games(rules: np.ndarray, games: np.ndarray, actions: np.ndarray) -> None:
    """Play an action in every game; one that it ends is dealt anew."""
    r = rules[0]
    for row in range(len(games)):
        advance(r, games[row], actions[row])
        if games[row]["is_episode_over"]:
            begin(r, games[row], BY_RULES)


@kernel
def look_at_games(rules: np.ndarray, games: np.ndarray, views: np.ndarray) -> None:
    """Write what the seats to move may know."""
    for row in range(len(games)):
        look(rules[0], games[row], int64(games[row]["to_move"]), views[row])


@kernel
def work_out_melds(views: np.ndarray, after: np.ndarray) -> int:
    """The melds and deadwoods that every view holds, once more. ``after``: shape [52], int16."""
    total = int64(0)
    for row in range(len(views)):
        v = views[row]
        total += arrange(v["hand"], v["unseen"])
        if v["discard_candidates"]:
            deadwood_after(v["discard_candidates"], after)
    return total


@kernel
def mask_games(rules: np.ndarray, views: np.ndarray, masks: np.ndarray) -> None:
    """Write the legal actions."""
    for row in range(len(views)):
        legal_mask(rules[0], views[row], masks[row])


@kernel
def encode_extra_blocks(views: np.ndarray, observations: np.ndarray) -> None:
    """Write the optional blocks behind the observations."""
    for row in range(len(views)):
        encode_extras(views[row], ALL_EXTRAS, observations[row])


@kernel
def encode_again(
    setup: np.ndarray, views: np.ndarray, observations: np.ndarray, n_rounds: int
) -> None:
    """Write the same observations over and over; see `encode_rows`."""
    for _ in range(n_rounds):
        encode_rows(setup, views, observations)


@kernel
def do_nothing(_argument: np.ndarray) -> int:
    """What a call from Python costs by itself."""
    return 0


@kernel
def begin_games(r: np.void, games: np.ndarray) -> None:
    """Begin an episode in every game (shape [B], `STATE_DTYPE`) from its random word."""
    for row in range(len(games)):
        begin(r, games[row], BY_RULES)
