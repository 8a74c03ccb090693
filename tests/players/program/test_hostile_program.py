"""Programs that misbehave: each loses the hand in question by its verdict, and the rest goes on."""

import time
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

from gin_env.envs.gym_env import GinRummyEnv
from gin_env.errors import PlayerError
from gin_env.players import ProgramPlayer
from gin_env.players.program.player import MAX_FUTILE, MAX_TEXT
from tests.players.program.host import forfeited, hostile, is_alive, messages, play, wait_for

RUBBISH = {
    "text": "^sent a line that is no JSON: 'thinking ...'$",
    "empty": "^sent a line that is no JSON: ''$",
    "list": "^sent a line that is no JSON object: '",
    "number": "^sent a line that is no JSON object: '5'$",
    "deep": r"^sent a line that is no JSON: '\[+'\.\.\.$",
    "digits": "^sent a line that is no JSON: '",
    "latin": r"^sent a line that is no UTF-8: b'.*\\xe4\\xff\"}'$",
    "type": "^sent a message that is not of type 'move': '",
    "no type": "^sent a message that is not of type 'move': '",
    "other game": "^sent an answer for another game than [0-9]+: '",
    "true game": "^sent an answer for another game than [0-9]+: '",
    "no action": "^sent a move without an action's id or text: '",
    "true action": "^sent a move without an action's id or text: '",
    "float action": "^sent a move without an action's id or text: '",
    "list action": "^sent a move without an action's id or text: '",
    "huge": "^sent a line of more than 65536 bytes$",
    "babble": "^sent a line of more than 65536 bytes$",
    "flood": "^sent a line without being asked: '",
    "twice": "^sent a line without being asked: '",
    "chatter": "^sent a line without being asked: 'by the way'$",
}
ILLEGAL = {
    "illegal": "^'big gin' is not legal in the [a-z]+ phase$",
    "illegal id": "^'big gin' is not legal in the [a-z]+ phase$",
    "no such action": r"^'fold \\x1b\[2J' is no action: write ",
    "no such id": "^-1 is no action: ids lie between 0 and 107",
}
STALLED = {
    "silent": "^gave no answer within 0.3 s; does it flush its output",
    "stubborn": "^gave no answer within 0.3 s",
    "close input": "^gave no answer within 0.3 s",
}
DIED = {
    "exit": "^ended with exit code 0$",
    "die": "^ended with exit code 1; last on stderr: '.*ZeroDivisionError: mine'$",
    "killed": "^was killed by signal 9$",
    "close output": "^closed its output$",
}
CASES = [
    *(("rubbish", behaviour, said) for behaviour, said in RUBBISH.items()),
    *(("illegal", behaviour, said) for behaviour, said in ILLEGAL.items()),
    *(("stalled", behaviour, said) for behaviour, said in STALLED.items()),
    *(("died", behaviour, said) for behaviour, said in DIED.items()),
]


@pytest.mark.parametrize(("kind", "behaviour", "said"), CASES, ids=[case[1] for case in CASES])
def test_program_that_misbehaves_once_loses_one_hand(
    kind: str, behaviour: str, said: str, tmp_path: Path
) -> None:
    limit = 0.3 if kind == "stalled" else 5.0
    options = {"move_limit": limit, "transcript": tmp_path / "transcript"}
    player = hostile(behaviour, 8, tmp_path / "done", **options)
    played = play(player)
    assert len(played.hands) == 6
    assert forfeited(played) == [-50]
    ((row, verdict, text),) = player.verdicts
    assert (row in range(3), verdict) == (True, kind)
    assert len(text) <= MAX_TEXT
    assert text.isprintable()
    with pytest.raises(AssertionError, match=said):
        raise AssertionError(text)
    n_starts = sum(m["type"] == "hello" for m in messages(tmp_path / "transcript"))
    assert n_starts == (1 if kind == "illegal" else 2)


def test_program_may_say_on_stderr_what_it_likes(tmp_path: Path) -> None:
    player = hostile("stderr", 8, tmp_path / "done")
    assert forfeited(play(player)) == []
    assert (tmp_path / "done").exists()


@pytest.mark.parametrize("behaviour", ["text", "die", "illegal"])
def test_program_that_misbehaves_on_and_on_ends_the_evaluation_all_the_same(behaviour: str) -> None:
    player = hostile(behaviour, 2)
    played = play(player, 8)
    assert len(played.hands) == 16
    assert len(forfeited(played)) == len(player.verdicts) > 1
    assert {*forfeited(played)} == {-50}


NOT_STARTED = {
    "exit": "^no proper hello: ended with exit code 0$",
    "die": "^no proper hello: ended with exit code 1; last on stderr: '.*ZeroDivisionError: mine'$",
    "silent": "^no proper hello: gave no answer within 0.3 s; does it flush its output",
    "text": "^no proper hello: sent a line that is no JSON: 'thinking ...'$",
    "babble": "^no proper hello: sent a line of more than 65536 bytes$",
    "version": "^no proper hello: speaks version '2' of the protocol, not 1$",
    "no name": "^no proper hello: sent a hello without a name of 1 to 80 characters: '",
    "long name": "^no proper hello: sent a hello without a name of 1 to 80 characters: '",
    "odd name": "^no proper hello: sent a hello without a name of 1 to 80 characters: '",
    "close output": "^no proper hello: closed its output$",
}


@pytest.mark.parametrize(("behaviour", "said"), NOT_STARTED.items(), ids=list(NOT_STARTED))
def test_program_that_does_not_start_forfeits_everything_quickly(behaviour: str, said: str) -> None:
    limit = 0.3 if behaviour == "silent" else 10.0
    player = hostile(behaviour, 0, start_limit=limit)
    began = time.monotonic()
    played = play(player, 200)
    assert time.monotonic() - began < 8
    assert forfeited(played) == [-50] * 400
    kinds = [verdict.kind for verdict in player.verdicts]
    assert kinds == ["not started"] * MAX_FUTILE + ["given up"] * (400 - MAX_FUTILE)
    with pytest.raises(AssertionError, match=said):
        raise AssertionError(player.verdicts[0].text)
    last = player.verdicts[-1].text
    assert last == f"given up after {MAX_FUTILE} vain starts: {player.verdicts[0].text}"


def test_program_that_never_answers_is_given_up() -> None:
    player = hostile("silent", 1, move_limit=0.2)
    assert forfeited(play(player, 50)) == [-50] * 100
    kinds = [verdict.kind for verdict in player.verdicts]
    assert kinds == ["stalled"] * MAX_FUTILE + ["given up"] * (100 - MAX_FUTILE)


def test_program_that_vanishes_after_it_was_found_does_not_start(tmp_path: Path) -> None:
    file = tmp_path / "player"
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    player = ProgramPlayer([str(file)])
    file.unlink()
    assert forfeited(play(player)) == [-50] * 6
    assert player.verdicts[0].kind == "not started"
    assert player.verdicts[0].text.startswith("cannot be started: ")


def test_program_is_killed_with_its_children(tmp_path: Path) -> None:
    player = hostile(
        "leave child", 4, tmp_path / "done", move_limit=1.0, more=[str(tmp_path / "child")]
    )
    assert forfeited(play(player)) == [-50]
    child = int((tmp_path / "child").read_text())
    assert wait_for(lambda: not is_alive(child))


# --- The Gym faces stay loud ---


@pytest.mark.parametrize(("behaviour", "said"), [("illegal", "big gin"), ("die", "exit code 1")])
def test_gym_names_a_program_that_misbehaves_and_its_verdict(behaviour: str, said: str) -> None:
    player = hostile(behaviour, 2, name="villain")
    env = GinRummyEnv(opponent=player, seat=0)
    env.reset(seed=7, options={"dealer": 1})
    with pytest.raises(PlayerError, match=f"^villain: .*{said}"):
        play_on(env)
    assert not env.action_masks().any()
    assert len(player.verdicts) == 1
    with pytest.raises(PlayerError, match="reset all games first"):
        env.step(0)
    env.reset(seed=7)
    env.step(int(env.action_masks().argmax()))
    player.close()


def play_on(env: GinRummyEnv) -> None:
    for _ in range(20):
        env.step(int(env.action_masks().argmax()))


def test_vector_env_names_a_program_that_misbehaves_and_its_verdict() -> None:
    player = hostile("text", 9, name="villain")
    env = gym.make_vec("gin_env/GinRummy-v0", num_envs=8, opponent=player)
    _, infos = env.reset(seed=7)

    def play_on(masks: np.ndarray) -> None:
        for _ in range(20):
            masks = env.step(masks.argmax(1))[4]["action_mask"]

    with pytest.raises(PlayerError, match=r"^villain: sent a line that is no JSON"):
        play_on(infos["action_mask"])
    player.close()
