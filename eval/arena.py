"""Two players, every deal twice with the seats exchanged, many games at once.

A game depends on its own seed and on nothing else, so neither the number of games at once nor
their order changes a result.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from eval.rows import HAND_DTYPE, MATCH_DTYPE, begin_games, look_rows, play_rows
from gin_env.core.actions import N_ACTIONS
from gin_env.core.batch import encode_views
from gin_env.core.errors import PlayerError
from gin_env.core.inputs import check_seed
from gin_env.core.rules import Episode, Rules
from gin_env.core.state import NO_SEAT, STATE_DTYPE, seed_words
from gin_env.core.view import VIEW_DTYPE
from gin_env.players import BotPlayer, Player, Turn, ask

GAMES_AT_ONCE = 512
MAX_HANDS = 1000
"""A match that has gone on for so many hands is given up; to 100 points it lasts about ten."""
DEAL_STREAM = 100
"""Stream of `seed_words` that the seeds of deals come from; games use the low numbers."""

OnEnded = Callable[[int], None]


@dataclass(frozen=True, kw_only=True)
class Contest:
    """What two players play.

    Attributes:
        rules: The table.
        episode: ``"hand"`` or ``"match"``: what one deal begins.
        n_deals: How many deals.
        seed: What the deals come from; the same seed deals the same cards whoever plays.
        is_mirrored: Whether each deal is played twice, the second time with the seats exchanged.
        n_games: How many games are played at once.
    """

    rules: Rules
    episode: Episode = "hand"
    n_deals: int
    seed: int = 0
    is_mirrored: bool = True
    n_games: int = GAMES_AT_ONCE


class Played(NamedTuple):
    """What was played, ordered by deal, then by seat, then by hand."""

    hands: np.ndarray
    """Shape [H], `HAND_DTYPE`."""
    matches: np.ndarray
    """Shape [M], `MATCH_DTYPE`; empty where single hands are played."""


def play_contest(
    players: tuple[Player, Player], contest: Contest, on_ended: OnEnded | None = None
) -> Iterator[Played]:
    """Play a contest in parts of ``n_games`` deals, each part to its end.

    A part is whole or it is not handed out: its short games alone would be no fair sample.

    Args:
        players: A and B, two objects: each of them remembers the games at its own seat.
        contest: What they play.
        on_ended: Called with the number of hands, or of matches, that have just ended.

    Yields:
        The parts in order; `join` puts them together.

    Raises:
        PlayerError: If A and B are the same object, or one answers with anything but a legal action
            for each decision; it names the player, the action and the phase.
        SeedError: If the seed is no whole number from 0 to 2**64 - 1.
    """
    if players[0] is players[1]:
        raise PlayerError(f"{players[0].name} cannot sit on both sides: resolve it twice")
    record = contest.rules.record(contest.episode)
    for first in range(0, contest.n_deals, contest.n_games):
        deals = np.arange(first, min(first + contest.n_games, contest.n_deals))
        seeds = deal_seeds(contest.seed, deals)
        parts = []
        for seat_of_a in (0, 1) if contest.is_mirrored else (0,):
            seated = (players[seat_of_a], players[1 - seat_of_a])
            played = _Games(seated, record, seeds).play(on_ended or _ignore)
            parts.append(_for_players(played, seat_of_a, first))
        yield join(parts)


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


def join(parts: list[Played]) -> Played:
    """Put parts together and order them."""
    hands = np.concatenate([np.zeros(0, HAND_DTYPE), *(part.hands for part in parts)])
    matches = np.concatenate([np.zeros(0, MATCH_DTYPE), *(part.matches for part in parts)])
    return Played(
        hands[np.lexsort((hands["hand"], hands["seat_of_a"], hands["pair"]))],
        matches[np.lexsort((matches["seat_of_a"], matches["pair"]))],
    )


class _Games:
    """Games with the players in their seats, one episode each."""

    def __init__(self, seated: tuple[Player, Player], record: np.void, seeds: np.ndarray) -> None:
        n_games = len(seeds)
        self._seated, self._record, self._seeds = seated, record, seeds
        self._games = np.zeros(n_games, STATE_DTYPE)
        self._games["word"] = seed_words(seeds)
        self._views = np.zeros(n_games, VIEW_DTYPE)
        self._masks = np.zeros((n_games, N_ACTIONS), np.int8)
        self._ended = np.zeros(n_games, HAND_DTYPE)

    def play(self, on_ended: OnEnded) -> Played:
        """Play all games to their end. Players and pairs are given as seats and rows."""
        for seat, player in enumerate(self._seated):
            player.reset(self._seeds, seat)
        begin_games(self._record, self._games)
        hands = [np.zeros(0, HAND_DTYPE)]
        n_open = len(self._games)
        while n_open:
            hands += [self._move(seat) for seat in (0, 1)]
            still_open = int(np.count_nonzero(self._games["is_episode_over"] == 0))
            on_ended(n_open - still_open)
            n_open = still_open
            if self._games["n_hands"].max() >= MAX_HANDS:
                names = " and ".join(player.name for player in self._seated)
                raise PlayerError(
                    f"{names} have played {MAX_HANDS} hands of a match without an end: under these "
                    "rules they may never end one; play hands only (--matches 0)"
                )
        played = np.concatenate(hands)
        return Played(played, self._matches(played))

    def _move(self, seat: int) -> np.ndarray:
        """Let one seat move in every game that waits for it. Returns the hands that end."""
        games, player = self._games, self._seated[seat]
        rows = np.flatnonzero((games["to_move"] == seat) & (games["is_episode_over"] == 0))
        if len(rows) == 0:
            return self._ended[:0]
        actions = self._ask(player, rows)
        n_ended = play_rows(self._record, games, rows, actions, self._ended)
        ended = self._ended[:n_ended].copy()
        ended["seed"] = self._seeds[ended["pair"]]
        return ended

    def _ask(self, player: Player, rows: np.ndarray) -> np.ndarray:
        """The player's actions in some games, checked. Returns shape [K], int64."""
        views, masks = self._views[: len(rows)], self._masks[: len(rows)]
        look_rows(self._record, self._games, rows, views, masks)
        observations = np.zeros((len(rows), 0), np.float32)
        if not isinstance(player, BotPlayer):  # a bot of ours decides from the view
            observations = encode_views(self._record, views, player.extras)
        turn = Turn(self._record, rows.copy(), views.copy(), observations, masks.copy())
        return ask(player, turn)

    def _matches(self, hands: np.ndarray) -> np.ndarray:
        """The ended matches, of which these are the hands; empty where hands were played."""
        if not self._record["is_match"]:
            return np.zeros(0, MATCH_DTYPE)
        matches = np.zeros(len(self._games), MATCH_DTYPE)
        matches["seed"] = self._seeds
        matches["pair"] = np.arange(len(matches))
        matches["winner"] = self._games["match_winner"]
        matches["n_hands"] = self._games["n_hands"]
        np.add.at(matches["points"], hands["pair"], hands["paid"])
        return matches


def _for_players(played: Played, seat_of_a: int, first: int) -> Played:
    """Say A and B in place of the seats, and number the pairs from ``first`` on. In place."""
    for records in played:
        records["pair"] += first
        records["seat_of_a"] = seat_of_a
        for name in records.dtype.names or ():
            if name in ("dealer", "knocker", "winner"):
                seats = records[name]
                records[name] = np.where(seats == NO_SEAT, NO_SEAT, seats ^ seat_of_a)
            elif name in ("points", "paid"):
                records[name] *= 1 - 2 * seat_of_a
    return played


def _ignore(n_ended: int) -> None:
    """Nobody watches."""
