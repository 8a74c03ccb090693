"""Why an action is not possible, in one line for a person."""

import numpy as np

from gin_env.core.actions import BIG_GIN, DISCARD, DRAW, KNOCK, PASS, TAKE
from gin_env.core.state import Phase
from gin_env.rendering.words import card_symbol

_BEFORE_DISCARD = {
    **dict.fromkeys((DRAW, TAKE, PASS), "You have drawn already: discard a card"),
    BIG_GIN: "That is no big gin",
}


def why_not(action: int, view: np.void) -> str:
    """Say why an action that is not legal in the person's view is not.

    Args:
        action: An action's id.
        view: A record of `VIEW_DTYPE`.
    """
    phase = Phase(int(view["phase"]))
    if phase == Phase.DISCARD:
        return _BEFORE_DISCARD.get(action) or _why_no_discard(action, view)
    if phase == Phase.OVER:
        return "The hand is over"
    needed = "Take or pass the upcard first" if phase == Phase.OFFER else "Draw or take first"
    return {TAKE: "The pile cannot be taken now", PASS: "There is nothing to pass"}.get(
        action, needed
    )


def _why_no_discard(action: int, view: np.void) -> str:
    card = action - (DISCARD if action < KNOCK else KNOCK)
    symbol = card_symbol(card)
    if not int(view["hand"]) >> card & 1:
        return f"You do not hold {symbol}"
    if card == int(view["just_taken"]):
        return f"{symbol} was just taken and must be kept in this turn"
    left, limit = int(view["deadwood_after"][card]), int(view["knock_limit"])
    return f"Discarding {symbol} leaves {left}, and you may knock with {limit} at most"
