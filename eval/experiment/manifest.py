"""The manifest of an evaluation: what is to be played, and all that its result depends on.

That is who plays, as options or as file hashes, the rules, the seed, how much is played, and the
versions of what plays it. Two evaluations of equal manifests have equal results.
"""

from collections.abc import Iterable
from hashlib import sha256
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from eval.errors import EvalError
from eval.experiment.measure import EvalPlan
from eval.games.entrants import PlayerSpec, identify
from gin_env import __version__, agents
from gin_env.core.jit import SOURCE_STAMP
from gin_env.core.rules import Rules
from gin_env.errors import PlayerError
from gin_env.players import resolve

FORMAT = "gin_env evaluation"
VERSION = 1

PLAYED_BY = ("arena.py", "game_log.py")
"""The files of `eval.games` that decide what comes out of a game."""


class EvalSpec(NamedTuple):
    """An evaluation as it was asked for on the command line."""

    command: str
    """``match``, ``levels``, ``ladder`` or ``selfplay``."""
    players: tuple[str, ...]
    """As typed; for levels, the levels too."""
    rules_name: str
    """As typed."""
    plan: EvalPlan

    @property
    def pairings(self) -> list[tuple[int, int]]:
        """Who plays whom: places in ``players``."""
        if self.command == "selfplay":
            return [(0, 0)]
        if self.command == "levels":
            return [(0, level) for level in range(1, len(self.players))]
        return list(combinations(range(len(self.players)), 2))


def make_manifest(spec: EvalSpec) -> dict[str, Any]:
    """Write a manifest, of plain types.

    Raises:
        PlayerError: If there is no such player, or one comes twice in a ladder.
        BotError: If a bot does not have an option.
    """
    plan = spec.plan
    players = [identify(text) for text in spec.players]
    if spec.command == "ladder" and len(set(spec.players)) < len(players):
        raise PlayerError("everybody plays once in a ladder: one of the players comes twice")
    names = _name(spec.players)
    return {
        "format": FORMAT,
        "version": VERSION,
        "command": spec.command,
        "players": [{"name": n, **player} for n, player in zip(names, players, strict=True)],
        "rules_name": spec.rules_name,
        "rules": plan.rules.to_dict(),
        "hands": plan.n_hands,
        "matches": plan.n_matches,
        "seed": plan.seed,
        "games": plan.n_games,
        "until": plan.until,
        "versions": _find_versions({player["kind"] for player in players}),
    }


def read_spec(manifest: dict[str, Any]) -> EvalSpec:
    """Read what `make_manifest` has written.

    Raises:
        EvalError: If that is not what this is.
    """
    try:
        if (manifest["format"], manifest["version"]) != (FORMAT, VERSION):
            raise ValueError("another format or version")
        games, until = manifest["games"], manifest["until"]
        plan = EvalPlan(
            rules=Rules.from_dict(manifest["rules"]),
            n_hands=int(manifest["hands"]),
            n_matches=int(manifest["matches"]),
            seed=int(manifest["seed"]),
            n_games=None if games is None else int(games),
            until=None if until is None else float(until),
            is_mirrored=manifest["command"] != "selfplay",
        )
        texts = tuple(str(player["text"]) for player in manifest["players"])
        return EvalSpec(str(manifest["command"]), texts, str(manifest["rules_name"]), plan)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise EvalError(f"the plan of the evaluation cannot be read: {error!r}") from error


def read_players(manifest: dict[str, Any]) -> list[PlayerSpec]:
    """The specs of all players, which do not hold the names that they are shown by."""
    return [
        {key: value for key, value in player.items() if key != "name"}
        for player in manifest["players"]
    ]


def check_same(before: dict[str, Any], now: dict[str, Any]) -> None:
    """Check that two manifests are equal.

    Raises:
        EvalError: If they are not; it names the first difference.
    """
    old, new = _flatten(before), _flatten(now)
    for name in [*old, *new]:
        if old.get(name) != new.get(name):
            raise EvalError(
                "the evaluation cannot go on, for its parts would not be comparable: "
                f"{name} was {old.get(name)!r} when it began, and is {new.get(name)!r} now"
            )


def _name(texts: tuple[str, ...]) -> list[str]:
    """What to call the players: their names, or what was typed where two share a name."""
    names = {text: resolve(text).name for text in texts}
    shared = [name for name in names.values() if list(names.values()).count(name) > 1]
    return [text if names[text] in shared else names[text] for text in texts]


def _find_versions(kinds: set[str]) -> dict[str, str]:
    """The versions of what plays players of these kinds."""
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
    """All plain values in dicts and lists, by their path: ``players[1].options.slack``."""
    if isinstance(value, dict):
        parts = [(f"{name}.{key}" if name else str(key), part) for key, part in value.items()]
    elif isinstance(value, list):
        parts = [(f"{name}[{place}]", part) for place, part in enumerate(value)]
    else:
        return {name: value}
    return {key: found for path, part in parts for key, found in _flatten(part, path).items()}
