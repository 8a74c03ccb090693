"""The screen, driven by keys."""

import threading
from pathlib import Path

import pytest

from gin_env import Game, PlayerError
from gin_env.core.actions import DISCARD, DRAW
from gin_env.play.hint import ask_hard
from gin_env.play.opponent import Opponent
from gin_env.play.saved import write_match
from gin_env.play.session import Session
from gin_env.play.widgets import Choices, CommandLine, Dialog, HandCards, paint
from tests.play.matches import deal
from tests.play.screen import Screen, on_screen


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A saved match: the person acts first, and the upcard makes gin."""
    opponent = Opponent("hard")
    opponent.begin(1)
    write_match(tmp_path / "match.json", deal("Jc", episode="match", seed=1), opponent)
    return tmp_path / "match.json"


@pytest.fixture
def may_answer(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """What hard waits for before it answers."""
    event, decide = threading.Event(), Opponent.decide

    def think(self: Opponent, game: Game) -> int:
        assert self.who != "hard" or event.wait(60)
        return decide(self, game)

    monkeypatch.setattr(Opponent, "decide", think)
    return event


@on_screen
async def test_arrow_keys_play_to_the_end_of_a_hand(screen: Screen) -> None:
    assert "▸ Take J♣" in screen.text
    await screen.press("enter")
    assert "gin!" in screen.text
    while "Discard K♦" not in screen.text:
        await screen.press("right")
    await screen.press("down", "enter")
    for part in ("You go gin", "[8♣ 9♣ T♣ J♣]", "25 for gin + 42 = 67", "Next hand"):
        assert part in screen.text
    assert screen.session.game.totals == (67, 0)
    await screen.press("enter")
    assert "hand 2" in screen.text
    await screen.until(lambda: not screen.app._is_thinking)


@on_screen
async def test_typed_moves_and_what_is_not_possible(screen: Screen) -> None:
    for typed, said in (
        ("draw", "Take or pass the upcard first"),
        ("rubbish", "is no move"),
        ("take", "gin!"),
        ("Jc", "J♣ was just taken and must be kept"),
    ):
        await screen.enter(typed)
        assert said in screen.text
    await screen.press("7", "h")
    assert "Discard 7♥" in screen.text
    await screen.press("backspace", "backspace")
    await screen.enter("knock Kd")
    assert "You go gin" in screen.text


@on_screen
async def test_click_touches_a_card_and_takes_a_choice(screen: Screen) -> None:
    await screen.pilot.click(Choices, offset=(4, 0))
    assert screen.session.game.phase.name == "DISCARD"
    await screen.pilot.click(HandCards, offset=(2, 2))
    assert screen.app._touched == screen.app._cards()[0]
    assert "leaves deadwood" in screen.text


@on_screen
async def test_hint_shows_hard_and_the_agent(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gin_env.play.app.ADVISERS", (ask_hard,))
    before = screen.session.game.to_text()
    for key, leave in (("h", "escape"), ("question_mark", "enter")):
        await screen.press(key)
        await screen.see("Hard would: Take J♣")
        await screen.press(leave)
        await screen.pilot.pause()
        assert screen.app.is_running
        assert not isinstance(screen.app.screen, Dialog)
    assert screen.session.game.to_text() == before


@on_screen
async def test_cancelled_change_of_opponent_changes_nothing(screen: Screen, file: Path) -> None:
    before, opponent = file.read_bytes(), screen.session.opponent
    for keys in (("up", "up", "escape"), ("enter",)):  # enter takes the present one
        await screen.press("o")
        await screen.see_dialog()
        assert "hard (now)" in screen.text
        await screen.press(*keys)
        await screen.see_dialog(is_open=False)
        assert screen.session.opponent is opponent
    assert file.read_bytes() == before


@on_screen
async def test_changed_opponent_keeps_the_position(screen: Screen) -> None:
    before = screen.session.game.to_text()
    await screen.press("o")
    await screen.see_dialog()
    await screen.press("up", "enter")
    await screen.until(lambda: screen.session.opponent.who == "medium")
    assert screen.session.game.to_text() == before
    assert "medium holds 10 cards" in screen.text


@on_screen
async def test_new_match_asks_first(screen: Screen, file: Path) -> None:
    before = file.read_bytes()
    for leave in ("escape", "enter"):  # the first answer is no
        await screen.enter("new")
        await screen.see_dialog()
        assert "Give up this match?" in screen.text
        await screen.press(leave)
        await screen.see_dialog(is_open=False)
        assert file.read_bytes() == before
    await screen.enter("new")
    await screen.see_dialog()
    await screen.press("down", "enter")
    await screen.until(lambda: file.read_bytes() != before)


@on_screen
async def test_slow_opponent_leaves_the_screen_alive(
    screen: Screen, may_answer: threading.Event
) -> None:
    await screen.enter("pass")
    await screen.see("hard is thinking")
    await screen.enter("draw")
    assert "hard's turn" in screen.text
    await screen.press("o")
    await screen.see_dialog()
    await screen.press("escape")
    may_answer.set()
    await screen.see_own_turn()
    assert "thinking" not in screen.text


@on_screen
async def test_arrow_keys_do_nothing_while_the_opponent_is_thinking(
    screen: Screen, may_answer: threading.Event
) -> None:
    await screen.enter("take")
    await screen.enter("As")  # the card that is touched, and gone with that
    await screen.see("hard is thinking")
    await screen.press("left", "right", "up", "down")
    await screen.press("2", "s", "backspace", "backspace")
    assert "hard is thinking" in screen.text
    may_answer.set()
    await screen.see_own_turn()


@on_screen
async def test_answer_of_a_replaced_opponent_does_not_count(
    screen: Screen, may_answer: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    think = Opponent.decide

    def answer_what_is_illegal(self: Opponent, game: Game) -> int:
        return -5 if self.who == "hard" and may_answer.wait(60) else think(self, game)

    monkeypatch.setattr(Opponent, "decide", answer_what_is_illegal)
    await screen.enter("pass")
    await screen.press("o")
    await screen.see_dialog()
    await screen.press("up", "enter")
    await screen.see_own_turn()
    may_answer.set()
    await screen.pilot.pause(0.1)
    assert not screen.app._failure
    assert screen.session.opponent.who == "medium"


@on_screen
async def test_failing_opponent_can_be_replaced(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide = Opponent.decide

    def fail(self: Opponent, game: Game) -> int:
        if self.who == "hard":
            raise PlayerError("it has gone home")
        return decide(self, game)

    monkeypatch.setattr(Opponent, "decide", fail)
    await screen.enter("pass")
    await screen.see("hard fails: it has gone home")
    await screen.press("enter")
    await screen.see("▸ Ask again")
    await screen.press("down", "enter")
    await screen.see_dialog()
    await screen.press("up", "enter")
    await screen.see_own_turn()
    assert screen.session.game.actions[0] != DISCARD


@on_screen
async def test_every_action_is_saved(screen: Screen, file: Path) -> None:
    await screen.enter("take")
    assert '"take"' in file.read_text()
    await screen.enter("As")
    await screen.see_own_turn()
    game = screen.session.game
    assert game.to_text().partition('"actions"')[2] in file.read_text() + "}"
    assert DRAW in game.legal_actions()


@on_screen
async def test_small_window_says_so(screen: Screen) -> None:
    await screen.pilot.resize_terminal(79, 24)
    await screen.see("Please make the window 80 × 24")
    await screen.pilot.resize_terminal(100, 30)
    await screen.see("▸ Take J♣")


@on_screen
async def test_unsaved_moves_are_said(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Session) -> None:
        self.unsaved = "the disk is full"

    monkeypatch.setattr(Session, "save", fail)
    await screen.enter("take")
    assert "Not saved: the disk is full" in screen.text
    await screen.press("ctrl+c")
    assert "the disk is full" in str(screen.app.error)


@pytest.mark.parametrize(("key", "answer"), [("o", "leave"), ("o", "take"), ("h", "leave")])
@on_screen
async def test_key_that_is_held_down_opens_and_answers_one_dialog(
    screen: Screen, file: Path, key: str, answer: str
) -> None:
    before = file.read_bytes()
    for _ in range(3):
        screen.app.on_command_line_called(CommandLine.Called(key))
    await screen.see_dialog()
    await screen.pilot.pause(0.1)
    dialog = screen.app.screen
    assert isinstance(dialog, Dialog)
    for _ in range(3):
        dialog.action_leave() if answer == "leave" else dialog.action_take()
    await screen.see_dialog(is_open=False)
    await screen.pilot.pause(0.1)
    assert len(screen.app.screen_stack) == 1
    assert file.read_bytes() == before


def test_nothing_is_shown_that_a_terminal_would_obey() -> None:
    assert paint("\x1b[2J\x07a\nb\u202ec\ud800♥").plain == "?[2J?a\nb?c?♥"
