"""What holds in every hand of every preset, whatever is played.

Every preset plays 100,000 hands at full scale (``GIN_TEST_SCALE``, see tests/hands.py) in a
compiled loop that counts what it saw; some more are played in plain Python, which counts the cards
the obvious way.
"""

from collections import Counter
from enum import IntEnum
from random import Random
from typing import Any

import numpy as np
import pytest

from gin_env.core.actions import BIG_GIN, DRAW, KNOCK, N_ACTIONS, PASS, TAKE
from gin_env.core.cards import ALL_BITS, N_CARDS, bit, count, points
from gin_env.core.jit import kernel
from gin_env.core.match import BY_RULES, begin, next_hand, play
from gin_env.core.melds import deadwood
from gin_env.core.rules import NO_BIG_GIN, PRESETS, Rules
from gin_env.core.state import (
    DISCARD_PHASE,
    DRAW_PHASE,
    NO_SEAT,
    OFFER,
    OVER,
    STATE_DTYPE,
    Ending,
    draw_below,
    next_word,
    seed_words,
)
from gin_env.core.step import legal_mask
from gin_env.core.view import VIEW_DTYPE, look
from tests.core.policies import POLICIES
from tests.core.table import Table
from tests.hands import sample_size

N_HANDS = sample_size(100_000)  # of each preset
N_MATCHES = sample_size(4_000)  # of each preset
N_PLAIN_HANDS = sample_size(240)  # of each preset
MAX_MOVES = 2 * 1_000 + 3
DEAD, GIN = int(Ending.DEAD), int(Ending.GIN)


Game = tuple[Any, ...]
"""Rules, state, view, mask and counts: what the compiled loops work on."""


class Seen(IntEnum):
    """What the compiled loop counts; the violations come first."""

    MISPLACED = 0
    """Cards in two places at once, or in none."""
    MISCOUNTED = 1
    """A hand, pile or stock of the wrong size."""
    UNKNOWN = 2
    """A card known to be in a hand, or said to be declined, that is not where it should be."""
    MASK = 3
    """A mask that is not what the rules of the phase allow."""
    OTHER_MASK = 4
    """A mask that is not zero for a seat that is not to move, or after the end."""
    REWARD = 5
    """A reward before the end, or another than the hand's points."""
    POINTS = 6
    """Points for the wrong seat, without a winner, or more than any hand can score."""
    ENDLESS = 7
    """A hand that did not end."""
    DEALER = 8
    """A dead hand after which the deal moved on."""
    TOTALS = 9
    """Running totals that are not the sum of what was paid, or a match past its target."""
    HANDS = 10
    MOVES = 11
    DEAD_HANDS = 12
    WON_HANDS = 13
    MATCHES = 14
    MASKS_ALL_ZERO = 15
    FORBIDDEN = 16
    """Moves with a card that could not be discarded."""
    GINS = 17


N_VIOLATIONS = int(Seen.HANDS)
# Plain ints, which kernels read.
(
    MISPLACED, MISCOUNTED, UNKNOWN, MASK, OTHER_MASK, REWARD, POINTS, ENDLESS, DEALER, TOTALS,
    HANDS, MOVES, DEAD_HANDS, WON_HANDS, MATCHES, MASKS_ALL_ZERO, FORBIDDEN, GINS,
) = range(len(Seen))  # fmt: skip


@kernel
def check_cards(s: Any, seen: Any) -> None:
    """Count the cards of both hands, pile, stock and the removed upcard."""
    stock = 0
    for place in range(N_CARDS - s["n_stock"], N_CARDS):
        stock |= bit(s["deck"][place])
    pile = 0
    for place in range(s["n_pile"]):
        pile |= bit(s["pile"][place])
    one, other, gone = s["hand"][0], s["hand"][1], s["removed"]
    n_cards = count(one) + count(other) + count(stock) + count(pile) + count(gone)
    seen[MISPLACED] += n_cards != N_CARDS or one | other | stock | pile | gone != ALL_BITS
    is_big_gin = s["phase"] == OVER and s["hand_end"]["ending"] == Ending.BIG_GIN
    extra = s["phase"] == DISCARD_PHASE or is_big_gin
    for seat in range(2):
        expected = 11 if extra and seat == s["to_move"] else 10
        seen[MISCOUNTED] += count(s["hand"][seat]) != expected
        seen[UNKNOWN] += s["known"][seat] & ~s["hand"][seat] != 0
        seen[UNKNOWN] += s["shed"][seat] & ~s["discarded"][seat] != 0
        seen[UNKNOWN] += (s["declined"][seat] | s["discarded"][seat]) & stock != 0
        seen[UNKNOWN] += s["declined"][seat] & s["hand"][seat] & ~s["known"][seat] != 0
    seen[MISCOUNTED] += count(stock) != s["n_stock"] or count(pile) != s["n_pile"]
    seen[MISCOUNTED] += pile != s["pile_bits"]


@kernel
def is_allowed(r: Any, s: Any, action: int) -> bool:
    """The rules of each phase once more, from the state and the deadwood of ten cards."""
    if s["phase"] == OFFER:
        return action in (TAKE, PASS)
    if s["phase"] == DRAW_PHASE:
        return action == DRAW or (action == TAKE and s["n_pile"] > 0 and s["pile_status"] == 0)
    if action == BIG_GIN:
        return r["big_gin_bonus"] != NO_BIG_GIN and deadwood(s["hand"][s["to_move"]]) == 0
    return action < DRAW and may_lay_down(r, s, action)


@kernel
def may_lay_down(r: Any, s: Any, action: int) -> bool:
    """Tell whether a card may be discarded, or knocked with."""
    hand, card = s["hand"][s["to_move"]], action % KNOCK
    is_kept = s["is_drawn_open"] and card == s["drawn"] and not r["may_return_taken"]
    if is_kept or not hand & bit(card):
        return False
    return action < KNOCK or deadwood(hand & ~bit(card)) <= s["knock_limit"]


@kernel
def check_masks(game: Game) -> None:
    """Compare both seats' masks with the rules; leaves the mask of the seat to move."""
    r, s, v, mask, seen = game
    mover = s["to_move"]
    for turn in range(2):
        seat = 1 - mover if turn == 0 else mover
        look(r, s, seat, v)
        legal_mask(r, v, mask)
        if seat != mover or s["phase"] == OVER:
            seen[OTHER_MASK] += mask.any()
            seen[MASKS_ALL_ZERO] += 1
            continue
        seen[FORBIDDEN] += v["just_taken"] >= 0
        for action in range(N_ACTIONS):
            seen[MASK] += mask[action] != is_allowed(r, s, action)


@kernel
def choose(v: Any, mask: Any, word: int, style: int) -> int:
    """Choose a move in one of four styles, so that hands end in every way.

    0 plays anything, 1 anything that does not end the hand; 2 and 3 lower the deadwood, and 2
    knocks as soon as it may, 3 with gin only.
    """
    if style >= 2:
        best: int = lower_deadwood(v, mask, style == 2)
        return best
    n_legal = 0
    for action in range(N_ACTIONS):
        n_legal += mask[action] and not (style == 1 and ends_hand(action))
    nth = draw_below(word, n_legal)
    for action in range(N_ACTIONS):
        if mask[action] and not (style == 1 and ends_hand(action)):
            if nth == 0:
                return action
            nth -= 1
    return -1


@kernel
def ends_hand(action: int) -> bool:
    """Tell a knock or a big gin."""
    return KNOCK <= action < DRAW or action == BIG_GIN


@kernel
def lower_deadwood(v: Any, mask: Any, knocks: bool) -> int:
    """Take and discard for the least deadwood, and end the hand with gin at the latest."""
    least, best = 999, -1
    for card in range(N_CARDS):
        if 0 <= v["deadwood_after"][card] < least:
            least, best = v["deadwood_after"][card], card
    if mask[DRAW] or mask[PASS]:
        if mask[TAKE] and least < v["deadwood"]:
            return TAKE
        return PASS if mask[PASS] else DRAW
    if mask[BIG_GIN]:
        return BIG_GIN
    return best + KNOCK if mask[best + KNOCK] and (knocks or least == 0) else best


@kernel
def play_hand(game: Game, word: int) -> int:
    """Play one hand to its end, looking at everything before every move; returns the next word."""
    r, s, v, mask, seen = game
    word = next_word(word)
    styles = draw_below(word, 16)
    for _ in range(MAX_MOVES):
        check_cards(s, seen)
        check_masks(game)
        if s["phase"] == OVER:
            seen[HANDS] += 1
            return word
        word = next_word(word)
        style = styles // 4 if s["to_move"] else styles % 4
        play(r, s, choose(v, mask, word, style))
        seen[MOVES] += 1
        seen[REWARD] += s["phase"] != OVER and s["reward"] != 0
    seen[ENDLESS] += 1
    return word


@kernel
def check_points(r: Any, s: Any, seen: Any) -> None:
    """Compare the points with who won, and with the most that a hand can be worth."""
    winner, ending = s["hand_end"]["winner"], s["hand_end"]["ending"]
    value = s["hand_end"]["points"] if winner == 0 else -s["hand_end"]["points"]
    bonus = max(r["gin_bonus"], r["undercut_bonus"], r["big_gin_bonus"])
    if winner == NO_SEAT:
        seen[POINTS] += s["hand_end"]["points"] != 0 or ending < DEAD
        seen[DEAD_HANDS] += ending == DEAD
    else:
        seen[POINTS] += not 0 <= value <= (100 + bonus) * (1 + s["is_doubled"])
        seen[WON_HANDS] += 1
        if ending == GIN:
            seen[GINS] += 1
            least = points(s["hand"][1 - winner]) - s["hand_end"]["deadwood"][1 - winner]
            seen[POINTS] += value < r["gin_bonus"] or least < 0


@kernel
def play_hands(game: Game, n_hands: int, word: int) -> None:
    """Play single hands and count what went wrong."""
    r, s, _, _, seen = game
    for _ in range(n_hands):
        begin(r, s, BY_RULES)
        word = play_hand(game, word)
        check_points(r, s, seen)
        seen[REWARD] += s["reward"] != s["hand_end"]["points"] or not s["is_episode_over"]


@kernel
def play_matches(game: Game, n_matches: int, word: int) -> None:
    """Play whole matches and count what went wrong."""
    r, s, _, _, seen = game
    for _ in range(n_matches):
        begin(r, s, BY_RULES)
        paid = 0
        for _ in range(10_000):
            before = s["totals"][0] - s["totals"][1]
            word = play_hand(game, word)
            check_points(r, s, seen)
            paid += s["reward"]
            if s["is_episode_over"]:
                break
            seen[REWARD] += s["reward"] != s["totals"][0] - s["totals"][1] - before
            seen[TOTALS] += max(s["totals"][0], s["totals"][1]) >= r["target"]
            dealer, winner = s["dealer"], s["hand_end"]["winner"]
            next_hand(r, s)
            seen[DEALER] += winner == NO_SEAT and s["dealer"] != dealer
        seen[MATCHES] += 1
        check_match(r, s, paid, seen)


@kernel
def check_match(r: Any, s: Any, paid: int, seen: Any) -> None:
    """Compare a match that should be over with its target, and all that it paid with its totals."""
    winner = s["match_winner"]
    if not s["is_episode_over"] or winner == NO_SEAT:
        seen[ENDLESS] += 1
        return
    loser = 1 - winner
    seen[TOTALS] += s["totals"][winner] < r["target"] or s["totals"][loser] >= r["target"]
    bonus = (paid if winner == 0 else -paid) - (s["totals"][winner] - s["totals"][loser])
    seen[REWARD] += bonus < r["game_bonus"] - r["hand_bonus"] * s["hands_won"][loser]


def run(play_all: Any, rules: Rules, episode: Any, n_episodes: int) -> Counter[str]:
    """Run one of the compiled loops on fresh records, and name what it counted."""
    s = np.zeros(1, STATE_DTYPE)[0]
    v = np.zeros(1, VIEW_DTYPE)[0]
    words = seed_words(np.array([n_episodes, 1], np.uint64))
    s["rng_state"] = words[0]
    seen = np.zeros(len(Seen), np.int64)
    game = (rules.row(episode), s, v, np.zeros(N_ACTIONS, np.int8), seen)
    play_all(game, n_episodes, words[1])
    return Counter({what.name: int(seen[what]) for what in Seen})


def violations(seen: Counter[str]) -> dict[str, int]:
    """What went wrong, and how often."""
    return {what.name: seen[what.name] for what in Seen if what < N_VIOLATIONS and seen[what.name]}


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
def test_every_hand_of_a_preset_keeps_the_rules(name: str) -> None:
    seen = run(play_hands, Rules.preset(name), "hand", N_HANDS)
    assert not violations(seen)
    assert seen["HANDS"] == N_HANDS
    assert seen["DEAD_HANDS"] > N_HANDS / 10
    assert seen["WON_HANDS"] > N_HANDS / 5
    assert seen["GINS"] > N_HANDS / 20
    assert seen["MASKS_ALL_ZERO"] == seen["MOVES"] + 2 * N_HANDS
    assert seen["FORBIDDEN"] > N_HANDS


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
def test_every_match_of_a_preset_keeps_the_rules(name: str) -> None:
    seen = run(play_matches, Rules.preset(name), "match", N_MATCHES)
    assert not violations(seen)
    assert seen["MATCHES"] == N_MATCHES
    assert seen["HANDS"] > 2 * N_MATCHES
    assert seen["DEAD_HANDS"] > N_MATCHES / 10


@pytest.mark.parametrize("name", PRESETS)
def test_cards_stay_in_one_place_each_in_plain_python(name: str) -> None:
    rng, seen = Random(name), Counter[str]()
    for _ in range(N_PLAIN_HANDS):
        table = Table.seeded(Rules.preset(name), rng.getrandbits(63))
        policies = rng.choice(POLICIES), rng.choice(POLICIES)
        while True:
            check_places(table)
            seat = int(table.s["to_move"])
            assert not table.mask(1 - seat).any()
            if table.s["is_episode_over"]:
                break
            play(table.r, table.s, policies[seat](rng, table))
            seen["moves"] += 1
        assert not table.mask(seat).any()
        seen["removed"] += bool(table.s["removed"])
    assert seen["moves"] > 10 * N_PLAIN_HANDS
    assert (seen["removed"] > 0) is (Rules.preset(name).declined_upcard == "removed")


def check_places(table: Table) -> None:
    """List where every card is, and find each once."""
    removed = [card for card in range(52) if int(table.s["removed"]) >> card & 1]
    places = [*table.hand(0), *table.hand(1), *table.pile(), *table.stock(), *removed]
    assert sorted(places) == list(range(52))
