"""Training and evaluation are found where they are, and nothing else is taken for them."""

import sys
from pathlib import Path

from gin_env import tools
from tests import ROOT, run_python

EXPOSE = "from gin_env.tools import expose; expose()"


def test_expose_finds_ours_before_other_packages_of_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "training").mkdir()
    (tmp_path / "training" / "__init__.py").touch()
    code = (
        "import gin_env.tools; gin_env.tools.expose(); import training.config.run_config as found"
    )
    done = run_python("-c", f"{code}; print(found.__file__)", folder=tmp_path)
    assert done.stdout.strip() == str(ROOT / "training" / "config" / "run_config.py"), done.stderr


def test_expose_says_that_another_package_is_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "eval").mkdir()
    (tmp_path / "eval" / "__init__.py").touch()
    done = run_python("-c", f"import eval; {EXPOSE}", folder=tmp_path)
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
        done = run_python("-c", f"{code}; {EXPOSE}", folder=tmp_path)
        assert "ImportError: gin_env's own eval is wanted, but eval is something" in done.stderr
