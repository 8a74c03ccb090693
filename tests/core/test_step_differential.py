"""Hands and matches through the kernels and through the reference, side by side, move by move.

How many are played: see tests/hands.py (``GIN_TEST_SCALE``).
"""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from gin_env.core.actions import action_text
from gin_env.core.cards import cards_text
from gin_env.core.match import next_hand, play, play_forfeit
from gin_env.core.rules import CHOICES, FLAGS, PRESETS, Rules
from gin_env.core.state import NO_SEAT, Ending, Phase
from tests.core.policies import POLICIES, Policy, play_anything
from tests.core.table import Table
from tests.hands import dense_deal, random_deal, sample_size
from tests.reference.hand import ReferenceHand, ReferenceMatch
from tests.reference.melds import is_set, melded

N_HANDS = sample_size(1_200)  # of each preset
N_MATCHES = sample_size(240)  # of each preset
N_RULES = sample_size(6_000)  # random rule sets, a hand of each
N_MATCH_RULES = sample_size(1_000)  # a match of each

NUMBERS: dict[str, list[Any]] = {
    "knock_limit": [0, 3, 10, 10, 10],
    "gin_bonus": [0, 20, 25],
    "undercut_bonus": [0, 10, 25],
    "big_gin_bonus": [None, 0, 31],
    "stock_end": [2, 3],
    "turn_cap": [1, 7, 30, 100, 100, 100, 100],
    "target": [1, 30, 60, 120],
    "hand_bonus": [0, 10, 25],
    "game_bonus": [0, 100],
    "shutout": ["none", "double", 0, 100],
}
VALUES: dict[str, Sequence[Any]] = {
    **CHOICES,
    **NUMBERS,
    **{name: [False, True] for name in FLAGS},
}


def random_rules(rng: Random) -> Rules:
    """Any combination of fields, the numbers from a few."""
    return Rules.from_dict({name: rng.choice(values) for name, values in VALUES.items()})


class Pair:
    """One hand, in a state of the kernels and in the reference."""

    def __init__(self, table: Table) -> None:
        deal = table.deal()
        self.table = table
        self.moves: list[str] = []
        self.slow = ReferenceHand(
            table.rules.to_dict(), int(table.s["dealer"]), deal.hands, deal.upcard, deal.stock
        )
        self.compare()

    def play(self, action: int) -> None:
        """Play an action in both, and compare what comes of it."""
        self.moves.append(action_text(action))
        play(self.table.r, self.table.s, action)
        self.slow.apply(action)
        self.compare()

    def compare(self) -> None:
        """Compare everything that both know of."""
        assert self.facts() == self.expected_facts(), (self.table.rules, self.moves)
        seat = self.slow.to_move
        assert self.table.legal(seat) == self.slow.legal(), (self.table.rules, self.moves)
        assert not self.table.mask(1 - seat).any()

    def facts(self) -> dict[str, Any]:
        """What the state says."""
        s, end = self.table.s, self.table.s["hand_end"]
        is_over = s["phase"] == Phase.OVER
        is_shown = is_over and end["knocker"] != NO_SEAT
        points = int(end["points"]) if is_over else 0
        return {
            "phase": Phase(s["phase"]).name.lower(),
            "to_move": s["to_move"],
            "hands": [self.table.hand(0), self.table.hand(1)],
            "pile": self.table.pile(),
            "stock": self.table.stock(),
            "removed": cards_text(int(s["removed"])),
            "turns": s["n_turns"],
            "limit": s["knock_limit"],
            "ending": Ending(end["ending"]).name.lower() if is_over else "",
            "winner": end["winner"] if is_over and end["winner"] != NO_SEAT else None,
            "points": (points, -points),
            "deadwood": tuple(end["deadwood"]) if is_shown else None,
            "knocker": s["to_move"] if is_shown else NO_SEAT,
        }

    def expected_facts(self) -> dict[str, Any]:
        """What the reference says."""
        slow = self.slow
        return {
            "phase": slow.phase,
            "to_move": slow.to_move,
            "hands": [frozenset(slow.hands[0]), frozenset(slow.hands[1])],
            "pile": slow.pile,
            "stock": slow.stock,
            "removed": cards_text(slow.removed),
            "turns": slow.turns,
            "limit": slow.limit,
            "ending": slow.ending,
            "winner": slow.winner,
            "points": slow.points,
            "deadwood": slow.deadwood,
            "knocker": self.table.s["hand_end"]["knocker"] if slow.deadwood else NO_SEAT,
        }

    def finish(self, rng: Random, policies: tuple[Policy, Policy], seen: Counter[Any]) -> None:
        """Play to the end of the hand."""
        while self.slow.phase != "over":
            seen[self.slow.phase] += 1
            self.play(policies[self.slow.to_move](rng, self.table))
        end = self.table.s["hand_end"]
        seen[Ending(end["ending"])] += 1
        if self.slow.shown and self.slow.ending != "big_gin":
            shown_sets = melded(meld for meld in self.slow.shown if is_set(meld))
            assert cards_text(int(end["sets"][end["knocker"]])) == cards_text(sorted(shown_sets))


def two_policies(rng: Random) -> tuple[Policy, Policy]:
    """A way to play for each seat."""
    return rng.choice(POLICIES), rng.choice(POLICIES)


def play_hand(rules: Rules, rng: Random, seen: Counter[Any]) -> None:
    """Play a hand, two in three of them meld-dense; the single hand's reward is its points."""
    table = Table.seeded(rules, rng.getrandbits(63))
    if rng.random() < 2 / 3:
        table.lay(dense_deal(rng))
    Pair(table).finish(rng, two_policies(rng), seen)
    assert table.s["reward"] == table.s["hand_end"]["points"]
    assert table.s["is_episode_over"]
    assert table.s["match_winner"] == NO_SEAT


def play_match(rules: Rules, rng: Random, seen: Counter[Any]) -> None:
    """Play a match, and compare what spans its hands."""
    table = Table.seeded(rules, rng.getrandbits(63), "match")
    s = table.s
    match = ReferenceMatch(rules.to_dict(), int(s["dealer"]))
    assert s["dealer"] == match.dealer
    for n_hands in range(1, 400):
        if rng.random() < 2 / 3:
            table.lay(dense_deal(rng))
        pair = Pair(table)
        pair.finish(rng, two_policies(rng), seen)
        rewards = match.record(pair.slow.winner, pair.slow.points)
        assert s["reward"] == rewards[0] == -rewards[1], rules
        assert s["totals"].tolist() == match.totals
        assert s["hands_won"].tolist() == match.hands_won
        assert s["n_hands"] == n_hands
        assert s["is_episode_over"] == match.is_over
        if match.is_over:
            assert s["match_winner"] == match.winner
            seen["shutout"] += 0 in match.totals
            return
        assert s["match_winner"] == NO_SEAT
        dealer = s["dealer"]
        next_hand(table.r, s)
        assert s["dealer"] == match.dealer, rules
        seen["same dealer, none won"] += pair.slow.winner is None and dealer == s["dealer"]
    # Two who never score: nothing is wrong, it just does not end.
    seen["unfinished"] += 1


ALWAYS = {Ending.DEAD, Ending.KNOCK, Ending.UNDERCUT, Ending.GIN, "offer", "draw", "discard"}


def endings_of(rules: Rules) -> set[Any]:
    """The endings and phases that a table of these rules must have shown after many hands."""
    expected = set(ALWAYS)
    if rules.knock_limit == 0:
        expected -= {Ending.KNOCK, Ending.UNDERCUT}
    if rules.opening == "draw":
        expected -= {"offer"}
    if rules.big_gin_bonus is not None:
        expected |= {Ending.BIG_GIN}
    return expected


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
def test_hands_of_a_preset_go_as_in_the_reference(name: str) -> None:
    rng, seen = Random(f"hands {name}"), Counter[Any]()
    rules = Rules.preset(name)
    for _ in range(N_HANDS):
        play_hand(rules, rng, seen)
    assert endings_of(rules) <= seen.keys(), seen


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
def test_matches_of_a_preset_go_as_in_the_reference(name: str) -> None:
    rng, seen = Random(f"matches {name}"), Counter[Any]()
    for _ in range(N_MATCHES):
        play_match(Rules.preset(name), rng, seen)
    assert seen["same dealer, none won"] > 0
    assert seen["unfinished"] == 0


@pytest.mark.slow
def test_hands_of_any_rules_go_as_in_the_reference() -> None:
    rng, seen = Random("any hands"), Counter[Any]()
    for _ in range(N_RULES):
        rules = random_rules(rng)
        seen.update(rules.to_dict().items())
        play_hand(rules, rng, seen)
    possible = set(Ending) - {Ending.NONE, Ending.FORFEIT}
    assert possible | ALWAYS <= seen.keys(), seen
    for name, values in VALUES.items():
        assert all(seen[name, value] for value in values), name


@pytest.mark.slow
def test_matches_of_any_rules_go_as_in_the_reference() -> None:
    rng, seen = Random("any matches"), Counter[Any]()
    for _ in range(N_MATCH_RULES):
        play_match(random_rules(rng).replace(turn_cap=100), rng, seen)
    assert ALWAYS | {Ending.BIG_GIN} <= seen.keys(), seen
    assert seen["same dealer, none won"] > 0
    assert seen["shutout"] > 0
    assert seen["unfinished"] == 0


def test_forfeit_pays_the_penalty_at_any_time_and_is_never_doubled() -> None:
    rng, phases = Random("forfeits"), Counter[Phase]()
    rules = Rules.preset("oklahoma")
    for _ in range(200):
        table = Table.seeded(rules, rng.getrandbits(63))
        s = table.s
        for _ in range(rng.randint(0, 5)):
            play(table.r, s, play_anything(rng, table))
        if s["phase"] == Phase.OVER:
            continue
        phases[Phase(s["phase"])] += 1
        loser = s["to_move"]
        play_forfeit(table.r, s, 50)
        assert (s["phase"], s["hand_end"]["ending"]) == (Phase.OVER, Ending.FORFEIT)
        assert s["hand_end"]["winner"] == 1 - loser
        assert s["hand_end"]["points"] == s["reward"] == (-50 if loser == 0 else 50)
        assert s["hand_end"]["knocker"] == NO_SEAT
        assert s["is_episode_over"]
        assert not table.mask(0).any()
        assert not table.mask(1).any()
    assert min(phases[phase] for phase in (Phase.OFFER, Phase.DRAW, Phase.DISCARD)) >= 10


def test_random_deals_reach_the_reference_unchanged() -> None:
    rng = Random(3)
    for _ in range(20):
        table, deal = Table.seeded(Rules(), 1), random_deal(rng)
        table.lay(deal)
        assert table.deal() == deal
        assert Pair(table).slow.stock == list(deal.stock)
