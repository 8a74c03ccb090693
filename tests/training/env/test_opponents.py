"""Agents that a config names: found as a run begins, and kept by it, whatever becomes of them."""

import json
import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import pytest

from gin_env import agents
from gin_env.players import EXPORTS, MODEL_FILE, RUN_FILE
from tests.agents.made import SPECS, Trap, a_card, random_arrays, save_agent
from tests.training.tiny import finish, go_on, hash_weights, interrupt, start, tiny_config
from training.__main__ import main
from training.env.opponents import find_agents
from training.env.vec_env import TableVecEnv
from training.errors import ConfigError, RunError
from training.run import Run
from training.run.callbacks import FINISHED, INTERRUPTED
from training.run.folder import AGENTS, LEAGUE_FILE


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def against(*names: str, **changed: Any) -> dict[str, Any]:
    """What a config says to meet some in its games and in its evaluations."""
    games = {"n_games": 8, "opponents": dict.fromkeys(names, 1)}
    panel = {"opponents": names, "hands": 8, "every": 256}
    return {"game": games, "panel": panel, **changed}


def exported(folder: str, lessons: int = 0) -> None:
    """A run folder of no decisions, with an agent that was exported after so many in imitation."""
    start(Path(folder))
    (Path(folder) / EXPORTS).mkdir()
    card = a_card(training={"run_lessons": lessons, "run_decisions": 0})
    content = agents.dump_agent(card, random_arrays())
    (Path(folder) / EXPORTS / "mine.npz").write_bytes(content)


def test_only_agents_are_looked_for() -> None:
    save_agent(Path("mine.npz"))
    exported("run")
    names = ("hard:slack=3", "champion", "./mine.npz", "run")
    config = tiny_config(**against(*names))
    found = find_agents(config)
    assert list(found) == ["champion", "./mine.npz", "run"]
    assert found["champion"] == agents.find("champion").read_bytes()
    assert found["./mine.npz"] == Path("mine.npz").read_bytes()
    assert found["run"] == Path("run", EXPORTS, "mine.npz").read_bytes()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("esy", r"'esy' is neither a bot \(random, .*\) nor an agent: one that ships \(champion, "),
        ("hrad:slack=3", "'hrad:slack=3' is neither a bot"),
        ("program:cat", "'program:cat' is neither a bot"),
        ("none.npz", "cannot read 'none.npz': No such file"),
        ("half.npz", "'half.npz' is no agent that can be played"),
        ("trap.zip", "'trap.zip' is neither a bot"),
        ("on", "'on' has no agent of its present state; `python -m training export` makes one"),
        ("two", "'two/export' holds several agents, name one: mine.npz, other.npz"),
        ("x" * 300, "cannot look for"),
        ("pipe.npz", "cannot read 'pipe.npz': it is a pipe"),
    ],
)
def test_who_is_nobody_is_named_before_anything_is_written(name: str, message: str) -> None:
    save_agent(Path("half.npz"))
    Path("half.npz").write_bytes(Path("half.npz").read_bytes()[:500])
    with zipfile.ZipFile("trap.zip", "w") as archive:
        archive.writestr("data", pickle.dumps(Trap()))
    os.mkfifo("pipe.npz")
    exported("on", lessons=5)
    Path("on", MODEL_FILE).touch()
    exported("two")
    save_agent(Path("two", EXPORTS, "other.npz"))
    before = sorted(Path().iterdir())
    for key in ("game", "panel"):
        config = tiny_config(**{key: against(name)[key]})
        with pytest.raises(ConfigError, match=rf"^{key}.opponents: {message}"):
            Run.create("run", config, {})
    assert sorted(Path().iterdir()) == before


def test_words_for_the_run_s_own_are_for_its_games_alone() -> None:
    assert find_agents(tiny_config(game={"n_games": 8, "opponents": {"self": 1, "past": 1}})) == {}
    with pytest.raises(ConfigError, match=r"^panel.opponents: 'self' is only met in game.opp"):
        find_agents(tiny_config(panel={"opponents": ["self"]}))


def test_run_meets_those_whom_it_began_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same weights, whatever becomes of the file meanwhile and from wherever it goes on."""
    file = save_agent(Path("mine.npz"), SPECS["bare"], seed=4)
    content = file.read_bytes()
    changed = against("mine.npz", "easy", decisions=640)
    cut = start(Path("cut"), **changed)
    finish(Path("whole"), **changed)
    file.unlink()
    save_agent(file, SPECS["bare"], seed=5)

    interrupt(monkeypatch, TableVecEnv, "step_wait", 20)
    assert go_on(Run.open(cut.path))[0] == INTERRUPTED
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path.parent)
    cut, whole = finish(Run.open(tmp_path / "cut")), Run.open(tmp_path / "whole")
    assert hash_weights(cut) == hash_weights(whole)
    assert cut.history()[-1] == whole.history()[-1]
    (kept,) = (cut.path / AGENTS).iterdir()
    assert kept.read_bytes() == content
    assert cut.facts()["agents"] == {"mine.npz": kept.stem}

    kept.unlink()
    assert main(["export", str(cut.path), "--name", "tim"]) == 0
    (card,) = (cut.path / EXPORTS).glob("*.json")
    assert json.loads(card.read_text())["training"]["agents"] == cut.facts()["agents"]
    before = cut.facts()
    with pytest.raises(RunError, match=r"the run has lost the agent 'mine\.npz': cannot read"):
        go_on(cut)
    assert cut.facts() == before


def test_hand_edited_agents_of_a_run_are_named() -> None:
    run = start(Path("run"), **against("quick", "champion"))
    hashes = run.facts()["agents"]
    swapped = dict(zip(hashes, reversed(hashes.values()), strict=True))
    assert list(run.agents()) == ["quick", "champion"]
    broken: tuple[Any, ...] = (None, 5, [], {}, {**hashes, "quick": 5}, {"quick": "../../quick"})
    for edited in broken:
        run.write_facts(agents=edited)
        with pytest.raises(RunError, match=r"run.json' has no hash of the agent '"):
            run.agents()
    run.write_facts(agents={**hashes, "simple": hashes["quick"]})
    assert list(run.agents()) == ["quick", "champion"]  # bots are bots
    first, second = (run.path / AGENTS / f"{digest}.npz" for digest in swapped.values())
    first.write_bytes(second.read_bytes())
    run.write_facts(agents=hashes)
    with pytest.raises(RunError, match="the run's copy of the agent 'champion' was changed"):
        run.agents()


def test_evaluations_show_any_name_as_it_is() -> None:
    name = "[/b]$\\frac$.npz"
    Path(name).parent.mkdir()
    save_agent(Path(name))
    run = start(Path("run"), panel=against("simple", name)["panel"], decisions=128)
    status, printed = go_on(run)
    assert status == FINISHED
    assert f"{name} " in printed
    assert set(run.history()[-1]["points"]) == {"simple", name}


def test_share_of_nothing_is_met_never() -> None:
    config = {"n_games": 8, "opponents": {"past": 0, "self": 0, "quick": 0, "easy": 1}}
    run = finish(Path("run"), game=config, decisions=128)
    table = json.loads((run.path / LEAGUE_FILE).read_text())[:4]
    met = {one["opponent"]: one["episodes"] for one in table}
    assert [name for name, n_of in met.items() if n_of] == ["easy"]


def test_run_may_replace_the_one_that_it_meets() -> None:
    exported("mine")
    agent = Path("mine", EXPORTS, "mine.npz").read_bytes()
    config = tiny_config(**against("mine"))
    run = Run.create("mine", config, {}, overwrite=True)
    assert not (run.path / EXPORTS).exists()
    assert [file.read_bytes() for file in (run.path / AGENTS).iterdir()] == [agent]
    assert list(run.agents()) == ["mine"]


def test_run_with_agents_can_be_overwritten() -> None:
    start(Path("mine"), **against("quick"))
    run = Run.create("mine", tiny_config(), {}, overwrite=True)
    assert {file.name for file in run.path.iterdir()} == {"config.yaml", RUN_FILE}
