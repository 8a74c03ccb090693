"""The run folder: whole at every moment, and never in anyone's way."""

import json
from pathlib import Path

import pytest

from gin_env.players import MODEL_FILE, RUN_FILE
from gin_env.support.files import write_whole
from tests.training.tiny import tiny_config
from training.__main__ import main
from training.errors import RunError
from training.run import Run
from training.run.folder import CONFIG_FILE, N_CHECKPOINTS, config_hash

FACTS = {"seed": 3}


def create(folder: Path, *, overwrite: bool = False) -> Run:
    """A run folder without a model."""
    return Run.create(folder, tiny_config(), FACTS, overwrite=overwrite)


def contents(folder: Path) -> dict[str, bytes]:
    """All files under a folder."""
    files = (file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def test_new_run_is_whole_and_alone(tmp_path: Path) -> None:
    run = create(tmp_path / "deep" / "run")
    assert {file.name for file in run.path.iterdir()} == {CONFIG_FILE, RUN_FILE}
    assert [file.name for file in run.path.parent.iterdir()] == ["run"]
    assert run.facts() == {**FACTS, "agents": {}}
    assert Run.open(run.path).config == tiny_config()


def test_empty_folder_may_be_used(tmp_path: Path) -> None:
    assert create(tmp_path).facts()["seed"] == FACTS["seed"]


def test_run_that_is_there_is_left_alone(tmp_path: Path) -> None:
    run = create(tmp_path / "run")
    run.write(MODEL_FILE, b"model")
    before = contents(tmp_path)
    with pytest.raises(RunError, match=r"run' is there already: .* --run, .* --overwrite"):
        create(tmp_path / "run")
    assert contents(tmp_path) == before


def test_overwrite_replaces_a_run(tmp_path: Path) -> None:
    run = create(tmp_path / "run")
    run.write(MODEL_FILE, b"model")
    run.write_checkpoint(5, b"checkpoint")
    create(tmp_path / "run", overwrite=True)
    assert set(contents(tmp_path)) == {f"run/{CONFIG_FILE}", f"run/{RUN_FILE}"}


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_is_no_run_is_never_replaced(tmp_path: Path, overwrite: bool) -> None:
    (tmp_path / "folder").mkdir()
    for name in ("folder/thesis.tex", "file"):
        (tmp_path / name).write_text("mine", encoding="utf-8")
    before = contents(tmp_path)
    for name in ("folder", "file"):
        with pytest.raises(RunError, match="is there and no run folder: choose another with --run"):
            create(tmp_path / name, overwrite=overwrite)
    assert contents(tmp_path) == before


def test_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match="cannot make the run folder"):
        create(tmp_path / "file" / "run")


def test_only_runs_can_be_opened(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"is no run folder: it must hold config\.yaml"):
        Run.open(tmp_path)
    (tmp_path / CONFIG_FILE).write_text("seed: x\n", encoding="utf-8")
    (tmp_path / RUN_FILE).write_text("{}", encoding="utf-8")
    with pytest.raises(RunError, match=r"cannot go on with .* seed must be a whole number"):
        Run.open(tmp_path)


def test_damaged_facts_are_named(tmp_path: Path) -> None:
    run = create(tmp_path / "run")
    (run.path / RUN_FILE).write_text("{", encoding="utf-8")
    with pytest.raises(RunError, match=r"cannot read .*run.json"):
        run.facts()


def test_facts_are_entered_beside_those_that_are_there(tmp_path: Path) -> None:
    run = create(tmp_path / "run")
    run.write_facts(decisions=5)
    run.write_facts(decisions=6, status="finished")
    assert json.loads((run.path / RUN_FILE).read_text()) == {
        "seed": 3,
        "agents": {},
        "decisions": 6,
        "status": "finished",
    }


def test_last_checkpoints_are_kept_and_halves_are_not(tmp_path: Path) -> None:
    run = create(tmp_path / "run")
    for n_decisions in (1, 20, 300, 4_000):
        run.write_checkpoint(n_decisions, b"%d" % n_decisions)
    half = run.checkpoints()[0].with_name("half.zip.tmp")
    half.touch()
    run.write_checkpoint(50_000, b"50000")
    assert [file.read_bytes() for file in run.checkpoints()] == [b"50000", b"4000", b"300"]
    assert len(run.checkpoints()) == N_CHECKPOINTS
    assert not half.exists()


@pytest.mark.parametrize("moment", ["os.fsync", "pathlib.Path.replace"])
def test_file_is_old_or_new_and_never_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    file = tmp_path / MODEL_FILE
    write_whole(file, b"old")

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(moment, die)
        with pytest.raises(KeyboardInterrupt):
            write_whole(file, b"new")
    assert file.read_bytes() == b"old"
    write_whole(file, b"newer")
    assert [path.name for path in tmp_path.iterdir()] == [MODEL_FILE]
    assert file.read_bytes() == b"newer"


def test_overwriting_spares_other_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = create(tmp_path / "run")
    (run.path / "thesis.tex").write_text("years of work")
    before = contents(run.path)
    with pytest.raises(RunError, match="is not overwritten"):
        create(run.path, overwrite=True)
    assert contents(run.path) == before
    other = create(tmp_path / "other")
    (tmp_path / "link").symlink_to(other.path)
    monkeypatch.chdir(other.path)
    for there in (tmp_path / "link", Path()):
        with pytest.raises(RunError, match="is not overwritten"):
            create(there, overwrite=True)
    assert contents(other.path).keys() == {CONFIG_FILE, RUN_FILE}


def test_changed_config_is_named_and_another_budget_is_not(tmp_path: Path) -> None:
    config = tiny_config()
    facts = {"config_hash": config_hash(config)}
    run = Run.create(tmp_path / "run", config, facts)
    run.write_config(tiny_config(decisions=4096))
    Run.open(run.path).check_config()
    run.write_config(tiny_config(seed=99))
    with pytest.raises(RunError, match="was changed since the run began"):
        Run.open(run.path).check_config()
    (run.path / RUN_FILE).write_text("[]", encoding="utf-8")
    with pytest.raises(RunError, match="it holds no mapping"):
        Run.open(run.path).check_config()


def test_run_is_trained_by_one_process_at_a_time(tmp_path: Path) -> None:
    run = create(tmp_path / "run")
    with run.hold():
        with pytest.raises(RunError, match="run' is being trained by another process"), run.hold():
            pass
        assert main(["--resume", str(run.path), "--set", "decisions=5"]) == 2
        assert main(["--resume", str(run.path)]) == 2
        assert run.config == Run.open(run.path).config
    with run.hold():
        pass
    create(tmp_path / "run", overwrite=True)
