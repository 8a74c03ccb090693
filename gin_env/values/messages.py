"""The messages of the protocol: those to a program, and what its answers must look like.

Messages are made from a seat's view, from public moves and from results, never from a state.
docs/protocol.md describes them; a change that old programs cannot follow raises `VERSION`.
"""

import json
from typing import Any, Literal

import numpy as np

from gin_env.core.actions import DISCARD, DRAW, TAKE, action_text
from gin_env.core.cards import N_CARDS, card_text
from gin_env.core.rules import Rules
from gin_env.core.state import NO_CARD, Phase
from gin_env.support.key_values import load_json
from gin_env.support.options import read_int
from gin_env.values.melds import Meld, meld_text
from gin_env.values.result import HandResult

PROTOCOL = "gin-env"
VERSION = 1
MAX_NAME = 80
"""Characters of a program's name."""

_WHO = ("you", "opponent")
MAX_QUOTED = 300
"""Characters of something that a program wrote in a verdict."""

VerdictKind = Literal["illegal", "rubbish", "stalled", "died", "not started", "given up"]
"""Why a hand was given up; docs/protocol.md says when each is given."""


class ProgramError(Exception):
    """A program has broken the protocol or a limit; the text says how, in one line."""

    def __init__(self, kind: VerdictKind, text: str) -> None:
        super().__init__(kind, text)
        self.kind, self.text = kind, text


def hello() -> str:
    """The first line; the program answers it with its name."""
    return _line("hello", protocol=PROTOCOL, version=VERSION)


def rules(rules_row: np.void) -> str:
    """The rules of all hands that follow.

    Args:
        rules_row: A record of `RULES_DTYPE`.
    """
    episode = "match" if rules_row["is_match"] else "hand"
    return _line("rules", episode=episode, rules=Rules.from_row(rules_row).to_dict())


def deal(game: int, view: np.void, upcard: int) -> str:
    """A hand as dealt.

    Args:
        game: The number of the hand.
        view: What the seat may know at its first decision.
        upcard: The card that was turned up.
    """
    return _line(
        "deal",
        game=game,
        dealer=_WHO[0 if view["is_dealer"] else 1],
        hand=_cards(view["hand"]),
        upcard=card_text(upcard),
        knock_limit=int(view["knock_limit"]),
        totals=dict(zip(_WHO, view["totals"].tolist(), strict=True)),
    )


def move(game: int, is_mine: bool, action: int, card: int) -> str:
    """A move that was made.

    Args:
        game: The number of the hand.
        is_mine: Whether the program made it.
        action: The action's id.
        card: The card that it moves, or `NO_CARD` where the program may not know it.
    """
    facts: dict[str, Any] = {"action": action_text(action), "id": action}
    if card != NO_CARD:
        facts["card"] = card_text(card)
    return _line("move", game=game, who=_WHO[0 if is_mine else 1], **facts)


def your_move(game: int, view: np.void, mask: np.ndarray) -> str:
    """A question: what does the program play?

    Args:
        game: The number of the hand.
        view: What the seat to move may know.
        mask: What it may do. Shape [108], int8.
    """
    ids = np.flatnonzero(mask).tolist()
    return _line(
        "your_move",
        game=game,
        phase=Phase(int(view["phase"])).name.lower(),
        hand=_cards(view["hand"]),
        top=_card_or_none(view["top"]),
        drawn=_card_or_none(view["drawn"]),
        stock=int(view["n_stock"]),
        deadwood=int(view["deadwood"]),
        legal=[action_text(action) for action in ids],
        ids=ids,
    )


def result(game: int, end: HandResult, seat: int, reason: str | None) -> str:
    """How a hand ended. The hands are told only where they were shown: after a knock.

    Args:
        game: The number of the hand.
        end: Its result.
        seat: The program's.
        reason: Why the program has forfeited the hand, where it has.
    """
    seats = (seat, 1 - seat)
    shown: dict[str, Any] = {}
    if end.knocker is not None:
        shown["hands"] = {
            who: end.arrangements[at]._asdict() for who, at in zip(_WHO, seats, strict=True)
        }
        shown["layoffs"] = [layoff._asdict() for layoff in end.layoffs]
    if reason is not None:
        shown["reason"] = reason
    return _line(
        "result",
        game=game,
        ending=end.ending.name.lower(),
        knocker=_who(end.knocker, seat),
        winner=_who(end.winner, seat),
        points=end.points[seat],
        turns=end.n_turns,
        **shown,
    )


def abandoned(game: int) -> str:
    """A hand that nobody plays on."""
    return _line("abandoned", game=game)


def bye() -> str:
    """The last line."""
    return _line("bye")


def read_hello(line: str) -> str:
    """Read the answer to `hello`. Returns the program's name.

    Raises:
        ProgramError: If it is none, or of another version.
    """
    message = _read(line, "hello")
    version = message.get("version", VERSION)
    if read_int(version) != VERSION:
        raise ProgramError(
            "rubbish", f"speaks version {quote(str(version))} of the protocol, not {VERSION}"
        )
    name = message.get("name")
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME or not name.isprintable():
        raise ProgramError(
            "rubbish", f"sent a hello without a name of 1 to {MAX_NAME} characters: {quote(line)}"
        )
    return name


def read_move(line: str, game: int) -> str | int:
    """Read the answer to `your_move`. Returns the action, an id or a text, which may be illegal.

    Args:
        line: The answer.
        game: The number of the hand that was asked about.

    Raises:
        ProgramError: If it is none.
    """
    message = _read(line, "move")
    if read_int(message.get("game")) != game:
        raise ProgramError("rubbish", f"sent an answer for another game than {game}: {quote(line)}")
    action = message.get("action")
    if not isinstance(action, str) and read_int(action) is None:
        raise ProgramError("rubbish", f"sent a move without an action's id or text: {quote(line)}")
    return action  # type: ignore[return-value]


def moved_card(action: int, drawn: int, last_open: int) -> int:
    """The card that an action moves, or `NO_CARD`.

    Args:
        action: The action's id.
        drawn: What a draw from the stock brings, or `NO_CARD` where that is hidden.
        last_open: The last card that was laid face up: the only one that can be taken.
    """
    if action < DRAW:
        return (action - DISCARD) % N_CARDS
    return {DRAW: drawn, TAKE: last_open}.get(action, NO_CARD)


def find_upcard(view: np.void, has_taken: bool) -> int:
    """The upcard, out of what a seat knows at its first decision.

    Args:
        view: What it may know.
        has_taken: Whether the other seat has taken the upcard.
    """
    if has_taken:
        bits = int(view["their_known"]) | int(view["their_shed"])
    else:
        bits = int(view["out_of_play"]) & ~int(view["their_discarded"])
    return bits.bit_length() - 1


def _line(kind: str, **facts: Any) -> str:
    """One message: ASCII, without a line break."""
    return json.dumps({"type": kind, **facts})


def _read(line: str, kind: str) -> dict[str, Any]:
    """Read a message of some type."""
    try:
        message = load_json(line)
    except (ValueError, RecursionError):  # ValueError: also a number with thousands of digits
        raise ProgramError("rubbish", f"sent a line that is no JSON: {quote(line)}") from None
    if not isinstance(message, dict):
        raise ProgramError("rubbish", f"sent a line that is no JSON object: {quote(line)}")
    if message.get("type") != kind:
        raise ProgramError("rubbish", f"sent a message that is not of type {kind!r}: {quote(line)}")
    return message


def _cards(bits: np.int64) -> Meld:
    return meld_text(int(bits))


def _card_or_none(card: np.int32) -> str | None:
    return None if card == NO_CARD else card_text(int(card))


def _who(asked: int | None, seat: int) -> str | None:
    return None if asked is None else _WHO[0 if asked == seat else 1]


def quote(text: str | bytes) -> str:
    """What a program wrote, in a form to be printed and not too long."""
    return repr(text) if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]!r}..."
