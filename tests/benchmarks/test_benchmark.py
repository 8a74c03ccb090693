"""The benchmark: what it writes and says. Speed itself is never asserted."""

import json
import os
import sys
import time
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from benchmarks import measure, processes, results
from benchmarks.engine import count_bytes, dense_hand
from benchmarks.figures import FULL, Effort, Figure, cost, pinned, rate
from benchmarks.measure import MEASURES
from benchmarks.measured_loops import as_quads, choose_at_random
from benchmarks.random_play import AECPlay, BatchPlay, RandomPlay, VectorPlay
from benchmarks.suites import SUITES
from benchmarks.timing import Sample, find_size
from eval.cli import main
from gin_env.core.actions import N_ACTIONS
from gin_env.core.batch import Batch
from gin_env.core.jit import IS_COMPILED
from gin_env.core.state import seed_words
from gin_env.support.command_line import BAD_INPUT, INTERRUPTED

Run = Any

compiled_only = pytest.mark.skipif(not IS_COMPILED, reason="plain Python takes hours for it")

QUICK_SUITES = ("random", "deadwood", "memory")
OURS, DENSE, THEIRS = (
    Figure(name="random_1024", work="ours", unit="decisions/s", repetitions=(4e6, 2e6, 3.3333e6)),
    Figure(name="deadwood_dense", work="dense", unit="ns", repetitions=(61.0,), core_share=0.5),
    Figure(name="openspiel", work="theirs", unit="1/s", repetitions=(1e5,), versions={"a": "2"}),
)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def typed(*arguments: object) -> tuple[int, str, str]:
        try:
            code = main(["benchmark", *(str(argument) for argument in arguments)])
        except SystemExit as left:
            code = int(left.code or 0)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return typed


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three suites that are measured already."""
    figures = {"random": OURS, "deadwood": DENSE, "peers": THEIRS}
    measures = {name: lambda _effort, figure=one: iter([figure]) for name, one in figures.items()}
    monkeypatch.setattr(measure, "MEASURES", measures)


def markdown_of(folder: Path) -> str:
    return (folder / results.MARKDOWN_NAME).read_text(encoding="utf-8")


def content_of(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / results.JSON_NAME).read_text(encoding="utf-8"))
    return content


def measured(run: Run, folder: Path, *suites: str) -> dict[str, float]:
    """The medians of a quick run of some suites, by the figures' names."""
    assert run("--quick", "--only", *suites, "--out", folder)[0] == 0
    figures = content_of(folder)["figures"]
    assert {figure["suite"] for figure in figures} == set(suites)
    return {figure["name"]: figure["median"] for figure in figures}


def test_every_suite_is_measured() -> None:
    assert set(MEASURES) == set(SUITES)


@compiled_only
def test_quick_run_writes_figures_and_tables(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("--quick", "--only", *QUICK_SUITES, "--out", tmp_path / "new" / "folder")
    content = content_of(tmp_path / "new" / "folder")
    figures = {figure["name"]: figure for figure in content["figures"]}
    assert code == 0
    assert (content["format"], content["version"]) == ("gin_env benchmark", 1)
    assert content["is_quick"]
    assert {figure["suite"] for figure in content["figures"]} == set(QUICK_SUITES)
    assert set(figures) >= {"random_1", "random_8192_known", "deadwood_dense", "memory_vector"}
    assert all(figure["lowest"] > 0 for figure in content["figures"])
    assert figures["random_1024"]["target"]["kind"] == "at_least"
    assert figures["deadwood_random"]["unit"] == "ns"
    for name in ("cpu", "cores", "pinned_to", "system", "python"):
        assert name in content["machine"]
    assert {"gin_env", "numpy", "numba"} <= set(content["versions"])
    assert len(content["date"]) == len("2026-01-01T00:00:00+00:00")
    markdown = markdown_of(tmp_path / "new" / "folder")
    for figure in content["figures"]:
        assert figure["work"] in out
        assert f"| {figure['work']} |" in markdown


@compiled_only
def test_faces_and_parts_are_measured(run: Run, tmp_path: Path) -> None:
    medians = measured(run, tmp_path, "aec", "vector", "hands", "hard", "breakdown")
    assert min(medians.values()) > 0


@compiled_only
@pytest.mark.slow
def test_starts_are_measured(run: Run, tmp_path: Path) -> None:
    medians = measured(run, tmp_path, "start")
    assert medians["start_warm"] < medians["start_warm_hand"]
    assert medians["start_warm"] < medians["start_cold"]


@compiled_only
@pytest.mark.slow
def test_training_is_measured(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib")
    medians = measured(run, tmp_path, "training")
    assert 0 < medians["training_share"] < 100
    assert medians["training_plain"] > 0


@pytest.mark.parametrize(
    ("patch", "note"),
    [
        (("find_spec", lambda _name: None), "training: training is not installed: pip install"),
        (("PEERS_PYTHON", Path("missing")), "peers: the peers are not installed: run `make bench"),
        (("PEERS_PYTHON", Path(sys.executable)), "peers: OpenSpiel gin_rummy, random legal play: "),
    ],
)
def test_what_is_not_installed_is_a_note(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patch: tuple[str, Any], note: str
) -> None:
    monkeypatch.setattr(processes, *patch)
    suite = note.partition(":")[0]
    code, out, _ = run("--quick", "--only", suite, "memory", "--out", tmp_path)
    content = content_of(tmp_path)
    (noted,) = content["notes"]
    assert noted.startswith(note)
    assert (code, bool(content["figures"]), noted in out) == (0, True, True)
    assert noted in markdown_of(tmp_path)


def test_peers_are_measured_by_their_own_python(tmp_path: Path, run: Run) -> None:
    if not processes.PEERS_PYTHON.is_file():
        pytest.skip("make bench-peers has not been run")
    assert set(measured(run, tmp_path, "peers")) == {"openspiel", "openspiel_bare", "pettingzoo"}
    assert content_of(tmp_path)["peers"]["pettingzoo"] == "1.26.1"


def test_script_that_fails_is_one_line(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "python"
    fake.write_text("#!/bin/sh\necho first >&2\necho 'no such game' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setattr(processes, "PEERS_PYTHON", fake)
    code, _, err = run("--quick", "--only", "peers", "--out", tmp_path)
    assert code == BAD_INPUT
    assert err.splitlines() == ["python -m eval: error: measure_peers.py failed: no such game"]


@pytest.mark.usefixtures("few")
def test_ratios_compare_with_peers(run: Run, tmp_path: Path) -> None:
    assert run("--only", "peers", "random", "--out", tmp_path)[0] == 0
    content = content_of(tmp_path)
    (ratio,) = content["ratios"]
    assert (ratio["ours"], ratio["theirs"]) == ("random_1024", "openspiel")
    assert ratio["value"] == pytest.approx(33.333)
    assert content["peers"] == {"a": "2"}
    assert "| ours | theirs | 33.3 | 30 | yes |" in results.to_markdown(content)


@pytest.mark.usefixtures("few")
def test_markdown_gives_spread_targets_and_a_busy_core(run: Run, tmp_path: Path) -> None:
    _, out, _ = run("--only", "random", "deadwood", "--out", tmp_path)
    markdown = markdown_of(tmp_path)
    spread = "2,000,000 to 4,000,000"
    assert f"| ours | 3,333,000 decisions/s | {spread} | 3,000,000 | yes |" in markdown
    assert "| dense | 61.0 ns | once | at most 60 | **no** |" in markdown
    assert "**The core was busy:** only 50 % of its time went to: dense." in markdown
    assert "Quick figures" not in markdown
    assert f"ours: 3,333,000 decisions/s ({spread}); reaches at least 3,000,000" in out
    assert "dense: 61.0 ns (once); MISSES at most 60" in out


@pytest.mark.usefixtures("few")
def test_docs_are_filled_between_their_marks(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "performance.md"
    page.write_text("before\n<!-- benchmark -->\nold\n<!-- end of benchmark -->\nafter\n")
    monkeypatch.setattr(results.fill_docs, "__defaults__", (page,))
    run("--only", "random", "--out", tmp_path)
    assert run("--docs", "--out", tmp_path) == (0, "", "")
    filled = page.read_text(encoding="utf-8")
    assert filled.startswith("before\n<!-- benchmark -->\nMeasured on ")
    assert filled.endswith("<!-- end of benchmark -->\nafter\n")
    assert "| ours | 3,333,000 decisions/s |" in filled
    assert "old" not in filled
    assert run("--docs", "--out", tmp_path)[0] == 0
    assert page.read_text(encoding="utf-8") == filled


def test_docs_page_has_the_marks() -> None:
    content: dict[str, Any] = {
        **{name: {} for name in ("versions", "peers")},
        **{name: [] for name in ("figures", "ratios", "notes")},
        "machine": dict.fromkeys(("cpu", "cores", "pinned_to", "system", "python")),
        "commit": None,
        "date": "2026-01-01",
        "is_quick": False,
    }
    page = results.PERFORMANCE_PAGE.read_text(encoding="utf-8")
    assert "Measured on 2026-01-01" in results.fill(page, content)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("--only speed", "argument --only: unknown value 'speed'; the values are random"),
        ("--only", "argument --only: expected at least one argument"),
        ("--out pyproject.toml", "cannot write into 'pyproject.toml'"),
        ("--docs --out missing", "cannot read 'missing"),
        ("--only random --hands 3", "unrecognized arguments: --hands 3"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(run: Run, typed: str, said: str) -> None:
    code, out, err = run(*typed.split())
    assert (code, out) == (BAD_INPUT, "")
    assert len(err.splitlines()) == 1
    assert said in err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "cannot read"),
        ("[]", "it holds no mapping"),
        ("{}", "was not written by this benchmark"),
        ('{"format": "gin_env benchmark", "version": 99}', "has version 99, not 1"),
        (
            '{"format": "gin_env benchmark", "version": 1, "is_quick": true}',
            "quick figures: too rough for the docs",
        ),
    ],
)
def test_docs_take_whole_reports_only(run: Run, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / results.JSON_NAME).write_text(text, encoding="utf-8")
    code, _, err = run("--docs", "--out", tmp_path)
    assert code == BAD_INPUT
    assert len(err.splitlines()) == 1
    assert said in err


def test_interrupt_writes_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_effort: Effort) -> Iterator[Figure]:
        yield OURS
        raise KeyboardInterrupt

    monkeypatch.setattr(measure, "MEASURES", {"random": interrupted})
    code, _, err = run("--only", "random", "--out", tmp_path)
    assert code == INTERRUPTED
    assert "nothing is written" in err
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity on this system")
def test_pinning_ends_with_the_run() -> None:
    before = os.sched_getaffinity(0)
    with pinned() as core:
        assert os.sched_getaffinity(0) == {core}
    assert os.sched_getaffinity(0) == before


def test_figures_are_rates_and_costs() -> None:
    samples = [Sample(n_done=10, seconds=2.0, core_seconds=1.0), Sample(20, 2.0, 2.0)]
    assert rate("a", "", "", samples).repetitions == (5.0, 10.0)
    assert cost("a", "", samples).repetitions == (2e8, 1e8)
    assert rate("a", "", "", samples).core_share == 0.75
    assert rate("a", "", "", samples).median == 7.5


def test_size_is_found_by_doing_some_of_it() -> None:
    sizes = []

    def work(size: int) -> int:
        sizes.append(size)
        time.sleep(size / 1000)
        return size

    assert 1 <= find_size(work, 0.01) <= 10
    assert sizes[:2] == [1, 1]


def test_random_choice_is_legal_and_even() -> None:
    batch = Batch(20_000)
    batch.reset(1)
    masks = np.zeros((len(batch), N_ACTIONS), np.int8)
    masks[:, [0, 51, 52, N_ACTIONS - 1]] = 1
    masks[0] = 0
    actions = np.full(len(batch), -1)
    words = seed_words(np.arange(len(batch), dtype=np.uint64))
    assert choose_at_random(as_quads(masks), words, actions) == len(batch) - 1
    assert actions[0] == -1
    chosen, n_times = np.unique(actions[1:], return_counts=True)
    assert chosen.tolist() == [0, 51, 52, N_ACTIONS - 1]
    assert abs(n_times - len(batch) / 4).max() < 300


@pytest.mark.parametrize(
    ("play", "arguments"), [(BatchPlay, (5,)), (AECPlay, ()), (VectorPlay, (5, "medium"))]
)
def test_play_with_known_choices_is_the_same_play(play: Any, arguments: Any) -> None:
    played: RandomPlay = play(*arguments)
    played.make_room(300)
    before = deepcopy(played.face)
    n_done = played.choose()
    after = state_of(played.face)
    played.face = before
    played.follow()
    assert 0 < n_done <= played.actions.size
    assert state_of(played.face).tobytes() == after.tobytes()


def state_of(face: Any) -> np.ndarray:
    """The games behind a face."""
    batch = face._game if hasattr(face, "_game") else getattr(face, "_table", face)
    return np.array(batch.arrays.games if hasattr(batch, "arrays") else batch)


def test_dense_hands_hold_as_many_cards_as_asked() -> None:
    rng = Random(1)
    assert {dense_hand(rng, 11).bit_count() for _ in range(500)} == {11}


def test_bytes_count_each_array_once() -> None:
    batch = Batch(8)
    arrays = sum(array.nbytes for array in batch.arrays)
    assert arrays <= count_bytes(batch) <= arrays + 4096
    shared = np.zeros(1000)
    assert count_bytes([shared, shared, shared[:10], (shared,)]) == shared.nbytes


def test_full_effort_is_several_repetitions() -> None:
    assert FULL.n_repetitions >= 5
