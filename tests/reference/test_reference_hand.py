"""The reference's hand and match must be right before anything is compared with them."""

import random
from typing import Any

import pytest

from tests.reference.cards import ALL_CARDS, card, ids, listed
from tests.reference.hand import (
    BIG_GIN,
    DRAW,
    KNOCK,
    PASS,
    STANDARD,
    TAKE,
    Pair,
    ReferenceHand,
    ReferenceMatch,
)
from tests.reference.melds import is_run

LOOSE = ("As 3s 5s 7h 9h Jh 2d 4d 6d 8c", "Ah 3h 5h 7d 9d Jd Kd 2c 4c 6c")  # not one meld
GIN = "As 2s 3s 4h 5h 6h 7d 8d 9d Td"
DEADWOOD_2 = "As 2s 3s 4h 5h 6h 7d 8d 9d 2c"
DEADWOOD_3 = "As 2s 3s 4h 5h 6h 7d 8d 9d 3c"
DEADWOOD_10 = "As 2s 3s 4h 5h 6h 7d 8d 9d Tc"
LEFT_WITH_10 = "Jh Qh Kh Js Qs Ks 4s 3h 6c 4c"  # 4s and 3h laid off on any of those above
LEFT_WITH_6 = "Jh Qh Kh Js Qs Ks 4s 3h 2h 6c"
AT_ONCE = {"hand_bonus": 10, "hand_bonus_paid": "at_once"}


def knock(name: str) -> int:
    """Return the action that knocks discarding a card."""
    return KNOCK + card(name)


def start(hands: tuple[str, str], upcard: str, stock: str = "", **rules: Any) -> ReferenceHand:
    """Start a hand that seat 1 deals; the stock begins as given and goes on in card order."""
    rest = ALL_CARDS - ids(" ".join((*hands, upcard, stock)))
    drawn = listed(stock) + sorted(rest)
    return ReferenceHand(STANDARD | rules, 1, [ids(hand) for hand in hands], card(upcard), drawn)


def settle(kept: str, defender: str, **rules: Any) -> ReferenceHand:
    """Let seat 0 draw Kd, knock with it and keep ten given cards; the upcard is 5c."""
    return play(start((kept, defender), "5c", "Kd", opening="draw", **rules), DRAW, knock("Kd"))


def play(hand: ReferenceHand, *moves: int | str) -> ReferenceHand:
    """Play moves in turn: an action, or the name of a card to discard."""
    for move in moves:
        hand.apply(card(move) if isinstance(move, str) else move)
    return hand


# --- One hand: the score ---


@pytest.mark.parametrize(
    ("kept", "defender", "ending", "left", "points"),
    [
        (GIN, "Jh Qh Kh 2c 3c 4c 9c 8h 3d Ad", "gin", (0, 21), 46),
        (GIN, "Jh Qh Kh Js Qs Ks 9c 3d 4d 4c", "gin", (0, 20), 45),
        # 3c is left; 4s and Td are laid off, which leaves 8c and 4d.
        (DEADWOOD_3, "Jh Qh Kh Jc Qc Kc 4s Td 8c 4d", "knock", (3, 12), 9),
        (DEADWOOD_10, LEFT_WITH_10, "undercut", (10, 10), -25),
        (DEADWOOD_10, LEFT_WITH_6, "undercut", (10, 6), -29),
        # Nothing may be laid off on gin, not even Jd.
        (GIN, "Jh Qh Kh Js Qs Ks Jd 3d 4d 4c", "gin", (0, 21), 46),
    ],
)
def test_hand_scores_the_worked_results(
    kept: str, defender: str, ending: str, left: Pair, points: int
) -> None:
    hand = settle(kept, defender)
    assert (hand.ending, hand.deadwood, hand.points) == (ending, left, (points, -points))
    assert hand.winner == (0 if points > 0 else 1)
    assert (hand.phase, hand.legal()) == ("over", set())


@pytest.mark.parametrize(
    ("tie", "ending", "winner", "points"),
    [
        ("undercut", "undercut", 1, (-25, 25)),
        ("push", "push", None, (0, 0)),
        ("knocker", "knock", 0, (0, 0)),
    ],
)
def test_hand_scores_a_tie_by_the_rules(
    tie: str, ending: str, winner: int | None, points: Pair
) -> None:
    hand = settle(DEADWOOD_10, LEFT_WITH_10, tie=tie)
    assert (hand.ending, hand.winner, hand.points) == (ending, winner, points)
    assert settle(DEADWOOD_10, LEFT_WITH_6, tie=tie).ending == "undercut"


def test_hand_scores_the_bonuses_of_the_rules() -> None:
    bonuses = {"gin_bonus": 20, "undercut_bonus": 10}
    assert settle(GIN, LEFT_WITH_10, **bonuses).points == (37, -37)
    assert settle(DEADWOOD_10, LEFT_WITH_6, **bonuses).points == (-14, 14)


def test_hand_spade_upcard_doubles_where_the_rules_say_so() -> None:
    double = {"opening": "draw", "oklahoma": "ace_gin", "oklahoma_spades_double": True}
    for upcard, points in (("9s", 92), ("9h", 46)):
        hand = start((GIN, "Jh Qh Kh 2c 3c 4c 9c 8h 3d Ad"), upcard, "Kd", **double)
        assert play(hand, DRAW, knock("Kd")).points == (points, -points)


@pytest.mark.parametrize("declined", ["pile", "removed"])
@pytest.mark.parametrize(("upcard", "run"), [("6c", "7c 8c 9c"), ("6d", "7d 8d 9d")])
def test_hand_shows_melds_by_what_the_knocker_cannot_see(
    upcard: str, run: str, declined: str
) -> None:
    hands = ("7s 8s 7h 8h 7d 8d 9d 7c 8c 9c", "Ah 3h 5h Ad 3d Jd Kd 2c 4c Qc")
    hand = start(hands, upcard, "Ks", declined_upcard=declined)
    play(hand, PASS, PASS, DRAW, knock("Ks"))
    # The sevens and eights are sets, the run is the one whose six everybody has seen.
    assert [meld for meld in hand.shown if is_run(meld)] == [ids(run)]


# --- One hand: the moves ---


def test_hand_offers_the_upcard_to_each_seat_once() -> None:
    hand = start(LOOSE, "Kc")
    assert (hand.phase, hand.to_move, hand.legal()) == ("offer", 0, {TAKE, PASS})
    play(hand, PASS)
    assert (hand.phase, hand.to_move, hand.legal()) == ("offer", 1, {TAKE, PASS})
    play(hand, TAKE)
    assert (hand.phase, hand.to_move) == ("discard", 1)
    play(hand, "Kd")
    assert (hand.phase, hand.to_move, hand.turns) == ("draw", 0, 1)
    assert hand.legal() == {DRAW, TAKE}


@pytest.mark.parametrize("declined", ["pile", "removed"])
@pytest.mark.parametrize(
    ("after", "first", "later"),
    [
        ("stock", {DRAW}, {DRAW, TAKE}),
        ("either", {DRAW, TAKE}, {DRAW, TAKE}),
        ("stock_only", {DRAW}, {DRAW}),
    ],
)
def test_hand_draws_after_two_passes(
    after: str, first: set[int], later: set[int], declined: str
) -> None:
    rules = {"after_two_passes": after, "declined_upcard": declined}
    hand = play(start(LOOSE, "Kc", "Qs Qh", **rules), PASS, PASS)
    assert (hand.phase, hand.to_move) == ("draw", 0)
    assert hand.legal() == (first if declined == "pile" else {DRAW})
    assert (hand.pile, hand.removed) == (
        ([card("Kc")], set()) if declined == "pile" else ([], {card("Kc")})
    )
    play(hand, DRAW, "Qs")
    assert (hand.to_move, hand.legal()) == (1, later)
    play(hand, DRAW, "Qh")
    assert (hand.to_move, hand.legal()) == (0, later)


def test_hand_taking_the_offer_leaves_the_pile_open() -> None:
    hand = play(start(LOOSE, "Kc", after_two_passes="stock_only"), TAKE, "8c")
    assert hand.legal() == {DRAW, TAKE}


def test_hand_without_an_offer_starts_with_a_draw() -> None:
    hand = start(LOOSE, "Kc", opening="draw", after_two_passes="stock_only")
    assert (hand.phase, hand.to_move, hand.legal()) == ("draw", 0, {DRAW, TAKE})
    play(hand, TAKE)
    assert card("Kc") in hand.hands[0]
    assert card("Kc") not in hand.legal()


@pytest.mark.parametrize("may_return", [False, True])
def test_hand_returns_the_taken_card_only_where_allowed(may_return: bool) -> None:
    hand = start((DEADWOOD_2, LEFT_WITH_10), "Kc", "Kd", may_return_taken=may_return)
    play(hand, TAKE)
    assert {card("Kc"), knock("Kc")} & hand.legal() == (
        {card("Kc"), knock("Kc")} if may_return else set()
    )
    assert knock("2c") in hand.legal()
    play(hand, "2c", DRAW, "Kd", DRAW)
    assert card("Kc") in hand.legal()


def test_hand_knocks_up_to_the_limit() -> None:
    hand = play(start((DEADWOOD_10, LEFT_WITH_10), "5c", "Kd", opening="draw"), DRAW)
    assert hand.legal() == {*hand.hands[0], knock("Kd"), knock("Tc")}
    hand = play(start((DEADWOOD_10, LEFT_WITH_10), "5c", "Kd", opening="draw", knock_limit=9), DRAW)
    assert hand.legal() == hand.hands[0]


def test_hand_at_straight_gin_ends_only_with_gin() -> None:
    hand = play(start((DEADWOOD_2, LEFT_WITH_10), "5c", "Td", opening="draw", knock_limit=0), DRAW)
    assert hand.legal() == hand.hands[0] | {knock("2c")}
    assert play(hand, knock("2c")).ending == "gin"


@pytest.mark.parametrize(
    ("upcard", "off", "ace_one", "ace_gin"),
    [("Ks", 10, 10, 10), ("7s", 10, 7, 7), ("2s", 10, 2, 2), ("As", 10, 1, 0)],
)
def test_hand_limit_follows_the_upcard(upcard: str, off: int, ace_one: int, ace_gin: int) -> None:
    limits = {"off": off, "ace_one": ace_one, "ace_gin": ace_gin}
    for oklahoma, limit in limits.items():
        hand = ReferenceHand(STANDARD | {"oklahoma": oklahoma}, 0, [(), ()], card(upcard), ())
        assert hand.limit == limit
        low = STANDARD | {"oklahoma": oklahoma, "knock_limit": 5}
        assert ReferenceHand(low, 0, [(), ()], card(upcard), ()).limit == min(limit, 5)


def test_hand_declares_big_gin_where_it_has_a_bonus() -> None:
    hands = (GIN, "Jh Qh Kh Js Qs Ks Qd 3d 4d 4c")
    hand = play(start(hands, "5c", "Jd", opening="draw", big_gin_bonus=31), DRAW)
    assert {BIG_GIN, knock("Jd"), knock("7d")} <= hand.legal()
    play(hand, BIG_GIN)
    assert (hand.ending, hand.winner, hand.turns) == ("big_gin", 0, 1)
    assert (hand.deadwood, hand.points) == ((0, 21), (52, -52))
    without = play(start(hands, "5c", "Jd", opening="draw"), DRAW)
    assert BIG_GIN not in without.legal()
    assert play(without, knock("Jd")).points == (46, -46)


@pytest.mark.parametrize("stock_end", [2, 3])
def test_hand_dies_when_a_discard_leaves_the_end_of_the_stock(stock_end: int) -> None:
    hand = start(LOOSE, "Kc", "Qs", opening="draw", stock_end=stock_end)
    del hand.stock[stock_end + 1 :]
    play(hand, DRAW, "Qs")
    assert (hand.ending, hand.winner, hand.points) == ("dead", None, (0, 0))
    assert (hand.deadwood, hand.legal()) == (None, set())


def test_hand_lives_while_the_pile_is_taken_at_the_end_of_the_stock() -> None:
    hand = start(LOOSE, "Kc", "Qs", opening="draw")
    del hand.stock[3:]
    assert play(hand, TAKE, "8c").phase == "draw"


def test_hand_knock_with_the_last_discard_scores() -> None:
    hand = start((DEADWOOD_2, LEFT_WITH_10), "5c", "Kd", opening="draw", turn_cap=1)
    del hand.stock[3:]
    assert play(hand, DRAW, knock("Kd")).points == (8, -8)


def test_hand_dies_at_the_turn_cap_passes_not_counted() -> None:
    hand = play(start(LOOSE, "Kc", "Qs", turn_cap=2), PASS, PASS, DRAW, "Qs")
    assert (hand.turns, hand.phase) == (1, "draw")
    play(hand, TAKE, "Kd")
    assert (hand.turns, hand.ending) == (2, "dead")


def test_hand_refuses_an_illegal_action_and_stays_as_it_was() -> None:
    hand = start(LOOSE, "Kc")
    with pytest.raises(ValueError, match="not legal in phase 'offer'"):
        play(hand, DRAW)
    assert (hand.phase, hand.to_move) == ("offer", 0)


CHOICES: dict[str, list[Any]] = {
    "opening": ["offer", "draw"],
    "after_two_passes": ["stock", "either", "stock_only"],
    "declined_upcard": ["pile", "removed"],
    "knock_limit": [0, 5, 10],
    "oklahoma": ["off", "ace_one", "ace_gin"],
    "oklahoma_spades_double": [False, True],
    "big_gin_bonus": [None, 31],
    "tie": ["undercut", "push", "knocker"],
    "may_return_taken": [False, True],
    "stock_end": [2, 3],
    "turn_cap": [30, 100],
}


@pytest.mark.parametrize("seed", range(40))
def test_hand_random_play_keeps_the_deck_and_ends(seed: int) -> None:
    rng = random.Random(seed)
    rules = STANDARD | {field: rng.choice(values) for field, values in CHOICES.items()}
    deck = rng.sample(range(52), 52)
    hand = ReferenceHand(rules, seed % 2, [deck[:10], deck[10:20]], deck[20], deck[21:])
    while actions := hand.legal():
        hand.apply(max(actions) if rng.random() < 0.3 else rng.choice(sorted(actions)))
        places = [*hand.hands[0], *hand.hands[1], *hand.pile, *hand.stock, *hand.removed]
        assert sorted(places) == list(range(52))
    assert hand.phase == "over"
    assert sum(hand.points) == 0
    assert hand.turns <= rules["turn_cap"]


# --- The match ---


def record(match: ReferenceMatch, *won: tuple[int, int]) -> list[Pair]:
    """Record hands, each as its winner and the winner's points."""
    return [
        match.record(w, (points, -points) if w == 0 else (-points, points)) for w, points in won
    ]


def test_match_home_is_worth_440() -> None:
    home = {"game_bonus": 100, "shutout": 100, "hand_bonus": 20, "hand_bonus_paid": "end"}
    match = ReferenceMatch(STANDARD | home)
    assert record(match, *[(0, 16)] * 5) == [(16, -16)] * 5
    assert match.winner is None
    assert record(match, (0, 40)) == [(360, -360)]
    assert match.is_over
    assert (match.totals, match.bonuses, match.hands_won) == ([120, 0], [320, 0], [6, 0])
    assert match.totals[0] + match.bonuses[0] == 440


def test_match_pays_both_seats_for_hands_at_the_end() -> None:
    match = ReferenceMatch(STANDARD | {"hand_bonus": 25, "game_bonus": 100, "shutout": "double"})
    assert record(match, (1, 10), (1, 12), (0, 99), (0, 1)) == [
        (-10, 10),
        (-12, 12),
        (99, -99),
        (101, -101),
    ]
    assert (match.winner, match.totals, match.bonuses) == (0, [100, 22], [150, 50])


def test_match_pays_hand_bonus_at_once_into_the_total() -> None:
    match = ReferenceMatch(STANDARD | AT_ONCE)
    assert record(match, (0, 20), (1, 90)) == [(30, -30), (-100, 100)]
    assert (match.winner, match.totals, match.bonuses) == (1, [30, 100], [0, 0])


def test_match_shutout_doubles_the_running_total() -> None:
    rules = STANDARD | AT_ONCE | {"shutout": "double", "game_bonus": 100}
    assert record(ReferenceMatch(rules), (1, 93)) == [(-306, 306)]
    assert record(ReferenceMatch(rules), (0, 0), (1, 93)) == [(10, -10), (-203, 203)]


def test_match_shutout_needs_a_total_of_nil_not_a_lost_hand() -> None:
    match = ReferenceMatch(STANDARD | {"shutout": 100, "tie": "knocker"})
    assert record(match, (0, 0), (1, 100)) == [(0, 0), (-200, 200)]
    assert match.hands_won == [1, 1]


@pytest.mark.parametrize(
    ("next_dealer", "dealers"),
    [("loser", [1, 0, 0]), ("winner", [0, 1, 1]), ("alternate", [1, 0, 1])],
)
def test_match_passes_the_deal(next_dealer: str, dealers: list[int]) -> None:
    match = ReferenceMatch(STANDARD | {"first_dealer": "seat_0", "next_dealer": next_dealer})
    for winner, dealer in zip((0, 1, 1), dealers, strict=True):
        record(match, (winner, 5))
        assert match.dealer == dealer
        assert match.record(None, (0, 0)) == (0, 0)
        assert match.dealer == dealer


def test_match_first_dealer() -> None:
    assert ReferenceMatch(STANDARD).dealer == 1
    assert ReferenceMatch(STANDARD | {"first_dealer": "seat_0"}, lot=1).dealer == 0
    assert [ReferenceMatch(STANDARD | {"first_dealer": "lot"}, lot).dealer for lot in (0, 1)] == [
        0,
        1,
    ]


def test_match_takes_no_hand_once_it_is_over() -> None:
    match = ReferenceMatch(STANDARD)
    record(match, (1, 100))
    with pytest.raises(ValueError, match="over"):
        match.record(None, (0, 0))
