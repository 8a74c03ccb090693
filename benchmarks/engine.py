"""The engine by itself: batches, bots inside kernels, deadwood, memory."""

from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any

import gymnasium
import numpy as np

from benchmarks.figures import Effort, Figure, cost, rate
from benchmarks.measured_loops import BotTable, play_hands, sum_deadwood
from benchmarks.random_play import SEED, BatchPlay, measure_play
from benchmarks.timing import repeat
from gin_env import bots
from gin_env.bots.bot_row import BOT_DTYPE, make_memories
from gin_env.core.batch import Batch
from gin_env.core.cards import N_CARDS, N_RANKS, N_SUITS
from gin_env.core.rules import RULES_DTYPE, Rules
from gin_env.core.state import N_SEATS, STATE_DTYPE, seed_words
from gin_env.core.view import VIEW_DTYPE

BATCH_SIZES = (1, 64, 1024, 8192)
N_GAMES = 1024
N_BOT_GAMES = 64
N_HANDS = 1 << 16
"""Too many for a branch predictor to learn."""


def measure_random(effort: Effort) -> Iterator[Figure]:
    """Random legal play with masks and full observations."""
    for n_games in BATCH_SIZES:
        played = measure_play(BatchPlay(n_games), effort)
        name, work = f"random_{n_games}", f"random legal play, batch of {n_games}"
        yield rate(name, work, "decisions/s", played.chosen)
        yield rate(f"{name}_known", f"{work}, without the choosing", "decisions/s", played.known)


def measure_hands(effort: Effort) -> Iterator[Figure]:
    """Whole hands of the simple bot, settled."""
    bots_play = _make_bots_play("simple")

    def play(n_hands: int) -> int:
        bots_play(n_hands)
        return n_hands * N_BOT_GAMES

    yield rate("hands_simple", "simple against simple, settled", "hands/s", repeat(play, *effort))


def measure_hard(effort: Effort) -> Iterator[Figure]:
    """Decisions of the hard bot, the game included."""
    bots_play = _make_bots_play("hard")
    yield rate("hard", "hard against hard", "decisions/s", repeat(bots_play, *effort))


def measure_deadwood(effort: Effort) -> Iterator[Figure]:
    """Exact deadwood."""
    rng = Random(SEED)
    sets_of_hands = {
        "random": ("random ten cards", [random_hand(rng, 10) for _ in range(N_HANDS)]),
        "dense": ("meld-dense eleven cards", [dense_hand(rng, 11) for _ in range(N_HANDS)]),
    }
    for name, (words, drawn) in sets_of_hands.items():
        hands = np.array(drawn, np.int64)

        def play(n_rounds: int, hands: np.ndarray = hands) -> int:
            for _ in range(n_rounds):
                sum_deadwood(hands)
            return n_rounds * len(hands)

        yield cost(f"deadwood_{name}", f"exact deadwood, {words}", repeat(play, *effort))


def measure_memory(_effort: Effort) -> Iterator[Figure]:
    """Bytes of a game."""
    batch = Batch(N_GAMES)
    envs = gymnasium.make_vec("gin_env/GinRummy-v0", num_envs=N_GAMES)
    held = {
        "memory_batch": ("a game in a batch, with its buffers", batch),
        "memory_vector": ("a game in a VectorEnv, with its buffers and spaces", envs),
    }
    for name, (work, thing) in held.items():
        size = count_bytes(thing) / N_GAMES
        yield Figure(name=name, work=work, unit="bytes", repetitions=(size,))


def random_hand(rng: Random, size: int) -> int:
    """Any cards, each hand equally likely. Returns their mask."""
    return _bits(rng.sample(range(N_CARDS), size))


def dense_hand(rng: Random, size: int) -> int:
    """Cards that meld in many ways: a few neighbouring ranks, or melds thrown together."""
    if rng.random() < 0.5:
        n_ranks = rng.randint(3, 6)
        low = rng.randint(0, N_RANKS - n_ranks)
        near = [suit * N_RANKS + low + rank for suit in range(N_SUITS) for rank in range(n_ranks)]
        return _bits(rng.sample(near, size))
    held: set[int] = set()
    while len(held) < size:
        held |= _random_meld(rng)
    return _bits(rng.sample(sorted(held), size))


def count_bytes(thing: Any) -> int:
    """Bytes of all arrays that an object holds, spaces included, each counted once."""
    seen: set[int] = set()

    def count(part: Any) -> int:
        if id(part) in seen:
            return 0
        seen.add(id(part))
        if isinstance(part, np.ndarray):
            return part.nbytes if part.base is None else count(part.base)
        if isinstance(part, (tuple, list)):
            return sum(map(count, part))
        package = type(part).__module__.partition(".")[0]
        is_known = package in ("gin_env", "gymnasium") and hasattr(part, "__dict__")
        return sum(map(count, vars(part).values())) if is_known else 0

    return count(thing)


def _make_bots_play(name: str) -> Callable[[int], int]:
    """Make games of a bot against itself: what plays so many hands and returns the decisions."""
    seeds = np.arange(N_BOT_GAMES, dtype=np.uint64)
    rules, bot = np.zeros(1, RULES_DTYPE), np.zeros(1, BOT_DTYPE)
    rules[0] = Rules.preset("standard").row("hand")
    bot[0] = bots.make(name).row
    memories = [make_memories(seeds, seat) for seat in range(N_SEATS)]
    table = BotTable(
        games=np.zeros(N_BOT_GAMES, STATE_DTYPE),
        views=np.zeros(N_BOT_GAMES, VIEW_DTYPE),
        memories=np.stack(memories, axis=1),
    )
    table.games["rng_state"] = seed_words(seeds)
    return partial(play_hands, rules, bot, table)


def _random_meld(rng: Random) -> set[int]:
    """Three to five neighbours of a suit, or three or four of a rank."""
    if rng.random() < 0.5:
        n_cards = rng.randint(3, 5)
        low = rng.randrange(N_SUITS) * N_RANKS + rng.randint(0, N_RANKS - n_cards)
        return set(range(low, low + n_cards))
    rank = rng.randrange(N_RANKS)
    suits = rng.sample(range(N_SUITS), rng.randint(3, 4))
    return {suit * N_RANKS + rank for suit in suits}


def _bits(cards: list[int]) -> int:
    return sum(1 << card for card in cards)
