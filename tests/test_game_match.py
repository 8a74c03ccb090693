"""Game over a whole match: totals, dealers, bonuses and its end."""

import numpy as np
import pytest

from gin_env import Game, MatchError, Rules
from gin_env.core.actions import DRAW, KNOCK, PASS
from gin_env.core.rules import PRESETS
from gin_env.core.state import Phase
from tests.test_game import GIN, LEFT_WITH_6, settle


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


def test_match_won_120_to_0_pays_440_at_the_home_table() -> None:
    melded = "Jh Qh Kh Js Qs Ks Tc Jc Qc Kc"
    text = Game.from_deal(
        "home", dealer=1, hands=(GIN, melded), upcard="5c", seed=1, episode="match"
    ).to_text()
    game = Game.from_text(
        text.replace('"n_hands": 0', '"n_hands": 5')
        .replace('"hands_won": [0, 0]', '"hands_won": [5, 0]')
        .replace('"totals": [0, 0]', '"totals": [95, 0]')
    )
    game.play("draw")
    (drawn,) = set(game.hand(0)) - set(GIN.split())
    game.play(f"knock {drawn}")
    assert game.points == (25, -25)
    assert (game.totals, game.match_winner) == ((120, 0), 0)
    assert 95 + game.rewards[0] == 120 + 6 * 20 + 100 + 100 == 440


def test_next_hand_is_refused_where_there_is_none() -> None:
    with pytest.raises(MatchError, match="episode='hand' has no next hand"):
        settle(GIN, LEFT_WITH_6).next_hand()
    with pytest.raises(MatchError, match=r"the hand is not over: seat \d is to move"):
        Game.deal(seed=1, episode="match").next_hand()
