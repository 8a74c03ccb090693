"""Runs end to end: the same weights from the same seed, however often a run is cut short."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sb3_contrib import MaskablePPO

from eval.stats.estimates import Estimate
from gin_env.core.batch import Batch
from gin_env.core.observe import EXTRAS
from gin_env.players import MODEL_FILE, RUN_FILE, Turn, load_agent
from tests import ROOT
from tests.training.tiny import (
    LEAGUE,
    RARE,
    TINY,
    finish,
    go_on,
    hash_weights,
    interrupt,
    load_model,
    read_log,
    start,
    tiny_config,
)
from training.env.vec_env import TableVecEnv
from training.run import Run
from training.run.callbacks import FINISHED, INTERRUPTED, OUT_OF_TIME
from training.run.folder import (
    BEST_FILE,
    CONFIG_FILE,
    CURVE_FILE,
    HISTORY_FILE,
    LEAGUE_FILE,
    N_CHECKPOINTS,
    TENSORBOARD,
)
from training.stages.imitation import Imitation
from training.stages.playouts import Playouts


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that nobody disturbed."""
    return finish(tmp_path_factory.mktemp("runs") / "whole")


@pytest.fixture(scope="module")
def with_league(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Another, with all stages, a league and a privileged value."""
    return finish(tmp_path_factory.mktemp("runs") / "league", **LEAGUE)


# --- A whole run ---


def test_run_folder_holds_what_it_should(whole: Run) -> None:
    files = {CONFIG_FILE, RUN_FILE, MODEL_FILE, BEST_FILE, HISTORY_FILE, CURVE_FILE, LEAGUE_FILE}
    assert {file.name for file in whole.path.iterdir()} == files | {"checkpoints", TENSORBOARD}
    assert Run.open(whole.path).config == tiny_config()
    facts = json.loads((whole.path / RUN_FILE).read_text())
    assert facts["seed"] == 3
    assert facts["extras"] == list(EXTRAS)
    assert facts["rules"]["gin_bonus"] == 25
    assert (facts["decisions"], facts["status"]) == (640, FINISHED)
    assert facts["started"] <= facts["finished"]
    packages = {"python", "gin_env", "numpy", "numba", "torch", "stable-baselines3"}
    assert packages <= set(facts["versions"])
    low, value, high = (facts["panel"]["simple"][key] for key in ("low", "value", "high"))
    assert low < value < high


def test_checkpoints_are_bounded(whole: Run) -> None:
    names = [int(file.stem) for file in whole.checkpoints()]
    assert names == [640, 512, 384][:N_CHECKPOINTS]
    assert not list(whole.path.rglob("*.tmp"))


def test_evaluations_and_losses_are_logged(whole: Run) -> None:
    log = read_log(whole)
    expected = {"panel/simple", "panel/simple_low", "panel/simple_high", "train/approx_kl"}
    assert expected | {"train/entropy_loss", "rollout/ep_rew_mean"} <= set(log.Tags()["scalars"])
    assert [event.step for event in log.Scalars("panel/simple")] == [256, 512, 640]


def test_history_is_noted_and_drawn(with_league: Run) -> None:
    history = with_league.history()
    moments = [(6144, 0), (8192, 0), *((10240, n) for n in (0, 256, 512, 640))]
    assert [(one["lessons"], one["decisions"]) for one in history] == moments
    assert all(one["points"]["simple"]["low"] < one["score"] for one in history)
    assert (with_league.path / CURVE_FILE).read_bytes().startswith(b"\x89PNG")


def test_best_evaluated_model_is_kept(
    with_league: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = iter([1.0, 3.0, 2.0])
    monkeypatch.setattr(
        "training.run.evaluation_callback.EvaluationCallback._play",
        lambda *_: Estimate(next(scores), -9.0, 9.0),
    )
    run = finish(tmp_path / "run")
    assert run.facts()["best"] == {"lessons": 0, "decisions": 512, "score": 3.0}
    best = load_model(run.path / BEST_FILE)
    assert (best.name, best.extras) == ("best", EXTRAS)
    assert best.model.num_timesteps == 512
    assert hash_weights(run.path / BEST_FILE) != hash_weights(run)
    assert load_agent(with_league.path / BEST_FILE).extras == EXTRAS


def test_matches_decide_which_is_best_where_they_are_played(tmp_path: Path) -> None:
    run = finish(tmp_path / "run", panel={**TINY["panel"], "matches": 4}, decisions=256)
    (measured,) = run.history()
    assert measured["score"] == measured["matches"]["simple"]["value"]
    assert 0 <= measured["score"] <= 1
    assert "panel_matches/simple" in read_log(run).Tags()["scalars"]


def test_league_table_says_who_was_met(with_league: Run) -> None:
    table = json.loads((with_league.path / LEAGUE_FILE).read_text())
    assert [one["opponent"] for one in table[:4]] == ["easy", "quick", "self", "past"]
    assert sum(one["episodes"] for one in table[:4]) > 0
    assert [one["past_self"] for one in table[4:]] == sorted(one["past_self"] for one in table[4:])
    assert len(table[4:]) == 2
    tags = set(read_log(with_league).Tags()["scalars"])
    games = {"games/easy_points", "games/past_won", "panel/quick"}
    assert games | {"clone/agreement", "clone/policy_loss"} <= tags
    assert any(tag.startswith("league/") for tag in tags)


def test_demonstrations_teach(with_league: Run) -> None:
    assert with_league.facts()["clone"]["agreement"] > 0.5


@pytest.mark.parametrize(
    ("logged", "warning"),
    [
        ({"entropy_loss": -0.001}, "its moves hardly vary any more (entropy)"),
        ({"approx_kl": 0.9}, "it changes too much at once (KL)"),
        ({"explained_variance": -2.0}, "its value predicts worse than a constant would"),
        ({"loss": float("nan")}, "the loss is not a number"),
        ({}, None),
    ],
)
def test_collapse_is_warned_of_once(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    logged: dict[str, float],
    warning: str | None,
) -> None:
    learn = MaskablePPO.train

    def train(self: MaskablePPO) -> None:
        learn(self)
        for name, value in logged.items():
            self.logger.record(f"train/{name}", value)

    monkeypatch.setattr(MaskablePPO, "train", train)
    run = start(tmp_path / "run")
    printed = go_on(run)[1]
    said = run.facts().get("warnings", [])
    assert len(said) == printed.count("warning at") == (warning is not None)
    assert warning is None or said[0].startswith(warning)


def test_model_plays_where_only_its_file_is_known(whole: Run) -> None:
    player = load_agent(whole.path)
    assert (player.name, player.extras) == ("whole", EXTRAS)
    batch = Batch(20, extras=player.extras)
    batch.reset(1)
    for _ in range(50):
        a = batch.arrays
        turn = Turn(batch.rules_row, np.arange(20), a.views, a.observations, a.masks)
        batch.step(player.act(turn))


def test_training_changes_the_weights(whole: Run, tmp_path: Path) -> None:
    unlearned = start(tmp_path / "run", minutes=0)
    assert go_on(unlearned)[0] == OUT_OF_TIME
    assert unlearned.facts()["decisions"] == 0
    assert hash_weights(unlearned) != hash_weights(whole)


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
    run = finish(tmp_path / "run", **changed, decisions=128)
    assert load_agent(run.path).extras == run.config.game.extras


# --- The same again ---


@pytest.mark.parametrize(
    ("base", "changed", "is_same"),
    [
        ({}, {}, True),
        ({}, {"seed": 4}, False),
        ({}, {**RARE, "panel": {"opponents": ["random", "easy"], "hands": 6, "every": 100}}, True),
        (LEAGUE, {}, True),
        (LEAGUE, {"seed": 4}, False),
        (LEAGUE, {"clone": None}, False),
        (LEAGUE, {"shaping": None}, False),
        (LEAGUE, {"league": {"every": 10**6, "size": 2}}, False),
    ],
    ids=["same", "seed", "panel", "league", "league seed", "clone", "shaping", "past selves"],
)
def test_weights_depend_on_seed_and_config_but_not_on_checkpoints_or_evaluations(
    request: pytest.FixtureRequest, tmp_path: Path, base: Any, changed: Any, is_same: bool
) -> None:
    undisturbed = request.getfixturevalue("with_league" if base else "whole")
    run = finish(tmp_path / "run", **{**base, **changed})
    assert (hash_weights(run) == hash_weights(undisturbed)) == is_same


# --- Cut short ---


@pytest.mark.parametrize("n_step", [1, 37, 48, 64])
def test_interrupted_run_saves_and_goes_on_exactly(
    whole: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_step: int
) -> None:
    run = start(tmp_path / "run", **RARE)
    interrupt(monkeypatch, TableVecEnv, "step_wait", n_step)
    assert go_on(run)[0] == INTERRUPTED
    facts = run.facts()
    assert (facts["status"], facts["decisions"] % 128) == (INTERRUPTED, 0)
    assert facts["decisions"] >= 8 * n_step
    assert load_agent(run.path).extras == EXTRAS
    again = finish(Run.open(run.path))
    assert again.facts()["status"] == FINISHED
    assert hash_weights(run) == hash_weights(whole)


@pytest.mark.parametrize("n_step", [1, 16, 17, 50, 80])
def test_interrupted_league_goes_on_exactly(
    with_league: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_step: int
) -> None:
    run = start(tmp_path / "run", **{**LEAGUE, **RARE})
    interrupt(monkeypatch, TableVecEnv, "step_wait", n_step)
    status = go_on(run)[0]
    assert status == (FINISHED if n_step == 80 else INTERRUPTED)  # the last update is done anyway
    assert hash_weights(finish(Run.open(run.path))) == hash_weights(with_league)


@pytest.mark.parametrize(
    ("stage", "n_chunk"),
    [*((Imitation, n) for n in (1, 2, 3, 4)), *((Playouts, n) for n in (1, 2))],
)
def test_interrupted_stages_before_ppo_go_on_exactly(
    with_league: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: type, n_chunk: int
) -> None:
    """The fourth chunk of imitation is the one held out."""
    run = start(tmp_path / "run", **{**LEAGUE, **RARE})
    interrupt(monkeypatch, stage, "play", n_chunk)
    assert go_on(run)[0] == INTERRUPTED
    assert run.facts()["decisions"] == 0
    assert load_agent(run.path).extras == EXTRAS
    assert hash_weights(finish(Run.open(run.path))) == hash_weights(with_league)
    assert run.facts()["clone"] == with_league.facts()["clone"]
    assert run.history()[-6:] == with_league.history()


def test_history_after_a_lost_checkpoint_is_measured_again(
    with_league: Run, tmp_path: Path
) -> None:
    run = Run(tmp_path / "run", with_league.config)
    shutil.copytree(with_league.path, run.path)
    run.checkpoints()[0].write_bytes(b"")
    before = run.history()
    assert finish(run).history() == before


def test_interrupt_leaves_the_signals_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    interrupt(monkeypatch, TableVecEnv, "step_wait", 3)
    go_on(start(tmp_path / "run", decisions=256))
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_second_interrupt_does_not_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = start(tmp_path / "run")
    for n_step in (19, 20):
        interrupt(monkeypatch, TableVecEnv, "step_wait", n_step)
    with pytest.raises(KeyboardInterrupt):
        go_on(run)
    assert [int(file.stem) for file in run.checkpoints()] == [128]


def test_time_limit_holds_over_all_sessions(tmp_path: Path, whole: Run) -> None:
    run = start(tmp_path / "run", minutes=0)
    assert go_on(run)[0] == OUT_OF_TIME
    assert go_on(Run.open(run.path))[0] == OUT_OF_TIME
    run.write_config(tiny_config())
    assert hash_weights(finish(Run.open(run.path))) == hash_weights(whole)


@pytest.mark.parametrize("n_damaged", [1, 2, 3])
def test_damaged_checkpoints_are_passed_over(
    whole: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_damaged: int
) -> None:
    run = start(tmp_path / "run")
    interrupt(monkeypatch, TableVecEnv, "step_wait", 70)
    go_on(run)
    for kind, file in enumerate(run.checkpoints()[:n_damaged]):
        content = file.read_bytes()
        middle = len(content) // 2
        flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
        file.write_bytes((content[:-100], b"", flipped)[kind])
    status, printed = go_on(Run.open(run.path))
    assert status == FINISHED
    assert printed.count("is damaged; going back to the one before it") == n_damaged
    assert hash_weights(run) == hash_weights(whole)


def test_finished_run_can_be_trained_on(whole: Run, tmp_path: Path) -> None:
    run = finish(tmp_path / "run")
    assert hash_weights(finish(Run.open(run.path))) == hash_weights(whole)
    run.write_config(tiny_config(decisions=900))
    finish(Run.open(run.path))
    assert run.facts()["decisions"] == 1024
    assert hash_weights(run) != hash_weights(whole)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "kills"), [({}, (1, 3)), (LEAGUE, (1, 2, 3))], ids=["bots", "league"]
)
def test_killed_run_goes_on_exactly(
    tmp_path: Path, request: pytest.FixtureRequest, changed: dict[str, Any], kills: tuple[int, ...]
) -> None:
    """Kills without warning, at any moment after some checkpoint; the first ones in imitation."""
    config = tiny_config(**{**changed, "checkpoint_every": 128})
    (tmp_path / "tiny.yaml").write_text(config.to_yaml(), encoding="utf-8")
    folder = tmp_path / "run"
    for n_kill, n_checkpoints in enumerate(kills):
        arguments = ["--resume", "run"] if n_kill else ["tiny.yaml", "--run", "run"]
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
    undisturbed = request.getfixturevalue("with_league" if changed else "whole")
    assert hash_weights(finish(Run.open(folder))) == hash_weights(undisturbed)
