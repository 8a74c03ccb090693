"""A table: bots answer in the kernel as they would by hand; seats and opponents by lot."""

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest

from gin_env import bots
from gin_env.core.actions import DRAW
from gin_env.core.batch import Batch
from gin_env.core.match import BY_RULES
from gin_env.core.rows import AUTORESETS
from gin_env.core.rules import EPISODES, Episode, Rules
from gin_env.core.state import Phase
from gin_env.errors import BatchError, SeatError
from gin_env.players import BotPlayer
from gin_env.table.table import Table
from tests.bots.duel import Duel, by_bot, facts_of
from tests.bots.play import make_quick, some_actions

HASTY = Rules(turn_cap=2)
"""Hands of two turns: many a bot ends one before the first player has decided anything."""


def play_beside_hand(table: Table, duels: list[Duel], n_steps: int) -> Counter[str]:
    """Play a table and its rows by hand, and compare all of it; how often what has happened."""
    rngs, seen = [Random(row) for row in range(len(table))], Counter[str]()
    for _ in range(n_steps):
        for row, duel in enumerate(duels):
            assert facts_of(table, row) == duel.facts()
            assert table.first_seats[row] == duel.seat
            assert table.arrays.seats[row] == duel.seat
        actions = some_actions(table, rngs)
        was_over = table.is_episode_over
        table.step(actions)
        for row, duel in enumerate(duels):
            seen["restarts"] += was_over[row]
            if was_over[row]:
                assert (table.rewards[row], table.arrays.is_over[row]) == (0, False)
                duel.begin()
                continue
            outcome = duel.step(int(actions[row]))
            assert table.rewards[row] == outcome.reward
            assert table.arrays.is_over[row] == outcome.is_over
            seen["won" if outcome.reward > 0 else "lost" if outcome.reward else "nothing"] += 1
            if outcome.is_over:
                seen["ended"] += 1
                assert table.arrays.final_observations[row].tobytes() == outcome.final
                if table.autoreset == "same_step":
                    duel.begin()
        if table.autoreset == "disabled" and table.is_episode_over.any():
            over = table.is_episode_over
            table.reset(rows=over)
            for row in np.flatnonzero(over).tolist():
                duels[row].begin()
    seen["unplayed"] = sum(duel.n_unplayed for duel in duels)
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("episode", EPISODES)
@pytest.mark.parametrize("name", bots.names())
def test_table_plays_a_bot_s_moves_as_by_hand(name: str, episode: Episode) -> None:
    rules, bot = Rules.preset("bicycle", target=40), make_quick(name)
    table = Table(4, rules, opponents=[BotPlayer(bot)], episode=episode)
    table.reset(30)
    duels = [Duel(rules, episode, 30 + row, by_bot(bot, 30 + row)) for row in range(4)]
    seen = play_beside_hand(table, duels, 150)
    assert seen["ended"] > 2
    assert seen["lost"] > 0 or name == "random"
    assert seen["won"] > 0


@pytest.mark.parametrize("seat", [-1, 0, 1])
@pytest.mark.parametrize("autoreset", AUTORESETS)
def test_table_begins_anew_as_by_hand(autoreset: Any, seat: int) -> None:
    bot = bots.make("easy")
    table = Table(8, HASTY, opponents=[BotPlayer(bot)], autoreset=autoreset, seat=seat)
    table.reset(70)
    duels = [Duel(HASTY, "hand", 70 + row, by_bot(bot, 70 + row), seat=seat) for row in range(8)]
    seen = play_beside_hand(table, duels, 60)
    assert seen["ended"] > 60
    assert (seen["restarts"] > 0) == (autoreset == "next_step")
    assert {duel.seat for duel in duels} == ({0, 1} if seat == -1 else {seat})


def test_table_begins_anew_what_a_bot_ends_before_the_first_decision() -> None:
    rules, bot = Rules(turn_cap=1, opening="draw"), bots.make("greedy")
    table = Table(30, rules, opponents=[BotPlayer(bot)])
    table.reset(0)
    duels = [Duel(rules, "hand", row, by_bot(bot, row)) for row in range(30)]
    seen = play_beside_hand(table, duels, 20)
    assert seen["unplayed"] > 100
    assert (table.arrays.games["n_turns"] == 0).all()


def test_table_carries_what_was_paid_before_the_first_decision_of_a_match() -> None:
    # Hands of one turn, and the bot has it until it wins one with its first cards.
    rules, bot = Rules(turn_cap=1, opening="draw", target=200), bots.make("greedy")
    table = Table(6, rules, opponents=[BotPlayer(bot)], episode="match", seat=0)
    table.reset(0, dealers=0)
    totals = table.arrays.games["totals"].copy()
    assert (totals[:, 0] == 0).all()
    assert (totals[:, 1] > 0).all()
    assert (table.arrays.games["n_hands"] > 1).all()
    assert not table.rewards.any()
    table.step(np.full(6, DRAW, np.int64))  # a draw pays nothing itself
    assert (table.rewards == -totals[:, 1]).all()
    for row in range(6):
        duel = Duel(rules, "match", row, by_bot(bot, row), seat=0, dealer=0)
        assert duel.step(DRAW).reward == table.rewards[row]
        assert facts_of(table, row) == duel.facts()


@pytest.mark.parametrize("dealer", [0, 1])
def test_table_deals_by_the_dealers_that_it_is_given(dealer: int) -> None:
    table = Table(40, opponents=[BotPlayer(bots.make("simple"))], seat=0)
    table.reset(1, dealers=dealer)
    games = table.arrays.games
    assert (games["dealer"] == dealer).all()
    assert (table.arrays.seats == 0).all()
    is_opening = (games["phase"] == Phase.OFFER) & (games["n_passes"] == 0)
    assert is_opening.all() == (dealer == 1)


# --- Lots ---


def test_table_draws_seats_by_lot_and_anew_for_every_episode() -> None:
    table = Table(2_000, HASTY, opponents=[BotPlayer(bots.make("greedy"))])
    table.reset(0)
    first = table.first_seats
    table.reset()
    second = table.first_seats
    for seats in (first, second):
        assert abs(int(seats.sum()) - 1_000) < 4 * 500**0.5
    assert abs(int((first == second).sum()) - 1_000) < 4 * 500**0.5
    assert not np.shares_memory(first, table.first_seats)


@pytest.mark.parametrize(
    ("shares", "wanted"),
    [
        (None, [1 / 3, 1 / 3, 1 / 3]),
        ([1, 1, 1], [1 / 3, 1 / 3, 1 / 3]),
        ([6, 1, 3], [0.6, 0.1, 0.3]),
        ([0.0, 0.5, 0.0], [0, 1, 0]),
        ([0, 0, 7], [0, 0, 1]),
    ],
)
def test_table_draws_opponents_by_their_shares(shares: Any, wanted: list[float]) -> None:
    n_games = 3_000
    pool = [BotPlayer(bots.make("random")), BotPlayer(bots.make("simple")), None]
    table = Table(n_games, opponents=pool, shares=shares, seat=0)
    table.reset(5)
    n_drawn = np.bincount(opponents_of(table), minlength=3)
    for n, share in zip(n_drawn, wanted, strict=True):
        assert abs(n - n_games * share) <= 4 * (n_games * share * (1 - share)) ** 0.5


def opponents_of(table: Table) -> np.ndarray:
    """Which opponent each row has drawn. Shape [B], int64."""
    drawn: np.ndarray = table._seats.seating["opponent"]
    return drawn


def test_table_rows_draw_by_their_own_seeds() -> None:
    pool = [BotPlayer(bots.make("random")), BotPlayer(bots.make("simple")), None]
    whole, part = Table(50, opponents=pool), Table(3, opponents=pool)
    whole.reset(100)
    part.reset([149, 100, 120])
    for mine, other in zip(range(3), (49, 0, 20), strict=True):
        assert opponents_of(part)[mine] == opponents_of(whole)[other]
        assert part.first_seats[mine] == whole.first_seats[other]
        assert facts_of(part, mine) == facts_of(whole, other)


def test_table_deals_what_a_batch_deals() -> None:
    table, batch = Table(20, opponents=[None]), Batch(20)
    table.reset(9)
    batch.reset(9)
    for row in range(20):
        assert table.arrays.games[row].tobytes() == batch.arrays.games[row].tobytes()


def test_table_leaves_an_opponent_from_outside_to_move() -> None:
    table = Table(60, opponents=[None], seat=1)
    table.reset(2)
    rngs = [Random(row) for row in range(60)]
    n_theirs = 0
    for _ in range(80):
        movers = table.arrays.seats.copy()
        assert (movers == table.arrays.games["to_move"]).all()
        n_theirs += int((movers == 0).sum())
        table.step(some_actions(table, rngs))
        ended = table.arrays.is_over
        assert (table.arrays.games["n_turns"][ended] == 0).all()
    assert 0.3 < n_theirs / (60 * 80) < 0.7


def test_table_pays_the_seat_that_acted_where_the_caller_plays_both() -> None:
    table = Table(60, opponents=[None], seat=1, autoreset="disabled")
    table.reset(2)
    rngs = [Random(row) for row in range(60)]
    paid = np.zeros(60, np.int64)
    while not (over := table.is_episode_over).all():
        movers = table.arrays.seats.copy()
        table.step(some_actions(table, rngs), ~over)
        paid += np.where(movers == 0, table.rewards, -table.rewards)
    assert (paid == table.arrays.games["hand_end"]["points"]).all()
    assert (paid > 0).any()
    assert (paid < 0).any()


def test_table_forfeits_go_to_the_first_player_s_account() -> None:
    table = Table(
        4, opponents=[BotPlayer(bots.make("medium"))], illegal="forfeit", illegal_penalty=30
    )
    table.reset(0)
    actions = table.arrays.masks.argmax(1)
    actions[2] = -1
    table.step(actions)
    assert table.rewards[2] == -30
    assert table.arrays.is_over.tolist() == [False, False, True, False]


# --- Bad input ---


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"opponents": []}, r"a table needs at least one opponent"),
        ({"shares": [1, 2]}, r"2 shares for 1 opponents: give one each"),
        ({"shares": [0]}, r"shares must be numbers from 0 on, not all 0: \[0.0\]"),
        ({"shares": [-1]}, r"shares must be .*: \[-1.0\]"),
        ({"shares": [float("nan")]}, r"shares must be .*: \[nan\]"),
        ({"shares": [float("inf")]}, r"shares must be .*: \[inf\]"),
        ({"seat": 2}, r"seat must be 0, 1, or -1 to draw it, not 2"),
        ({"seat": "random"}, r"seat must be .*, not 'random'"),
    ],
)
def test_table_refuses_other_options(options: dict[str, Any], said: str) -> None:
    with pytest.raises(BatchError, match=f"^{said}"):
        Table(1, **({"opponents": [BotPlayer(bots.make("easy"))]} | options))


def test_table_refuses_dealers_that_are_none() -> None:
    table = Table(2, opponents=[BotPlayer(bots.make("easy"))])
    with pytest.raises(SeatError, match=r"^a dealer is 0, 1, or -1"):
        table.reset(1, dealers=3)
    table.reset(1, dealers=BY_RULES)
