"""gin-env play in real terminals: without colour, without a screen, ended from outside."""

import re
import signal
from pathlib import Path

import pytest

from tests.terminal import CTRL_C, ENTER, ESCAPE, Terminal

COLOUR = re.compile(rb"\x1b\[[0-9;:]*?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[;:m]")
pytestmark = pytest.mark.slow


def command(tmp_path: Path, *more: str) -> list[str]:
    return ["play", "--seed", "5", "--save", str(tmp_path / "match.json"), *more]


def test_no_color_means_none(tmp_path: Path) -> None:
    with Terminal(command(tmp_path), {"NO_COLOR": "1"}) as terminal:
        terminal.see("▸ ")
        terminal.type("o")
        terminal.see("▸ hard (now)")
        terminal.type(ESCAPE)
        terminal.see("♥")
        terminal.type(CTRL_C)
        assert terminal.end() == 0
        assert not COLOUR.search(terminal.raw)
    with Terminal(command(tmp_path)) as terminal:
        terminal.see("▸ ")
        assert COLOUR.search(terminal.raw)  # so the pattern finds what there is


@pytest.mark.parametrize("kind", ["vt100", "xterm-mono", "linux", "screen"])
def test_simple_terminals_show_the_same(tmp_path: Path, kind: str) -> None:
    with Terminal(command(tmp_path), {"TERM": kind}) as terminal:
        terminal.see("▸ ")
        assert terminal.lines[0].startswith("gin-env · standard rules · match to 100 · hand 1")
        assert terminal.lines[-1].startswith("← → card")


@pytest.mark.parametrize(
    ("more", "environment", "said"),
    [
        ([], {"TERM": "dumb"}, "playing needs a terminal that can place text"),
        (["--rules", "nonsense"], {}, "unknown preset 'nonsense'"),
        (["--target", "0"], {}, "--target: must be a whole number from 1 to 10000"),
        (["--resume"], {}, "no match is saved in"),
        (["--opponent", "nobody"], {}, "'nobody' is neither a bot"),
        (["--seed", "-1"], {}, "--seed: must be a whole number from 0 to"),
    ],
)
def test_what_cannot_be_is_said_in_words(
    tmp_path: Path, more: list[str], environment: dict[str, str], said: str
) -> None:
    with Terminal(command(tmp_path, *more), environment) as terminal:
        assert terminal.end() == 2
        assert said in " ".join(terminal.raw.decode().split())
    assert not (tmp_path / "match.json").exists()


def test_match_is_played_by_one_program_at_a_time(tmp_path: Path) -> None:
    with Terminal(command(tmp_path)) as first:
        first.see("▸ ")
        with Terminal(command(tmp_path)) as second:
            assert second.end() == 2
            assert b"another gin-env is playing" in second.raw


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_ends_it_as_leaving_does(tmp_path: Path, number: signal.Signals) -> None:
    with Terminal(command(tmp_path)) as terminal:
        terminal.see("▸ ")
        terminal.child.kill(number)
        assert terminal.end() == 0
        assert b"The same command goes on." in terminal.raw
        assert b"\x1b[?1049l" in terminal.raw  # the screen from before is back


def test_broken_save_is_offered_to_be_begun_anew(tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    file.write_bytes(b'{"format": "gin_env match", "vers')
    with Terminal(command(tmp_path)) as terminal:
        terminal.see("holds no saved match")
        terminal.see("▸ Quit, and leave it as it is")
        terminal.type(ENTER)
        assert terminal.end() == 0
    assert file.read_bytes() == b'{"format": "gin_env match", "vers'
    with Terminal(command(tmp_path)) as terminal:
        terminal.see("▸ Quit")
        terminal.type("\x1b[B" + ENTER)
        terminal.see("hand 1")
    assert (tmp_path / "match.json.broken-1").exists()
