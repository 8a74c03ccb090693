"""``--record``: every hand of an evaluation in one file, the same whoever plays and resumes."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eval.cli import main
from eval.experiment.store import Store
from eval.games.arena import Contest, play_contest
from gin_env.core.rules import EPISODES, Episode, Rules
from gin_env.core.state import Ending
from gin_env.history import Hand, read, read_line, verify
from gin_env.players import FORFEIT, resolve
from gin_env.players.protocol import Turn, Verdict
from gin_env.support.command_line import BAD_INPUT, INTERRUPTED

MATCH = ("match", "greedy", "random", "--rules", "browser_quick", "--seed", 3)


def run(*arguments: object) -> int:
    try:
        return main([str(argument) for argument in arguments])
    except SystemExit as left:
        return int(left.code or 0)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole evaluation: its folder is beside it."""
    file = tmp_path_factory.mktemp("record") / "h.jsonl"
    folder = file.with_name("out")
    assert run(*MATCH, "--hands", 140, "--matches", 4, "--record", file, "--out", folder) == 0
    return file


def test_record_holds_every_hand_in_order(recorded: Path) -> None:
    hands = list(read(recorded))
    assert verify(recorded) == len(hands)
    single = [hand for hand in hands if hand.episode == "hand"]
    assert [hand.row for hand in single] == [deal for deal in range(70) for _ in range(2)]
    assert [hand.players for hand in single] == [("greedy", "random"), ("random", "greedy")] * 70
    assert [one.deck for one in single[::2]] == [other.deck for other in single[1::2]]
    matches = hands[len(single) :]
    assert sum(hand.match_winner is not None for hand in matches) == 4
    places = [(hand.row, hand.players[0] != "greedy", hand.hand) for hand in matches]
    assert places == sorted(places)


def test_record_agrees_with_the_report(recorded: Path) -> None:
    report = json.loads((recorded.with_name("out") / "report.json").read_text())
    single = [hand for hand in read(recorded) if hand.episode == "hand"]
    of_a = [hand.paid[hand.players.index("greedy")] for hand in single]
    points = report["results"][0]["hands"]["points"]["value"]
    assert np.mean(of_a) == pytest.approx(points)


def test_record_changes_no_result(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = []
    for more in ((), ("--record", tmp_path / "h.jsonl")):
        capsys.readouterr()
        assert run(*MATCH, "--hands", 140, "--matches", 4, *more) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert (tmp_path / "h.jsonl").read_bytes() == recorded.read_bytes()


def test_record_is_the_same_with_workers_and_other_parts(recorded: Path, tmp_path: Path) -> None:
    file = tmp_path / "h.jsonl"
    plan = ("--hands", 140, "--matches", 4, "--games", 9, "--workers", 2)
    assert run(*MATCH, *plan, "--record", file) == 0
    assert file.read_bytes() == recorded.read_bytes()


def test_record_of_a_resumed_evaluation_is_whole(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, folder, write = tmp_path / "h.jsonl", tmp_path / "out", Store.write
    n_kept: list[int] = []

    def write_two(*arguments: Any) -> None:
        if len(n_kept) == 2:
            raise KeyboardInterrupt
        n_kept.append(1)
        write(*arguments)

    plan = ("--hands", 140, "--matches", 4, "--out", folder, "--record", file)
    monkeypatch.setattr(Store, "write", write_two)
    assert run(*MATCH, *plan) == INTERRUPTED
    monkeypatch.undo()
    n_lines = len(file.read_bytes().splitlines())
    assert n_lines == verify(file) == 140  # two parts
    with file.open("ab") as stream:
        stream.write(b'{"gin_env_history": 1, "ru')  # as a kill leaves it
    assert run("--resume", folder, "--record", file) == 0
    assert file.read_bytes() == recorded.read_bytes()


def test_record_can_be_asked_for_when_resuming(recorded: Path, tmp_path: Path) -> None:
    folder, file = tmp_path / "out", tmp_path / "h.jsonl"
    assert run(*MATCH, "--hands", 140, "--matches", 4, "--out", folder) == 0
    assert run("--resume", folder, "--record", file) == 0
    assert file.read_bytes() == recorded.read_bytes()
    assert run("--resume", folder) == 0


def test_record_of_a_ladder_holds_all_pairings(tmp_path: Path) -> None:
    file = tmp_path / "h.jsonl"
    plan = ("--hands", 6, "--matches", 0, "--record", file)
    assert run("ladder", "simple", "greedy", "random", *plan) == 0
    pairings = [frozenset(hand.players) for hand in read(file)]
    assert len(pairings) == verify(file) == 18
    assert len(set(pairings)) == 3


@pytest.mark.parametrize("content", [b"my notes", b'{"gin_env_history": 1'])
def test_record_overwrites_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    file = tmp_path / "notes.txt"
    file.write_bytes(content)
    assert run(*MATCH, "--record", file) == BAD_INPUT
    assert "is there already: choose another file with --record" in capsys.readouterr().err
    assert file.read_bytes() == content


def test_resumed_record_overwrites_no_file_of_something_else(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "notes.txt"
    file.write_bytes(b"my notes")
    assert run("--resume", recorded.with_name("out"), "--record", file) == BAD_INPUT
    assert "it holds something else than a hand history" in capsys.readouterr().err
    assert file.read_bytes() == b"my notes"


def test_record_in_no_folder_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*MATCH, "--record", tmp_path / "no" / "h.jsonl") == BAD_INPUT
    assert "cannot record in" in capsys.readouterr().err


class Quitter:
    """Gives up the hands of every second game."""

    name = "quitter"
    extras: tuple[str, ...] = ()
    may_forfeit = True

    def __init__(self) -> None:
        self.verdicts: list[Verdict] = []

    def reset(self, seeds: np.ndarray, seat: int, rows: np.ndarray | None = None) -> None:
        pass

    def act(self, turn: Turn) -> np.ndarray:
        actions: np.ndarray = turn.masks.argmax(axis=1)
        for place, row in enumerate(turn.rows):
            if row % 2:
                actions[place] = FORFEIT
                self.verdicts.append(Verdict(int(row), "given up", "enough"))
        return actions


@pytest.mark.parametrize("episode", EPISODES)
def test_record_of_forfeits_verifies(tmp_path: Path, episode: Episode) -> None:
    rules = Rules(target=60)
    contest = Contest(rules=rules, episode=episode, n_deals=6, n_games=4, is_recorded=True)
    parts = list(play_contest((Quitter(), resolve("hard")), contest))
    lines = [line for part in parts for line in part.lines]
    (tmp_path / "h.jsonl").write_bytes(b"".join(lines))
    assert verify(tmp_path / "h.jsonl") == len(lines) == sum(len(part.hands) for part in parts)
    hands: list[Hand] = [read_line(line) for line in lines]
    forfeited = [hand for hand in hands if hand.result.ending == Ending.FORFEIT]
    assert forfeited
    assert all(hand.actions[-1] == FORFEIT and hand.penalty == 50 for hand in forfeited)
    assert all(hand.seed is not None and hand.game == 0 for hand in hands)
