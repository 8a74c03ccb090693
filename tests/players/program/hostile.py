"""A program that plays its first legal action, and once misbehaves as its arguments say.

Arguments: how it misbehaves; at every how many questions of its process (0: when it is greeted);
and a file that it leaves behind, so that it does so only once, or "-" to do so every time.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Answer = dict[str, Any]


def say(message: object) -> None:
    """Write one message."""
    print(json.dumps(message), flush=True)


def write(data: bytes) -> None:
    """Write bytes as they are."""
    os.write(1, data)


def sleep() -> None:
    """Answer no more."""
    while True:
        time.sleep(60)


def die(answer: Answer) -> None:
    """Fail as Python programs do."""
    raise ZeroDivisionError("mine")


def be_stubborn(answer: Answer) -> None:
    """Answer no more, and take no hint."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sleep()


def babble(answer: Answer) -> None:
    """Write on and on, never a line."""
    while True:
        write(b"x" * 4096)


def close_output(answer: Answer) -> None:
    """Live on without a voice."""
    os.close(1)
    sleep()


def close_input(answer: Answer) -> None:
    """Hear no more, and wait."""
    os.close(0)
    sleep()


def leave_child(answer: Answer) -> None:
    """Stall, with a child of its own that holds the same pipes."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    Path(sys.argv[4]).write_text(str(child.pid))
    sleep()


def flood(answer: Answer) -> None:
    """The answer, many thousand times."""
    data = json.dumps(answer).encode() + b"\n"
    while True:
        write(data * 1000)


def twice(answer: Answer) -> None:
    """The answer, and at once the answer again."""
    write((json.dumps(answer) + "\n").encode() * 2)


def chatter(answer: Answer) -> None:
    """The answer, and then something else."""
    write(json.dumps(answer).encode() + b"\nby the way\n")


def deny_stderr(answer: Answer) -> None:
    """Fill the pipe of stderr many times over, and then answer."""
    os.write(2, b"so much to say\n" * 100_000)
    say(answer)


BEHAVIOURS: dict[str, Callable[[Answer], object]] = {
    "text": lambda _: print("thinking ...", flush=True),
    "empty": lambda _: print(flush=True),
    "list": lambda answer: say([answer]),
    "number": lambda _: say(5),
    "deep": lambda _: write(b"[" * 60_000 + b"\n"),
    "digits": lambda _: write(b'{"type": "move", "game": ' + b"9" * 5_000 + b"}\n"),
    "latin": lambda _: write(b'{"type": "\xe4\xff"}\n'),
    "type": lambda answer: say({**answer, "type": "mvoe"}),
    "no type": lambda answer: say({"game": answer["game"], "action": answer["action"]}),
    "other game": lambda answer: say({**answer, "game": answer["game"] + 1}),
    "true game": lambda answer: say({**answer, "game": True}),
    "no action": lambda answer: say({"type": "move", "game": answer["game"]}),
    "true action": lambda answer: say({**answer, "action": True}),
    "float action": lambda answer: say({**answer, "action": 104.0}),
    "list action": lambda answer: say({**answer, "action": ["draw"]}),
    "illegal": lambda answer: say({**answer, "action": "big gin"}),
    "illegal id": lambda answer: say({**answer, "action": 107}),
    "no such action": lambda answer: say({**answer, "action": "fold \x1b[2J"}),
    "no such id": lambda answer: say({**answer, "action": -1}),
    "huge": lambda answer: write(json.dumps({**answer, "x": "y" * 70_000}).encode() + b"\n"),
    "babble": babble,
    "flood": flood,
    "twice": twice,
    "chatter": chatter,
    "silent": lambda _: sleep(),
    "stubborn": be_stubborn,
    "close output": close_output,
    "close input": close_input,
    "exit": lambda _: sys.exit(0),
    "die": die,
    "killed": lambda _: os.kill(os.getpid(), signal.SIGKILL),
    "leave child": leave_child,
    "stderr": deny_stderr,
    "version": lambda _: say({"type": "hello", "name": "Old", "version": 2}),
    "no name": lambda _: say({"type": "hello"}),
    "long name": lambda _: say({"type": "hello", "name": "x" * 81}),
    "odd name": lambda _: say({"type": "hello", "name": "\x1b[2J"}),
}


def main() -> None:
    """Play, and misbehave when it is time."""
    behaviour, question, file = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    every, n_questions = question or 1, 0
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            answer: Answer = {"type": "hello", "name": "Hostile"}
        elif message["type"] == "your_move":
            n_questions += 1
            answer = {"type": "move", "game": message["game"], "action": message["ids"][0]}
        else:
            continue
        is_time = n_questions % every == 0 and (question == 0) == (n_questions == 0)
        if is_time and not (file != "-" and Path(file).exists()):
            if file != "-":
                Path(file).touch()
            BEHAVIOURS[behaviour](answer)
        else:
            say(answer)


if __name__ == "__main__":
    main()
