"""Randomness: a seed is a deal, whoever asks, and deals are what a shuffled deck gives."""

from random import Random
from typing import Any

import numpy as np
import pytest

from gin_env.bots.bot_row import BOT_DTYPE, MEMORY_DTYPE
from gin_env.core.cards import cards_text
from gin_env.core.match import BY_RULES, begin, next_hand, play
from gin_env.core.rules import PRESETS, RULES_DTYPE, Rules
from gin_env.core.state import HAND_END_DTYPE, STATE_DTYPE, Phase, draw_below, next_word, seed_words
from gin_env.core.view import VIEW_DTYPE
from gin_env.table.bot_rows import SEATING_DTYPE
from tests import chi_square
from tests.core.policies import knock_soon, play_anything, play_on
from tests.core.table import Table
from tests.hands import sample_size

N_DEALS = sample_size(200_000)
SEED_0 = (
    "Ac 7s 7c Js Qh 4d 5s As 3c 8d",
    "7d 4s Qc Qs Kc 9s Th 6h Ah Jh",
    "9d",
    "6s Tc Td 2h 4h Kh 6d 2d 8s 5h 9h Kd Jc 2c 5c Ad Jd 3d 2s 8c 3h 6c 8h 5d Ks 4c 9c Qd 3s Ts 7h",
)


def decks(n_deals: int, stream: int = 0) -> np.ndarray:
    """The decks of the seeds from 0 on. Shape [n_deals, 52], int8."""
    rules = Rules().row()
    states = np.zeros(n_deals, STATE_DTYPE)
    states["rng_state"] = seed_words(np.arange(n_deals, dtype=np.uint64), stream)
    for s in states:
        begin(rules, s, BY_RULES)
    decks: np.ndarray = states["deck"]
    return decks


# --- Seeds ---


def test_seed_0_deals_this_hand() -> None:
    deck = decks(1)[0].tolist()
    parts = (deck[:10], deck[10:20], deck[20:21], deck[21:])
    assert tuple(cards_text(part) for part in parts) == SEED_0


def test_seeds_deal_distinct_whole_decks() -> None:
    some = decks(1_000)
    assert (np.sort(some, axis=1) == np.arange(52)).all()
    assert len(np.unique(some, axis=0)) == 1_000


def test_seed_words_do_not_depend_on_their_neighbours() -> None:
    seeds = np.arange(1_000, dtype=np.uint64)
    words = seed_words(seeds)
    assert words.shape == (1_000,)
    assert words.dtype == np.uint64
    assert len(np.unique(words)) == 1_000
    assert [seed_words(seeds[at : at + 1])[0] for at in range(1_000)] == words.tolist()
    assert (words != 0).all()


@pytest.mark.parametrize("seed", [0, 1, 2**63, 2**64 - 1])
def test_seed_words_take_every_64_bit_seed(seed: int) -> None:
    assert seed_words(np.array([seed], np.uint64))[0] not in (0, seed)


def test_streams_of_a_seed_differ() -> None:
    seeds = np.arange(1_000, dtype=np.uint64)
    words = np.array([seed_words(seeds, stream) for stream in range(4)])
    assert len(np.unique(words)) == words.size
    assert not (decks(100) == decks(100, stream=1)).all(axis=1).any()


# --- What a deal depends on ---


@pytest.mark.parametrize("name", PRESETS)
def test_deals_do_not_depend_on_the_rules_or_the_dealer(name: str) -> None:
    expected = Table.seeded(Rules(), 7).deal()
    for episode in ("hand", "match"):
        for dealer in (BY_RULES, 0, 1):
            table = Table.seeded(Rules.preset(name), 7, episode, dealer)
            assert table.deal() == expected
            assert dealer in (BY_RULES, table.s["dealer"])


def test_deals_do_not_depend_on_what_was_played() -> None:
    # The random word moves on with the deal alone; the next hand is the same after any play.
    deals, hands = [], []
    for policy in (play_on, play_anything, knock_soon):
        table, rng = Table.seeded(Rules(), 7, "match"), Random(1)
        word = int(table.s["rng_state"])
        while table.s["phase"] != Phase.OVER:
            play(table.r, table.s, policy(rng, table))
        assert int(table.s["rng_state"]) == word
        hands.append(int(table.s["n_turns"]))
        next_hand(table.r, table.s)
        deals.append(table.deal())
    assert deals[0] == deals[1] == deals[2]
    assert len(set(hands)) > 1


def test_episodes_of_one_game_go_on_from_its_word() -> None:
    table = Table.seeded(Rules(), 7)
    deals = [table.deal()]
    for _ in range(3):
        begin(table.r, table.s, BY_RULES)
        deals.append(table.deal())
    assert len(set(deals)) == 4


# --- Distributions; the seeds are fixed, so these either always pass or never ---


def test_lots_are_about_even_and_follow_no_pattern() -> None:
    lots = np.array([Table.seeded(Rules(), seed).s["dealer"] for seed in range(4_000)])
    assert abs(lots.mean() - 0.5) < 4 * 0.5 / 4_000**0.5
    pairs = np.bincount(2 * lots[:-1] + lots[1:], minlength=4)
    assert chi_square(pairs) < 16.3  # 3 degrees of freedom, 1 in 1,000


@pytest.mark.parametrize("place", [0, 9, 10, 20, 21, 50, 51])
def test_every_card_is_equally_likely_in_every_place(place: int) -> None:
    counts = np.bincount(decks(N_DEALS)[:, place], minlength=52)
    assert counts.sum() == N_DEALS
    assert chi_square(counts) < 87.97  # 51 degrees of freedom, 1 in 1,000


def test_neighbours_in_the_deck_are_unrelated() -> None:
    some = decks(N_DEALS)
    steps = (some[:, 1:].astype(int) - some[:, :-1]) % 52
    counts = np.bincount(steps.ravel(), minlength=52)
    assert counts[0] == 0
    assert chi_square(counts[1:]) < 86.66  # 50 degrees of freedom, 1 in 1,000


def test_draw_below_is_even_and_in_range() -> None:
    word: Any = seed_words(np.array([1], np.uint64))[0]
    counts = np.zeros(7, np.int64)
    for _ in range(7_000):
        word = np.uint64(next_word(word))
        counts[draw_below(word, 7)] += 1
    assert counts.sum() == 7_000
    assert chi_square(counts) < 22.5  # 6 degrees of freedom, 1 in 1,000


@pytest.mark.parametrize(("n", "least", "most"), [(1, 0, 0), (2, 0, 1), (52, 0, 51)])
def test_draw_below_reaches_its_ends(n: int, least: int, most: int) -> None:
    low, high = (np.array([word], np.uint64)[0] for word in (1, 2**64 - 1))
    assert (draw_below(low, n), draw_below(high, n)) == (least, most)


def test_next_word_never_repeats_soon_and_is_never_0() -> None:
    word: Any = np.uint64(1)
    seen: set[int] = set()
    for _ in range(5_000):
        word = np.uint64(next_word(word))
        seen.add(int(word))
    assert len(seen) == 5_000
    assert 0 not in seen


@pytest.mark.parametrize(
    "dtype",
    [STATE_DTYPE, HAND_END_DTYPE, VIEW_DTYPE, RULES_DTYPE, BOT_DTYPE, MEMORY_DTYPE, SEATING_DTYPE],
    ids=["state", "hand end", "view", "rules", "bot", "memory", "seating"],
)
def test_no_record_has_gaps(dtype: np.dtype[np.void]) -> None:
    """Copies leave to chance what lies in a gap, and raw bytes could not be compared."""
    assert sum(field[0].itemsize for field in (dtype.fields or {}).values()) == dtype.itemsize
