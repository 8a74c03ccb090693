"""A first match to 50 in a real pseudo-terminal, interrupted twice."""

import re
from pathlib import Path

import pytest

from gin_env import Game, bots
from gin_env.core.actions import DISCARD, KNOCK, action_text
from gin_env.core.cards import parse_card
from gin_env.core.state import Phase
from gin_env.play.hint import choose_for
from gin_env.play.opponent import HUMAN, Opponent
from gin_env.play.session import Session
from tests.play.matches import saved_match
from tests.terminal import CARD, COLUMNS, CTRL_C, ENTER, ROWS, Terminal

SUIT_LETTERS = dict(zip("♠♥♦♣", "shdc", strict=True))
SEED = 11
MAX_ACTIONS = 400


def choose(game: Game) -> int:
    """Choose what the person in this test plays: what Medium would."""
    return choose_for(bots.make("medium"), game)


def type_move(action: int, number: int) -> str:
    """A move as a person would type it, now in one form, now in another."""
    if DISCARD <= action < KNOCK and number % 2:
        return action_text(action).removeprefix("discard ") + ENTER
    return action_text(action) + ENTER


def play_through(file: Path) -> list[str]:
    """The same match without a screen: the game after each action of the person."""
    session = Session.begin(file, Opponent("hard"), "browser_quick", "match", SEED)
    texts = []
    while True:
        while session.is_opponents_turn:
            session.play(session.opponent.decide(session.game))
        texts.append(session.game.to_text())
        if session.game.is_match_over:
            return texts
        if session.game.is_over:
            session.next_hand()
        else:
            session.play(choose(session.game))


def waits_for_person(file: Path, before: str) -> bool:
    """Whether the save has moved on, to where the person has to do something."""
    if not file.exists():
        return False
    game = saved_match(file).game
    return game.to_text() != before and (game.is_over or game.to_move == HUMAN)


def shown_cards(terminal: Terminal) -> set[int]:
    return {parse_card(rank + SUIT_LETTERS[suit]) for rank, suit in CARD.findall(terminal.text)}


def is_drawn(terminal: Terminal, game: Game) -> bool:
    """Whether the screen has come to where the game is."""
    wanted = {
        Phase.OFFER: "▸ Take",
        Phase.DRAW: "▸ Draw",
        Phase.DISCARD: "▸ Discard",
        Phase.OVER: "▸ Ne",  # Next hand, New match
    }
    own = {parse_card(card) for card in game.hand(HUMAN)}
    is_shown = game.is_over or own <= shown_cards(terminal)
    return is_shown and wanted[game.phase] in terminal.text


def check_screen(terminal: Terminal, game: Game) -> None:
    """Nothing hidden is to be seen, and nothing is cut."""
    assert [len(line) for line in terminal.lines] == [COLUMNS] * ROWS
    assert "…" not in terminal.text
    assert terminal.lines[-1].startswith("← → card")
    assert any("▸" in line for line in terminal.lines)
    if not game.is_over:
        unseen = int(game.view(HUMAN)["unseen"])
        assert not [card for card in shown_cards(terminal) if unseen >> card & 1]


def come_to(terminal: Terminal, file: Path, before: str) -> Game:
    """Wait until the person has something to do in a position other than the last one."""
    terminal.wait(lambda: waits_for_person(file, before), "the person's turn")
    game = saved_match(file).game
    see_game(terminal, game)
    return game


def see_game(terminal: Terminal, game: Game) -> None:
    """Wait until the screen shows a game as it is."""
    terminal.wait(lambda: is_drawn(terminal, game), "the screen")
    check_screen(terminal, game)


def interrupt(terminal: Terminal, number: int, file: Path) -> bool:
    """End the program before its time: twice in the match. Returns whether that was now."""
    if number == 7:
        terminal.type(CTRL_C)
        assert terminal.end() == 0
        assert str(file) in re.sub(r"\s", "", terminal.raw.decode(errors="replace"))
    elif number == 16:
        terminal.kill()
    return number in (7, 16)


@pytest.mark.slow
def test_first_match_to_50_interrupted_twice(tmp_path: Path) -> None:
    expected = play_through(tmp_path / "reference.json")
    file = tmp_path / "state" / "gin-env" / "match.json"
    command = ["play", "--opponent", "hard", "--rules", "browser_quick", "--seed", str(SEED)]
    environment = {"XDG_STATE_HOME": str(tmp_path / "state")}
    terminal = Terminal(command, environment)
    texts = [""]
    try:
        for number in range(MAX_ACTIONS):
            game = come_to(terminal, file, texts[-1])
            texts.append(game.to_text())
            if game.is_match_over:
                break
            if interrupt(terminal, number, file):
                assert saved_match(file).game.to_text() == texts[-1]
                terminal = Terminal(command, environment)
                see_game(terminal, game)
            terminal.type(ENTER if game.is_over else type_move(choose(game), number))
        assert "the match" in terminal.text
        terminal.type("quit" + ENTER)
        assert terminal.end() == 0
    finally:
        terminal.child.close(force=True)
    assert texts[1:] == expected
    assert len(expected) > 16
