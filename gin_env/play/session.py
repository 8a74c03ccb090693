"""One match between a person and an opponent, saved after every action."""

from pathlib import Path

import numpy as np

from gin_env.core.rules import Episode
from gin_env.errors import OutputError
from gin_env.game import Game
from gin_env.play.opponent import HUMAN, OPPONENT, Opponent
from gin_env.play.saved import write_match
from gin_env.values.checks import RulesLike


class Session:
    """A match, or a single hand, as it stands.

    Args:
        game: The game; the person has the seat `HUMAN`.
        opponent: Who sits opposite, with its memory.
        file: Where the match is saved.

    Attributes:
        game: Likewise; likewise the others.
        unsaved: Why the last action is not saved; empty if it is.
    """

    def __init__(self, game: Game, opponent: Opponent, file: Path) -> None:
        self.game, self.opponent, self.file = game, opponent, file
        self.unsaved = ""

    @classmethod
    def begin(
        cls,
        file: Path,
        opponent: Opponent,
        rules: RulesLike,
        episode: Episode = "match",
        seed: int | None = None,
    ) -> "Session":
        """Deal a new match, and save it; arguments as for `Game.deal`.

        Raises:
            GinError: If an argument is wrong; it says which.
        """
        session = cls(Game.deal(rules, seed, episode), opponent, file)
        opponent.begin(session.game.seed)
        session.save()
        return session

    @property
    def is_opponents_turn(self) -> bool:
        """Whether the opponent is to move."""
        return self.game.to_move == OPPONENT

    @property
    def names(self) -> tuple[str, str]:
        """What the screen calls the two seats."""
        return "You", self.opponent.name

    def look(self) -> np.void:
        """What the person may know, a record of `VIEW_DTYPE`."""
        return self.game.view(HUMAN)

    def play(self, action: str | int) -> None:
        """Play an action of the seat to move, and save.

        Raises:
            IllegalActionError: If the rules do not allow it; nothing has changed.
        """
        seat = self.game.to_move
        self.game.play(action)
        assert seat is not None
        self.save()
        self.opponent.see(seat, self.game.actions[-1], self.game)

    def next_hand(self) -> None:
        """Deal the next hand of the match, and save.

        Raises:
            MatchError: If there is none.
        """
        self.game.next_hand()
        self.save()

    def change_opponent(self, opponent: Opponent) -> None:
        """Let someone else go on for the opponent, in the same position; and save."""
        opponent.begin(self.game.seed)
        self.opponent.close()
        self.opponent = opponent
        self.save()

    def save(self) -> None:
        """Save; where that fails, the match goes on, and `unsaved` says why."""
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            write_match(self.file, self.game, self.opponent)
        except OSError as error:
            self.unsaved = f"cannot make {str(self.file.parent)!r}: {error.strerror}"
        except OutputError as error:
            self.unsaved = str(error)
        else:
            self.unsaved = ""


def warm_up() -> None:
    """Play a hand that nobody sees, so that no kernel has to be compiled in mid-game."""
    game = Game.deal("standard", 0, "match")
    while not game.is_over:
        game.view(HUMAN)
        game.play(game.legal_actions()[-1])
    Game.from_text(game.to_text())
    game.next_hand()
