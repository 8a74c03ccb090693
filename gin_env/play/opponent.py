"""Whoever sits opposite in one match, and what has to be kept to go on with it exactly."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gin_env import agents, bots
from gin_env.core.actions import DISCARD, DRAW, PASS
from gin_env.core.cards import ALL_BITS, N_CARDS
from gin_env.core.errors import GinError, PlayerError
from gin_env.core.inputs import SEED_END
from gin_env.game import Game
from gin_env.players import PROGRAM, BotPlayer, Player, Turn, Watcher, ask, resolve

HUMAN, OPPONENT = 0, 1
"""The seats."""

MAX_NAME = 20
"""Characters of a name on the screen."""


class Opponent:
    """A player at the seat `OPPONENT` of one game.

    Args:
        who: As `gin_env.players.resolve` takes it, as text.

    Attributes:
        who: Likewise; files with their whole path.
        name: What the screen calls it.

    Raises:
        GinError: If nobody is meant; it says who could be.
    """

    def __init__(self, who: str) -> None:
        self._player: Player = resolve(who)
        self.who = _whole_path(who)
        self.name = _short(self._player.name)
        self._knows_hand = False

    def begin(self, seed: int) -> None:
        """Begin a match: forget all, and choose at random by this seed from now on."""
        self._player.reset(np.array([seed], np.uint64), OPPONENT)
        self._knows_hand = False

    def decide(self, game: Game) -> int:
        """Choose an action in a game in which it is to move. It may take its time.

        Raises:
            PlayerError: If it answers with anything but a legal action; it may be asked again.
        """
        if isinstance(self._player, Watcher) and not self._knows_hand:
            self._follow(game)
        try:
            return self._ask(game)
        except BaseException:
            self._knows_hand = False  # it is told the hand anew before it is asked again
            raise

    def see(self, seat: int, action: int, game: Game) -> None:
        """See an action that was played, and how the hand ended if it did."""
        if self._knows_hand:
            self._tell(seat, action, game)

    def close(self) -> None:
        """Let go of what it holds, such as a program's process."""
        close = getattr(self._player, "close", None)
        if callable(close):
            close()

    @property
    def memory(self) -> dict[str, Any] | None:
        """What it remembers, of types fit for JSON; None where that is nothing."""
        if not isinstance(self._player, BotPlayer):
            return None
        memory = self._player.memories[0]
        return {"word": int(memory["word"]), "tried": memory["tried"].tolist()}

    def restore(self, memory: Any) -> None:
        """Remember again what `memory` was.

        Raises:
            GinError: If that is no memory of such a player.
        """
        if not isinstance(self._player, BotPlayer):
            if memory is not None:
                raise GinError(f"{self.who} remembers nothing, so its memory must be null")
            return
        word, tried = _read_memory(memory)
        self._player.memories["word"] = word
        self._player.memories["tried"] = tried

    def _ask(self, game: Game) -> int:
        observation = game.observation(OPPONENT, self._player.extras)
        turn = Turn(
            record=game.rules.record(game.episode),
            rows=np.zeros(1, np.int64),
            views=np.array([game.view(OPPONENT)]),
            observations=observation[None],
            masks=game.action_mask(OPPONENT)[None],
        )
        try:
            return int(ask(self._player, turn)[0])
        except PlayerError as error:  # whoever shows it says whose it is, and shorter
            raise PlayerError(str(error).removeprefix(f"{self._player.name}: ")) from error

    def _follow(self, game: Game) -> None:
        """Take it through the hand up to now: it is asked its moves again, whatever it answers."""
        self.begin(game.seed)
        so_far = Game.from_text(json.dumps({**json.loads(game.to_text()), "actions": []}))
        for action in game.actions:
            seat = so_far.to_move
            assert seat is not None
            if seat == OPPONENT:
                self._ask(so_far)
            so_far.play(action)
            self._tell(seat, action, so_far)
        self._knows_hand = True

    def _tell(self, seat: int, action: int, game: Game) -> None:
        assert isinstance(self._player, Watcher)
        rows = np.zeros(1, np.int64)
        self._player.see_moves(rows, seat, np.array([action], np.int64))
        if game.result is not None:
            self._player.see_ends(rows, [game.result])


def movers(dealer: int, actions: tuple[int, ...]) -> list[int]:
    """Who made each action of a hand: a pass and a discard hand the turn over.

    Args:
        dealer: Of the hand.
        actions: Ids, in order.
    """
    seats, seat = [], 1 - dealer
    for action in actions:
        seats.append(seat)
        if action == PASS or DISCARD <= action < DRAW:
            seat = 1 - seat
    return seats


def candidates() -> tuple[str, ...]:
    """Who can be chosen by name: the bots, then the agents that ship."""
    return (*bots.names(), *agents.names())


def is_named(who: str) -> bool:
    """Whether a text names a bot, perhaps with options, or an agent that ships."""
    return who.partition(":")[0] in bots.names() or who in agents.names()


def _whole_path(who: str) -> str:
    return who if who.startswith(PROGRAM) or is_named(who) else str(Path(who).resolve())


def _short(name: str) -> str:
    plain = "".join(character if character.isprintable() else "?" for character in name)
    return plain if len(plain) <= MAX_NAME else plain[: MAX_NAME - 1] + "…"


def _read_memory(memory: Any) -> tuple[int, list[int]]:
    if not isinstance(memory, Mapping) or set(memory) != {"word", "tried"}:
        raise GinError("the opponent's memory must hold word and tried")
    word, tried = memory["word"], memory["tried"]
    if not _is_whole(word, SEED_END - 1) or word == 0:
        raise GinError("the opponent's random word must be a whole number from 1 to 2**64 - 1")
    is_right = isinstance(tried, list) and len(tried) == N_CARDS
    if not is_right or not all(_is_whole(cards, ALL_BITS) for cards in tried):
        raise GinError(f"the opponent's tried cards must be {N_CARDS} masks of cards")
    return word, tried


def _is_whole(value: Any, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most
