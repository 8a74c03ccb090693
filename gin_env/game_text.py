"""A game as one line of JSON: the deal, where the match stood, and the actions since.

A reader plays the actions again, so a text that is accepted is a game that can be.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from reprlib import repr as _short
from typing import Any

from gin_env.checks import read_deal
from gin_env.core.actions import action_text, parse_action
from gin_env.core.cards import HAND_SIZE, N_CARDS, cards_text
from gin_env.core.errors import GameTextError, GinError
from gin_env.core.inputs import SEED_END
from gin_env.core.rules import EPISODES, Episode, Rules
from gin_env.core.state import N_SEATS, STOCK_PLACE, UPCARD_PLACE

FORMAT = "gin_env game"
VERSION = 1
MAX_CHARS = 100_000
"""Longer texts are not read; a hand at the longest turn cap takes less."""
MAX_HANDS = 1_000_000

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
"""All of them must be there, and no others."""


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
    hands = (game.deck[:HAND_SIZE], game.deck[HAND_SIZE:UPCARD_PLACE])
    fields = {
        "format": FORMAT,
        "version": VERSION,
        "rules": game.rules.to_dict(),
        "episode": game.episode,
        "seed": game.seed,
        "word": game.word,
        "dealer": game.dealer,
        "n_hands": game.n_hands,
        "hands_won": game.hands_won,
        "totals": game.totals,
        "hands": [cards_text(hand) for hand in hands],
        "upcard": cards_text(game.deck[UPCARD_PLACE:STOCK_PLACE]),
        "stock": cards_text(game.deck[STOCK_PLACE:]),
        "actions": [action_text(action) for action in game.actions],
    }
    return json.dumps(fields)


def read_text(text: str) -> GameText:
    """Read and check everything but whether the actions are legal.

    Raises:
        GameTextError: If the text is not what `write_text` writes.
    """
    fields = _read_fields(text)
    try:
        return GameText(
            rules=_read_rules(fields["rules"]),
            episode=_read_episode(fields["episode"]),
            seed=_read_int(fields, "seed", 0, SEED_END - 1),
            word=_read_int(fields, "word", 1, SEED_END - 1),
            dealer=_read_int(fields, "dealer", 0, 1),
            deck=_read_deck(fields),
            **_read_standing(fields),
            actions=tuple(parse_action(action) for action in _read_texts(fields, "actions")),
        )
    except GameTextError:
        raise
    except GinError as error:
        raise GameTextError(f"no game: {error}") from error


def _read_fields(text: Any) -> dict[str, Any]:
    if not isinstance(text, str) or len(text) > MAX_CHARS:
        raise GameTextError(f"no game: a text of at most {MAX_CHARS} characters is needed")
    try:
        fields = json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise GameTextError(f"no game: broken JSON, {error}") from error
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise GameTextError(f"no game: a JSON object with the format {FORMAT!r} is needed")
    if fields.get("version") is True or fields.get("version") != VERSION:
        raise GameTextError(
            f"version {_short(fields.get('version'))}, but only {VERSION} can be read"
        )
    if wrong := set(FIELDS) ^ fields.keys():
        raise GameTextError(f"no game: missing or unknown fields: {_short(sorted(wrong))}")
    return fields


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise GameTextError("no game: a field comes twice")
    return fields


def _read_rules(values: Any) -> Rules:
    if not isinstance(values, dict) or values.keys() != Rules().to_dict().keys():
        raise GameTextError("no game: rules must hold every rule field, and nothing else")
    return Rules.from_dict(values)


def _read_episode(episode: Any) -> Episode:
    if episode not in EPISODES:
        raise GameTextError(
            f"no game: episode must be {' or '.join(EPISODES)}, not {_short(episode)}"
        )
    return episode  # type: ignore[no-any-return]


def _read_deck(fields: Mapping[str, Any]) -> tuple[int, ...]:
    hands = _read_texts(fields, "hands")
    for name in ("upcard", "stock"):
        if not isinstance(fields[name], str):
            raise GameTextError(
                f"no game: {name} must be cards as text, not {_short(fields[name])}"
            )
    deck = read_deal(hands, fields["upcard"], fields["stock"], range(N_CARDS))
    return tuple(deck)


def _read_standing(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Where the match stood before this hand; a single hand begins with nothing."""
    rules, is_match = _read_rules(fields["rules"]), fields["episode"] == "match"
    n_hands = _read_int(fields, "n_hands", 0, MAX_HANDS if is_match else 0)
    hands_won = _read_pair(fields, "hands_won", n_hands)
    totals = _read_pair(fields, "totals", rules.target - 1)
    if sum(hands_won) > n_hands:
        raise GameTextError(f"no game: {hands_won} hands won of {n_hands}")
    for total, n_won in zip(totals, hands_won, strict=True):
        if total and not n_won:
            raise GameTextError(f"no game: a total of {total} without a hand won")
    return {"n_hands": n_hands, "hands_won": hands_won, "totals": totals}


def _read_pair(fields: Mapping[str, Any], name: str, most: int) -> tuple[int, int]:
    values = fields[name]
    if not isinstance(values, list) or len(values) != N_SEATS:
        raise GameTextError(
            f"no game: {name} must be a pair of whole numbers, not {_short(values)}"
        )
    pair = [_read_int({name: value}, name, 0, most) for value in values]
    return pair[0], pair[1]


def _read_int(fields: Mapping[str, Any], name: str, low: int, high: int) -> int:
    value = fields[name]
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise GameTextError(
            f"no game: {name} must be a whole number from {low} to {high}, not {_short(value)}"
        )
    return value


def _read_texts(fields: Mapping[str, Any], name: str) -> list[str]:
    texts = fields[name]
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise GameTextError(f"no game: {name} must be a list of texts, not {_short(texts)}")
    return texts
