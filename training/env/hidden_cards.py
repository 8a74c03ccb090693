"""What is hidden from a seat, as numbers for a privileged value."""

import numpy as np

from gin_env.core.cards import ALL_BITS, N_CARDS, spread
from gin_env.core.jit import kernel
from gin_env.core.melds import arrange, run_cards, run_deadwood
from gin_env.core.observe import POINTS_SCALE

# What `write_hidden` writes, one place per card id but for the last.
THEIR_HAND_AT = 0
THEIR_MELDED_AT = N_CARDS
STOCK_AT = 2 * N_CARDS
THEIR_DEADWOOD_AT = 3 * N_CARDS
HIDDEN_SIZE = THEIR_DEADWOOD_AT + 1


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
