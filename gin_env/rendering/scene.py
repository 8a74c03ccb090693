"""What is drawn of a game: what one seat may know, and what has been shown."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gin_env.core.view import VIEW_DTYPE, look
from gin_env.rendering.words import PLAYER_NAMES
from gin_env.values.result import HandResult, read_result


@dataclass(frozen=True)
class Scene:
    """A table as one seat sees it.

    Attributes:
        view: What the seat may know, a record of `gin_env.core.view.VIEW_DTYPE`.
        seat: Whose view that is.
        result: Of the hand, once it is over; None before.
        is_match: Show running totals.
        names: What to call seat 0 and seat 1.
        other: The other seat's view, to show both hands; for replays, never for a player.
    """

    view: np.void
    seat: int
    result: HandResult | None = None
    is_match: bool = False
    names: Sequence[str] = PLAYER_NAMES
    other: np.void | None = None

    @property
    def me(self) -> str:
        """The name of the seat that looks."""
        return self.names[self.seat]

    @property
    def them(self) -> str:
        """The name of the other seat."""
        return self.names[1 - self.seat]

    @property
    def is_other_shown(self) -> bool:
        """Whether the hand is over, and the other hand lies open."""
        return self.result is not None and (
            self.result.knocker is not None or self.other is not None
        )


def see_table(
    r: np.void,
    s: np.void,
    seat: int,
    *,
    both: bool = False,
    names: Sequence[str] = PLAYER_NAMES,
) -> Scene:
    """Look at a game from a seat.

    Args:
        r: The rules, a record of `RULES_DTYPE`.
        s: The game, a record of `STATE_DTYPE`.
        seat: 0 or 1.
        both: Show the cards of both seats; for replays, never for a player.
        names: What to call seat 0 and seat 1.
    """
    views = np.zeros(2, VIEW_DTYPE)
    for place in (0, 1):
        look(r, s, place, views[place])
    other = views[1 - seat] if both else None
    return Scene(views[seat], seat, read_result(r, s), bool(r["is_match"]), names, other)
