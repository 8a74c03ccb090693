"""The command line, end to end: tables, JSON, bad input in one line, an interrupt."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from eval.cli import main
from eval.games import entrants as seats
from eval.games.arena import Played, play_part
from gin_env.core.actions import N_ACTIONS
from gin_env.core.observe import EXTRAS, obs_size
from gin_env.support.command_line import BAD_INPUT, INTERRUPTED
from tests.typed import Run, runner


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(main, capsys)


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder with an untrained model that asks for the optional blocks."""
    maskable = pytest.importorskip("sb3_contrib")
    folder = tmp_path_factory.mktemp("runs") / "tiny"
    folder.mkdir()
    sizes = {"n_steps": 8, "batch_size": 8, "policy_kwargs": {"net_arch": [8]}}
    model = maskable.MaskablePPO("MlpPolicy", Spaces(), device="cpu", seed=1, **sizes)
    model.save(folder / "model.zip")
    (folder / "run.json").write_text(json.dumps({"extras": list(EXTRAS)}), encoding="utf-8")
    return folder


class Spaces(gym.Env[np.ndarray, int]):
    """Nothing but the spaces that a model is made for."""

    observation_space = gym.spaces.Box(0.0, 1.0, (obs_size(EXTRAS),), np.float32)
    action_space = gym.spaces.Discrete(N_ACTIONS)  # type: ignore[assignment]

    def reset(self, **_: Any) -> tuple[np.ndarray, dict[str, Any]]:
        return np.zeros(self.observation_space.shape or (), np.float32), {}


def row(table: str, name: str) -> list[str]:
    """The numbers in a row of a table."""
    line = next(line for line in table.splitlines() if line.strip().startswith(name))
    return re.findall(r"[-+]?\d+(?:\.\d+)?", line.split(name)[1].replace(",", ""))


def test_match_prints_one_table(run: Run) -> None:
    code, out, err = run("match", "medium", "random", "--hands", 200)
    assert (code, err) == (0, "")
    for name in ("hands won", "gins", "undercuts", "dead hands", "turns of a hand", "matches won"):
        assert row(out, name)
    assert float(row(out, "points per hand")[0]) > 0
    assert "200 hands and 20 matches" in out
    assert max(map(len, out.splitlines())) <= 80


def test_match_json_holds_what_the_table_says(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    options = ("--hands", 41, "--matches", 3, "--rules", "modern", "--seed", 7, "--json", file)
    code, out, _ = run("match", "medium", "hard:danger_weight=0,slack=3", *options)
    content = json.loads(file.read_text(encoding="utf-8"))
    (result,) = content["results"]
    assert code == 0
    order = content["order"]
    assert (order["command"], order["seed"], order["rules"]["game_bonus"]) == ("match", 7, 100)
    assert order["players"][1]["options"]["slack"] == 3
    assert (result["a"], result["b"]) == ("medium", "hard(slack=3, danger_weight=0)")
    assert (result["hands"]["n_hands"], result["hands"]["n_pairs"]) == (42, 21)
    assert (result["matches"]["n_matches"], result["is_whole"]) == (4, True)
    assert row(out, "points per hand")[0] == f"{result['hands']['points']['value']:+.2f}"


def test_match_of_the_same_seed_is_the_same_for_any_number_of_games(run: Run) -> None:
    typed = ("match", "easy", "random", "--hands", 60, "--seed", 3, "--games")
    assert run(*typed, 4) == run(*typed, 500)


def test_match_of_matches_alone_describes_their_hands(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    code, _, _ = run("match", "medium", "easy", "--matches", 6, "--json", file)
    (result,) = json.loads(file.read_text(encoding="utf-8"))["results"]
    assert code == 0
    assert result["matches"]["n_matches"] == 6
    assert result["hands"]["n_hands"] > 6
    assert result["hands"]["n_pairs"] == 3
    assert result["hands"]["sweeps"] is None


def test_match_without_matches_says_so(run: Run) -> None:
    _, out, _ = run("match", "greedy", "greedy", "--hands", 2, "--matches", 0)
    assert "greedy (A)" in out
    assert row(out, "points per hand") == ["+0.00", "+0.00"]
    assert "matches won" in out
    assert "2 hands." in out


def test_match_takes_rules_from_a_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "table.yaml"
    file.write_text("preset: straight\ntarget: 30\n", encoding="utf-8")
    code, out, _ = run("match", "medium", "greedy", "--hands", 40, "--rules", file)
    assert code == 0
    assert row(out, "knocks") == ["0.0", "0.0"]


def test_levels_prints_one_row_a_level(run: Run) -> None:
    code, out, _ = run("levels", "simple", "--hands", 40)
    assert code == 0
    rows = [line.split()[0] for line in out.splitlines() if "±" in line and ":" in line]
    assert rows[:3] == ["easy", "medium", "hard"]
    assert max(map(len, out.splitlines())) <= 80


def test_ladder_rates_all_and_shows_each_pairing(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    code, out, err = run("ladder", "easy", "random", "hard", "--hands", 100, "--json", file)
    assert (code, err) == (0, "")
    content = json.loads(file.read_text(encoding="utf-8"))
    pairings = [(result["a"], result["b"]) for result in content["results"]]
    assert pairings == [("easy", "random"), ("easy", "hard"), ("random", "hard")]
    assert [who["name"] for who in content["standings"]["players"]] == ["hard", "easy", "random"]
    for a, b in pairings:
        assert f"{a} - {b}" in out


def test_match_stops_when_it_is_decided(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    typed = ("hard", "random", "--hands", 2000, "--matches", 400, "--until", 0.05, "--json", file)
    code, out, _ = run("match", *typed)
    (result,) = json.loads(file.read_text(encoding="utf-8"))["results"]
    assert code == 0
    assert (result["is_whole"], result["decided"]) == (True, ["hand", "match"])
    assert result["hands"]["n_hands"] < 2000
    assert result["matches"]["n_matches"] < 400
    assert "decided" in out
    run("match", "hard", "hard", *typed[2:])
    (result,) = json.loads(file.read_text(encoding="utf-8"))["results"]
    assert (result["decided"], result["hands"]["n_hands"]) == ([], 2000)


def test_selfplay_prints_measured_beside_reported(run: Run) -> None:
    code, out, _ = run("selfplay", "simple", "--hands", 200)
    assert code == 0
    measured, reported = row(out, "turns of a hand, median")
    assert reported == "13"
    assert abs(float(measured) - 13) <= 3
    assert "200 hands" in out


def test_model_plays_from_its_file_and_its_run_folder(run: Run, run_folder: Path) -> None:
    typed = ("--hands", 10, "--matches", 0)
    folder_code, folder_out, _ = run("match", run_folder, "greedy", *typed)
    code, out, _ = run("match", run_folder / "model.zip", "greedy", *typed)
    assert (folder_code, code) == (0, 0)
    assert row(folder_out, "points per hand") == row(out, "points per hand")
    assert "tiny" in folder_out
    assert run("levels", run_folder, "--hands", 2)[0] == 0


@pytest.mark.parametrize("kept", [0.0, 0.001, 0.5, 0.99])
def test_model_file_that_is_cut_short_is_named(
    run: Run, run_folder: Path, tmp_path: Path, kept: float
) -> None:
    whole = (run_folder / "model.zip").read_bytes()
    file = tmp_path / "cut.zip"
    file.write_bytes(whole[: int(kept * len(whole))])
    code, out, err = run("levels", file)
    assert (code, out) == (BAD_INPUT, "")
    assert len(err.splitlines()) == 1
    assert "cut.zip" in err


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("match hard nobody", "'nobody' is neither a bot"),
        ("match hard", "required: B"),
        (
            "match hard medium --hands 0",
            "--hands: must be a whole number from 1 to 10",
        ),
        ("match hard medium --hands many", "not 'many'"),
        ("match hard medium --matches -2", "--matches: must be a whole number from 0 to"),
        (
            "match hard medium --hands 9999999999999",
            "must be a whole number from 1 to 10000",
        ),
        ("match hard medium --games 0", "--games: must be"),
        (
            "match hard medium --workers 0",
            "--workers: must be a whole number from 1 to 1000",
        ),
        (
            "match hard medium --workers 1001",
            "to 1000, not '1001'",
        ),
        ("match hard medium --until 1", "--until: must be a number from 1e-09 to 0.999, not '1'"),
        ("match hard medium --until nan", "not 'nan'"),
        ("match hard medium --until surely", "not 'surely'"),
        ("match program:missing-player medium", "no program 'missing-player'"),
        ("match program: medium", "a program needs a command"),
        (
            "match hard medium --seed 18446744073709551616",
            "--seed: must be a whole number",
        ),
        ("match hard medium --rules parlour", "unknown preset 'parlour'; the presets are standard"),
        ("match hard medium --rules missing.yaml", "cannot read rules from 'missing.yaml'"),
        ("match hard:slack=x medium", "write options as name=number, not 'slack=x'"),
        ("match hard: medium", "write options as name=number"),
        ("match hard:courage=1 medium", "unknown option 'courage' of hard"),
        ("match hard:slack=99 medium", "slack must be a number from 0 to 50"),
        ("match hard medium --json missing/out.json", "cannot write"),
        ("match hard medium --json /proc/out.json", "cannot write '/proc/out.json'"),
        ("match hard medium --out pyproject.toml", "cannot use 'pyproject.toml' as a folder"),
        ("match hard medium --out docs", "'docs' is there and not empty"),
        (f"match hard medium --out {'x' * 300}", "File name too long"),
        (f"match hard {'x' * 300}", "File name too long"),
        (f"--resume {'x' * 300}", "File name too long"),
        ("--resume docs", "'docs' holds no evaluation"),
        ("--resume", "--resume: expected one argument"),
        ("--resume docs --seed 3", "unrecognized arguments: --seed 3"),
        ("match hard medium --resume docs", "unrecognized arguments: match hard medium"),
        ("levels nobody", "'nobody' is neither"),
        ("levels pyproject.toml", "no model"),
        ("selfplay nobody", "'nobody' is neither"),
        ("selfplay simple --matches 3", "unrecognized arguments: --matches 3"),
        ("selfplay simple --until 0.1", "unrecognized arguments: --until 0.1"),
        ("ladder hard", "required: B"),
        ("ladder hard easy hard", "comes twice"),
        ("tournament", "unknown command 'tournament'"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(run: Run, typed: str, said: str) -> None:
    code, out, err = run(*typed.split())
    assert (code, out) == (BAD_INPUT, "")
    assert len(err.splitlines()) == 1
    assert said in err


@pytest.fixture
def interrupt(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Let Ctrl-C come after so many parts."""

    def set_up(n_parts: int) -> None:
        counter = iter(range(n_parts))

        def play(*arguments: Any) -> Played:
            if next(counter, None) is None:
                raise KeyboardInterrupt
            return play_part(*arguments)

        monkeypatch.setattr(seats, "play_part", play)

    return set_up


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("match medium greedy", "40 hands, then stopped"),
        ("levels greedy", "the last row is a part"),
        ("ladder greedy simple medium", "greedy - simple"),
        ("selfplay greedy", "20 hands, then stopped"),
    ],
)
def test_interrupt_prints_what_was_played(
    run: Run, interrupt: Callable[[int], None], typed: str, said: str
) -> None:
    interrupt(2)
    code, out, err = run(*typed.split(), "--hands", 100, "--games", 10)
    assert code == INTERRUPTED
    assert said in out
    assert err == "python -m eval: then stopped\n"


@pytest.mark.parametrize("typed", ["match a b", "levels a", "selfplay a", "ladder a simple"])
def test_interrupt_before_anything_was_played_says_so(
    run: Run, interrupt: Callable[[int], None], typed: str
) -> None:
    interrupt(0)
    code, out, err = run(*re.sub(r"\b[ab]\b", "greedy", typed).split())
    assert (code, out) == (INTERRUPTED, "")
    assert "stopped before there was anything to show" in err


def test_out_keeps_what_was_played_and_a_report(run: Run, tmp_path: Path) -> None:
    folder, file = tmp_path / "runs" / "one", tmp_path / "out.json"
    typed = ("match", "medium", "greedy", "--hands", 60, "--games", 10)
    code, out, _ = run(*typed, "--out", folder, "--json", file)
    assert code == 0
    assert len(list((folder / "parts").iterdir())) == 4
    assert {"report.json", "report.md", "report.html", "report.csv", "plan.json"} <= {
        entry.name for entry in folder.iterdir()
    }
    assert file.read_bytes() == (folder / "report.json").read_bytes()
    assert run(*typed, "--out", folder)[0] == BAD_INPUT
    # Gone on with when there is nothing to play any more, it says the same again.
    before = {entry: entry.stat().st_mtime_ns for entry in (folder / "parts").iterdir()}
    assert run("--resume", folder) == (0, out, "")
    assert {entry: entry.stat().st_mtime_ns for entry in (folder / "parts").iterdir()} == before


@pytest.mark.parametrize(
    "typed",
    [
        "match medium easy --hands 60 --games 4",
        "levels greedy --hands 40 --games 4",
        "ladder greedy simple easy --hands 40 --games 4",
        "selfplay easy --hands 40 --games 4",
        "match hard random --hands 2000 --matches 400 --games 2 --until 0.0001",
    ],
)
def test_resumed_evaluation_ends_like_an_uninterrupted_one(
    run: Run, interrupt: Callable[[int], None], tmp_path: Path, typed: str
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    code, out, _ = run(*typed.split(), "--out", whole)
    assert code == 0
    interrupt(2)
    assert run(*typed.split(), "--out", parts)[0] == INTERRUPTED
    for n_parts in (0, 1, 3):
        interrupt(n_parts)
        code, _, err = run("--resume", parts)
        assert code == INTERRUPTED
        assert f"to go on: python -m eval --resume {parts}" in err
    victim = sorted((parts / "parts").iterdir())[1]
    victim.write_bytes(victim.read_bytes()[:200])
    interrupt(10**6)
    assert run("--resume", parts) == (0, out, "")
    for name in ("report.json", "report.csv", "report.html"):
        assert (parts / name).read_bytes() == (whole / name).read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize(
    "typed",
    [
        "match hard easy --hands 300 --rules modern --seed 7",
        "ladder greedy simple easy --hands 100",
        "selfplay easy --hands 100 --games 9",
        "match hard simple --hands 20000 --matches 2000 --until 0.1",
    ],
)
def test_result_is_the_same_for_any_number_of_workers(run: Run, tmp_path: Path, typed: str) -> None:
    files = [tmp_path / f"{n_workers}.json" for n_workers in (1, 2, 3)]
    said = [
        run(*typed.split(), "--workers", n_workers, "--json", file)
        for n_workers, file in enumerate(files, 1)
    ]
    assert said[0][0] == 0
    assert said[1:] == said[:1] * 2
    assert len({file.read_bytes() for file in files}) == 1


def test_resumed_evaluation_must_be_the_same(run: Run, run_folder: Path, tmp_path: Path) -> None:
    folder, mine = tmp_path / "run", tmp_path / "mine"
    shutil.copytree(run_folder, mine)
    typed = ("match", mine, "greedy", "--hands", 4, "--matches", 0)
    assert run(*typed, "--out", folder)[0] == 0
    assert run("--resume", folder)[0] == 0
    (mine / "run.json").write_text(json.dumps({"extras": list(EXTRAS), "note": 1}))
    code, out, err = run("--resume", folder)
    assert (code, out) == (BAD_INPUT, "")
    assert "run.json was" in err
    plan = folder / "plan.json"
    plan.write_text(plan.read_text().replace('"seed": 0', '"seed": 1'))
    (mine / "run.json").write_bytes((run_folder / "run.json").read_bytes())
    code, out, err = run("--resume", folder)
    assert (code, out) == (BAD_INPUT, "")
    assert "belongs to another evaluation" in err


def test_result_is_written_although_it_cannot_be_printed(tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    typed = ["match", "medium", "greedy", "--hands", "40", "--matches", "0", "--json", str(file)]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "eval", *typed], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode != 0
    assert json.loads(file.read_text())["results"][0]["hands"]["n_hands"] == 40


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_table_is_printed_in_the_letters_that_there_are(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "out.json"
    typed = ["match", "medium", "greedy", "--hands", "40", "--json", str(file)]
    done = subprocess.run(
        [sys.executable, "-m", "eval", *typed],
        env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""
    out = done.stdout.decode(encoding)
    assert re.search(r"points per hand .*\d [~±] \d", out)
    assert file.is_file()


LONG = ("match", "hard", "easy", "--hands", 8_000, "--matches", 2_400)


def start(*typed: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "eval", *map(str, typed)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of an evaluation that nobody interrupted, and what it printed."""
    folder = tmp_path_factory.mktemp("eval") / "whole"
    with start(*LONG, "--out", folder) as process:
        return folder, process.communicate()[0]


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("n_workers", [1, 2])
def test_killed_evaluation_goes_on_to_the_same_result(
    whole: tuple[Path, str], tmp_path: Path, how: signal.Signals, n_workers: int
) -> None:
    folder = tmp_path / "killed"
    command: tuple[object, ...] = (*LONG, "--out", folder)
    for n_parts in (3, 50):
        with start(*command, "--workers", n_workers) as killed:
            while killed.poll() is None and len(list(folder.glob("parts/*.npz"))) < n_parts:
                time.sleep(0.005)
            assert killed.poll() is None, killed.communicate()
            killed.send_signal(how)
            assert killed.wait() == (INTERRUPTED if how == signal.SIGINT else -how)
        command = ("--resume", folder)
    with start(*command, "--workers", n_workers) as last:
        assert (last.communicate()[0], last.returncode) == (whole[1], 0)
    # The checkout's commit may be another one after a while: it is no part of the result.
    ours, theirs = (json.loads((at / "report.json").read_bytes()) for at in (folder, whole[0]))
    assert {**ours, "commit": None} == {**theirs, "commit": None}


def test_bots_play_without_torch() -> None:
    code = (
        "import sys; from eval.cli import main\n"
        "assert main('match hard easy --hands 4'.split()) == 0\n"
        "assert not {'torch', 'stable_baselines3', 'sb3_contrib'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "points per hand" in done.stdout
