"""The champion that ships plays as strongly as its card says (figures: docs/agents.md)."""

import pytest

import gin_env
from eval.games.arena import Contest, join, play_contest
from eval.stats.estimates import describe_matches
from gin_env.core.rules import Rules
from gin_env.players import NetPlayer, resolve

N_PAIRS = 300


@pytest.mark.slow
@pytest.mark.parametrize("opponent", ["simple", "greedy", "medium", "hard"])
def test_matches_won_are_those_of_the_card(opponent: str) -> None:
    champion = gin_env.load_agent("champion")
    assert isinstance(champion, NetPlayer)
    (written,) = [
        one
        for one in champion.metadata["strength"]["measured"]
        if one["against"] == opponent and one["measure"] == "share of matches won"
    ]
    assert written["value"] > {"simple": 0.8, "greedy": 0.85, "medium": 0.7, "hard": 0.6}[opponent]
    contest = Contest(rules=Rules.preset("eaai"), episode="match", n_deals=N_PAIRS, seed=3)
    played = join(list(play_contest((champion, resolve(opponent)), contest)))
    won = describe_matches(played.matches).won
    margin = (won.high - won.low) / 2
    # Twice the margin of 95 %: a healthy champion fails once in ten thousand times.
    assert abs(won.value - written["value"]) < 2 * margin
