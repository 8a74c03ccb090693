"""One hand and one match, played by the letter of docs/rules.md.

Rules are a plain mapping of the fields in docs/rules.md to their values.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .cards import ALL_CARDS, suit, total
from .melds import Arrangement, deadwood, deadwood_after, defend, shown_arrangement

Rules = Mapping[str, Any]
Pair = tuple[int, int]

KNOCK = 52  # KNOCK + card; a plain card id is a discard
DRAW, TAKE, PASS, BIG_GIN = 104, 105, 106, 107

STANDARD: dict[str, Any] = {
    "opening": "offer",
    "after_two_passes": "stock",
    "declined_upcard": "pile",
    "knock_limit": 10,
    "oklahoma": "off",
    "oklahoma_spades_double": False,
    "gin_bonus": 25,
    "undercut_bonus": 25,
    "big_gin_bonus": None,
    "tie": "undercut",
    "may_return_taken": False,
    "stock_end": 2,
    "turn_cap": 100,
    "first_dealer": "seat_1",
    "next_dealer": "alternate",
    "target": 100,
    "hand_bonus": 0,
    "hand_bonus_paid": "end",
    "game_bonus": 0,
    "shutout": "none",
}


def knock_limit(rules: Rules, upcard: int) -> int:
    """Return the most deadwood points to knock with, once the first upcard is known."""
    if rules["oklahoma"] == "off":
        return int(rules["knock_limit"])
    is_ace = total([upcard]) == 1
    cap = 0 if is_ace and rules["oklahoma"] == "ace_gin" else total([upcard])
    return min(int(rules["knock_limit"]), cap)


class ReferenceHand:
    """One hand, from the deal to its points.

    Attributes:
        hands: The cards of seat 0 and seat 1.
        pile: The discard pile, its top last.
        removed: Cards that left the game.
        stock: The stock in drawing order.
        limit: The most deadwood points to knock with.
        to_move: The seat to move; once over, the seat that ended the hand.
        phase: ``offer``, ``draw``, ``discard`` or ``over``.
        taken: The card just taken from the pile in this turn, if one was.
        turns: Turns finished by either seat; a knock and a big gin end theirs.
        ending: Empty until over, then ``dead``, ``knock``, ``undercut``, ``gin``, ``big_gin`` or
            ``push``.
        winner: The seat that won the hand, None without one.
        points: Points of seat 0 and seat 1, zero-sum.
        deadwood: Deadwood of seat 0 and seat 1 when a knock or gin ended the hand (the defender's
            after layoffs), else None.
        shown: The melds that the knocker showed; empty before, and at a big gin.
    """

    def __init__(
        self,
        rules: Rules,
        dealer: int,
        hands: Sequence[Iterable[int]],
        upcard: int,
        stock: Iterable[int],
    ) -> None:
        """Set the table; seats are 0 and 1, the stock comes in drawing order."""
        self.rules = rules
        self.dealer = dealer
        self.hands = [set(hands[0]), set(hands[1])]
        self.upcard = upcard
        self.stock = list(stock)
        self.pile = [upcard]
        self.removed: set[int] = set()
        self.limit = knock_limit(rules, upcard)
        self.to_move = 1 - dealer
        self.phase = "offer" if rules["opening"] == "offer" else "draw"
        self.passes = 0
        self.is_pile_closed = False
        self.taken: int | None = None
        self.turns = 0
        self.ending = ""
        self.winner: int | None = None
        self.points: Pair = (0, 0)
        self.deadwood: Pair | None = None
        self.shown: Arrangement = frozenset()

    def legal(self) -> set[int]:
        """Return the actions that the seat to move may choose from."""
        if self.phase == "offer":
            return {TAKE, PASS}
        if self.phase == "draw":
            return self._legal_draw()
        if self.phase == "discard":
            return self._legal_discard()
        return set()

    def apply(self, action: int) -> None:
        """Play one action.

        Raises:
            ValueError: The action is not legal here.
        """
        if action not in self.legal():
            raise ValueError(f"action {action} is not legal in phase {self.phase!r}")
        if action == PASS:
            self._pass()
        elif action in (DRAW, TAKE):
            self._draw(from_pile=action == TAKE)
        elif action == BIG_GIN:
            self._big_gin()
        elif action >= KNOCK:
            self._knock(action - KNOCK)
        else:
            self._discard(action)

    def _legal_draw(self) -> set[int]:
        actions = {DRAW} if self.stock else set()
        if self.pile and not self.is_pile_closed:
            actions.add(TAKE)
        return actions

    def _legal_discard(self) -> set[int]:
        hand = self.hands[self.to_move]
        actions = set()
        for card, left in deadwood_after(hand).items():
            if card == self.taken and not self.rules["may_return_taken"]:
                continue
            actions.add(card)
            if left <= self.limit:
                actions.add(KNOCK + card)
        if self.rules["big_gin_bonus"] is not None and deadwood(hand) == 0:
            actions.add(BIG_GIN)
        return actions

    def _pass(self) -> None:
        self.passes += 1
        if self.passes == 1:
            self.to_move = self.dealer
            return
        self.to_move = 1 - self.dealer
        self.phase = "draw"
        self.is_pile_closed = self.rules["after_two_passes"] != "either"
        if self.rules["declined_upcard"] == "removed":
            self.removed.add(self.pile.pop())

    def _draw(self, from_pile: bool) -> None:
        card = self.pile.pop() if from_pile else self.stock.pop(0)
        self.hands[self.to_move].add(card)
        self.taken = card if from_pile else None
        self.phase = "discard"
        if self.rules["after_two_passes"] == "stock":
            self.is_pile_closed = False  # it was closed for the first draw only

    def _discard(self, card: int) -> None:
        self._lay_down(card)
        if len(self.stock) <= self.rules["stock_end"] or self.turns >= self.rules["turn_cap"]:
            self._finish("dead", None, 0)
            return
        self.to_move = 1 - self.to_move
        self.phase = "draw"

    def _knock(self, card: int) -> None:
        self._lay_down(card)
        knocker, defender = self.to_move, 1 - self.to_move
        kept, held = self.hands[knocker], self.hands[defender]
        self.shown = shown_arrangement(kept, ALL_CARDS - kept - set(self.pile) - self.removed)
        mine = deadwood(kept)
        if mine == 0:
            self._show_deadwood(0, deadwood(held))
            self._finish("gin", knocker, self.rules["gin_bonus"] + deadwood(held))
            return
        theirs = defend(self.shown, held)
        self._show_deadwood(mine, theirs)
        if theirs > mine:
            self._finish("knock", knocker, theirs - mine)
        elif theirs < mine or self.rules["tie"] == "undercut":
            self._finish("undercut", defender, self.rules["undercut_bonus"] + mine - theirs)
        elif self.rules["tie"] == "push":
            self._finish("push", None, 0)
        else:
            self._finish("knock", knocker, 0)

    def _big_gin(self) -> None:
        self.turns += 1
        held = self.hands[1 - self.to_move]
        self._show_deadwood(0, deadwood(held))
        self._finish("big_gin", self.to_move, self.rules["big_gin_bonus"] + deadwood(held))

    def _lay_down(self, card: int) -> None:
        """Put a card on the pile, which finishes the turn."""
        self.hands[self.to_move].remove(card)
        self.pile.append(card)
        self.taken = None
        self.turns += 1

    def _show_deadwood(self, mine: int, theirs: int) -> None:
        self.deadwood = (mine, theirs) if self.to_move == 0 else (theirs, mine)

    def _finish(self, ending: str, winner: int | None, points: int) -> None:
        if self.rules["oklahoma_spades_double"] and suit(self.upcard) == 0:
            points *= 2
        self.phase, self.ending, self.winner = "over", ending, winner
        if winner is not None:
            self.points = zero_sum(winner, points)


class ReferenceMatch:
    """What spans hands: totals, the dealer, bonuses and the target.

    Attributes:
        dealer: Who deals the hand to come; not moved on once the match is over.
        totals: Running totals of seat 0 and seat 1, without the final bonuses.
        hands_won: Hands won by seat 0 and seat 1.
        bonuses: Final bonuses of seat 0 and seat 1; zeros until the match is over.
        winner: The seat that reached the target, None until one has.
    """

    def __init__(self, rules: Rules, lot: int = 0) -> None:
        """Start at nil; ``lot`` is the first dealer where the rules draw one by lot."""
        self.rules = rules
        self.dealer = {"seat_0": 0, "seat_1": 1, "lot": lot}[rules["first_dealer"]]
        self.totals = [0, 0]
        self.hands_won = [0, 0]
        self.bonuses = [0, 0]
        self.winner: int | None = None

    @property
    def is_over(self) -> bool:
        """Tell whether a running total has reached the target."""
        return self.winner is not None

    def record(self, winner: int | None, points: Pair) -> Pair:
        """Enter a finished hand.

        Args:
            winner: The seat that won the hand, None after a dead hand or a push.
            points: The hand's points of seat 0 and seat 1, zero-sum.

        Returns:
            The rewards of seat 0 and seat 1 for this hand, zero-sum: its points, with a bonus for
            the hand where that is paid at once, and all final bonuses with the last hand.
        """
        if self.is_over:
            raise ValueError("the match is over")
        if winner is None:
            return (0, 0)
        gain = points[winner]
        if self.rules["hand_bonus_paid"] == "at_once":
            gain += self.rules["hand_bonus"]
        self.totals[winner] += gain
        self.hands_won[winner] += 1
        if self.totals[winner] < self.rules["target"]:
            self.dealer = self._next_dealer(winner)
            return zero_sum(winner, gain)
        self.winner = winner
        self._add_final_bonuses(winner)
        return zero_sum(winner, gain + self.bonuses[winner] - self.bonuses[1 - winner])

    def _next_dealer(self, winner: int) -> int:
        after = {"loser": 1 - winner, "winner": winner, "alternate": 1 - self.dealer}
        return after[self.rules["next_dealer"]]

    def _add_final_bonuses(self, winner: int) -> None:
        if self.rules["hand_bonus_paid"] == "end":
            self.bonuses = [won * self.rules["hand_bonus"] for won in self.hands_won]
        self.bonuses[winner] += self.rules["game_bonus"]
        shutout = self.rules["shutout"]
        if self.totals[1 - winner] == 0 and shutout != "none":
            self.bonuses[winner] += self.totals[winner] if shutout == "double" else shutout


def zero_sum(winner: int, points: int) -> Pair:
    """Give the points to one seat and take them from the other."""
    return (points, -points) if winner == 0 else (-points, points)
