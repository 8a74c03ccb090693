"""Recorded hands on the table again: played by the engine, and compared with what was written."""

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from gin_env.core import match
from gin_env.core.cards import cards_text
from gin_env.core.rules import Rules
from gin_env.core.state import OVER, STATE_DTYPE
from gin_env.core.step import lay_out, shuffle
from gin_env.errors import HistoryError, IllegalActionError
from gin_env.history.hand import Hand
from gin_env.history.lines import read
from gin_env.players.protocol import FORFEIT
from gin_env.values.checks import check_action, seed_word
from gin_env.values.result import HandResult, result_of

MOST_SHUFFLES = 1000
"""Later hands of a match are not compared with the seed: a hostile file could ask for millions."""
_ANY_WORD = 1
"""A random word for hands whose cards are known."""


class End(NamedTuple):
    """What a hand leaves behind, as `Hand` holds it."""

    paid: tuple[int, int]
    totals_after: tuple[int, int]
    match_winner: int | None
    result: HandResult


def verify(source: str | Path | BinaryIO) -> int:
    """Play every hand of a file through the engine, and compare all that is written.

    Args:
        source: The file, or a binary stream.

    Returns:
        How many hands there are; all of them agree.

    Raises:
        HistoryError: At the first line that is damaged, or that the engine disagrees with: it
            says which line, and what differs.
    """
    n_hands = 0
    for n_hands, hand in enumerate(read(source), start=1):
        try:
            check_hand(hand)
        except HistoryError as error:
            raise HistoryError(str(error), n_hands) from error
    return n_hands


def check_hand(hand: Hand) -> None:
    """Play a hand through the engine, and compare.

    Raises:
        HistoryError: If an action is illegal, the hand does not end with the last one, or the end
            is another one than was written.
    """
    if hand.seed is not None and hand.game == 0 and hand.hand < MOST_SHUFFLES:
        dealt = find_deck(hand.seed, hand.hand)
        if dealt != hand.deck:
            raise HistoryError(
                f"seed {hand.seed} deals {cards_text(dealt)}, not {cards_text(hand.deck)}"
            )
    *_, (rules, state) = play_again(hand)
    if state["phase"] != OVER:
        raise HistoryError(f"the hand is not over after its {len(hand.actions)} actions")
    end = read_end(rules, state["hand_end"])
    for name, played in end._asdict().items():
        _compare(name, getattr(hand, name), played)


def play_again(hand: Hand) -> Iterator[tuple[np.void, np.void]]:
    """Play a hand through the engine.

    Yields:
        The rules, a record of `RULES_DTYPE`, and the state, one of `STATE_DTYPE`: as dealt, and
        after each action. It is the same record each time: copy what must last.

    Raises:
        HistoryError: If an action is illegal.
    """
    rules, state = lay_out_hand(hand)
    yield rules, state
    for number, action in enumerate(hand.actions, start=1):
        if state["phase"] == OVER:
            raise HistoryError(f"action {number} comes after the end of the hand")
        if action != FORFEIT:
            try:
                check_action(rules, state, action)
            except IllegalActionError as error:
                raise HistoryError(f"action {number}: {error}") from error
        play_on(rules, state, action, hand.penalty)
        yield rules, state


def lay_out_hand(hand: Hand) -> tuple[np.void, np.void]:
    """The rules of a hand and its state as dealt. Returns records of two dtypes."""
    rules = hand.rules.row(hand.episode)
    state = _begin(rules, _ANY_WORD, hand.dealer)
    state["deck"] = hand.deck
    state["n_hands"] = hand.hand
    state["hands_won"] = hand.hands_won
    state["totals"] = hand.totals
    lay_out(rules, state)
    return rules, state


def play_on(rules: np.void, state: np.void, action: int, penalty: int | None) -> None:
    """Play an action that is legal, or `FORFEIT` at the price of ``penalty`` points."""
    if action == FORFEIT:
        match.play_forfeit(rules, state, penalty or 0)
    else:
        match.play(rules, state, action)


def read_end(rules: np.void, end: np.void) -> End:
    """What a hand leaves behind that has ended (``end``, a record of `HAND_END_DTYPE`)."""
    result = result_of(rules, end)
    paid, totals = int(end["paid"]), end["totals"].tolist()
    return End(
        result=result,
        paid=(paid, -paid),
        totals_after=(totals[0], totals[1]),
        match_winner=result.match_winner,
    )


def find_deck(seed: int, n_hands: int) -> tuple[int, ...]:
    """The deck that a seed's first hand or match deals after some hands. Returns 52 ids.

    Rules and play have no part in it: each deal is one shuffle on from the last.
    """
    state = _begin(Rules().row(), seed_word(seed), 0)
    for _ in range(n_hands):
        shuffle(state)
    return tuple(state["deck"].tolist())


def _begin(rules: np.void, word: Any, dealer: int) -> np.void:
    state: np.void = np.zeros(1, STATE_DTYPE)[0]
    state["rng_state"] = word
    match.begin(rules, state, dealer)
    return state


def _compare(name: str, written: Any, played: Any) -> None:
    """Raise what differs, by the way to it."""
    if isinstance(played, HandResult):
        for field in fields(played):
            part = getattr(written, field.name), getattr(played, field.name)
            _compare(f"{name}.{field.name.removeprefix('n_')}", *part)
    elif written != played:
        raise HistoryError(f"{name} is {_show(written)}, but the engine says {_show(played)}")


def _show(value: Any) -> str:
    return value.name.lower() if hasattr(value, "name") else repr(value)
