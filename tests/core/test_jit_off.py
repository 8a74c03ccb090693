"""The kernels are one source: compiled or as plain Python, they play the same, to the last bit."""

import hashlib
from collections import Counter
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from numba.core.caching import NullCache

import gin_env
from gin_env.core import jit, match, melds, observe, rows, step, view
from gin_env.core.batch import Batch
from gin_env.core.jit import COMPILING_NOTE, IS_COMPILED, SOURCE_STAMP, kernel
from gin_env.core.rows import step_rows
from tests import run_python
from tests.core.transcript import PRESETS, Transcript

PACKAGE = Path(gin_env.__file__).parent
STRICT = ("-W", "error")
"""Warnings are errors."""


@pytest.mark.slow
@pytest.mark.skipif(not IS_COMPILED, reason="there is nothing to compare plain Python with")
def test_plain_python_plays_as_the_compiled_kernels_do() -> None:
    done = run_python(*STRICT, "-m", "tests.core.transcript", NUMBA_DISABLE_JIT="1")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    first, *lines = done.stdout.splitlines()
    assert first == "plain"
    transcripts = {preset: Transcript(preset) for preset in PRESETS}
    assert lines == [transcript.line(preset) for preset, transcript in transcripts.items()]
    endings: Counter[str] = Counter()
    for transcript in transcripts.values():
        endings += transcript.endings
    assert {"DEAD", "KNOCK", "UNDERCUT", "GIN", "BIG_GIN"} <= endings.keys()
    assert sum(transcript.n_moves for transcript in transcripts.values()) > 300
    assert len({transcript.digest.digest() for transcript in transcripts.values()}) == len(PRESETS)


@pytest.mark.skipif(not IS_COMPILED, reason="plain Python has no assembly")
def test_a_step_counts_no_references() -> None:
    step_again = kernel(FunctionType(step_rows.py_func.__code__, vars(rows)))  # type: ignore[attr-defined]
    step_again._cache = NullCache()  # type: ignore[attr-defined]  # cached code has no assembly
    batch = Batch(1)
    step_again(batch._setup, batch.arrays, np.zeros(1, np.int64), np.zeros(1, bool), (0, 1))
    assembly = "".join(step_again.inspect_asm().values())  # type: ignore[attr-defined]
    assert "play" in assembly
    assert "NRT_" not in assembly


@pytest.mark.skipif(not IS_COMPILED, reason="plain Python has no cache")
@pytest.mark.parametrize(
    "function",
    [melds.deadwood, view.look, step.legal_mask, match.advance, observe.encode],
    ids=lambda function: function.__name__,
)
def test_kernels_are_cached_under_the_stamp_of_all_sources(function: Any) -> None:
    assert function._cache._cache_file._source_stamp == SOURCE_STAMP


def test_stamp_covers_every_source_with_kernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "gin_env"
    sources = [
        path for folder in ("core", "bots", "agents") for path in (PACKAGE / folder).glob("*.py")
    ]
    for path in sources:
        copy = package / path.relative_to(PACKAGE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    monkeypatch.setattr(jit, "_FOLDERS", (package / "core", package / "bots", package / "agents"))
    before = jit._hash_sources()
    assert len(before) == hashlib.sha256().digest_size * 2
    for path in sources:
        copy = package / path.relative_to(PACKAGE)
        text = copy.read_bytes()
        copy.write_bytes(text + b"\n")
        assert jit._hash_sources() != before, path
        copy.write_bytes(text)
    assert jit._hash_sources() == before
    assert {"melds.py", "step.py", "view.py", "observe.py"} <= {path.name for path in sources}


@pytest.mark.skipif(not IS_COMPILED, reason="plain Python compiles nothing")
def test_kernel_follows_a_change_in_another_file(tmp_path: Path) -> None:
    # Numba alone would stamp the cached caller with its own file and miss the callee's change.
    program = (
        "import sys; sys.path.insert(0, {path!r})\n"
        "from gin_env.core import jit\n"
        "jit.SOURCE_STAMP = {stamp!r}\n"
        "import caller; print(caller.double(1))\n"
    )
    kernels = "from gin_env.core.jit import kernel\n"
    (tmp_path / "caller.py").write_text(
        f"{kernels}from callee import step\n\n@kernel\ndef double(n):\n    return 2 * step(n)\n"
    )
    results = []
    for stamp, number in (("a", 1), ("a", 1), ("a", 10), ("b", 10)):
        (tmp_path / "callee.py").write_text(
            f"{kernels}\n@kernel\ndef step(n):\n    return n + {number}\n"
        )
        code = program.format(path=str(tmp_path), stamp=stamp)
        done = run_python(*STRICT, "-B", "-c", code, NUMBA_CACHE_DIR="")
        results.append((done.returncode, done.stdout.strip(), done.stderr))
    assert results == [(0, "4", ""), (0, "4", ""), (0, "22", ""), (0, "22", "")]


def test_kernel_keeps_name_and_docstring() -> None:
    assert kernel.__doc__
    assert melds.deadwood.__name__ == "deadwood"
    assert melds.deadwood.__doc__ is not None


@pytest.mark.slow
@pytest.mark.skipif(not IS_COMPILED, reason="plain Python compiles nothing")
def test_first_compilation_says_so_once_and_a_cached_start_is_silent(tmp_path: Path) -> None:
    program = "from gin_env.core.melds import deadwood, arrange; deadwood(7); arrange(7, 0)"
    first = run_python(*STRICT, "-c", program, NUMBA_CACHE_DIR=str(tmp_path))
    assert (first.returncode, first.stdout) == (0, "")
    assert first.stderr == COMPILING_NOTE + "\n"
    second = run_python(*STRICT, "-c", program, NUMBA_CACHE_DIR=str(tmp_path))
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
