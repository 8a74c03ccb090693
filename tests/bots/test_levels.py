"""`easy`, `medium` and `hard` by their rules, stated once more in tests/bots/plain.py."""

from collections import Counter
from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest

from gin_env.bots.bot import Bot, make
from gin_env.bots.bot_row import make_memories
from gin_env.core.actions import DISCARD, KNOCK, PASS, TAKE
from gin_env.core.batch import Batch
from gin_env.core.rules import Rules
from gin_env.core.state import Phase
from tests.bots import plain
from tests.bots.play import ask, at_discard, at_offer, bot_steps, kind_of
from tests.hands import bits
from tests.reference.cards import card, ids

STANDARD = Rules()
READY = "As 2s 3s 5h 6h 7h Jd Qd 2c 4d"  # with Kd a knock that leaves 2; and 4s is worth taking


def decisions(
    rules: Rules, bots: tuple[Bot, Bot], n_games: int, n_steps: int, seed: int = 0
) -> Iterator[tuple[plain.Seen, np.void, int, int]]:
    """What two bots decide in some games: what was seen, the view, the seat, the action."""
    batch = Batch(n_games, rules)
    seeds = np.arange(seed, seed + n_games, dtype=np.uint64)
    for step in bot_steps(batch, bots, seeds, n_steps):
        rows = zip(step.views, step.seats.tolist(), step.actions.tolist(), strict=True)
        for view, seat, action in rows:
            yield plain.read(rules, view), view, seat, action


# --- The draw, which the three share ---


@pytest.mark.parametrize("name", ["medium", "hard"])
@pytest.mark.parametrize(
    ("hand", "upcard", "action"),
    [
        ("As 2s 3s 5h 6h 7h 9d Td Qc Kc", "Jd", TAKE),  # a run, and 10 points less
        ("As 2s 3s 5h 6h 7h 9d Td Qc Kc", "Ac", PASS),  # fewer points, but no meld
        ("As 2s 3s 5h 6h 7h 9d Td Qc Kc", "4s", TAKE),  # into a meld that there is
        ("2s 3s 4s 2h 8d 9h Jc Qh Kd Kc", "2d", PASS),  # a meld, but not of the best arrangement
        ("As 2s 3s 4s 5h 6h 7h 7d 8d Kc", "9d", TAKE),  # gin after Kc
        ("2s 3s 4s 5h 6h 7h 9d 9h 9c Tc", "Kd", PASS),
    ],
)
def test_level_takes_a_card_that_is_melded_and_helps(
    name: str, hand: str, upcard: str, action: int
) -> None:
    table = at_offer(STANDARD, hand, upcard)
    assert ask(make(name), table.r, table.view(0)) == action
    seen = plain.read(STANDARD, table.view(0))
    assert plain.leaves_or_takes(seen, plain.is_worth_taking(seen)) == action


def test_level_takes_a_card_for_gin_though_no_best_arrangement_of_eleven_melds_it() -> None:
    rules = Rules(may_return_taken=True)
    table = at_offer(rules, "As 2s 3s 4s 5h 6h 7h 9d 9h 9c", "Kd")
    view = table.view(0)
    assert view["deadwood"] == 0
    for name in ("medium", "hard"):  # it has gin, and may give the king back with the knock
        assert ask(make(name), table.r, view) == TAKE


# --- medium ---


@pytest.mark.slow
@pytest.mark.parametrize("rules", [STANDARD, Rules.preset("oklahoma", may_return_taken=True)])
def test_medium_plays_by_its_rules(rules: Rules) -> None:
    kinds = Counter[str]()
    for seen, _, _, action in decisions(rules, (make("medium"), make("medium")), 8, 60):
        assert action in plain.level_choices(seen, plain.medium_value)
        kinds[kind_of(action)] += 1
    assert min(kinds[kind] for kind in ("draw", "take", "discard", "pass")) > 5
    assert kinds["end"] > 3


@pytest.mark.slow
@pytest.mark.parametrize("weight", [0.0, 4.0])
def test_medium_weighs_the_beginnings_of_melds_as_it_is_told(weight: float) -> None:
    bot = make("medium", meld_weight=weight)
    value = partial(plain.medium_value, meld_weight=weight)
    n_differ = 0
    for seen, view, _, action in decisions(STANDARD, (bot, bot), 6, 40):
        assert action in plain.level_choices(seen, value)
        n_differ += action != ask(make("medium"), STANDARD.row(), view)
    assert n_differ > 5


@pytest.mark.slow
@pytest.mark.parametrize("name", ["easy", "medium", "hard"])
def test_slack_bounds_how_much_deadwood_a_discard_may_cost(name: str) -> None:
    quiet = {"mistakes": 0.0} if name == "easy" else {}
    costs = {}
    for slack in (0.0, 2.0, 50.0):
        bot = make(name, slack=slack, **quiet)
        costs[slack] = 0
        for seen, view, _, action in decisions(STANDARD, (bot, bot), 40, 40):
            if seen.phase == Phase.DISCARD and action < KNOCK:
                after = view["deadwood_after"][view["deadwood_after"] >= 0]
                costs[slack] = max(costs[slack], int(view["deadwood_after"][action] - after.min()))
    assert costs[0.0] == 0
    assert 0 < costs[2.0] <= 2
    assert costs[50.0] > 2


# --- hard ---


@pytest.mark.slow
@pytest.mark.parametrize("rules", [STANDARD, Rules.preset("modern")])
def test_hard_plays_by_its_rules(rules: Rules) -> None:
    kinds, late = Counter[str](), Counter[str]()
    for seen, _, seat, action in decisions(rules, (make("hard"), make("greedy")), 4, 60):
        if seat == 1:
            continue
        most = 10 if seen.turn < 6 else 0
        assert action in plain.level_choices(seen, plain.hard_value, most, slack=4), (seen, action)
        (kinds if seen.turn < 6 else late)[kind_of(action)] += 1
    assert kinds["take"] > 3
    assert kinds["discard"] > 20
    assert kinds["end"] > 0
    assert late["discard"] > 10


@pytest.mark.parametrize("missing", [1, 10, 11, 100])
def test_hard_knocks_at_any_turn_where_little_is_missing_to_the_target(missing: int) -> None:
    view = at_discard(STANDARD, READY, "Kd").view(0)
    view["n_own_turns"] = 8
    view["totals"] = STANDARD.target - missing, 0
    in_match, in_hand = (STANDARD.row(episode) for episode in ("match", "hand"))
    assert (ask(make("hard"), in_match, view) >= KNOCK) == (missing <= 10)
    assert ask(make("hard"), in_hand, view) < KNOCK
    view["totals"] = 0, STANDARD.target - 1
    assert ask(make("hard"), in_match, view) < KNOCK


@pytest.mark.parametrize("turn", range(1, 12))
def test_hard_knocks_in_its_first_five_turns_and_then_only_with_gin(turn: int) -> None:
    table = at_discard(STANDARD, READY, "Kd")
    view = table.view(0)
    view["n_own_turns"] = turn - 1
    assert (ask(make("hard"), table.r, view) >= KNOCK) == (turn < 6)
    assert ask(make("hard", knock_turns=0), table.r, view) < KNOCK
    assert ask(make("hard", knock_turns=turn), table.r, view) >= KNOCK
    assert ask(make("hard", knock_turns=turn - 1), table.r, view) < KNOCK
    for other in ("medium", "greedy", "simple"):
        assert ask(make(other), table.r, view) >= KNOCK
    gin = at_discard(STANDARD, "As 2s 3s 5h 6h 7h 9d 9c 9h Td", "4s").view(0)
    gin["n_own_turns"] = turn - 1
    assert ask(make("hard"), table.r, gin) >= KNOCK


@pytest.mark.parametrize(
    ("theirs", "discard"),
    [
        ("", "Kc"),  # king: one run only; ten, jack: three; the eight leaves 2 points more
        ("Kh Ks", "Ts"),
        ("Kh Ks Th Tc", "Jd"),
        ("Kh Ks Th Tc Jh Js", "8c"),
        ("Kh Ks Th Tc Jh Js 8s 8h", "Kc"),  # the four is beyond the slack
    ],
)
def test_hard_keeps_what_the_opponent_collects(theirs: str, discard: str) -> None:
    table = at_discard(STANDARD, "As 2s 3s 5h 6h 7h Ts Jd Kc 8c", "4c")
    view = table.view(0)
    view["their_known"], view["out_of_play"] = bits(ids(theirs)), 0
    assert ask(make("hard", go_on_weight=0), table.r, view) == DISCARD + card(discard)
    fearless = make("hard", go_on_weight=0, danger_weight=0)
    assert ask(fearless, table.r, view) == DISCARD + card("Ts")


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"danger_weight": 0.0},
        {"go_on_weight": 0.0},
        {"go_on_decay": 0.0},
        {"slack": 0.0},
    ],
)
def test_hard_weighs_as_its_options_tell(options: dict[str, float]) -> None:
    weights = make("hard").options | options

    def value(seen: plain.Seen, held: int) -> float:
        decay = weights["go_on_decay"] ** (seen.turn - 1)
        going_on = plain.continuation(seen.hand - {held}, seen.unseen)
        danger = plain.danger(seen, held)
        weighed = weights["go_on_weight"] * decay * going_on + weights["danger_weight"] * danger
        return plain.after(seen)[held] + weighed

    bot = make("hard", **options)
    n_differ = 0
    for seen, view, seat, action in decisions(STANDARD, (bot, make("simple")), 4, 30, seed=50):
        if seat == 0:
            most = 10 if seen.turn < 6 else 0
            choices = plain.level_choices(seen, value, most, slack=int(weights["slack"]))
            assert action in choices
            n_differ += action != ask(make("hard"), STANDARD.row(), view)
    assert n_differ > 0


# --- easy ---


def test_easy_without_mistakes_is_medium() -> None:
    bot = make("easy", mistakes=0)
    for rules in (STANDARD, Rules.preset("modern")):
        n_seen = 0
        for _, view, _, action in decisions(rules, (bot, bot), 40, 60):
            assert action == ask(make("medium"), rules.row(), view)
            n_seen += 1
        assert n_seen == 40 * 60


@pytest.mark.slow
def test_easy_with_nothing_but_mistakes_plays_by_its_rules() -> None:
    bot = make("easy", mistakes=1)
    kinds, n_dear_kept = Counter[str](), 0
    for seen, view, _, action in decisions(Rules.preset("modern"), (bot, bot), 6, 60):
        loose = seen.hand - plain.melded_cards(view)
        assert action in plain.worst_choices(seen, loose)
        kinds[kind_of(action)] += 1
        n_dear_kept += action < KNOCK and action - DISCARD != plain.dearest(seen.hand)
    assert kinds["take"] == 0
    assert kinds["end"] > 0
    assert n_dear_kept > 40


@pytest.mark.parametrize("mistakes", [0.0, 0.25, 0.6, 1.0])
def test_easy_errs_as_often_as_it_is_told(mistakes: float) -> None:
    bot, n_times = make("easy", mistakes=mistakes), 2_000
    memory = make_memories(np.array([1], np.uint64), 0)
    ready, offered = at_discard(STANDARD, READY, "Kd"), at_offer(STANDARD, READY, "4s")
    n_no_knocks = n_no_takes = 0
    for _ in range(n_times):
        n_no_knocks += ask(bot, ready.r, ready.view(0), memory) < KNOCK
        n_no_takes += ask(bot, offered.r, offered.view(0), memory) != TAKE
    spread = 4 * (n_times * mistakes * (1 - mistakes)) ** 0.5
    assert abs(n_no_knocks - n_times * mistakes) <= spread
    assert abs(n_no_takes - n_times * mistakes) <= spread
