"""Programs at the table, for tests: hosts for them, and what was said."""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from eval.games.arena import Contest, Played, join, play_contest
from gin_env.core.rules import Episode, Rules
from gin_env.core.state import Ending
from gin_env.players import ProgramPlayer, resolve
from tests import ROOT

EXAMPLE = (sys.executable, str(ROOT / "examples" / "program_player.py"))
HOSTILE = (sys.executable, str(Path(__file__).with_name("hostile.py")))


def hostile(behaviour: str, question: int, file: object = "-", **options: Any) -> ProgramPlayer:
    """A program that misbehaves at some question, every time or once (`hostile.py`)."""
    more = options.pop("more", ())
    return ProgramPlayer((*HOSTILE, behaviour, str(question), str(file), *more), **options)


def play(
    player: ProgramPlayer,
    n_deals: int = 3,
    *,
    against: str = "greedy",
    episode: Episode = "hand",
    rules: str = "standard",
    n_games: int = 512,
    seed: int = 1,
) -> Played:
    """Let a program play mirrored deals, and end it."""
    contest = Contest(
        rules=Rules.preset(rules), episode=episode, n_deals=n_deals, seed=seed, n_games=n_games
    )
    try:
        return join(list(play_contest((player, resolve(against)), contest)))
    finally:
        player.close()


def forfeited(played: Played) -> list[int]:
    """What each forfeited hand paid to the program."""
    points: list[int] = played.hands["points"][played.hands["ending"] == Ending.FORFEIT].tolist()
    return points


def messages(transcript: Path, mark: str = ">") -> list[dict[str, Any]]:
    """The messages to a program (``>``) or from it (``<``) in a transcript."""
    lines = transcript.read_text(encoding="utf-8").splitlines()
    return [json.loads(line[2:]) for line in lines if line.startswith(mark)]


def is_alive(pid: int) -> bool:
    """Whether a process runs, and is no zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not (stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z")


def wait_for(is_true: Callable[[], bool], limit: float = 10.0) -> bool:
    """Wait until something is true; whether it came to be within some seconds."""
    end = time.monotonic() + limit
    while not is_true():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def seeds(n_games: int) -> np.ndarray:
    """Some seeds."""
    return np.arange(n_games, dtype=np.uint64)
