"""What is kept of a hand and of a match, and the loops over games that an arena needs.

The rules are not here: the loops call the row kernels of `gin_env.core`.
"""

import numpy as np

from gin_env.core.jit import int64, kernel
from gin_env.core.match import LOT, begin, next_hand, play
from gin_env.core.state import NO_SEAT, OVER
from gin_env.core.step import legal_mask
from gin_env.core.view import look

NO_DEADWOOD = -1
"""In place of deadwood at the knock: nobody knocked."""

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
    ]
)
"""One match between A and B."""


@kernel
def begin_games(r: np.void, games: np.ndarray) -> None:
    """Begin an episode in every game (shape [B], `STATE_DTYPE`) from its random word."""
    for row in range(len(games)):
        begin(r, games[row], LOT)


@kernel
def look_rows(
    r: np.void, games: np.ndarray, rows: np.ndarray, views: np.ndarray, masks: np.ndarray
) -> None:
    """Write what the seats to move may know and do in some games.

    Args:
        r: The rules.
        games: Shape [B], `STATE_DTYPE`.
        rows: Shape [K], int64: which games.
        views: Shape [K], `VIEW_DTYPE`; written.
        masks: Shape [K, 108], int8; written.
    """
    for place in range(len(rows)):
        s, v = games[rows[place]], views[place]
        look(r, s, s["to_move"], v)
        legal_mask(r, v, masks[place])


@kernel
def play_rows(
    r: np.void, games: np.ndarray, rows: np.ndarray, actions: np.ndarray, hands: np.ndarray
) -> int:
    """Play one action in some games, write down the hands that end, and deal on in a match.

    Args:
        r: The rules.
        games: Shape [B], `STATE_DTYPE`.
        rows: Shape [K], int64: which games.
        actions: Shape [K], int64, all of them legal.
        hands: Shape [B], `HAND_DTYPE`; its first places are written, with the row as the pair and
            seats for players.

    Returns:
        int64: how many hands have ended.
    """
    n_ended = int64(0)
    for place in range(len(rows)):
        s = games[rows[place]]
        play(r, s, actions[place])
        if s["phase"] == OVER:
            hands[n_ended]["pair"] = rows[place]
            _write_hand(s, hands[n_ended])
            n_ended += 1
            if not s["is_episode_over"]:
                next_hand(r, s)
    return n_ended


@kernel
def _write_hand(s: np.void, hand: np.void) -> None:
    knocker = s["knocker"]
    hand["hand"] = s["n_hands"] - 1
    hand["dealer"] = s["dealer"]
    hand["ending"] = s["ending"]
    hand["knocker"] = knocker
    hand["winner"] = s["winner"]
    hand["points"] = s["points"]
    hand["paid"] = s["reward"]
    hand["n_turns"] = s["n_turns"]
    hand["deadwood"] = NO_DEADWOOD if knocker == NO_SEAT else s["deadwood"][knocker]
