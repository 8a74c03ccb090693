"""The file that most tests of histories write."""

from pathlib import Path

import pytest


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of hands that is not there yet."""
    return tmp_path / "h.jsonl"
