"""The screen, driven by keys."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from gin_env import Game, PlayerError
from gin_env.core.actions import DISCARD, DRAW
from gin_env.play.app import PlayApp
from gin_env.play.hint import ask_hard
from gin_env.play.opponent import HUMAN, Opponent
from gin_env.play.saved import write_match
from gin_env.play.session import Session
from gin_env.play.start import StartOptions
from gin_env.play.widgets import Choices, CommandLine, Dialog, HandCards, paint

MINE, THEIRS = "As 2s 3s 7h 7d 7c 8c 9c Tc Kd", "4s 5s 6s 2h 3h 4d 5d 8d Jd Qd"
Script = Callable[[PlayApp, Pilot[str]], Awaitable[None]]


def run(file: Path, script: Script) -> PlayApp:
    """Run the screen, of 80 columns and 24 lines, and a script of keys."""

    async def play() -> PlayApp:
        app = PlayApp(StartOptions(file))
        async with app.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda: app._session is not None and not app._is_thinking)
            await script(app, pilot)
        return app

    return asyncio.run(play())


async def until(pilot: Pilot[str], is_so: Callable[[], object]) -> None:
    for _ in range(400):
        await pilot.pause(0.02)
        if is_so():
            return
    raise AssertionError("waited in vain")


async def enter(pilot: Pilot[str], text: str) -> None:
    """Type a line."""
    await pilot.press(*("space" if letter == " " else letter for letter in text), "enter")
    await pilot.pause()


def shown(app: PlayApp) -> str:
    """All text on the screen."""
    size = app.size
    rows = app.screen._compositor.render_strips()
    return "\n".join(strip.text for strip in rows[: size.height])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A saved match: the person acts first, and the upcard makes gin."""
    game = Game.from_deal(dealer=1, hands=[MINE, THEIRS], upcard="Jc", episode="match", seed=1)
    opponent = Opponent("hard")
    opponent.begin(1)
    write_match(tmp_path / "match.json", game, opponent)
    return tmp_path / "match.json"


def test_arrow_keys_play_to_the_end_of_a_hand(file: Path) -> None:
    async def script(app: PlayApp, pilot: Pilot[str]) -> None:
        assert "▸ Take J♣" in shown(app)
        await pilot.press("enter")
        assert "gin!" in shown(app)
        while "Discard K♦" not in shown(app):
            await pilot.press("right")
        await pilot.press("down", "enter")
        text = shown(app)
        for part in ("You go gin", "[8♣ 9♣ T♣ J♣]", "25 for gin + 42 = 67", "Next hand"):
            assert part in text
        assert app._at_table().game.totals == (67, 0)
        await pilot.press("enter")
        assert "hand 2" in shown(app)
        await until(pilot, lambda: not app._is_thinking)

    run(file, script)


def test_typed_moves_and_what_is_not_possible(file: Path) -> None:
    async def script(app: PlayApp, pilot: Pilot[str]) -> None:
        await enter(pilot, "draw")
        assert "Take or pass the upcard first" in shown(app)
        await enter(pilot, "rubbish")
        assert "is no move" in shown(app)
        await enter(pilot, "take")
        await enter(pilot, "Jc")
        assert "J♣ was just taken and must be kept" in shown(app)
        await pilot.press("7", "h")
        assert "Discard 7♥" in shown(app)
        await pilot.press("backspace", "backspace")
        await enter(pilot, "knock Kd")
        assert "You go gin" in shown(app)

    run(file, script)


def test_click_touches_a_card_and_takes_a_choice(file: Path) -> None:
    async def script(app: PlayApp, pilot: Pilot[str]) -> None:
        await pilot.click(Choices, offset=(4, 0))
        assert app._at_table().game.phase.name == "DISCARD"
        await pilot.click(HandCards, offset=(2, 2))
        first = app._cards()[0]
        assert app._touched == first
        assert "leaves deadwood" in shown(app)

    run(file, script)


def test_hint_shows_hard_and_the_agent(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gin_env.play.app.ADVISERS", (ask_hard,))

    async def script(app: PlayApp, pilot: Pilot[str]) -> None:
        before = app._at_table().game.to_text()
        for key, leave in (("h", "escape"), ("question_mark", "enter")):
            await pilot.press(key)
            await until(pilot, lambda: "Hard would: Take J♣" in shown(app))
            await pilot.press(leave)
            await pilot.pause()
            assert app.is_running
            assert not isinstance(app.screen, Dialog)
        assert app._at_table().game.to_text() == before

    run(file, script)


def test_cancelled_change_of_opponent_changes_nothing(file: Path) -> None:
    before = file.read_bytes()

    async def script(app: PlayApp, pilot: Pilot[str]) -> None:
        opponent = app._at_table().opponent
        for leave in ("escape", "enter"):  # enter takes the present one
            await pilot.press("o")
            await until(pilot, lambda: isinstance(app.screen, Dialog))
            assert "hard (now)" in shown(app)
            if leave == "escape":
                await pilot.press("up", "up")
            await pilot.press(leave)
            await until(pilot, lambda: not isinstance(app.screen, Dialog))
            assert app._at_table().opponent is opponent

    run(file, script)
    assert file.read_bytes() == before


def test_changed_opponent_keeps_the_position(file: Path) -> None:
    async def script(app: PlayApp, pilot: Pilot[str]) -> None:
        before = app._at_table().game.to_text()
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, Dialog))
        await pilot.press("up", "enter")
        await until(pilot, lambda: app._at_table().opponent.who == "medium")
        assert app._at_table().game.to_text() == before
        assert "medium holds 10 cards" in shown(app)

    run(file, script)


def test_new_match_asks_first(file: Path) -> None:
    before = file.read_bytes()

    async def script(app: PlayApp, pilot: Pilot[str]) -> None:
        for leave in ("escape", "enter"):  # the first answer is no
            await enter(pilot, "new")
            await until(pilot, lambda: isinstance(app.screen, Dialog))
            assert "Give up this match?" in shown(app)
            await pilot.press(leave)
            await until(pilot, lambda: not isinstance(app.screen, Dialog))
            assert file.read_bytes() == before
        await enter(pilot, "new")
        await until(pilot, lambda: isinstance(app.screen, Dialog))
        await pilot.press("down", "enter")
        await until(pilot, lambda: file.read_bytes() != before)

    run(file, script)


def test_slow_opponent_leaves_the_screen_alive(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    may_answer, decide = threading.Event(), Opponent.decide

    def think(self: Opponent, game: Game) -> int:
        assert may_answer.wait(60)
        return decide(self, game)

    monkeypatch.setattr(Opponent, "decide", think)

    async def script(app: PlayApp, pilot: Pilot[str]) -> None:
        await enter(pilot, "pass")
        await until(pilot, lambda: "hard is thinking" in shown(app))
        await enter(pilot, "draw")
        assert "hard's turn" in shown(app)
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, Dialog))
        await pilot.press("escape")
        may_answer.set()
        await until(pilot, lambda: app._at_table().game.to_move == HUMAN)
        assert "thinking" not in shown(app)

    run(file, script)


def test_arrow_keys_do_nothing_while_the_opponent_is_thinking(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_answer, decide = threading.Event(), Opponent.decide

    def think(self: Opponent, game: Game) -> int:
        assert may_answer.wait(60)
        return decide(self, game)

    monkeypatch.setattr(Opponent, "decide", think)

    async def script(app: PlayApp, pilot: Pilot[str]) -> None:
        await enter(pilot, "take")
        await enter(pilot, "As")  # the card that is touched, and gone with that
        await until(pilot, lambda: "hard is thinking" in shown(app))
        await pilot.press("left", "right", "up", "down")
        await pilot.press("2", "s", "backspace", "backspace")
        assert "hard is thinking" in shown(app)
        may_answer.set()
        await until(pilot, lambda: app._at_table().game.to_move == HUMAN)

    run(file, script)


def test_answer_of_a_replaced_opponent_does_not_count(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_answer, decide = threading.Event(), Opponent.decide

    def think(self: Opponent, game: Game) -> int:
        if self.who == "hard":
            assert may_answer.wait(60)
            return -5
        return decide(self, game)

    monkeypatch.setattr(Opponent, "decide", think)

    async def script(app: PlayApp, pilot: Pilot[str]) -> None:
        await enter(pilot, "pass")
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, Dialog))
        await pilot.press("up", "enter")
        await until(pilot, lambda: app._at_table().game.to_move == HUMAN)
        may_answer.set()
        await pilot.pause(0.1)
        assert not app._failure
        assert app._at_table().opponent.who == "medium"

    run(file, script)


def test_failing_opponent_can_be_replaced(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    decide = Opponent.decide

    def fail(self: Opponent, game: Game) -> int:
        if self.who == "hard":
            raise PlayerError("it has gone home")
        return decide(self, game)

    monkeypatch.setattr(Opponent, "decide", fail)

    async def script(app: PlayApp, pilot: Pilot[str]) -> None:
        await enter(pilot, "pass")
        await until(pilot, lambda: "hard fails: it has gone home" in shown(app))
        await pilot.press("enter")
        await until(pilot, lambda: "▸ Ask again" in shown(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, Dialog))
        await pilot.press("up", "enter")
        await until(pilot, lambda: app._at_table().game.to_move == HUMAN)
        assert app._at_table().game.actions[0] != DISCARD

    run(file, script)


def test_every_action_is_saved(file: Path) -> None:
    async def script(app: PlayApp, pilot: Pilot[str]) -> None:
        await enter(pilot, "take")
        assert '"take"' in file.read_text()
        await enter(pilot, "As")
        await until(pilot, lambda: app._at_table().game.to_move == HUMAN)
        assert app._at_table().game.to_text().partition('"actions"')[2] in file.read_text() + "}"
        assert DRAW in app._at_table().game.legal_actions()

    run(file, script)


def test_small_window_says_so(file: Path) -> None:
    async def script(app: PlayApp, pilot: Pilot[str]) -> None:
        await pilot.resize_terminal(79, 24)
        await until(pilot, lambda: "Please make the window 80 × 24" in shown(app))
        await pilot.resize_terminal(100, 30)
        await until(pilot, lambda: "▸ Take J♣" in shown(app))

    run(file, script)


def test_unsaved_moves_are_said(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Session) -> None:
        self.unsaved = "the disk is full"

    async def script(app: PlayApp, pilot: Pilot[str]) -> None:
        monkeypatch.setattr(Session, "save", fail)
        await enter(pilot, "take")
        assert "Not saved: the disk is full" in shown(app)
        await pilot.press("ctrl+c")

    app = run(file, script)
    assert "the disk is full" in str(app.error)


@pytest.mark.parametrize(("key", "answer"), [("o", "leave"), ("o", "take"), ("h", "leave")])
def test_key_that_is_held_down_opens_and_answers_one_dialog(
    file: Path, key: str, answer: str
) -> None:
    async def script(app: PlayApp, pilot: Pilot[str]) -> None:
        for _ in range(3):
            app.on_command_line_called(CommandLine.Called(key))
        await until(pilot, lambda: isinstance(app.screen, Dialog))
        await pilot.pause(0.1)
        dialog = app.screen
        assert isinstance(dialog, Dialog)
        for _ in range(3):
            dialog.action_leave() if answer == "leave" else dialog.action_take()
        await until(pilot, lambda: not isinstance(app.screen, Dialog))
        await pilot.pause(0.1)
        assert len(app.screen_stack) == 1

    before = file.read_bytes()
    run(file, script)
    assert file.read_bytes() == before


def test_nothing_is_shown_that_a_terminal_would_obey() -> None:
    assert paint("\x1b[2J\x07a\nb\u202ec\ud800♥").plain == "?[2J?a\nb?c?♥"
