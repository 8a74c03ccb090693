"""A match goes on exactly as if it had never been interrupted."""

import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

from gin_env import PlayerError
from gin_env.errors import GinError
from gin_env.play.opponent import Opponent
from gin_env.play.session import Session
from tests import ROOT
from tests.play.matches import saved_match

PROGRAM = f"program:{shlex.join([sys.executable, str(ROOT / 'examples' / 'program_player.py')])}"
N_MOVES = 60


def begin(folder: Path, who: str) -> Session:
    """A new match."""
    return Session.begin(folder / "m.json", Opponent(who), "standard", seed=3)


def move(session: Session, rng: np.random.Generator) -> None:
    """One action of whoever is to move, or the next deal."""
    if session.game.is_over:
        session.next_hand()
    elif session.is_opponents_turn:
        session.play(session.opponent.decide(session.game))
    else:
        session.play(int(rng.choice(session.game.legal_actions())))


def reopen(session: Session) -> Session:
    """The match as another process finds it."""
    found = saved_match(session.file)
    session.opponent.close()
    return Session(found.game, found.seat(), session.file)


@pytest.mark.parametrize("who", ["random", "simple", "easy", "hard", "quick", PROGRAM])
def test_match_goes_on_exactly(tmp_path: Path, who: str) -> None:
    texts = []
    for is_interrupted in (False, True):
        rng = np.random.default_rng(7)
        session = begin(tmp_path, who)
        texts.append([session.game.to_text()])
        for number in range(N_MOVES):
            if is_interrupted and (number % 5 == 0 or who != PROGRAM):
                session = reopen(session)
            move(session, rng)
            texts[-1].append(session.game.to_text())
        session.opponent.close()
    assert texts[0] == texts[1]


def test_another_opponent_finds_the_same_position(tmp_path: Path) -> None:
    session = begin(tmp_path, "easy")
    for _ in range(9):
        move(session, np.random.default_rng(1))
    before = session.game.to_text()
    session.change_opponent(Opponent("hard"))
    assert session.game.to_text() == before
    found = saved_match(session.file)
    assert (found.who, found.game.to_text()) == ("hard", before)


def test_opponent_that_fails_may_be_asked_again(tmp_path: Path) -> None:
    session = begin(tmp_path, "program:false")
    while not session.is_opponents_turn:
        move(session, np.random.default_rng(1))
    before = session.game.to_text()
    for _ in range(2):
        with pytest.raises(PlayerError, match=r"^no proper hello"):
            session.opponent.decide(session.game)
    assert session.game.to_text() == before
    session.change_opponent(Opponent("medium"))
    move(session, np.random.default_rng(1))
    assert session.game.to_text() != before


def test_match_that_cannot_be_saved_goes_on_and_says_so(tmp_path: Path) -> None:
    session = begin(tmp_path, "easy")
    session.file = tmp_path / "m.json" / "below.json"
    session.play(session.game.legal_actions()[0])
    assert "cannot make" in session.unsaved
    session.file = tmp_path / "m.json"
    session.play(session.game.legal_actions()[0])
    assert not session.unsaved


def test_opponent_is_named_in_full_on_disk_and_short_on_the_screen(tmp_path: Path) -> None:
    opponent = Opponent(PROGRAM)
    assert opponent.who == PROGRAM
    assert len(opponent.name) == 20
    with pytest.raises(GinError, match="neither a bot"):
        Opponent("nobody")
