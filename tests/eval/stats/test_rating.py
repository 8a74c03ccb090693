"""Ratings: known chances, intervals that hold, players who win everything, circles, standings."""

import math
from itertools import combinations, pairwise

import numpy as np
import pytest

from eval.errors import EvalError
from eval.experiment.measure import Result
from eval.games.game_log import HAND_DTYPE, MATCH_DTYPE
from eval.stats.rating import (
    Pairing,
    Triple,
    find_triples,
    fit_ratings,
    score_hands,
    score_matches,
)
from eval.stats.standings import make_standings
from tests.eval.results import count_covered, given, make_result

TRUE = np.array([200.0, 80.0, 0.0, -80.0, -200.0])


def expected_score(difference: float) -> float:
    """The chance to win that Elo's scale gives for a difference of ratings."""
    return float(1 / (1 + 10 ** (-difference / 400)))


def make_robin(
    rng: np.random.Generator, n_pairs: int, true: np.ndarray = TRUE, alike: float = 0.3
) -> list[Pairing]:
    """All against all by the model; some deals decide both games of a pair, some those of all."""
    deals, shared, is_shared = np.arange(n_pairs), rng.random(n_pairs), rng.random(n_pairs) < alike
    pairings = []
    for a, b in combinations(range(len(true)), 2):
        luck = rng.random((n_pairs, 2))
        luck[:, 1] = np.where(rng.random(n_pairs) < alike, luck[:, 0], luck[:, 1])
        luck[is_shared] = shared[is_shared, None]
        scores = (luck < expected_score(true[a] - true[b])).mean(axis=1)
        pairings.append(Pairing(a, b, deals, scores))
    return pairings


def make_pairing(a: int, b: int, n_won: int, n_lost: int) -> Pairing:
    scores = np.repeat([1.0, 0.0], [n_won, n_lost])
    return Pairing(a, b, np.arange(len(scores)), scores)


def test_two_players_differ_by_what_their_score_says_and_half_a_game_more_for_each() -> None:
    first, second = fit_ratings(2, [make_pairing(0, 1, 73, 25)])
    assert first.value - second.value == pytest.approx(400 * math.log10(73.25 / 25.25))
    assert first.value == pytest.approx(-second.value)
    assert first.high - first.value == pytest.approx(first.value - first.low)


def test_interval_of_two_players_is_that_of_their_share() -> None:
    """By the delta method: the logit's slope is 1 / (p (1 - p)), and a rating half the distance."""
    (first, _), n = fit_ratings(2, [make_pairing(0, 1, 7400, 2600)]), 10000
    error = 400 / math.log(10) / math.sqrt(0.74 * 0.26 * n) / 2
    assert first.high - first.value == pytest.approx(1.96 * error, rel=0.01)


def test_mirrored_games_that_go_alike_are_worth_one() -> None:
    rng = np.random.default_rng(1)
    deals = np.arange(4000)
    alike = Pairing(0, 1, deals, (rng.random(4000) < 0.6).astype(float))
    apart = Pairing(0, 1, deals, (rng.random((4000, 2)) < 0.6).mean(axis=1))
    widths = [np.ptp(fit_ratings(2, [pairing])[0][1:]) for pairing in (alike, apart)]
    assert widths[0] / widths[1] == pytest.approx(math.sqrt(2), rel=0.05)


def test_ratings_come_out_as_they_went_in() -> None:
    ratings = fit_ratings(5, make_robin(np.random.default_rng(2), 20_000))
    assert [rating.value for rating in ratings] == pytest.approx(TRUE, abs=6)
    assert sum(rating.value for rating in ratings) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(
    ("true", "n_pairs", "alike"), [(TRUE, 60, 0.3), (np.array([400.0, 0.0, -400.0]), 30, 0.0)]
)
def test_intervals_cover_the_true_ratings(true: np.ndarray, n_pairs: int, alike: float) -> None:
    rng = np.random.default_rng(3)
    fits = [fit_ratings(len(true), make_robin(rng, n_pairs, true, alike)) for _ in range(300)]
    covered = list(map(count_covered, zip(*fits, strict=True), true))
    assert min(covered) >= 0.91
    assert alike == 0 or 0.93 <= np.mean(covered) <= 0.97


def test_deals_that_decide_several_pairings_widen_the_intervals() -> None:
    """The first player wins all games of half the deals: the other pairings tell nothing new."""
    rng, n_pairs = np.random.default_rng(4), 400
    scores = (rng.random(n_pairs) < 0.5).astype(float)
    rest = [make_pairing(1, 2, 200, 200)]
    same = [Pairing(0, b, np.arange(n_pairs), scores) for b in (1, 2)]
    other = [Pairing(0, b, np.arange(n_pairs) + b * n_pairs, scores) for b in (1, 2)]
    widths = [np.ptp(fit_ratings(3, [*pairings, *rest])[0][1:]) for pairings in (same, other)]
    assert widths[0] / widths[1] == pytest.approx(math.sqrt(2), rel=0.05)


@pytest.mark.parametrize("n_pairs", [1, 10, 1000])
def test_who_won_everything_has_a_finite_rating_and_interval(n_pairs: int) -> None:
    pairings = [make_pairing(0, 1, n_pairs, 0), make_pairing(1, 2, n_pairs, 0)]
    pairings.append(make_pairing(0, 2, n_pairs, 0))
    best, middle, worst = fit_ratings(3, pairings)
    assert best.value > middle.value > worst.value
    assert middle.value == pytest.approx(0.0, abs=1e-6)
    for value, low, high in (best, middle, worst):
        assert math.isfinite(value)
        assert low < value < high
    assert best.high - best.low > 250  # nobody knows by how much
    if n_pairs == 1000:
        assert best.low > middle.high


def test_players_who_have_not_met_cannot_be_rated() -> None:
    pairings = [make_pairing(0, 1, 3, 1), make_pairing(2, 3, 3, 1)]
    with pytest.raises(EvalError, match="have met"):
        fit_ratings(4, pairings)
    assert len(fit_ratings(4, [*pairings, make_pairing(1, 2, 1, 1)])) == 4


def test_score_matches_is_the_share_of_each_deal() -> None:
    matches = np.zeros(5, MATCH_DTYPE)
    matches["pair"], matches["winner"] = [3, 3, 5, 5, 7], [0, 1, 0, 0, 1]
    deals, scores = score_matches(matches)
    assert deals.tolist() == [3, 5, 7]
    assert scores.tolist() == [0.5, 1.0, 0.0]


def test_score_hands_goes_by_the_points_of_a_deal() -> None:
    hands = np.zeros(8, HAND_DTYPE)
    hands["pair"] = [0, 0, 1, 1, 2, 2, 3, 3]
    hands["points"] = [60, -20, -5, 4, 30, -30, 0, 0]
    deals, scores = score_hands(hands)
    assert deals.tolist() == [0, 1, 2, 3]
    assert scores.tolist() == [1.0, 0.0, 0.5, 0.5]


def test_a_circle_is_found_once_from_wherever_it_is_told() -> None:
    circle = [make_pairing(0, 1, 70, 30), make_pairing(1, 2, 70, 30)]
    assert find_triples([*circle, make_pairing(2, 0, 70, 30)]) == [Triple(0, 1, 2)]
    assert find_triples([*circle, make_pairing(0, 2, 30, 70)]) == [Triple(0, 1, 2)]
    turned = [Pairing(p.b, p.a, p.deals, p.scores) for p in circle]
    assert find_triples([*turned, make_pairing(0, 2, 70, 30)]) == [Triple(0, 2, 1)]


def test_a_ladder_or_an_unsure_pairing_is_no_circle() -> None:
    rows = [make_pairing(0, 1, 70, 30), make_pairing(1, 2, 70, 30)]
    assert find_triples([*rows, make_pairing(0, 2, 70, 30)]) == []
    assert find_triples([*rows, make_pairing(2, 0, 55, 45)]) == []
    assert find_triples([]) == []


def test_equal_players_make_no_circles() -> None:
    rng, n_found = np.random.default_rng(6), 0
    for _ in range(200):
        pairings = [
            Pairing(a, b, np.arange(40), rng.integers(0, 3, 40) / 2)
            for a, b in combinations(range(6), 2)
        ]
        n_found += bool(find_triples(pairings))
    assert n_found <= 4


def make_won(a: str, b: str, winners: list[int], *, with_matches: bool = True) -> Result:
    """Two matches or hands a deal, all won by the same side; -1 for one each."""
    n_pairs = len(winners)
    of_games = np.where(np.repeat(winners, 2) < 0, np.tile([0, 1], n_pairs), np.repeat(winners, 2))
    hands, matches = np.zeros(2 * n_pairs, HAND_DTYPE), np.zeros(2 * n_pairs, MATCH_DTYPE)
    for records in (hands, matches):
        records["pair"] = np.repeat(np.arange(n_pairs), 2)
        records["seat_of_a"] = np.tile([0, 1], n_pairs)
        records["winner"] = of_games
        records["points"] = 10 - 20 * of_games
    return make_result(a, b, hands, matches if with_matches else None)


def test_standings_put_the_best_first() -> None:
    results = [
        make_won("low", "high", [1] * 40 + [0] * 20),
        make_won("high", "middle", [0] * 35 + [1] * 25),
        make_won("middle", "low", [0] * 35 + [-1] * 5 + [1] * 20),
    ]
    standings = given(make_standings(results))
    assert standings.names == ("high", "middle", "low")
    assert standings.kind == "matches"
    assert [standings.shares[place][place] for place in range(3)] == [None] * 3
    share = given(standings.shares[0][1])
    assert share.value == 35 / 60
    assert standings.shares[1][0] == pytest.approx((1 - share.value, 1 - share.high, 1 - share.low))
    assert standings.mean_share(0) == pytest.approx((35 / 60 + 40 / 60) / 2)
    assert standings.triples == ()


def test_standings_name_the_players_of_a_circle() -> None:
    circle = ["rock", "scissors", "paper", "rock"]
    results = [make_won(a, b, [0] * 80 + [1] * 20) for a, b in pairwise(circle)]
    (names,) = given(make_standings(results)).to_dict()["triples"]
    first = names.index("rock")
    assert names[first:] + names[:first] == circle[:3]


def test_standings_of_hands_where_no_matches_were_played() -> None:
    results = [make_won("a", "b", [0, 0, 1, -1] * 10, with_matches=False)]
    standings = given(make_standings(results))
    assert standings.kind == "hands"
    assert given(standings.shares[0][1]).value == (2 + 0.5) / 4
    results.append(make_won("a", "c", [0, 1] * 10))
    mixed = given(make_standings(results))
    assert (mixed.kind, mixed.names) == ("matches", ("a", "c"))


def test_standings_of_nobody_or_of_one_player_or_of_strangers_are_unknown() -> None:
    assert make_standings([]) is None
    assert make_standings([make_won("a", "a", [0, 1, 0])]) is None
    strangers = [make_won("a", "b", [0, 1, 0]), make_won("c", "d", [0, 1, 0])]
    assert make_standings(strangers) is None
