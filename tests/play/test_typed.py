"""What is typed, and what is said of moves that are not possible."""

import pytest

from gin_env import Game, IllegalActionError
from gin_env.core.actions import BIG_GIN, DISCARD, DRAW, KNOCK, N_ACTIONS, PASS, TAKE
from gin_env.core.cards import parse_card
from gin_env.play.opponent import HUMAN
from gin_env.play.typed import TypedCommand, read_typed, typed_card
from gin_env.play.why import why_not
from tests.play.matches import deal

SEVEN = parse_card("7s")
TEN = parse_card("Th")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("7s", DISCARD + SEVEN),
        ("7S", DISCARD + SEVEN),
        ("discard 7s", DISCARD + SEVEN),
        ("knock 7s", KNOCK + SEVEN),
        ("gin 7s", KNOCK + SEVEN),
        ("10h", DISCARD + TEN),
        ("knock 10h", KNOCK + TEN),
        ("knock", KNOCK + SEVEN),
        ("gin", KNOCK + SEVEN),
        (" Draw ", DRAW),
        ("take", TAKE),
        ("pass", PASS),
        ("big  gin", BIG_GIN),
        ("hint", TypedCommand.HINT),
        ("?", TypedCommand.HINT),
        ("opponent", TypedCommand.OPPONENT),
        ("next", TypedCommand.NEXT),
        ("new match", TypedCommand.NEW),
        ("quit", TypedCommand.QUIT),
    ],
)
def test_typed_line_is_read(typed: str, meant: int | TypedCommand) -> None:
    assert read_typed(typed, SEVEN) == meant


@pytest.mark.parametrize("typed", ["7x", "knock", "drop 7s", "7s 8s", "knock 7s 8s", "1s", "\0"])
def test_other_lines_are_named(typed: str) -> None:
    with pytest.raises(IllegalActionError, match="is no move: type a card"):
        read_typed(typed, None)


def test_card_is_found_while_it_is_typed() -> None:
    assert typed_card("knock 7s") == SEVEN
    assert typed_card("10h") == TEN
    assert typed_card("7") is None
    assert typed_card("") is None


def test_why_not_says_what_is_missing() -> None:
    game = deal("9d")
    assert why_not(DISCARD, game.view(HUMAN)) == "Take or pass the upcard first"
    assert why_not(DRAW, game.view(HUMAN)) == "Take or pass the upcard first"
    game.play("take")
    view = game.view(HUMAN)
    assert why_not(DRAW, view) == "You have drawn already: discard a card"
    assert why_not(DISCARD + parse_card("4s"), view) == "You do not hold 4♠"
    assert why_not(KNOCK + parse_card("9d"), view) == (
        "9♦ was just taken and must be kept in this turn"
    )
    assert why_not(KNOCK, view) == "Discarding A♠ leaves 24, and you may knock with 10 at most"
    game.play("knock Kd")
    assert why_not(DRAW, game.view(HUMAN)) == "The hand is over"


def test_every_move_that_is_not_legal_gets_a_line() -> None:
    game = Game.deal("standard", 3, dealer=1)
    while not game.is_over:
        view = game.view(HUMAN)
        for action in set(range(N_ACTIONS)) - set(game.legal_actions()):
            assert 0 < len(why_not(action, view)) <= 80
        game.play(game.legal_actions()[-1])
