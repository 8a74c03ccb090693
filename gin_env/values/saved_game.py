"""A game as one line of JSON: the deal, where the match stood, and the actions since.

A reader plays the actions again, so a text that is accepted is a game that can be.
"""

import json
from dataclasses import dataclass
from typing import Any

from gin_env.core.actions import action_text, parse_action
from gin_env.core.rules import Episode, Rules
from gin_env.errors import FieldError, GameTextError, GinError
from gin_env.support.options import SEED_END
from gin_env.values.json_fields import (
    load_document,
    read_deck,
    read_episode,
    read_int,
    read_rules,
    read_standing,
    read_texts,
    write_deck,
    write_fields,
)

FORMAT = "gin_env game"
VERSION = 1
MAX_CHARS = 100_000
"""Longer texts are not read; a hand at the longest turn cap takes less."""

FIELDS = (
    "format",
    "version",
    "rules",
    "episode",
    "seed",
    "word",
    "dealer",
    "n_hands",
    "hands_won",
    "totals",
    "hands",
    "upcard",
    "stock",
    "actions",
)
"""In the order in which they are written; all of them must be there, and no others."""


@dataclass(frozen=True)
class GameText:
    """What a text holds: a hand from its deal on."""

    rules: Rules
    episode: Episode
    seed: int
    word: int
    """The random word after the deal."""
    dealer: int
    deck: tuple[int, ...]
    """As dealt: seat 0, seat 1, upcard, stock in drawing order. 52 ids."""
    n_hands: int
    """Hands ended before this one; likewise the next two."""
    hands_won: tuple[int, int]
    totals: tuple[int, int]
    actions: tuple[int, ...]
    """Played in this hand, ids."""


def write_text(game: GameText) -> str:
    """Write a game as one line of JSON."""
    changed = {
        "format": FORMAT,
        "version": VERSION,
        "rules": game.rules.to_dict(),
        **write_deck(game.deck),
        "actions": [action_text(action) for action in game.actions],
    }
    return json.dumps(write_fields(game, FIELDS, changed))


def read_text(text: object) -> GameText:
    """Read and check everything but whether the actions are legal.

    Raises:
        GameTextError: If the text is not what `write_text` writes.
    """
    try:
        if not isinstance(text, str) or len(text) > MAX_CHARS:
            raise FieldError(f"a text of at most {MAX_CHARS} characters is needed")
        return _read(load_document(text, FORMAT, VERSION, FIELDS))
    except GinError as error:
        raise GameTextError(f"no game: {error}") from error


def _read(fields: dict[str, Any]) -> GameText:
    rules, episode = read_rules(fields["rules"]), read_episode(fields["episode"])
    n_hands, hands_won, totals = read_standing(fields, rules)
    return GameText(
        rules=rules,
        episode=episode,
        seed=read_int(fields, "seed", 0, SEED_END - 1),
        word=read_int(fields, "word", 1, SEED_END - 1),
        dealer=read_int(fields, "dealer", 0, 1),
        deck=read_deck(fields),
        n_hands=n_hands,
        hands_won=hands_won,
        totals=totals,
        actions=tuple(parse_action(action) for action in read_texts(fields, "actions")),
    )
