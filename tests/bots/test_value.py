"""The value that playouts end in: what it looks at, and what it makes of it."""

import numpy as np
import pytest

from gin_env.bots.value import (
    HIDDEN_BIASES,
    HIDDEN_WEIGHTS,
    N_ENDINGS,
    N_OF_SEAT,
    OUT_BIASES,
    OUT_WEIGHTS,
    Stakes,
    describe,
    expect,
    make_room,
)
from gin_env.core.actions import PASS
from gin_env.core.rules import Rules
from gin_env.core.step import apply
from tests.core.table import Table
from tests.reference.melds import best_after_discard, deadwood

RULES = Rules.preset("club", undercut_bonus=20)
IN_POINTS = Stakes(is_match=False, bonus=0.0, mine=100.0, theirs=100.0, slope=1.0)
SEEDS = range(3)


def at_draw(seed: int) -> Table:
    """A hand whose upcard both seats have passed."""
    table = Table.seeded(RULES, seed)
    for _ in range(2):
        apply(table.r, table.s, PASS)
    return table


def looked_at(table: Table) -> np.ndarray:
    """What the value of a hand depends on."""
    room = make_room()
    describe(table.s, room.features, room.counts)
    return room.features


def value_of(table: Table, seat: int = 0) -> float:
    return float(expect(table.r, table.s, seat, IN_POINTS, make_room()))


@pytest.mark.parametrize("seed", SEEDS)
def test_what_one_seat_expects_to_win_the_other_expects_to_lose(seed: int) -> None:
    table = at_draw(seed)
    assert value_of(table, 0) == pytest.approx(-value_of(table, 1)) != 0


@pytest.mark.parametrize("seed", SEEDS)
def test_value_looks_at_both_hands_and_what_one_draw_makes_of_them(seed: int) -> None:
    table = at_draw(seed)
    table.s["n_own_turns"] = (2, 7)
    mover, stock = int(table.s["to_move"]), table.stock()
    features = looked_at(table)
    for place, seat in ((0, mover), (N_OF_SEAT, 1 - mover)):
        hand = table.hand(seat)
        left = sorted(best_after_discard(hand | {card}) for card in stock)
        n_turns = (2, 7)[seat]
        assert features[place : place + N_OF_SEAT].tolist() == pytest.approx(
            [
                deadwood(hand) / 30,
                left[0] / 20,
                sum(left[:7]) / 7 / 20,
                sum(left) / len(left) / 30,
                5 * left.count(0) / len(left),
                2 * sum(value <= 10 for value in left) / len(left),
                float(left[0] == 0),
                n_turns / 10,
                max(5 - n_turns, 0) / 5,
            ]
        )
    top = best_after_discard(table.hand(mover) | {table.pile()[-1]})
    assert features[2 * N_OF_SEAT :].tolist() == pytest.approx(
        [min(top, 50) / 20, (top == 0) + 0.5 * (top <= 10), 31 / 20, 1.0]
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_value_weighs_the_points_of_each_ending_by_its_chance(seed: int) -> None:
    table = at_draw(seed)
    hidden = np.maximum(looked_at(table) @ HIDDEN_WEIGHTS + HIDDEN_BIASES, 0)
    outputs = hidden @ OUT_WEIGHTS + OUT_BIASES
    chances = np.exp(outputs[: N_ENDINGS + 1])
    chances /= chances.sum()
    # The mover gins, knocks and wins, is undercut; then the other seat likewise.
    worth = 10 * outputs[N_ENDINGS + 1 :] + np.array([25, 0, 20, 25, 0, 20])
    to_mover = (chances[:N_ENDINGS] * worth * [1, 1, -1, -1, -1, 1]).sum()
    sign = 1 if table.s["to_move"] == 0 else -1
    assert value_of(table) == pytest.approx(sign * to_mover)


@pytest.mark.parametrize("seed", SEEDS)
def test_value_of_a_doubled_hand_is_twice_as_much(seed: int) -> None:
    table = at_draw(seed)
    single = value_of(table)
    table.s["is_doubled"] = 1
    assert value_of(table) == pytest.approx(2 * single)


@pytest.mark.parametrize("seed", SEEDS)
def test_value_is_the_same_for_either_seat(seed: int) -> None:
    table = at_draw(seed)
    value = value_of(table)
    table.s["hand"] = table.s["hand"][::-1].copy()
    table.s["to_move"] = 1 - table.s["to_move"]
    assert value_of(table) == pytest.approx(-value)


def test_value_prefers_a_good_hand() -> None:
    good, bad = "As 2s 3s 5h 6h 7h 9d 9c Td Jd", "2h 4h 7s 8c Ts Jc Qh Qs Kd Kc"
    table = Table.laid((good, bad), "5c", rules=RULES)
    for _ in range(2):
        apply(table.r, table.s, PASS)
    assert value_of(table) > 10
    table.s["hand"] = table.s["hand"][::-1].copy()
    assert value_of(table) < -10
