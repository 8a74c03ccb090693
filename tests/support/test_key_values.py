"""A key that stands twice is refused wherever keys and values are read; numbers in YAML."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gin_env import Game, GinError, Rules, bots
from gin_env.support.files import read_mapping
from gin_env.support.key_values import load_json, load_yaml, unique
from gin_env.values.messages import ProgramError, read_move
from training.config.run_config import read_config


def read_rules(text: str) -> Any:
    """Rules from a file of YAML."""
    return Rules.from_yaml(write(text))


def read_run(text: str) -> Any:
    """A config from a file of YAML."""
    return read_config(write(text))


def write(text: str) -> Path:
    """A file that holds a text."""
    file = Path("given.yaml")
    file.write_text(text)
    return file


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


READERS: dict[str, tuple[Callable[[str], Any], str]] = {
    "rules": (read_rules, "target: 50\ntarget: 60\n"),
    "rules, other spellings": (read_rules, "target: 50\n'target': 60\n"),
    "config": (read_run, "seed: 1\nseed: 2\n"),
    "config, nested": (read_run, "ppo: {n_epochs: 1, n_epochs: 2}\n"),
    "bot": (bots.read, "hard:slack=1,slack=2"),
    "saved game": (Game.from_text, '{"format": 1, "format": 2}'),
    "JSON file": (lambda text: read_mapping(write(text), GinError), '{"a": 1, "a": 1}'),
    "JSON": (load_json, '[{"a": {"b": 1, "b": 1}}]'),
    "YAML": (load_yaml, "- {a: 1, a: 1}"),
}


@pytest.mark.parametrize(("read", "text"), READERS.values(), ids=list(READERS))
def test_key_that_stands_twice_is_named(read: Callable[[str], Any], text: str) -> None:
    with pytest.raises(ValueError, match=r"'\w+' stands there twice"):
        read(text)


def test_setting_that_is_given_twice_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    write("seed: 1\n")
    with pytest.raises(GinError, match=r"'ppo\.n_epochs' stands there twice"):
        read_config("given.yaml", ["ppo.n_epochs=1", "seed=3", "ppo.n_epochs=2"])
    assert read_config("given.yaml", ["seed=3"]).seed == 3


def test_program_s_answer_with_a_key_twice_is_rubbish() -> None:
    line = json.dumps({"type": "move", "game": 1, "action": 2})
    assert read_move(line, 1) == 2
    with pytest.raises(ProgramError, match="no JSON"):
        read_move(line[:-1] + ', "action": 3}', 1)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e4", 10_000),
        ("1.5e6", 1_500_000),
        ("1.5E+6", 1_500_000),
        ("-2e0", -2),
        ("1e-3", 0.001),
        (".5e-1", 0.05),
        ("2.0", 2.0),
        ("1e400", math.inf),
        ("e4", "e4"),
        ("1e", "1e"),
    ],
)
def test_numbers_may_be_written_with_exponents(text: str, value: Any) -> None:
    read = load_yaml(text)
    assert (read, type(read)) == (value, type(value))


def test_budget_may_be_written_with_an_exponent() -> None:
    write("seed: 1\n")
    assert read_config("given.yaml", ["decisions=1e4"]).decisions == 10_000
    with pytest.raises(GinError, match=r"decisions must be a whole number"):
        read_config("given.yaml", ["decisions=1e-4"])


def test_yaml_merges_what_it_refers_to() -> None:
    assert load_yaml("a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}")["b"] == {"x": 1, "y": 3}


def test_unique_keeps_what_stands_once() -> None:
    assert unique([("a", 1), ("b", 1)]) == {"a": 1, "b": 1}
