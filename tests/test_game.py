"""Game: deals, matches, errors, and a game that goes on after every kind of copy."""

import copy
import pickle
from random import Random
from typing import Any

import numpy as np
import pytest

from gin_env import (
    OBS_LAYOUT,
    CardError,
    DealError,
    Game,
    GinError,
    IllegalActionError,
    MatchError,
    Rules,
    RulesError,
    SeatError,
    SeedError,
)
from gin_env.core.actions import DRAW, KNOCK, PASS
from gin_env.core.rules import PRESETS
from gin_env.core.state import Phase
from tests.rules import DEADWOOD_3, GIN, LEFT_WITH_6, LOOSE, deal, knock


def play_randomly(game: Game, rng: Random, n_actions: int = 1_000) -> list[int]:
    """Play up to so many actions of this hand; knocks are rare."""
    played: list[int] = []
    while not game.is_over and len(played) < n_actions:
        legal = game.legal_actions()
        quiet = [action for action in legal if action < KNOCK or action >= DRAW]
        played.append(rng.choice(quiet if rng.random() < 0.9 else legal))
        game.play(played[-1])
    return played


def test_game_result_tells_the_whole_settlement() -> None:
    result = knock(DEADWOOD_3, "Jh Qh Kh Jc Qc Kc 4s Td 8c 4d").result
    assert result is not None
    knocker, defender = result.arrangements
    assert knocker.melds == (("As", "2s", "3s"), ("4h", "5h", "6h"), ("7d", "8d", "9d"))
    assert (knocker.unmelded, knocker.deadwood) == (("3c",), 3)
    assert defender.melds == (("Jh", "Qh", "Kh"), ("Jc", "Qc", "Kc"))
    assert (defender.unmelded, defender.deadwood) == (("4d", "8c"), 12)
    assert [tuple(layoff) for layoff in result.layoffs] == [
        ("4s", ("As", "2s", "3s")),
        ("Td", ("7d", "8d", "9d")),
    ]
    assert result.describe() == "seat 0 knocks with 3 against 12: 9 points"
    assert result.n_turns == 1


def test_same_seed_is_the_same_game_and_other_seeds_are_not() -> None:
    hands = {Game.deal(seed=seed).hand(0) for seed in (*range(50), 2**64 - 1)}
    assert len(hands) == 51
    assert Game.deal(seed=9, dealer=0).hand(0) == Game.deal(seed=9, dealer=1).hand(0)
    assert Game.deal(seed=np.int64(9)).stock == Game.deal(seed=9).stock


def test_no_seed_takes_a_fresh_one_and_says_which() -> None:
    game = Game.deal()
    assert game.seed != Game.deal().seed
    assert Game.deal(seed=game.seed).stock == game.stock


def test_from_deal_takes_cards_in_every_form() -> None:
    shuffled = Game.deal(seed=5, dealer=0)
    expected = (shuffled.hand(0), shuffled.hand(1), shuffled.pile, shuffled.stock)
    order = "A23456789TJQK"
    number = {
        rank + suit: 13 * i + j for i, suit in enumerate("shdc") for j, rank in enumerate(order)
    }
    as_ids = [[number[card] for card in shuffled.hand(seat)] for seat in (0, 1)]
    as_masks = [sum(1 << card for card in hand) for hand in as_ids]
    as_text = [" ".join(shuffled.hand(seat)) for seat in (0, 1)]
    stock_ids = np.array([number[card] for card in shuffled.stock])
    upcard = shuffled.pile[0]
    for hands, top, stock in (
        (as_ids, number[upcard], stock_ids),
        (as_masks, [upcard], shuffled.stock),
        (as_text, upcard, " ".join(shuffled.stock)),
    ):
        game = Game.from_deal(dealer=0, hands=hands, upcard=top, stock=stock)
        assert (game.hand(0), game.hand(1), game.pile, game.stock) == expected


def test_from_deal_shuffles_the_rest_by_its_seed() -> None:
    games = [
        Game.from_deal(dealer=0, hands=LOOSE, upcard="Kc", seed=seed).stock for seed in (1, 1, 2)
    ]
    assert games[0] == games[1] != games[2]
    assert len({*games[0], *" ".join(LOOSE).split(), "Kc"}) == 52


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"hands": [LOOSE[0] + " Kh", LOOSE[1]]}, DealError, "hand of seat 0 must be 10 cards"),
        ({"hands": [LOOSE[0], "As 2s"]}, DealError, "hand of seat 1 must be 10 cards, not 2"),
        ({"hands": [LOOSE[0]]}, DealError, "a list of two hands"),
        ({"hands": [LOOSE[0], LOOSE[0]]}, CardError, "As comes twice"),
        ({"hands": [LOOSE[0], LOOSE[1].replace("Ah", "3h")]}, CardError, "seat 1: 3h comes twice"),
        ({"hands": [LOOSE[0], LOOSE[1].replace("Ah", "Xx")]}, CardError, "'Xx' is no card"),
        ({"hands": [None, LOOSE[1]]}, CardError, "hand of seat 0: None is no set of cards"),
        ({"upcard": "As"}, CardError, "As comes twice"),
        ({"upcard": "Kc Ks"}, DealError, "upcard must be one card, not 2"),
        ({"upcard": 99}, CardError, "99 is no card"),
        ({"stock": "Ks Qs"}, DealError, "stock must be 31 cards, not 2"),
        ({"dealer": 2}, SeatError, "dealer must be 0 or 1, not 2"),
        ({"dealer": True}, SeatError, "dealer must be 0 or 1"),
        ({"rules": "bridge"}, RulesError, "unknown preset 'bridge'; the presets are standard"),
        ({"rules": {"knock_limit": 11}}, RulesError, "knock_limit must be a whole number"),
        ({"rules": 3}, RulesError, "rules must be a preset's name"),
        ({"episode": "evening"}, RulesError, "episode must be one of hand, match"),
        ({"seed": -1}, SeedError, "a whole number from 0 to 2\\*\\*64 - 1, not -1"),
        ({"seed": 2**64}, SeedError, "a whole number"),
        ({"seed": "x"}, SeedError, "not 'x'"),
        ({"seed": 1.0}, SeedError, "not 1.0"),
    ],
)
def test_from_deal_names_what_is_wrong(
    change: dict[str, Any], error: type[GinError], message: str
) -> None:
    fields: dict[str, Any] = {"dealer": 0, "hands": LOOSE, "upcard": "Kc"}
    with pytest.raises(error, match=message):
        Game.from_deal(**(fields | change))


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ("draw", "'draw' is not legal: in the offer phase, holding As 3s 5s 7h 9h Jh"),
        (0, "'discard As' is not legal"),
        (107, "'big gin' is not legal"),
        (108, "108 is no action: ids lie between 0 and 107 \\(in the offer phase"),
        (-1, "-1 is no action"),
        ("knock Zz", "'knock Zz' is no action"),
        ("fold", "'fold' is no action: write 'draw', 'take', 'pass', 'big gin'"),
        (None, "None is no action"),
        (1.5, "1.5 is no action"),
        (True, "True is no action"),
        (np.float32(104), "is no action"),
    ],
)
def test_illegal_actions_are_named_and_change_nothing(action: Any, message: str) -> None:
    game = deal(LOOSE, "Kc")
    before = pickle.dumps(game)
    with pytest.raises(IllegalActionError, match=message) as caught:
        game.play(action)
    assert "legal: take, pass" in str(caught.value)
    assert pickle.dumps(game) == before
    game.play("pass")


def test_a_finished_hand_takes_no_action() -> None:
    game = knock(GIN, LEFT_WITH_6)
    with pytest.raises(IllegalActionError, match="'draw' is not legal: the hand is over"):
        game.play("draw")


@pytest.mark.parametrize("seat", [2, -1, "0", None, True, 0.0])
def test_seats_are_0_and_1(seat: Any) -> None:
    game = Game.deal(seed=1)
    for look in (game.hand, game.observation, game.action_mask):
        with pytest.raises(SeatError, match="seat must be 0 or 1"):
            look(seat)


def test_mask_is_that_of_the_seat_to_move_only() -> None:
    game = Game.deal(seed=4)
    rng = Random(0)
    while not game.is_over:
        mover = game.to_move
        assert mover is not None
        mask = game.action_mask(mover)
        assert mask.dtype == np.int8
        assert mask.shape == (108,)
        assert np.flatnonzero(mask).tolist() == game.legal_actions()
        assert not game.action_mask(1 - mover).any()
        play_randomly(game, rng, 1)
    assert not game.action_mask(0).any()
    assert not game.action_mask(1).any()


def test_observation_is_a_fresh_float_array_in_range() -> None:
    game = Game.deal(seed=4)
    first = game.observation(0)
    assert first.dtype == np.float32
    assert first.shape == (OBS_LAYOUT[-1].slice.stop,)
    kept = first.copy()
    play_randomly(game, Random(1), 12)
    assert game.observation(0) is not first
    assert np.array_equal(first, kept)
    longer = game.observation(1, extras=("danger",))
    assert np.array_equal(longer[: first.size], game.observation(1))
    assert longer.size == first.size + 52
    with pytest.raises(GinError, match="unknown observation block 'luck'"):
        game.observation(0, extras=("luck",))


@pytest.mark.parametrize("duplicate", [Game.copy, copy.copy, copy.deepcopy, "pickle", "text"])
@pytest.mark.parametrize("episode", ["hand", "match"])
def test_copies_go_on_exactly_as_the_original(duplicate: Any, episode: Any) -> None:
    game = Game.deal("home", seed=11, episode=episode)
    rng = Random(2)
    if episode == "match":
        play_randomly(game, rng)
        game.next_hand()
    play_randomly(game, rng, 9)
    twin = make_twin(game, duplicate)
    before = twin.to_text()
    actions = play_randomly(game, rng)
    assert twin.to_text() == before  # nothing is shared
    for action in actions:
        twin.play(action)
    if episode == "match":
        game.next_hand()
        twin.next_hand()
    assert twin.to_text() == game.to_text()
    assert (twin.totals, twin.rewards, twin.result) == (game.totals, game.rewards, game.result)
    for seat in (0, 1):
        assert np.array_equal(twin.observation(seat), game.observation(seat))


def make_twin(game: Game, duplicate: Any) -> Game:
    if duplicate == "pickle":
        twin = pickle.loads(pickle.dumps(game))
    elif duplicate == "text":
        twin = Game.from_text(game.to_text())
    else:
        twin = duplicate(game)
    assert isinstance(twin, Game)
    return twin


def test_print_shows_the_table_of_the_seat_to_move() -> None:
    game = deal(LOOSE, "Kc")
    assert "seen by player_0" in str(game)
    assert "J♥" in str(game)
    assert "9♦" not in str(game)
    assert repr(game) == f"<Game hand seed={game.seed} OFFER after ()>"


# --- Matches ---


def play_sensibly(game: Game) -> None:
    """Play one action: lower the deadwood, knock as soon as that is allowed."""
    assert game.to_move is not None
    legal, after = game.legal_actions(), game.view(game.to_move)["deadwood_after"]
    if game.phase is not Phase.DISCARD:
        game.play(PASS if PASS in legal else DRAW)
        return
    card = int(np.where(after >= 0, after, 999).argmin())
    game.play(KNOCK + card if KNOCK + card in legal else card)


@pytest.mark.parametrize("preset", PRESETS)
def test_match_goes_on_to_its_end_and_pays_what_the_totals_say(preset: str) -> None:
    game = Game.deal(Rules.preset(preset, target=40), seed=8, episode="match")
    paid = 0
    while not game.is_match_over:
        if game.is_over:
            dealer, result = game.dealer, game.result
            game.next_hand()
            assert (result and result.winner) is not None or game.dealer == dealer
            assert game.points == (0, 0)
        play_sensibly(game)
        assert sum(game.rewards) == 0
        paid += game.rewards[0]
    winner = game.match_winner
    assert winner is not None
    assert game.totals[winner] >= 40 > game.totals[1 - winner]
    assert (paid > 0) == (winner == 0)
    if preset == "standard":
        assert paid == game.totals[0] - game.totals[1]
    with pytest.raises(MatchError, match=f"the match is over: seat {winner} has won it"):
        game.next_hand()


def test_next_hand_is_refused_where_there_is_none() -> None:
    with pytest.raises(MatchError, match="episode='hand' has no next hand"):
        knock(GIN, LEFT_WITH_6).next_hand()
    with pytest.raises(MatchError, match=r"the hand is not over: seat \d is to move"):
        Game.deal(seed=1, episode="match").next_hand()
