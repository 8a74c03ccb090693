"""Saved matches: exact, whole, and believed in nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from gin_env import Game
from gin_env.errors import GinError, OutputError
from gin_env.play import saved
from gin_env.play.opponent import Opponent
from gin_env.play.saved import MAX_BYTES, hold_match, read_match, set_aside, write_match
from tests.play.matches import change_save, saved_match


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A saved match after some moves."""
    game = Game.deal("standard", 5, "match")
    for action in ("pass", "pass", "draw"):
        game.play(action)
    opponent = Opponent("easy")
    opponent.begin(5)
    write_match(tmp_path / "match.json", game, opponent)
    return tmp_path / "match.json"


def test_match_comes_back_as_it_was(file: Path) -> None:
    found = saved_match(file)
    assert found.who == "easy"
    assert found.game.actions == (106, 106, 104)
    assert found.seat().memory == found.memory
    assert found.is_harmless
    assert not found.is_finished


def test_no_file_is_no_match(tmp_path: Path) -> None:
    assert read_match(tmp_path / "match.json") is None


def test_every_truncation_is_a_named_error(file: Path) -> None:
    content = file.read_bytes()
    for size in range(len(content)):
        file.write_bytes(content[:size])
        with pytest.raises(OutputError, match=r"match\.json' holds no saved match: "):
            read_match(file)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("format", "gin_env game", "the format 'gin_env match' is needed"),
        ("version", 2, "version 2, but only 1 can be read"),
        ("version", True, "version True"),
        ("opponent", 3, "the opponent must be a text"),
        ("game", {}, "no game"),
        ("game", [], "no game"),
        ("more", 1, "missing or unknown fields"),
    ],
)
def test_wrong_field_is_named(file: Path, field: str, value: Any, message: str) -> None:
    change_save(file, **{field: value})
    with pytest.raises(OutputError, match=message):
        read_match(file)


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"\xff\xfe", b"[" * 100_000, b"x" * (MAX_BYTES + 1), b'{"format": NaN}'],
    ids=["empty", "a list", "no text", "deep", "long", "NaN"],
)
def test_hostile_file_is_a_named_error(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(OutputError, match="holds no saved match"):
        read_match(file)


def test_illegal_move_is_a_named_error(file: Path) -> None:
    fields = json.loads(file.read_text())
    fields["game"]["actions"].append("take")
    file.write_text(json.dumps(fields))
    with pytest.raises(OutputError, match="action 4"):
        read_match(file)


@pytest.mark.parametrize(
    "memory",
    [
        None,
        {},
        {"word": 0, "tried": [0] * 52},
        {"word": 1, "tried": [0] * 51},
        {"word": 1, "tried": [-1] * 52},
        {"word": True, "tried": [0] * 52},
        {"word": 1.5},
    ],
)
def test_wrong_memory_is_a_named_error(file: Path, memory: Any) -> None:
    change_save(file, memory=memory)
    with pytest.raises(GinError, match="the opponent's"):
        saved_match(file).seat()


def test_folder_in_place_of_a_file_is_a_named_error(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot read"):
        read_match(tmp_path)


@pytest.mark.parametrize(
    ("who", "is_harmless"),
    [
        ("hard:slack=3", True),
        ("quick", True),
        ("a/b.npz", True),
        ("program:sh", False),
        ("runs/quick", False),
        ("a.zip", False),
        ("hardly", False),
        ("quick:x", False),
    ],
)
def test_what_runs_foreign_code_is_known(file: Path, who: str, *, is_harmless: bool) -> None:
    change_save(file, opponent=who)
    assert saved_match(file).is_harmless == is_harmless


def test_folder_that_looks_like_an_agent_is_not_harmless(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "agent.npz"
    folder.mkdir()
    change_save(file, opponent=str(folder))
    assert not saved_match(file).is_harmless


def test_file_set_aside_is_kept(file: Path) -> None:
    content = file.read_bytes()
    first = set_aside(file)
    file.write_bytes(b"other")
    second = set_aside(file)
    assert first.read_bytes() == content
    assert second.read_bytes() == b"other"
    assert not file.exists()


def test_match_is_held_by_one_program(file: Path) -> None:
    with (
        hold_match(file),
        pytest.raises(OutputError, match="another gin-env is playing"),
        hold_match(file),
    ):
        pass
    with hold_match(file):
        pass


def test_place_that_cannot_be_written_is_named(file: Path) -> None:
    with pytest.raises(OutputError, match="cannot save in"), hold_match(file / "match.json"):
        pass


def test_default_file_is_in_the_folder_for_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platformdirs.user_state_path", lambda name: tmp_path / name)
    assert saved.default_file() == tmp_path / "gin-env" / "match.json"
