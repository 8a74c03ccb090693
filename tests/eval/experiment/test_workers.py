"""Worker processes: the same games whoever plays them, and no process left behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from eval.errors import EvalError
from eval.experiment.workers import Workers
from eval.games.arena import Contest, Played
from eval.games.entrants import Entrants, PlayerSpec, identify
from gin_env.core.rules import EPISODES, Episode, Rules
from gin_env.errors import PlayerError

pytestmark = pytest.mark.slow

PAIR = identify("easy"), identify("simple")

# A program that plays what comes first, and is killed by a hand of its own choice.
PROGRAM = """
import json, sys
for line in sys.stdin:
    said = json.loads(line)
    if said["type"] == "hello":
        print(json.dumps({"type": "hello", "name": "frail"}), flush=True)
    elif said["type"] == "your_move":
        if "As" in said["hand"]:
            sys.exit(3)
        print(json.dumps({"type": "move", "game": said["game"], "action": said["legal"][0]}),
              flush=True)
"""


def make_contest(episode: Episode = "hand", **others: Any) -> Contest:
    return Contest(rules=Rules(), episode=episode, **{"n_deals": 23, "n_games": 4, **others})


def ignore(n_ended: int) -> None:
    pass


@pytest.fixture(scope="module")
def two() -> Iterator[Workers]:
    with Workers(2) as workers:
        yield workers


def check_played(played: Iterable[Played], *asked: Any) -> list[Played]:
    """Check that these are the parts that one process plays (specs, contest, parts)."""
    specs, contest, parts = asked
    here = list(Entrants(specs).play_parts(contest, parts, ignore))
    for ours, theirs in zip(here, played, strict=True):
        assert ours.hands.tobytes() == theirs.hands.tobytes()
        assert ours.matches.tobytes() == theirs.matches.tobytes()
        assert ours.verdicts == theirs.verdicts
    return here


@pytest.mark.parametrize("episode", EPISODES)
def test_workers_play_the_same_games_in_the_same_order(two: Workers, episode: Episode) -> None:
    contest = make_contest(episode)
    asked = (PAIR, contest, range(contest.n_parts))
    ended: list[int] = []
    check_played(two.play(*asked, ended.append), *asked)
    assert sum(ended) == 46
    with Workers(3) as three:
        check_played(three.play(*asked, ignore), *asked)


def test_workers_play_the_parts_that_are_asked_for(two: Workers) -> None:
    asked = (PAIR, make_contest(), [4, 1, 5])
    check_played(two.play(*asked, ignore), *asked)


def test_workers_that_are_not_heard_out_play_on_with_others(two: Workers) -> None:
    contest = make_contest()
    first = next(two.play(PAIR, contest, range(contest.n_parts), ignore))
    asked = ((PAIR[1], PAIR[0]), contest, range(contest.n_parts))
    check_played(two.play(*asked, ignore), *asked)
    check_played([first], PAIR, contest, [0])


def test_workers_play_programs_that_fail_like_one_process(two: Workers, tmp_path: Path) -> None:
    script = tmp_path / "frail.py"
    script.write_text(PROGRAM)
    pair = identify(f"program:{sys.executable} {script}"), identify("greedy")
    asked = (pair, make_contest(n_deals=6, n_games=2), range(3))
    here = check_played(two.play(*asked, ignore), *asked)
    assert any(played.verdicts[0] for played in here)


def test_workers_say_what_is_wrong_with_a_player(two: Workers) -> None:
    changed: PlayerSpec = {**PAIR[0], "options": {}}
    with pytest.raises(PlayerError, match="'easy' has changed"):
        list(two.play((changed, PAIR[1]), make_contest(), range(3), ignore))
    # They go on after that.
    assert len(list(two.play(PAIR, make_contest(), range(3), ignore))) == 3


def test_workers_error_comes_in_its_turn(two: Workers) -> None:
    played = two.play(PAIR, make_contest(seed=-1), range(2), ignore)
    with pytest.raises(ValueError, match="seed"):
        next(played)


def test_workers_failure_has_its_traceback(two: Workers) -> None:
    broken = Contest(rules=Rules(), n_deals="8")  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match=r"Traceback[\s\S]*TypeError"):
        list(two.play(PAIR, broken, [0], ignore))


def test_workers_death_is_named() -> None:
    slow = make_contest(n_deals=100_000, n_games=50_000)
    with Workers(2) as workers:
        list(workers.play(PAIR, make_contest(), [0], ignore))
        victim = workers._processes[0]
        assert victim.pid is not None
        played = workers.play(PAIR, slow, range(2), ignore)
        os.kill(victim.pid, signal.SIGKILL)
        with pytest.raises(EvalError, match="a worker died"):
            list(played)


def is_running(pid: int) -> bool:
    """Whether a process runs; one that has ended and is not yet waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc")
@pytest.mark.parametrize("signal_number", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_with_their_parent(signal_number: int) -> None:
    code = (
        "from eval.experiment.workers import Workers\n"
        "from tests.eval.experiment.test_workers import *\n"
        "if __name__ == '__main__':\n"
        "    contest = make_contest(n_deals=10**7, n_games=10**6)\n"
        "    with Workers(2) as workers:\n"
        "        list(workers.play(PAIR, make_contest(), [0], ignore))\n"
        "        print(*(process.pid for process in workers._processes), flush=True)\n"
        "        list(workers.play(PAIR, contest, range(10), ignore))\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    with parent:
        assert parent.stdout is not None
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        assert len(pids) == 2
        assert all(map(is_running, pids))
        parent.send_signal(signal_number)
        parent.wait()
        deadline = time.monotonic() + 10
        while any(map(is_running, pids)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not any(map(is_running, pids))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc")
def test_workers_end_the_programs_that_they_have_started(tmp_path: Path) -> None:
    script, file = tmp_path / "stayer.py", tmp_path / "pid"
    stay = f"import os, time\nopen({str(file)!r}, 'w').write(str(os.getpid()))\n"
    script.write_text(stay + PROGRAM.replace("sys.exit(3)", "pass") + "time.sleep(600)\n")
    pair = identify(f"program:{sys.executable} {script}"), identify("greedy")
    with Workers(1) as workers:
        (played,) = workers.play(pair, make_contest(), [0], ignore)
        pid = int(file.read_text())
        assert is_running(pid)
    assert played.verdicts == ({}, {})
    assert not is_running(pid)


def test_workers_are_not_started_for_nothing() -> None:
    with Workers(2) as workers:
        assert list(workers.play(PAIR, make_contest(), [], ignore)) == []
        assert workers._processes == []
