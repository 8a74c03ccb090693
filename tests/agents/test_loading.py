"""An agent sits down wherever a bot does: by name, by file, out of a run folder."""

import json
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

import gin_env
from eval.cli import main as evaluate
from eval.games.entrants import identify
from gin_env import agents, bots
from gin_env.agents import dump_agent, read_agent
from gin_env.core.batch import Batch
from gin_env.errors import PlayerError
from gin_env.players import (
    EXPORTS,
    MODEL_FILE,
    RUN_FILE,
    NetPlayer,
    Player,
    Turn,
    ask,
    find_model,
    load_agent,
    resolve,
)
from tests import run_python
from tests.agents.made import SPEC, SPECS, a_card, random_arrays, save_agent


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the agents that ship, with two of them."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    monkeypatch.setattr("gin_env.agents._FOLDER", folder)
    save_agent(folder / "champion.npz")
    save_agent(folder / "apprentice.npz", SPECS["bare"], seed=2)
    return folder


def a_run(folder: Path, decisions: int, exported_at: int, lessons: int = 7) -> Path:
    """A run folder out of which an agent was exported."""
    (folder / EXPORTS).mkdir(parents=True)
    (folder / RUN_FILE).write_text(
        json.dumps({"lessons": lessons, "decisions": decisions, "extras": []})
    )
    (folder / MODEL_FILE).write_bytes(b"no zip")
    card = a_card(training={"run_lessons": 7, "run_decisions": exported_at})
    (folder / EXPORTS / "mine.npz").write_bytes(dump_agent(card, random_arrays()))
    return folder


# --- What ships ---


def test_agents_that_ship_can_be_played_and_are_small() -> None:
    assert not set(agents.names()) & set(bots.names())
    assert list(agents.names()) == sorted(agents.names())
    for name in agents.names():
        player = load_agent(name)
        assert isinstance(player, NetPlayer)
        assert player.name == player.metadata["name"] == name
        beside = agents.find(name).with_suffix(".json")
        assert json.loads(beside.read_text(encoding="utf-8")) == player.metadata
        measured = player.metadata["strength"]["measured"]
        assert measured
        assert all(entry["low"] <= entry["value"] <= entry["high"] for entry in measured)


def test_names_are_those_in_the_folder(shelf: Path) -> None:
    assert gin_env.agents.names() == ("apprentice", "champion")
    (shelf / "champion.npz").unlink()
    assert agents.names() == ("apprentice",)


# --- Who is meant ---


def test_agent_is_loaded_by_its_name(shelf: Path) -> None:
    for player in (load_agent("champion"), resolve("champion")):
        assert isinstance(player, NetPlayer)
        assert isinstance(player, Player)
        assert (player.name, player.extras, player.metadata["name"]) == (
            "champion",
            SPEC.extras,
            "random",
        )
    assert load_agent("apprentice").extras == ()


def test_name_goes_before_a_file_of_the_same_name(
    shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("champion").mkdir()
    assert find_model("champion") == shelf / "champion.npz"
    assert find_model("./champion") == Path("champion") / MODEL_FILE


def test_agent_is_loaded_from_a_file(tmp_path: Path) -> None:
    file = save_agent(tmp_path / "mine.npz", SPECS["danger"])
    for who in (file, str(file)):
        player = load_agent(who)
        assert isinstance(player, NetPlayer)
        assert (player.name, player.extras) == ("mine", ("danger",))


def test_nobody_is_named_with_all_who_are_there(shelf: Path) -> None:
    said = (
        r"^'chmapion' is neither a bot \(random, .*\) nor an agent that ships \(apprentice, champ"
    )
    for load in (load_agent, resolve):
        with pytest.raises(PlayerError, match=said):
            load("chmapion")


def test_npz_is_never_taken_for_a_zip_of_pickles(tmp_path: Path) -> None:
    file = tmp_path / "mine.npz"
    file.write_bytes(b"PK")
    with pytest.raises(PlayerError, match=r"mine.npz' is no agent that can be played"):
        load_agent(file)


# --- Run folders ---


def test_run_plays_what_was_exported_from_it(tmp_path: Path) -> None:
    player = load_agent(a_run(tmp_path / "run", 500, exported_at=500))
    assert isinstance(player, NetPlayer)
    assert player.name == "run"


@pytest.mark.parametrize(("decisions", "lessons"), [(900, 7), (500, 8)])
def test_run_that_went_on_plays_its_model(tmp_path: Path, decisions: int, lessons: int) -> None:
    run = a_run(tmp_path / "run", decisions, exported_at=500, lessons=lessons)
    assert find_model(run) == run / MODEL_FILE
    with pytest.raises(PlayerError, match=r"model.zip' is no model: it is not a whole zip file"):
        load_agent(run)
    assert isinstance(load_agent(run / EXPORTS / "mine.npz"), NetPlayer)


def test_export_without_a_run_is_played(tmp_path: Path) -> None:
    run = a_run(tmp_path / "run", 900, exported_at=500)
    (run / RUN_FILE).unlink()
    assert isinstance(load_agent(run), NetPlayer)


def test_run_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    run = a_run(tmp_path / "run", 900, exported_at=500)
    for text in ("{", "[]", "{}"):
        (run / RUN_FILE).write_text(text)
        with pytest.raises(PlayerError, match=r"run.json' cannot be read: "):
            load_agent(run)


def test_several_exports_are_named(tmp_path: Path) -> None:
    run = a_run(tmp_path / "run", 500, exported_at=500)
    save_agent(run / EXPORTS / "other.npz")
    with pytest.raises(PlayerError, match=r"holds several agents, name one: mine.npz, other.npz"):
        load_agent(run)


# --- At the table ---


def test_player_plays_the_network_in_every_row(tmp_path: Path) -> None:
    player = resolve(save_agent(tmp_path / "mine.npz"))
    batch = Batch(20, extras=player.extras)
    batch.reset(0)
    a = batch.arrays
    turn = Turn(batch.rules_row, np.arange(20), a.views, a.observations, a.masks)
    player.reset(np.zeros(20, np.uint64), 0)
    actions = ask(player, turn)
    network = read_agent(tmp_path / "mine.npz").network
    assert actions.tolist() == network.choose(a.observations, a.masks).tolist()


def test_agent_is_an_opponent_in_every_face(shelf: Path) -> None:
    single = gym.make("gin_env/GinRummy-v0", opponent="champion", seat=0)
    many = gym.make_vec(
        "gin_env/GinRummy-v0", num_envs=6, opponent="champion", seat=0, autoreset_mode="Disabled"
    )
    observations, infos = many.reset(seed=5)
    starts, masks = observations.copy(), infos["action_mask"].copy()
    rewards = np.zeros(6)
    played: list[list[int]] = [[] for _ in range(6)]
    is_over = np.zeros(6, bool)
    for _ in range(200):
        actions = infos["action_mask"].argmax(axis=1)
        for row in np.flatnonzero(~is_over).tolist():
            played[row].append(int(actions[row]))
        observations, paid, ends, _, infos = many.step(actions)
        rewards += np.where(is_over, 0, paid)
        is_over |= ends
        if is_over.all():
            break
        done = np.asarray(ends)
        if done.any():
            observations, infos = many.reset(options={"reset_mask": done})
    assert is_over.all()
    for row in range(6):
        observation, info = single.reset(seed=5 + int(row))
        assert observation.tobytes() == starts[row].tobytes()
        assert info["action_mask"].tobytes() == masks[row].tobytes()
        total = 0.0
        for action in played[row]:
            _, reward, _, _, _ = single.step(action)
            total += float(reward)
        assert total == rewards[row]
    many.close()


def test_evaluation_tells_agents_by_the_hash_of_their_file(
    shelf: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    seat = identify("champion")
    assert seat["kind"] == "agent"
    assert list(seat["sha256"]) == ["champion.npz"]
    assert identify(str(shelf / "champion.npz"))["sha256"] == seat["sha256"]
    assert identify("apprentice") != seat
    report = tmp_path / "report.json"
    assert evaluate(["match", "champion", "apprentice", "--hands", "8", "--json", str(report)]) == 0
    assert "champion" in capsys.readouterr().out
    order = json.loads(report.read_text())["order"]
    assert [player["name"] for player in order["players"]] == ["champion", "apprentice"]
    assert "torch" not in order["versions"]
    assert "text" not in order["players"][0]


def test_agents_need_no_torch(tmp_path: Path) -> None:
    file = save_agent(tmp_path / "mine.npz")
    script = f"""
import sys
for name in ("torch", "stable_baselines3", "sb3_contrib"):
    sys.modules[name] = None
import gin_env
from eval.cli import main
print(gin_env.load_agent({str(file)!r}).name)
sys.exit(main(["match", {str(file)!r}, "easy", "--hands", "4"]))
"""
    done = run_python("-c", script)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("mine\n")
