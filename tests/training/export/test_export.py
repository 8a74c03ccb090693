"""``python -m training export``: its agents play as the model does, and say how strong they are."""

import json
import re
import shutil
import sys
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import onnx
import pytest
import torch
from sb3_contrib import MaskablePPO

from eval.cli import main as evaluate
from eval.games.entrants import identify
from gin_env import agents
from gin_env.agents import read_agent
from gin_env.core.observe import EXTRAS, obs_size
from gin_env.core.rules import Rules
from gin_env.errors import GinError
from gin_env.players import EXPORTS, MODEL_FILE, ModelPlayer, NetPlayer, load_agent
from tests.training.tiny import LEAGUE, finish, load_model
from training.__main__ import main
from training.config.run_config import PlayoutsConfig
from training.errors import RunError
from training.export.command import MODEL_CARD, name_of
from training.export.make_agent import check_same, play
from training.export.model_card import write_model_card
from training.export.onnx_graph import run_graph
from training.export.strength import MATCHES, POINTS, from_reports
from training.export.weights import actor_arrays
from training.policy import Actor
from training.run import Run
from training.run.folder import BEST_FILE, holds_only_a_run


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run with all stages, a league and a privileged value."""
    panel = {"opponents": ["simple", "easy"], "hands": 8, "matches": 2, "every": 128}
    folder = tmp_path_factory.mktemp("runs") / "tiny"
    return finish(folder, **{**LEAGUE, "panel": panel, "decisions": 256})


@pytest.fixture(scope="module")
def exported(trained: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what was exported from it."""
    out = tmp_path_factory.mktemp("out")
    assert main(["export", str(trained.path), "--out", str(out), "--name", "tim"]) == 0
    return out


def torch_logits(run: Run, observations: np.ndarray, file: str = BEST_FILE) -> np.ndarray:
    """What the trained policy makes of observations."""
    policy = load_model(run.path / file).model.policy
    return np.asarray(Actor(policy, is_frozen=True)(torch.as_tensor(observations)))


def measured_of(npz: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """What an agent's metadata says of its strength, by opponent and measure."""
    strength = read_agent(npz).metadata["strength"]
    measured = {(one["against"], one["measure"]): one for one in strength["measured"]}
    assert measured.keys() == {(n, what) for n in ("simple", "easy") for what in (POINTS, MATCHES)}
    return measured


def copy(folder: Path, *files: Path) -> None:
    """Copy files into a folder."""
    for file in files:
        shutil.copy(file, folder)


def bad_input(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run the command on bad input. Returns the line that it says."""
    assert main(["export", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("python -m training: error: ")
    assert printed.err.count("\n") == 1
    return printed.err


# --- What it writes ---


def test_export_writes_four_files(exported: Path) -> None:
    names = {file.name for file in exported.iterdir()}
    assert names == {"tim.npz", "tim.json", "tim.onnx", MODEL_CARD}


def test_npz_and_onnx_play_as_the_model_does(trained: Run, exported: Path) -> None:
    agent = read_agent(exported / "tim.npz")
    observations, masks = play(agent.network, Rules())
    assert masks.any(axis=1).all()
    rng = np.random.default_rng(1)
    observations = np.vstack([observations, rng.random((500, obs_size(EXTRAS)), dtype=np.float32)])
    expected = torch_logits(trained, observations)
    assert np.ptp(expected) > 1
    graph = (exported / "tim.onnx").read_bytes()
    for logits in (agent.network.logits(observations), run_graph(graph, observations)):
        assert np.abs(logits - expected).max() < 1e-5 * max(1.0, np.abs(expected).max())
    seen, model = observations[: len(masks)], load_model(trained.path / BEST_FILE).model
    chosen, _ = model.predict(seen, action_masks=masks, deterministic=True)
    assert agent.network.choose(seen, masks).tolist() == chosen.tolist()
    assert run_graph(graph, observations[:1]).shape == (1, 108)


def test_onnx_graph_says_nothing_of_where_it_was_made(exported: Path) -> None:
    content = (exported / "tim.onnx").read_bytes()
    assert str(Path(torch.__file__).parent).encode() not in content
    assert b".py" not in content
    graph = onnx.load_from_string(content).graph
    assert [one.name for one in graph.input] == ["observations"]
    assert [one.name for one in graph.output] == ["logits"]


def test_metadata_say_what_it_is_and_how_it_was_made(trained: Run, exported: Path) -> None:
    card = read_agent(exported / "tim.npz").metadata
    assert json.loads((exported / "tim.json").read_text()) == card
    facts, training = trained.facts(), card["training"]
    assert card["name"] == "tim"
    assert card["rules"] == Rules().to_dict()
    assert card["network"]["widths"] == [16]
    assert training["model"] == BEST_FILE
    assert training["decisions"] == facts["best"]["decisions"]
    assert training["run_decisions"] == facts["decisions"] == 256
    assert training["run_lessons"] == facts["lessons"] > 0
    quick = sha256(agents.find("quick").read_bytes()).hexdigest()
    assert training["agents"] == facts["agents"] == {"quick": quick}
    assert training["config_hash"] == facts["config_hash"]
    assert training["config"]["clone"]["teacher"] == "greedy"
    assert training["commit"] == facts["git_commit"]
    assert training["versions"] == facts["versions"]
    hashes = identify(str(trained.path / BEST_FILE))["sha256"]
    assert training["model_sha256"] == hashes[BEST_FILE]


@pytest.mark.parametrize("n_decisions", [0, 256])
@pytest.mark.parametrize(
    "playouts", [None, asdict(PlayoutsConfig()), asdict(PlayoutsConfig(worlds=8))]
)
def test_model_card_names_the_stages_that_it_was_trained_in(
    exported: Path, playouts: dict[str, Any] | None, n_decisions: int
) -> None:
    card = read_agent(exported / "tim.npz").metadata
    config = {**card["training"]["config"], "playouts": playouts}
    training = {**card["training"], "config": config, "decisions": n_decisions}
    text = write_model_card({**card, "training": training})
    assert "- Imitation of `greedy` (behaviour cloning), on " in text
    in_worlds = playouts is not None and playouts["worlds"] == 8
    worlds = "Against `hard` in 8 drawn worlds each. " if in_worlds else ""
    line = f"at 4,000,000 of its own decisions. {worlds}Opponents, by share: `hard` 1."
    assert (line in text) == (playouts is not None)
    assert ("- Masked PPO, on 256 decisions." in text) == (n_decisions > 0)


def test_strength_is_what_evaluations_measured_of_this_model(trained: Run, exported: Path) -> None:
    best, strength = trained.facts()["best"], read_agent(exported / "tim.npz").metadata["strength"]
    (evaluated,) = [one for one in trained.history() if best.items() <= one.items()]
    kinds = {POINTS: ("points", 8), MATCHES: ("matches", 2)}
    for (name, what), entry in measured_of(exported / "tim.npz").items():
        key, n_games = kinds[what]
        assert {end: entry[end] for end in ("value", "low", "high")} == evaluated[key][name]
        assert (entry["games"], entry["rules"]) == (n_games, "standard")
    assert "the best was kept, so these figures are on the high side" in strength["source"]


def test_model_card_tells_people(exported: Path) -> None:
    text = (exported / MODEL_CARD).read_text()
    assert text.startswith("# tim\n")
    assert "Imitation of `greedy` (behaviour cloning), on 6,144 of its decisions" in text
    assert "Rules: `standard`; an episode is a hand." in text
    assert re.search(
        r"^\| `easy` \| `standard` \| 8 \| points a hand \| [+-]\d", text, re.MULTILINE
    )
    assert re.search(r"\| share of matches won \| \d+\.\d% \| \d+\.\d% to ", text)
    assert "{" not in text


def test_snippet_of_the_model_card_runs(exported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (exported / MODEL_CARD).read_text()
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(code.splitlines()) == 5
    monkeypatch.chdir(exported)
    names: dict[str, Any] = {}
    exec(compile(code, "snippet", "exec"), names)
    assert names["info"]["action_mask"][names["action"]] == 1


@pytest.mark.slow
def test_export_again_makes_the_same_bytes(trained: Run, exported: Path, tmp_path: Path) -> None:
    assert main(["export", str(trained.path), "--out", str(tmp_path), "--name", "tim"]) == 0
    for file in exported.iterdir():
        assert (tmp_path / file.name).read_bytes() == file.read_bytes(), file.name


@pytest.mark.slow
def test_run_folder_plays_its_export_and_another_model_may_be_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = finish(tmp_path / "mine", decisions=128, panel={"opponents": [], "hands": 4})
    assert isinstance(load_agent(run.path), ModelPlayer)
    assert main(["export", str(run.path)]) == 0
    assert capsys.readouterr().out.startswith(f"{run.path / MODEL_FILE} is now ")
    player = load_agent(run.path)
    assert isinstance(player, NetPlayer)
    assert holds_only_a_run(run.path)
    assert player.name == player.metadata["name"] == "mine"
    assert player.metadata["strength"] == {"source": "it was not measured", "measured": []}
    assert "It was not measured." in (run.path / EXPORTS / MODEL_CARD).read_text()
    assert player.metadata["training"]["decisions"] == 128


@pytest.mark.slow
def test_named_model_is_exported(trained: Run, tmp_path: Path) -> None:
    file = trained.path / MODEL_FILE
    assert main(["export", str(file), "--out", str(tmp_path)]) == 0
    agent = read_agent(tmp_path / "tiny.npz")
    training = agent.metadata["training"]
    assert (training["model"], training["decisions"]) == (MODEL_FILE, 256)
    observations, _ = play(agent.network, Rules())
    expected = torch_logits(trained, observations, MODEL_FILE)
    assert np.allclose(agent.network.logits(observations), expected, atol=1e-4)


# --- Out of reports ---


def make_report(file: Path, *arguments: str) -> str:
    """Play, and write what came out."""
    plan = ("--hands", "80", "--matches", "4", "--rules", "eaai", "--json", str(file))
    assert evaluate([*arguments, *plan]) == 0
    return str(file)


@pytest.mark.slow
def test_strength_comes_from_reports(trained: Run, exported: Path, tmp_path: Path) -> None:
    model = str(trained.path / BEST_FILE)
    first = make_report(tmp_path / "1.json", "match", model, "easy")
    second = make_report(tmp_path / "2.json", "match", "simple", str(exported / "tim.npz"))
    copy(tmp_path, *exported.iterdir())
    typed = ["export", str(trained.path), "--out", str(tmp_path), "--name", "tim", "--overwrite"]
    assert main([*typed, "--report", first, "--report", second]) == 0
    measured = measured_of(tmp_path / "tim.npz")
    for name, report, sign in (("easy", first, 1), ("simple", second, -1)):
        (result,) = json.loads(Path(report).read_text())["results"]
        estimate, entry = result["hands"]["adjusted"]["estimate"], measured[name, POINTS]
        assert entry["value"] == sign * estimate["value"]
        assert {entry["low"], entry["high"]} == {sign * estimate[end] for end in ("low", "high")}
        assert entry["low"] < entry["value"] < entry["high"]
        assert (entry["games"], entry["rules"]) == (80, "eaai")
        won, share = result["matches"]["won"]["value"], measured[name, MATCHES]
        assert share["value"] == (won if sign > 0 else 1 - won)
        assert (share["games"], 0 <= share["low"] <= share["high"] <= 1) == (4, True)
    assert f"{measured['easy', POINTS]['value']:+.2f}" in (tmp_path / MODEL_CARD).read_text()


@pytest.mark.slow
def test_report_of_others_is_refused(
    trained: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = make_report(tmp_path / "1.json", "match", "easy", "simple")
    capsys.readouterr()
    out = tmp_path / "out"
    said = bad_input(capsys, str(trained.path), "--out", str(out), "--report", report)
    assert "1.json' has no results of this agent: no player is " in said
    assert not out.exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "cannot read a report from "),
        ("[]", "is no report of version 1, as `python -m eval` writes"),
        ('{"format": "gin_env evaluation report", "version": 2}', "is no report of version 1"),
        ('{"format": "gin_env evaluation report", "version": 1}', "is no whole report: KeyError"),
    ],
)
def test_what_is_no_report_is_named(tmp_path: Path, content: str, said: str) -> None:
    file = tmp_path / "report.json"
    file.write_text(content)
    with pytest.raises(RunError, match=re.escape(said)):
        from_reports([file], {"1234": "best.zip"})


def test_intervals_of_a_test_that_may_stop_early_go_first(tmp_path: Path) -> None:
    plain, wide = ({"value": 3.0, "low": 3.0 - w, "high": 3.0 + w} for w in (1.0, 2.0))
    hands = {"n_hands": 10, "points": plain, "adjusted": None}
    result = {"a": "me", "b": "hard", "hands": hands, "matches": None}
    order = {"rules_name": "x/my.yaml", "players": [{"name": "me", "sha256": {"a.npz": "12"}}]}
    report = {"format": "gin_env evaluation report", "version": 1, "order": order}
    for anytime, expected in ((None, plain), ({"points": wide}, wide)):
        file = tmp_path / "report.json"
        file.write_text(json.dumps({**report, "results": [{**result, "anytime": anytime}]}))
        (entry,) = from_reports([file], {"12": "a.npz"})["measured"]
        assert {key: entry[key] for key in plain} == expected
        assert entry["rules"] == "my.yaml"


# --- Bad input ---


def test_files_that_are_there_stay(
    trained: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / MODEL_CARD).write_text("mine")
    said = bad_input(capsys, str(trained.path), "--out", str(tmp_path))
    assert "MODEL_CARD.md' is there already: replace it with --overwrite" in said
    assert [file.name for file in tmp_path.iterdir()] == [MODEL_CARD]
    assert (tmp_path / MODEL_CARD).read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "'' is no name"),
        ("a/b", "'a/b' is no name for an agent"),
        ("-x", "is no name for an agent: give one with --name"),
        ("x" * 65, "is no name for an agent"),
        ("hard", "'hard' is the name of a bot"),
    ],
)
def test_names_that_cannot_be_are_refused(
    trained: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, said: str
) -> None:
    assert said in bad_input(capsys, str(trained.path), "--out", str(tmp_path), f"--name={name}")
    assert not list(tmp_path.iterdir())


def test_what_is_no_run_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "'none' is neither a run folder nor a model in one" in bad_input(capsys, "none")
    said = bad_input(capsys, str(tmp_path))
    assert "holds neither best.zip nor model.zip: train it first" in said
    (tmp_path / MODEL_FILE).write_bytes(b"")
    assert "is no run folder: it must hold config.yaml and run.json" in bad_input(
        capsys, str(tmp_path)
    )


def test_damaged_or_foreign_models_are_named(
    trained: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], exported: Path
) -> None:
    copy(tmp_path, trained.path / "config.yaml", trained.path / "run.json", exported / "tim.npz")
    model = tmp_path / MODEL_FILE
    model.write_bytes(b"PK")
    out = ("--out", str(tmp_path / "out"), "--name", "mine")
    assert "is no model: it is not a whole zip file" in bad_input(capsys, str(tmp_path), *out)
    env = gym.make("gin_env/GinRummy-v0", extras=EXTRAS)
    kwargs: dict[str, Any] = {"n_steps": 2, "batch_size": 2, "policy_kwargs": {"net_arch": []}}
    MaskablePPO("MlpPolicy", env, **kwargs).save(model)
    for foreign in (tmp_path, tmp_path / "tim.npz"):
        said = bad_input(capsys, str(foreign), *out)
        assert "cannot be exported: that takes a model.zip" in said
    assert not (tmp_path / "out").exists()


def test_changed_config_is_refused(
    trained: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy(tmp_path, trained.path / "run.json", trained.path / MODEL_FILE)
    text = (trained.path / "config.yaml").read_text()
    (tmp_path / "config.yaml").write_text(text.replace("seed: 3", "seed: 4"))
    assert "was changed since the run began" in bad_input(capsys, str(tmp_path), "--name", "mine")


def test_missing_library_is_named(
    trained: Run,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    said = bad_input(capsys, str(trained.path), "--out", str(tmp_path / "out"))
    assert "an ONNX graph needs onnx, onnxscript and onnxruntime: pip install 'gin-env[exp" in said
    assert not (tmp_path / "out").exists()


def test_logits_that_differ_are_refused() -> None:
    rng = np.random.default_rng(1)
    expected, masks = rng.normal(size=(9, 108)), np.ones((9, 108), np.int8)
    check_same("it", expected + 1e-6, expected, masks)
    with pytest.raises(RunError, match=r"it does not play as .* differ by up to 0.01, and it ch"):
        check_same("it", expected + 0.01, expected, masks)
    with pytest.raises(RunError, match=r"logits differ by up to nan"):
        check_same("it", expected * np.nan, expected, masks)
    near = np.zeros((1, 108))
    near[0, 7] = 1e-9
    with pytest.raises(RunError, match="it chooses another move at 1 of 1 decisions"):
        check_same("it", np.zeros((1, 108)), near, masks[:1])


def test_bad_usage_says_what_would_be_right(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["export"])
    assert caught.value.code == 2
    assert "python -m training: error: the following arguments are required: RUN" in (
        capsys.readouterr().err
    )
    assert issubclass(RunError, GinError)


def test_exported_arrays_are_the_policy_s(trained: Run, exported: Path) -> None:
    policy = load_model(trained.path / BEST_FILE).model.policy
    with np.load(exported / "tim.npz", allow_pickle=False) as arrays:
        for name, array in actor_arrays(policy).items():
            assert arrays[name].tobytes() == array.tobytes()


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("quick-2", "quick-2"),
        ("run für Übung 3", "run-fur-Ubung-3"),
        ("-.hidden", "hidden"),
        ("a" * 80, "a" * 64),
        ("日本", ""),
    ],
)
def test_agent_is_called_as_near_to_its_run_folder_as_can_be(folder: str, name: str) -> None:
    assert name_of(Path("runs") / folder) == name
