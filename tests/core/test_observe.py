"""The observation: every block says what its text says, on hands played move by move."""

from itertools import combinations

import numpy as np
import pytest

from gin_env.core.actions import parse_action
from gin_env.core.cards import cards_text
from gin_env.core.heuristics import DANGER_RANGE
from gin_env.core.match import play
from gin_env.core.observe import (
    EXTRAS,
    OBS_LAYOUT,
    OBS_SIZE,
    check_extras,
    encode,
    encode_extras,
    extras_bits,
    obs_layout,
    obs_size,
)
from gin_env.core.rules import Rules
from gin_env.errors import GinError
from tests.core.table import Table
from tests.hands import Hand
from tests.reference.cards import ALL_CARDS, card, ids, text
from tests.reference.melds import best_after_discard, deadwood, deadwood_after

NEAR = "As 2s 3s 5h 6h 7h 9d Td 2c Kc"
MINE = "7s 8s 9s 7h 7d 2c 4c Qh Kc Ah"  # seat 0; 7s 8s 9s are melded, 41 points are not
THEIRS = "As 2s 3s 5h 6h Td Js Qc 9c 9d"  # seat 1, the dealer; As 2s 3s are melded, 59 are not
UPCARD = "Kd"
STOCK = "Ks 5s 6s Tc 8d"
SLICES = {block.name: block.slice for block in obs_layout(EXTRAS)}
CARD_BLOCKS = [block.name for block in OBS_LAYOUT if block.shape == (52,)]


def start(*moves: str, rules: Rules | None = None) -> Table:
    """Begin the hand above and play some moves of it, given as text."""
    table = Table.laid((MINE, THEIRS), UPCARD, STOCK, rules=rules)
    for move in moves:
        action = parse_action(move)
        assert action in table.legal(table.s["to_move"]), move
        play(table.r, table.s, action)
    return table


def shown(table: Table, seat: int) -> dict[str, str]:
    """Every block of card marks that is not empty, as text; checks that marks are 1."""
    observation, found = table.observation(seat), {}
    for name in CARD_BLOCKS:
        block = observation[SLICES[name]]
        if name not in ("deadwood_after", "my_discards", "their_discards"):
            assert set(block.tolist()) <= {0.0, 1.0}
            if block.any():
                found[name] = cards_text(np.flatnonzero(block).tolist())
    return found


def numbers(table: Table, seat: int, name: str) -> list[float]:
    """The values of one block."""
    values: list[float] = table.observation(seat)[SLICES[name]].tolist()
    return values


def by_card(table: Table, seat: int, name: str, blank: float) -> dict[str, float]:
    """The cards of a block whose value is not the blank one."""
    values = numbers(table, seat, name)
    return {text([at]): value for at, value in enumerate(values) if value != blank}


def rest(*known: str) -> str:
    """All cards but these, in order."""
    return text(ALL_CARDS - ids(" ".join(known)))


def in_order(cards: str) -> str:
    """Cards in the order of their ids."""
    return text(ids(cards))


# --- The layout ---


def test_layout_is_that_of_the_contract() -> None:
    assert [block.name for block in OBS_LAYOUT] == [
        "hand", "pile_top", "pile_rest", "my_discards", "their_discards", "their_known",
        "their_shed", "their_declined", "my_known", "unseen", "forbidden", "melded",
        "deadwood_after", "deadwood", "knock_limit", "stock", "turn", "phase", "to_move", "dealer",
        "totals",
    ]  # fmt: skip
    assert OBS_SIZE == 13 * 52 + 12 == OBS_LAYOUT[-1].slice.stop


@pytest.mark.parametrize("extras", [(), ("danger",), ("continuation",), ("knock_draws",), EXTRAS])
def test_layout_has_no_gaps_and_says_what_it_means(extras: tuple[str, ...]) -> None:
    layout = obs_layout(extras)
    stops = [block.slice.stop for block in layout]
    assert [block.slice.start for block in layout] == [0, *stops[:-1]]
    assert all(block.shape == (block.slice.stop - block.slice.start,) for block in layout)
    assert all(block.meaning for block in layout)
    assert stops[-1] == obs_size(extras) == OBS_SIZE + 52 * len(extras)
    assert layout[: len(OBS_LAYOUT)] == OBS_LAYOUT


def test_extras_are_appended_in_a_fixed_order_and_once() -> None:
    assert EXTRAS == ("continuation", "danger", "gin_draws", "knock_draws")
    assert check_extras(["danger", "continuation", "danger"]) == EXTRAS[:2]
    assert check_extras(reversed(EXTRAS)) == EXTRAS
    assert check_extras("danger") == ("danger",)
    with pytest.raises(GinError, match=r"^unknown observation block 'luck'; there are "):
        obs_layout(["danger", "luck"])
    for nothing in (3, None, np.array(1)):
        with pytest.raises(GinError, match=r"^extras must be names of observation blocks \("):
            check_extras(nothing)  # type: ignore[arg-type]


def test_each_block_is_the_same_whichever_others_are_asked_for() -> None:
    table = near_a_win()
    view, whole = table.view(0), table.observation(0)
    at = {block.name: block.slice for block in obs_layout(EXTRAS)}
    for n_wanted in range(1, len(EXTRAS)):
        for extras in combinations(EXTRAS, n_wanted):
            observation = np.full(obs_size(extras), np.nan, np.float32)
            encode(table.r, view, observation)
            encode_extras(view, extras_bits(extras), observation)
            wanted = [whole[:OBS_SIZE], *(whole[at[name]] for name in extras)]
            assert np.array_equal(observation, np.concatenate(wanted)), extras


# --- Cards ---


def test_observation_of_a_fresh_offer() -> None:
    table = start()
    assert shown(table, 0) == {
        "hand": in_order(MINE),
        "pile_top": "Kd",
        "unseen": rest(MINE, "Kd"),
        "melded": "7s 8s 9s",
    }
    assert shown(table, 1) == {
        "hand": in_order(THEIRS),
        "pile_top": "Kd",
        "unseen": rest(THEIRS, "Kd"),
        "melded": "As 2s 3s",
    }


def test_observation_shows_what_was_declined_taken_and_known() -> None:
    table = start("pass", "take")
    assert shown(table, 0) == {
        "hand": in_order(MINE),
        "their_known": "Kd",
        "unseen": rest(MINE, "Kd"),
        "melded": "7s 8s 9s",
    }
    assert shown(table, 1) == {
        "hand": in_order(THEIRS + " Kd"),
        "their_declined": "Kd",
        "my_known": "Kd",
        "unseen": rest(THEIRS, "Kd"),
        "forbidden": "Kd",
        "melded": "As 2s 3s",
    }


def test_observation_shows_discards_the_pile_and_what_was_shed() -> None:
    table = start("pass", "take", "discard 5h", "draw", "discard Qh", "take", "discard Kd")
    assert shown(table, 0) == {
        "hand": in_order(MINE.replace("Qh", "Ks")),
        "pile_top": "Kd",
        "pile_rest": "5h",
        "their_known": "Qh",
        "their_shed": "Kd",
        "unseen": rest(MINE, "Ks Kd 5h"),
        "melded": "7s 8s 9s",
    }
    assert shown(table, 1) == {
        "hand": in_order(THEIRS.replace("5h", "Qh")),
        "pile_top": "Kd",
        "pile_rest": "5h",
        "their_declined": "5h Kd",
        "my_known": "Qh",
        "unseen": rest(THEIRS, "Qh Kd"),
        "melded": "As 2s 3s",
    }
    third, half = float(np.float32(1 / 3)), 1 / 2
    assert by_card(table, 0, "their_discards", 0) == {"Kd": 1, "5h": third}
    assert by_card(table, 1, "my_discards", 0) == {"Kd": 1, "5h": third}
    assert by_card(table, 0, "my_discards", 0) == {"Qh": half}
    assert by_card(table, 1, "their_discards", 0) == {"Qh": half}


def test_observation_counts_a_card_declined_at_the_pile() -> None:
    table = start("pass", "pass", "draw", "discard Ks", "draw")
    assert shown(table, 0)["their_declined"] == "Ks Kd"
    assert shown(table, 1)["their_declined"] == "Kd"
    # What the drawer turned down when the pile was closed to him, he did not turn down again.
    assert shown(start("pass", "pass", "draw"), 1)["their_declined"] == "Kd"


def test_observation_of_a_removed_upcard_shows_it_nowhere() -> None:
    table = start("pass", "pass", rules=Rules(declined_upcard="removed"))
    for seat, hand in ((0, MINE), (1, THEIRS)):
        found = shown(table, seat)
        assert "pile_top" not in found
        assert "pile_rest" not in found
        assert found["unseen"] == rest(hand, "Kd")


def test_observation_forbids_nothing_where_the_card_taken_may_be_returned() -> None:
    table = start("take", rules=Rules(may_return_taken=True))
    assert "forbidden" not in shown(table, 0)
    assert "Kd" in by_card(table, 0, "deadwood_after", 1)
    assert "Kd" not in by_card(start("take"), 0, "deadwood_after", 1)


# --- Numbers ---


def hundredths(values: dict[int, int], *, without: str = "") -> dict[str, float]:
    """Points by card id as the observation has them."""
    return {
        text([at]): float(np.float32(points / 100))
        for at, points in values.items()
        if text([at]) != without
    }


def test_observation_foretells_the_deadwood_after_each_discard() -> None:
    offered = deadwood_after(ids(f"{MINE} Kd"))
    assert by_card(start(), 0, "deadwood_after", 1) == hundredths(offered, without="Kd")
    assert by_card(start("take"), 0, "deadwood_after", 1) == hundredths(offered, without="Kd")
    drawn = deadwood_after(ids(f"{MINE} Ks"))
    assert by_card(start("pass", "pass", "draw"), 0, "deadwood_after", 1) == hundredths(drawn)
    assert by_card(start(), 1, "deadwood_after", 1) == {}, "not to move"
    assert by_card(start("pass", "pass"), 0, "deadwood_after", 1) == {}, "the pile is closed"


def test_observation_tells_the_own_deadwood_only() -> None:
    for table in (start(), start("pass"), start("pass", "pass")):
        assert numbers(table, 0, "deadwood") == [np.float32(0.41)]
        assert numbers(table, 1, "deadwood") == [np.float32(0.59)]
    eleven = start("pass", "pass", "draw")
    assert numbers(eleven, 0, "deadwood") == [np.float32(0.51)]


def test_observation_tells_limit_stock_and_turns() -> None:
    table = start("pass", "pass", "draw", "discard Ks", "take", rules=Rules(turn_cap=50))
    for seat in (0, 1):
        assert numbers(table, seat, "knock_limit") == [1]
        assert numbers(table, seat, "stock") == [np.float32(30 / 31)]
        assert numbers(table, seat, "turn") == [np.float32(1 / 50)]
    capped = start(rules=Rules(knock_limit=4))
    assert numbers(capped, 0, "knock_limit") == [np.float32(0.4)]


@pytest.mark.parametrize(
    ("moves", "phase", "to_move"),
    [
        ((), "offer", 0),
        (("pass",), "offer", 1),
        (("pass", "pass"), "draw", 0),
        (("pass", "pass", "draw"), "discard", 0),
        (("pass", "pass", "draw", "discard Ks"), "draw", 1),
    ],
)
def test_observation_tells_phase_mover_and_dealer(
    moves: tuple[str, ...], phase: str, to_move: int
) -> None:
    expected = [float(phase == name) for name in ("offer", "draw", "discard", "over")]
    for seat in (0, 1):
        table = start(*moves)
        assert numbers(table, seat, "phase") == expected
        assert numbers(table, seat, "to_move") == [seat == to_move]
        assert numbers(table, seat, "dealer") == [seat == 1]


def test_observation_after_the_end_is_nobody_s_move() -> None:
    table = start("pass", "pass", "draw", "discard Ks", rules=Rules(turn_cap=1))
    for seat in (0, 1):
        assert numbers(table, seat, "phase") == [0, 0, 0, 1]
        assert numbers(table, seat, "to_move") == [0]
        assert by_card(table, seat, "deadwood_after", 1) == {}
        assert numbers(table, seat, "turn") == [1]


def test_observation_tells_both_totals_over_the_target() -> None:
    table = start(rules=Rules(target=50))
    table.s["totals"] = [10, 75]
    assert numbers(table, 0, "totals") == [np.float32(0.2), 1]
    assert numbers(table, 1, "totals") == [1, np.float32(0.2)]


# --- The optional blocks ---


def test_continuation_is_the_mean_of_the_seven_best_draws() -> None:
    table = start("pass", "take", "discard 5h", "draw")
    held = ids(f"{MINE} Ks")
    unseen = ALL_CARDS - held - ids("Kd 5h")
    expected = {}
    for discard in held:
        kept = held - {discard}
        best = sorted(best_after_discard(kept | {drawn}) for drawn in unseen)[:7]
        expected[text([discard])] = float(np.float32(sum(best) / 7 / 100))
    assert by_card(table, 0, "continuation", 1) == pytest.approx(expected)
    assert min(expected.values()) < deadwood(held) / 100
    assert by_card(table, 1, "continuation", 1) == {}


def near_a_win() -> Table:
    """Seat 0 has drawn Jd to `NEAR`, and may go gin with several cards once it has discarded."""
    table = Table.laid((NEAR, "4c 5c 6c 7c 8c 9c Tc Jc Qc Kh"), "Ks", "Jd")
    for move in ("pass", "take", "discard Kh", "draw"):
        play(table.r, table.s, parse_action(move))
    return table


def test_draws_that_win_are_shares_of_the_unseen_cards() -> None:
    table = near_a_win()
    held = ids(f"{NEAR} Jd")
    unseen = ALL_CARDS - held - ids("Ks Kh")
    gin, knock = {}, {}
    for discard in held:
        kept = held - {discard}
        left = [best_after_discard(kept | {drawn}) for drawn in unseen]
        gin[text([discard])] = left.count(0) / len(unseen)
        knock[text([discard])] = sum(points <= 10 for points in left) / len(unseen)
    shown_of = {name: by_card(table, 0, name, 0) for name in ("gin_draws", "knock_draws")}
    assert shown_of["gin_draws"] == pytest.approx({c: n for c, n in gin.items() if n}, abs=1e-6)
    assert shown_of["knock_draws"] == pytest.approx({c: n for c, n in knock.items() if n}, abs=1e-6)
    assert 0 < gin["Kc"] < knock["Kc"]
    assert by_card(table, 1, "gin_draws", 0) == by_card(table, 1, "knock_draws", 0) == {}


def points_of_danger(table: Table, seat: int) -> dict[str, float]:
    """The danger block, scaled back to points."""
    low, high = DANGER_RANGE
    block = by_card(table, seat, "danger", 1)
    return {name: value * (high - low) + low for name, value in block.items()}


def test_danger_weighs_what_the_opponent_took_and_let_go() -> None:
    # Seat 1 holds Kd for certain and let 9s go; seat 0 holds Kc Ks Qh and four cards about the 7s.
    table = start("pass", "take", "discard 5h", "draw")
    danger = points_of_danger(table, 0)
    assert set(danger) == set(f"{MINE} Ks".split())
    # Kc: one king is his (+6), one lost (-2); Jc Qc are possible (one run: 1 - 2).
    assert danger["Kc"] == pytest.approx(6 - 2 - 1, abs=1e-4)
    # Qh: no queen is seen; Th Jh and Jh Kh are possible (two runs: 2 - 2).
    assert danger["Qh"] == pytest.approx(0, abs=1e-4)
    # 7h: two sevens are lost (-6); 5h is, so 8h 9h and 6h 8h are possible.
    assert danger["7h"] == pytest.approx(-6 + 0, abs=1e-4)
    # 8s: 7s and 9s are lost, so no run is open (-6).
    assert danger["8s"] == pytest.approx(-6, abs=1e-4)
    # 4c: 2c is lost: 3c 5c and 5c 6c.
    assert danger["4c"] == pytest.approx(0, abs=1e-4)
    assert points_of_danger(table, 1) == {}


def test_danger_grows_with_what_is_known_to_be_held() -> None:
    table = start("pass", "take", "discard 5h", "draw")
    before = points_of_danger(table, 0)
    give(table, "Qc Qd")
    after = points_of_danger(table, 0)
    # Two queens: +20. The king's run Jc Qc Kc has its queen there for certain: +5.
    assert after["Qh"] - before["Qh"] == pytest.approx(20, abs=1e-4)
    assert after["Kc"] - before["Kc"] == pytest.approx(5, abs=1e-4)
    give(table, "Jc")
    assert points_of_danger(table, 0)["Kc"] - after["Kc"] == pytest.approx(15, abs=1e-4)
    table.s["declined"][1] |= 1 << card("Ah") + 13  # the ace of diamonds
    assert before["Ah"] - points_of_danger(table, 0)["Ah"] == pytest.approx(1.5, abs=1e-4)


def give(table: Table, cards: str) -> None:
    """Let seat 1 hold cards that seat 0 knows of, in exchange for others."""
    for held in ids(cards):
        hand: Hand = table.hand(1)
        if held not in hand:
            dropped = max(hand - {card("Kd")} - ids(cards))
            table.s["hand"][1] += (1 << held) - (1 << dropped)
        table.s["known"][1] |= 1 << held
