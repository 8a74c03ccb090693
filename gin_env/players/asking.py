"""Asking players to decide, and checking what they answer."""

from copy import deepcopy
from typing import Any

import numpy as np

from gin_env.core.batch import Batch, encode_views
from gin_env.core.describe import name_illegal
from gin_env.core.rows import NO_ROW, find_illegal
from gin_env.errors import PlayerError
from gin_env.players.protocol import FORFEIT, Player, Turn
from gin_env.support.options import short


def ask(player: Player, turn: Turn, *, may_forfeit: bool = False) -> np.ndarray:
    """Have a player decide, and check what it answers.

    Args:
        player: Whom to ask.
        turn: The decisions; the player gets a copy.
        may_forfeit: Whether to let a player with ``may_forfeit`` give up hands.

    Returns:
        Shape [K], int64: legal actions, or `FORFEIT` where that was let through.

    Raises:
        PlayerError: If the answer is not one legal action for each row; it names the player. Also,
            with its verdict, where the player gives up a hand and may not.
    """
    return _check_answer(player, turn, player.act(deepcopy(turn)), may_forfeit)


def ask_batch(
    player: Player, batch: Batch, rows: np.ndarray, may_forfeit: bool = False
) -> np.ndarray:
    """Have a player decide in some games of a batch, and check what it answers.

    Args:
        player: Whom to ask.
        batch: The games; nothing in them changes.
        rows: Shape [B], bool: in which of them; in all of these the player is to move.
        may_forfeit: As for `ask`.

    Returns:
        Shape [B], int64: as `ask`; 0 in the other rows.

    Raises:
        PlayerError: As `ask`.
    """
    arrays, places = batch.arrays, np.flatnonzero(rows)
    views, masks = arrays.views[places], arrays.masks[places]
    if getattr(player, "reads_views", False):
        observations = np.zeros((len(places), 0), np.float32)
    elif player.extras == batch.extras:
        observations = arrays.observations[places]
    else:
        observations = encode_views(batch.rules_row, views, player.extras)
    turn = Turn(batch.rules_row.copy(), places.copy(), views, observations, masks)
    answer = player.act(turn)  # all of it is its own
    asked = Turn(batch.rules_row, places, arrays.views[places], observations, arrays.masks[places])
    actions = np.zeros(len(batch), np.int64)
    actions[places] = _check_answer(player, asked, answer, may_forfeit)
    return actions


def _check_answer(player: Player, turn: Turn, answer: Any, may_forfeit: bool) -> np.ndarray:
    """The answer to a turn, if it is one legal action for each row. Shape [K], int64."""
    try:
        actions = np.asarray(answer)
    except ValueError:  # rows of different lengths
        actions = np.zeros(0)
    if actions.shape != turn.rows.shape or actions.dtype.kind not in "iu":
        raise PlayerError(
            f"{player.name} answered {len(turn.rows)} decisions with {short(answer)}, "
            "not with a whole number each"
        )
    actions = np.ascontiguousarray(actions, np.int64)
    played = np.ones(len(turn.rows), bool)
    if getattr(player, "may_forfeit", False):
        played = actions != FORFEIT
        if not may_forfeit and not played.all():
            raise PlayerError(f"{player.name}: {_find_verdict(player, turn.rows[~played][0])}")
    place = find_illegal(turn.masks, actions, played)
    if place != NO_ROW:
        what = name_illegal(turn.views[place], int(actions[place]))  # others read this
        raise PlayerError(f"{player.name}: {what}")
    return actions


def _find_verdict(player: Any, row: int) -> str:
    """Why a player has given up the hand in some row."""
    verdicts = [verdict for verdict in getattr(player, "verdicts", ()) if verdict.row == row]
    return verdicts[-1].text if verdicts else "forfeits the hand"
