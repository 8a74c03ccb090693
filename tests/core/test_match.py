"""Matches: the worked results of the rule book, whose deal it is, and when a match is over."""

from typing import Any

import pytest

from gin_env.core.actions import DISCARD, DRAW, KNOCK, PASS
from gin_env.core.match import BY_RULES, advance, next_hand, play
from gin_env.core.rules import Rules
from gin_env.core.state import NO_SEAT, Ending, Phase
from tests.core.table import Table

WINNER = "As 2s 3s 4h 5h 6h 7d 8d 9d 2c"  # a knock with 2
LOSERS = {  # by what the winner's knock is worth
    3: "Jh Qh Kh Js Qs Ks Jd Qd Kd 5c",
    20: "Jh Qh Kh Js Qs Ks 9c 8c 4c Ac",
    30: "Jh Qh Kh Js Qs Ks Tc 9c 8h 5c",
}


def play_hand(table: Table, winner: int, points: int) -> int:
    """Let one seat win a hand for 3, 20 or 30 points, or nobody for 0; returns seat 0's reward."""
    loser = LOSERS[points or 20]
    hands = (WINNER, loser) if winner == 0 else (loser, WINNER)
    stock = "Td 6d 5d" if points == 20 else "Td 6d 4d"
    table.lay(Table.laid(hands, "7s", stock).deal())
    rewards = []
    while table.s["phase"] != Phase.OVER:
        seat = int(table.s["to_move"])
        play(table.r, table.s, choose(table, is_winner=seat == winner and points > 0))
        rewards.append(int(table.s["reward"]))
    assert not any(rewards[:-1])
    assert abs(table.s["hand_end"]["points"]) == points
    return rewards[-1]


def choose(table: Table, *, is_winner: bool) -> int:
    """Pass, draw, and discard the card drawn; the winner knocks with it."""
    if table.s["phase"] == Phase.OFFER:
        return PASS
    if table.s["phase"] == Phase.DRAW:
        return DRAW
    return int((KNOCK if is_winner else DISCARD) + table.s["drawn"])


def play_match(rules: Rules, *results: tuple[int, int]) -> tuple[Table, list[int]]:
    """Play hands with these winners and points, and no more."""
    table = Table.seeded(rules, 5, "match", dealer=1 if rules.first_dealer == "lot" else BY_RULES)
    rewards = []
    for number, (winner, points) in enumerate(results):
        if number:
            assert not table.s["is_episode_over"]
            next_hand(table.r, table.s)
        rewards.append(play_hand(table, winner, points))
    return table, rewards


def test_match_at_home_won_120_to_0_is_worth_440() -> None:
    table, rewards = play_match(Rules.preset("home", target=120), *[(0, 20)] * 6)
    assert table.s["is_episode_over"]
    assert table.s["totals"].tolist() == [120, 0]
    assert table.s["hands_won"].tolist() == [6, 0]
    assert rewards == [20] * 5 + [20 + 6 * 20 + 100 + 100]
    assert sum(rewards) == 440


def test_match_in_modern_won_110_to_0_is_worth_420() -> None:
    results = [(1, 30), (1, 30), (1, 30), (1, 20)]
    table, rewards = play_match(Rules.preset("modern"), *results)
    assert table.s["is_episode_over"]
    assert table.s["totals"].tolist() == [0, 110]
    assert table.s["match_winner"] == 1
    assert sum(rewards) == -(110 + 110 + 4 * 25 + 100) == -420


def test_match_pays_each_hand_as_it_ends_and_the_loser_s_hand_bonus_with_the_last() -> None:
    results = [(1, 30), (0, 20), (1, 0), (0, 30), (0, 30), (0, 30)]
    table, rewards = play_match(Rules.preset("bicycle"), *results)
    assert rewards == [-30, 20, 0, 30, 30, 30 + 100 + 4 * 20 - 20]
    assert table.s["totals"].tolist() == [110, 30]
    assert table.s["n_hands"] == 6


def test_match_with_bonuses_paid_at_once_counts_them_towards_the_target() -> None:
    table, rewards = play_match(Rules.preset("palace", target=60), (1, 20), (1, 20))
    assert rewards == [-30, -30]
    assert table.s["totals"].tolist() == [0, 60]
    assert table.s["match_winner"] == 1


@pytest.mark.parametrize(
    ("next_dealer", "dealers"),
    [("loser", [1, 1, 0, 0]), ("winner", [0, 0, 1, 1]), ("alternate", [0, 0, 1, 1])],
)
def test_match_passes_the_deal_but_not_after_a_dead_hand(
    next_dealer: str, dealers: list[int]
) -> None:
    results = [(0, 3), (0, 0), (1, 3), (1, 0)]
    table = Table.seeded(Rules(next_dealer=next_dealer), 1, "match")
    assert table.s["dealer"] == 1
    for (winner, points), dealer in zip(results, dealers, strict=True):
        play_hand(table, winner, points)
        next_hand(table.r, table.s)
        assert table.s["dealer"] == dealer


def test_match_deals_the_next_hand_in_advance() -> None:
    table = Table.seeded(Rules(), 1, "match")
    before = table.deal()
    table.lay(Table.laid((WINNER, LOSERS[20]), "7s", "Td").deal())
    for action in (PASS, PASS, DRAW):
        advance(table.r, table.s, action)
    advance(table.r, table.s, KNOCK + int(table.s["drawn"]))
    s = table.s
    assert (s["reward"], s["n_hands"]) == (20, 1)
    assert s["totals"].tolist() == [20, 0]
    assert (s["phase"], s["n_turns"]) == (Phase.OFFER, 0)
    end = s["hand_end"]  # the last hand's, kept while the next one is played
    assert (end["ending"], end["points"], end["paid"]) == (Ending.KNOCK, 20, 20)
    assert (s["dealer"], s["to_move"]) == (0, 1)
    assert table.deal() != before


def test_match_over_is_not_dealt_on() -> None:
    table, _ = play_match(Rules(target=20), (0, 20))
    assert (table.s["phase"], table.s["is_episode_over"]) == (Phase.OVER, 1)
    assert table.s["match_winner"] == 0


@pytest.mark.parametrize("points", [0, 20])
def test_single_hand_counts_no_bonus_of_a_match(points: int) -> None:
    rules = Rules.preset("home", target=1, hand_bonus_paid="at_once")
    table = Table.seeded(rules, 1)
    assert play_hand(table, 0, points) == points
    facts: dict[str, Any] = {"totals": [points, 0], "hands_won": [int(points > 0), 0]}
    assert {name: table.s[name].tolist() for name in facts} == facts
    assert table.s["is_episode_over"]
    assert table.s["match_winner"] == NO_SEAT
