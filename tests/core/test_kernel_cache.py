"""The cache of kernels: what is damaged or cannot be written is compiled, and said once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = '''
import numpy as np
from gin_env.core.jit import kernel

@kernel
def double(x: int) -> int:
    """Twice as much."""
    return half_of(4 * x)

@kernel
def half_of(x: int) -> int:
    """Half of it."""
    return x // 2

print(double(21), double(np.int32(4)), half_of(10))
'''


def run(folder: Path) -> tuple[str, str]:
    """Run kernels of a file with its cache in a folder; what is printed, and on stderr."""
    script = folder.parent / "kernels.py"
    script.write_text(SCRIPT)
    environ = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    done = subprocess.run(
        [sys.executable, script], env=environ, capture_output=True, text=True, check=False
    )
    return done.stdout, done.stderr


def cached(folder: Path, ending: str) -> list[Path]:
    """The files of kernels of that script."""
    return sorted(folder.rglob(f"kernels.*.{ending}"))


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("left", [0, 100])
def test_damaged_kernels_are_compiled_anew(tmp_path: Path, ending: str, left: int) -> None:
    folder = tmp_path / "cache"
    first = run(folder)
    assert first == ("42 8 5\n", "")
    assert run(folder) == first
    for file in cached(folder, ending):
        file.write_bytes(file.read_bytes()[:left])
    out, err = run(folder)
    assert out == first[0]
    assert err.startswith("gin_env: the kernels in ")
    assert err.endswith("; compiling them\n")
    assert (err.count("\n"), "cannot be read (" in err) == (1, True)
    assert run(folder) == first  # they are whole again


def test_kernels_that_cannot_be_kept_are_compiled(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    first = run(folder)
    for file in (*cached(folder, "nbi"), *cached(folder, "nbc")):
        file.unlink()
        file.mkdir()  # where nothing can be written, even by root
    out, err = run(folder)
    assert out == first[0]
    assert 1 <= err.count("\n") <= 2  # it can neither be read nor written
    assert "cannot be written (" in err
    assert "Traceback" not in err
