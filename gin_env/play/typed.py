"""What a person types: an action in words, or one of a few commands."""

from enum import StrEnum

from gin_env.core.actions import DISCARD, KNOCK, parse_action
from gin_env.core.cards import parse_card
from gin_env.errors import CardError, IllegalActionError


class TypedCommand(StrEnum):
    """What can be typed besides actions."""

    HINT = "hint"
    OPPONENT = "opponent"
    NEXT = "next"
    NEW = "new"
    QUIT = "quit"


_WORDS = {
    **dict.fromkeys(("h", "?", "help", "hint"), TypedCommand.HINT),
    **dict.fromkeys(("o", "opponent", "level"), TypedCommand.OPPONENT),
    **dict.fromkeys(("n", "next", "next hand"), TypedCommand.NEXT),
    **dict.fromkeys(("new", "new match"), TypedCommand.NEW),
    **dict.fromkeys(("quit", "exit"), TypedCommand.QUIT),
}


def read_typed(text: str, touched: int | None) -> int | TypedCommand:
    """Read a line that was typed.

    Args:
        text: ``7s`` and ``discard 7s`` discard; ``knock 7s`` and ``gin 7s`` knock, and without a
            card with the touched one; ``draw``, ``take``, ``pass``, ``big gin``; a command.
        touched: A card of the hand, or None.

    Returns:
        An action's id, legal or not, or a command.

    Raises:
        IllegalActionError: If it is neither.
    """
    words = text.lower().replace("10", "t").split()
    if (command := _WORDS.get(" ".join(words))) is not None:
        return command
    if words in (["knock"], ["gin"]) and touched is not None:
        return KNOCK + touched
    if len(words) == 2 and words[0] == "gin":
        words[0] = "knock"
    if (card := typed_card(text)) is not None and len(words) == 1:
        return DISCARD + card
    try:
        return parse_action(" ".join(words))
    except IllegalActionError as error:
        raise IllegalActionError(
            f"{text.strip()!r} is no move: type a card to discard (7s), knock 7s, draw, take, "
            "pass or big gin"
        ) from error


def typed_card(text: str) -> int | None:
    """The card that a line which is being typed names; None if there is none yet."""
    words = text.split()
    if not words:
        return None
    try:
        return parse_card(words[-1].replace("10", "T"))
    except CardError:
        return None
