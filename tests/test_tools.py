"""Training and evaluation are found where they are, and nothing else is taken for them."""

import os
import subprocess
import sys
from pathlib import Path

from gin_env import tools
from tests import ROOT


def run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh interpreter that finds the checkout after its own folder."""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_expose_finds_ours_before_other_packages_of_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "training").mkdir()
    (tmp_path / "training" / "__init__.py").touch()
    code = (
        "import gin_env.tools; gin_env.tools.expose(); import training.config.run_config as found"
    )
    done = run(f"{code}; print(found.__file__)", tmp_path)
    assert done.stdout.strip() == str(ROOT / "training" / "train.py"), done.stderr


def test_expose_says_that_another_package_is_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "eval").mkdir()
    (tmp_path / "eval" / "__init__.py").touch()
    done = run("import eval; from gin_env.tools import expose; expose()", tmp_path)
    assert f"ImportError: gin_env's own eval is wanted, but eval is {tmp_path}" in done.stderr


def test_expose_twice_is_as_once() -> None:
    tools.expose()
    before = list(sys.path)
    tools.expose()
    assert sys.path == before


def test_expose_names_what_is_in_the_way_whatever_it_is(tmp_path: Path) -> None:
    (tmp_path / "eval.py").touch()
    made = "import sys, types; sys.modules['eval'] = types.ModuleType('eval')"
    for code in ("import eval", made):
        done = run(f"{code}; from gin_env.tools import expose; expose()", tmp_path)
        assert "ImportError: gin_env's own eval is wanted, but eval is something" in done.stderr
