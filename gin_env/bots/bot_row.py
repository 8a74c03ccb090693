"""What a bot is to a kernel: a record of its kind and options, and a memory of its own."""

import numpy as np

from gin_env.core.actions import N_ACTIONS
from gin_env.core.cards import N_CARDS
from gin_env.core.state import seed_words

MEMORY_STREAM = 1
"""Stream of `seed_words` for the choices of bots; seat ``n`` takes this plus ``n``."""


OPTION_NAMES = (
    "mistakes",
    "meld_weight",
    "slack",
    "go_on_weight",
    "go_on_decay",
    "danger_weight",
    "knock_turns",
    "closing",
    "worlds",
    "milliseconds",
    "turns",
)
"""Every option that some bot has; `gin_env.bots.choose.KINDS` says which, and what it means."""

BOT_DTYPE = np.dtype([("kind", np.int64), *((name, np.float64) for name in OPTION_NAMES)])

_MASK_ROOM = -(-N_ACTIONS // 8) * 8  # whole words, so that the record has no gap

MEMORY_DTYPE = np.dtype(
    [
        ("rng_state", np.uint64),  # the bot's own random word
        ("tried", np.int64, N_CARDS),  # per card drawn in this hand: cards discarded for it
        ("mask", np.int8, _MASK_ROOM),  # for the legal actions
    ],
    align=True,
)


def make_memories(seeds: np.ndarray, seat: int) -> np.ndarray:
    """Fresh memories for the bots at one seat of some games.

    Args:
        seeds: Shape [B], uint64: the games' seeds.
        seat: 0 or 1; bots at the two seats choose independently.

    Returns:
        Shape [B], `MEMORY_DTYPE`.
    """
    memories = np.zeros(len(seeds), MEMORY_DTYPE)
    memories["rng_state"] = seed_words(seeds, MEMORY_STREAM + seat)
    return memories
