"""Knocks and gins as the kernels settle them: against the reference.

How many are settled: see tests/hands.py (``GIN_TEST_SCALE``).
"""

from collections import Counter
from random import Random
from typing import Any

import pytest

from gin_env.core.actions import DRAW, KNOCK
from gin_env.core.match import play
from gin_env.core.melds import deadwood, run_cards
from gin_env.core.rules import Rules
from gin_env.core.state import NO_SEAT, Ending
from tests.core.table import Table
from tests.hands import Deal, Hand, bits, cards, dense_pair, sample_size
from tests.reference.cards import ALL_CARDS, text
from tests.reference.hand import ReferenceHand
from tests.reference.melds import best_arrangements

N_SETTLEMENTS = sample_size(20_000)


def draw_knocks(seed: int, n_knocks: int) -> list[tuple[Hand, Hand]]:
    """Ten cards that may knock under a limit of ten, and a defender's ten."""
    rng, found = Random(seed), list[tuple[Hand, Hand]]()
    while len(found) < n_knocks:
        knocker, held = dense_pair(rng)
        if len(found) % 2:  # any defender
            held = frozenset(rng.sample(sorted(ALL_CARDS - knocker), 10))
        if deadwood(bits(knocker)) <= 10:
            found.append((knocker, held))
    return found


def random_prices(rng: Random) -> Rules:
    """Rules that price a knock in any way; a normal draw begins the hand."""
    return Rules(
        opening="draw",
        oklahoma_spades_double=rng.random() < 0.5,
        gin_bonus=rng.randint(0, 40),
        undercut_bonus=rng.randint(0, 40),
        big_gin_bonus=rng.choice([None, 31]),
        tie=rng.choice(["undercut", "push", "knocker"]),
    )


def knock(rules: Rules, kept: Hand, held: Hand, rng: Random, knocker: int) -> Table:
    """Let a seat draw a card from the stock and knock with it, in the first turn of the hand."""
    others = sorted(ALL_CARDS - kept - held)
    rng.shuffle(others)
    table = Table.seeded(rules, 0, dealer=1 - knocker)
    hands = (kept, held) if knocker == 0 else (held, kept)
    table.lay(Deal(hands, others[0], tuple(others[1:])))
    play(table.r, table.s, DRAW)
    play(table.r, table.s, KNOCK + others[1])
    return table


def expected(table: Table, knocker: int) -> ReferenceHand:
    """The same turn in the reference."""
    deal = table.deal()
    slow = ReferenceHand(table.rules.to_dict(), 1 - knocker, deal.hands, deal.upcard, deal.stock)
    slow.apply(DRAW)
    slow.apply(KNOCK + deal.stock[0])
    return slow


@pytest.mark.slow
def test_settlements_are_the_reference_s() -> None:
    rng, seen = Random(1), Counter[Any]()
    for kept, held in draw_knocks(1, N_SETTLEMENTS):
        rules, knocker = random_prices(rng), rng.randint(0, 1)
        table = knock(rules, kept, held, rng, knocker)
        slow, s = expected(table, knocker), table.s
        end = s["hand_end"]
        facts = (text(kept), text(held), rules)
        assert Ending(end["ending"]).name.lower() == slow.ending, facts
        assert end["points"] == slow.points[0], facts
        assert (None if end["winner"] == NO_SEAT else end["winner"]) == slow.winner, facts
        assert tuple(end["deadwood"]) == slow.deadwood, facts
        assert end["knocker"] == slow.to_move == knocker
        assert shown_melds(s, knocker) == {frozenset(meld) for meld in slow.shown}, facts
        seen[Ending(end["ending"])] += 1
        seen["laid off"] += end["laid_off"] != 0
        seen["doubled"] += s["is_doubled"] and end["points"] != 0
        seen["ways"] += len(best_arrangements(kept)) > 1
        seen["worth nothing"] += slow.winner is not None and end["points"] == 0
    assert min(seen.values()) >= max(1, N_SETTLEMENTS / 1_000), seen
    assert {Ending.KNOCK, Ending.UNDERCUT, Ending.GIN, Ending.PUSH} <= seen.keys()


def shown_melds(s: Any, seat: int) -> set[Hand]:
    """The melds of one seat: sets by rank, runs by neighbourhood."""
    sets = cards(s["hand_end"]["sets"][seat])
    found = {frozenset(card for card in sets if card % 13 == rank) for rank in range(13)}
    left = run_cards(int(s["hand"][seat]) & ~int(s["hand_end"]["sets"][seat]))
    while left:
        run = {(left & -left).bit_length() - 1}
        while (last := max(run)) % 13 < 12 and left >> last + 1 & 1:
            run.add(last + 1)
        found.add(frozenset(run))
        left &= ~bits(run)
    return found - {frozenset()}
