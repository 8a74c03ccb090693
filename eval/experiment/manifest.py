"""What is asked of an evaluation, written down so that it can be told from every other one.

The order names all that the result depends on: who plays, as options or as hashes of files, the
rules, the seed, how much is played, and the versions of what plays it.
"""

from collections.abc import Iterable
from hashlib import sha256
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from eval.experiment.measure import Plan
from eval.experiment.store import StoreError
from eval.games.entrants import Seat, identify
from gin_env import __version__, agents
from gin_env.core.jit import SOURCE_STAMP
from gin_env.core.rules import Rules
from gin_env.errors import PlayerError
from gin_env.players import resolve

FORMAT = "gin_env evaluation"
VERSION = 1

PLAYED_BY = ("arena.py", "game_log.py")
"""The files of `eval.games` that decide what comes out of a game."""


class Asked(NamedTuple):
    """What was typed, read."""

    command: str
    """``match``, ``levels``, ``ladder`` or ``selfplay``."""
    players: tuple[str, ...]
    """As typed; for levels, the levels too."""
    rules_name: str
    """As typed."""
    plan: Plan

    @property
    def pairings(self) -> list[tuple[int, int]]:
        """Who plays whom: places in ``players``."""
        if self.command == "selfplay":
            return [(0, 0)]
        if self.command == "levels":
            return [(0, level) for level in range(1, len(self.players))]
        return list(combinations(range(len(self.players)), 2))


def describe(asked: Asked) -> dict[str, Any]:
    """Write an order down, of plain types.

    Raises:
        PlayerError: If one of the players is nobody, or comes twice in a ladder.
        BotError: If a bot does not have an option.
    """
    plan = asked.plan
    seats = [identify(text) for text in asked.players]
    if asked.command == "ladder" and len(set(asked.players)) < len(seats):
        raise PlayerError("everybody plays once in a ladder: one of the players comes twice")
    names = _name(asked.players)
    return {
        "format": FORMAT,
        "version": VERSION,
        "command": asked.command,
        "players": [{"name": n, **who} for n, who in zip(names, seats, strict=True)],
        "rules_name": asked.rules_name,
        "rules": plan.rules.to_dict(),
        "hands": plan.n_hands,
        "matches": plan.n_matches,
        "seed": plan.seed,
        "games": plan.n_games,
        "until": plan.until,
        "versions": _find_versions({who["kind"] for who in seats}),
    }


def read(order: dict[str, Any]) -> Asked:
    """Read what `describe` has written.

    Raises:
        StoreError: If that is not what this is.
    """
    try:
        if (order["format"], order["version"]) != (FORMAT, VERSION):
            raise ValueError("another format or version")
        plan = Plan(
            rules=Rules.from_dict(order["rules"]),
            n_hands=int(order["hands"]),
            n_matches=int(order["matches"]),
            seed=int(order["seed"]),
            n_games=None if order["games"] is None else int(order["games"]),
            until=None if order["until"] is None else float(order["until"]),
            is_mirrored=order["command"] != "selfplay",
        )
        texts = tuple(str(player["text"]) for player in order["players"])
        return Asked(str(order["command"]), texts, str(order["rules_name"]), plan)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise StoreError(f"the plan of the evaluation cannot be read: {error!r}") from error


def read_seats(order: dict[str, Any]) -> list[Seat]:
    """Who sits down, without what he is called."""
    return [
        {key: value for key, value in player.items() if key != "name"}
        for player in order["players"]
    ]


def check_same(before: dict[str, Any], now: dict[str, Any]) -> None:
    """Check that two orders are the same.

    Raises:
        StoreError: If they are not; it names the first difference.
    """
    old, new = _flatten(before), _flatten(now)
    for name in [*old, *new]:
        if old.get(name) != new.get(name):
            raise StoreError(
                f"the evaluation cannot go on, for its results would not be of one kind: {name} "
                f"was {old.get(name)!r} when it began, and is {new.get(name)!r} now"
            )


def _name(texts: tuple[str, ...]) -> list[str]:
    """What to call the players: their names, or what was typed where two share a name."""
    names = {text: resolve(text).name for text in texts}
    shared = [name for name in names.values() if list(names.values()).count(name) > 1]
    return [text if names[text] in shared else names[text] for text in texts]


def _find_versions(kinds: set[str]) -> dict[str, str]:
    """The versions of what plays players of some kinds."""
    folder = Path(__file__).parents[1] / "games"
    versions = {
        "gin_env": __version__,
        "kernels": SOURCE_STAMP,
        "arena": _hash_files(folder / name for name in PLAYED_BY),
    }
    libraries = ["numpy", "numba"]
    if "agent" in kinds:
        versions["agents"] = _hash_files(sorted(Path(agents.__file__).parent.glob("*.py")))
    if "file" in kinds:
        libraries += ["torch", "stable-baselines3", "sb3-contrib"]
    return versions | {name: version(name) for name in libraries}


def _hash_files(files: Iterable[Path]) -> str:
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def _flatten(value: Any, name: str = "") -> dict[str, Any]:
    """All plain values in something of dicts and lists, by the way to them."""
    if isinstance(value, dict):
        parts = [(f"{name}.{key}" if name else str(key), part) for key, part in value.items()]
    elif isinstance(value, list):
        parts = [(f"{name}[{place}]", part) for place, part in enumerate(value)]
    else:
        return {name: value}
    return {key: found for way, part in parts for key, found in _flatten(part, way).items()}
