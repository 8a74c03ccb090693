"""Manifests: written and read again, and compared with those of other evaluations."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from eval.errors import EvalError
from eval.experiment import manifest as manifest_module
from eval.experiment.manifest import (
    EvalSpec,
    check_same,
    make_manifest,
    read_players,
    read_spec,
)
from eval.experiment.measure import EvalPlan
from eval.games.entrants import Entrants, identify
from gin_env.core.rules import Rules
from gin_env.errors import BotError, PlayerError
from tests.agents.made import save_agent


def ask(*players: str, command: str = "match", **others: Any) -> EvalSpec:
    given = {"rules": Rules.preset("home"), "n_hands": 10, "n_matches": 4, **others}
    return EvalSpec(command, players, "home", EvalPlan(**given))


@pytest.mark.parametrize(
    "spec",
    [
        ask("hard", "easy:mistakes=0.5"),
        ask("hard", "easy", seed=2**64 - 1, n_games=7, until=0.01),
        ask("hard", "easy", "medium", command="ladder", rules=Rules(shutout="double")),
        ask("hard", command="selfplay", is_mirrored=False),
    ],
)
def test_manifest_survives_a_file(spec: EvalSpec) -> None:
    manifest = make_manifest(spec)
    again = json.loads(json.dumps(manifest))
    assert again == manifest
    assert read_spec(again) == spec
    check_same(again, make_manifest(read_spec(again)))


def test_manifest_says_who_plays_whom() -> None:
    assert ask("a", "b").pairings == [(0, 1)]
    assert ask("a", "easy", "hard", command="levels").pairings == [(0, 1), (0, 2)]
    assert ask("a", "b", "c", command="ladder").pairings == [(0, 1), (0, 2), (1, 2)]
    assert ask("a", command="selfplay").pairings == [(0, 0)]


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (ask("hard", "easy:mistakes=0.5"), r"players\[1\]"),
        (ask("hard:slack=3", "easy"), r"players\[0\]"),
        (ask("hard", "easy", "medium"), r"players\[2\]"),
        (ask("hard", "easy", seed=4), "seed was 0 when it began, and is 4 now"),
        (ask("hard", "easy", n_hands=12), "hands was 10 "),
        (ask("hard", "easy", n_matches=2), "matches was 4 "),
        (ask("hard", "easy", n_games=3), "games was None "),
        (ask("hard", "easy", until=0.1), "until was None "),
        (ask("hard", "easy", rules=Rules.preset("home", target=50)), "rules.target was 100 "),
        (ask("hard", "easy", command="levels"), "command was 'match' "),
    ],
)
def test_manifest_of_another_evaluation_differs(other: EvalSpec, said: str) -> None:
    with pytest.raises(EvalError, match=said):
        check_same(make_manifest(ask("hard", "easy")), make_manifest(other))


@pytest.mark.parametrize("name", ["__version__", "SOURCE_STAMP"])
def test_manifest_of_another_version_differs(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    before = make_manifest(ask("hard", "easy"))
    monkeypatch.setattr(manifest_module, name, "other")
    with pytest.raises(EvalError, match=r"versions\.\w+ was .* and is 'other' now"):
        check_same(before, make_manifest(ask("hard", "easy")))


def test_manifest_has_the_versions_of_what_plays_its_players(tmp_path: Path) -> None:
    everybody = {"gin_env", "kernels", "arena", "numpy", "numba"}
    assert set(make_manifest(ask("hard", "easy"))["versions"]) == everybody
    agent = save_agent(tmp_path / "agent.npz")
    assert set(make_manifest(ask(str(agent), "easy"))["versions"]) == {*everybody, "agents"}


@pytest.mark.parametrize("key", list(make_manifest(ask("hard", "easy"))))
def test_manifest_with_something_missing_or_changed_is_named(key: str) -> None:
    manifest = make_manifest(ask("hard", "easy"))
    for damaged in (
        {name: value for name, value in manifest.items() if name != key},
        {**manifest, key: object()},
    ):
        with pytest.raises(EvalError, match=r"plan of the evaluation|cannot go on"):
            check_same(damaged, make_manifest(read_spec(damaged)))


def test_manifest_of_bots_has_all_their_options() -> None:
    assert identify("easy:slack=3") == {
        "text": "easy:slack=3",
        "kind": "bot",
        "options": {"mistakes": 0.25, "meld_weight": 1.0, "slack": 3.0},
    }
    with pytest.raises(BotError, match="courage"):
        identify("easy:courage=3")


def test_manifest_of_objects_cannot_be_written() -> None:
    with pytest.raises(PlayerError, match="needs a player as text"):
        identify(print)


def test_manifest_of_files_has_their_hashes(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "model.zip").write_bytes(b"one")
    (folder / "run.json").write_bytes(b"{}")
    (folder / "notes.txt").write_bytes(b"of no account")
    before = identify(str(folder))
    assert sorted(before["sha256"]) == ["model.zip", "run.json"]
    (folder / "notes.txt").write_bytes(b"likewise")
    assert identify(str(folder)) == before
    for name in before["sha256"]:
        old = (folder / name).read_bytes()
        (folder / name).write_bytes(b"two")
        assert identify(str(folder)) != before
        (folder / name).write_bytes(old)
    assert identify(str(folder)) == before
    assert identify(str(folder / "model.zip"))["sha256"] == before["sha256"]


@pytest.mark.parametrize("word", ["x" * 5000, "\0"], ids=["long", "null"])
def test_manifest_of_programs_whose_words_can_be_no_files(word: str) -> None:
    assert list(identify(f"program:{sys.executable} -c {word}")["sha256"]) == [sys.executable]


def test_manifest_of_programs_has_the_hashes_of_the_files_that_they_name(tmp_path: Path) -> None:
    script = tmp_path / "player.py"
    script.write_text("print()")
    text = f"program:{sys.executable} {script} --level 3"
    before = identify(text)
    assert sorted(before["sha256"]) == sorted([sys.executable, str(script)])
    script.write_text("print(1)")
    assert identify(text) != before
    with pytest.raises(PlayerError, match="no program"):
        identify("program:missing-player --level 3")


def test_manifest_calls_two_players_of_one_name_what_was_typed() -> None:
    for command, *typed in (["ladder", "hard", "hard:slack=4", "easy"], ["match", "hard", "hard"]):
        players = make_manifest(ask(*typed, command=command))["players"]
        assert [player["name"] for player in players] == typed


def test_manifest_has_everybody_once_in_a_ladder() -> None:
    with pytest.raises(PlayerError, match="comes twice"):
        make_manifest(ask("hard", "easy", "hard", command="ladder"))


def test_manifest_player_that_has_changed_is_named(tmp_path: Path) -> None:
    easy, hard = read_players(make_manifest(ask("easy", "hard")))
    Entrants((easy, hard)).close()
    with pytest.raises(PlayerError, match="'hard' has changed since"):
        Entrants((easy, {**hard, "options": {**hard["options"], "slack": 3.0}}))
