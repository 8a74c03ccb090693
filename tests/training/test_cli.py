"""The command: what it prints, what it leaves, and how it ends."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gin_env.players import MODEL_FILE
from gin_env.support.command_line import BAD_INPUT
from tests import ROOT
from tests.training.tiny import hash_weights, tiny_config
from tests.typed import runner
from training.__main__ import main


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder with a config in it."""
    monkeypatch.chdir(tmp_path)
    Path("tiny.yaml").write_text(tiny_config(decisions=256).to_yaml(), encoding="utf-8")


def test_command_trains_into_the_folder_that_it_is_given(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["tiny.yaml", "--run", "mine", "--set", "seed=9", "--set", "panel.hands=4"]) == 0
    printed = capsys.readouterr()
    assert re.fullmatch(r"finished: 256 decisions in \d+ s, the model is in mine\n", printed.out), (
        printed.out
    )
    assert "256 decisions:  simple" in printed.err
    assert hash_weights(Path("mine") / MODEL_FILE)


def test_default_folder_is_named_after_config_and_time() -> None:
    assert main(["tiny.yaml", "--set", "decisions=1"]) == 0
    (made,) = Path("runs").iterdir()
    assert re.fullmatch(r"tiny-\d{8}-\d{6}", made.name)


def test_run_goes_on_with_a_larger_budget(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tiny.yaml", "--run", "run", "--set", "decisions=128"]) == 0
    assert main(["--resume", "run", "--set", "decisions=256"]) == 0
    assert "finished: 256 decisions" in capsys.readouterr().out


def test_overwrite_starts_anew() -> None:
    def weights(*arguments: str) -> str:
        assert main(["tiny.yaml", *arguments]) == 0
        return hash_weights(Path(arguments[1]) / MODEL_FILE)

    first = weights("--run", "run", "--set", "seed=9")
    anew = weights("--run", "run", "--overwrite")
    assert anew != first
    assert anew == weights("--run", "other")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["tiny.yaml", "--set", "ppo.bs=1"],
            "unknown key 'bs' of ppo; the keys of ppo are ",
        ),
        (["tiny.yaml", "--set", "game.opponents={esy: 1}"], "'esy' is neither a bot"),
        (["tiny.yaml", "--set", "ppo.batch_size=100"], "ppo.batch_size must divide"),
        (["none.yaml"], "cannot read a config from 'none.yaml'"),
        (["tiny.yaml", "--run", "."], "'.' is there and no run folder"),
        (["--resume", "."], "'.' is no run folder: it must hold config.yaml"),
        (["--resume", "none", "--set", "seed=1"], "'none' is no run folder"),
        ([], "give a config, or a run with --resume"),
        (["tiny.yaml", "--resume", "run"], "--resume takes no config, --run or --overwrite"),
        (["--resume", "run", "--overwrite"], "--resume takes no config, --run or --overwrite"),
        (["tiny.yaml", "--colour"], "unrecognized arguments: --colour"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    code, out, err = runner(main, capsys)(*arguments)
    assert (code, out) == (BAD_INPUT, "")
    assert err.startswith("python -m training: error: ")
    assert message in err
    assert err.count("\n") == 1
    assert [path.name for path in Path().iterdir()] == ["tiny.yaml"]


def test_run_that_is_there_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    Path("run").mkdir()
    files = [Path("run") / name for name in ("config.yaml", "run.json")]
    for file in files:
        file.touch()
    assert main(["tiny.yaml", "--run", "run"]) == 2
    assert "'run' is there already" in capsys.readouterr().err
    assert [file.read_bytes() for file in files] == [b"", b""]


def test_gpu_that_is_not_there_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert main(["tiny.yaml", "--run", "run", "--set", "device=cuda"]) == 2
    assert "device is cuda, but this torch finds no GPU" in capsys.readouterr().err
    assert not Path("run").exists()


def test_interrupt_ends_with_a_shell_s_status(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("training.train.train", interrupt)
    assert main(["tiny.yaml", "--run", "run"]) == 130
    said = "python -m training: interrupted; the last checkpoint is as it was\n"
    assert capsys.readouterr().err == said


def test_config_that_does_not_fit_into_memory_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def need_too_much(*_: object) -> None:
        raise MemoryError("Unable to allocate 3 TiB")

    monkeypatch.setattr("training.train.train", need_too_much)
    assert main(["tiny.yaml", "--run", "run"]) == 2
    assert capsys.readouterr().err == (
        "python -m training: error: not enough memory: Unable to allocate 3 TiB\n"
    )


@pytest.mark.slow
def test_module_runs_without_a_traceback() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "training", "tiny.yaml", "--set", "sed=1"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("python -m training: error: unknown key 'sed' of the config; ")
    assert done.stderr.count("\n") == 1
