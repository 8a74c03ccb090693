"""Game: one hand or one match, checked and printable, for people and tools."""

from collections.abc import Iterable, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, Literal, Self, SupportsIndex, overload

import numpy as np

from gin_env.core import match
from gin_env.core.actions import N_ACTIONS
from gin_env.core.cards import N_CARDS, CardsLike, card_text
from gin_env.core.observe import check_extras, encode, encode_extras, extras_bits, obs_size
from gin_env.core.rules import RULES_DTYPE, Episode, Rules, to_rules
from gin_env.core.state import N_SEATS, NO_SEAT, OVER, STATE_DTYPE, Phase
from gin_env.core.step import lay_out, legal_mask
from gin_env.core.view import VIEW_DTYPE, look
from gin_env.errors import (
    GameTextError,
    IllegalActionError,
    MatchError,
    OptionError,
    RenderModeError,
)
from gin_env.history import Hand, Writer, find_deck, make_hand
from gin_env.rendering.draw import draw_image, draw_text
from gin_env.rendering.image import DEFAULT_HEIGHT
from gin_env.rendering.words import PLAYER_NAMES
from gin_env.support.options import check_seed
from gin_env.values.checks import (
    RulesLike,
    check_action,
    check_seat,
    legal_now,
    read_deal,
    seed_word,
)
from gin_env.values.melds import Meld, meld_text
from gin_env.values.result import HandResult, read_result
from gin_env.values.saved_game import GameText, read_text, write_text

Perspective = SupportsIndex | Literal["both"] | None
"""Whose view is drawn: a seat's; both hands open, for replays; that of the seat to move."""


class Game:
    """A hand, or a match of hands, from the deal to its points.

    Make one with `Game.deal`, `Game.from_deal` or `Game.from_text`. Copies, deep copies and pickles
    go on exactly as the original, but what they play is not recorded.

    Attributes:
        rules: The rules of the table.
        episode: ``"hand"`` or ``"match"``.
        seed: The seed of the deals.
        actions: The ids of the actions played in this hand.
        names: What seat 0 and seat 1 are called in a record.

    Example:
        >>> game = Game.deal("standard", seed=7, dealer=1)
        >>> game.to_move, game.phase.name
        (0, 'OFFER')
        >>> game.play("pass")
        >>> game.play("pass")
        >>> game.play("draw")
        >>> len(game.hand(0))
        11
    """

    rules: Rules
    episode: Episode
    seed: int
    actions: tuple[int, ...]
    names: tuple[str, str]

    def __init__(
        self, rules: RulesLike, seed: SupportsIndex | None, episode: Episode, dealer: int | None
    ):
        self.rules = to_rules(rules)
        self.episode = episode
        self.seed = check_seed(seed)
        self.names = PLAYER_NAMES
        self._writer: Writer | None = None
        # Records live in arrays of one: unlike a record alone, those copy and pickle as they are.
        self._rules = np.zeros(1, RULES_DTYPE)
        self._rules[0] = self.rules.row(episode)
        self._state = np.zeros(1, STATE_DTYPE)
        self._state[0]["rng_state"] = seed_word(self.seed)
        first = match.BY_RULES if dealer is None else check_seat(dealer, "dealer")
        match.begin(self._rules[0], self._state[0], first)
        self._set_out()

    @classmethod
    def deal(
        cls,
        rules: RulesLike = "standard",
        seed: SupportsIndex | None = None,
        episode: Episode = "hand",
        dealer: int | None = None,
        *,
        record: str | Path | None = None,
        names: Sequence[str] = PLAYER_NAMES,
    ) -> Self:
        """Deal a game; the same seed deals the same cards as every other face.

        Args:
            rules: A preset's name, a mapping of rule fields, or `Rules`.
            seed: From 0 to 2**64 - 1; None takes a fresh one (see `seed`).
            episode: ``"hand"``, or ``"match"`` for hands until the target is reached.
            dealer: Seat 0 or 1; None as the rules say: a single hand is dealt by lot.
            record: A file to which every hand is appended as it ends (docs/history.md).
            names: What to call seat 0 and seat 1 there.

        Raises:
            GinError: `RulesError`, `SeedError` or `SeatError`, if one of them is out of range;
                `HistoryError`, if the file of ``record`` cannot be written.
        """
        return cls(rules, seed, episode, dealer)._record_in(record, names)

    @classmethod
    def from_deal(
        cls,
        rules: RulesLike = "standard",
        *,
        dealer: int,
        hands: Sequence[CardsLike],
        upcard: CardsLike,
        stock: CardsLike | None = None,
        seed: SupportsIndex | None = None,
        episode: Episode = "hand",
        record: str | Path | None = None,
        names: Sequence[str] = PLAYER_NAMES,
    ) -> Self:
        """Lay out a given deal; cards are text, ids or masks.

        Args:
            rules: A preset's name, a mapping of rule fields, or `Rules`.
            dealer: Seat 0 or 1; the other seat acts first.
            hands: Ten cards for seat 0 and ten for seat 1.
            upcard: One card (an int is its id, not a mask).
            stock: The other 31 cards in drawing order; None shuffles them by ``seed``.
            seed: For that, and for the further hands of a match.
            episode: ``"hand"`` or ``"match"``.
            record: As for `deal`; likewise ``names``.
            names: What to call seat 0 and seat 1 there.

        Raises:
            DealError: If a part of the deal has a wrong number of cards.
            CardError: If something names no card, or a card comes twice.
            GinError: As for `deal`.

        Example:
            >>> game = Game.from_deal(
            ...     dealer=1,
            ...     hands=["As 2s 3s 4h 5h 6h 7d 8d 9d Kc", "Qs Qh 2d 4d 6c 8c Tc Jh 8s 9h"],
            ...     upcard="Td",
            ... )
            >>> game.play("take")
            >>> game.play("knock Kc")
            >>> game.result.ending.name, game.points
            ('GIN', (102, -102))
        """
        game = cls(rules, seed, episode, dealer)
        game._lay_out(read_deal(hands, upcard, stock, game._state[0]["deck"].tolist()))
        return game._record_in(record, names)

    @property
    def phase(self) -> Phase:
        """What the seat to move has to decide."""
        return Phase(int(self._state[0]["phase"]))

    @property
    def to_move(self) -> int | None:
        """The seat to move; None when the hand is over."""
        return None if self.is_over else int(self._state[0]["to_move"])

    @property
    def dealer(self) -> int:
        """The seat that dealt this hand."""
        return int(self._state[0]["dealer"])

    def hand(self, seat: int) -> Meld:
        """The cards that a seat holds, as text, in the order of their ids."""
        return meld_text(int(self._state[0]["hand"][check_seat(seat)]))

    @property
    def pile(self) -> tuple[str, ...]:
        """The discard pile, its top last."""
        s = self._state[0]
        return tuple(card_text(card) for card in s["pile"][: s["n_pile"]].tolist())

    @property
    def stock(self) -> tuple[str, ...]:
        """The stock in drawing order."""
        s = self._state[0]
        return tuple(card_text(card) for card in s["deck"][N_CARDS - s["n_stock"] :].tolist())

    def legal_actions(self) -> list[int]:
        """Ids of what the seat to move may do; empty when the hand is over."""
        mask = legal_now(self._rules[0], self._state[0])
        return np.flatnonzero(mask).tolist()

    def action_mask(self, seat: int) -> np.ndarray:
        """What a seat may do now. Shape [108], int8; all 0 for a seat that is not to move."""
        mask = np.zeros(N_ACTIONS, np.int8)
        legal_mask(self._rules[0], self.view(seat), mask)
        return mask

    def observation(self, seat: int, extras: Iterable[str] = ()) -> np.ndarray:
        """What a seat may know, as `gin_env.OBS_LAYOUT` describes it.

        Args:
            seat: 0 or 1, to move or not.
            extras: Names of optional blocks.

        Returns:
            A fresh array. Shape [OBS_SIZE], float32; longer with ``extras``.
        """
        wanted = check_extras(extras)
        obs = np.zeros(obs_size(wanted), np.float32)
        view = self.view(seat)
        encode(self._rules[0], view, obs)
        if wanted:
            encode_extras(view, extras_bits(wanted), obs)
        return obs

    def view(self, seat: int) -> np.void:
        """What a seat may know, as a record of `gin_env.core.view.VIEW_DTYPE`; a fresh one."""
        view: np.void = np.zeros(1, VIEW_DTYPE)[0]
        look(self._rules[0], self._state[0], check_seat(seat), view)
        return view

    def play(self, action: str | SupportsIndex) -> None:
        """Play an action of the seat to move.

        Args:
            action: Its id, or text: ``pass``, ``take``, ``draw``, ``discard 7s``, ``knock 7s``,
                ``big gin``.

        Raises:
            IllegalActionError: If the rules do not allow it; the game is as before.
        """
        number = check_action(self._rules[0], self._state[0], action)
        match.play(self._rules[0], self._state[0], number)
        self.actions += (number,)
        if self._writer is not None and self.is_over:
            self._writer.write([self._as_hand()])

    @property
    def is_over(self) -> bool:
        """Whether this hand has ended."""
        return bool(self._state[0]["phase"] == OVER)

    @property
    def result(self) -> HandResult | None:
        """How this hand ended; None before."""
        return read_result(self._rules[0], self._state[0])

    @property
    def points(self) -> tuple[int, int]:
        """Hand points of seat 0 and seat 1; 0 before the end."""
        points = int(self._state[0]["hand_end"]["points"]) if self.is_over else 0
        return points, -points

    @property
    def rewards(self) -> tuple[int, int]:
        """What the last action paid to seat 0 and seat 1: hand points, and bonuses of a match."""
        reward = int(self._state[0]["reward"])
        return reward, -reward

    @property
    def totals(self) -> tuple[int, int]:
        """Running totals of seat 0 and seat 1, points."""
        totals = self._state[0]["totals"]
        return int(totals[0]), int(totals[1])

    @property
    def hands_won(self) -> tuple[int, int]:
        """Hands of the match that seat 0 and seat 1 have won."""
        hands_won = self._state[0]["hands_won"]
        return int(hands_won[0]), int(hands_won[1])

    @property
    def n_hands(self) -> int:
        """Hands of the match that have ended."""
        return int(self._state[0]["n_hands"])

    @property
    def is_match_over(self) -> bool:
        """Whether a seat has reached the target."""
        return self.match_winner is not None

    @property
    def match_winner(self) -> int | None:
        """The seat that won the match; None before, and in a single hand."""
        winner = int(self._state[0]["match_winner"])
        return None if winner == NO_SEAT else winner

    def next_hand(self) -> None:
        """Deal the next hand of a match.

        Raises:
            MatchError: If the hand or the whole match is not at that point.
        """
        if self.episode != "match":
            raise MatchError("a game with episode='hand' has no next hand; deal another game")
        if not self.is_over:
            raise MatchError(f"the hand is not over: seat {self.to_move} is to move")
        if self.is_match_over:
            raise MatchError(f"the match is over: seat {self.match_winner} has won it")
        match.next_hand(self._rules[0], self._state[0])
        self._set_out()

    def copy(self) -> Self:
        """A game of its own that goes on exactly as this one."""
        return deepcopy(self)

    __copy__ = copy

    def to_text(self) -> str:
        """Write the whole game, hidden cards and all, as one line of JSON."""
        dealt = self._dealt[0]
        return write_text(
            GameText(
                rules=self.rules,
                episode=self.episode,
                seed=self.seed,
                word=int(dealt["rng_state"]),
                dealer=int(dealt["dealer"]),
                deck=tuple(dealt["deck"].tolist()),
                n_hands=int(dealt["n_hands"]),
                hands_won=tuple(dealt["hands_won"].tolist()),
                totals=tuple(dealt["totals"].tolist()),
                actions=self.actions,
            )
        )

    @classmethod
    def from_text(
        cls,
        text: str,
        *,
        record: str | Path | None = None,
        names: Sequence[str] = PLAYER_NAMES,
    ) -> Self:
        """Read what `to_text` wrote; the hand is played again from its deal.

        Args:
            text: The game.
            record: As for `deal`; a hand that is over in the text is not recorded again.
            names: What to call seat 0 and seat 1 there.

        Raises:
            GameTextError: If the text is broken or holds a game that cannot be.
            HistoryError: If the file of ``record`` cannot be written.

        Example:
            >>> game = Game.deal(seed=7)
            >>> Game.from_text(game.to_text()).hand(0) == game.hand(0)
            True
        """
        fields = read_text(text)
        game = cls(fields.rules, fields.seed, fields.episode, fields.dealer)
        s = game._state[0]
        s["rng_state"] = fields.word
        s["n_hands"] = fields.n_hands
        s["hands_won"] = fields.hands_won
        s["totals"] = fields.totals
        game._lay_out(fields.deck)
        for number, action in enumerate(fields.actions, start=1):
            try:
                game.play(action)
            except IllegalActionError as error:
                raise GameTextError(f"no game: action {number}: {error}") from error
        return game._record_in(record, names)

    @overload
    def render(
        self,
        mode: Literal["ansi"] = "ansi",
        perspective: Perspective = None,
        *,
        names: Sequence[str] = PLAYER_NAMES,
        screen_height: int = DEFAULT_HEIGHT,
    ) -> str: ...

    @overload
    def render(
        self,
        mode: Literal["rgb_array"],
        perspective: Perspective = None,
        *,
        names: Sequence[str] = PLAYER_NAMES,
        screen_height: int = DEFAULT_HEIGHT,
    ) -> np.ndarray: ...

    def render(
        self,
        mode: Literal["ansi", "rgb_array"] = "ansi",
        perspective: Perspective = None,
        *,
        names: Sequence[str] = PLAYER_NAMES,
        screen_height: int = DEFAULT_HEIGHT,
    ) -> str | np.ndarray:
        """Draw the table.

        Args:
            mode: ``"ansi"`` for text, ``"rgb_array"`` for a picture, which needs Pillow.
            perspective: The seat that sees it; ``"both"``, for replays, to show both hands, seat 0
                in front; None for the seat to move, after the end seat 0.
            names: What to call seat 0 and seat 1.
            screen_height: Of the picture, 360 to 2160 pixels.

        Returns:
            Text of at most 80 columns, or shape [screen_height, width, 3], uint8.

        Raises:
            GinError: `RenderModeError`, `SeatError`, `OptionError` or `PillowMissingError`.
        """
        if mode not in ("ansi", "rgb_array"):
            raise RenderModeError(f"mode must be one of 'ansi', 'rgb_array', not {mode!r}")
        if perspective is None:
            seat = self.to_move or 0
        elif perspective == "both":
            seat = 0
        else:
            seat = check_seat(perspective, "perspective")
        both, names = perspective == "both", _read_names(names)
        r, s = self._rules[0], self._state[0]
        if mode == "ansi":
            return draw_text(r, s, seat, both=both, names=names)
        return draw_image(r, s, seat, both=both, names=names, screen_height=screen_height)

    def __str__(self) -> str:
        """The table as the seat to move sees it; after the end, as seat 0 does."""
        return draw_text(self._rules[0], self._state[0], self.to_move or 0)

    def __repr__(self) -> str:
        return f"<Game {self.episode} seed={self.seed} {self.phase.name} after {self.actions}>"

    def _record_in(self, record: str | Path | None, names: Sequence[str]) -> Self:
        """Append the hands that end from here on to a file, if one is given."""
        self.names = _read_names(names)
        self._writer = None if record is None else Writer(record)
        return self

    def _as_hand(self) -> Hand:
        """The hand that has just ended, for the record; with its seed if that dealt the cards."""
        dealt = self._dealt[0]
        is_seeds = find_deck(self.seed, int(dealt["n_hands"])) == tuple(dealt["deck"].tolist())
        return make_hand(
            dealt,
            self.actions,
            self._state[0]["hand_end"],
            rules=self.rules,
            episode=self.episode,
            players=self.names,
            seed=self.seed if is_seeds else None,
            penalty=0,
        )

    def _lay_out(self, deck: Sequence[int]) -> None:
        self._state[0]["deck"] = deck
        lay_out(self._rules[0], self._state[0])
        self._set_out()

    def _set_out(self) -> None:
        """Keep the hand as dealt: `to_text` writes it with the actions since."""
        self._dealt = self._state.copy()
        self.actions = ()


def _read_names(names: Any) -> tuple[str, str]:
    """What seat 0 and seat 1 are called."""
    is_list = isinstance(names, Sequence) and not isinstance(names, str)
    if not is_list or len(names) != N_SEATS:
        raise OptionError(f"names must be two, of seat 0 and seat 1, not {names!r}")
    return str(names[0]), str(names[1])
