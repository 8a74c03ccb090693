"""Matches for tests: known hands, and what is saved of a match."""

import json
from pathlib import Path
from typing import Any

from gin_env import Game, Rules
from gin_env.play.saved import Saved, read_match

MINE, THEIRS = "As 2s 3s 7h 7d 7c 8c 9c Tc Kd", "4s 5s 6s 2h 3h 4d 5d 8d Jd Qd"
"""The person's ten cards, one of them loose, and the opponent's."""


def deal(
    upcard: str, *moves: str, rules: str | Rules = "standard", mine: str = MINE, **more: Any
) -> Game:
    """Deal these hands, the person to act first, and play some moves."""
    game = Game.from_deal(rules, dealer=1, hands=[mine, THEIRS], upcard=upcard, **more)
    for move in moves:
        game.play(move)
    return game


def saved_match(file: Path) -> Saved:
    """What a file has saved."""
    found = read_match(file)
    assert found is not None
    return found


def change_save(file: Path, **fields: Any) -> None:
    """Write other fields into a saved match."""
    file.write_text(json.dumps(json.loads(file.read_text()) | fields))
