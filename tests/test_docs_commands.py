"""The commands of the documentation exist, and take the options that they are given."""

import contextlib
import importlib.util
import inspect
import io
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT
from tests.test_docs import FENCE, PAGES
from training.config import read_config

FENCED = re.compile(r"^```(.*?)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`([^`\n]+(?:\n[^`\n]+)?)`")
ASSIGNMENT = re.compile(r"[A-Z_]+=\S*")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SCRIPTS: dict[str, str] = PROJECT.get("scripts", {})
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
OTHERS = {"source", "tensorboard"}
"""Commands that are not ours."""
COMMANDS = {"python", "python3", "make", "pip", *OTHERS, *SCRIPTS}
ENTRIES = {"examples.rllib.selfplay": "examples.rllib.settings:read_settings"}
"""Where the options of a module are read, if not in its `main`."""


class BrokenCommandError(AssertionError):
    """What is wrong with a command."""


def split(line: str) -> list[str]:
    """The words of a command, without comments, brackets of what may be left out, and settings."""
    words = shlex.split(line.replace("[", " ").replace("]", " ") if "'" not in line else line, True)
    while words and ASSIGNMENT.fullmatch(words[0]):
        del words[0]
    if words:
        words[0] = words[0].removeprefix(".venv-rllib/bin/").removeprefix(".venv/bin/")
    return words


def commands_of(text: str) -> Iterator[list[str]]:
    """The commands of a page: all lines of a snippet that begins with one, and those in lines."""
    for language, snippet in FENCED.findall(text):
        if not language and _is_shell(snippet):
            yield from filter(None, map(split, _join(snippet)))
    for span in INLINE.findall(FENCE.sub("", text)):
        words = span.split()
        if len(words) > 1 and words[0] in COMMANDS:
            yield split(" ".join(words))


def check(words: list[str]) -> None:
    """Raise a `BrokenCommandError` unless a command exists and takes its options."""
    program, arguments = words[0], words[1:]
    if program not in COMMANDS:
        raise BrokenCommandError(f"no command {program!r}")
    if program == "make":
        _check_targets(arguments)
    elif program == "pip":
        _check_extras(arguments)
    elif program in SCRIPTS:
        _check_options(SCRIPTS[program], arguments)
    elif program.startswith("python"):
        _check_python(arguments)


def _is_shell(snippet: str) -> bool:
    """Whether the first line is a command; the screen of one has its name there, too, and a dot."""
    first = _join(snippet)[:1]
    return any(
        words[0] in COMMANDS and "·" not in words for words in map(_try_split, first) if words
    )


def _try_split(line: str) -> list[str]:
    try:
        return split(line)
    except ValueError:  # quotes of prose
        return line.split()


def _join(snippet: str) -> list[str]:
    return snippet.replace("\\\n", " ").splitlines()


def _check_targets(arguments: list[str]) -> None:
    for target in arguments:
        if not ASSIGNMENT.match(target) and target not in TARGETS:
            raise BrokenCommandError(f"no target {target!r}")


def _check_extras(arguments: list[str]) -> None:
    for asked in re.findall(r"(?:gin-env|\.)\[([\w,]+)\]", " ".join(arguments)):
        missing = set(asked.split(",")) - set(PROJECT["optional-dependencies"])
        if missing:
            raise BrokenCommandError(f"no extra {missing}")


def _check_python(arguments: list[str]) -> None:
    if arguments[0] != "-m":
        if not (ROOT / arguments[0]).is_file():
            raise BrokenCommandError(f"no file {arguments[0]!r}")
        module, given = arguments[0].removesuffix(".py").replace("/", "."), arguments[1:]
    else:
        module, given = arguments[1], arguments[2:]
        if module in ("venv", "pip"):
            _check_extras(given)
            return
    if importlib.util.find_spec(module) is None:
        raise BrokenCommandError(f"no module {module!r}")
    is_package = importlib.util.find_spec(f"{module}.__main__") if _is_package(module) else None
    entry = f"{module}.__main__:main" if is_package else f"{module}:main"
    _check_options(ENTRIES.get(module, entry), given)
    if module == "training" and given and given[0].endswith(".yaml"):
        settings = [given[at + 1] for at, word in enumerate(given) if word == "--set"]
        read_config(ROOT / given[0], settings)


def _is_package(module: str) -> bool:
    spec = importlib.util.find_spec(module)
    return spec is not None and spec.submodule_search_locations is not None


def _check_options(entry: str, arguments: list[str]) -> None:
    words = [word for word in arguments if not word.startswith("-")]
    known = help_of(entry, words[0] if words else "")
    for word in arguments:
        option = word.partition("=")[0]
        if option.startswith("--") and not re.search(rf"{re.escape(option)}(?![\w-])", known):
            raise BrokenCommandError(f"{entry} takes no {option!r}")


@cache
def help_of(entry: str, word: str) -> str:
    """What a command says of itself, or of what its first word asks for."""
    module, _, name = entry.partition(":")
    main: Callable[..., Any] = getattr(import_module(module), name)
    if not inspect.signature(main).parameters:
        return ""
    for arguments in ([word, "--help"], ["--help"]):
        said = io.StringIO()
        with (
            contextlib.redirect_stdout(said),
            contextlib.redirect_stderr(io.StringIO()),
            contextlib.suppress(SystemExit),
        ):
            main(arguments)
        if said.getvalue():
            return said.getvalue()
    raise BrokenCommandError(f"{entry} has no --help")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_exist_and_take_their_options(page: Path) -> None:
    broken = []
    for words in commands_of(page.read_text(encoding="utf-8")):
        try:
            check(words)
        except BrokenCommandError as error:
            broken.append(f"{' '.join(words)}: {error}")
    assert not broken


def test_commands_are_found() -> None:
    text = """
Some `make test`, `python -m
training FILE`, and `python`.
```
FOO=1 python -m eval match A B \\
    --hands 20   # some

make docs
```
```
a table that says make no
```
"""
    assert list(commands_of(text)) == [
        ["python", "-m", "eval", "match", "A", "B", "--hands", "20"],
        ["make", "docs"],
        ["make", "test"],
        ["python", "-m", "training", "FILE"],
    ]


@pytest.mark.parametrize(
    "command",
    [
        "make nothing",
        "make check nothing",
        "pip install 'gin-env[train,nothing]'",
        "python -m pip install -e '.[nothing]'",
        "python examples/nothing.py",
        "python examples/ppo_single_file.py --nothing 3",
        "python -m nothing",
        "python -m eval match A B --nothing",
        "python -m eval match A B --hand 20",
        "python -m training configs/train/quick.yaml --nothing",
        "python -m training export RUN --nothing",
        "python -m examples.rllib.selfplay --nothing",
        "nothing --help",
    ],
)
def test_a_broken_command_is_found(command: str) -> None:
    with pytest.raises(BrokenCommandError):
        check(split(command))


def test_a_broken_config_is_found() -> None:
    with pytest.raises(ValueError, match=r"nothing\.yaml"):
        check(split("python -m training configs/train/nothing.yaml"))
    with pytest.raises(ValueError, match="unknown key 'nothing' of ppo"):
        check(split("python -m training configs/train/quick.yaml --set ppo.nothing=3"))


def test_most_pages_show_commands() -> None:
    counts = {page.name: len(list(commands_of(page.read_text("utf-8")))) for page in PAGES}
    assert sum(counts.values()) > 40
    assert all(counts[name] for name in ("training.md", "evaluation.md", "CONTRIBUTING.md"))
