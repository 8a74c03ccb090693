"""Which kernel plays which bot: the one place that knows them all, for kernels and for Python."""

from typing import NamedTuple

import numpy as np

from gin_env.bots.baselines import act_greedy, act_random, act_simple
from gin_env.bots.deferred_search import search
from gin_env.bots.levels import act_easy, act_hard, act_medium
from gin_env.core.jit import inlined, kernel
from gin_env.support.options import Number

OUTSIDE = 0
"""Kind of a seat that no bot plays: its actions come from outside the kernels."""
RANDOM, SIMPLE, GREEDY, EASY, MEDIUM, HARD, EXPERT = range(1, 8)


class Option(NamedTuple):
    """One option of a bot: its value where none is given, what it takes, and what it does."""

    default: float
    takes: Number
    meaning: str


class BotKind(NamedTuple):
    """A bot that can be made by name."""

    kind: int
    options: dict[str, Option]


_SLACK = Option(5.0, Number(0, 50), "points above the least deadwood at which a discard is weighed")
_MELD_WEIGHT = Option(1.0, Number(0, 20), "points that a card which would complete a meld is worth")

_HARD_OPTIONS = {
    "knock_turns": Option(5.0, Number(0, 1000), "own turns in which it knocks once it may"),
    "closing": Option(
        10.0,
        Number(0, 10_000),
        "points short of a match's target at which it knocks at any turn",
    ),
    "slack": _SLACK._replace(default=4.0),
    "go_on_weight": Option(11.0, Number(0, 100), "points per point of continuation at first"),
    "go_on_decay": Option(0.9, Number(0, 1), "factor on that weight from turn to turn"),
    "danger_weight": Option(1.0, Number(0, 20), "points per point of danger"),
}

KINDS = {
    "random": BotKind(RANDOM, {}),
    "simple": BotKind(SIMPLE, {}),
    "greedy": BotKind(GREEDY, {}),
    "easy": BotKind(
        EASY,
        {
            "mistakes": Option(0.25, Number(0, 1), "chance of each kind of mistake at a decision"),
            "meld_weight": _MELD_WEIGHT,
            "slack": _SLACK,
        },
    ),
    "medium": BotKind(MEDIUM, {"meld_weight": _MELD_WEIGHT, "slack": _SLACK}),
    "hard": BotKind(HARD, _HARD_OPTIONS),
    "expert": BotKind(
        EXPERT,
        {
            "worlds": Option(100.0, Number(1, 1e6), "most worlds that it samples at a decision"),
            "milliseconds": Option(
                0.0,
                Number(0, 60_000),
                "time for a decision, in place of worlds; 0: worlds count",
            ),
            "turns": Option(4.0, Number(1, 100), "turns of both seats that a playout goes ahead"),
            **_HARD_OPTIONS,
        },
    ),
}
"""Every bot by name, with its options."""


@kernel
def choose(b: np.void, r: np.void, v: np.void, m: np.void) -> int:
    """The action of the bot ``b`` in the view ``v`` of a seat that is to move. Returns int64."""
    if b["kind"] == EXPERT:
        return search(b, r, v, m)
    return _choose_at_once(b, r, v, m)


@kernel
def choose_rows(
    b: np.void, r: np.void, views: np.ndarray, memories: np.ndarray, actions: np.ndarray
) -> None:
    """The actions of one bot in many games.

    Args:
        b: The bot, a record of `BOT_DTYPE`.
        r: The rules.
        views: Shape [B], `VIEW_DTYPE`; a seat that is not to move is left alone.
        memories: Shape [B], `MEMORY_DTYPE`.
        actions: Shape [B], int64; written.
    """
    for row in range(len(views)):
        if views[row]["is_to_move"]:
            actions[row] = choose(b, r, views[row], memories[row])


@inlined
def _choose_at_once(b: np.void, r: np.void, v: np.void, m: np.void) -> int:
    """Likewise, of a bot that does not search."""
    kind = b["kind"]
    if kind == HARD:
        return act_hard(b, r, v)
    if kind == MEDIUM:
        return act_medium(b, r, v)
    if kind == EASY:
        return act_easy(b, r, v, m)
    if kind == GREEDY:
        return act_greedy(r, v)
    if kind == SIMPLE:
        return act_simple(r, v, m)
    return act_random(r, v, m)
