"""An illegal action in words: the one text that every face, batch and player's error uses."""

import numpy as np

from gin_env.core.actions import action_text, parse_action
from gin_env.core.cards import cards_text
from gin_env.core.state import Phase
from gin_env.errors import IllegalActionError


def describe_illegal(view: np.void, mask: np.ndarray, action: object) -> str:
    """Say what was tried, in which phase, with which hand, and what is legal.

    Args:
        view: What the seat that tried it may know, a record of `VIEW_DTYPE`.
        mask: What it may do. Shape [108], int8.
        action: What it tried.
    """
    phase = Phase(int(view["phase"]))
    legal = ", ".join(action_text(int(number)) for number in np.flatnonzero(mask))
    where = f"in the {phase.name.lower()} phase, holding {cards_text(int(view['hand']))}"
    situation = f"the hand is over, {where}" if phase == Phase.OVER else f"{where}; legal: {legal}"
    try:
        text = action_text(parse_action(action))  # type: ignore[arg-type]
    except IllegalActionError as error:
        return f"{error} ({situation})"
    return f"{text!r} is not legal: {situation}"
