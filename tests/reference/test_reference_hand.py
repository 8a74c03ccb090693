"""The reference's hand and match; the rules that they play are tested in tests/rules."""

import random
from typing import Any

import pytest

from tests.reference.hand import DRAW, STANDARD, ReferenceHand, ReferenceMatch

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


def test_hand_refuses_an_illegal_action_and_stays_as_it_was() -> None:
    hand = ReferenceHand(STANDARD, 1, [range(10), range(10, 20)], 20, range(21, 52))
    with pytest.raises(ValueError, match="not legal in phase 'offer'"):
        hand.apply(DRAW)
    assert (hand.phase, hand.to_move) == ("offer", 0)


def test_match_takes_no_hand_once_it_is_over() -> None:
    match = ReferenceMatch(STANDARD)
    match.record(1, (-100, 100))
    with pytest.raises(ValueError, match="over"):
        match.record(None, (0, 0))
