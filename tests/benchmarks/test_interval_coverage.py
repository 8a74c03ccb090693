"""The intervals of real evaluations cover the long-run value as often as they say."""

import pytest

from benchmarks import interval_coverage
from benchmarks.interval_coverage import measure_coverage


@pytest.mark.slow
def test_intervals_of_real_play_cover_the_long_run_value() -> None:
    plain, adjusted, anytime = measure_coverage("hand", 400, 60, 30_000)
    assert 0.92 <= plain.covered <= 0.98
    assert 0.92 <= adjusted.covered <= 0.98
    assert anytime.covered >= 0.95
    assert adjusted.width < 0.92 * plain.width < anytime.width


def test_coverage_of_intervals_that_are_far_off_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    estimate = interval_coverage._estimate
    monkeypatch.setattr(
        interval_coverage,
        "_estimate",
        lambda games: tuple(e._replace(low=e.low + 90, high=e.high + 90) for e in estimate(games)),
    )
    plain, adjusted, anytime = measure_coverage("match", 5, 20, 40)
    assert plain.covered == adjusted.covered == anytime.covered == 0.0
    assert plain.what == "matches won"


def test_coverage_prints_a_row_for_each_interval(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(interval_coverage, "N_EVALUATIONS", 2)
    monkeypatch.setattr(interval_coverage, "N_PAIRS", {"hand": 20, "match": 20})
    monkeypatch.setattr(interval_coverage, "N_PAIRS_LONG", {"hand": 30, "match": 20})
    interval_coverage.main()
    text = capsys.readouterr().out
    for what in ("points per hand", "matches won"):
        assert text.count(what) == 3
