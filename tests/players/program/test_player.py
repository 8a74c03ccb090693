"""A program as a player: what it is told and when, copies, and the ends of its process."""

import json
import os
import pickle
import subprocess
import sys
from collections import Counter
from copy import deepcopy
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from gin_env.core.actions import DRAW, KNOCK, action_text
from gin_env.core.match import play as play_action
from gin_env.core.match import play_forfeit
from gin_env.core.rules import PRESETS, Rules
from gin_env.core.state import Phase
from gin_env.envs.gym_env import GinRummyEnv
from gin_env.errors import GinError, OptionError, PlayerError
from gin_env.players import FORFEIT, Player, ProgramPlayer, Turn, Watcher, ask, resolve
from gin_env.players.program import player as player_module
from gin_env.values.result import read_result
from tests import ROOT
from tests.bots.outside import greedy_by_eye
from tests.core.policies import POLICIES
from tests.core.table import Table
from tests.core.test_no_leak import exchange
from tests.players.program.host import EXAMPLE, forfeited, hostile, messages, play, seeds

Message = dict[str, Any]


def segments(transcript: Path) -> list[list[Message]]:
    """The messages to each process in turn."""
    parts: list[list[Message]] = []
    for message in messages(transcript):
        if message["type"] == "hello":
            parts.append([])
        parts[-1].append(message)
    return parts


class Books:
    """What a program can keep of a hand by what it is told alone."""

    def __init__(self, deal: Message) -> None:
        self.hand, self.top = set(deal["hand"]), deal["upcard"]
        self.n_stock, self.n_passes = 31, 0

    def see(self, move: Message, rules: Message) -> None:
        """Enter a move."""
        verb, is_mine = move["action"].split()[0], move["who"] == "you"
        if verb == "draw":
            self.n_stock -= 1
            assert ("card" in move) == is_mine
        if verb == "take":
            assert move["card"] == self.top
        if verb in ("draw", "take") and is_mine:
            self.hand.add(move["card"])
        if verb in ("discard", "knock"):
            self.top = move["card"]
            if is_mine:
                self.hand.remove(move["card"])
        self.n_passes += verb == "pass"
        if self.n_passes == 2 and rules["declined_upcard"] == "removed" and verb == "pass":
            self.top = None

    def check(self, question: Message) -> None:
        """Compare with a question."""
        assert set(question["hand"]) == self.hand
        assert question["stock"] == self.n_stock
        if question["phase"] != "discard":
            assert question["top"] == self.top


def check_books(transcript: Path) -> Counter[str]:
    """Keep the books of every process by a transcript; how many messages of each type it holds."""
    seen = Counter[str]()
    for part in segments(transcript):
        books: dict[int, Books] = {}
        rules: Message = {}
        for message in part:
            kind, game = message["type"], message.get("game", 0)
            seen[kind] += 1
            if kind == "rules":
                rules = message["rules"]
            elif kind == "deal":
                assert game not in books
                books[game] = Books(message)
            elif kind == "move":
                books[game].see(message, rules)
            elif kind == "your_move":
                books[game].check(message)
            elif kind in ("result", "abandoned"):
                del books[game]
    return seen


# --- What it is told ---


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_program_can_keep_the_books_by_what_it_is_told(
    example: ProgramPlayer, preset: str, transcript: Path
) -> None:
    n_hands = len(play(example, 4, episode="match", rules=preset, against="simple").hands)
    seen = check_books(transcript)
    assert example.verdicts == []
    assert n_hands - 4 <= seen["deal"] == seen["result"] <= n_hands
    assert seen["hello"] == seen["rules"] == seen["bye"] == 1


@pytest.mark.parametrize("behaviour", ["die", "text"])
def test_program_that_is_started_anew_is_told_of_the_hands_being_played(
    behaviour: str, tmp_path: Path
) -> None:
    transcript = tmp_path / "transcript"
    player = hostile(behaviour, 40, tmp_path / "done", transcript=transcript)
    played = play(player, 6)
    assert forfeited(played) == [-50]
    assert len(segments(transcript)) == 2
    seen = check_books(transcript)
    first = {m["game"] for m in segments(transcript)[0] if m["type"] == "deal"}
    again = {m["game"] for m in segments(transcript)[1] if m["type"] == "deal"}
    assert len(first & again) > 2
    assert seen["result"] == len(played.hands) - 1  # the one that it forfeited, it never heard of
    untroubled = hostile("text", 1, __file__)
    assert forfeited(play(untroubled, 6)) == []


def test_program_hears_every_move_of_both_seats(tmp_path: Path) -> None:
    class Recorder(ProgramPlayer):
        played: list[tuple[int, int]] = []  # noqa: RUF012

        def see_moves(self, rows: np.ndarray, seat: int, actions: np.ndarray) -> None:
            self.played += zip(rows.tolist(), actions.tolist(), strict=True)
            super().see_moves(rows, seat, actions)

    player = Recorder(EXAMPLE, transcript=tmp_path / "transcript")
    env = gym.make_vec("gin_env/GinRummy-v0", num_envs=3, opponent=player, seat=0)
    observations, infos = env.reset(seed=5)
    for _ in range(120):
        answers = map(greedy_by_eye, observations, infos["action_mask"])
        observations, _, _, _, infos = env.step(np.array(list(answers), np.int64))
    told = Counter(m["action"] for m in messages(tmp_path / "transcript") if m["type"] == "move")
    played = Counter(action_text(action) for _, action in player.played)
    missing = played - told
    assert sum(told.values()) > 500
    assert not told - played
    assert sum(missing.values()) < 3 * 60  # of hands that have not ended, or ended at once
    player.close()


def test_program_knows_its_own_moves_from_the_other_s(
    example: ProgramPlayer, transcript: Path
) -> None:
    play(example, 5)
    answered = Counter(m["action"] for m in messages(transcript, "<")[1:])
    moves = [m for m in messages(transcript) if m["type"] == "move"]
    assert Counter(m["action"] for m in moves if m["who"] == "you") == answered
    assert len(moves) > 1.7 * sum(answered.values())


def test_program_is_told_the_result_from_its_seat(example: ProgramPlayer, transcript: Path) -> None:
    played = play(example, 10)
    results = [m for m in messages(transcript) if m["type"] == "result"]
    assert sorted(m["points"] for m in results) == sorted(played.hands["points"].tolist())
    for message in results:
        if message["points"]:
            assert message["winner"] == ("you" if message["points"] > 0 else "opponent")


def test_program_is_told_other_rules_once_they_change(
    example: ProgramPlayer, transcript: Path
) -> None:
    for opponent_rules, episode in (("standard", "hand"), ("standard", "match"), ("home", "match")):
        env = GinRummyEnv(opponent=example, rules=opponent_rules, episode=episode)  # type: ignore[arg-type]
        for seed in range(3):
            play_episode(env, seed)
    told = [m for m in messages(transcript) if m["type"] == "rules"]
    assert [(m["episode"], m["rules"]["opening"]) for m in told] == [
        ("hand", "offer"),
        ("match", "offer"),
        ("match", "draw"),
    ]


def play_episode(env: GinRummyEnv, seed: int | None) -> float:
    """Play an episode greedily. Returns what it paid."""
    observation, info = env.reset(seed=seed)
    paid, is_over = 0.0, False
    while not is_over:
        action = greedy_by_eye(observation, info["action_mask"])
        observation, reward, is_over, _, info = env.step(action)
        paid += reward
    return paid


@pytest.mark.parametrize("seed", [None, 9])
def test_program_is_told_that_a_hand_is_abandoned(
    example: ProgramPlayer, seed: int | None, transcript: Path
) -> None:
    env = GinRummyEnv(opponent=example, seat=1)
    env.reset(seed=3, options={"dealer": 1})
    env.step(int(env.action_masks().argmax()))
    env.reset(seed=seed, options={"dealer": 1})
    seen = check_books(transcript)
    assert (seen["deal"], seen["abandoned"], seen["result"]) == (2, 1, 0)


def test_program_is_not_told_the_seeds(example: ProgramPlayer, transcript: Path) -> None:
    env = GinRummyEnv(opponent=example)
    play_episode(env, 9876543210123)
    assert "9876543210123" not in transcript.read_text()


def test_result_does_not_depend_on_how_many_games_are_played_at_once() -> None:
    one, many = (play(ProgramPlayer(EXAMPLE), 12, n_games=n) for n in (1, 512))
    assert one.hands.tobytes() == many.hands.tobytes()


# --- Nothing hidden ---


class Scripted:
    """In place of a process: answers that are known beforehand, and what was sent."""

    owner = None
    answers: list[int]
    lines: list[str]

    def __init__(self, command: object) -> None:
        self.owner = os.getpid()
        self.lines.clear()

    def send(self, lines: list[str]) -> None:
        self.lines.extend(lines)

    def receive(self, limit: float) -> str:
        question = json.loads(self.lines[-1])
        if question["type"] == "hello":
            return json.dumps({"type": "hello", "name": "scripted"})
        answer = {"type": "move", "game": question["game"], "action": self.answers.pop(0)}
        return json.dumps(answer)

    def check_quiet(self) -> None:
        """Nothing to check."""

    def stop(self, last_lines: object = ()) -> None:
        """Nothing to stop."""


def lines_of(table: Table, actions: list[int], seat: int, is_forfeited: bool) -> list[str]:
    """What a program at a seat is told of a hand that is dealt as a table and played so."""
    player = ProgramPlayer(EXAMPLE)
    player.reset(seeds(1), seat)
    played = Table(table.rules, "match")
    played.s["dealer"], played.s["totals"] = table.s["dealer"], table.s["totals"]
    played.lay(table.deal())
    rows = np.zeros(1, np.int64)
    mover = [int(played.s["to_move"])]
    Scripted.answers = []
    for action in actions:
        mover = [int(played.s["to_move"])]
        if mover == [seat]:
            Scripted.answers = [action]
            views = played.view(seat).reshape(1)
            turn = Turn(played.r, rows, views, np.zeros((1, 0)), played.mask(seat)[None])
            assert ask(player, turn).tolist() == [action]
        player.see_moves(rows, mover[0], np.array([action]))
        play_action(played.r, played.s, action)
    if is_forfeited and played.s["phase"] != Phase.OVER:
        player.see_moves(rows, int(played.s["to_move"]), np.array([FORFEIT]))
        play_forfeit(played.r, played.s, 50)
    end = read_result(played.r, played.s)
    if end is not None and end.knocker is None:
        player.see_ends(rows, [end])
    return list(Scripted.lines)


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["standard", "browser", "home", "oklahoma"])
def test_hidden_cards_change_nothing_that_a_program_is_told(
    preset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(player_module, "Process", Scripted)
    monkeypatch.setattr(Scripted, "lines", [], raising=False)
    rng, seen = Random(preset), Counter[str]()
    for number in range(60):
        table = Table.seeded(Rules.preset(preset), number, "match")
        policies = rng.choice(POLICIES), rng.choice(POLICIES)
        actions: list[int] = []
        while table.s["phase"] != Phase.OVER:
            action = policies[table.s["to_move"]](rng, table)
            if KNOCK <= action < DRAW or action > DRAW + 2:  # a knock shows the hands
                break
            actions.append(action)
            play_action(table.r, table.s, action)
        for seat in (0, 1):
            other = exchange(table, seat, rng)
            told = lines_of(table, actions, seat, is_forfeited=True)
            assert lines_of(other, actions, seat, is_forfeited=True) == told
            seen["lines"] += len(told)
            seen["results"] += '"result"' in "".join(told)
            seen["differ"] += other.deal() != table.deal()
            theirs = lines_of(table, actions, 1 - seat, is_forfeited=True)
            seen["for the other"] += lines_of(other, actions, 1 - seat, is_forfeited=True) != theirs
    assert seen["differ"] == 120
    assert seen["lines"] > 3_000
    assert seen["results"] > 60
    assert seen["for the other"] > 60


# --- Who sits down ---


def test_program_is_a_player_and_a_watcher(example: ProgramPlayer) -> None:
    assert isinstance(example, Player)
    assert isinstance(example, Watcher)
    assert resolve(example) is example
    assert (example.extras, example.may_forfeit, example.program_name) == ((), True, None)


def test_program_is_named_by_its_command_unless_it_is_given_a_name() -> None:
    assert ProgramPlayer(f"'{sys.executable}' 'my player.py'").name.endswith(" 'my player.py'")
    assert ProgramPlayer(EXAMPLE, name="mine").name == "mine"


def test_program_says_its_own_name(example: ProgramPlayer) -> None:
    play(example, 1)
    assert example.program_name == "Example"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("", "a program needs a command, such as "),
        ([], "a program needs a command, such as "),
        ("python3 'my", '"python3 \'my" is no command: No closing quotation'),
        ("no-such-program --fast", "there is no program 'no-such-program' to run"),
        ("./no/such/program", "there is no program './no/such/program' to run"),
    ],
)
def test_program_that_there_is_not_is_named(command: Any, said: str) -> None:
    with pytest.raises(PlayerError, match=f"^{said}"):
        ProgramPlayer(command)
    if isinstance(command, str):
        with pytest.raises(PlayerError, match=f"^{said}"):
            resolve(f"program:{command}")


@pytest.mark.parametrize("limit", [0, -1, float("nan"), float("inf"), 86_401, "5", None, True])
@pytest.mark.parametrize("name", ["move_limit", "start_limit"])
def test_limits_out_of_range_are_named(name: str, limit: Any) -> None:
    with pytest.raises(OptionError, match=f"^{name} must be more than 0 and at most 86400 s, not "):
        ProgramPlayer(EXAMPLE, **{name: limit})


def test_program_sits_down_by_its_command_line() -> None:
    text = f"program:'{EXAMPLE[0]}' '{EXAMPLE[1]}'"
    player = resolve(text)
    assert isinstance(player, ProgramPlayer)
    assert player.command == EXAMPLE
    env = gym.make("gin_env/GinRummy-v0", opponent=text)
    env.reset(seed=1)
    env.close()
    games = gym.make_vec("gin_env/GinRummy-v0", num_envs=4, opponent=text)
    games.reset(seed=1)
    games.close()


@pytest.mark.parametrize("make", [gym.make, partial(gym.make_vec, num_envs=4)])
def test_closing_an_environment_ends_the_program(
    example: ProgramPlayer, make: Any, transcript: Path
) -> None:
    env = make("gin_env/GinRummy-v0", opponent=example, seat=1)
    for seed in range(4):
        env.reset(seed=seed)
    env.close()
    assert "# ended: stopped" in transcript.read_text()


@pytest.mark.slow
def test_program_plays_from_the_command_line() -> None:
    command = [
        sys.executable,
        "-m",
        "eval",
        "match",
        "random",
        f"program:{EXAMPLE[0]} {EXAMPLE[1]}",
    ]
    done = subprocess.run(
        [*command, "--hands", "20"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "program_player.py" in "".join(done.stdout.split())


def test_example_plays_better_than_at_random() -> None:
    played = play(ProgramPlayer(EXAMPLE), 60, against="random")
    assert forfeited(played) == []
    assert played.hands["points"].mean() > 5


def test_program_whose_games_nobody_tells_of_says_so() -> None:
    player, table = ProgramPlayer(EXAMPLE), Table.seeded(Rules(), 1, dealer=1)
    views = table.view(0).reshape(1)
    turn = Turn(table.r, np.zeros(1, np.int64), views, np.zeros((1, 0)), table.mask(0)[None])
    ask(player, turn)
    with pytest.raises(PlayerError, match="has to call see_moves and see_ends"):
        ask(player, turn)
    player.close()


# --- Copies ---


@pytest.mark.parametrize("copy", [deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copy_goes_on_as_the_original_with_a_process_of_its_own(
    example: ProgramPlayer, copy: Any
) -> None:
    env = GinRummyEnv(opponent=example, episode="match", rules={"target": 40})
    env.reset(seed=11)
    for _ in range(5):
        env.step(int(env.action_masks().argmax()))
    other = copy(env)
    logs: list[list[tuple[float, bool]]] = [[], []]
    for each, log in zip((env, other), logs, strict=True):
        for _ in range(60):
            if not each.action_masks().any():
                break
            _, reward, is_over, _, _ = each.step(int(each.action_masks().argmax()))
            log.append((reward, is_over))
    assert logs[0] == logs[1]
    assert len(logs[0]) > 5
    assert other._table.players[1] is not example
    other._table.close()


def test_copies_of_a_player_share_nothing() -> None:
    player = ProgramPlayer(EXAMPLE, move_limit=2.0)
    play(player, 1)
    other = pickle.loads(pickle.dumps(player))
    assert (other.command, other.move_limit, other.name) == (player.command, 2.0, player.name)
    play(other, 1)
    assert player.verdicts == other.verdicts == []


def test_closed_program_starts_anew(example: ProgramPlayer) -> None:
    example.close()
    first, second = play(example), play(example)
    assert first.hands.tobytes() == second.hands.tobytes()


def test_errors_are_those_of_the_library() -> None:
    with pytest.raises(GinError):
        ProgramPlayer("")
