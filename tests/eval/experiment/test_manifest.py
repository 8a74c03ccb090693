"""What is asked of an evaluation: written down, read again, told from every other one."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from eval.experiment import manifest as ordering
from eval.experiment.manifest import Asked, check_same, describe, read, read_seats
from eval.experiment.measure import Plan
from eval.experiment.store import StoreError
from eval.games.entrants import Table, identify
from gin_env.core.rules import Rules
from gin_env.errors import BotError, PlayerError
from tests.agents.made import save_agent


def ask(*players: str, command: str = "match", **others: Any) -> Asked:
    given = {"rules": Rules.preset("home"), "n_hands": 10, "n_matches": 4, **others}
    return Asked(command, players, "home", Plan(**given))


@pytest.mark.parametrize(
    "asked",
    [
        ask("hard", "easy:mistakes=0.5"),
        ask("hard", "easy", seed=2**64 - 1, n_games=7, until=0.01),
        ask("hard", "easy", "medium", command="ladder", rules=Rules(shutout="double")),
        ask("hard", command="selfplay", is_mirrored=False),
    ],
)
def test_order_survives_a_file(asked: Asked) -> None:
    order = describe(asked)
    again = json.loads(json.dumps(order))
    assert again == order
    assert read(again) == asked
    check_same(again, describe(read(again)))


def test_order_says_who_plays_whom() -> None:
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
def test_order_of_another_evaluation_is_told_apart(other: Asked, said: str) -> None:
    with pytest.raises(StoreError, match=said):
        check_same(describe(ask("hard", "easy")), describe(other))


@pytest.mark.parametrize("name", ["__version__", "SOURCE_STAMP"])
def test_order_of_another_version_is_told_apart(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    before = describe(ask("hard", "easy"))
    monkeypatch.setattr(ordering, name, "other")
    with pytest.raises(StoreError, match=r"versions\.\w+ was .* and is 'other' now"):
        check_same(before, describe(ask("hard", "easy")))


def test_order_has_the_versions_of_what_plays_its_players(tmp_path: Path) -> None:
    everybody = {"gin_env", "kernels", "arena", "numpy", "numba"}
    assert set(describe(ask("hard", "easy"))["versions"]) == everybody
    agent = save_agent(tmp_path / "agent.npz")
    assert set(describe(ask(str(agent), "easy"))["versions"]) == {*everybody, "agents"}


@pytest.mark.parametrize("key", list(describe(ask("hard", "easy"))))
def test_order_with_something_missing_or_changed_is_named(key: str) -> None:
    order = describe(ask("hard", "easy"))
    for damaged in (
        {name: value for name, value in order.items() if name != key},
        {**order, key: object()},
    ):
        with pytest.raises(StoreError, match=r"plan of the evaluation|cannot go on"):
            check_same(damaged, describe(read(damaged)))


def test_order_of_bots_has_all_their_options() -> None:
    assert identify("easy:slack=3") == {
        "text": "easy:slack=3",
        "kind": "bot",
        "options": {"mistakes": 0.25, "meld_weight": 1.0, "slack": 3.0},
    }
    with pytest.raises(BotError, match="courage"):
        identify("easy:courage=3")


def test_order_of_objects_cannot_be_written() -> None:
    with pytest.raises(PlayerError, match="needs a player as text"):
        identify(print)


def test_order_of_files_has_their_hashes(tmp_path: Path) -> None:
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
def test_order_of_programs_whose_words_can_be_no_files(word: str) -> None:
    assert list(identify(f"program:{sys.executable} -c {word}")["sha256"]) == [sys.executable]


def test_order_of_programs_has_the_hashes_of_the_files_that_they_name(tmp_path: Path) -> None:
    script = tmp_path / "player.py"
    script.write_text("print()")
    text = f"program:{sys.executable} {script} --level 3"
    before = identify(text)
    assert sorted(before["sha256"]) == sorted([sys.executable, str(script)])
    script.write_text("print(1)")
    assert identify(text) != before
    with pytest.raises(PlayerError, match="no program"):
        identify("program:missing-player --level 3")


def test_order_calls_two_players_of_one_name_what_was_typed() -> None:
    players = describe(ask("hard", "hard:slack=4", "easy", command="ladder"))["players"]
    assert [player["name"] for player in players] == ["hard", "hard:slack=4", "easy"]
    assert [player["name"] for player in describe(ask("hard", "hard"))["players"]] == ["hard"] * 2


def test_order_has_everybody_once_in_a_ladder() -> None:
    with pytest.raises(PlayerError, match="comes twice"):
        describe(ask("hard", "easy", "hard", command="ladder"))


def test_order_seat_is_not_taken_by_another(tmp_path: Path) -> None:
    easy, hard = read_seats(describe(ask("easy", "hard")))
    Table((easy, hard)).close()
    with pytest.raises(PlayerError, match="'hard' has changed since"):
        Table((easy, {**hard, "options": {**hard["options"], "slack": 3.0}}))
