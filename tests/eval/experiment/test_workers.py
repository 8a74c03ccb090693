"""Worker processes: the same games whoever plays them, and no process left behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from eval.experiment.workers import WorkerError, Workers
from eval.games.arena import Contest, Played
from eval.games.entrants import Seat, Table, identify
from gin_env.core.rules import Episode, Rules
from gin_env.errors import PlayerError

pytestmark = pytest.mark.slow

SEATS = identify("easy"), identify("simple")

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


def make_contest(episode: Episode = "hand", n_deals: int = 23) -> Contest:
    return Contest(rules=Rules(), episode=episode, n_deals=n_deals, n_games=4)


def ignore(n_ended: int) -> None:
    pass


@pytest.fixture(scope="module")
def two() -> Iterator[Workers]:
    with Workers(2) as workers:
        yield workers


def check_same(ours: list[Played], theirs: list[Played]) -> None:
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        assert one.hands.tobytes() == other.hands.tobytes()
        assert one.matches.tobytes() == other.matches.tobytes()
        assert one.verdicts == other.verdicts


@pytest.mark.parametrize("episode", ["hand", "match"])
def test_workers_play_the_same_games_in_the_same_order(two: Workers, episode: Episode) -> None:
    contest = make_contest(episode)
    here = list(Table(SEATS).play_parts(contest, range(contest.n_parts), ignore))
    ended: list[int] = []
    check_same(list(two.play(SEATS, contest, range(contest.n_parts), ended.append)), here)
    assert sum(ended) == 46
    with Workers(3) as three:
        check_same(list(three.play(SEATS, contest, range(contest.n_parts), ignore)), here)


def test_workers_play_the_parts_that_are_asked_for(two: Workers) -> None:
    contest = make_contest()
    parts = [4, 1, 5]
    here = list(Table(SEATS).play_parts(contest, parts, ignore))
    check_same(list(two.play(SEATS, contest, parts, ignore)), here)


def test_workers_that_are_not_heard_out_play_on_with_others(two: Workers) -> None:
    contest = make_contest()
    first = next(two.play(SEATS, contest, range(contest.n_parts), ignore))
    others = (SEATS[1], SEATS[0])
    here = list(Table(others).play_parts(contest, range(contest.n_parts), ignore))
    check_same(list(two.play(others, contest, range(contest.n_parts), ignore)), here)
    check_same([first], list(Table(SEATS).play_parts(contest, [0], ignore)))


def test_workers_play_programs_that_fail_like_one_process(two: Workers, tmp_path: Path) -> None:
    script = tmp_path / "frail.py"
    script.write_text(PROGRAM)
    seats = identify(f"program:{sys.executable} {script}"), identify("greedy")
    contest = Contest(rules=Rules(), n_deals=6, n_games=2)
    here = list(Table(seats).play_parts(contest, range(3), ignore))
    assert any(played.verdicts[0] for played in here)
    check_same(list(two.play(seats, contest, range(3), ignore)), here)


def test_workers_say_what_is_wrong_with_a_player(two: Workers) -> None:
    changed: Seat = {**SEATS[0], "options": {}}
    with pytest.raises(PlayerError, match="'easy' has changed"):
        list(two.play((changed, SEATS[1]), make_contest(), range(3), ignore))
    # They go on after that.
    assert len(list(two.play(SEATS, make_contest(), range(3), ignore))) == 3


def test_workers_error_comes_in_its_turn(two: Workers) -> None:
    contest = Contest(rules=Rules(), n_deals=8, n_games=4, seed=-1)
    played = two.play(SEATS, contest, range(2), ignore)
    with pytest.raises(ValueError, match="seed"):
        next(played)


def test_workers_failure_has_its_traceback(two: Workers) -> None:
    broken = Contest(rules=None, n_deals=8)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match=r"Traceback[\s\S]*AttributeError"):
        list(two.play(SEATS, broken, [0], ignore))


def test_workers_death_is_named() -> None:
    slow = Contest(rules=Rules(), n_deals=100_000, n_games=50_000)
    with Workers(2) as workers:
        list(workers.play(SEATS, make_contest(), [0], ignore))
        victim = workers._processes[0]
        assert victim.pid is not None
        played = workers.play(SEATS, slow, range(2), lambda _: None)
        os.kill(victim.pid, signal.SIGKILL)
        with pytest.raises(WorkerError, match="a worker died"):
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
        "    contest = Contest(rules=Rules(), n_deals=10**7, n_games=10**6)\n"
        "    with Workers(2) as workers:\n"
        "        list(workers.play(SEATS, make_contest(), [0], ignore))\n"
        "        print(*(process.pid for process in workers._processes), flush=True)\n"
        "        list(workers.play(SEATS, contest, range(10), ignore))\n"
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
    seats = identify(f"program:{sys.executable} {script}"), identify("greedy")
    with Workers(1) as workers:
        (played,) = workers.play(seats, make_contest(), [0], ignore)
        pid = int(file.read_text())
        assert is_running(pid)
    assert played.verdicts == ({}, {})
    assert not is_running(pid)


def test_workers_are_not_started_for_nothing() -> None:
    with Workers(2) as workers:
        assert list(workers.play(SEATS, make_contest(), [], ignore)) == []
        assert workers._processes == []
