"""An illegal action in words, for whoever made it and for everybody else.

Every face, batch and player's error uses these texts.
"""

import numpy as np

from gin_env.core.actions import action_text, parse_action
from gin_env.core.cards import cards_text
from gin_env.core.state import Phase
from gin_env.errors import IllegalActionError


def describe_illegal(view: np.void, mask: np.ndarray, action: object) -> str:
    """Say to whoever tried it what it was, in which phase, with which hand, and what is legal.

    Args:
        view: What the seat that tried it may know, a record of `VIEW_DTYPE`.
        mask: What it may do. Shape [108], int8.
        action: What it tried.
    """
    phase = Phase(int(view["phase"]))
    legal = ", ".join(action_text(int(number)) for number in np.flatnonzero(mask))
    where = f"in the {phase.name.lower()} phase, holding {cards_text(int(view['hand']))}"
    situation = f"the hand is over, {where}" if phase == Phase.OVER else f"{where}; legal: {legal}"
    text, is_action = _read(action)
    return f"{text} is not legal: {situation}" if is_action else f"{text} ({situation})"


def name_illegal(view: np.void, action: object) -> str:
    """Say to anybody what was tried, and in which phase: no word of the hand, or of what is legal.

    Args:
        view: What the seat that tried it may know, a record of `VIEW_DTYPE`.
        action: What it tried.
    """
    where = f"in the {Phase(int(view['phase'])).name.lower()} phase"
    text, is_action = _read(action)
    return f"{text} is not legal {where}" if is_action else f"{text} ({where})"


def _read(action: object) -> tuple[str, bool]:
    """What an action is called, or what is wrong with something that is none; and which it is."""
    try:
        return repr(action_text(parse_action(action))), True  # type: ignore[arg-type]
    except IllegalActionError as error:
        return str(error), False
