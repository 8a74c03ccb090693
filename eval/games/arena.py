"""Two players, every deal twice with the seats exchanged, many games at once.

A game depends on its own seed and on nothing else, so neither the number of games at once, nor
their order, nor who plays which part changes a result.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from eval.games.game_log import (
    FORFEIT_PENALTY,
    HAND_DTYPE,
    MATCH_DTYPE,
    Games,
    begin_games,
    deal_on,
    look_rows,
    play_bots,
    play_rows,
)
from gin_env.bots import Bot
from gin_env.bots.bot_row import BOT_DTYPE, make_memories
from gin_env.core.actions import N_ACTIONS
from gin_env.core.batch import encode_views
from gin_env.core.rules import Episode, Rules
from gin_env.core.state import NO_SEAT, STATE_DTYPE, seed_words
from gin_env.core.view import VIEW_DTYPE
from gin_env.errors import PlayerError
from gin_env.history import Hand, Recorder, write_line
from gin_env.players import BotPlayer, ask
from gin_env.players.protocol import Player, Turn, Verdict, Watcher
from gin_env.support.options import check_seed
from gin_env.values.result import read_result

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
        sitting = _Sitting(seated, contest, deals)
        played = sitting.play(on_ended or _ignore)
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
    """Games with the players in their seats, one episode each."""

    def __init__(self, seated: Players, contest: Contest, deals: np.ndarray) -> None:
        n_games = len(deals)
        self._seated, self._record = seated, contest.rules.row(contest.episode)
        self._deals, self._seeds = deals, deal_seeds(contest.seed, deals)
        self.recorded: list[Hand] = []
        self._recorder = None
        if contest.is_recorded:
            self._recorder = Recorder(
                n_games, contest.rules, contest.episode, self._note, FORFEIT_PENALTY
            )
        self._watchers = [player for player in seated if isinstance(player, Watcher)]
        self._games = Games(
            states=np.zeros(n_games, STATE_DTYPE),
            luck=np.zeros(n_games),
            views=np.zeros(n_games, VIEW_DTYPE),
            masks=np.zeros((n_games, N_ACTIONS), np.int8),
            ended=np.zeros(n_games, HAND_DTYPE),
        )
        self._games.states["rng_state"] = seed_words(self._seeds)

    def play(self, on_ended: OnEnded) -> Played:
        """Play all games to their end. Players and pairs are given as seats and rows."""
        n_verdicts = [len(_verdicts_of(player)) for player in self._seated]
        for seat, player in enumerate(self._seated):
            player.reset(self._seeds, seat)
        begin_games(self._record, self._games.states)
        if self._recorder is not None:
            everyone, names = np.arange(len(self._seeds)), [player.name for player in self._seated]
            pairs = [(names[0], names[1])] * len(everyone)
            self._recorder.begin(everyone, self._games.states, pairs, self._seeds)
        bots = [player.bot for player in self._seated if type(player) is BotPlayer]
        is_fast = len(bots) == len(self._seated) and self._recorder is None
        ended = self._play_bots(bots, on_ended) if is_fast else self._ask_all(on_ended)
        hands = np.concatenate(ended)
        hands["seed"] = self._seeds[hands["pair"]]
        first, second = (
            dict(Counter[str](verdict.kind for verdict in _verdicts_of(player)[n_before:]))
            for player, n_before in zip(self._seated, n_verdicts, strict=True)
        )
        return Played(hands, self._matches(hands), (first, second))

    def _play_bots(self, seated: list[Bot], on_ended: OnEnded) -> list[np.ndarray]:
        """Let two bots of ours play game by game in a kernel. Returns the hands."""
        bots = np.array([bot.row for bot in seated], BOT_DTYPE)
        memories = np.stack([make_memories(self._seeds, seat) for seat in (0, 1)])
        hands = []
        for row, state in enumerate(self._games.states):
            while not state["is_episode_over"]:
                play_bots(self._record, bots, memories, self._games, row)
                hands.append(self._games.ended[:1].copy())
                self._check_length()
            on_ended(1)
        return hands

    def _ask_all(self, on_ended: OnEnded) -> list[np.ndarray]:
        """Let the players move in turn, each in all games that wait for it. Returns the hands."""
        states, hands = self._games.states, []
        n_open = len(states)
        while n_open:
            hands += [self._move(seat) for seat in (0, 1)]
            still_open = int(np.count_nonzero(states["is_episode_over"] == 0))
            on_ended(n_open - still_open)
            n_open = still_open
            self._check_length()
        return hands

    def _move(self, seat: int) -> np.ndarray:
        """Let one seat move in every game that waits for it. Returns the hands that end."""
        states = self._games.states
        rows = np.flatnonzero((states["to_move"] == seat) & (states["is_episode_over"] == 0))
        if len(rows) == 0:
            return self._games.ended[:0]
        actions = self._ask(self._seated[seat], rows)
        for watcher in self._watchers:
            watcher.see_moves(rows.copy(), seat, actions.copy())
        n_ended = play_rows(self._record, self._games, rows, actions)
        ended = self._games.ended[:n_ended].copy()
        if n_ended:
            self._end(ended["pair"])
        if self._recorder is not None:
            self._recorder.follow(rows, actions, states)
        return ended

    def _ask(self, player: Player, rows: np.ndarray) -> np.ndarray:
        """The player's actions in some games, checked. Returns shape [K], int64."""
        look_rows(self._record, self._games, rows)
        views, masks = self._games.views[: len(rows)], self._games.masks[: len(rows)]
        observations = np.zeros((len(rows), 0), np.float32)
        if not isinstance(player, BotPlayer):  # a bot of ours decides from the view
            observations = encode_views(self._record, views, player.extras)
        turn = Turn(self._record, rows.copy(), views.copy(), observations, masks.copy())
        return ask(player, turn, may_forfeit=True)

    def _end(self, rows: np.ndarray) -> None:
        """Show how hands have ended, and deal the next ones."""
        if self._watchers:
            results = [read_result(self._record, self._games.states[row]) for row in rows]
            for watcher in self._watchers:
                watcher.see_ends(rows.copy(), [result for result in results if result])
        deal_on(self._record, self._games, rows)

    def _note(self, hands: Iterable[Hand]) -> None:
        """Keep recorded hands, with the numbers of their deals for the rows."""
        self.recorded += [replace(hand, row=int(self._deals[hand.row])) for hand in hands]

    def _check_length(self) -> None:
        if self._games.states["n_hands"].max() >= MAX_HANDS:
            names = " and ".join(player.name for player in self._seated)
            raise PlayerError(
                f"{names} have played {MAX_HANDS} hands of a match without an end: under these "
                "rules they may never end one; play hands only (--matches 0)"
            )

    def _matches(self, hands: np.ndarray) -> np.ndarray:
        """The ended matches, of which these are the hands; empty where hands were played."""
        if not self._record["is_match"]:
            return np.zeros(0, MATCH_DTYPE)
        states = self._games.states
        matches = np.zeros(len(states), MATCH_DTYPE)
        matches["seed"] = self._seeds
        matches["pair"] = np.arange(len(matches))
        matches["winner"] = states["match_winner"]
        matches["n_hands"] = states["n_hands"]
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
