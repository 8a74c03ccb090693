"""What is kept of a hand and of a match, and the loops over games that an arena needs.

The rules are not here: the loops call the row kernels of `gin_env.core`.
"""

from typing import NamedTuple

import numpy as np

from eval.games.control_variate import draw_luck
from gin_env.bots.choose import choose
from gin_env.core.jit import inlined, int64, kernel
from gin_env.core.match import BY_RULES, begin, next_hand, play, play_forfeit
from gin_env.core.state import NO_SEAT, OVER
from gin_env.core.step import legal_mask
from gin_env.core.view import look
from gin_env.players.protocol import FORFEIT

NO_DEADWOOD = -1
"""In place of deadwood at the knock: nobody knocked."""

FORFEIT_PENALTY = 50
"""Points that a forfeited hand costs."""

HAND_DTYPE = np.dtype(
    [
        ("seed", np.uint64),  # of the game: `gin_env.Game.deal(rules, seed=...)` deals it again
        ("pair", np.int64),
        ("seat_of_a", np.int8),  # 0 in the first game of a pair, 1 in the second
        ("hand", np.int16),  # which hand of its match, from 0
        ("dealer", np.int8),  # 0 is A, 1 is B; likewise knocker and winner
        ("ending", np.int8),  # `gin_env.core.state.Ending`
        ("knocker", np.int8),  # -1 for none
        ("winner", np.int8),  # -1 for none
        ("points", np.int32),  # to A; what the hand is worth
        ("paid", np.int32),  # to A; the same with the bonuses of the match that came with it
        ("n_turns", np.int16),  # of both seats
        ("deadwood", np.int16),  # the knocker's, or `NO_DEADWOOD`
        (
            "luck",
            np.float64,
        ),  # points to A that the draws from the stock brought
    ]
)
"""One hand between A and B."""

MATCH_DTYPE = np.dtype(
    [
        ("seed", np.uint64),
        ("pair", np.int64),
        ("seat_of_a", np.int8),
        ("winner", np.int8),  # 0 is A, 1 is B
        ("points", np.int32),  # to A; all bonuses included
        ("n_hands", np.int16),
        ("luck", np.float64),  # of its hands
    ]
)
"""One match between A and B."""


class Games(NamedTuple):
    """Games, and room for what the loops over them write."""

    states: np.ndarray
    """Shape [B], `STATE_DTYPE`."""
    luck: np.ndarray
    """Shape [B], float64: the luck of the hand being played so far, points to seat 0."""
    views: np.ndarray
    """Shape [B], `VIEW_DTYPE`."""
    masks: np.ndarray
    """Shape [B, 108], int8."""
    ended: np.ndarray
    """Shape [B], `HAND_DTYPE`: hands that have ended, with the row as the pair and seats for
    players."""


@kernel
def begin_games(r: np.void, games: np.ndarray) -> None:
    """Begin an episode in every game (shape [B], `STATE_DTYPE`) from its random word."""
    for row in range(len(games)):
        begin(r, games[row], BY_RULES)


@kernel
def look_rows(r: np.void, g: Games, rows: np.ndarray) -> None:
    """Write what the seats to move may know and do into the first views and masks.

    Args:
        r: The rules.
        g: The games; K views and masks are written.
        rows: Shape [K], int64: which games.
    """
    for place in range(len(rows)):
        s, v = g.states[rows[place]], g.views[place]
        look(r, s, s["to_move"], v)
        legal_mask(r, v, g.masks[place])


@kernel
def play_rows(r: np.void, g: Games, rows: np.ndarray, actions: np.ndarray) -> int:
    """Play one action in some games, and write down the hands that end.

    Args:
        r: The rules.
        g: The games; the first places of ``ended`` are written.
        rows: Shape [K], int64: which games.
        actions: Shape [K], int64, all of them legal, or `FORFEIT`.

    Returns:
        int64: how many hands have ended.
    """
    n_ended = int64(0)
    for place in range(len(rows)):
        row = rows[place]
        _play(r, g, row, actions[place])
        if g.states[row]["phase"] == OVER:
            _write_hand(g, row, g.ended[n_ended])
            n_ended += 1
    return n_ended


@kernel
def deal_on(r: np.void, g: Games, rows: np.ndarray) -> None:
    """Deal the next hand in those of some games (shape [K], int64) whose match goes on."""
    for place in range(len(rows)):
        s = g.states[rows[place]]
        if not s["is_episode_over"]:
            next_hand(r, s)


@kernel
def play_bots(r: np.void, bots: np.ndarray, memories: np.ndarray, g: Games, row: int) -> None:
    """Play a hand between two bots to its end, and write it down; deal it if the last one is over.

    Args:
        r: The rules.
        bots: Shape [2], `BOT_DTYPE`: at seat 0, at seat 1.
        memories: Shape [2, B], `MEMORY_DTYPE`.
        g: The games; the first place of ``ended`` is written.
        row: Which game.
    """
    s, v = g.states[row], g.views[row]
    if s["phase"] == OVER:
        next_hand(r, s)
    while s["phase"] != OVER:
        seat = s["to_move"]
        look(r, s, seat, v)
        _play(r, g, row, choose(bots[seat], r, v, memories[seat, row]))
    _write_hand(g, row, g.ended[0])


@inlined
def _play(r: np.void, g: Games, row: int, action: int) -> None:
    s = g.states[row]
    if action == FORFEIT:
        play_forfeit(r, s, FORFEIT_PENALTY)
    else:
        g.luck[row] += draw_luck(r, s, action)
        play(r, s, action)


@inlined
def _write_hand(g: Games, row: int, hand: np.void) -> None:
    s = g.states[row]
    knocker = s["knocker"]
    hand["pair"] = row
    hand["hand"] = s["n_hands"] - 1
    hand["dealer"] = s["dealer"]
    hand["ending"] = s["ending"]
    hand["knocker"] = knocker
    hand["winner"] = s["winner"]
    hand["points"] = s["points"]
    hand["paid"] = s["reward"]
    hand["n_turns"] = s["n_turns"]
    hand["deadwood"] = NO_DEADWOOD if knocker == NO_SEAT else s["deadwood"][knocker]
    hand["luck"] = g.luck[row]
    g.luck[row] = 0.0
