"""The tutorial runs from its first cell to its last, and shows what its cells show."""

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests import ROOT

TUTORIAL = ROOT / "docs" / "tutorial.ipynb"
MAX_BYTES = 200_000
SMALL = "DECISIONS = 16_384\nHANDS = 200\n"
"""In place of what the cell tagged `parameters` sets."""


def read() -> Any:
    return nbformat.read(TUTORIAL, as_version=4)  # type: ignore[no-untyped-call]


def tags(cell: Any) -> list[str]:
    return list(cell.metadata.get("tags", []))


def shown(cell: Any) -> dict[str, str]:
    """What a cell shows, by kind; of a picture, that it is one."""
    found: dict[str, str] = {}
    for output in cell.outputs:
        if output.get("name") == "stderr":  # kernels are compiled, where they have not been yet
            continue
        kinds = output.get("data", {"text": output.get("text")})
        kind = next(iter(sorted(kinds)))
        found[kind] = found.get(kind, "") + ("" if kind.startswith("image/") else kinds[kind])
    return found


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Jupyter's own
def test_tutorial_runs_and_shows_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    kept, played = read(), read()
    (budget,) = [cell for cell in played.cells if "parameters" in tags(cell)]
    assert budget.source.split()[::3] == SMALL.split()[::3]
    budget.source = SMALL
    where = {"metadata": {"path": str(TUTORIAL.parent)}}
    NotebookClient(played, timeout=600, resources=where).execute()
    for was, now in zip(kept.cells, played.cells, strict=True):
        if was.cell_type == "code" and "measured" not in tags(was):
            assert shown(was) == shown(now), was.source
        elif was.cell_type == "code":
            assert list(shown(was)) == list(shown(now)), was.source


def test_tutorial_is_kept_as_it_was_executed() -> None:
    nbformat.validate(read())
    codes = [cell for cell in read().cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in codes] == list(range(1, len(codes) + 1))
    outputs = [output for cell in codes for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]
    assert not [output for output in outputs if output.get("name") == "stderr"]
    assert TUTORIAL.stat().st_size < MAX_BYTES
    text = TUTORIAL.read_text(encoding="utf-8")
    assert str(Path.home()) not in text
    assert str(ROOT) not in text


def test_tutorial_covers_every_step() -> None:
    code = "\n".join(cell.source for cell in read().cells if cell.cell_type == "code")
    for name in (
        "gin_env.Game.deal(",
        "gin_env.OBS_LAYOUT",
        "action_mask",
        "gym.make(",
        "gym.make_vec(",
        "gin_env.bots.names()",
        "train(run",
        "play_contest(",
        "gin_env.load_agent(",
    ):
        assert name in code, name
