"""Tables live in the terminal: redrawn there, printed elsewhere; colours; pauses."""

import io
from types import SimpleNamespace

import pytest

import gin_env
from gin_env.core.actions import DRAW, PASS
from gin_env.envs.gym_env import GinRummyEnv
from gin_env.rendering import live_terminal
from gin_env.rendering.live_terminal import END_SECONDS, FPS, Screen, paint
from tests.rules import GIN, LEFT_WITH_6, knock

ESCAPE = "\x1b["


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Standard output as a terminal that takes its time from nobody."""
    out = Terminal()
    monkeypatch.setattr(live_terminal, "sys", SimpleNamespace(stdout=out))
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return out


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long each pause was, in a world where nothing else takes time."""
    taken: list[float] = []
    clock = SimpleNamespace(sleep=taken.append, monotonic=lambda: sum(taken))
    monkeypatch.setattr(live_terminal, "time", clock)
    return taken


def test_terminal_is_drawn_over(terminal: Terminal, pauses: list[float]) -> None:
    live = Screen()
    live.show("one\ntwo")
    first = terminal.getvalue()
    assert first.startswith(f"{ESCAPE}2J{ESCAPE}H")
    live.show("three")
    second = terminal.getvalue().removeprefix(first)
    assert second.startswith(f"{ESCAPE}H")
    assert f"{ESCAPE}2J" not in second
    assert second.endswith(f"{ESCAPE}K\n{ESCAPE}J")
    assert len(pauses) == 2


def test_terminal_is_given_time_to_read(terminal: Terminal, pauses: list[float]) -> None:
    live = Screen()
    for is_end in (False, False, True, False):
        live.show("table", is_end=is_end)
    assert pauses == [0, 1 / FPS, 1 / FPS, END_SECONDS]


@pytest.mark.parametrize(
    ("value", "is_coloured"), [(None, True), ("", True), ("1", False), ("0", False)]
)
def test_no_color_is_respected(
    value: str | None,
    is_coloured: bool,
    terminal: Terminal,
    pauses: list[float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if value is not None:
        monkeypatch.setenv("NO_COLOR", value)
    Screen().show("Pile       K♥ on top")
    assert (f"{ESCAPE}31mK♥{ESCAPE}0m" in terminal.getvalue()) == is_coloured
    assert (f"{ESCAPE}1mPile" in terminal.getvalue()) == is_coloured
    if not is_coloured:
        assert "m" not in terminal.getvalue().replace(" on top", "")


@pytest.mark.parametrize("kind", ["pipe", "dumb"])
def test_elsewhere_tables_are_printed_one_below_the_other(
    kind: str, monkeypatch: pytest.MonkeyPatch, pauses: list[float]
) -> None:
    out = Terminal() if kind == "dumb" else io.StringIO()
    monkeypatch.setattr(live_terminal, "sys", SimpleNamespace(stdout=out))
    monkeypatch.setenv("TERM", "dumb" if kind == "dumb" else "xterm")
    live = Screen()
    live.show("one ♥")
    live.show("two")
    assert out.getvalue() == "one ♥\n\ntwo\n\n"
    assert pauses == []


def test_paint_adds_colour_and_nothing_else() -> None:
    text = str(knock(GIN, LEFT_WITH_6))
    painted = paint(text)
    for code in ("31m", "1m", "0m"):
        painted = painted.replace(ESCAPE + code, "")
    assert painted == text
    assert paint("           laid off 4♠").count(ESCAPE) == 0


def test_aec_shows_the_end_of_every_hand_of_a_match(capsys: pytest.CaptureFixture[str]) -> None:
    env = gin_env.env(episode="match", render_mode="human", rules={"target": 100})
    env.reset(seed=7, options={"dealer": 1})
    env.step(DRAW)  # illegal in the offer: the hand is forfeited, and the next one dealt
    text = capsys.readouterr().out
    assert "player_0 forfeits the hand: 50 points to player_1" in text
    assert text.rstrip().split("\n\n")[-1].count("Result") == 0
    env.step(env.infos[env.agent_selection]["action_mask"].argmax())
    n_ends = 0
    for _ in range(400):
        if not env.agents or env.terminations[env.agent_selection]:
            break
        hands = int(env._game[0]["n_hands"])
        env.step(int(env.infos[env.agent_selection]["action_mask"].argmax()))
        n_ends += int(env._game[0]["n_hands"]) - hands
        shown = capsys.readouterr().out
        assert shown.count("Result     ") == int(env._game[0]["n_hands"]) - hands
    assert n_ends >= 1


def test_gymnasium_shows_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    env = GinRummyEnv(opponent="easy", seat=0, render_mode="human")
    env.reset(seed=3)
    assert capsys.readouterr().out.count("seen by player_0") == 1
    env.step(int(env.action_masks().argmax()))
    assert capsys.readouterr().out.count("seen by player_0") == 1
    assert env.render() is None
    assert env.metadata["render_fps"] > 0


def test_aec_prints_after_reset_and_step(capsys: pytest.CaptureFixture[str]) -> None:
    env = gin_env.env(render_mode="human", perspective="player_1")
    env.reset(seed=7, options={"dealer": 1})
    env.step(PASS)
    assert capsys.readouterr().out.count("seen by player_1") == 2
