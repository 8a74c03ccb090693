"""A learner's game against somebody, both seats played by hand through the row kernels."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gin_env.bots.bot import Bot
from gin_env.bots.bot_row import make_memories
from gin_env.core.batch import Batch
from gin_env.core.match import BY_RULES, advance, begin
from gin_env.core.observe import OBS_SIZE
from gin_env.core.rules import Episode, Rules
from gin_env.core.state import draw_below, next_word, seed_words
from gin_env.table.bot_rows import DRAWN
from gin_env.table.table import SEATING_STREAM
from tests.bots.play import ask
from tests.core.table import Table

Answer = Callable[[Table], int]
"""What the opponent plays where it is to move."""
Policy = Callable[[np.ndarray, np.ndarray], int]
"""What somebody plays who sees an observation and a mask."""


def by_bot(bot: Bot, seed: int) -> Answer:
    """A bot as an opponent, with the memory that it has in the game of this seed."""
    memory = make_memories(np.array([seed], np.uint64), 1)
    return lambda table: ask(bot, table.r, table.view(table.s["to_move"]), memory)


def by_policy(policy: Policy) -> Answer:
    """A function of observation and mask as an opponent."""

    def answer(table: Table) -> int:
        seat = table.s["to_move"]
        return policy(table.observation(seat)[:OBS_SIZE], table.mask(seat))

    return answer


class Outcome(NamedTuple):
    """What a step brings the learner."""

    reward: int
    is_over: bool
    final: bytes
    """The last observation, where the episode is over."""


class Duel:
    """The learner's side of one game."""

    def __init__(
        self,
        rules: Rules,
        episode: Episode,
        seed: int,
        answer: Answer,
        *,
        seat: int = DRAWN,
        dealer: int = BY_RULES,
    ) -> None:
        self.table = Table(rules, episode)
        self.table.s["rng_state"] = seed_words(np.array([seed], np.uint64))[0]
        self.n_unplayed = 0
        self._answer, self._fixed_seat = answer, seat
        self._lots = seed_words(np.array([seed], np.uint64), SEATING_STREAM)[0]
        self.seat = seat
        self.begin(dealer)

    @property
    def is_over(self) -> bool:
        """Whether the episode has ended."""
        return bool(self.table.s["is_episode_over"])

    @property
    def is_waiting(self) -> bool:
        """Whether it is the opponent's turn."""
        return not self.is_over and int(self.table.s["to_move"]) != self.seat

    def begin(self, dealer: int = BY_RULES) -> None:
        """Begin an episode that the learner has something to decide in."""
        self.n_unplayed -= 1
        self._carried, is_first = 0, True
        while is_first or self.is_over:
            is_first = False
            self.n_unplayed += 1
            begin(self.table.r, self.table.s, dealer)
            self._draw_seat()
            self._carried = self._let_opponent_move()

    def step(self, action: int) -> Outcome:
        """Play the learner's action, and what the opponent answers."""
        paid = self._carried + self._play(action)
        self._carried = 0
        paid += self._let_opponent_move()
        final = self.observation() if self.is_over else b""
        return Outcome(paid if self.seat == 0 else -paid, self.is_over, final)

    def observation(self) -> bytes:
        """What the learner sees."""
        return self.table.observation(self.seat)[:OBS_SIZE].tobytes()

    def facts(self) -> tuple[bytes, ...]:
        """Every byte of the game and of what the learner sees and may do."""
        mask = self.table.mask(self.seat).tobytes()
        return self.table.s.tobytes(), self.observation(), mask

    def _let_opponent_move(self) -> int:
        paid = 0
        while self.is_waiting:
            paid += self._play(self._answer(self.table))
        return paid

    def _play(self, action: int) -> int:
        advance(self.table.r, self.table.s, action)
        return int(self.table.s["reward"])

    def _draw_seat(self) -> None:
        """One lot for the seat, and one for the opponent, of whom there is but one here."""
        self._lots = np.uint64(next_word(self._lots))
        if self._fixed_seat == DRAWN:
            self.seat = draw_below(self._lots, 2)
        self._lots = np.uint64(next_word(self._lots))


def facts_of(batch: Batch, row: int) -> tuple[bytes, ...]:
    """What `Duel.facts` says, of one row of a batch."""
    a = batch.arrays
    mask = a.masks[row]
    if batch.autoreset == "next_step" and a.games[row]["is_episode_over"]:
        assert mask.all()  # the next step takes anything
        mask = np.zeros_like(mask)
    return a.games[row].tobytes(), a.observations[row].tobytes(), mask.tobytes()
