"""The luck of the draws: zero on average over the stock, over play, and whoever plays."""

import numpy as np
import pytest

from eval.games.arena import Contest, Played, join, play_contest
from gin_env.core.actions import DISCARD, DRAW, PASS, TAKE
from gin_env.core.cards import N_CARDS, bit, to_bits, to_ids
from gin_env.core.melds import deadwood, least_deadwood_after
from gin_env.core.rules import Rules
from gin_env.core.state import STATE_DTYPE
from gin_env.core.step import apply, deal
from gin_env.players import resolve
from gin_env.table.control_variate import GIN_WEIGHT, KNOCK_WEIGHT, ROOT_WEIGHT, draw_luck

STANDARD = Rules()


def drawing_state(seed: int, rules: Rules = STANDARD) -> np.ndarray:
    """A game after two passes: the non-dealer is to draw from the stock. Shape [1]."""
    game = np.zeros(1, STATE_DTYPE)
    game["rng_state"] = seed + 1
    deal(rules.row(), game[0])
    for _ in range(2):
        apply(rules.row(), game[0], PASS)
    return game


def with_next(game: np.ndarray, place: int) -> np.ndarray:
    """The same with another card of the stock on top."""
    other, first = game.copy(), N_CARDS - game[0]["n_stock"]
    other["deck"][0, [first, place]] = game["deck"][0, [place, first]]
    return other


@pytest.mark.parametrize("dealer", [0, 1])
def test_luck_is_zero_in_the_mean_over_the_stock(dealer: int) -> None:
    record = STANDARD.row()
    for seed in range(20):
        game = drawing_state(seed)
        game["to_move"] = 1 - dealer
        first = N_CARDS - int(game[0]["n_stock"])
        luck = [
            draw_luck(record, with_next(game, place)[0], DRAW) for place in range(first, N_CARDS)
        ]
        assert np.mean(luck) == pytest.approx(0.0, abs=1e-9)
        assert np.std(luck) > 0.1


def test_luck_knows_the_stock_as_a_set_only() -> None:
    record, rng = STANDARD.row(), np.random.default_rng(1)
    for seed in range(20):
        game = drawing_state(seed)
        before = draw_luck(record, game[0], DRAW)
        rng.shuffle(game["deck"][0, N_CARDS - int(game[0]["n_stock"]) + 1 :])
        assert draw_luck(record, game[0], DRAW) == pytest.approx(before, abs=1e-9)


def test_luck_is_what_the_formula_says() -> None:
    rules = Rules.preset("standard", gin_bonus=40)
    for seed in range(50):
        game = drawing_state(seed, rules)
        s = game[0]
        hand, theirs = int(s["hand"][s["to_move"]]), deadwood(s["hand"][1 - s["to_move"]])
        worth = []
        for card in s["deck"][N_CARDS - s["n_stock"] :]:
            left = int(least_deadwood_after(hand | bit(card)))
            value = -ROOT_WEIGHT * left**0.5
            value += KNOCK_WEIGHT * (theirs - left) if left <= 10 else 0
            worth.append(value + (GIN_WEIGHT * 40 if left == 0 else 0))
        luck = (worth[0] - np.mean(worth)) * (1 if s["to_move"] == 0 else -1)
        assert draw_luck(rules.row(), s, DRAW) == pytest.approx(luck, abs=1e-9)


@pytest.mark.parametrize("seat", [0, 1])
def test_luck_of_a_card_that_lets_a_seat_knock_is_good_for_it(seat: int) -> None:
    mine, theirs = "As Ah Ad 2s 3s 4s 7h 8h Kd Qd", "Qs Qh Js Th 9s 8d 6c 5h 4d 2c"
    game = drawing_state(0)
    game["hand"][0, [seat, 1 - seat]] = to_bits(mine), to_bits(theirs)
    game["to_move"] = seat
    rest = [card for card in range(N_CARDS) if card not in to_ids(f"{mine} {theirs} Kc")]
    game["deck"][0, N_CARDS - len(rest) :] = rest
    place = N_CARDS - len(rest) + rest.index(to_ids("9h")[0])
    luck = draw_luck(STANDARD.row(), with_next(game, place)[0], DRAW)
    assert luck * (1 - 2 * seat) > 5


def test_luck_counts_draws_from_the_stock_only() -> None:
    record, game = STANDARD.row(), drawing_state(3)
    assert draw_luck(record, game[0], DRAW) != 0
    assert draw_luck(record, game[0], TAKE) == 0
    assert draw_luck(record, game[0], PASS) == 0
    apply(record, game[0], DRAW)
    assert draw_luck(record, game[0], DISCARD + int(game[0]["drawn"])) == 0
    assert draw_luck(record, game[0], DRAW) == 0  # an illegal one


def test_luck_is_doubled_where_the_hand_is() -> None:
    record, game = STANDARD.row(), drawing_state(4)
    single = draw_luck(record, game[0], DRAW)
    game["is_doubled"] = 1
    assert draw_luck(record, game[0], DRAW) == pytest.approx(2 * single)


def play(a: str, b: str, n_deals: int) -> Played:
    contest = Contest(rules=STANDARD, n_deals=n_deals, seed=5)
    return join(list(play_contest((resolve(a), resolve(b)), contest)))


@pytest.mark.parametrize(("a", "b"), [("hard", "simple"), ("random", "medium")])
def test_luck_of_played_hands_is_zero_in_the_mean(a: str, b: str) -> None:
    luck = play(a, b, 2000).hands["luck"]
    for part in (luck, luck[::2], luck[1::2]):
        assert abs(part.mean()) < 4 * part.std() / len(part) ** 0.5
    assert luck.std() > 3


def test_luck_goes_along_with_the_points() -> None:
    hands = play("hard", "medium", 2000).hands
    assert np.corrcoef(hands["luck"], hands["points"])[0, 1] > 0.45


def test_luck_of_a_bot_against_itself_is_cancelled_by_the_mirror() -> None:
    luck = play("simple", "simple", 50).hands["luck"]
    assert luck.any()
    assert luck[::2] + luck[1::2] == pytest.approx(0.0, abs=1e-9)
