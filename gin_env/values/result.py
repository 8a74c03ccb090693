"""The result of a hand: facts, as the engine left them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gin_env.core.cards import ALL_BITS
from gin_env.core.cards import points as points_of
from gin_env.core.hand_end import find_bonus
from gin_env.core.melds import arrange, run_cards
from gin_env.core.state import N_SEATS, NO_SEAT, OVER, Ending
from gin_env.values.melds import Layoff, Meld, meld_text, place_layoffs, split_melds

SEAT_NAMES = ("seat 0", "seat 1")
_GINS = (Ending.GIN, Ending.BIG_GIN)


class Arrangement(NamedTuple):
    """How one hand was laid out at the end."""

    melds: tuple[Meld, ...]
    """Sets by rank, then runs by suit."""
    unmelded: tuple[str, ...]
    """The deadwood cards; after layoffs, for a defender."""
    deadwood: int
    """Their points."""


@dataclass(frozen=True)
class HandResult:
    """How a hand ended. Pairs are (seat 0, seat 1)."""

    ending: Ending
    knocker: int | None
    """Who ended the hand with a knock, gin or big gin; None in a dead or forfeited hand."""
    winner: int | None
    """Who won the hand; None in a dead hand and where a tie pays nobody."""
    points: tuple[int, int]
    """Hand points, zero-sum."""
    n_turns: int
    """Turns that both seats played."""
    arrangements: tuple[Arrangement, Arrangement]
    """Where nobody knocked, no hand is shown: then these are the melds that each seat had."""
    layoffs: tuple[Layoff, ...]
    """The defender's cards on the knocker's melds."""
    bonus: int
    """Points for the gin, the big gin or the undercut, before any doubling."""
    factor: int
    """2 where the hand counts double (Oklahoma), else 1."""
    match_bonus: int
    """Points that a match pays the hand's winner beyond those of the hand; negative where its last
    hand brings the other seat more."""
    match_winner: int | None
    """Who has won the match with this hand; None where it goes on, and in a single hand."""

    @property
    def deadwoods(self) -> tuple[int, int]:
        """Deadwood of both seats after layoffs, points."""
        return self.arrangements[0].deadwood, self.arrangements[1].deadwood

    def describe(self, names: Sequence[str] = SEAT_NAMES) -> str:
        """Say in one line how the hand ended.

        Args:
            names: What to call seat 0 and seat 1.
        """
        if self.knocker is None:
            return self._describe_unknocked(names)
        knocker, defender = names[self.knocker], names[1 - self.knocker]
        left, other_left = self.deadwoods[self.knocker], self.deadwoods[1 - self.knocker]
        points = abs(self.points[0])
        match self.ending:
            case Ending.BIG_GIN:
                return f"{knocker} declares big gin against {other_left}: {points} points"
            case Ending.GIN:
                return f"{knocker} makes gin against {other_left}: {points} points"
            case Ending.KNOCK:
                return f"{knocker} knocks with {left} against {other_left}: {points} points"
            case Ending.UNDERCUT:
                return (
                    f"{knocker} knocks with {left} and is undercut with {other_left}: "
                    f"{points} points to {defender}"
                )
        return f"{knocker} knocks with {left} against {other_left}: a tie, no points"

    def explain(self) -> str:
        """Show in one line how the points come about; nothing where nobody knocked.

        Example:
            >>> from gin_env import Game
            >>> game = Game.from_deal(
            ...     dealer=1,
            ...     hands=["As 2s 3s 4h 5h 6h 7d 8d 9d Kc", "Qs Qh 2d 4d 6c 8c Tc Jh 8s 9h"],
            ...     upcard="Td",
            ... )
            >>> game.play("take")
            >>> game.play("knock Kc")
            >>> game.result.explain()
            '25 for gin + 77 = 102'
        """
        if self.knocker is None:
            return ""
        low, high = sorted(self.deadwoods)
        kind = {Ending.GIN: "gin", Ending.BIG_GIN: "big gin", Ending.UNDERCUT: "the undercut"}
        terms = f"{high} - {low}" if self.ending not in _GINS else f"{high}"
        if self.ending in kind:
            terms = f"{self.bonus} for {kind[self.ending]} + {terms}"
        points = abs(self.points[0])
        return f"2 x ({terms}) = {points}" if self.factor == 2 else f"{terms} = {points}"

    def _describe_unknocked(self, names: Sequence[str]) -> str:
        if self.winner is None:
            return "a dead hand: no points"
        loser, points = names[1 - self.winner], abs(self.points[0])
        return f"{loser} forfeits the hand: {points} points to {names[self.winner]}"


def read_result(r: np.void, s: np.void) -> HandResult | None:
    """Read the result of the hand on the table; None while it is being played."""
    return result_of(r, s["hand_end"]) if s["phase"] == OVER else None


def result_of(r: np.void, end: np.void) -> HandResult:
    """Read how a hand ended.

    Args:
        r: The rules, a record of `RULES_DTYPE`.
        end: A hand that has ended, a record of `gin_env.core.state.HAND_END_DTYPE`.
    """
    points, paid = int(end["points"]), int(end["paid"])
    sign = -1 if end["winner"] == 1 else 1
    arrangements = [_arrangement(end, seat) for seat in range(N_SEATS)]
    knocker = _seat_or_none(end["knocker"])
    return HandResult(
        ending=Ending(int(end["ending"])),
        knocker=knocker,
        winner=_seat_or_none(end["winner"]),
        points=(points, -points),
        n_turns=int(end["n_turns"]),
        arrangements=(arrangements[0], arrangements[1]),
        layoffs=()
        if knocker is None
        else place_layoffs(arrangements[knocker].melds, int(end["laid_off"])),
        bonus=find_bonus(r, end),
        factor=int(end["factor"]),
        match_bonus=sign * (paid - points),
        match_winner=_seat_or_none(end["match_winner"]),
    )


def _arrangement(end: np.void, seat: int) -> Arrangement:
    """The arrangement that was shown; where nobody knocked, the one that the seat would show."""
    hand, sets = int(end["hand"][seat]), int(end["sets"][seat])
    if end["knocker"] == NO_SEAT:
        sets = int(arrange(hand, ALL_BITS & ~(hand | int(end["out_of_play"]))))
    elif seat != end["knocker"]:
        hand &= ~int(end["laid_off"])
    runs = int(run_cards(hand & ~sets))
    unmelded = hand & ~sets & ~runs
    return Arrangement(split_melds(sets, runs), meld_text(unmelded), int(points_of(unmelded)))


def _seat_or_none(seat: np.int32) -> int | None:
    return None if seat == NO_SEAT else int(seat)
