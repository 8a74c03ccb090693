"""Playing a plan: what counts for each pair, when it stops, what is not played twice."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eval.experiment.measure import EvalPlan, Result, make_progress, measure
from eval.experiment.store import create
from eval.games.arena import Contest, OnEnded, Played
from eval.games.entrants import Entrants, identify
from gin_env.core.rules import Rules
from tests.eval.results import given


class Source:
    """Plays, and keeps which parts it was asked for; an interrupt comes after some of them."""

    def __init__(self, interrupted_after: int = 10**6) -> None:
        self.asked: dict[str, list[int]] = {}
        self.n_played = 0
        self._left = interrupted_after
        self._entrants = Entrants((identify("hard"), identify("random")))

    def __call__(
        self, contest: Contest, parts: Sequence[int], on_ended: OnEnded
    ) -> Iterator[Played]:
        self.asked[contest.episode] = list(parts)
        for part in parts:
            if self._left == 0:
                raise KeyboardInterrupt
            self._left -= 1
            self.n_played += 1
            yield self._entrants.play(contest, part, on_ended)


def run(source: Source, n_hands: int = 40, n_matches: int = 8, **others: Any) -> Result:
    until = others.pop("until", None)
    plan = EvalPlan(rules=Rules(), n_hands=n_hands, n_matches=n_matches, n_games=2, until=until)
    with make_progress() as progress:
        return measure(("hard", "random"), plan, source, progress, **others)


def test_measure_stops_when_it_is_decided_and_says_so() -> None:
    source = Source()
    result = run(source, 2000, 400, until=0.05)
    assert (result.is_whole, result.decided) == (True, ("hand", "match"))
    n_parts = given(result.hands).n_pairs / 2 + given(result.matches).n_pairs / 2
    assert n_parts == source.n_played < 600


def test_measure_interrupted_keeps_whole_parts() -> None:
    result = run(Source(interrupted_after=11))
    assert not result.is_whole
    assert (given(result.hands).n_hands, given(result.matches).n_matches) == (40, 4)
    result = run(Source(interrupted_after=3))
    assert (result.is_whole, len(result.played_hands), result.matches) == (False, 12, None)


def test_measure_plays_only_what_is_not_kept(tmp_path: Path) -> None:
    with create(tmp_path / "run", {}) as store:
        run(Source(interrupted_after=3), store=store)
        source = Source()
        result = run(source, store=store)
    assert source.asked == {"hand": list(range(3, 10)), "match": [0, 1]}
    whole = run(Source())
    np.testing.assert_array_equal(result.played_hands, whole.played_hands)
    np.testing.assert_array_equal(result.played_matches, whole.played_matches)


@pytest.mark.parametrize("until", [0.05, 0.2])
def test_measure_of_kept_parts_stops_where_it_had_stopped(tmp_path: Path, until: float) -> None:
    with create(tmp_path / "run", {}) as store:
        first = run(Source(), 600, 0, until=until, store=store)
        source = Source()
        again = run(source, 600, 0, until=until, store=store)
    assert source.n_played == 0
    assert first.decided == again.decided == ("hand",)
    np.testing.assert_array_equal(first.played_hands, again.played_hands)
