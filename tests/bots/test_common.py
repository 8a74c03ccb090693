"""What the bots share, against trying everything."""

from collections import Counter
from random import Random

import numpy as np
import pytest

from gin_env.bots.bot_row import MEMORY_DTYPE, make_memories
from gin_env.bots.common import (
    NO_ACTION,
    completing_cards,
    dearest,
    discards_within,
    end_hand,
    happens,
    is_melded_with,
    least_after,
    pick_below,
    pick_card,
)
from gin_env.core.actions import BIG_GIN, DRAW, KNOCK
from gin_env.core.meld_tables import MAX_DEADWOOD
from gin_env.core.rules import Rules
from gin_env.core.state import NO_CARD, Phase
from gin_env.core.step import apply
from tests import chi_square
from tests.bots import plain
from tests.bots.play import make_memory
from tests.core.policies import play_on, wait_for_big_gin
from tests.core.table import Table
from tests.hands import bits, cards, dense_deal, hands, random_deal
from tests.reference.cards import ALL_CARDS, card, ids, text

# --- Melds ---


@pytest.mark.parametrize("dense", [False, True])
def test_is_melded_with_is_any_meld_that_holds_the_card(dense: bool) -> None:
    seen = Counter[bool]()
    for hand in hands(60 + dense, 10, 60, dense=dense):
        for name in ALL_CARDS:
            wanted = plain.makes_meld(hand, name)
            assert is_melded_with(bits(hand), name) == wanted, (text(hand), text([name]))
            seen[wanted] += 1
    assert min(seen.values()) > 100


@pytest.mark.parametrize(
    ("hand", "name", "wanted"),
    [
        ("Qs Ks", "As", False),
        ("As Ks", "2s", False),
        ("Qs Ks", "Ah", False),
        ("Ah 2h", "Ks", False),
        ("As 3s", "2s", True),
        ("7h 7d", "7s", True),
        ("7h 8d", "7s", False),
        ("5s 6s", "7s", True),
        ("5s 8s", "7s", False),
        ("5s 6s 7s", "7s", True),  # it may be one of them
        ("7s 7h", "7s", False),
    ],
)
def test_is_melded_with_at_the_edges(hand: str, name: str, wanted: bool) -> None:
    assert is_melded_with(bits(ids(hand)), card(name)) == wanted


@pytest.mark.parametrize("dense", [False, True])
def test_completing_cards_make_a_meld_with_two_cards_of_the_hand(dense: bool) -> None:
    rng = Random(70 + dense)
    n_found = 0
    for hand in hands(70 + dense, 10, 150, dense=dense):
        unseen = frozenset(rng.sample(sorted(ALL_CARDS - hand), rng.randint(0, 42)))
        wanted = plain.outs(hand, unseen)
        assert cards(completing_cards(bits(hand), bits(unseen))) == wanted, text(hand)
        n_found += len(wanted)
    assert n_found > 300


@pytest.mark.parametrize(
    ("hand", "outs"),
    [
        ("7s 8s", "6s 9s"),
        ("7s 9s", "8s"),
        ("As 2s", "3s"),
        ("Qs Ks", "Js"),
        ("Ks Ah", ""),
        ("As Ks", ""),
        ("7s 7h", "7d 7c"),
        ("7s 7h 7d", "7c"),
        ("7s 8s 9s", "6s Ts"),
        ("Kc Kh Qc", "Ks Kd Jc"),
    ],
)
def test_completing_cards_of_a_few_cards(hand: str, outs: str) -> None:
    held = bits(ids(hand))
    assert cards(completing_cards(held, bits(ALL_CARDS))) == ids(outs)
    assert completing_cards(held, 0) == 0


# --- Discards ---


@pytest.mark.parametrize(
    ("some", "best"),
    [
        ("2s 7h 5c", "7h"),
        ("Ts Jh Qc", "Qc"),
        ("Ks Kh Kc", "Ks"),
        ("As Ac", "As"),
        ("9s Th", "Th"),
    ],
)
def test_dearest_is_the_highest_rank_then_the_first_suit(some: str, best: str) -> None:
    assert dearest(bits(ids(some))) == card(best)


def test_dearest_of_nothing_is_no_card() -> None:
    assert dearest(0) == NO_CARD


@pytest.mark.slow
@pytest.mark.parametrize("name", ["oklahoma", "straight", "palace"])
def test_discards_and_endings_are_the_plain_ones(name: str) -> None:
    rng, rules = Random(f"common {name}"), Rules.preset(name, may_return_taken=name == "palace")
    ended = Counter[str]()
    for _ in range(12):
        table = Table.seeded(rules, rng.getrandbits(60))
        table.lay((dense_deal if rng.random() < 0.8 else random_deal)(rng))
        while table.s["phase"] != Phase.OVER:
            compare_discards(rules, table.r, table.view(table.s["to_move"]), ended)
            apply(table.r, table.s, improve_but_never_end(rng, table))
    assert ended["none"] > 40
    assert ended["knock"] > 10
    assert (ended["big gin"] > 0) == (rules.big_gin_bonus is not None)


def improve_but_never_end(rng: Random, table: Table) -> int:
    """Go for big gin, and play on when it is there."""
    action = wait_for_big_gin(rng, table)
    return play_on(rng, table) if action == BIG_GIN or KNOCK <= action < DRAW else action


def compare_discards(rules: Rules, r: np.void, view: np.void, ended: Counter[str]) -> None:
    """Compare everything that is said of the discards in one view."""
    seen = plain.read(rules, view)
    left = plain.after(seen)
    least = min(left.values(), default=MAX_DEADWOOD)
    assert least_after(view) == least
    for most in (0, least - 1, least, least + 5, MAX_DEADWOOD):
        wanted = {name for name in left if left[name] <= most}
        assert cards(discards_within(view, most)) == wanted
    if seen.phase == Phase.DISCARD:
        for most in (0, 4, MAX_DEADWOOD):
            ending = plain.ends_with(seen, most)
            assert end_hand(r, view, most) == (NO_ACTION if ending is None else ending)
            kinds = {None: "none", BIG_GIN: "big gin"}
            ended[kinds.get(ending, "knock")] += 1


# --- Chance ---

LIMIT_9, LIMIT_4 = 27.9, 18.5  # chi-square with 9 and 4 degrees of freedom, one in a thousand


def test_pick_below_is_uniform_and_in_range() -> None:
    memory = make_memory()
    counts = Counter(pick_below(memory, 10) for _ in range(20_000))
    assert sorted(counts) == list(range(10))
    assert chi_square(counts.values()) < LIMIT_9
    assert {pick_below(memory, 1) for _ in range(20)} == {0}


def test_pick_card_is_uniform_over_the_cards() -> None:
    memory, some = make_memory(2), ids("As 7h Kc 2d 9s")
    counts = Counter(pick_card(memory, bits(some)) for _ in range(10_000))
    assert counts.keys() == some
    assert chi_square(counts.values()) < LIMIT_4


@pytest.mark.parametrize("chance", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_happens_as_often_as_it_should(chance: float) -> None:
    memory = make_memory(3)
    n_times = sum(happens(memory, chance) for _ in range(10_000))
    assert abs(n_times - 10_000 * chance) <= 4 * (10_000 * chance * (1 - chance)) ** 0.5


def test_memories_differ_by_seed_and_seat_and_know_nothing() -> None:
    seeds = np.array([3, 4, 5], np.uint64)
    both = np.concatenate([make_memories(seeds, 0), make_memories(seeds, 1)])
    assert both.dtype == MEMORY_DTYPE
    assert len(set(both["rng_state"].tolist())) == 6
    assert not both["tried"].any()
