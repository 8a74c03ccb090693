"""Play what was asked for, show how far it is, and keep what was played if it is interrupted."""

import math
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from eval.arena import GAMES_AT_ONCE, Contest, Played, join, play_contest
from eval.statistics import HandStatistics, MatchStatistics, describe_hands, describe_matches
from gin_env.core.rules import Episode, Rules
from gin_env.players import Player


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How much is played, at which table.

    Attributes:
        rules: The table.
        n_hands: Single hands; an odd number becomes the next even one.
        n_matches: Whole matches, likewise.
        seed: What the deals come from.
        n_games: Games at once.
    """

    rules: Rules
    n_hands: int
    n_matches: int
    seed: int = 0
    n_games: int = GAMES_AT_ONCE

    def contest(self, episode: Episode, *, is_mirrored: bool = True) -> Contest:
        """The hands or the matches of the plan."""
        n_games = self.n_hands if episode == "hand" else self.n_matches
        return Contest(
            rules=self.rules,
            episode=episode,
            n_deals=(n_games + 1) // 2 if is_mirrored else n_games,
            seed=self.seed,
            is_mirrored=is_mirrored,
            n_games=self.n_games,
        )


@dataclass(frozen=True)
class Result:
    """What came out between two players.

    Attributes:
        a: Name of A.
        b: Name of B.
        hands: Of the single hands; where none were asked for, of the hands of the matches.
        matches: Of the matches, if any were played.
        is_whole: Whether everything was played that the plan asks for.
    """

    a: str
    b: str
    hands: HandStatistics | None
    matches: MatchStatistics | None
    is_whole: bool

    def to_dict(self) -> dict[str, Any]:
        """All of it, of plain types."""
        return {
            "a": self.a,
            "b": self.b,
            "is_whole": self.is_whole,
            "hands": _plain(asdict(self.hands)) if self.hands else None,
            "matches": _plain(asdict(self.matches)) if self.matches else None,
        }


def measure(players: tuple[Player, Player], plan: Plan, progress: Progress) -> Result:
    """Play a plan on mirrored deals; an interrupt ends it early with what was played so far."""
    hands, is_whole = _play(players, plan.contest("hand"), progress)
    matches = join([])
    if is_whole:
        matches, is_whole = _play(players, plan.contest("match"), progress)
    shown = hands if plan.n_hands else matches
    return Result(
        players[0].name,
        players[1].name,
        describe_hands(shown.hands) if len(shown.hands) else None,
        describe_matches(matches.matches) if len(matches.matches) else None,
        is_whole,
    )


def measure_selfplay(players: tuple[Player, Player], plan: Plan, progress: Progress) -> Result:
    """Play each deal once; the players are two of one kind. An interrupt keeps what was played."""
    contest = plan.contest("hand", is_mirrored=False)
    played, is_whole = _play(players, contest, progress)
    hands = describe_hands(played.hands) if len(played.hands) else None
    return Result(players[0].name, players[1].name, hands, None, is_whole)


def make_progress() -> Progress:
    """A progress bar on stderr, if that is a terminal; it leaves no trace when it is done."""
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def _play(
    players: tuple[Player, Player], contest: Contest, progress: Progress
) -> tuple[Played, bool]:
    """What was played of a contest, and whether that is all of it."""
    a, b = (player.name for player in players)
    kind = "hands" if contest.episode == "hand" else "matches"
    n_games = contest.n_deals * (1 + contest.is_mirrored)
    task = progress.add_task(f"{a} - {b}, {kind}", total=n_games)
    parts = []
    try:
        for part in play_contest(players, contest, lambda n: progress.advance(task, n)):
            parts.append(part)  # noqa: PERF402  (an interrupt must find the parts so far)
    except KeyboardInterrupt:
        return join(parts), False
    finally:
        progress.remove_task(task)
    return join(parts), True


def _plain(value: Any) -> Any:
    """The same of dicts, lists, numbers and None."""
    if hasattr(value, "_asdict"):
        return {name: _plain(part) for name, part in value._asdict().items()}
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no infinity
    return value
