"""The state of one game: one structured record, its phases and endings, and the random word."""

from enum import IntEnum
from typing import cast

import numpy as np

from gin_env.core.cards import N_CARDS
from gin_env.core.jit import int64, kernel

N_SEATS = 2
NO_CARD = -1
NO_SEAT = -1


class Phase(IntEnum):
    """What the seat to move has to decide."""

    OFFER = 0
    """Take or pass the upcard of a fresh deal."""
    DRAW = 1
    """Draw from the stock or take the top of the pile."""
    DISCARD = 2
    """Discard, knock, or declare big gin."""
    OVER = 3
    """The hand has ended."""


class Ending(IntEnum):
    """How a hand ended."""

    NONE = 0
    DEAD = 1
    KNOCK = 2
    UNDERCUT = 3
    GIN = 4
    BIG_GIN = 5
    PUSH = 6
    FORFEIT = 7


ENDING_NAMES = tuple(ending.name.lower() for ending in Ending)
"""What infos call them."""


class PileStatus(IntEnum):
    """Whether the top of the pile may be taken."""

    OPEN = 0
    CLOSED_ONCE = 1
    """For the draw right after two passes."""
    CLOSED = 2
    """For the rest of the hand."""


# Kernels read plain ints: numba takes an IntEnum member for a different type than its value.
OFFER, DRAW_PHASE, DISCARD_PHASE, OVER = (int(phase) for phase in Phase)
N_PHASES = len(Phase)

# Fields lie so that no record has gaps, whose bytes copies would leave to chance.

HAND_END_DTYPE = np.dtype(
    [
        # What lay on the table. Sets of cards are masks; index 0 and 1 are the seats.
        ("hand", np.int64, N_SEATS),  # cards held
        ("out_of_play", np.int64),  # the pile, and a declined upcard that left the game
        ("sets", np.int64, N_SEATS),  # set cards of the arrangements shown; 0 where nobody knocked
        ("laid_off", np.int64),  # the defender's cards on the knocker's melds
        ("deadwood", np.int32, N_SEATS),  # after layoffs; 0 where nobody knocked
        # What happened.
        ("ending", np.int32),  # `Ending`; NONE where no hand of this episode has ended
        ("knocker", np.int32),  # who ended it with a knock, gin or big gin, or NO_SEAT
        ("winner", np.int32),  # or NO_SEAT
        ("dealer", np.int32),  # of this hand
        ("n_turns", np.int32),  # turns played by both seats
        ("factor", np.int32),  # 2 where the hand counts twice (Oklahoma), else 1
        ("penalty", np.int32),  # points that a forfeit cost
        # Its price, and the match after it.
        ("points", np.int32),  # hand points to seat 0 (negative: to seat 1)
        ("paid", np.int32),  # to seat 0: the points, and the match's bonuses that came with them
        ("totals", np.int32, N_SEATS),  # running totals, points
        ("match_winner", np.int32),  # whoever won the match with this hand, or NO_SEAT
    ],
    align=True,
)
"""How a hand ended."""

STATE_DTYPE = np.dtype(
    [
        ("rng_state", np.uint64),  # the random word; only dealing advances it
        # The hand. Sets of cards are masks; index 0 and 1 are the seats.
        ("hand", np.int64, N_SEATS),  # cards held
        ("known", np.int64, N_SEATS),  # of these, taken openly: the other seat knows them
        ("shed", np.int64, N_SEATS),  # taken openly and discarded again
        ("declined", np.int64, N_SEATS),  # face-up cards that the seat could have taken and did not
        ("discarded", np.int64, N_SEATS),  # cards that the seat has discarded
        ("pile_bits", np.int64),  # all cards of the pile
        ("removed", np.int64),  # the declined upcard, where it leaves the game
        ("hand_end", HAND_END_DTYPE),  # how the last hand ended, until the next one ends
        ("discard_turn", np.int16, (N_SEATS, N_CARDS)),  # turns played when last discarded; 0 never
        ("deck", np.int8, N_CARDS),  # as shuffled: seat 0, seat 1, upcard, stock in drawing order
        ("pile", np.int8, N_CARDS),  # bottom to top
        ("n_pile", np.int32),
        ("n_stock", np.int32),
        ("phase", np.int32),
        ("to_move", np.int32),
        ("dealer", np.int32),
        ("n_passes", np.int32),  # of the upcard offer
        ("pile_status", np.int32),
        ("drawn", np.int32),  # card drawn in this turn, or NO_CARD
        ("is_drawn_open", np.int32),  # it came from the pile
        ("n_turns", np.int32),  # turns completed by both seats
        ("n_own_turns", np.int32, N_SEATS),
        ("knock_limit", np.int32),  # of this hand (Oklahoma)
        ("is_doubled", np.int32),  # the hand counts twice: spade upcard (Oklahoma)
        # The match.
        ("totals", np.int32, N_SEATS),  # running totals, points
        ("hands_won", np.int32, N_SEATS),
        ("n_hands", np.int32),  # hands ended
        ("match_winner", np.int32),
        ("is_episode_over", np.int32),
        ("reward", np.int32),  # what the last action paid to seat 0, match bonuses included
    ],
    align=True,
)

UPCARD_PLACE = 20
STOCK_PLACE = UPCARD_PLACE + 1
STOCK_SIZE = N_CARDS - STOCK_PLACE

# The random word: xorshift64 (Marsaglia 2003), seeded through splitmix64 (Steele et al. 2014).

_U13, _U7, _U17, _U32 = (cast("int", np.uint64(n)) for n in (13, 7, 17, 32))
_GOLDEN = 0x9E3779B97F4A7C15
_WORD_MASK = (1 << 64) - 1


@kernel
def next_word(word: int) -> int:
    """The random word after ``word``. Both are uint64 and never 0."""
    word ^= word << _U13
    word ^= word >> _U7
    return word ^ (word << _U17)


@kernel
def draw_below(word: int, n: int) -> int:
    """A whole number from 0 to n - 1 out of a random word. Returns int64."""
    return int64((word >> _U32) * np.uint64(n) >> _U32)


def seed_words(seeds: np.ndarray, stream: int = 0) -> np.ndarray:
    """Random words for seeds; neighbouring seeds and streams give unrelated words.

    Args:
        seeds: Shape [B], uint64.
        stream: What the words are for; 0 deals.

    Returns:
        Shape [B], uint64, none of them 0.
    """
    words = np.atleast_1d(np.asarray(seeds, np.uint64))
    for salt in (stream, 0):
        words = words + np.uint64((salt + 1) * _GOLDEN & _WORD_MASK)
        words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        words = words ^ (words >> np.uint64(31))
    return np.where(words == 0, np.uint64(_GOLDEN), words)
