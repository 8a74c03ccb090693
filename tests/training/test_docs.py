"""docs/training.md says what the config takes, and which commands there are."""

import re
from collections.abc import Iterable
from typing import Any

import pytest

from tests import ROOT
from training.__main__ import main
from training.config.run_config import describe

PAGE = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")


def written(value: Any) -> str:
    """A value as a YAML file has it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {one:g}" for key, one in value.items()) + "}"
    if isinstance(value, tuple):
        return "[" + ", ".join(map(str, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def config_table() -> list[str]:
    """A row for each key: its default, what it takes and means."""
    return [
        f"| `{key}` | `{written(default)}` | {spec.option.describe()} | {spec.meaning} |"
        for key, default, spec in describe()
    ]


def keys_of(rows: Iterable[str]) -> list[str]:
    return re.findall(r"^\| `([a-z_.]+)` \|", "\n".join(rows), re.MULTILINE)


def test_every_key_is_described_as_it_is() -> None:
    missing = [row for row in config_table() if row not in PAGE.splitlines()]
    assert not missing, "put into docs/training.md:\n" + "\n".join(missing)


def test_no_other_key_is_described() -> None:
    table = PAGE.partition("## The config")[2].partition("\n## ")[0]
    assert keys_of(table.splitlines()) == keys_of(config_table())


def test_every_option_of_the_command_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    options = set(re.findall(r"--[a-z]+", capsys.readouterr().out)) - {"--help"}
    assert len(options) == 4
    assert all(option in PAGE for option in options)
