"""A recorded hand, and the line of JSON that holds it; docs/history.md describes every field."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any

from gin_env.core.actions import action_text, parse_action
from gin_env.core.rules import MAX_POINTS, PRESETS, Episode, Rules
from gin_env.core.state import ENDING_NAMES, N_SEATS, Ending
from gin_env.errors import FieldError, GinError, HistoryError
from gin_env.players.protocol import FORFEIT
from gin_env.rendering.words import printable
from gin_env.support.options import SEED_END, short
from gin_env.values.json_fields import (
    MAX_HANDS,
    check_names,
    load_object,
    read_deck,
    read_episode,
    read_int,
    read_pair,
    read_rules,
    read_standing,
    read_texts,
    write_deck,
    write_fields,
)
from gin_env.values.melds import Layoff
from gin_env.values.result import Arrangement, HandResult

FORMAT = "gin_env_history"
"""The first field of a line; its value is the version of the schema."""
VERSION = 1
FORFEIT_TEXT = "forfeit"
"""In place of an action: the hand is given up, at the price of ``penalty``."""
MAX_NAME = 80
"""Characters of a player's name."""
MAX_PAID = 100 * MAX_POINTS * MAX_HANDS
"""No payment or total is larger: there are at most so many hands, of far fewer points each."""
MAX_TURNS = 1_000_000
MAX_NUMBER = 1 << 62
"""Of rows and games."""

START = f'{{"{FORMAT}": '.encode()
"""How every line begins, whatever its version."""
FIELDS = (
    FORMAT,
    "rules",
    "episode",
    "players",
    "seed",
    "row",
    "game",
    "hand",
    "dealer",
    "hands",
    "upcard",
    "stock",
    "hands_won",
    "totals",
    "actions",
    "penalty",
    "result",
    "paid",
    "totals_after",
    "match_winner",
    "sha256",
)
"""In the order in which they are written, the checksum last; all must be there, and no others."""
RESULT_FIELDS = (
    "ending",
    "knocker",
    "winner",
    "points",
    "turns",
    "arrangements",
    "layoffs",
    "bonus",
    "factor",
)

_CHECKSUM_START = b', "sha256": "'
_CHECKSUM_END = b'"}'
_CHECKSUM_SIZE = len(_CHECKSUM_START) + 64 + len(_CHECKSUM_END)


@dataclass(frozen=True, kw_only=True)
class Hand:
    """A hand from its deal to its end. Pairs are (seat 0, seat 1)."""

    rules: Rules
    episode: Episode
    players: tuple[str, str]
    """Names: printable, 1 to 80 characters."""
    seed: int | None
    """The last seed that this game was given, where it is known."""
    row: int
    """Which of the games that were played at once, from 0; in evaluations, which deal."""
    game: int
    """Which hand, or which match, since that seed or since the recording began, from 0."""
    hand: int
    """Which hand of its match, from 0."""
    dealer: int
    deck: tuple[int, ...]
    """As dealt: seat 0, seat 1, upcard, stock in drawing order. 52 ids."""
    hands_won: tuple[int, int]
    """In the match, before this hand; likewise the totals, points."""
    totals: tuple[int, int]
    actions: tuple[int, ...]
    """Ids; `FORFEIT` at the end of a hand that was given up."""
    penalty: int | None
    """Points that a forfeit cost; None where there was none."""
    result: HandResult
    paid: tuple[int, int]
    """What the end of the hand paid, points: those of the hand, and bonuses of the match."""
    totals_after: tuple[int, int]
    match_winner: int | None
    """Who won the match with this hand."""


def write_line(hand: Hand) -> bytes:
    """Write a hand as one line of ASCII, the newline included."""
    changed = {
        FORMAT: VERSION,
        "rules": {"preset": name_preset(hand.rules), **hand.rules.to_dict()},
        "players": [clean_name(name) for name in hand.players],
        **write_deck(hand.deck),
        "actions": [FORFEIT_TEXT if act == FORFEIT else action_text(act) for act in hand.actions],
        "result": _write_result(hand.result),
    }
    fields = write_fields(hand, FIELDS[:-1], changed)
    body = json.dumps(fields)[:-1].encode()
    return body + _checksum(body) + b"\n"


def read_line(line: bytes) -> Hand:
    """Read a line, with or without its newline, and check all but what only the engine knows.

    Raises:
        HistoryError: If it is not what `write_line` writes, or a byte of it was changed since.
    """
    try:
        return _read(_read_fields(line.removesuffix(b"\n")))
    except HistoryError:
        raise
    except GinError as error:
        raise HistoryError(f"no hand: {error}") from error


def clean_name(name: str) -> str:
    """Make a name fit to be recorded: short, without control characters."""
    return printable(name)[:MAX_NAME] or "?"


@cache
def name_preset(rules: Rules) -> str | None:
    """Find the preset with exactly these rules; None if there is none."""
    return next((name for name in PRESETS if Rules.preset(name) == rules), None)


def _checksum(body: bytes) -> bytes:
    return _CHECKSUM_START + sha256(body).hexdigest().encode() + _CHECKSUM_END


def _read_fields(line: bytes) -> dict[str, Any]:
    """The fields of a line whose version and checksum are right."""
    if not line.startswith(START):
        raise HistoryError(f"no hand of a history: it must begin with {START.decode()!r}")
    version = line[len(START) :].partition(b",")[0]
    if version != b"%d" % VERSION:
        shown = short(version.decode(errors="replace"))
        raise HistoryError(f"version {shown}, but only {VERSION} can be read")
    body = line[:-_CHECKSUM_SIZE]
    if line[-_CHECKSUM_SIZE:] != _checksum(body):
        raise HistoryError(
            "it is cut short or was changed: it does not end in the sha256 of what comes before"
        )
    if not line.isascii():
        raise HistoryError("no hand of a history: lines are plain ASCII")
    fields = load_object(line)
    check_names(fields, FIELDS)
    return fields


def _read(fields: dict[str, Any]) -> Hand:
    rules, episode = _read_rules(fields["rules"]), read_episode(fields["episode"])
    n_hands, hands_won, totals = read_standing(fields, rules, "hand")
    actions = _read_actions(fields)
    paid = read_pair(fields, "paid", -MAX_PAID, MAX_PAID)
    match_winner = _read_or_none(fields, "match_winner", 1)
    return Hand(
        rules=rules,
        episode=episode,
        players=_read_players(fields),
        seed=_read_or_none(fields, "seed", SEED_END - 1),
        row=read_int(fields, "row", 0, MAX_NUMBER),
        game=read_int(fields, "game", 0, MAX_NUMBER),
        hand=n_hands,
        dealer=read_int(fields, "dealer", 0, 1),
        deck=read_deck(fields),
        hands_won=hands_won,
        totals=totals,
        actions=actions,
        penalty=_read_penalty(fields, actions),
        result=_read_result(fields["result"], paid, match_winner),
        paid=paid,
        totals_after=read_pair(fields, "totals_after", 0, MAX_PAID),
        match_winner=match_winner,
    )


def _read_rules(values: Any) -> Rules:
    if not isinstance(values, dict) or "preset" not in values:
        raise FieldError("rules must hold a preset's name, or null, and every rule field")
    rules = read_rules({name: value for name, value in values.items() if name != "preset"})
    preset = name_preset(rules)
    if values["preset"] != preset:
        raise FieldError(f"the preset is {short(values['preset'])}, but the fields make {preset}")
    return rules


def _read_players(fields: Mapping[str, Any]) -> tuple[str, str]:
    names = read_texts(fields, "players")
    if len(names) != N_SEATS or any(name != clean_name(name) for name in names):
        raise FieldError(
            f"players must be two names of 1 to {MAX_NAME} printable characters, not {short(names)}"
        )
    return names[0], names[1]


def _read_actions(fields: Mapping[str, Any]) -> tuple[int, ...]:
    texts = read_texts(fields, "actions")
    return tuple(FORFEIT if text == FORFEIT_TEXT else parse_action(text) for text in texts)


def _read_penalty(fields: Mapping[str, Any], actions: Sequence[int]) -> int | None:
    """Read what a forfeit costs; None where nobody forfeits."""
    if FORFEIT in actions:
        return read_int(fields, "penalty", 0, MAX_POINTS)
    if fields["penalty"] is not None:
        raise FieldError("a penalty, but nobody forfeits")
    return None


def _write_result(result: HandResult) -> dict[str, Any]:
    changed = {
        "ending": ENDING_NAMES[result.ending],
        "turns": result.n_turns,
        "arrangements": [arrangement._asdict() for arrangement in result.arrangements],
        "layoffs": [layoff._asdict() for layoff in result.layoffs],
    }
    return write_fields(result, RESULT_FIELDS, changed)


def _read_result(fields: Any, paid: tuple[int, int], match_winner: int | None) -> HandResult:
    """Read the result; what it means to the match follows from what was paid, and who won."""
    if not isinstance(fields, dict):
        raise FieldError(f"the result must be a JSON object, not {short(fields)}")
    check_names(fields, RESULT_FIELDS, "fields of the result")
    if fields["ending"] not in ENDING_NAMES[1:]:
        raise FieldError(f"ending must be one of {', '.join(ENDING_NAMES[1:])}")
    arrangements = [_read_arrangement(one) for one in _read_list(fields, "arrangements")]
    if len(arrangements) != N_SEATS:
        raise FieldError(f"arrangements must be two, not {len(arrangements)}")
    points = read_pair(fields, "points", -MAX_PAID, MAX_PAID)
    winner = _read_or_none(fields, "winner", 1)
    return HandResult(
        ending=Ending(ENDING_NAMES.index(fields["ending"])),
        knocker=_read_or_none(fields, "knocker", 1),
        winner=winner,
        points=points,
        n_turns=read_int(fields, "turns", 0, MAX_TURNS),
        arrangements=(arrangements[0], arrangements[1]),
        layoffs=tuple(_read_layoff(one) for one in _read_list(fields, "layoffs")),
        bonus=read_int(fields, "bonus", 0, MAX_PAID),
        factor=read_int(fields, "factor", 1, 2),
        match_bonus=paid[winner or 0] - points[winner or 0],
        match_winner=match_winner,
    )


def _read_arrangement(fields: Any) -> Arrangement:
    _check_part(fields, Arrangement._fields, "an arrangement")
    melds = [tuple(read_texts({"meld": meld}, "meld")) for meld in _read_list(fields, "melds")]
    left = read_int(fields, "deadwood", 0, MAX_POINTS)
    return Arrangement(tuple(melds), tuple(read_texts(fields, "unmelded")), left)


def _read_layoff(fields: Any) -> Layoff:
    _check_part(fields, Layoff._fields, "a layoff")
    (card,) = read_texts({"card": [fields["card"]]}, "card")
    return Layoff(card, tuple(read_texts(fields, "meld")))


def _check_part(fields: Any, names: tuple[str, ...], what: str) -> None:
    if not isinstance(fields, dict) or fields.keys() != set(names):
        raise FieldError(f"{what} must hold {', '.join(names)}, and nothing else")


def _read_list(fields: Mapping[str, Any], name: str) -> list[Any]:
    if not isinstance(fields[name], list):
        raise FieldError(f"{name} must be a list, not {short(fields[name])}")
    return list(fields[name])


def _read_or_none(fields: Mapping[str, Any], name: str, most: int) -> int | None:
    return None if fields[name] is None else read_int(fields, name, 0, most)
