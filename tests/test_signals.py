"""Tests hear signals however they were started."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import ROOT
from tests.conftest import SIGNALS


@pytest.mark.parametrize("number", SIGNALS)
def test_child_hears_a_signal(number: signal.Signals) -> None:
    code = "import signal, time; print('up', flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"up\n"
        child.send_signal(number)
        assert child.wait(timeout=30) != 0


@pytest.mark.slow
def test_child_hears_a_signal_that_the_shell_ignores() -> None:
    typed = f"trap '' INT TERM HUP; exec {sys.executable} -m pytest -q -p no:cacheprovider "
    typed += f"{Path(__file__).relative_to(ROOT)} -k 'test_child_hears_a_signal and not shell'"
    done = subprocess.run(
        ["sh", "-c", typed], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert "3 passed" in done.stdout, done.stdout
