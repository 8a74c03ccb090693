"""Command lines in this process: what a program says, and its exit code."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from gin_env.core.jit import COMPILING_NOTE

Run = Callable[..., tuple[int, str, str]]
"""Takes what is typed after the program's name; returns the exit code, stdout and stderr."""


def runner(main: Callable[[Sequence[str]], Any], capsys: pytest.CaptureFixture[str]) -> Run:
    """What runs a program by its ``main``."""

    def run(*arguments: object) -> tuple[int, str, str]:
        try:
            code = int(main([str(argument) for argument in arguments]))
        except SystemExit as left:
            code = int(left.code or 0)
        captured = capsys.readouterr()
        return code, captured.out, captured.err.replace(f"{COMPILING_NOTE}\n", "")

    return run
