"""The folder of an evaluation: its manifest and the parts played so far, safe against any kill.

``plan.json`` holds the manifest, ``parts/`` one file for each part that was played, and whoever
plays holds ``lock``.
"""

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from eval.errors import EvalError
from eval.games.arena import Contest, Played, deal_seeds
from eval.games.game_log import HAND_DTYPE, MATCH_DTYPE
from gin_env.support.files import TEMPORARY, hold, read_mapping, write_whole

MANIFEST_FILE = "plan.json"
LOCK_FILE = "lock"
PARTS = "parts"
PART_SUFFIX = ".npz"


class Store:
    """The parts of an evaluation, in a folder that this process holds: see `create`, `reopen`."""

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        self.folder, self._parts = folder, folder / PARTS
        self._manifest = json.dumps(manifest, sort_keys=True).encode()

    def read(self, contest: Contest, pairing: int, part: int) -> Played | None:
        """Read a part; None where it was not played, or its file is damaged.

        Where the contest is recorded, a part without its recorded hands counts as not played.

        Raises:
            EvalError: If the file belongs to another evaluation, or to other players of this one.
        """
        file = self._file(contest, pairing, part)
        try:
            with np.load(BytesIO(file.read_bytes()), allow_pickle=False) as content:
                stamp, verdicts = (str(content[name]) for name in ("stamp", "verdicts"))
                a, b = json.loads(verdicts)
                played = Played(content["hands"], content["matches"], (a, b))
                if contest.is_recorded:
                    lines = content["lines"].tobytes().splitlines(keepends=True)
                    played = played._replace(lines=tuple(lines))
        except Exception:  # a damaged zip may raise anything
            return None
        if stamp != self._stamp(pairing):
            raise EvalError(
                f"{str(file)!r} belongs to another evaluation than "
                f"{str(self.folder / MANIFEST_FILE)!r}, or to other players of it"
            )
        return played if _is_part(played, contest, part) else None

    def write(self, contest: Contest, pairing: int, part: int, played: Played) -> None:
        """Keep a part that was played.

        Raises:
            OutputError: If it cannot be written.
        """
        content, lines = BytesIO(), dict[str, Any]()
        if contest.is_recorded:
            lines["lines"] = np.frombuffer(b"".join(played.lines), np.uint8)
        np.savez(
            content,
            stamp=np.array(self._stamp(pairing)),
            hands=played.hands,
            matches=played.matches,
            verdicts=np.array(json.dumps(played.verdicts)),
            **lines,
        )
        write_whole(self._file(contest, pairing, part), content.getvalue())

    def _stamp(self, pairing: int) -> str:
        """Written into each file: the hash of the manifest and the pairing that it belongs to."""
        return sha256(self._manifest + f" {pairing}".encode()).hexdigest()

    def _file(self, contest: Contest, pairing: int, part: int) -> Path:
        return self._parts / f"{pairing:03d}-{contest.episode}-{part:06d}{PART_SUFFIX}"


@contextmanager
def create(folder: Path, manifest: dict[str, Any]) -> Iterator[Store]:
    """Make the folder of a new evaluation, and hold it.

    Args:
        folder: Where; an empty folder may be there already.
        manifest: What will be played, of plain types.

    Raises:
        EvalError: If something else is there, or the folder cannot be made.
        OutputError: If its manifest cannot be written.
    """
    check_free(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EvalError(f"cannot make the folder {str(folder)!r}: {error}") from error
    with _hold(folder):
        check_free(folder)  # somebody may have been quicker
        write_whole(folder / MANIFEST_FILE, (json.dumps(manifest, indent=2) + "\n").encode())
        (folder / PARTS).mkdir()
        yield Store(folder, manifest)


def check_free(folder: Path) -> None:
    """Check that an evaluation can begin in a folder.

    Raises:
        EvalError: If it holds one already, or something else.
    """
    if (folder / MANIFEST_FILE).exists():
        raise EvalError(
            f"{str(folder)!r} holds an evaluation already: choose another folder with --out, or go "
            "on with that one with --resume"
        )
    before_the_manifest = {LOCK_FILE, MANIFEST_FILE + TEMPORARY}  # a kill may leave these
    try:
        found = {entry.name for entry in folder.iterdir()} if folder.exists() else set()
    except OSError as error:
        raise EvalError(f"cannot use {str(folder)!r} as a folder: {error.strerror}") from error
    if not found <= before_the_manifest:
        raise EvalError(f"{str(folder)!r} is there and not empty: choose another folder with --out")


@contextmanager
def reopen(folder: Path, manifest: dict[str, Any]) -> Iterator[Store]:
    """Hold the folder of an evaluation that was begun, to go on with it.

    Raises:
        EvalError: If somebody else holds it, or its parts cannot be kept.
    """
    with _hold(folder):
        parts = folder / PARTS
        try:
            parts.mkdir(exist_ok=True)
            for half in parts.glob("*" + PART_SUFFIX + TEMPORARY):  # others' files are not ours
                half.unlink()
        except OSError as error:
            raise EvalError(f"cannot use the folder {str(parts)!r}: {error}") from error
        yield Store(folder, manifest)


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read the manifest of the evaluation in a folder.

    Raises:
        EvalError: If there is none, or it cannot be read.
    """
    file = folder / MANIFEST_FILE
    if not file.is_file():
        raise EvalError(f"{str(folder)!r} holds no evaluation: there is no {MANIFEST_FILE} in it")
    return read_mapping(file, EvalError)


def _hold(folder: Path) -> AbstractContextManager[None]:
    """Keep others out of the folder."""
    return hold(folder / LOCK_FILE, EvalError, f"{str(folder)!r} is in use by another evaluation")


def _is_part(played: Played, contest: Contest, part: int) -> bool:
    """Whether these can be the games of a part; a damaged file may still be readable."""
    hands, matches = played.hands, played.matches
    if (hands.dtype, matches.dtype) != (HAND_DTYPE, MATCH_DTYPE):
        return False
    deals = np.repeat(contest.deals(part), 1 + contest.is_mirrored)
    games = hands[hands["hand"] == 0]
    is_whole = np.array_equal(games["pair"], deals)
    is_whole &= np.array_equal(games["seed"], deal_seeds(contest.seed, deals))
    if contest.episode == "match":
        is_whole &= np.array_equal(matches["pair"], deals)
    if contest.is_recorded:
        is_whole &= len(played.lines) == len(hands)
    return is_whole
