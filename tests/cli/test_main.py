"""The command gin-env: what it says, what it loads, how it fails."""

import argparse
import subprocess
import sys
from importlib import import_module

import pytest

import gin_env
from gin_env.cli.main import COMMANDS, main
from tests import ROOT

HEAVY = {"numba", "torch", "textual", "rich", "yaml", "pettingzoo", "stable_baselines3"}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `gin-env` without a terminal."""
    return subprocess.run(
        [sys.executable, "-m", "gin_env.cli", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )


def test_version_is_the_packages() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"gin-env {gin_env.__version__}\n")


def test_help_names_every_subcommand() -> None:
    done = run("--help")
    assert done.returncode == 0
    for name, command in COMMANDS.items():
        assert name in done.stdout
        assert command.help in done.stdout


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["play", "--help"]])
def test_start_loads_nothing_heavy(arguments: list[str]) -> None:
    """What takes long to load would make every start wait for it."""
    code = (
        "import sys\nfrom gin_env.cli.main import main\n"
        f"try:\n    main({arguments})\nexcept SystemExit:\n    print('loaded', *sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split("loaded ")[-1].split()}
    assert "gin_env" in loaded
    assert loaded.isdisjoint(HEAVY)


@pytest.mark.parametrize("name", COMMANDS)
def test_subcommand_has_a_parser_and_runs(name: str) -> None:
    module = import_module(COMMANDS[name].module)
    subparsers = argparse.ArgumentParser().add_subparsers()
    assert isinstance(module.add_parser(subparsers), argparse.ArgumentParser)
    assert callable(module.run)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["ply"], "invalid choice: 'ply'"),
        (["play", "--target", "many"], "invalid int value: 'many'"),
        (["play", "--new", "--resume"], "not allowed with argument"),
        (["play"], "playing needs a terminal, and this is none"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], said: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("gin-env: error: ")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_players_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["players"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = [line.split()[0] for line in lines]
    assert names == [*gin_env.bots.names(), *gin_env.agents.names()]
    assert "slack=4" in lines[names.index("hard")]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["eval", "--help"], "ladder"),
        (["eval", "match", "--help"], "--hands"),
        (["train", "--help"], "--resume"),
    ],
)
def test_arguments_are_passed_on(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 0
    assert said in capsys.readouterr().out


def test_exit_code_is_passed_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "missing.yaml"]) == 2
    assert main(["eval", "--resume", "missing"]) == 2
    assert "missing" in capsys.readouterr().err
