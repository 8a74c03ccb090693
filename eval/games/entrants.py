"""The two players of a pairing: identified by options or file hashes, and created from that."""

import os
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
"""Kinds of players that are networks: an npz, and a model that takes torch to play."""

PlayerSpec = dict[str, Any]
"""What `identify` says of a player, of plain types: equal specs are equal players."""


def identify(text: object) -> PlayerSpec:
    """Identify a player by its options or by file hashes.

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


class Entrants:
    """Two players, created from their specs, who play parts of contests.

    A program is started anew for each part: it carries nothing from part to part, so the result
    does not depend on who plays which part.

    Args:
        specs: Of A and B.

    Raises:
        PlayerError: If one of them cannot be created, or is not the player of its spec any more.
    """

    def __init__(self, specs: tuple[PlayerSpec, PlayerSpec]) -> None:
        self._specs = specs
        self._players = [_create(spec) for spec in specs]
        self._has_played = False

    def play(self, contest: Contest, part: int, on_ended: OnEnded | None = None) -> Played:
        """Play a part of a contest: see `play_part`."""
        if self._has_played:
            for side, spec in enumerate(self._specs):
                if spec["kind"] == "program":
                    _close(self._players[side])
                    self._players[side] = _create(spec)
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
        """Let go of both players, and of the programs that they have started."""
        for player in self._players:
            _close(player)


def _create(spec: PlayerSpec) -> Player:
    player = resolve(spec["text"])
    if identify(spec["text"]) != spec:
        raise PlayerError(f"{spec['text']!r} has changed since the evaluation began")
    return player


def _close(player: Player) -> None:
    if hasattr(player, "close"):  # only players that hold something have it
        player.close()


def _hash(files: dict[str, Path]) -> dict[str, str]:
    """The hashes of those files that exist, by name."""
    hashes = {}
    for name, file in files.items():
        if not os.path.isfile(file):  # noqa: PTH113  (Path's raises for words too long for a name)
            continue
        try:
            with file.open("rb") as stream:
                hashes[name] = file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            raise PlayerError(f"cannot read {str(file)!r}: {error}") from error
    return hashes
