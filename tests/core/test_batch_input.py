"""What a batch takes: seeds and dealers, illegal actions, and what it refuses by name."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gin_env.core.actions import BIG_GIN, DRAW, N_ACTIONS, PASS, TAKE
from gin_env.core.batch import Batch
from gin_env.core.match import BY_RULES, advance_forfeit, begin
from gin_env.core.rules import Rules
from gin_env.core.state import Ending, Phase
from gin_env.errors import BatchError, GinError, IllegalActionError, SeatError, SeedError
from tests.core.table import Table


def everything(batch: Batch) -> tuple[bytes, ...]:
    """Every byte of all rows."""
    return tuple(array.tobytes() for array in batch.arrays)


def flags(*names: int, size: int) -> np.ndarray:
    """Which rows are meant, by their numbers."""
    rows = np.zeros(size, bool)
    rows[list(names)] = True
    return rows


def first_legal(batch: Batch) -> np.ndarray:
    """The first legal action of each row."""
    actions: np.ndarray = batch.arrays.masks.argmax(1)
    return actions


# --- Seeds and dealers ---


def same_games(one: Batch, other: Batch) -> bool:
    """Whether two batches hold the same bytes."""
    return one.arrays.games.tobytes() == other.arrays.games.tobytes()


@pytest.mark.parametrize(
    "seeds",
    [
        4,
        np.int32(4),
        np.array(4),
        [4, 5, 6],
        range(4, 7),
        np.array([4, 5, 6]),
        np.array([4, 5, 6], np.uint64),
        iter([4, 5, 6]),
    ],
)
def test_batch_reset_takes_one_seed_or_one_for_each_row(seeds: Any) -> None:
    batch, wanted = Batch(3), Batch(3)
    batch.reset(seeds)
    wanted.reset([4, 5, 6])
    assert same_games(batch, wanted)
    assert len({batch.arrays.games["hand"][row].tobytes() for row in range(3)}) == 3


def test_batch_reset_without_seeds_goes_on_with_the_random_words() -> None:
    batch = Batch(2)
    batch.reset(11)
    singles = [Table.seeded(batch.rules, seed) for seed in (11, 12)]
    first = batch.arrays.games.copy()
    batch.reset()
    assert (batch.arrays.games["deck"] != first["deck"]).any(1).all()
    for row, single in enumerate(singles):
        begin(single.r, single.s, BY_RULES)
        assert batch.arrays.games[row].tobytes() == single.s.tobytes()
    batch.reset(11)
    assert batch.arrays.games.tobytes() == first.tobytes()


def test_batch_first_reset_without_seeds_takes_fresh_ones() -> None:
    batches = [Batch(2), Batch(2)]
    for batch in batches:
        batch.reset()
    assert not same_games(*batches)
    hands = batches[0].arrays.games["hand"]
    assert (hands[0] != hands[1]).any()


def test_batch_reset_of_some_rows_leaves_the_others_alone() -> None:
    batch, fresh = Batch(4), Batch(4)
    fresh.reset([1, 2, 3, 4])
    batch.reset(20)
    for _ in range(7):
        batch.step(first_legal(batch))
    before = [game.tobytes() for game in batch.arrays.games]
    observations = batch.arrays.observations.copy()
    begun = flags(0, 2, size=4)
    batch.reset([1, 2, 3, 4], rows=begun)
    for row in (1, 3):
        assert batch.arrays.games[row].tobytes() == before[row]
        assert (batch.arrays.observations[row] == observations[row]).all()
    for row in (0, 2):
        assert (batch.arrays.games["deck"][row] == fresh.arrays.games["deck"][row]).all()
        assert (batch.arrays.observations[row] == fresh.arrays.observations[row]).all()


def test_batch_reset_with_a_seed_leaves_no_byte_of_the_game_before() -> None:
    batch, fresh = Batch(4), Batch(4)
    fresh.reset(1)
    batch.reset(20)
    for _ in range(40):
        batch.step(first_legal(batch))
    batch.reset(1)
    differing = [
        name
        for name in batch.arrays.games.dtype.fields or ()
        if batch.arrays.games[name].tobytes() != fresh.arrays.games[name].tobytes()
    ]
    assert differing == []


def test_batch_rows_left_out_of_the_first_reset_get_deals_of_their_own() -> None:
    batch = Batch(3)
    batch.reset(5, rows=flags(0, size=3))
    batch.reset()
    first = batch.arrays.games["deck"].copy()
    batch.reset()
    for row in range(3):
        assert (batch.arrays.games["deck"][row] != first[row]).any()
    assert len({deck.tobytes() for deck in first}) == 3


def test_batch_dealers_are_for_one_or_for_all_and_do_not_change_the_deal() -> None:
    batch = Batch(8)
    decks, dealers = [], []
    for asked in (0, 1, BY_RULES, np.array([0, 1] * 4)):
        batch.reset(9, dealers=asked)
        decks.append(batch.arrays.games["deck"].tobytes())
        dealers.append(batch.arrays.games["dealer"].tolist())
        assert (batch.arrays.seats == 1 - batch.arrays.games["dealer"]).all()
    assert len(set(decks)) == 1
    assert dealers[0] == [0] * 8
    assert dealers[1] == [1] * 8
    assert set(dealers[2]) == {0, 1}
    assert dealers[3] == [0, 1] * 4


# --- Illegal actions ---


def at_phase(phase: Phase, **options: Any) -> Batch:
    """Four games, all of them in one phase of the hand."""
    batch = Batch(4, **options)
    batch.reset(6)
    actions = {Phase.OFFER: [], Phase.DRAW: [PASS, PASS], Phase.DISCARD: [PASS, PASS, DRAW]}
    for action in actions[phase]:
        batch.step(np.full(4, action, np.int64))
    assert (batch.arrays.games["phase"] == phase).all()
    return batch


@pytest.mark.parametrize(
    ("phase", "action", "said"),
    [
        (Phase.OFFER, DRAW, r"'draw' is not legal: in the offer phase, .*; legal: take, pass$"),
        (Phase.OFFER, -1, r"-1 is no action: .* \(in the offer phase, .*; legal: take, pass\)$"),
        (Phase.DRAW, TAKE, r"'take' is not legal: in the draw phase, holding .*; legal: draw$"),
        (Phase.DRAW, N_ACTIONS, r"108 is no action: .* \(in the draw phase, .*; legal: draw\)$"),
        (
            Phase.DISCARD,
            BIG_GIN,
            r"'big gin' is not legal: in the discard phase, holding .*; legal: discard .s",
        ),
        (Phase.DISCARD, 2**62, r"\d+ is no action: .* \(in the discard phase"),
    ],
)
def test_batch_raise_names_the_row_the_action_and_the_phase_and_moves_no_row(
    phase: Phase, action: int, said: str
) -> None:
    batch = at_phase(phase)
    before = everything(batch)
    actions = first_legal(batch)
    actions[2:] = action
    with pytest.raises(IllegalActionError, match=f"^row 2: {said}"):
        batch.step(actions)
    assert everything(batch) == before


def test_batch_raise_lets_a_row_that_is_left_out_ask_for_anything() -> None:
    batch = at_phase(Phase.OFFER)
    actions = first_legal(batch)
    actions[3] = DRAW
    batch.step(actions, flags(0, 1, 2, size=4))


@pytest.mark.parametrize("penalty", [0, 50, 10_000])
@pytest.mark.parametrize("phase", [Phase.OFFER, Phase.DRAW, Phase.DISCARD])
def test_batch_forfeit_pays_the_penalty_and_the_others_go_on(phase: Phase, penalty: int) -> None:
    options: dict[str, Any] = {"illegal": "forfeit", "illegal_penalty": penalty}
    batch = at_phase(phase, autoreset="disabled", **options)
    mover = batch.arrays.seats[1]
    actions = first_legal(batch)
    actions[1] = -5
    batch.step(actions)
    assert batch.rewards.tolist() == [0, -penalty, 0, 0]
    assert batch.arrays.is_over.tolist() == [False, True, False, False]
    game = batch.arrays.games[1]
    assert (game["hand_end"]["ending"], game["hand_end"]["winner"]) == (Ending.FORFEIT, 1 - mover)
    assert batch.arrays.seats[1] == mover
    batch.reset(rows=flags(1, size=4))
    batch.step(first_legal(batch))


def test_batch_forfeit_in_a_match_deals_the_next_hand() -> None:
    batch = Batch(2, episode="match", illegal="forfeit", illegal_penalty=60)
    batch.reset(3)
    single = Table.seeded(Rules(), 4, "match")
    for n_hands in (1, 2):
        winner = 1 - int(single.s["to_move"])
        batch.step(np.array([PASS, 0], np.int64), flags(1, size=2))
        advance_forfeit(single.r, single.s, 60)
        assert batch.arrays.games[1].tobytes() == single.s.tobytes()
        assert batch.rewards.tolist() == [0, -60]
        assert single.s["totals"][winner] == 60
        assert single.s["n_hands"] == n_hands
        assert batch.arrays.masks.any(1).all()


# --- Bad input ---

GOOD = np.full(3, PASS, np.int64)


def refused(
    act: Callable[[Batch], object], said: str, other_error: type[GinError] = BatchError
) -> None:
    """Check that something is refused with what is said, and changes no byte."""
    batch = Batch(3)
    batch.reset(0)
    before = everything(batch)
    with pytest.raises((BatchError, other_error), match=f"^{said}"):
        act(batch)
    assert everything(batch) == before


@pytest.mark.parametrize(
    ("actions", "said"),
    [
        (np.full(2, PASS, np.int64), r"shape \[3\] and dtype int64, not shape \[2\]"),
        (np.full(4, PASS, np.int64), r"not shape \[4\] and dtype int64"),
        (np.full((3, 1), PASS, np.int64), r"not shape \[3, 1\] and dtype int64"),
        (np.full(3, PASS, np.int32), r"not shape \[3\] and dtype int32"),
        (np.full(3, PASS, np.uint64), r"not shape \[3\] and dtype uint64"),
        (np.full(3, float(PASS)), r"not shape \[3\] and dtype float64"),
        (np.full(3, True), r"not shape \[3\] and dtype bool"),
        (np.full(6, PASS, np.int64)[::2], r"this one is not contiguous"),
        ([PASS, PASS, PASS], r"not list"),
        (PASS, r"not int"),
        (None, r"not NoneType"),
    ],
)
def test_batch_step_refuses_another_array(actions: Any, said: str) -> None:
    refused(lambda batch: batch.step(actions), f"actions must be a contiguous array of .*{said}")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (np.ones(2, bool), r"not shape \[2\] and dtype bool"),
        (np.ones(3, np.int8), r"not shape \[3\] and dtype int8"),
        (np.ones(6, bool)[::2], r"not contiguous"),
        ([0, 1], r"not list"),
    ],
)
def test_batch_refuses_other_rows(rows: Any, said: str) -> None:
    said = f"rows must be a contiguous array of .*{said}"
    refused(lambda batch: batch.step(GOOD, rows), said)
    refused(lambda batch: batch.reset(1, rows=rows), said)


def test_batch_step_before_reset_says_so() -> None:
    with pytest.raises(BatchError, match=r"^call reset before step$"):
        Batch(3).step(GOOD)


@pytest.mark.parametrize(
    ("seeds", "said"),
    [
        ([1, 2], r"2 seeds for 3 games: give one each, or a single one"),
        ([1, 2, 3, 4], r"4 seeds for 3 games"),
        (-1, r"a seed is a whole number from 0 to 2\*\*64 - 1, not -1"),
        (2**64, r"a seed is a whole number .*, not 18446744073709551616"),
        ([0, 1, 2**64], r"a seed is .*, not 18446744073709551616"),
        ([0, -5, 1], r"a seed is .*, not -5"),
        ([0, 1.0, 2], r"a seed is .*, not 1.0"),
        ([0, True, 2], r"a seed is .*, not True"),
        (["1", "2", "3"], r"a seed is .*, not '1'"),
        (np.array([0.0, 1.0, 2.0]), r"a seed is .*, not np.float64\(0.0\)"),
        (np.zeros((3, 2), np.int64), r"a seed is .*, not array"),
        (True, r"a seed is .*, not True"),
        (1.5, r"a seed is .*, not 1.5"),
        ([0, None, 2], r"a seed for some rows and none for others"),
    ],
)
def test_batch_reset_refuses_other_seeds(seeds: Any, said: str) -> None:
    refused(lambda batch: batch.reset(seeds), said, SeedError)


@pytest.mark.parametrize(
    ("dealers", "said"),
    [
        (2, r"a dealer is 0, 1, or -1 for what the rules say, not 2"),
        (-2, r"a dealer is .*, not -2"),
        (1.0, r"a dealer is .*, not 1.0"),
        (True, r"a dealer is .*, not True"),
        (None, r"a dealer is .*, not None"),
        ("0", r"a dealer is .*, not '0'"),
        (np.array([0, 1, 3]), r"a dealer is .*, not array"),
        (np.array([0, 1]), r"2 dealers for 3 games: give one each, or one"),
        (np.zeros((3, 1), int), r"3 dealers for 3 games"),
    ],
)
def test_batch_reset_refuses_other_dealers(dealers: Any, said: str) -> None:
    refused(lambda batch: batch.reset(5, dealers=dealers), said, SeatError)


@pytest.mark.parametrize(
    ("n_games", "options", "said"),
    [
        (0, {}, r"n_games must be a whole number from 1 on, not 0"),
        (-3, {}, r"n_games must be .*, not -3"),
        (2.0, {}, r"n_games must be .*, not 2.0"),
        (True, {}, r"n_games must be .*, not True"),
        (1, {"autoreset": "never"}, r"autoreset must be one of 'same_step', 'next_step', 'dis"),
        (1, {"illegal": "skip"}, r"illegal must be one of 'raise', 'forfeit', not 'skip'"),
        (1, {"illegal_penalty": -1}, r"illegal_penalty must be .* from 0 to 10000, not -1"),
        (1, {"illegal_penalty": 10_001}, r"illegal_penalty must be .*, not 10001"),
        (1, {"illegal_penalty": 5.0}, r"illegal_penalty must be .*, not 5.0"),
        (1, {"num_threads": 0}, r"num_threads must be a whole number from 1 to 1024, not 0"),
        (1, {"num_threads": 1.5}, r"num_threads must be .*, not 1.5"),
        (1, {"rules": "poker"}, r"unknown preset 'poker'"),
        (1, {"episode": "night"}, r"episode must be one of hand, match, not 'night'"),
        (1, {"extras": ("luck",)}, r"unknown observation block 'luck'"),
    ],
)
def test_batch_refuses_other_options(n_games: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(GinError, match=f"^{said}"):
        Batch(n_games, **options)
