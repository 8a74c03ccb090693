"""The 108 actions, the same for every rule set and phase, and their text.

``DISCARD + card`` discards, ``KNOCK + card`` knocks discarding that card (gin is a knock that
leaves no deadwood), and four more draw, take, pass and declare big gin.
"""

from typing import SupportsIndex

from gin_env.core.cards import N_CARDS, card_text, parse_card
from gin_env.errors import CardError, IllegalActionError
from gin_env.support.options import read_int

DISCARD = 0
KNOCK = DISCARD + N_CARDS
DRAW = KNOCK + N_CARDS
TAKE = DRAW + 1
PASS = TAKE + 1
BIG_GIN = PASS + 1
N_ACTIONS = BIG_GIN + 1

PLAIN_TEXTS = {DRAW: "draw", TAKE: "take", PASS: "pass", BIG_GIN: "big gin"}

ACTION_TABLE = (
    ("0-51", "discard C", "discard card `C` (the id of the card)"),
    (
        "52-103",
        "knock C",
        "knock, discarding card `C` (52 + its id); gin where no deadwood is left",
    ),
    (str(DRAW), PLAIN_TEXTS[DRAW], "draw the top of the stock"),
    (str(TAKE), PLAIN_TEXTS[TAKE], "take the top of the pile, or the offered upcard"),
    (str(PASS), PLAIN_TEXTS[PASS], "pass the offered upcard"),
    (str(BIG_GIN), PLAIN_TEXTS[BIG_GIN], "declare big gin: all eleven cards are melded"),
)
"""Ids, text and meaning of the actions, for docs/spaces.md."""


def action_text(action: int) -> str:
    """Write an action as text.

    Raises:
        IllegalActionError: If the id lies outside 0 to 107.

    Example:
        >>> action_text(KNOCK + 6)
        'knock 7s'
    """
    if not 0 <= action < N_ACTIONS:
        raise IllegalActionError(f"{action} is no action: ids lie between 0 and {N_ACTIONS - 1}")
    if action < KNOCK:
        return "discard " + card_text(action - DISCARD)
    if action < DRAW:
        return "knock " + card_text(action - KNOCK)
    return PLAIN_TEXTS[action]


def parse_action(action: str | SupportsIndex) -> int:
    """Read an action given as an id or as text (``"pass"``, ``"discard 7s"``, ``"knock 7s"``).

    Raises:
        IllegalActionError: If it is no action at all.

    Example:
        >>> parse_action("discard 7s")
        6
    """
    if isinstance(action, str):
        return _parse_text(action)
    number = read_int(action)
    if number is None:
        raise IllegalActionError(f"{action!r} is no action: give an id or a text like 'discard 7s'")
    action_text(number)
    return number


def _parse_text(text: str) -> int:
    words = text.lower().split()
    for number, plain in PLAIN_TEXTS.items():
        if words == plain.split():
            return number
    bases = {"discard": DISCARD, "knock": KNOCK}
    if len(words) == 2 and words[0] in bases:
        try:
            return bases[words[0]] + parse_card(words[1])
        except CardError as error:
            raise IllegalActionError(f"{text!r} is no action: {error}") from error
    plain_list = ", ".join(f"'{plain}'" for plain in PLAIN_TEXTS.values())
    raise IllegalActionError(
        f"{text!r} is no action: write {plain_list}, 'discard 7s' or 'knock 7s'"
    )
