"""The package as it is installed: what is in it, what it brings, and that it works."""

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tests import ROOT

NEEDED = {"gymnasium", "numba", "numpy", "pettingzoo", "pyyaml"}
"""What the environment needs, and all that an installation without extras brings."""

PLAY_A_HAND = """
import gin_env, pathlib
assert "site-packages" in gin_env.__file__ and gin_env.__version__ == "0.1.0", gin_env.__file__
game = gin_env.Game.deal("standard", seed=7)
while not game.is_over:
    game.play(game.legal_actions()[-1])
print(game.result.describe())
agent = gin_env.load_agent("quick")
game = gin_env.Game.deal(seed=7)
choice = agent.network.choose(game.observation(0, agent.extras), game.action_mask(0))
assert int(choice) in (105, 106)
"""

USE_TOOLS = """
import importlib.util
assert not importlib.util.find_spec("training") and not importlib.util.find_spec("eval")
import gin_env.tools
gin_env.tools.expose()
import training.config.run_config, eval.stats.estimates
assert "gin_env/tools/training" in training.config.run_config.__file__.replace("\\\\", "/")
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that was made of it."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel; what it depends on is borrowed from this one."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=False)
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    python = str(scripts / "python")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
    command = [*pip, "install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(command, check=True, capture_output=True)
    (site,) = folder.glob("[Ll]ib/**/site-packages")
    # Folders named in a .pth file are not searched for more of them: the checkout stays out.
    (site / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return scripts


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program of the environment, outside the checkout, without compiling kernels."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return subprocess.run(
        command,
        cwd=folder,
        env={**environment, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_wheel_has_one_package_at_its_top(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        text = archive.read("gin_env-0.1.0.dist-info/METADATA").decode()
    assert {name.partition("/")[0] for name in names} == {"gin_env", "gin_env-0.1.0.dist-info"}
    for name in ("gin_env/py.typed", "gin_env/agents/quick.npz", "gin_env/tools/eval/cli.py"):
        assert name in names
    assert "gin_env-0.1.0.dist-info/licenses/LICENSE" in names
    assert "Description-Content-Type: text/markdown" in text
    assert (ROOT / "README.md").read_text(encoding="utf-8") in text.replace("\r\n", "\n")


@pytest.mark.slow
def test_wheel_brings_only_what_the_environment_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read("gin_env-0.1.0.dist-info/METADATA").decode()
    required = re.findall(r"^Requires-Dist: ([\w.-]+)([^\n]*)$", text, re.MULTILINE)
    assert {name for name, rest in required if "extra ==" not in rest} == NEEDED
    extras = set(re.findall(r"^Provides-Extra: (\S+)$", text, re.MULTILINE))
    assert {"train", "eval", "play", "dev"} <= extras


@pytest.mark.slow
def test_sdist_holds_what_a_checkout_does(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        tops = {name.split("/")[1] for name in archive.getnames()}
    assert {"gin_env", "training", "eval", "configs", "docs", "tests", "examples"} <= tops
    assert {"LICENSE", "README.md", "Makefile", "constraints.txt", "pyproject.toml"} <= tops


@pytest.mark.slow
@pytest.mark.parametrize("code", [PLAY_A_HAND, USE_TOOLS], ids=["play a hand", "use the tools"])
def test_installed_package_works(installed: Path, tmp_path: Path, code: str) -> None:
    done = run([str(installed / "python"), "-c", code], tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--version"], "gin-env 0.1.0"),
        (["players"], "hard "),
        (["eval", "--help"], "ladder"),
        (["eval", "match", "simple", "random", "--hands", "4", "--matches", "0"], "simple"),
        (["train", "--help"], "--resume"),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else "",
)
def test_installed_command_works(
    installed: Path, tmp_path: Path, arguments: list[str], said: str
) -> None:
    done = run([str(installed / "gin-env"), *arguments], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert said in done.stdout
