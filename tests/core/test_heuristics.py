"""The outlook of a discard: how the hand goes on, and what the opponent may do with the card."""

from random import Random

import numpy as np
import pytest

from gin_env.bots.bot import make
from gin_env.core.batch import Batch
from gin_env.core.heuristics import DANGER_RANGE, N_BEST_DRAWS, continuation, danger, winning_draws
from gin_env.core.observe import EXTRAS, OBS_SIZE, POINTS_SCALE
from gin_env.core.rules import Rules
from gin_env.core.state import Phase
from gin_env.core.view import VIEW_DTYPE
from tests.bots import plain
from tests.bots.play import bot_steps
from tests.hands import bits, hands, sample_size
from tests.reference.cards import ALL_CARDS, card, ids, text
from tests.reference.melds import best_after_discard

N_HANDS = sample_size(1_200)  # of each kind


def danger_of(
    name: str, hand: str = "", *, gone: str = "", theirs: str = "", shed: str = "", passed: str = ""
) -> float:
    """Danger of a card in a view with these cards."""
    view = np.zeros(1, VIEW_DTYPE)[0]
    view["hand"] = bits(ids(hand) | {card(name)})
    view["out_of_play"] = bits(ids(gone))
    view["their_known"] = bits(ids(theirs))
    view["their_discarded"] = bits(ids(shed))
    view["their_declined"] = bits(ids(passed))
    return danger(view, card(name))


# --- Continuation ---


@pytest.mark.slow
@pytest.mark.parametrize("dense", [False, True], ids=["random", "dense"])
def test_continuation_is_the_mean_of_the_seven_best_draws(dense: bool) -> None:
    rng = Random(f"continuation {dense}")
    sizes = set()
    for hand in hands(50 + dense, 10, N_HANDS, dense=dense):
        others = sorted(ALL_CARDS - hand)
        n_unseen = rng.choice([0, 1, 3, 6, 7, 8, 12, 20, 42])
        unseen = frozenset(rng.sample(others, n_unseen))
        wanted = plain.continuation(hand, unseen)
        assert continuation(bits(hand), bits(unseen)) == wanted, (text(hand), text(unseen))
        sizes.add(n_unseen)
    assert len(sizes) == 9


@pytest.mark.parametrize(
    ("hand", "unseen", "points"),
    [
        # Jd or 8d make a run of 9d Td, and Kc is discarded: 2c stays. An ace takes Kc's place.
        ("As 2s 3s 5h 6h 7h 9d Td 2c Kc", "Jd", 2.0),
        ("As 2s 3s 5h 6h 7h 9d Td 2c Kc", "Jd 8d", 2.0),
        ("As 2s 3s 5h 6h 7h 9d Td 2c Kc", "Jd 8d Ac", (2 + 2 + 22) / 3),
        ("As 2s 3s 5h 6h 7h 9d Td 2c Kc", "Jd 8d Qh Qs Qc Qd Jh Jc", (2 + 2 + 5 * 31) / 7),
        ("As 2s 3s 5h 6h 7h 9d Td Jd 2c", "Ac 8d Qd", (1 + 0 + 0) / 3),
        ("As 2s 3s 5h 6h 7h 9d Td Jd 2c", "", 0.0),
    ],
)
def test_continuation_worked_by_hand(hand: str, unseen: str, points: float) -> None:
    assert continuation(bits(ids(hand)), bits(ids(unseen))) == pytest.approx(points)


def test_continuation_looks_at_seven_draws() -> None:
    hand = bits(ids("As 2s 3s 5h 6h 7h 9d Td 2c Kc"))
    good, bad = ids("Jd 8d 4s 4h 8h"), ids("Qs Js Ts")
    assert N_BEST_DRAWS == 7
    with_two = continuation(hand, bits(good | {card("Qs"), card("Js")}))
    assert continuation(hand, bits(good | bad)) == with_two
    assert continuation(hand, bits(good | {card("Qs")})) < with_two


# --- Draws that win ---


@pytest.mark.parametrize("dense", [False, True], ids=["random", "dense"])
def test_winning_draws_are_those_after_which_some_discard_wins(dense: bool) -> None:
    rng = Random(f"draws {dense}")
    n_gin = n_knock = 0
    for hand in hands(60 + dense, 10, N_HANDS // 4, dense=dense):
        others = sorted(ALL_CARDS - hand)
        unseen = frozenset(rng.sample(others, rng.choice([0, 1, 8, 20, 42])))
        limit = rng.choice([0, 1, 5, 10])
        left = [best_after_discard(hand | {drawn}) for drawn in unseen]
        wanted = left.count(0), sum(points <= limit for points in left)
        found = winning_draws(bits(hand), bits(unseen), limit)
        assert found == wanted, (text(hand), text(unseen), limit)
        n_gin, n_knock = n_gin + wanted[0], n_knock + wanted[1]
    assert not dense or n_knock > n_gin > 0


@pytest.mark.parametrize(
    ("hand", "unseen", "limit", "draws"),
    [
        # Jd or 8d leave 2c; an ace takes the king's place and leaves 22.
        ("As 2s 3s 5h 6h 7h 9d Td 2c Kc", "Jd 8d Ac", 10, (0, 2)),
        ("As 2s 3s 5h 6h 7h 9d Td 2c Kc", "Jd 8d Ac", 1, (0, 0)),
        # 2c is left as it is, or an ace in its place; 8d or Qd make a run of four.
        ("As 2s 3s 5h 6h 7h 9d Td Jd 2c", "Ac 8d Qd Kc", 10, (2, 4)),
        ("As 2s 3s 5h 6h 7h 9d Td Jd 2c", "Ac 8d Qd Kc", 1, (2, 3)),
        ("As 2s 3s 5h 6h 7h 9d Td Jd Qd", "Kc 2h", 0, (2, 2)),
        ("As 2s 3s 5h 6h 7h 9d Td Jd Qd", "", 10, (0, 0)),
    ],
)
def test_winning_draws_worked_by_hand(
    hand: str, unseen: str, limit: int, draws: tuple[int, int]
) -> None:
    assert winning_draws(bits(ids(hand)), bits(ids(unseen)), limit) == draws


# --- Danger ---


@pytest.mark.parametrize(
    ("name", "points"),
    [("7s", 1), ("3s", 1), ("Jh", 1), ("2d", 0), ("Qd", 0), ("Ac", -1), ("Kc", -1)],
)
def test_danger_with_nothing_known_is_the_number_of_runs_less_two(name: str, points: int) -> None:
    assert danger_of(name) == points


@pytest.mark.parametrize(
    ("theirs", "points"),
    [
        ("", 0),
        ("7h", 6),
        ("7h 7d", 20),
        ("7h 7d 7c", 20),
        ("8h 8d", 0),
        ("8s", 5 + 5),  # in 6-7-8 and in 7-8-9
        ("9s", 5),
        ("8s 9s", 5 + 20),
        ("6s 8s", 5 + 20 + 5),
        ("5s 6s 8s 9s", 20 + 20 + 20),
        ("8h 9h", 0),
        ("Ts", 0),
    ],
)
def test_danger_of_what_the_opponent_holds_of_its_rank_and_runs(theirs: str, points: int) -> None:
    assert danger_of("7s", theirs=theirs) == 1 + points


@pytest.mark.parametrize(
    ("lost", "points"),
    [
        ("", 1),
        ("7h", 1 - 2),
        ("7h 7c", 1 - 6),
        ("7h 7d 7c", 1 - 6),
        ("8h 8c", 1),
        # Runs that are no longer possible.
        ("9s", 0),
        ("8s", -1),
        ("5s 9s", -1),
        ("6s 8s", -6),
        ("5s 8s", -6),
        ("Ts 4s", 1),
    ],
)
def test_danger_of_what_is_out_of_reach_of_its_rank_and_runs(lost: str, points: int) -> None:
    assert danger_of("7s", lost) == points
    assert danger_of("7s", gone=lost) == points
    names = lost.split()
    assert danger_of("7s", " ".join(names[:1]), gone=" ".join(names[1:])) == points


@pytest.mark.parametrize(
    ("shed", "passed", "points"),
    [
        ("7h", "", -1.5),
        ("", "7h", -1.5),
        ("7h", "7h", -1.5),  # one card, once
        ("7h", "7d", -3),
        ("7h 7d 7c", "", -4.5),
        ("7s", "", 0),  # the card itself says nothing of its like
        ("", "8s 6s 7d", -1.5),  # neighbours neither
    ],
)
def test_danger_of_a_rank_that_the_opponent_let_go(shed: str, passed: str, points: float) -> None:
    assert danger_of("7s", shed=shed, passed=passed) == 1 + points


def test_danger_counts_a_discard_in_the_pile_as_let_go_and_as_out_of_reach() -> None:
    assert danger_of("7s", gone="7h", shed="7h") == 1 - 1.5 - 2


def test_danger_of_a_run_falls_away_with_either_of_its_cards() -> None:
    assert danger_of("7s", gone="8s", theirs="9s 6s") == 5 + 1 - 2
    assert danger_of("As", gone="3s", theirs="2s") == -6


def test_danger_does_not_go_round_the_corner() -> None:
    assert danger_of("Ks", theirs="As 2s") == -1
    assert danger_of("As", theirs="Ks Qs") == -1
    assert danger_of("Ks", theirs="Ah 2h") == -1  # the next ids are of another suit
    assert danger_of("Ah", theirs="Qs Ks") == -1


def test_danger_range_is_as_wide_as_danger_and_no_wider() -> None:
    low, high = DANGER_RANGE
    assert danger_of("7s", "6s 8s 7h 7d", shed="7h 7d", passed="7c") == low
    assert danger_of("7s", theirs="5s 6s 8s 9s 7h 7d") == high


@pytest.mark.slow
def test_danger_of_the_discards_of_whole_games_is_the_plain_one() -> None:
    batch = Batch(24, Rules.preset("modern"))
    bots = make("simple"), make("greedy")
    seeds = np.arange(24, dtype=np.uint64)
    values = set()
    for step in bot_steps(batch, bots, seeds, 60):
        for view in step.views[step.views["phase"] == Phase.DISCARD]:
            seen = plain.read(batch.rules, view)
            for held in seen.hand:
                value = danger(view, held)
                assert value == plain.danger(seen, held)
                values.add(value)
    assert DANGER_RANGE[0] <= min(values) < -6
    assert 20 < max(values) <= DANGER_RANGE[1]


def test_observation_appends_all_blocks() -> None:
    batch = Batch(8, extras=EXTRAS)
    low, high = DANGER_RANGE
    n_seen = 0
    for step in bot_steps(
        batch, (make("greedy"), make("simple")), np.arange(8, dtype=np.uint64), 9
    ):
        for row, view in enumerate(step.views):
            assert batch.arrays.games[row]["n_turns"] == view["n_turns"]
            blocks = batch.arrays.observations[row, OBS_SIZE:].reshape(4, 52)
            for held in range(52):
                wanted = [1.0, 1.0, 0.0, 0.0]
                if view["deadwood_after"][held] >= 0:
                    rest = int(view["discard_candidates"]) & ~(1 << held)
                    goes_on = continuation(rest, view["unseen"]) / POINTS_SCALE
                    wins = winning_draws(rest, view["unseen"], view["knock_limit"])
                    shares = np.array(wins) / int(view["unseen"]).bit_count()
                    wanted = [goes_on, (danger(view, held) - low) / (high - low), *shares]
                    n_seen += 1
                assert blocks[:, held] == pytest.approx(wanted, abs=1e-6)
    assert n_seen > 300
