"""The command gin-env: what it says, what it loads, how it fails."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import eval.cli
import gin_env
import training.__main__
from gin_env.cli.main import COMMANDS, main
from gin_env.support.command_line import BAD_INPUT
from tests import ROOT
from tests.typed import Run, runner

HEAVY = {"numba", "torch", "textual", "rich", "yaml", "pettingzoo", "stable_baselines3"}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(main, capsys)


def test_version_is_the_packages() -> None:
    command = [sys.executable, "-m", "gin_env.cli", "--version"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert said == f"gin-env {gin_env.__version__}\n"


def test_help_names_every_command_and_needs_no_option(run: Run) -> None:
    code, said, _ = run()
    assert (code, said) == run("--help")[:2]
    assert code == 0
    for name, command in COMMANDS.items():
        assert name in said
        assert command.help in said
    assert run("eval") == run("eval", "--help")


def test_no_help_loads_anything_heavy() -> None:
    """What takes long to load would make every start wait for it."""
    lines = ["--version", "--help", *(f"{name} --help" for name in COMMANDS)]
    lines += [f"eval {name} --help" for name in eval.cli.COMMANDS]
    code = (
        "import json, sys\nfrom gin_env.cli.main import main\n"
        f"for line in {lines}:\n"
        "    try: main(line.split())\n"
        "    except SystemExit as left: assert not left.code, line\n"
        "print('loaded', *sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split("loaded ")[-1].split()}
    assert {"gin_env", "training", "eval", "benchmarks"} <= loaded
    assert loaded.isdisjoint(HEAVY)


@pytest.mark.parametrize(
    ("ours", "module", "theirs"),
    [
        ("eval", eval.cli, ""),
        *((f"eval {name}", eval.cli, name) for name in eval.cli.COMMANDS),
        ("eval --resume folder", eval.cli, "--resume folder"),
        ("benchmark", eval.cli, "benchmark"),
        ("train", training.__main__, ""),
        ("export", training.__main__, "export"),
    ],
)
def test_programs_are_one_command_line_under_two_names(
    run: Run, capsys: pytest.CaptureFixture[str], ours: str, module: object, theirs: str
) -> None:
    programs = {eval.cli: "python -m eval", training.__main__: "python -m training"}
    said = run(*ours.split(), "--help")[1].split()
    again = runner(module.main, capsys)(*theirs.split(), "--help")[1]  # type: ignore[attr-defined]
    typed = f"gin-env {ours}".removesuffix(" --resume folder").removesuffix(f" {theirs}")
    assert " ".join(said) == " ".join(again.replace(programs[module], typed).split())  # type: ignore[index]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("ply", "unknown command 'ply'; the commands are play, replay"),
        ("ply", "(did you mean 'play'?)"),
        ("eval mach a b", "(did you mean 'match'?) (see gin-env eval --help)"),
        ("eval match hard hrd", "(did you mean 'hard'?)"),
        ("eval match hard easy --rules hom", "(did you mean 'home'?)"),
        ("eval match hard:slak=1 easy", "(did you mean 'slack'?)"),
        ("eval --resume missing", "'missing' holds no evaluation"),
        ("train missing.yaml", "cannot read a config from 'missing.yaml'"),
        ("train", "give a config, or a run with --resume"),
        ("export missing", "'missing' is neither a run folder nor a model in one"),
        ("benchmark --only speed", "unknown value 'speed'; the values are random"),
        ("play --target many", "--target: must be a whole number from 1 to 10000, not 'many'"),
        ("play --seed -1", "--seed: must be a whole number from 0 to"),
        ("play --new --resume", "not allowed with argument"),
        ("play", "playing needs a terminal, and this is none"),
    ],
)
def test_bad_input_is_one_line(run: Run, typed: str, said: str) -> None:
    code, out, err = run(*typed.split())
    assert (code, out) == (BAD_INPUT, "")
    assert err.startswith("gin-env: error: ")
    assert said in err
    assert err.count("\n") == 1


def test_hint_names_the_program_that_was_typed(run: Run, tmp_path: Path) -> None:
    typed = ("eval", "selfplay", "greedy", "--hands", 4, "--out", tmp_path / "new")
    assert run(*typed)[0] == 0
    plan = json.loads((tmp_path / "new" / "plan.json").read_text())
    assert plan
    assert "gin-env eval --resume" in " ".join(run("eval", "--help")[1].split())


def test_benchmark_comes_with_a_checkout(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eval.cli, "BENCHMARKS", ROOT / "missing")
    for typed in ("benchmark", "eval benchmark --quick"):
        code, _, err = run(*typed.split())
        assert code == BAD_INPUT
        assert "the benchmark comes with a checkout of the sources" in err


def test_players_are_listed(run: Run) -> None:
    code, out, _ = run("players")
    lines = out.splitlines()
    names = [line.split()[0] for line in lines]
    assert (code, names) == (0, [*gin_env.bots.names(), *gin_env.agents.names()])
    assert "slack=4" in lines[names.index("hard")]
