"""The figures of the code's structure are right, and the present code is in order."""

import json
from pathlib import Path

import pytest
from PIL import Image

from docs.structure import (
    COLUMNS,
    Module,
    describe,
    draw_picture,
    find_circles,
    find_upwards,
    find_wings,
    import_graph,
    main,
    measure,
    read_modules,
)
from tests import ROOT

PICTURE = ROOT / "docs" / "pictures" / "architecture.png"

FILES = {
    "gin_env/__init__.py": "",
    "gin_env/errors.py": "class GinError(ValueError):\n    pass\n",
    "gin_env/core/__init__.py": "from gin_env.core import cards\n",
    "gin_env/core/cards.py": (
        "import gin_env.errors\n\n\nclass CardError(gin_env.errors.GinError):\n    pass\n"
    ),
    "gin_env/core/state.py": (
        "from gin_env.core.cards import Card\n\n\ndef look():\n    from gin_env import game\n"
    ),
    "gin_env/game.py": "from gin_env.core import state\n\n\nclass Hand:\n    pass\n",
    "gin_env/cards.py": (
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from gin_env import game\n"
        "else:\n    import gin_env.errors\n\n\nclass Hand:\n    pass\n"
    ),
    "eval/__init__.py": "import gin_env.game\n",
    "eval/benchmark/__init__.py": "import numpy\n",
    "training/__init__.py": "import eval\nimport gin_env.core.state\n",
    "tests/test_game.py": "import gin_env\n\n",
}
LAYERS = """
[[tool.importlinter.contracts]]
name = "packages"
type = "layers"
layers = ["training", "eval", "gin_env"]

[[tool.importlinter.contracts]]
name = "wings"
type = "layers"
containers = ["gin_env"]
layers = ["cards : game", "core", "errors"]
"""
UPWARDS = ("gin_env.core.state", "gin_env.game")


@pytest.fixture(scope="module")
def modules() -> dict[str, Module]:
    """Those of this checkout."""
    return read_modules(ROOT)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A small checkout with a fault of each kind."""
    for name, code in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(code, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(LAYERS, encoding="utf-8")
    return tmp_path


def test_measure_counts_lines_of_product_and_tests(checkout: Path) -> None:
    figures = measure(checkout)
    assert figures.lines == {
        "gin_env": 28,
        "training": 2,
        "eval": 1,
        "benchmarks": 1,
        "total": 32,
    }
    assert figures.test_lines == 2
    assert figures.n_modules == 10


def test_measure_finds_a_circle_closed_inside_a_function(checkout: Path) -> None:
    assert measure(checkout).circles == [["gin_env.core.state", "gin_env.game"]]


def test_find_circles_tells_two_circles_apart() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d"}, "f": {"a"}}
    assert find_circles(graph) == [["a", "b", "c"], ["d", "e"]]


def test_import_graph_leaves_out_what_types_alone_need(checkout: Path) -> None:
    graph = import_graph(read_modules(checkout))
    assert graph["gin_env.cards"] == {"gin_env.errors"}
    assert graph["gin_env.core"] == {"gin_env.core.cards"}
    assert graph["training"] == {"eval", "gin_env.core.state"}


def test_measure_finds_an_import_upwards(checkout: Path) -> None:
    assert measure(checkout).upwards == [UPWARDS]


def test_find_upwards_passes_what_the_contract_passes(checkout: Path) -> None:
    passed = f'ignore_imports = ["{" -> ".join(UPWARDS)}"]\n'
    (checkout / "pyproject.toml").write_text(LAYERS + passed, encoding="utf-8")
    assert measure(checkout).upwards == []


def test_find_upwards_needs_an_order(checkout: Path) -> None:
    (checkout / "pyproject.toml").unlink()
    assert measure(checkout).upwards is None


def test_measure_counts_error_classes_and_shared_names(checkout: Path) -> None:
    figures = measure(checkout)
    assert figures.n_error_classes == 2
    assert figures.class_names == {"Hand": ["gin_env.cards", "gin_env.game"]}
    assert figures.file_names == {"cards.py": ["gin_env.cards", "gin_env.core.cards"]}


def test_main_prints_the_figures(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(checkout)]) == 0
    printed = capsys.readouterr().out
    assert "lines of total                       32\n" in printed
    assert "upwards: gin_env.core.state -> gin_env.game\n" in printed
    assert "Hand: gin_env.cards, gin_env.game\n" in printed
    assert main([str(checkout), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["lines"]["total"] == 32


def test_find_wings_draws_no_arrow_that_others_imply(checkout: Path) -> None:
    wings = find_wings(checkout, read_modules(checkout))
    assert {name: wing.targets for name, wing in wings.items()} == {
        "errors": set(),
        "core": {"errors"},
        "cards": {"errors"},
        "game": {"core"},
        "eval": {"game"},
        "training": {"eval"},
    }
    assert [wings[name].height for name in ("errors", "core", "game", "eval", "training")] == [
        *range(5)
    ]
    assert wings["core"].n_lines == 11


def test_picture_says_what_it_shows(checkout: Path, tmp_path: Path) -> None:
    draw_picture(checkout, tmp_path / "map.png")
    with Image.open(tmp_path / "map.png") as image:
        assert image.info["Description"] == describe(find_wings(checkout, read_modules(checkout)))


def test_picture_of_the_documentation_is_current(modules: dict[str, Module]) -> None:
    """Its arrows are; how long the wings are may have changed since ``make docs``."""
    with Image.open(PICTURE) as image:
        assert image.info["Description"] == describe(find_wings(ROOT, modules)), "make docs"


def test_no_import_points_upwards(modules: dict[str, Module]) -> None:
    assert find_upwards(import_graph(modules), ROOT) == []


def test_no_modules_import_each_other(modules: dict[str, Module]) -> None:
    assert find_circles(import_graph(modules)) == []


def test_columns_are_of_wings_that_there_are(modules: dict[str, Module]) -> None:
    assert COLUMNS.keys() <= find_wings(ROOT, modules).keys()
