"""`simple` and `greedy` by their rules, stated once more in tests/bots/plain.py."""

from collections import Counter

import numpy as np
import pytest

from gin_env.bots.bot import make
from gin_env.bots.bot_row import make_memories
from gin_env.core.actions import DISCARD, KNOCK, PASS, TAKE
from gin_env.core.batch import Batch
from gin_env.core.rules import Rules
from tests import chi_square
from tests.bots import plain
from tests.bots.play import Step, ask, at_discard, at_offer, bot_steps, kind_of
from tests.core.table import Table
from tests.reference.cards import card

N_GAMES, N_STEPS = 16, 70
RULES = [
    Rules(),
    Rules.preset("oklahoma"),
    Rules.preset("home", may_return_taken=True),
    Rules.preset("straight"),
]


def games_of(rules: Rules, *names: str) -> list[Step]:
    """What two bots decide in some games."""
    batch = Batch(N_GAMES, rules)
    pair = make(names[0]), make(names[-1])
    return list(bot_steps(batch, pair, np.arange(N_GAMES, dtype=np.uint64), N_STEPS))


# --- greedy ---


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
def test_greedy_plays_by_its_rules(rules: Rules) -> None:
    kinds = Counter[str]()
    for step in games_of(rules, "greedy"):
        for view, action in zip(step.views, step.actions.tolist(), strict=True):
            assert action == plain.greedy_choice(plain.read(rules, view))
            kinds[kind_of(action)] += 1
    assert min(kinds[kind] for kind in ("draw", "take", "discard")) > 50
    assert kinds["end"] > 5 or rules.knock_limit == 0


@pytest.mark.parametrize(
    ("hand", "drawn", "discard"),
    [
        ("As 2s 3s 5h 6h 7h Kd Qh Jc Ts", "9d", "Kd"),
        ("As 2s 3s 5h 6h 7h Kd Kh Jc Ts", "9d", "Kh"),  # of two kings the lower id
        ("As 2s 3s 5h 6h 7h 9d 9h Jc Ts", "8d", "Jc"),
        ("As 2s 3s 5h 6h 7h Td Jd Jc 9s", "Qd", "Jc"),  # never out of a meld
    ],
)
def test_greedy_discards_the_dearest_of_the_cards_that_leave_least(
    hand: str, drawn: str, discard: str
) -> None:
    table = at_discard(Rules(knock_limit=0), hand, drawn)
    assert ask(make("greedy"), table.r, table.view(0)) == DISCARD + card(discard)


@pytest.mark.parametrize(
    ("upcard", "action"),
    [
        ("3c", TAKE),  # in place of a king
        ("7c", TAKE),
        ("Td", TAKE),
        ("Jc", TAKE),  # a run of jack, queen, king
        ("Kd", PASS),
        ("Ts", PASS),
    ],
)
def test_greedy_takes_what_lowers_its_deadwood(upcard: str, action: int) -> None:
    table = at_offer(Rules(), "7s 7h 7d 8d 9d 2c 2d 4h Kc Qc", upcard)
    assert ask(make("greedy"), table.r, table.view(0)) == action


# --- simple ---


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
def test_simple_plays_by_its_rules(rules: Rules) -> None:
    kinds, n_open = Counter[str](), 0
    tried: dict[tuple[int, int], set[frozenset[int | None]]] = {}
    for step in games_of(rules, "simple"):
        for row, view in enumerate(step.views):
            seen, action = plain.read(rules, view), int(step.actions[row])
            # The random word of a game changes with every deal: it names the hand.
            of_hand = tried.setdefault(
                (int(step.games["rng_state"][row]), int(step.seats[row])), set()
            )
            choices = plain.simple_choices(seen, of_hand)
            assert action in choices, (seen, of_hand)
            kinds[kind_of(action)] += 1
            n_open += len(choices) > 1
            if DISCARD <= action < KNOCK:
                of_hand.add(frozenset({seen.drawn, action - DISCARD}))
    assert min(kinds[kind] for kind in ("draw", "take", "discard")) > 50
    assert kinds["end"] > 5 or rules.knock_limit == 0
    assert n_open > 100


@pytest.mark.parametrize(
    ("upcard", "action"),
    [
        ("7c", TAKE),  # a set, though it only breaks a run
        ("Td", TAKE),
        ("6d", TAKE),
        ("As", PASS),  # cheap, but no meld
        ("Kd", PASS),
        ("2h", TAKE),
    ],
)
def test_simple_takes_what_makes_any_meld(upcard: str, action: int) -> None:
    table = at_offer(Rules(), "7s 7h 7d 8d 9d 2c 2d 4h Kc Qc", upcard)
    assert ask(make("simple"), table.r, table.view(0)) == action


def chosen(table: Table, n_times: int, memory: np.ndarray) -> Counter[int]:
    """What simple chooses in one view, asked again and again as in a new hand."""
    counts = Counter[int]()
    for _ in range(n_times):
        memory["tried"] = 0
        counts[ask(make("simple"), table.r, table.view(0), memory)] += 1
    return counts


def test_simple_discards_each_of_the_cards_that_leave_least_as_often() -> None:
    table = at_discard(Rules(), "As 2s 3s 5h 6h 7h Kd Qh Jc Ts", "9d")
    counts = chosen(table, 4_000, make_memories(np.array([4], np.uint64), 0))
    tens = {DISCARD + card(name) for name in ("Kd", "Qh", "Jc", "Ts")}
    assert counts.keys() == tens
    assert chi_square(counts.values()) < 16.3  # one in a thousand


def test_simple_knocks_with_each_of_the_cards_that_leave_least_as_often() -> None:
    table = at_discard(Rules(), "As 2s 3s 5h 6h 7h 9d 9h 8s 8c", "8d")
    counts = chosen(table, 4_000, make_memories(np.array([4], np.uint64), 0))
    assert counts.keys() == {KNOCK + card(name) for name in ("9h", "9d")}
    assert abs(counts[KNOCK + card("9h")] - 2_000) < 4 * 1_000**0.5


def test_simple_discards_no_pair_of_drawn_and_discarded_card_twice() -> None:
    table = at_discard(Rules(), "As 2s 3s 5h 6h 7h Kd Qh Jc 8s", "Ts")
    memory = make_memories(np.array([4], np.uint64), 0)
    view = table.view(0)
    discarded = []
    for turn in range(12):
        view["n_own_turns"] = turn
        discarded.append(ask(make("simple"), table.r, view, memory) - DISCARD)
    dear = {card(name) for name in ("Kd", "Qh", "Jc", "Ts")}
    assert set(discarded[:4]) == dear  # each once with the ten that was drawn
    assert discarded[4] == card("8s")
    assert len(set(discarded[:11])) == 11
    assert discarded[11] in dear  # nothing is left to try: it begins again


def test_simple_counts_a_pair_whichever_of_the_two_was_drawn() -> None:
    memory = make_memories(np.array([4], np.uint64), 0)
    first = at_discard(Rules(), "As 2s 3s 5h 6h 7h Kd 4c 8c 9s", "Qh").view(0)
    record = Rules().row()
    memory["tried"][0, card("Kd")] = 1 << card("Qh")
    memory["tried"][0, card("Qh")] = 1 << card("Kd")
    first["n_own_turns"] = 3
    assert ask(make("simple"), record, first, memory) == DISCARD + card("Qh")
    first["drawn"] = card("Kd")
    assert ask(make("simple"), record, first, memory) == DISCARD + card("Kd")


def test_simple_forgets_its_pairs_with_the_hand() -> None:
    table = at_discard(Rules(), "As 2s 3s 5h 6h 7h Kd 2c 8c 9s", "Qh")
    view, memory = table.view(0), make_memories(np.array([4], np.uint64), 0)
    tens = {DISCARD + card("Kd"), DISCARD + card("Qh")}
    assert {ask(make("simple"), table.r, view, memory) for _ in range(30)} == tens
    view["n_own_turns"] = 1  # no longer the first turn of a hand
    assert len({ask(make("simple"), table.r, view, memory) for _ in range(5)} - tens) > 1
