"""Ways to choose a move, so that between them every ending of a hand comes about."""

from collections.abc import Callable
from random import Random

import numpy as np

from gin_env.core.actions import BIG_GIN, DISCARD, DRAW, KNOCK, PASS, TAKE
from gin_env.core.state import Phase
from tests.core.table import Table

Policy = Callable[[Random, Table], int]


def play_anything(rng: Random, table: Table) -> int:
    """Any legal action, each equally likely."""
    return rng.choice(sorted(table.legal(table.s["to_move"])))


def play_on(rng: Random, table: Table) -> int:
    """Anything but what ends the hand."""
    legal = table.legal(table.s["to_move"])
    return rng.choice(sorted(action for action in legal if action < KNOCK or action in PLAIN))


def knock_soon(rng: Random, table: Table) -> int:
    """Lower the deadwood, and knock as soon as the rules allow it."""
    return _lower_deadwood(table, table.s["knock_limit"], declares=False)


def knock_boldly(rng: Random, table: Table) -> int:
    """Lower the deadwood, but knock with as much of it as the rules allow, to be undercut."""
    seat = table.s["to_move"]
    after, legal = table.view(seat)["deadwood_after"], table.legal(seat)
    knocks = [card for card in range(52) if KNOCK + card in legal]
    if knocks:
        return KNOCK + max(knocks, key=lambda card: int(after[card]))
    return knock_soon(rng, table)


def wait_for_gin(rng: Random, table: Table) -> int:
    """Lower the deadwood, and knock with gin only."""
    return _lower_deadwood(table, 0, declares=False)


def wait_for_big_gin(rng: Random, table: Table) -> int:
    """Lower the deadwood, declare big gin, and let gin go by as often as not."""
    return _lower_deadwood(table, 0 if rng.random() < 0.5 else -1, declares=True)


PLAIN = (DRAW, TAKE, PASS)
POLICIES: tuple[Policy, ...] = (
    play_anything,
    play_on,
    knock_soon,
    knock_boldly,
    wait_for_gin,
    wait_for_big_gin,
)


def _lower_deadwood(table: Table, knocks_at: int, *, declares: bool) -> int:
    seat = table.s["to_move"]
    view, legal = table.view(seat), table.legal(seat)
    after = np.where(view["deadwood_after"] >= 0, view["deadwood_after"], 999)
    card = int(after.argmin())
    if table.s["phase"] != Phase.DISCARD:
        if TAKE in legal and after[card] < view["deadwood"]:
            return TAKE
        return PASS if PASS in legal else DRAW
    if declares and BIG_GIN in legal:
        return BIG_GIN
    if after[card] <= knocks_at and KNOCK + card in legal:
        return KNOCK + card
    return DISCARD + card
