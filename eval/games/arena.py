"""Two players, every deal twice with the seats exchanged, many games at once.

A game depends on its own seed and on nothing else, so neither the number of games at once, nor
their order, nor who plays which part changes a result.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from eval.games.game_log import FORFEIT_PENALTY, HAND_DTYPE, MATCH_DTYPE, log_hands
from gin_env.core.rules import Episode, Rules
from gin_env.core.state import NO_SEAT, seed_words
from gin_env.errors import PlayerError
from gin_env.history import Hand, write_line
from gin_env.players import Player, Verdict
from gin_env.support.options import check_seed
from gin_env.table.table import Table

GAMES_AT_ONCE = 512
MAX_HANDS = 1000
"""A match that has gone on for so many hands is given up; to 100 points it lasts about ten."""
DEAL_STREAM = 100
"""Stream of `seed_words` that the seeds of deals come from; games use the low numbers."""

OnEnded = Callable[[int], None]
Players = tuple[Player, Player]
Verdicts = tuple[dict[str, int], dict[str, int]]
"""Hands that A and B forfeited, counted by reason."""
_Written = tuple[int, int, int, bytes]
"""A recorded hand: its deal, the seat of A, which hand of its match, the line."""


@dataclass(frozen=True, kw_only=True)
class Contest:
    """What two players play.

    Attributes:
        rules: The table.
        episode: ``"hand"`` or ``"match"``: what one deal begins.
        n_deals: How many deals.
        seed: What the deals come from; the same seed deals the same cards whoever plays.
        is_mirrored: Whether each deal is played twice, the second time with the seats exchanged.
        n_games: How many games are played at once: the deals of a part.
        is_recorded: Whether all hands are written down; bots of ours are then asked like others.
    """

    rules: Rules
    episode: Episode = "hand"
    n_deals: int
    seed: int = 0
    is_mirrored: bool = True
    n_games: int = GAMES_AT_ONCE
    is_recorded: bool = False

    @property
    def n_parts(self) -> int:
        """How many parts of ``n_games`` deals there are; the last one may be smaller."""
        return -(-self.n_deals // self.n_games)

    def deals(self, part: int) -> np.ndarray:
        """The numbers of the deals of a part. Shape [D], int64."""
        first = part * self.n_games
        return np.arange(first, min(first + self.n_games, self.n_deals))


class Played(NamedTuple):
    """What was played, ordered by deal, then by seat, then by hand."""

    hands: np.ndarray
    """Shape [H], `HAND_DTYPE`."""
    matches: np.ndarray
    """Shape [M], `MATCH_DTYPE`; empty where single hands are played."""
    verdicts: Verdicts
    """Hands that A and B forfeited, counted by reason."""
    lines: tuple[bytes, ...] = ()
    """Of a contest that is recorded: all hands, as docs/history.md describes them."""


def play_contest(
    players: Players, contest: Contest, on_ended: OnEnded | None = None
) -> Iterator[Played]:
    """Play a contest in parts; `play_part` says how. Yields the parts in order."""
    for part in range(contest.n_parts):
        yield play_part(players, contest, part, on_ended)


def play_part(
    players: Players, contest: Contest, part: int, on_ended: OnEnded | None = None
) -> Played:
    """Play ``n_games`` deals of a contest, each to its end.

    A part is whole or it is not handed out: its short games alone would be no fair sample.

    Args:
        players: A and B, two objects: each of them remembers the games at its own seat.
        contest: What they play.
        part: Which part, from 0.
        on_ended: Called with the number of hands, or of matches, that have just ended.

    Raises:
        PlayerError: If A and B are the same object, or one answers with anything but a legal action
            for each decision and may not forfeit; it names the player, the action and the phase.
        SeedError: If the seed is no whole number from 0 to 2**64 - 1.
    """
    if players[0] is players[1]:
        raise PlayerError(f"{players[0].name} cannot sit on both sides: resolve it twice")
    deals = contest.deals(part)
    halves, written = [], list[_Written]()
    for seat_of_a in (0, 1) if contest.is_mirrored else (0,):
        seated = (players[seat_of_a], players[1 - seat_of_a])
        sitting = _Sitting(seated, contest, deals, on_ended or _ignore)
        played = sitting.play()
        halves.append(_for_players(played, seat_of_a, int(deals[0])))
        written += [(hand.row, seat_of_a, hand.hand, write_line(hand)) for hand in sitting.recorded]
    return join(halves)._replace(lines=tuple(line for *_, line in sorted(written)))


def deal_seeds(seed: int, deals: np.ndarray) -> np.ndarray:
    """The seeds of some deals of a contest. Shape [D], uint64.

    Args:
        seed: The contest's; contests with neighbouring seeds share no deals.
        deals: Shape [D], int64: which deals, from 0.

    Raises:
        SeedError: If the seed is no whole number from 0 to 2**64 - 1.
    """
    start = seed_words(np.array([check_seed(seed)], np.uint64), DEAL_STREAM)
    return start + deals.astype(np.uint64)


def join(parts: Sequence[Played]) -> Played:
    """Put parts together and order them; lines are left out."""
    hands = np.concatenate([np.zeros(0, HAND_DTYPE), *(part.hands for part in parts)])
    matches = np.concatenate([np.zeros(0, MATCH_DTYPE), *(part.matches for part in parts)])
    a, b = (sum((Counter(part.verdicts[side]) for part in parts), Counter()) for side in (0, 1))
    return Played(
        hands[np.lexsort((hands["hand"], hands["seat_of_a"], hands["pair"]))],
        matches[np.lexsort((matches["seat_of_a"], matches["pair"]))],
        (dict(sorted(a.items())), dict(sorted(b.items()))),
    )


class _Sitting:
    """Two players at their seats in the games of some deals, one episode each.

    Args:
        seated: The players at seat 0 and seat 1.
        contest: What they play.
        deals: Which deals. Shape [D], int64.
        on_ended: Called with the number of episodes that have just ended.
    """

    def __init__(
        self, seated: Players, contest: Contest, deals: np.ndarray, on_ended: OnEnded
    ) -> None:
        self._seated, self._deals, self._on_ended = seated, deals, on_ended
        self._seeds = deal_seeds(contest.seed, deals)
        self._hands: list[np.ndarray] = []
        self.recorded: list[Hand] = []
        readers = [player for player in seated if not getattr(player, "reads_views", False)]
        self._table = Table(
            len(deals),
            contest.rules,
            first=seated[0],
            opponents=[seated[1]],
            seat=0,
            episode=contest.episode,
            extras=readers[0].extras if readers else (),
            record=self._note_recorded if contest.is_recorded else None,
            on_ended=self._note_ends,
            allows_forfeits=True,
            autoreset="disabled",
            illegal_penalty=FORFEIT_PENALTY,
        )

    def play(self) -> Played:
        """Play all games to their end. Players and pairs are given as seats and rows."""
        n_verdicts = [len(_verdicts_of(player)) for player in self._seated]
        self._table.reset(self._seeds)
        hands = np.concatenate(self._hands)
        hands["seed"] = self._seeds[hands["pair"]]
        first, second = (
            dict(Counter[str](verdict.kind for verdict in _verdicts_of(player)[n_before:]))
            for player, n_before in zip(self._seated, n_verdicts, strict=True)
        )
        return Played(hands, self._matches(hands), (first, second))

    def _note_ends(self, rows: np.ndarray) -> None:
        """Write down the hands that have just ended in some rows."""
        games = self._table.arrays.games
        hands = log_hands(rows, self._table.arrays.hand_ends[rows], self._table.luck[rows])
        hands["hand"] = games["n_hands"][rows] - 1
        self._hands.append(hands)
        self._on_ended(int(np.count_nonzero(games["is_episode_over"][rows])))
        if hands["hand"].max() + 1 >= MAX_HANDS:
            names = " and ".join(player.name for player in self._seated)
            raise PlayerError(
                f"{names} have played {MAX_HANDS} hands of a match without an end: under these "
                "rules they may never end one; play hands only (--matches 0)"
            )

    def _note_recorded(self, hands: Iterable[Hand]) -> None:
        """Keep recorded hands, with the numbers of their deals for the rows."""
        self.recorded += [replace(hand, row=int(self._deals[hand.row])) for hand in hands]

    def _matches(self, hands: np.ndarray) -> np.ndarray:
        """The ended matches, of which these are the hands; empty where hands were played."""
        if not self._table.rules_row["is_match"]:
            return np.zeros(0, MATCH_DTYPE)
        games = self._table.arrays.games
        matches = np.zeros(len(games), MATCH_DTYPE)
        matches["seed"] = self._seeds
        matches["pair"] = np.arange(len(matches))
        matches["winner"] = games["match_winner"]
        matches["n_hands"] = games["n_hands"]
        np.add.at(matches["points"], hands["pair"], hands["paid"])
        np.add.at(matches["luck"], hands["pair"], hands["luck"])
        return matches


def _for_players(played: Played, seat_of_a: int, first: int) -> Played:
    """Say A and B in place of the seats, and number the pairs from ``first`` on."""
    for records in (played.hands, played.matches):
        records["pair"] += first
        records["seat_of_a"] = seat_of_a
        for name in records.dtype.names or ():
            if name in ("dealer", "knocker", "winner"):
                seats = records[name]
                records[name] = np.where(seats == NO_SEAT, NO_SEAT, seats ^ seat_of_a)
            elif name in ("points", "paid", "luck"):
                records[name] *= 1 - 2 * seat_of_a
    verdicts = played.verdicts
    return played._replace(verdicts=(verdicts[seat_of_a], verdicts[1 - seat_of_a]))


def _verdicts_of(player: Player) -> list[Verdict]:
    """Why the player gave up hands so far; most players never do."""
    return getattr(player, "verdicts", [])


def _ignore(n_ended: int) -> None:
    """Nobody watches."""
