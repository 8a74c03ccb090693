"""One game played through the kernels, for the tests of the core."""

from typing import Self

import numpy as np
from numpy.typing import NDArray

from gin_env.core.actions import N_ACTIONS
from gin_env.core.match import BY_RULES, begin
from gin_env.core.observe import EXTRAS, encode, encode_extras, extras_bits, obs_size
from gin_env.core.rules import Episode, Rules
from gin_env.core.state import STATE_DTYPE, STOCK_PLACE, UPCARD_PLACE, seed_words
from gin_env.core.step import lay_out, legal_mask
from gin_env.core.view import VIEW_DTYPE, look
from tests.hands import Deal, Hand, cards
from tests.reference.cards import listed


class Table:
    """A state with its rules; whatever it hands out is a fresh array or record."""

    def __init__(self, rules: Rules, episode: Episode = "hand") -> None:
        self.rules = rules
        self.r = rules.row(episode)
        self.s: np.void = np.zeros(1, STATE_DTYPE)[0]

    @classmethod
    def seeded(
        cls,
        rules: Rules,
        seed: int,
        episode: Episode = "hand",
        dealer: int = BY_RULES,
        stream: int = 0,
    ) -> Self:
        """Begin an episode from a seed."""
        table = cls(rules, episode)
        table.s["rng_state"] = seed_words(np.array([seed], np.uint64), stream)[0]
        begin(table.r, table.s, dealer)
        return table

    @classmethod
    def laid(
        cls, hands: tuple[str, str], upcard: str, stock: str = "", *, rules: Rules | None = None
    ) -> Self:
        """Begin a hand that seat 1 deals from cards as text; the stock goes on in card order."""
        table = cls.seeded(rules or Rules(), 0, dealer=1)
        dealt = (frozenset(listed(hands[0])), frozenset(listed(hands[1])))
        named = listed(stock)
        gone = dealt[0] | dealt[1] | {*listed(upcard), *named}
        rest = [card for card in range(52) if card not in gone]
        table.lay(Deal(dealt, listed(upcard)[0], (*named, *rest)))
        return table

    def lay(self, deal: Deal) -> None:
        """Begin the hand anew from these cards, for the present dealer."""
        order = [*sorted(deal.hands[0]), *sorted(deal.hands[1]), deal.upcard, *deal.stock]
        assert sorted(order) == list(range(52))
        self.s["deck"] = order
        lay_out(self.r, self.s)

    def deal(self) -> Deal:
        """The deal that the deck holds."""
        deck = self.s["deck"].tolist()
        hands = (frozenset(deck[:10]), frozenset(deck[10:UPCARD_PLACE]))
        return Deal(hands, deck[UPCARD_PLACE], tuple(deck[STOCK_PLACE:]))

    def hand(self, seat: int) -> Hand:
        """The cards of one seat."""
        return cards(self.s["hand"][seat])

    def pile(self) -> list[int]:
        """The pile, its top last."""
        pile: list[int] = self.s["pile"][: self.s["n_pile"]].tolist()
        return pile

    def stock(self) -> list[int]:
        """The stock in drawing order."""
        stock: list[int] = self.s["deck"][52 - self.s["n_stock"] :].tolist()
        return stock

    def view(self, seat: int) -> np.void:
        """What one seat may know."""
        view: np.void = np.zeros(1, VIEW_DTYPE)[0]
        look(self.r, self.s, seat, view)
        return view

    def mask(self, seat: int) -> NDArray[np.int8]:
        """The action mask of one seat."""
        mask = np.full(N_ACTIONS, 7, np.int8)
        legal_mask(self.r, self.view(seat), mask)
        return mask

    def legal(self, seat: int) -> set[int]:
        """The legal actions of one seat."""
        return set(np.flatnonzero(self.mask(seat)).tolist())

    def observation(self, seat: int) -> NDArray[np.float32]:
        """The observation of one seat, with all optional blocks."""
        view = self.view(seat)
        observation = np.full(obs_size(EXTRAS), np.nan, np.float32)
        encode(self.r, view, observation)
        encode_extras(view, extras_bits(EXTRAS), observation)
        return observation
