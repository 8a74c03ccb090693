"""Where figures and models come from: the commit of this checkout."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def find_commit(n_digits: int) -> str | None:
    """The commit of the checkout that this file lies in, marked where files differ from it.

    Args:
        n_digits: How many digits of its hash.

    Returns:
        None where the package is not run from a checkout, or git cannot tell.
    """
    if not (ROOT / ".git").exists():
        return None
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", f"--abbrev={n_digits}"]
    try:
        done = subprocess.run(
            [*command, "--exclude=*"], capture_output=True, text=True, check=True, timeout=10
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
