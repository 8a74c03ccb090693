"""A program's process: it never holds us up, and nothing of it is left behind."""

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from gin_env.envs.gym_env import GinRummyEnv
from gin_env.players import ProgramPlayer
from gin_env.players.program.process import GRACE, MAX_LINE, MAX_WAITING, Process
from gin_env.values.messages import ProgramError
from tests import ROOT
from tests.players.program.host import is_alive, wait_for

ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"
STUBBORN = """
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
print(os.getpid(), flush=True)
while True:
    time.sleep(60)
"""


def count_files() -> int:
    """How many files this process has open."""
    return len(list(Path("/dev/fd").iterdir()))


def run(code: str, *arguments: str) -> Process:
    """Start a program of a few lines of Python."""
    return Process([sys.executable, "-c", code, *arguments])


def test_lines_go_in_and_come_out() -> None:
    process = run(ECHO)
    process.send(["one", "two"])
    assert [process.receive(10), process.receive(10)] == ["one", "two"]
    process.check_quiet()
    process.stop()


def test_program_that_does_not_read_holds_nobody_up() -> None:
    process = run(STUBBORN)
    began = time.monotonic()
    for _ in range(1_000):
        process.send(["x" * 1_000])
    assert time.monotonic() - began < 5
    process.receive(10)
    process.kill()


def test_program_that_never_ends_a_line_is_not_kept_in_memory() -> None:
    process = run("import os\nwhile True: os.write(1, b'x' * 4096)")
    with pytest.raises(ProgramError, match=f"a line of more than {MAX_LINE} bytes"):
        process.receive(10)
    process.kill()


def test_longest_line_is_read_and_a_longer_one_is_not() -> None:
    process = run("import sys\nfor n in sys.argv[1:]: print('x' * int(n))", str(MAX_LINE))
    assert len(process.receive(10)) == MAX_LINE
    process.kill()
    process = run("import sys\nfor n in sys.argv[1:]: print('x' * int(n))", str(MAX_LINE + 1))
    with pytest.raises(ProgramError, match="a line of more"):
        process.receive(10)
    process.kill()


def test_program_that_writes_on_and_on_is_read_no_further() -> None:
    process = run("while True: print('x')")
    assert wait_for(lambda: process._lines.qsize() > MAX_WAITING)
    assert wait_for(lambda: not process._threads[0].is_alive())
    assert process._lines.qsize() < 100_000
    process.kill()


def test_program_ends_by_itself_where_it_can(tmp_path: Path) -> None:
    code = "import sys\nlines = list(sys.stdin)\nopen(sys.argv[1], 'w').writelines(lines)"
    process = run(code, str(tmp_path / "heard"))
    process.stop(["bye"])
    assert (tmp_path / "heard").read_text() == "bye\n"
    assert process._popen.returncode == 0


def test_stubborn_program_is_killed_soon() -> None:
    process = run(STUBBORN)
    pid = int(process.receive(10))
    began = time.monotonic()
    process.stop()
    assert GRACE <= time.monotonic() - began < 5
    assert not is_alive(pid)
    assert process._popen.returncode == -signal.SIGKILL


def test_nothing_is_left_of_a_process_that_was_ended() -> None:
    gc.collect()
    n_threads, n_files = threading.active_count(), count_files()
    for end in (Process.stop, Process.kill):
        for code in (ECHO, STUBBORN, "", "while True: print('x')"):
            process = run(code)
            end(process)
            end(process)
            with pytest.raises(ChildProcessError):
                os.waitpid(process._popen.pid, os.WNOHANG)
    assert threading.active_count() == n_threads
    assert count_files() == n_files


def test_program_outside_its_group_does_not_hold_us_up() -> None:
    code = "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', sys.argv[1]], "
    code += "start_new_session=True)\nsys.stdin.read()"
    process = run(code, STUBBORN)
    pid = int(process.receive(10))
    began = time.monotonic()
    process.kill()
    assert time.monotonic() - began < 5
    os.kill(pid, signal.SIGKILL)


# --- However we end ---

SCRIPT = """
import os, sys, time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import Process, get_context
from gin_env.envs.gym_env import GinRummyEnv
from gin_env.players import ProgramPlayer

CODE = '''
import json, os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
open(sys.argv[1], "w").write(str(os.getpid()))
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "name": "stubborn"}), flush=True)
    elif message["type"] == "your_move" and "stall" not in sys.argv:
        action = message["ids"][0]
        print(json.dumps({"type": "move", "game": message["game"], "action": action}), flush=True)
while True:
    time.sleep(60)
'''

def begin(file, *arguments):
    command = [sys.executable, "-c", CODE, file, *arguments]
    env = GinRummyEnv(opponent=ProgramPlayer(command, move_limit=60.0), seat=0)
    env.reset(seed=1, options={"dealer": 0})
    return env

def work(file):
    env = begin(file)
    return int(open(file).read())
"""


def run_script(tmp_path: Path, code: str) -> subprocess.Popen[str]:
    """Start a Python of its own that lets a stubborn program sit down; its process id: `pid`."""
    script = tmp_path / "script.py"
    script.write_text(f"{SCRIPT}\nif __name__ == '__main__':\n    {code}\n")
    return subprocess.Popen(
        [sys.executable, str(script), str(tmp_path / "pid")],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def pid_in(tmp_path: Path) -> int:
    file = tmp_path / "pid"
    assert wait_for(lambda: file.exists() and file.read_text() != "", 60)
    return int(file.read_text())


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        "env = begin(sys.argv[1])",
        "env = begin(sys.argv[1]); 1 / 0",
        "env = begin(sys.argv[1]); sys.exit(3)",
        "env = begin(sys.argv[1]); del env; time.sleep(3)",
        "get_context('spawn').Pool(1).map(work, [sys.argv[1]])",
        "list(ProcessPoolExecutor(1).map(work, [sys.argv[1]]))",
        "p = Process(target=work, args=(sys.argv[1],)); p.start(); p.join()",
    ],
    ids=["end", "error", "exit", "forgotten", "pool", "executor", "child"],
)
def test_no_process_is_left_at_the_end_of_python(code: str, tmp_path: Path) -> None:
    script = run_script(tmp_path, code)
    pid = pid_in(tmp_path)
    script.communicate(timeout=60)
    assert wait_for(lambda: not is_alive(pid))


@pytest.mark.slow
def test_no_process_is_left_after_ctrl_c(tmp_path: Path) -> None:
    script = run_script(tmp_path, "begin(sys.argv[1], 'stall')")
    pid = pid_in(tmp_path)
    time.sleep(0.5)
    script.send_signal(signal.SIGINT)
    _, said = script.communicate(timeout=60)
    assert "KeyboardInterrupt" in said
    assert wait_for(lambda: not is_alive(pid))


def play_in_fork(env: GinRummyEnv, player: ProgramPlayer) -> None:
    """Play on with the copy of a player that a fork makes."""
    play_on(env)
    assert player._run is not None
    assert player._run.process.owner == os.getpid()


def play_on(env: GinRummyEnv) -> None:
    """Take the upcard and discard, so that the program is asked once more."""
    for _ in range(2):
        env.step(int(env.action_masks().argmax()))


def test_fork_leaves_the_process_to_the_parent() -> None:
    player = ProgramPlayer([sys.executable, str(ROOT / "examples" / "program_player.py")])
    env = GinRummyEnv(opponent=player, seat=0)
    env.reset(seed=1, options={"dealer": 0})
    run_before = player._run
    child = multiprocessing.get_context("fork").Process(target=play_in_fork, args=(env, player))
    child.start()
    child.join(60)
    assert child.exitcode == 0
    play_on(env)
    assert player._run is run_before is not None
    assert player.verdicts == []
    player.close()


def test_interrupted_question_is_not_answered_later(monkeypatch: pytest.MonkeyPatch) -> None:
    player = ProgramPlayer([sys.executable, str(ROOT / "examples" / "program_player.py")])
    env = GinRummyEnv(opponent=player, seat=0)

    def interrupt(process: Process, limit: float) -> str:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Process, "receive", interrupt)
        with pytest.raises(KeyboardInterrupt):
            env.reset(seed=1, options={"dealer": 0})
    assert player._run is None
    env.reset(seed=1, options={"dealer": 0})
    env.step(int(env.action_masks().argmax()))
    assert player.verdicts == []
    player.close()
