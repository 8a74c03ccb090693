"""The command line, end to end: tables, JSON, bad input in one line, an interrupt."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from eval import measure as measuring
from eval.arena import play_contest
from eval.cli import BAD_INPUT, INTERRUPTED, main
from gin_env.core.actions import N_ACTIONS
from gin_env.core.observe import EXTRAS, obs_size

Run = Any


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def typed(*arguments: object) -> tuple[int, str, str]:
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as left:
            code = int(left.code or 0)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return typed


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
    assert (content["command"], content["seed"], content["rules"]["game_bonus"]) == (
        "match",
        7,
        100,
    )
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
        ("match hard medium --hands 0", "--hands: must be a whole number from 1 on, not '0'"),
        ("match hard medium --hands many", "not 'many'"),
        ("match hard medium --matches -2", "--matches: must be a whole number from 0 on"),
        ("match hard medium --games 0", "--games: must be"),
        ("match hard medium --seed 18446744073709551616", "a seed is a whole number"),
        ("match hard medium --rules parlour", "unknown preset 'parlour'; the presets are standard"),
        ("match hard medium --rules missing.yaml", "cannot read rules from 'missing.yaml'"),
        ("match hard:slack=x medium", "write options as name=number, not 'slack=x'"),
        ("match hard: medium", "write options as name=number"),
        ("match hard:courage=1 medium", "hard has no option 'courage'"),
        ("match hard:slack=99 medium", "slack must be a number from 0 to 50"),
        ("match hard medium --json missing/out.json", "cannot write"),
        ("levels nobody", "'nobody' is neither"),
        ("levels pyproject.toml", "no model"),
        ("selfplay nobody", "'nobody' is neither"),
        ("selfplay simple --matches 3", "unrecognized arguments: --matches 3"),
        ("ladder", "invalid choice: 'ladder'"),
        ("", "required: COMMAND"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(run: Run, typed: str, said: str) -> None:
    code, out, err = run(*typed.split())
    assert (code, out) == (BAD_INPUT, "")
    assert len(err.splitlines()) == 1
    assert said in err


def test_interrupt_prints_what_was_played(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: Any) -> Any:
        for n_parts, part in enumerate(play_contest(*arguments)):
            if n_parts == 2:
                raise KeyboardInterrupt
            yield part

    monkeypatch.setattr(measuring, "play_contest", interrupted)
    typed = ("--hands", 100, "--games", 10)
    code, out, _ = run("match", "medium", "greedy", *typed)
    assert code == INTERRUPTED
    assert "40 hands, then stopped" in out
    code, out, _ = run("levels", "greedy", *typed)
    assert code == INTERRUPTED
    assert "the last row is a part" in out
    code, out, _ = run("selfplay", "greedy", *typed)
    assert code == INTERRUPTED
    assert "20 hands, then stopped" in out


@pytest.mark.parametrize("typed", ["match a b", "levels a", "selfplay a"])
def test_interrupt_before_anything_was_played_says_so(
    run: Run, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(measuring, "play_contest", interrupted)
    code, out, err = run(*re.sub(r"\b[ab]\b", "greedy", typed).split())
    assert (code, out) == (INTERRUPTED, "")
    assert "stopped before there was anything to show" in err


def test_help_needs_neither_numba_nor_torch() -> None:
    code = (
        "import sys; from eval.cli import main\n"
        "try: main(['match', '--help'])\n"
        "except SystemExit: pass\n"
        "assert not {'numba', 'numpy', 'torch', 'rich'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "even" in done.stdout


def test_bots_play_without_torch() -> None:
    code = (
        "import sys; from eval.cli import main\n"
        "assert main('match hard easy --hands 4'.split()) == 0\n"
        "assert not {'torch', 'stable_baselines3', 'sb3_contrib'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "points per hand" in done.stdout
