"""The command line of self-play with RLlib, which needs no Ray."""

import json
from dataclasses import fields
from pathlib import Path

import pytest

from examples.rllib.settings import (
    CHECKPOINTS,
    SETTINGS,
    SMOKE,
    Settings,
    find_checkpoint,
    read_settings,
    to_option,
)


def start_run(folder: Path, decisions: int) -> None:
    """What a run with a checkpoint leaves, as far as settings go."""
    (folder / CHECKPOINTS / str(decisions)).mkdir(parents=True)
    stored = Settings(run="elsewhere", width=16, games=7)
    (folder / SETTINGS).write_text(json.dumps(vars(stored)), encoding="utf-8")


def test_settings_come_from_the_command_line(tmp_path: Path) -> None:
    run = str(tmp_path / "run")
    assert read_settings(["--run", run]) == (Settings(run=run), None)
    changed = read_settings(["--run", run, "--gain", "0.5", "--smoke"])[0]
    assert changed == Settings(**{**SMOKE, "run": run, "gain": 0.5})


def test_a_run_keeps_its_settings_but_for_those_given(tmp_path: Path) -> None:
    start_run(tmp_path, 7)
    settings, checkpoint = read_settings(["--resume", "--run", str(tmp_path), "--env-runners", "5"])
    assert settings == Settings(run=str(tmp_path), width=16, games=7, env_runners=5)
    assert checkpoint == tmp_path / CHECKPOINTS / "7"
    with pytest.raises(SystemExit):
        read_settings(["--resume", "--run", str(tmp_path), "--decisions", "7"])


def test_help_tells_each_setting(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        read_settings(["--help"])
    told = capsys.readouterr().out
    assert all(to_option(one.name) in told for one in fields(Settings))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--games", "0"], "--games must be at least 1, not 0"),
        (["--learning-rate", "nan"], "--learning-rate must be at least 0, not nan"),
        (["--learners", "2"], "--learners must be 0 or 1, not 2"),
        (["--self-share", "1.5"], "--self-share must be at most 1"),
        (["--batch-size", "512", "--per-update", "256"], "--batch-size must be at most"),
        (["--rules", "nowhere"], "nowhere"),
        (["--opponent", "nobody"], "'nobody' is neither a bot"),
        (["--run", "."], "is there already"),
        (["--resume"], "holds no run with a checkpoint"),
    ],
)
def test_bad_settings_are_one_line(
    options: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="2"):
        read_settings(options)
    assert message in capsys.readouterr().err.splitlines()[-1]


def test_what_shapes_a_run_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start_run(tmp_path, 7)
    with pytest.raises(SystemExit, match="2"):
        read_settings(["--resume", "--run", str(tmp_path), "--width", "17"])
    assert "--width of this run is 16 for good" in capsys.readouterr().err


def test_settings_that_cannot_be_read_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start_run(tmp_path, 7)
    for text in ("{", "[]", '{"width": 16, "other": 1}'):
        (tmp_path / SETTINGS).write_text(text, encoding="utf-8")
        with pytest.raises(SystemExit, match="2"):
            read_settings(["--resume", "--run", str(tmp_path)])
        assert "error: " in capsys.readouterr().err.splitlines()[-1]


def test_the_newest_whole_checkpoint_is_found(tmp_path: Path) -> None:
    for name in ("9", "10", "11.new"):
        (tmp_path / CHECKPOINTS / name).mkdir(parents=True)
    assert find_checkpoint(tmp_path).name == "10"
