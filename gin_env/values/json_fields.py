"""Fields of games and hands in JSON: read and checked, for whoever keeps them as text."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from gin_env.core.cards import HAND_SIZE, N_CARDS, cards_text
from gin_env.core.rules import EPISODES, Episode, Rules
from gin_env.core.state import N_SEATS, STOCK_PLACE, UPCARD_PLACE
from gin_env.errors import FieldError
from gin_env.support.key_values import unique
from gin_env.support.options import Whole, short
from gin_env.values.checks import read_deal

MAX_HANDS = 1_000_000
"""No match is longer."""


def load_object(text: str | bytes) -> dict[str, Any]:
    """Read one JSON object, in which no field stands twice, nor NaN or Infinity.

    Raises:
        FieldError: If the text holds anything else.
    """
    try:
        fields = json.loads(text, object_pairs_hook=unique, parse_constant=_refuse)
    except FieldError:
        raise
    except (ValueError, RecursionError) as error:  # ValueError: also a number of 5,000 digits
        raise FieldError(f"broken JSON, {error}") from error
    if not isinstance(fields, dict):
        raise FieldError(f"a JSON object is needed, not {short(fields)}")
    return fields


def load_document(
    text: str | bytes, format_name: str, version: int, names: tuple[str, ...]
) -> dict[str, Any]:
    """Read a JSON object that says in ``format`` and ``version`` what it is.

    Args:
        text: The JSON.
        format_name: The format that is needed.
        version: The only version that can be read.
        names: All its fields, these two included.

    Raises:
        FieldError: If the text holds anything else.
    """
    fields = load_object(text)
    if fields.get("format") != format_name:
        raise FieldError(f"a JSON object with the format {format_name!r} is needed")
    found = fields.get("version")
    if found is True or found != version:
        raise FieldError(f"version {short(found)}, but only {version} can be read")
    check_names(fields, names)
    return fields


def write_fields(record: Any, names: tuple[str, ...], changed: Mapping[str, Any]) -> dict[str, Any]:
    """Take fields of these names out of a record, except for those that are given otherwise."""
    return {name: changed[name] if name in changed else getattr(record, name) for name in names}


def check_names(fields: Mapping[str, Any], known: tuple[str, ...], what: str = "fields") -> None:
    """Check that all fields are there, and no others.

    Raises:
        FieldError: If one is missing or unknown.
    """
    if wrong := set(known) ^ fields.keys():
        raise FieldError(f"missing or unknown {what}: {short(sorted(wrong))}")


def read_rules(values: Any) -> Rules:
    """Read rules of which every field is there.

    Raises:
        FieldError: If one is missing or unknown.
        RulesError: If a value is outside its range.
    """
    if not isinstance(values, dict) or values.keys() != Rules().to_dict().keys():
        raise FieldError("rules must hold every rule field, and nothing else")
    return Rules.from_dict(values)


def read_episode(episode: Any) -> Episode:
    """Read ``"hand"`` or ``"match"``.

    Raises:
        FieldError: If it is neither.
    """
    if episode not in list(EPISODES):  # a list also compares what cannot be hashed
        raise FieldError(f"episode must be {' or '.join(EPISODES)}, not {short(episode)}")
    return episode  # type: ignore[no-any-return]


def read_deck(fields: Mapping[str, Any]) -> tuple[int, ...]:
    """Read ``hands``, ``upcard`` and ``stock``, all of them text. Returns 52 ids.

    Raises:
        FieldError: If one of them is no text.
        GinError: `DealError` or `CardError`, if they are no deal.
    """
    hands = read_texts(fields, "hands")
    for name in ("upcard", "stock"):
        if not isinstance(fields[name], str):
            raise FieldError(f"{name} must be cards as text, not {short(fields[name])}")
    return tuple(read_deal(hands, fields["upcard"], fields["stock"], range(N_CARDS)))


def write_deck(deck: Sequence[int]) -> dict[str, Any]:
    """Write 52 ids as the fields that `read_deck` reads."""
    return {
        "hands": [cards_text(deck[:HAND_SIZE]), cards_text(deck[HAND_SIZE:UPCARD_PLACE])],
        "upcard": cards_text(deck[UPCARD_PLACE:STOCK_PLACE]),
        "stock": cards_text(deck[STOCK_PLACE:]),
    }


def read_standing(
    fields: Mapping[str, Any], rules: Rules, n_hands_name: str = "n_hands"
) -> tuple[int, tuple[int, int], tuple[int, int]]:
    """Read where a match stood before a hand; a single hand begins with nothing.

    Args:
        fields: With ``episode``, ``hands_won`` and ``totals``.
        rules: Of the match.
        n_hands_name: What the field is called that counts the hands before this one.

    Returns:
        Hands ended, hands won by each seat, running totals.

    Raises:
        FieldError: If no match can stand so.
    """
    n_hands = read_int(fields, n_hands_name, 0, MAX_HANDS if fields["episode"] == "match" else 0)
    hands_won = read_pair(fields, "hands_won", 0, n_hands)
    totals = read_pair(fields, "totals", 0, rules.target - 1)
    if sum(hands_won) > n_hands:
        raise FieldError(f"{list(hands_won)} hands won of {n_hands}")
    for total, n_won in zip(totals, hands_won, strict=True):
        if total and not n_won:
            raise FieldError(f"a total of {total} without a hand won")
    return n_hands, hands_won, totals


def read_pair(fields: Mapping[str, Any], name: str, low: int, high: int) -> tuple[int, int]:
    """Read two whole numbers, of seat 0 and seat 1.

    Raises:
        FieldError: If it is anything else, or they lie outside the range.
    """
    values = fields[name]
    if not isinstance(values, list) or len(values) != N_SEATS:
        raise FieldError(f"{name} must be a pair of whole numbers, not {short(values)}")
    first, second = (read_int({name: value}, name, low, high) for value in values)
    return first, second


def read_int(fields: Mapping[str, Any], name: str, low: int, high: int) -> int:
    """Read a whole number.

    Raises:
        FieldError: If it is none, or lies outside the range.
    """
    number: int = Whole(low, high).check(name, fields[name], FieldError)
    return number


def read_texts(fields: Mapping[str, Any], name: str) -> list[str]:
    """Read a list of texts.

    Raises:
        FieldError: If it is anything else.
    """
    texts = fields[name]
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise FieldError(f"{name} must be a list of texts, not {short(texts)}")
    return texts


def _refuse(number: str) -> None:
    raise FieldError(f"broken JSON, {number} is no number")
