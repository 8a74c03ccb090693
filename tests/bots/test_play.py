"""What holds for every bot: it plays by the rules, by its seed, and by what its seat may know."""

from collections import Counter
from random import Random

import numpy as np
import pytest

from gin_env import bots
from gin_env.bots.bot_row import make_memories
from gin_env.bots.choose import choose_rows
from gin_env.core.actions import BIG_GIN, KNOCK
from gin_env.core.batch import Batch
from gin_env.core.rules import EPISODES, PRESETS, Episode, Rules
from gin_env.core.state import Ending, Phase
from gin_env.core.step import apply
from gin_env.core.view import VIEW_DTYPE, look
from tests import chi_square
from tests.bots.play import ask, at_discard, bot_actions, bot_steps, make_quick
from tests.core.table import Table
from tests.core.test_no_leak import exchange
from tests.reference.cards import card

NAMES = bots.names()
CHANCE = ("random", "simple", "easy")
"""The bots that leave something to chance."""


def seeds(n_games: int, first: int = 0) -> np.ndarray:
    """Some seeds. Shape [B], uint64."""
    return np.arange(first, first + n_games, dtype=np.uint64)


@pytest.mark.slow
@pytest.mark.parametrize("episode", EPISODES)
@pytest.mark.parametrize("preset", PRESETS)
def test_bots_play_legal_actions_only(preset: str, episode: Episode) -> None:
    rules, n_games = Rules.preset(preset, target=40), 16
    for number, name in enumerate(NAMES):
        batch = Batch(n_games, rules, episode=episode)
        pair = make_quick(name), make_quick(NAMES[number - 1])
        phases, n_ended = Counter[int](), 0
        for step in bot_steps(batch, pair, seeds(n_games, number), 120):
            assert step.masks[np.arange(n_games), step.actions].all(), pair
            n_ended += int(batch.arrays.is_over.sum())
            phases.update(step.views["phase"].tolist())
        assert phases[Phase.DRAW] > 100
        assert phases[Phase.DISCARD] > 100
        assert (phases[Phase.OFFER] > 0) == (rules.opening == "offer")
        assert n_ended > 0 or episode == "match"


@pytest.mark.parametrize("name", NAMES)
def test_bots_do_not_touch_what_they_look_at(name: str) -> None:
    batch, bot = Batch(8), make_quick(name)
    batch.reset(3)
    memories = (make_memories(seeds(8), 0), make_memories(seeds(8), 1))
    for _ in range(40):
        before = batch.arrays.views.tobytes()
        actions = bot_actions(batch, (bot, bot), memories)
        assert batch.arrays.views.tobytes() == before
        batch.step(actions)


@pytest.mark.parametrize("name", NAMES)
def test_bots_play_the_same_for_the_same_seed(name: str) -> None:
    def actions(first_seed: int, n_games: int) -> list[list[int]]:
        batch, pair = Batch(n_games), (make_quick(name), make_quick(name))
        steps = bot_steps(batch, pair, seeds(n_games, first_seed), 60)
        return np.array([step.actions for step in steps]).T.tolist()  # type: ignore[no-any-return]

    several = actions(10, 6)
    assert actions(10, 6) == several
    assert actions(12, 1) == several[2:3]
    assert len({tuple(row) for row in several}) == 6


@pytest.mark.parametrize("name", CHANCE)
def test_bots_at_the_two_seats_choose_independently(name: str) -> None:
    batch, bot = Batch(200), make_quick(name)
    n_differ = n_asked = 0
    for step in bot_steps(batch, (bot, bot), seeds(200), 30):
        swapped = step.memories[1].copy(), step.memories[0].copy()
        other = bot_actions(batch, (bot, bot), swapped)
        n_differ += int((other != step.actions).sum())
        n_asked += len(other)
    assert 0.02 < n_differ / n_asked < 0.98


@pytest.mark.parametrize("name", sorted(set(NAMES) - {*CHANCE, "expert"}))
def test_bots_without_chance_have_no_use_for_a_memory(name: str) -> None:
    batch, bot = Batch(50), bots.make(name)
    for step in bot_steps(batch, (bot, bot), seeds(50), 30):
        other = (make_memories(seeds(50, 900), 0), make_memories(seeds(50, 900), 1))
        assert (bot_actions(batch, (bot, bot), other) == step.actions).all()


@pytest.mark.parametrize("name", NAMES)
def test_bots_do_not_look_at_hidden_cards(name: str) -> None:
    rng, bot = Random(name), make_quick(name)
    phases, n_exchanged = Counter[int](), 0
    for seed in range(6):
        table = Table.seeded(Rules.preset("modern"), seed)
        memories = [make_memories(seeds(1, seed), seat) for seat in (0, 1)]
        while table.s["phase"] != Phase.OVER:
            seat = int(table.s["to_move"])
            phases[table.s["phase"]] += 1
            memory = memories[seat].copy()
            action = ask(bot, table.r, table.view(seat), memories[seat])
            other = exchange(table, seat, rng)
            n_exchanged += other.hand(1 - seat) != table.hand(1 - seat)
            assert ask(bot, table.r, other.view(seat), memory) == action
            assert memory["rng_state"] == memories[seat]["rng_state"]
            assert (memory["tried"] == memories[seat]["tried"]).all()
            apply(table.r, table.s, action)
    assert min(phases[phase] for phase in (Phase.OFFER, Phase.DRAW, Phase.DISCARD)) > 3
    assert n_exchanged > 0.9 * phases.total()


# --- Ending a hand ---

ELEVEN = "As 2s 3s 5h 6h 7h 7d 8d Td Jd"  # 9d melds all of them


@pytest.mark.parametrize("name", [name for name in NAMES if name != "random"])
def test_bots_declare_big_gin_where_the_table_pays_for_it(name: str) -> None:
    endings = {}
    for preset in ("modern", "standard", "bicycle"):
        table = at_discard(Rules.preset(preset), ELEVEN, "9d")
        action = ask(bots.make(name), table.r, table.view(0))
        endings[preset] = "big gin" if action == BIG_GIN else "knock"
        apply(table.r, table.s, action)
        assert table.s["hand_end"]["ending"] == (
            Ending.BIG_GIN if preset == "modern" else Ending.GIN
        )
    assert endings == {"modern": "big gin", "standard": "knock", "bicycle": "knock"}


@pytest.mark.parametrize("name", ["simple", "greedy", "medium", "hard"])
def test_bots_knock_with_gin_at_every_limit(name: str) -> None:
    for preset in ("standard", "straight", "oklahoma"):
        table = at_discard(Rules.preset(preset), "As 2s 3s 5h 6h 7h 7d 8d Td 9s", "9d")
        assert ask(bots.make(name), table.r, table.view(0)) == KNOCK + card("9s")


def test_random_is_uniform_over_the_legal_actions() -> None:
    table = at_discard(Rules(), "As 2s 3s 5h 6h 7h 2d 3c Ac 2h", "Kd")
    legal = table.legal(0)
    assert len(legal) > 11  # discards, and knocks
    views = np.zeros(20_000, VIEW_DTYPE)
    look(table.r, table.s, 0, views[0])
    views[1:] = views[0]
    batch_counts = Counter(chosen_by_random(table.r, views, make_memories(seeds(20_000), 0)))
    one_stream = make_memories(seeds(1), 0)
    stream_counts = Counter(
        ask(bots.make("random"), table.r, views[0], one_stream) for _ in range(3_000)
    )
    for counts in (batch_counts, stream_counts):
        assert counts.keys() == legal
        n_free = len(legal) - 1
        one_in_a_thousand = n_free + 3.1 * (2 * n_free) ** 0.5 + 7
        assert chi_square(counts.values()) < one_in_a_thousand


def chosen_by_random(r: np.void, views: np.ndarray, memories: np.ndarray) -> list[int]:
    """What the random bot chooses in many views at once."""
    actions = np.full(len(views), -1, np.int64)
    choose_rows(bots.make("random").row, r, views, memories, actions)
    return actions.tolist()
