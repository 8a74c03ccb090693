"""Whoever sits opposite in one match, and what has to be kept to go on with it exactly."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from gin_env import agents, bots
from gin_env.core.cards import ALL_BITS, N_CARDS
from gin_env.errors import FieldError, GinError, PlayerError
from gin_env.game import Game
from gin_env.players import PROGRAM, BotPlayer, Player, Turn, Watcher, ask, resolve
from gin_env.rendering.words import printable
from gin_env.support.options import SEED_END
from gin_env.values.json_fields import check_names, read_int

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
        return {"word": int(memory["rng_state"]), "tried": memory["tried"].tolist()}

    def restore(self, memory: Any) -> None:
        """Remember again what `memory` was.

        Raises:
            GinError: If that is no memory of such a player.
        """
        if not isinstance(self._player, BotPlayer):
            if memory is not None:
                raise GinError(f"{self.who} remembers nothing, so its memory must be null")
            return
        try:
            word, tried = _read_memory(memory)
        except FieldError as error:
            raise FieldError(f"the opponent's memory: {error}") from error
        self._player.memories["rng_state"] = word
        self._player.memories["tried"] = tried

    def _ask(self, game: Game) -> int:
        observation = game.observation(OPPONENT, self._player.extras)
        turn = Turn(
            rules_row=game.rules.row(game.episode),
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
        so_far = _rewind(game)
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


def tell_again(game: Game) -> Iterator[tuple[int, int, int]]:
    """The actions of a hand: who made each, its id, and the top of the pile before it."""
    so_far = _rewind(game)
    for action in game.actions:
        seat = so_far.to_move
        assert seat is not None
        yield seat, action, int(so_far.view(seat)["top"])
        so_far.play(action)


def candidates() -> tuple[str, ...]:
    """Who can be chosen by name: the bots, then the agents that ship."""
    return (*bots.names(), *agents.names())


def is_named(who: str) -> bool:
    """Whether a text names a bot, perhaps with options, or an agent that ships."""
    return bots.is_bot(who) or who in agents.names()


def _whole_path(who: str) -> str:
    return who if who.startswith(PROGRAM) or is_named(who) else str(Path(who).resolve())


def _short(name: str) -> str:
    plain = printable(name)
    return plain if len(plain) <= MAX_NAME else plain[: MAX_NAME - 1] + "…"


def _rewind(game: Game) -> Game:
    """The same hand as it was dealt."""
    return Game.from_text(json.dumps({**json.loads(game.to_text()), "actions": []}))


def _read_memory(memory: Any) -> tuple[int, list[int]]:
    if not isinstance(memory, dict):
        raise FieldError("it must hold word and tried")
    check_names(memory, ("word", "tried"))
    tried = memory["tried"]
    if not isinstance(tried, list) or len(tried) != N_CARDS:
        raise FieldError(f"tried must be {N_CARDS} masks of cards")
    word = read_int(memory, "word", 1, SEED_END - 1)
    return word, [read_int({"tried": cards}, "tried", 0, ALL_BITS) for cards in tried]
