"""The transcript of docs/protocol.md is what is said; the page and the example are true."""

import json
import re
import subprocess
import sys
from pathlib import Path

from gin_env.envs.gym_env import GinRummyEnv
from gin_env.players import ProgramPlayer
from gin_env.players.program.player import MAX_FUTILE, MOVE_LIMIT, START_LIMIT
from gin_env.players.program.process import GRACE, MAX_LINE
from gin_env.values import messages as protocol
from gin_env.values.messages import VerdictKind
from tests import ROOT
from tests.bots.outside import greedy_by_eye
from tests.players.program.host import EXAMPLE
from tests.values.test_messages import MAX_LENGTH

PAGE = ROOT / "docs" / "protocol.md"
SEED = 103


def written() -> list[str]:
    """The transcript of the page, line by line."""
    fence = re.compile(r"^```transcript\n(.*?)^```$", re.DOTALL | re.MULTILINE)
    (text,) = fence.findall(PAGE.read_text("utf-8"))
    return str(text).splitlines()


def spoken(file: Path) -> list[str]:
    """What is said in a hand with this seed."""
    player = ProgramPlayer(EXAMPLE, transcript=file)
    env = GinRummyEnv(opponent=player, seat=0)
    observation, info = env.reset(seed=SEED)
    is_over = False
    while not is_over:
        action = greedy_by_eye(observation, info["action_mask"])
        observation, _, is_over, _, info = env.step(action)
    player.close()
    return [line for line in file.read_text("utf-8").splitlines() if not line.startswith("#")]


def test_transcript_is_what_is_said(tmp_path: Path) -> None:
    assert written() == spoken(tmp_path / "transcript")


def test_transcript_shows_every_message_that_a_whole_hand_has() -> None:
    types = {json.loads(line[2:])["type"] for line in written()}
    assert types == {"hello", "rules", "deal", "move", "your_move", "result", "bye"}


def test_example_answers_the_transcript_by_itself() -> None:
    heard = "".join(line[2:] + "\n" for line in written() if line.startswith(">"))
    done = subprocess.run(EXAMPLE, input=heard, capture_output=True, text=True, check=True)
    said = [line[2:] for line in written() if line.startswith("<")]
    assert done.stdout.splitlines() == said


def test_example_needs_nothing_but_python() -> None:
    code = f"import runpy, sys; runpy.run_path({EXAMPLE[1]!r}); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    assert {"numpy", "gin_env"}.isdisjoint(done.stdout.split())


def test_page_names_every_message_verdict_and_limit() -> None:
    page = PAGE.read_text("utf-8")
    kinds = VerdictKind.__args__  # type: ignore[attr-defined]
    types = {json.loads(line[2:])["type"] for line in written() if line.startswith(">")}
    for name in (*kinds, *types, "abandoned"):
        assert f"| `{name}` |" in page, name
    for name in json.loads(written()[-2][2:]) | json.loads(written()[3][2:]):
        assert f"`{name}`" in page, name
    assert f"{MAX_LINE:,} bytes" in page
    assert f"({MOVE_LIMIT:g} seconds" in page
    assert f"({START_LIMIT:g} seconds" in page
    for limit, wanted, said in (
        (GRACE, 0.5, "half a second later it is killed"),
        (MAX_FUTILE, 3, "three starts in succession"),
        (protocol.VERSION, 1, "This is version 1."),
        (protocol.MAX_NAME, 80, "a name of 1 to 80 characters"),
        (MAX_LENGTH, 8192, "at most\n8,192 bytes long"),
    ):
        assert limit == wanted
        assert said in page
