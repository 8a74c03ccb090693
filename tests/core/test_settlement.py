"""Knocks and gins priced by the kernels: against the reference, and the rule book's worked results.

How many are settled: see tests/hands.py (``GIN_TEST_SCALE``).
"""

from collections import Counter
from random import Random
from typing import Any

import pytest

from gin_env.core.actions import BIG_GIN, DRAW, KNOCK
from gin_env.core.cards import cards_text, parse_card, to_bits
from gin_env.core.match import play
from gin_env.core.melds import deadwood, run_cards
from gin_env.core.rules import Rules
from gin_env.core.state import NO_SEAT, Ending, Phase
from tests.core.table import Table
from tests.hands import Deal, Hand, bits, cards, dense_pair, sample_size
from tests.reference.cards import ALL_CARDS, ids, text
from tests.reference.hand import ReferenceHand
from tests.reference.melds import best_arrangements

N_SETTLEMENTS = sample_size(20_000)

MELDED = "As 2s 3s 4h 5h 6h 7d 8d 9d"  # what it takes to the table: 4s 3h 7h 6d Td and so on
HIGH_RUNS = "Jh Qh Kh Js Qs Ks"
DEADWOOD_16 = "2c 2h 2d Jc Jh Jd 3c 3h 4c 9h"  # 2c 3c 4c and the jacks are melds
LOOSE = ("4s 5s 6s 7h 9h Jh 2d 4d 6d 8c", "Ah 3h 5h 7d 9d Jd Kd 4c 6c 8s")


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


# --- Worked results ---


@pytest.mark.parametrize(
    ("kept", "held", "ending", "left", "points"),
    [
        # Gin against 21, and against 9 3 4 4: 25 and what is left; nothing may be laid off.
        (f"{MELDED} Td", f"{HIGH_RUNS} 9c 8c 3c Ac", "gin", (0, 21), 46),
        (f"{MELDED} Td", f"{HIGH_RUNS} 9c 3h 4s 4c", "gin", (0, 20), 45),
        # 3 against 12, once 4s and 3h are laid off.
        (f"{MELDED} 3c", f"{HIGH_RUNS} 4s 3h 8c 4c", "knock", (3, 12), 9),
        (f"{MELDED} Tc", f"{HIGH_RUNS} 4s 3h 6c 4c", "undercut", (10, 10), -25),
        (f"{MELDED} Tc", f"{HIGH_RUNS} 4s 3h 2h 6c", "undercut", (10, 6), -29),
        # A defender with nothing left at all.
        (f"{MELDED} Ac", f"{HIGH_RUNS} 4s 5s 3h 2h", "undercut", (1, 0), -26),
        # Against 7c 8c 9c, the 6c Tc and 4h: 20 points fall to 4.
        ("7c 8c 9c As Ah Ad Ks Kh Kd 3d", "2s 2h 2d Js Jh Jd 6c Tc 4h 4d", "knock", (3, 8), 5),
        # Against 5s 6s 7s all of 8s 9s Ts: they are a run of the defender's own, or laid off.
        ("5s 6s 7s Ah Ad Ac Kh Kd Kc 2c", "8s 9s Ts 3h 3d 3c Jh Jd Jc 4d", "knock", (2, 4), 2),
    ],
)
def test_settlement_worked_results(
    kept: str, held: str, ending: str, left: tuple[int, int], points: int
) -> None:
    for knocker, sign in ((0, 1), (1, -1)):
        s = knock(Rules(opening="draw"), ids(kept), ids(held), Random(1), knocker).s
        assert Ending(s["hand_end"]["ending"]).name.lower() == ending
        assert (s["hand_end"]["deadwood"][knocker], s["hand_end"]["deadwood"][1 - knocker]) == left
        assert s["hand_end"]["points"] == sign * points
        assert s["hand_end"]["winner"] == (knocker if points > 0 else 1 - knocker)
        assert s["phase"] == Phase.OVER


@pytest.mark.parametrize(
    ("tie", "ending", "winner", "points"),
    [
        ("undercut", Ending.UNDERCUT, 1, -25),
        ("push", Ending.PUSH, NO_SEAT, 0),
        ("knocker", Ending.KNOCK, 0, 0),
    ],
)
def test_settlement_of_a_tie(tie: str, ending: Ending, winner: int, points: int) -> None:
    rules = Rules(opening="draw", tie=tie)
    s = knock(rules, ids(f"{MELDED} Tc"), ids(f"{HIGH_RUNS} 4s 3h 6c 4c"), Random(1), 0).s
    assert (s["hand_end"]["ending"], s["hand_end"]["winner"], s["hand_end"]["points"]) == (
        ending,
        winner,
        points,
    )
    assert cards_text(int(s["hand_end"]["laid_off"])) == "4s 3h"


@pytest.mark.parametrize(("bonus", "upcard", "points"), [(31, "Kc", 47), (0, "Ks", 32)])
def test_big_gin_pays_its_bonus_and_the_other_deadwood(
    bonus: int, upcard: str, points: int
) -> None:
    rules = Rules.preset("oklahoma", opening="draw", big_gin_bonus=bonus)
    table = Table.laid((f"{MELDED} Td", DEADWOOD_16), upcard, "4s", rules=rules)
    play(table.r, table.s, DRAW)
    play(table.r, table.s, BIG_GIN)
    s = table.s
    assert (s["hand_end"]["ending"], s["hand_end"]["winner"], s["hand_end"]["knocker"]) == (
        Ending.BIG_GIN,
        0,
        0,
    )
    assert s["hand_end"]["deadwood"].tolist() == [0, 16]
    assert s["hand_end"]["laid_off"] == 0
    assert s["hand_end"]["points"] == points
    assert int(s["hand"][0]) == to_bits(f"{MELDED} Td 4s")


def test_big_gin_cannot_be_declared_without_its_bonus_or_with_a_card_left() -> None:
    for rules, drawn, can_declare in (
        (Rules(opening="draw"), "4s", False),
        (Rules(opening="draw", big_gin_bonus=31), "4s", True),
        (Rules(opening="draw", big_gin_bonus=31), "Kd", False),
    ):
        table = Table.laid((f"{MELDED} Td", DEADWOOD_16), "Kc", drawn, rules=rules)
        play(table.r, table.s, DRAW)
        assert (BIG_GIN in table.legal(0)) is can_declare
        assert KNOCK + parse_card(drawn) in table.legal(0)


@pytest.mark.parametrize(
    ("oklahoma", "upcard", "limit"),
    [
        ("off", "3s", 10),
        ("ace_one", "3s", 3),
        ("ace_one", "Ac", 1),
        ("ace_one", "Kc", 10),
        ("ace_gin", "Ac", 0),
        ("ace_gin", "2c", 2),
    ],
)
def test_oklahoma_caps_the_knock_limit(oklahoma: str, upcard: str, limit: int) -> None:
    for cap in (10, 2):
        table = Table.laid(LOOSE, upcard, rules=Rules(oklahoma=oklahoma, knock_limit=cap))
        assert table.s["knock_limit"] == min(limit, cap)
        assert not table.s["is_doubled"]


@pytest.mark.parametrize(("upcard", "factor"), [("Ts", 2), ("Qc", 1)])
def test_oklahoma_spade_doubles_every_score_of_the_hand(upcard: str, factor: int) -> None:
    rules = Rules(opening="draw", oklahoma_spades_double=True)
    for last, drawn, points in (("Td", "Tc", 45), ("3c", "Kd", 7), ("Tc", "Kd", -25)):
        held = f"{HIGH_RUNS} 9c 3h 4s 4c" if last == "Td" else f"{HIGH_RUNS} 4s 3h 6c 4c"
        table = Table.laid((f"{MELDED} {last}", held), upcard, drawn, rules=rules)
        play(table.r, table.s, DRAW)
        play(table.r, table.s, KNOCK + parse_card(drawn))
        assert table.s["hand_end"]["points"] == factor * points, last
