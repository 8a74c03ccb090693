"""Runs end to end: the same weights from the same seed, however often a run is cut short."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from gin_env.core.batch import Batch
from gin_env.core.observe import EXTRAS
from gin_env.players import MODEL_FILE, RUN_FILE, Turn, load_agent
from tests.training.tiny import TINY, go_on, hash_weights, start, tiny_config
from training.callbacks import FINISHED, INTERRUPTED, OUT_OF_TIME
from training.run import CONFIG_FILE, N_CHECKPOINTS, TENSORBOARD, Run
from training.vec_env import TableVecEnv

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that nobody disturbed."""
    run = start(tmp_path_factory.mktemp("runs") / "whole")
    assert go_on(run)[0] == FINISHED
    return run


@pytest.fixture(scope="module")
def whole_hash(whole: Run) -> str:
    return hash_weights(whole.path / MODEL_FILE)


def interrupt_at(monkeypatch: pytest.MonkeyPatch, n_step: int) -> None:
    """Let Ctrl-C be pressed while a step is played."""
    play, n_left = TableVecEnv.step_wait, [n_step]

    def step_wait(self: TableVecEnv) -> Any:
        n_left[0] -= 1
        if n_left[0] == 0:
            signal.raise_signal(signal.SIGINT)
        return play(self)

    monkeypatch.setattr(TableVecEnv, "step_wait", step_wait)


# --- A whole run ---


def test_run_folder_holds_what_it_should(whole: Run) -> None:
    assert {file.name for file in whole.path.iterdir()} == {
        CONFIG_FILE,
        RUN_FILE,
        MODEL_FILE,
        "checkpoints",
        TENSORBOARD,
    }
    assert Run.open(whole.path).config == tiny_config()
    facts = json.loads((whole.path / RUN_FILE).read_text())
    assert facts["seed"] == 3
    assert facts["extras"] == list(EXTRAS)
    assert facts["rules"]["gin_bonus"] == 25
    assert (facts["decisions"], facts["status"]) == (640, FINISHED)
    assert facts["started"] <= facts["finished"]
    assert {"python", "gin_env", "numpy", "numba", "torch", "stable-baselines3"} <= set(
        facts["versions"]
    )
    low, value, high = (facts["panel"]["simple"][key] for key in ("low", "value", "high"))
    assert low < value < high


def test_checkpoints_are_bounded(whole: Run) -> None:
    names = [int(file.stem) for file in whole.checkpoints()]
    assert names == [640, 512, 384][:N_CHECKPOINTS]
    assert not list(whole.path.rglob("*.tmp"))


def test_panel_and_losses_are_logged(whole: Run) -> None:
    log = EventAccumulator(str(whole.path / TENSORBOARD))
    log.Reload()
    wanted = {"panel/simple", "panel/simple_low", "panel/simple_high", "train/approx_kl"}
    assert wanted | {"train/entropy_loss", "rollout/ep_rew_mean"} <= set(log.Tags()["scalars"])
    assert [event.step for event in log.Scalars("panel/simple")] == [256, 512, 640]


def test_model_plays_where_only_its_file_is_known(whole: Run) -> None:
    player = load_agent(whole.path)
    assert (player.name, player.extras) == ("whole", EXTRAS)
    batch = Batch(20, extras=player.extras)
    batch.reset(1)
    for _ in range(50):
        a = batch.arrays
        turn = Turn(batch.record, np.arange(20), a.views, a.observations, a.masks)
        batch.step(player.act(turn))


def test_training_changes_the_weights(whole: Run, whole_hash: str, tmp_path: Path) -> None:
    unlearned = start(tmp_path / "run", minutes=0)
    assert go_on(unlearned)[0] == OUT_OF_TIME
    assert unlearned.facts()["decisions"] == 0
    assert hash_weights(unlearned.path / MODEL_FILE) != whole_hash


@pytest.mark.parametrize(
    "changed",
    [
        {"game": {**TINY["game"], "episode": "match", "rules": "browser_quick", "seat": 0}},
        {"game": {**TINY["game"], "extras": []}, "network": {"widths": [8, 8], "skip": False}},
        {
            "game": {**TINY["game"], "extras": ["danger"], "rules": {"knock_limit": 0}},
            "network": {"widths": [8], "activation": "tanh"},
            "ppo": {**TINY["ppo"], "target_kl": 0.01},
            "panel": {"opponents": []},
        },
    ],
    ids=["match", "plain", "danger"],
)
def test_other_configs_train(tmp_path: Path, changed: dict[str, Any]) -> None:
    run = start(tmp_path / "run", **changed, decisions=128)
    assert go_on(run)[0] == FINISHED
    assert load_agent(run.path).extras == run.config.game.extras


# --- The same again ---


def test_same_config_and_seed_give_the_same_weights(whole_hash: str, tmp_path: Path) -> None:
    run = start(tmp_path / "run")
    go_on(run)
    assert hash_weights(run.path / MODEL_FILE) == whole_hash


def test_another_seed_gives_other_weights(whole_hash: str, tmp_path: Path) -> None:
    run = start(tmp_path / "run", seed=4)
    go_on(run)
    assert hash_weights(run.path / MODEL_FILE) != whole_hash


def test_neither_checkpoints_nor_the_panel_change_what_is_learned(
    whole_hash: str, tmp_path: Path
) -> None:
    panel = {"opponents": ["random", "easy"], "hands": 6, "every": 100}
    run = start(tmp_path / "run", checkpoint_every=10**6, panel=panel)
    go_on(run)
    assert hash_weights(run.path / MODEL_FILE) == whole_hash


# --- Cut short ---


@pytest.mark.parametrize("n_step", [1, 37, 48, 64])
def test_interrupted_run_saves_and_goes_on_exactly(
    whole_hash: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_step: int
) -> None:
    run = start(tmp_path / "run", checkpoint_every=10**6)
    interrupt_at(monkeypatch, n_step)
    assert go_on(run)[0] == INTERRUPTED
    facts = run.facts()
    assert (facts["status"], facts["decisions"] % 128) == (INTERRUPTED, 0)
    assert facts["decisions"] >= 8 * n_step
    assert load_agent(run.path).extras == EXTRAS
    again = Run.open(run.path)
    assert go_on(again)[0] == FINISHED
    assert again.facts()["status"] == FINISHED
    assert hash_weights(run.path / MODEL_FILE) == whole_hash


def test_interrupt_leaves_the_signals_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    interrupt_at(monkeypatch, 3)
    go_on(start(tmp_path / "run", decisions=256))
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_second_interrupt_does_not_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = start(tmp_path / "run")
    interrupt_at(monkeypatch, 19)
    interrupt_at(monkeypatch, 20)
    with pytest.raises(KeyboardInterrupt):
        go_on(run)
    assert [int(file.stem) for file in run.checkpoints()] == [128]


def test_time_limit_holds_over_all_sessions(tmp_path: Path, whole_hash: str) -> None:
    run = start(tmp_path / "run", minutes=0)
    assert go_on(run)[0] == OUT_OF_TIME
    assert go_on(Run.open(run.path))[0] == OUT_OF_TIME
    run.write_config(tiny_config())
    assert go_on(Run.open(run.path))[0] == FINISHED
    assert hash_weights(run.path / MODEL_FILE) == whole_hash


@pytest.mark.parametrize("n_damaged", [1, 2, 3])
def test_damaged_checkpoints_are_passed_over(
    whole_hash: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_damaged: int
) -> None:
    run = start(tmp_path / "run")
    interrupt_at(monkeypatch, 70)
    go_on(run)
    for kind, file in enumerate(run.checkpoints()[:n_damaged]):
        content = file.read_bytes()
        middle = len(content) // 2
        flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
        file.write_bytes((content[:-100], b"", flipped)[kind])
    status, printed = go_on(Run.open(run.path))
    assert status == FINISHED
    assert printed.count("is damaged; going back to the one before it") == n_damaged
    assert hash_weights(run.path / MODEL_FILE) == whole_hash


def test_finished_run_can_be_trained_on(whole_hash: str, tmp_path: Path) -> None:
    run = start(tmp_path / "run")
    go_on(run)
    go_on(Run.open(run.path))
    assert hash_weights(run.path / MODEL_FILE) == whole_hash
    run.write_config(tiny_config(decisions=900))
    go_on(Run.open(run.path))
    assert run.facts()["decisions"] == 1024
    assert hash_weights(run.path / MODEL_FILE) != whole_hash


@pytest.mark.slow
def test_killed_run_goes_on_exactly(whole_hash: str, tmp_path: Path) -> None:
    """Two kills without warning, at any moment after some checkpoint."""
    (tmp_path / "tiny.yaml").write_text(tiny_config().to_yaml(), encoding="utf-8")
    folder = tmp_path / "run"
    commands = (["tiny.yaml", "--run", "run"], ["--resume", "run"])
    for n_checkpoints, arguments in zip((1, 3), commands, strict=True):
        child = subprocess.Popen(
            [sys.executable, "-m", "training", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while child.poll() is None and len(list(folder.glob("*/*.zip"))) < n_checkpoints:
            time.sleep(0.002)
        child.kill()
        child.wait()
    assert go_on(Run.open(folder))[0] == FINISHED
    assert hash_weights(folder / MODEL_FILE) == whole_hash
