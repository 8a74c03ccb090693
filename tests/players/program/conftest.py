"""Programs at the table that end with the test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gin_env.players import ProgramPlayer
from tests.players.program.host import EXAMPLE


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    """Where what is said is written down."""
    return tmp_path / "transcript"


@pytest.fixture
def example(transcript: Path) -> Iterator[ProgramPlayer]:
    """The program of the examples."""
    player = ProgramPlayer(EXAMPLE, transcript=transcript)
    yield player
    player.close()
