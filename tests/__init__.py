"""The tests; they mirror the packages. Here is what all of them share."""

import os
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

ROOT = Path(__file__).parent.parent
"""Of the checkout."""


def run_python(
    *arguments: str | Path, folder: Path = ROOT, **env: str
) -> "subprocess.CompletedProcess[str]":
    """Run a fresh interpreter, in a folder, that finds the checkout."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def chi_square(counts: Collection[float]) -> float:
    """How far counts are from equal ones."""
    mean = sum(counts) / len(counts)
    return float(sum((count - mean) ** 2 / mean for count in counts))
