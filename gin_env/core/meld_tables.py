"""Tables for `gin_env.core.melds`: runs of one suit, and the ways to take sets."""

from itertools import product

import numpy as np

from gin_env.core.cards import N_RANKS, N_SUITS, SUIT_BITS, SUIT_POINTS

MAX_CHOICES = 6 * 6 * 2
"""Of which cards go into sets: eleven cards can hold two ranks in full and a third three times."""

MAX_DEADWOOD = 110
"""No eleven cards are worth more points than this."""


def _build_run_bits() -> np.ndarray:
    """The ranks that lie in a block of three or more, per set of ranks. Shape [8192], int16."""
    patterns = np.arange(SUIT_BITS + 1)
    middles = patterns & patterns << 1 & patterns >> 1
    return (middles | middles << 1 | middles >> 1).astype(np.int16)


def _build_set_choices() -> tuple[np.ndarray, np.ndarray]:
    """The ways to take a set from one rank.

    By the suits that hold it, and the suits whose card must go into a set (`_rank_key`): every set
    takes the cards that must, and where those make a set by themselves there is no way without one.

    Returns:
        How many ways there are (shape [256], int64), and the cards of each at rank ace (shape
        [256, 6], int64; fewest cards first).
    """
    n_choices = np.zeros(256, np.int64)
    choices = np.zeros((256, 6), np.int64)
    for held, must in product(range(16), repeat=2):
        sets = [part for part in range(16) if part | held == held and part.bit_count() >= 3]
        ways = [part for part in sets if part & must == must & held]
        ways = sorted(ways, key=lambda part: (part.bit_count(), part))
        if (must & held).bit_count() < 3:
            ways.insert(0, 0)
        key = held << 4 | must
        n_choices[key] = len(ways)
        for index, way in enumerate(ways):
            choices[key, index] = sum(
                1 << suit * N_RANKS for suit in range(N_SUITS) if way >> suit & 1
            )
    return n_choices, choices


def _build_choice_digits() -> np.ndarray:
    """Which choice of each of three ranks makes up each combined one.

    Returns:
        Shape [125, 72], int16, three octal digits: by the kinds of the three ranks (see
        `CHOICE_KIND`), then by the index of the combined choice.
    """
    sizes = sorted(set(N_SET_CHOICES.tolist()))
    digits = np.zeros((len(sizes) ** 3, MAX_CHOICES), np.int16)
    for kind, (n, n_second, n_third) in enumerate(product(sizes, repeat=3)):
        ways = [
            a | b << 3 | c << 6 for c in range(n_third) for b in range(n_second) for a in range(n)
        ]
        digits[kind, : len(ways)] = ways[:MAX_CHOICES]  # no eleven cards hold three full ranks
    return digits


def _build_best_drop() -> np.ndarray:
    """The most run deadwood that giving up one rank takes away, per set of ranks.

    Shape [8192], int16, points. Negative where all is melded and a run must break.
    """
    patterns = np.arange(SUIT_BITS + 1)
    best = np.full(SUIT_BITS + 1, -MAX_DEADWOOD, np.int16)
    for rank in range(N_RANKS):
        drop = RUN_DEADWOOD - RUN_DEADWOOD[patterns & ~(1 << rank)]
        best = np.where(patterns >> rank & 1, np.maximum(best, drop), best)
    return best.astype(np.int16)


RUN_BITS = _build_run_bits()
RUN_DEADWOOD = SUIT_POINTS - SUIT_POINTS[RUN_BITS]
"""Points of the ranks that no run covers, per set of ranks in one suit. Shape [8192], int16."""
BEST_DROP = _build_best_drop()
N_SET_CHOICES, SET_CHOICES = _build_set_choices()
CHOICE_KIND = np.unique(N_SET_CHOICES, return_inverse=True)[1]
"""Which of the possible numbers of ways a rank has: 0 for the smallest. Shape [256], int64."""
N_KINDS = int(CHOICE_KIND.max()) + 1
CHOICE_DIGITS = _build_choice_digits()
