"""Who sits down: told from everybody else by options or by hashes of files, and seated."""

import shutil
from collections.abc import Iterator, Sequence
from hashlib import file_digest
from pathlib import Path
from typing import Any

from eval.games.arena import Contest, OnEnded, Played, play_part
from gin_env import bots
from gin_env.agents import SUFFIX
from gin_env.errors import PlayerError
from gin_env.players import PROGRAM, RUN_FILE, find_model, resolve
from gin_env.players.program import ProgramPlayer
from gin_env.players.protocol import Player

NETWORKS = ("agent", "file")
"""Kinds of players that are networks: an npz, and what takes torch to play."""

Seat = dict[str, Any]
"""Who sits down, of plain types, as `identify` tells him from others."""


def identify(text: object) -> Seat:
    """Say who is meant: options, or hashes of files.

    Of a program, those files are hashed that its command line names.

    Raises:
        PlayerError: If it is no text, a file cannot be read, or there is no such program.
        BotError: If a bot does not have an option.
    """
    if not isinstance(text, str):
        raise PlayerError(f"{text!r} is an object of this process: a worker needs a player as text")
    if text.startswith(PROGRAM):
        words = ProgramPlayer(text.removeprefix(PROGRAM)).command
        files = {words[0]: Path(shutil.which(words[0]) or words[0])}
        files |= {word: Path(word) for word in words[1:]}
        return {"text": text, "kind": "program", "sha256": _hash(files)}
    if bots.is_bot(text):
        return {"text": text, "kind": "bot", "options": dict(bots.read(text).options)}
    model = find_model(text)
    if model.suffix == SUFFIX:
        return {"text": text, "kind": "agent", "sha256": _hash({model.name: model})}
    files = {file.name: file for file in (model, model.with_name(RUN_FILE))}
    return {"text": text, "kind": "file", "sha256": _hash(files)}


class Table:
    """Two players who sit down to play parts of contests.

    A program is seated anew for each part: so it cannot carry anything from part to part, and what
    comes out does not depend on who plays which part.

    Args:
        seats: A and B.

    Raises:
        PlayerError: If one of them cannot sit down, or is not any more who he was.
    """

    def __init__(self, seats: tuple[Seat, Seat]) -> None:
        self._seats = seats
        self._players = [_seat(who) for who in seats]
        self._has_played = False

    def play(self, contest: Contest, part: int, on_ended: OnEnded | None = None) -> Played:
        """See `play_part`."""
        if self._has_played:
            for side, who in enumerate(self._seats):
                if who["kind"] == "program":
                    _send_home(self._players[side])
                    self._players[side] = _seat(who)
        self._has_played = True
        a, b = self._players
        return play_part((a, b), contest, part, on_ended)

    def play_parts(
        self, contest: Contest, parts: Sequence[int], on_ended: OnEnded
    ) -> Iterator[Played]:
        """Play some parts of a contest. Yields them in order."""
        for part in parts:
            yield self.play(contest, part, on_ended)

    def close(self) -> None:
        """Send both players home."""
        for player in self._players:
            _send_home(player)


def _seat(who: Seat) -> Player:
    player = resolve(who["text"])
    if identify(who["text"]) != who:
        raise PlayerError(f"{who['text']!r} has changed since the evaluation began")
    return player


def _send_home(player: Player) -> None:
    """Let go of a player; those who hold something until then have a method for it."""
    if hasattr(player, "close"):
        player.close()


def _hash(files: dict[str, Path]) -> dict[str, str]:
    """The hashes of those files that are there, by name."""
    hashes = {}
    for name, file in files.items():
        if not _is_file(file):
            continue
        try:
            with file.open("rb") as stream:
                hashes[name] = file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            raise PlayerError(f"cannot read {str(file)!r}: {error}") from error
    return hashes


def _is_file(file: Path) -> bool:
    """Whether there is such a file; a word of a command line may be no name of one at all."""
    try:
        return file.is_file()
    except (OSError, ValueError):  # it is too long for a name, or holds a null character
        return False
