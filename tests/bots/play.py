"""Games in batches, for tests: played by bots, or by somebody who chooses among what is legal."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

import numpy as np

from gin_env.bots.bot import Bot
from gin_env.bots.bot_row import MEMORY_DTYPE, make_memories
from gin_env.bots.choose import choose_rows
from gin_env.core.actions import DRAW, KNOCK, PASS, TAKE, action_text
from gin_env.core.batch import Batch
from gin_env.core.rules import Episode, Rules
from gin_env.core.state import Phase
from gin_env.core.step import apply
from tests.core.table import Table
from tests.reference.cards import ALL_CARDS, ids, rank, text


def somehow(rng: Random, view: np.void, mask: np.ndarray) -> int:
    """Some legal action: hands improve, are knocked with, and wander a little."""
    legal = np.flatnonzero(mask).tolist()
    if rng.random() < 0.2:
        return int(rng.choice(legal))
    if view["phase"] != Phase.DISCARD:
        least = view["deadwood_after"][view["deadwood_after"] >= 0].min(initial=999)
        return TAKE if TAKE in legal and least < view["deadwood"] else int(legal[0])
    knocks = [action for action in legal if KNOCK <= action < DRAW]
    if knocks:
        return int(rng.choice(knocks))
    return int(np.where(view["deadwood_after"] >= 0, view["deadwood_after"], 999).argmin())


def some_actions(batch: Batch, rngs: Sequence[Random]) -> np.ndarray:
    """`somehow` for every row that has a decision, -1 for the others. Shape [B], int64."""
    a = batch.arrays
    chosen = [
        -1 if is_over else somehow(rng, view, mask)
        for rng, view, mask, is_over in zip(
            rngs, a.views, a.masks, batch.is_episode_over, strict=True
        )
    ]
    return np.array(chosen, np.int64)


def make_quick(name: str) -> Bot:
    """A bot that takes no time to speak of: one that searches gets a small budget."""
    return Bot(name, {"worlds": 4} if name == "expert" else {})


def make_memory(seed: int = 1) -> np.void:
    """A bot's memory in the game of a seed."""
    memory: np.void = make_memories(np.array([seed], np.uint64), 0)[0]
    return memory


def kind_of(action: int) -> str:
    """The action without its card; "end" for one that ends the hand."""
    word = action_text(action).split()[0]
    return "end" if word in ("knock", "big") else word


class Step(NamedTuple):
    """The decisions of one step, all rows of a batch."""

    games: np.ndarray
    """Shape [B], `STATE_DTYPE`, before the step; likewise the others."""
    views: np.ndarray
    seats: np.ndarray
    masks: np.ndarray
    memories: tuple[np.ndarray, np.ndarray]
    """Of the bots at both seats, before they choose."""
    actions: np.ndarray


def bot_steps(
    batch: Batch, bots: tuple[Bot, Bot], seeds: np.ndarray, n_steps: int
) -> Iterator[Step]:
    """Let two bots play all rows of a batch, and hand out copies of what they decided."""
    batch.reset(seeds)
    memories = (make_memories(seeds, 0), make_memories(seeds, 1))
    a = batch.arrays
    for _ in range(n_steps):
        before = (memories[0].copy(), memories[1].copy())
        actions = bot_actions(batch, bots, memories)
        yield Step(a.games.copy(), a.views.copy(), a.seats.copy(), a.masks.copy(), before, actions)
        batch.step(actions)


def bot_actions(
    batch: Batch, bots: tuple[Bot, Bot], memories: tuple[np.ndarray, np.ndarray]
) -> np.ndarray:
    """What the bots at the two seats choose; their memories change. Shape [B], int64."""
    actions = np.full(len(batch), -1, np.int64)
    for seat, bot in enumerate(bots):
        rows = np.flatnonzero(batch.arrays.seats == seat)
        chosen, memory = actions[rows], memories[seat][rows]
        choose_rows(bot.row, batch.rules_row, batch.arrays.views[rows], memory, chosen)
        actions[rows], memories[seat][rows] = chosen, memory
    return actions


def ask(bot: Bot, record: np.void, view: np.void, memory: np.ndarray | None = None) -> int:
    """What a bot chooses in one view; ``memory``: shape [1], it changes."""
    views = np.array([view])
    actions = np.full(1, -1, np.int64)
    memories = np.zeros(1, MEMORY_DTYPE) if memory is None else memory
    if memory is None:
        memories["rng_state"] = 1
    choose_rows(bot.row, record, views, memories, actions)
    return int(actions[0])


def at_discard(rules: Rules, hand: str, drawn: str) -> Table:
    """Seat 0 holds ten cards and has drawn one from the stock; the others lie anyhow."""
    upcard, other = _others(f"{hand} {drawn}")
    table = Table.laid((hand, other), upcard, drawn, rules=rules)
    for action in (PASS, PASS, DRAW):
        apply(table.r, table.s, action)
    return table


def at_offer(rules: Rules, hand: str, upcard: str) -> Table:
    """Seat 0 holds ten cards and is offered one; the others lie anyhow."""
    return Table.laid((hand, _others(f"{hand} {upcard}")[1]), upcard, rules=rules)


def _others(used: str) -> tuple[str, str]:
    """A card of highest rank, and ten more, none of them used."""
    free = sorted(ALL_CARDS - ids(used), key=rank)
    return text(free[-1:]), text(free[-11:-1])


class Contest(NamedTuple):
    """What came of mirrored pairs: the same deals twice, with the seats exchanged."""

    points: np.ndarray
    """Shape [P], float64: points to the first bot, mean of both games of a pair."""
    won: np.ndarray
    """Shape [P], float64: the part of the pair's two episodes that the first bot won."""

    def low(self) -> float:
        """Lower end of the 95 % interval of the first bot's points per episode."""
        spread = self.points.std(ddof=1) / np.sqrt(len(self.points))
        return float(self.points.mean() - 1.96 * spread)


def play_pairs(
    bots: tuple[Bot, Bot], n_pairs: int, seed: int, *, rules: Rules, episode: Episode = "hand"
) -> Contest:
    """Play mirrored pairs of two bots."""
    batch = Batch(2 * n_pairs, rules, episode=episode, autoreset="disabled")
    seeds = np.tile(np.arange(seed, seed + n_pairs).astype(np.uint64), 2)
    batch.reset(seeds)
    memories = (make_memories(seeds, 0), make_memories(seeds, 1))
    swapped = (memories[0].copy(), memories[1].copy())
    is_swapped = np.arange(2 * n_pairs) >= n_pairs
    to_seat_0 = np.zeros(2 * n_pairs, np.int64)
    while not (over := batch.is_episode_over).all():
        straight = bot_actions(batch, bots, memories)
        crossed = bot_actions(batch, bots[::-1], swapped)
        signs = 1 - 2 * batch.arrays.seats
        batch.step(np.where(is_swapped, crossed, straight), ~over)
        to_seat_0 += signs * batch.rewards
    games = batch.arrays.games
    winners = games["match_winner"] if episode == "match" else games["hand_end"]["winner"]
    points = np.where(is_swapped, -to_seat_0, to_seat_0).reshape(2, n_pairs)
    won = (winners == is_swapped).reshape(2, n_pairs)
    return Contest(points.mean(0), won.mean(0))
