"""Hidden cards stay hidden: what a seat may not know changes no bit of what it is shown.

In every phase and for both seats, to move or not, the cards that the seat cannot see are exchanged:
those of the stock among each other, and with those of the other hand that were not taken openly.
The random word, the order of the deal and the drawn card go with them.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

from gin_env.core.match import next_hand, play
from gin_env.core.observe import EXTRAS, obs_layout
from gin_env.core.rules import PRESETS, Rules
from gin_env.core.state import HAND_END_DTYPE, NO_CARD, STATE_DTYPE, Phase
from gin_env.core.view import VIEW_DTYPE, look
from tests.core.policies import POLICIES
from tests.core.table import Table
from tests.hands import Hand, bits, cards, dense_deal, sample_size

N_HANDS = sample_size(500)  # of each preset, every state of them and both seats
BLOCKS = {block.name: block.slice for block in obs_layout(EXTRAS)}


def states(rules: Rules, rng: Random) -> Iterator[Table]:
    """Every state of one hand in the middle of a match, the last one included."""
    table = Table.seeded(rules, rng.getrandbits(63), "match")
    table.s["totals"] = [rng.randint(0, 40), rng.randint(0, 40)]
    if rng.random() < 0.5:
        table.lay(dense_deal(rng))
    policies = rng.choice(POLICIES), rng.choice(POLICIES)
    while table.s["phase"] != Phase.OVER:
        yield table
        play(table.r, table.s, policies[table.s["to_move"]](rng, table))
    yield table


def copied(table: Table) -> Table:
    """The same game once more."""
    other = Table(table.rules, "match")
    for name in STATE_DTYPE.names or ():
        other.s[name] = table.s[name]
    assert other.s.tobytes() == table.s.tobytes()
    return other


def hidden_from(table: Table, seat: int) -> Hand:
    """The cards that a seat cannot place: the stock, and the other's hand but for what he took."""
    return frozenset(table.stock()) | table.hand(1 - seat) - cards(table.s["known"][1 - seat])


def exchange(table: Table, seat: int, rng: Random) -> Table:
    """The same game with other cards where the seat cannot see them."""
    other = copied(table)
    hidden = sorted(hidden_from(table, seat))
    moved = list(range(52))
    for card, place in zip(rng.sample(hidden, len(hidden)), hidden, strict=True):
        moved[place] = card
    s = other.s
    s["hand"][1 - seat] = bits(moved[card] for card in table.hand(1 - seat))
    s["deck"] = [moved[card] for card in s["deck"].tolist()]
    if s["drawn"] != NO_CARD:
        s["drawn"] = moved[s["drawn"]]
    s["rng_state"] = rng.getrandbits(63) + 1
    return other


def seen_by(table: Table, seat: int) -> tuple[bytes, bytes, bytes]:
    """Everything that a seat is shown, as bytes."""
    view = table.view(seat)
    return view.tobytes(), table.mask(seat).tobytes(), table.observation(seat).tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
def test_hidden_cards_change_nothing_that_a_seat_is_shown(name: str) -> None:
    rng, seen = Random(name), Counter[Any]()
    for _ in range(N_HANDS):
        for table in states(Rules.preset(name), rng):
            for seat in (0, 1):
                other = exchange(table, seat, rng)
                assert seen_by(other, seat) == seen_by(table, seat)
                is_to_move = table.s["to_move"] == seat
                seen[Phase(table.s["phase"]), is_to_move] += 1
                seen["other hand changed"] += other.hand(1 - seat) != table.hand(1 - seat)
                seen["stock changed"] += other.stock() != table.stock()
                seen["the other sees it"] += seen_by(other, 1 - seat) != seen_by(table, 1 - seat)
                seen["hidden draw"] += other.s["drawn"] != table.s["drawn"]
                seen["states"] += 1
    phases = set(Phase) - ({Phase.OFFER} if Rules.preset(name).opening == "draw" else set())
    for phase in phases:
        assert min(seen[phase, True], seen[phase, False]) >= N_HANDS, phase
    assert seen["other hand changed"] > 0.9 * seen["states"]
    assert seen["stock changed"] > 0.9 * seen["states"]
    assert seen["the other sees it"] > 0.9 * seen["states"]
    assert seen["hidden draw"] > N_HANDS


def test_order_of_the_stock_alone_changes_nothing_for_either_seat() -> None:
    rng, n_changed = Random(1), 0
    for _ in range(10):
        for table in states(Rules(), rng):
            other = copied(table)
            n_stock = int(table.s["n_stock"])
            other.s["deck"][52 - n_stock :] = rng.sample(table.stock(), n_stock)
            other.s["rng_state"] = rng.getrandbits(63) + 1
            n_changed += other.stock() != table.stock()
            for seat in (0, 1):
                assert seen_by(other, seat) == seen_by(table, seat)
    assert n_changed > 100


def test_end_of_a_hand_shows_neither_its_hands_nor_its_score() -> None:
    # Totals are public; they are as they were before the hand until it is counted in both copies.
    rng, n_compared = Random(2), 0
    for _ in range(40):
        *_, table = states(Rules.preset("home"), rng)
        other = copied(table)
        other.s["reward"] = 0
        other.s["hand_end"] = np.zeros(1, HAND_END_DTYPE)[0]
        n_compared += other.s.tobytes() != table.s.tobytes()
        for seat in (0, 1):
            assert seen_by(other, seat) == seen_by(table, seat)
    assert n_compared == 40


def test_look_leaves_nothing_of_what_the_view_held_before() -> None:
    rng, n_states = Random(3), 0
    for _ in range(5):
        for table in states(Rules(), rng):
            for seat in (0, 1):
                dirty: np.void = np.full(VIEW_DTYPE.itemsize, 85, np.uint8).view(VIEW_DTYPE)[0]
                look(table.r, table.s, seat, dirty)
                clean = table.view(seat)
                for name in VIEW_DTYPE.names or ():
                    assert np.array_equal(dirty[name], clean[name]), name
                n_states += 1
    assert n_states > 50


# --- The test above can fail: what is open does change the observation ---


def set_bits(name: str, seat: int, card: int) -> Callable[[Table], None]:
    """Put a card into one of the sets of a state."""

    def change(table: Table) -> None:
        table.s[name][seat] |= 1 << card

    return change


def add(name: str, value: int) -> Callable[[Table], None]:
    """Add to a number of a state."""

    def change(table: Table) -> None:
        table.s[name] += value

    return change


def swap_own_card(table: Table) -> None:
    """Exchange a card of seat 0 for another."""
    hand = table.hand(0)
    table.s["hand"][0] = bits(hand - {min(hand)} | {table.stock()[-1]})


CHANGES: list[tuple[str, Callable[[Table], None], set[str]]] = [
    ("own hand", swap_own_card, {"hand", "unseen"}),
    ("taken by the other", set_bits("known", 1, 51), {"their_known"}),
    ("taken by this seat", set_bits("known", 0, 51), {"my_known"}),
    ("shed by the other", set_bits("shed", 1, 51), {"their_shed"}),
    ("declined by the other", set_bits("declined", 1, 51), {"their_declined"}),
    ("stock", add("n_stock", -1), {"stock"}),
    ("turns", add("n_turns", 1), {"turn"}),
    ("limit", add("knock_limit", -1), {"knock_limit"}),
    ("doubled", add("is_doubled", 1), set()),  # views tell it, observations do not
    ("dealer", add("dealer", -1), {"dealer"}),
    ("mover", add("to_move", 1), {"to_move"}),
    ("totals", add("totals", 7), {"totals"}),
]


@pytest.mark.parametrize(("what", "change", "blocks"), CHANGES, ids=[what for what, *_ in CHANGES])
def test_what_is_open_changes_the_observation(
    what: str, change: Callable[[Table], None], blocks: set[str]
) -> None:
    table = Table.seeded(Rules(), 3, "match", dealer=1)
    other = copied(table)
    change(other)
    before, after = table.observation(0), other.observation(0)
    changed = {name for name, at in BLOCKS.items() if (before[at] != after[at]).any()}
    assert blocks <= changed, what
    assert bool(changed) == bool(blocks)
    assert table.view(0).tobytes() != other.view(0).tobytes()


def test_discards_of_either_seat_change_the_observation_and_age() -> None:
    for seat, name in ((0, "my_discards"), (1, "their_discards")):
        table = Table.seeded(Rules(), 3)
        table.s["n_turns"] = 4
        table.s["discard_turn"][seat, 51] = 3
        table.s["discarded"][seat] = 1 << 51
        block = table.observation(0)[BLOCKS[name]]
        assert block[51] == np.float32(1 / 2)
        assert block.sum() == block[51]


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
def test_observation_lies_between_0_and_1_and_is_all_written(name: str) -> None:
    rng, low, high, n_states = Random(name), 1.0, 0.0, 0
    for _ in range(N_HANDS):
        for table in states(Rules.preset(name, turn_cap=40), rng):
            for seat in (0, 1):
                observation = table.observation(seat)
                assert observation.dtype == np.float32
                assert np.isfinite(observation).all()
                low, high = min(low, observation.min()), max(high, observation.max())
                n_states += 1
    assert (low, high) == (0.0, 1.0)
    assert n_states > 20 * N_HANDS


def test_observation_stays_in_range_beyond_the_target_and_at_the_cap() -> None:
    table = Table.seeded(Rules(turn_cap=1, target=1), 3, "match")
    table.s["totals"] = [10_000, 3]
    table.s["n_turns"] = 1
    observation = table.observation(0)
    assert observation[BLOCKS["totals"]].tolist() == [1, 1]
    assert observation[BLOCKS["turn"]] == 1
    assert observation.max() <= 1


def test_observation_of_the_next_hand_forgets_the_last_one() -> None:
    rng, n_hands = Random(5), 0
    for _ in range(20):
        *_, table = states(Rules(), rng)
        if table.s["is_episode_over"]:
            continue
        next_hand(table.r, table.s)
        fresh = Table(Rules(), "match")
        fresh.s["dealer"], fresh.s["totals"] = table.s["dealer"], table.s["totals"]
        fresh.lay(table.deal())
        for seat in (0, 1):
            assert fresh.observation(seat).tobytes() == table.observation(seat).tobytes()
        n_hands += 1
    assert n_hands > 10
