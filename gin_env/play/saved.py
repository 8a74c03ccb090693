"""A saved match: one JSON file, written whole after every action, checked in full when read."""

import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from gin_env import agents
from gin_env.errors import GinError, OutputError
from gin_env.game import Game
from gin_env.play.opponent import Opponent, is_named
from gin_env.support.files import hold, write_whole
from gin_env.support.options import short
from gin_env.values.json_fields import load_document

FORMAT = "gin_env match"
VERSION = 1
FIELDS = ("format", "version", "opponent", "memory", "game")
MAX_BYTES = 200_000
"""Longer files are not read."""

FILE_NAME = "match.json"


class Saved(NamedTuple):
    """A saved match. The opponent is not seated yet: that may run a program, or load a model."""

    game: Game
    who: str
    """The opponent, as `gin_env.players.resolve` takes it."""
    memory: Any
    """What it remembers, not checked yet."""

    @property
    def is_finished(self) -> bool:
        """Whether there is nothing left to play."""
        return is_finished(self.game)

    @property
    def is_harmless(self) -> bool:
        """Whether seating the opponent runs no code but ours: a bot, or an agent's npz."""
        is_file = self.who.endswith(agents.SUFFIX) and not Path(self.who).is_dir()
        return is_named(self.who) or is_file

    def seat(self) -> Opponent:
        """Seat the opponent as it was.

        Raises:
            GinError: If that cannot be; it says why.
        """
        opponent = Opponent(self.who)
        opponent.begin(self.game.seed)
        opponent.restore(self.memory)
        return opponent


def is_finished(game: Game) -> bool:
    """Whether a match, or a single hand, is over."""
    return game.is_match_over or (game.episode == "hand" and game.is_over)


def default_file() -> Path:
    """Where a match is saved unless another file is named: the user's folder for state."""
    from platformdirs import user_state_path  # noqa: PLC0415  (only playing needs it)

    return user_state_path("gin-env") / FILE_NAME


def is_saved(file: Path) -> bool:
    """Whether there is a file, whatever is in it.

    Raises:
        OutputError: If something else is there, such as a folder or a pipe.
    """
    try:
        mode = file.stat().st_mode
    except FileNotFoundError:
        return False
    except OSError as error:
        raise OutputError(f"cannot save in {str(file)!r}: {error.strerror}") from error
    if not stat.S_ISREG(mode):
        raise OutputError(f"cannot save in {str(file)!r}: it is no file")
    return True


@contextmanager
def hold_match(file: Path) -> Iterator[None]:
    """Lock a match: two programs that play it would undo each other's moves.

    Raises:
        OutputError: If another program has it, or nothing can be written there.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot save in {str(file.parent)!r}: {error.strerror}") from error
    in_use = f"another gin-env is playing the match in {str(file)!r}"
    with hold(Path(f"{file}.lock"), OutputError, in_use):
        yield


def write_match(file: Path, game: Game, opponent: Opponent) -> None:
    """Save a match; at every moment the old file or the new one is there, whole.

    Raises:
        OutputError: If it cannot be written.
    """
    fields = {
        "format": FORMAT,
        "version": VERSION,
        "opponent": opponent.who,
        "memory": opponent.memory,
        "game": json.loads(game.to_text()),
    }
    write_whole(file, json.dumps(fields).encode())


def read_match(file: Path) -> Saved | None:
    """Read a saved match; None if there is no such file.

    Raises:
        OutputError: If it cannot be read, or is not what `write_match` writes; it says why.
    """
    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise OutputError(f"cannot read {str(file)!r}: {error.strerror}") from error
    try:
        return _parse(content)
    except GinError as error:
        raise OutputError(f"{str(file)!r} holds no saved match: {error}") from error


def set_aside(file: Path) -> Path:
    """Rename a file that cannot be read, so that another can be written; returns its new name.

    Raises:
        OutputError: If it cannot be renamed.
    """
    number = 1
    while os.path.lexists(aside := file.with_name(f"{file.name}.broken-{number}")):
        number += 1
    try:
        return file.rename(aside)
    except OSError as error:
        raise OutputError(f"cannot rename {str(file)!r}: {error.strerror}") from error


def _parse(content: bytes) -> Saved:
    if len(content) > MAX_BYTES:
        raise OutputError(f"it is longer than {MAX_BYTES:,} bytes")
    fields = load_document(content, FORMAT, VERSION, FIELDS)
    game = Game.from_text(json.dumps(fields["game"]))
    who = fields["opponent"]
    if not isinstance(who, str):
        raise OutputError(f"the opponent must be a text, not {short(who)}")
    return Saved(game, who, fields["memory"])
