"""What is to be played and what came out; playing it, part by part."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from eval.experiment.store import Store
from eval.games.arena import Contest, OnEnded, Played, Verdicts, join
from eval.games.game_log import FORFEIT_PENALTY
from eval.stats.estimates import (
    Estimate,
    HandStatistics,
    MatchStatistics,
    describe_hands,
    describe_matches,
)
from eval.stats.sequential import (
    EXCESS_BOUND,
    SequentialTest,
    anytime_points,
    anytime_share,
    hand_bound,
    pair_excess,
    pair_points,
)
from gin_env.core.rules import Episode, Rules

DEALS_AT_ONCE: dict[Episode, int] = {"hand": 64, "match": 8}
"""Deals of a part where nothing else is asked for: a match is about ten hands."""


@dataclass(frozen=True, kw_only=True)
class EvalPlan:
    """How much is played, and under which rules.

    Attributes:
        rules: Of all games.
        n_hands: Single hands; an odd number becomes the next even one where deals are mirrored.
        n_matches: Whole matches, likewise.
        seed: What the deals come from.
        n_games: Deals of a part, which are played at once; None for `DEALS_AT_ONCE`.
        until: Stop hands and matches each as soon as it is decided who is better, with at most this
            chance of an error; None to play all.
        is_mirrored: Whether each deal is played twice, the second time with the seats exchanged.
        is_recorded: Whether all hands are recorded.
    """

    rules: Rules
    n_hands: int
    n_matches: int
    seed: int = 0
    n_games: int | None = None
    until: float | None = None
    is_mirrored: bool = True
    is_recorded: bool = False

    def contest(self, episode: Episode) -> Contest:
        """The hands or the matches of the plan."""
        n_games = self.n_hands if episode == "hand" else self.n_matches
        return Contest(
            rules=self.rules,
            episode=episode,
            n_deals=(n_games + 1) // 2 if self.is_mirrored else n_games,
            seed=self.seed,
            is_mirrored=self.is_mirrored,
            n_games=self.n_games or DEALS_AT_ONCE[episode],
            is_recorded=self.is_recorded,
        )


@dataclass(frozen=True, kw_only=True)
class Result:
    """What came out between two players.

    Attributes:
        a: Name of A.
        b: Name of B.
        hands: Of the single hands; where none were asked for, of the hands of the matches.
        matches: Of the matches, if any were played.
        is_whole: Whether everything was played that the plan asks for.
        decided: Of ``"hand"`` and ``"match"``, those that ``until`` stopped before their end,
            because it was decided who is better.
        played_hands: What ``hands`` describes. Shape [H], `HAND_DTYPE`.
        played_matches: What ``matches`` describes. Shape [M], `MATCH_DTYPE`.
        verdicts: Hands that A and B forfeited, counted by reason.
    """

    a: str
    b: str
    hands: HandStatistics | None
    matches: MatchStatistics | None
    is_whole: bool
    decided: tuple[Episode, ...]
    played_hands: np.ndarray
    played_matches: np.ndarray
    verdicts: Verdicts

    def to_dict(self) -> dict[str, Any]:
        """All of it but the single hands and matches, of plain types."""
        return {
            "a": self.a,
            "b": self.b,
            "is_whole": self.is_whole,
            "decided": list(self.decided),
            "hands": _plain(asdict(self.hands)) if self.hands else None,
            "matches": _plain(asdict(self.matches)) if self.matches else None,
            "verdicts": {"a": dict(self.verdicts[0]), "b": dict(self.verdicts[1])},
        }


@dataclass(frozen=True, kw_only=True)
class Report:
    """All that a command has measured.

    Attributes:
        manifest: What was asked for, as ``plan.json`` holds it (`eval.experiment.manifest`).
        commit: The commit of the checkout, or None.
        plan: How much was to be played, as the manifest has it.
        results: One for each pair of players that has played; at least one.
        is_whole: Whether everything was played that the manifest asks for.
    """

    manifest: dict[str, Any]
    commit: str | None
    plan: EvalPlan
    results: tuple[Result, ...]
    is_whole: bool


PlayParts = Callable[[Contest, Sequence[int], OnEnded], Iterator[Played]]
"""Plays some parts of a contest, and yields them in order."""
WriteLines = Callable[[bytes], None]
"""Writes some recorded hands to a file."""


class _Ended(NamedTuple):
    """A contest that has ended: all was played, or it was decided, or interrupted."""

    played: Played
    is_whole: bool
    is_decided: bool = False


def measure(
    names: tuple[str, str],
    plan: EvalPlan,
    play_parts: PlayParts,
    progress: Progress,
    *,
    store: Store | None = None,
    pairing: int = 0,
    write_lines: WriteLines | None = None,
) -> Result:
    """Play a plan; an interrupt ends it early with what was played so far.

    Args:
        names: Of A and B.
        plan: What is played.
        play_parts: Plays it.
        progress: Where to show how much is done.
        store: Where parts are kept; those that are there already are not played again.
        pairing: The number of this pair of players in the store.
        write_lines: Called with the recorded hands, part by part in order.
    """
    ended: dict[Episode, _Ended] = {}
    for episode in DEALS_AT_ONCE:
        contest = plan.contest(episode)
        if contest.n_deals and all(before.is_whole for before in ended.values()):
            kind = "hands" if episode == "hand" else "matches"
            task = progress.add_task(
                f"{names[0]} - {names[1]}, {kind}",
                total=contest.n_deals * (1 + contest.is_mirrored),
            )
            advance = partial(progress.advance, task)
            parts = _iterate_parts(contest, play_parts, store, pairing, advance)
            ended[episode] = _play(contest, parts, plan.until, write_lines)
            progress.remove_task(task)
    single, matches = (
        ended[episode].played if episode in ended else join([]) for episode in DEALS_AT_ONCE
    )
    hands = (single if plan.n_hands else matches).hands
    return Result(
        a=names[0],
        b=names[1],
        hands=describe_hands(hands) if len(hands) else None,
        matches=describe_matches(matches.matches) if len(matches.matches) else None,
        is_whole=all(one.is_whole for one in ended.values()),
        decided=tuple(episode for episode, one in ended.items() if one.is_decided),
        played_hands=hands,
        played_matches=matches.matches,
        verdicts=join([single, matches]).verdicts,
    )


def anytime(result: Result, plan: EvalPlan) -> tuple[Estimate | None, Estimate | None]:
    """Points per hand and the share of matches won, with anytime-valid intervals.

    Returns:
        None for either where the plan has no sequential test for it.
    """
    points = won = None
    if plan.until is not None and plan.n_hands and len(result.played_hands):
        bound = hand_bound(plan.rules, FORFEIT_PENALTY)
        points = anytime_points(result.played_hands, bound, plan.until)
    if plan.until is not None and len(result.played_matches):
        won = anytime_share(result.played_matches, plan.until)
    return points, won


def make_progress() -> Progress:
    """A progress bar on stderr, if that is a terminal; it leaves no trace when it is done."""
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}", markup=False),  # a name may hold brackets
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def _play(
    contest: Contest,
    parts: Iterator[Played],
    until: float | None,
    write_lines: WriteLines | None,
) -> _Ended:
    """Play a contest until its end, until it is decided, or until an interrupt."""
    done: list[Played] = []
    amounts: list[np.ndarray] = []
    is_hand = contest.episode == "hand"
    bound = hand_bound(contest.rules, FORFEIT_PENALTY) if is_hand else EXCESS_BOUND
    test = None if until is None else SequentialTest(until, bound)
    try:
        for played in parts:
            if write_lines is not None:
                write_lines(b"".join(played.lines))
            done.append(played._replace(lines=()))  # they may be many
            if test is not None and len(done) < contest.n_parts:
                amounts.append(
                    pair_points(played.hands) if is_hand else pair_excess(played.matches)
                )
                if test.decide(np.concatenate(amounts)):
                    return _Ended(join(done), is_whole=True, is_decided=True)
    except KeyboardInterrupt:
        return _Ended(join(done), is_whole=False)
    return _Ended(join(done), is_whole=True)


def _iterate_parts(
    contest: Contest,
    play_parts: PlayParts,
    store: Store | None,
    pairing: int,
    on_ended: OnEnded,
) -> Iterator[Played]:
    """All parts of a contest in order: read where the store has them, else played and stored."""
    kept: dict[int, Played] = {}
    for part in range(contest.n_parts):
        played = store.read(contest, pairing, part) if store is not None else None
        if played is not None:
            kept[part] = played
    missing = play_parts(contest, [p for p in range(contest.n_parts) if p not in kept], on_ended)
    for part in range(contest.n_parts):
        if part in kept:
            on_ended(len(contest.deals(part)) * (1 + contest.is_mirrored))
            yield kept[part]
            continue
        played = next(missing)
        if store is not None:
            store.write(contest, pairing, part, played)
        yield played


def _plain(value: Any) -> Any:
    """The same of dicts, lists, numbers and None."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no infinity
    return value
