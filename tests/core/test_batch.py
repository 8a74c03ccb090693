"""A batch: row i is the single game with the seed of row i; how rows end and begin anew."""

import copy
import pickle
import tracemalloc
from random import Random
from typing import Any

import numpy as np
import pytest

from gin_env.bots.bot import make
from gin_env.core.batch import Batch
from gin_env.core.match import BY_RULES, advance, begin
from gin_env.core.observe import EXTRAS, OBS_LAYOUT, OBS_SIZE
from gin_env.core.rows import AUTORESETS
from gin_env.core.rules import EPISODES, PRESETS, Episode, Rules
from gin_env.core.state import NO_SEAT, Phase
from gin_env.players import BotPlayer
from gin_env.table.table import Table as BotTable
from tests.bots.play import some_actions, somehow
from tests.core.table import Table

PHASE_AT = next(block.slice.start for block in OBS_LAYOUT if block.name == "phase")
OVER_AT = PHASE_AT + Phase.OVER
TRACED = 5  # the seed of the row that is followed among others


class Single:
    """The single game that a row must equal, and somebody who plays it."""

    def __init__(self, rules: Rules, seed: int, episode: Episode) -> None:
        self.table = Table.seeded(rules, seed, episode)
        self.rng = Random(seed)
        self.n_ended = 0

    @property
    def is_over(self) -> bool:
        """Whether its episode has ended."""
        return bool(self.table.s["is_episode_over"])

    @property
    def seat(self) -> int:
        """The seat to move."""
        return int(self.table.s["to_move"])

    def choose(self) -> int:
        """Some action of the seat to move."""
        return somehow(self.rng, self.table.view(self.seat), self.table.mask(self.seat))

    def begin(self) -> None:
        """Begin the next episode, from the game's random word."""
        self.n_ended += 1
        begin(self.table.r, self.table.s, BY_RULES)

    def play(self, action: int) -> tuple[int, bytes]:
        """Play an action; the points of the seat that acted, and what it sees afterwards."""
        seat = self.seat
        advance(self.table.r, self.table.s, action)
        reward = int(self.table.s["reward"])
        return (reward if seat == 0 else -reward), self.table.observation(seat).tobytes()

    def facts(self) -> tuple[bytes, ...]:
        """Every byte that a batch holds of the game."""
        table, seat = self.table, self.seat
        parts = (table.s, table.view(seat), table.observation(seat), table.mask(seat))
        return tuple(part.tobytes() for part in parts)


def facts_of(batch: Batch, row: int) -> tuple[bytes, ...]:
    """Every byte that a batch holds of one game."""
    a = batch.arrays
    parts = (a.games[row], a.views[row], a.observations[row], a.masks[row])
    return tuple(part.tobytes() for part in parts)


def run_to_end(batch: Batch) -> np.ndarray:
    """Step until a step has ended the episodes of some rows, but not of all; which."""
    rngs = [Random(row) for row in range(len(batch))]
    for _ in range(2_000):
        over = batch.is_episode_over
        batch.step(some_actions(batch, rngs), ~over if batch.autoreset == "disabled" else None)
        ended = batch.arrays.is_over
        if ended.any() and not ended.all():
            return ended.copy()
    raise AssertionError("no row has ended")


# --- A row is a single game ---


@pytest.mark.slow
@pytest.mark.parametrize("episode", EPISODES)
@pytest.mark.parametrize("name", PRESETS)
def test_batch_rows_are_the_single_games_of_their_seeds(name: str, episode: Episode) -> None:
    rules = Rules.preset(name, target=20)
    seeds = [7, 8, 7, 2**64 - 1]
    batch = Batch(len(seeds), rules, episode=episode, extras=EXTRAS)
    batch.reset(seeds)
    singles = [Single(rules, seed, episode) for seed in seeds]
    while min(single.n_ended for single in singles) < 3:
        for row, single in enumerate(singles):
            assert batch.arrays.seats[row] == single.seat
            assert facts_of(batch, row) == single.facts()
        actions = [single.choose() for single in singles]
        batch.step(np.array(actions, np.int64))
        for row, single in enumerate(singles):
            reward, final = single.play(actions[row])
            assert batch.rewards[row] == reward
            assert batch.arrays.is_over[row] == single.is_over
            if single.is_over:
                assert batch.arrays.final_observations[row].tobytes() == final
                single.begin()


def trace(episode: Episode, seeds: list[int], *, others_wait: bool = False) -> list[Any]:
    """All that befalls the row of seed `TRACED` in a batch of these seeds."""
    batch = Batch(len(seeds), Rules(target=20), episode=episode)
    batch.reset(seeds)
    at = seeds.index(TRACED)
    rngs = [Random(TRACED if row == at else len(seeds)) for row in range(len(seeds))]
    alone = np.arange(len(seeds)) == at
    seen: list[Any] = []
    for step in range(300):
        batch.step(some_actions(batch, rngs), alone if others_wait and step % 2 else None)
        last = batch.arrays.final_observations[at].tobytes()
        seen.append((facts_of(batch, at), int(batch.rewards[at]), last))
    return seen


@pytest.mark.parametrize("episode", EPISODES)
def test_batch_rows_do_not_depend_on_their_neighbours(episode: Episode) -> None:
    alone = trace(episode, [TRACED])
    assert len({final for _, _, final in alone}) > 3
    assert len({reward for _, reward, _ in alone}) > 3
    assert trace(episode, [6, TRACED, 7]) == alone
    assert trace(episode, [*range(100, 117), TRACED], others_wait=True) == alone


def test_batch_with_other_extras_writes_the_same_blocks() -> None:
    batches = [Batch(6, extras=extras) for extras in ((), ("danger",), EXTRAS)]
    rngs = [Random(row) for row in range(6)]
    for batch in batches:
        batch.reset(3)
    for _ in range(60):
        plain, with_danger, whole = (batch.arrays.observations for batch in batches)
        assert (whole[:, :OBS_SIZE] == plain).all()
        assert (with_danger[:, :OBS_SIZE] == plain).all()
        assert (with_danger[:, OBS_SIZE:] == whole[:, OBS_SIZE + 52 : OBS_SIZE + 104]).all()
        actions = some_actions(batches[0], rngs)
        for batch in batches:
            batch.step(actions)
    assert [batch.observation_size - OBS_SIZE for batch in batches] == [0, 52, 208]


@pytest.mark.parametrize("kind", ["alone", "against a bot"])
def test_batch_gives_the_same_bytes_for_any_number_of_threads(kind: str) -> None:
    n_games = 23
    batches: list[Batch] = [
        BotTable(n_games, opponents=[BotPlayer(make("easy"))], num_threads=n_threads)
        if kind == "against a bot"
        else Batch(n_games, num_threads=n_threads)
        for n_threads in (1, 2, 3, 64)
    ]
    rngs = [Random(row) for row in range(n_games)]
    for batch in batches:
        batch.reset(3)
    for _ in range(60):
        actions = some_actions(batches[0], rngs)
        for batch in batches:
            batch.step(actions)
            for mine, others in zip(batches[0].arrays, batch.arrays, strict=True):
                assert mine.tobytes() == others.tobytes()


@pytest.mark.parametrize("n_threads", [1, 2])
def test_batch_copies_go_on_as_the_original(n_threads: int) -> None:
    batch = Batch(5, num_threads=n_threads)
    rngs = [Random(row) for row in range(5)]
    batch.reset(3)
    for _ in range(20):
        batch.step(some_actions(batch, rngs))
    copies = copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))
    for _ in range(60):
        actions = some_actions(batch, rngs)
        for one in (batch, *copies):
            one.step(actions)
        for one in copies:
            assert (one.arrays.observations == batch.arrays.observations).all()
            assert (one.arrays.games["rng_state"] == batch.arrays.games["rng_state"]).all()
            assert (one.rewards == batch.rewards).all()


# --- Ends and new beginnings ---


def episodes_by_row(autoreset: Any) -> list[list[Any]]:
    """Per row, each decision's state, reward and end, until each row has ended three matches."""
    n_games = 4
    batch = Batch(n_games, Rules(target=10), episode="match", autoreset=autoreset)
    batch.reset(40)
    rngs = [Random(row) for row in range(n_games)]
    logs: list[list[Any]] = [[] for _ in range(n_games)]
    n_ended = np.zeros(n_games, int)
    while n_ended.min() < 3:
        if autoreset == "disabled" and batch.is_episode_over.any():
            batch.reset(rows=batch.is_episode_over)
        deciding = ~batch.is_episode_over
        actions = some_actions(batch, rngs)
        before = [game.tobytes() for game in batch.arrays.games]
        batch.step(actions)
        for row in np.flatnonzero(deciding):
            is_over = bool(batch.arrays.is_over[row])
            final = batch.arrays.final_observations[row].tobytes() if is_over else b""
            logs[row].append((before[row], int(batch.rewards[row]), is_over, final))
        n_ended += batch.arrays.is_over
    return logs


def test_batch_plays_the_same_episodes_in_every_autoreset_mode() -> None:
    logs = [episodes_by_row(autoreset) for autoreset in AUTORESETS]
    for by_mode in zip(*logs, strict=True):
        n_common = min(map(len, by_mode))
        same, later, by_hand = (log[:n_common] for log in by_mode)
        assert sum(is_over for _, _, is_over, _ in same) >= 3
        assert same == later
        assert same == by_hand


def test_batch_same_step_leaves_every_row_with_a_decision() -> None:
    batch = Batch(8)
    batch.reset(1)
    for _ in range(3):
        over = run_to_end(batch)
        a = batch.arrays
        assert a.masks.any(1).all()
        assert not batch.is_episode_over.any()
        assert (a.games["n_turns"][over] == 0).all()
        assert (a.final_observations[over, OVER_AT] == 1).all()
        assert (a.observations[:, OVER_AT] == 0).all()


def test_batch_next_step_ignores_the_action_that_begins_anew() -> None:
    batch = Batch(8, autoreset="next_step")
    batch.reset(1)
    over = run_to_end(batch)
    a = batch.arrays
    assert (batch.is_episode_over == over).all()
    assert a.masks[over].all()
    assert a.masks[~over].any(1).all()
    assert (a.observations[over] == a.final_observations[over]).all()
    assert (a.observations[over, OVER_AT] == 1).all()
    assert (batch.rewards[~over] == 0).all()
    final = a.final_observations.copy()
    others = [facts_of(batch, row) for row in np.flatnonzero(~over).tolist()]
    actions = some_actions(batch, [Random(1)] * 8)
    actions[over] = 10**9
    batch.step(actions)
    assert not a.is_over[over].any()
    assert (batch.rewards[over] == 0).all()
    assert (a.games["n_turns"][over] == 0).all()
    assert a.masks[over].any(1).all()
    assert (a.final_observations[over] == final[over]).all()
    for row, other in zip(np.flatnonzero(~over).tolist(), others, strict=True):
        assert facts_of(batch, row) != other


def test_batch_next_step_does_not_begin_a_row_that_is_left_out() -> None:
    batch = Batch(8, autoreset="next_step")
    batch.reset(1)
    over = run_to_end(batch)
    before = [facts_of(batch, row) for row in np.flatnonzero(over).tolist()]
    batch.step(some_actions(batch, [Random(1)] * 8), ~over)
    assert [facts_of(batch, row) for row in np.flatnonzero(over).tolist()] == before
    assert batch.is_episode_over[over].all()


@pytest.mark.parametrize("illegal", ["raise", "forfeit"])
def test_batch_disabled_refuses_a_step_after_the_end(illegal: Any) -> None:
    batch = Batch(8, autoreset="disabled", illegal=illegal)
    batch.reset(1)
    over = run_to_end(batch)
    actions = some_actions(batch, [Random(1)] * 8)
    actions[over] = 0
    before = [array.tobytes() for array in batch.arrays]
    said = rf"^row {over.argmax()}: 'discard As' is not legal: the hand is over"
    with pytest.raises(ValueError, match=said):
        batch.step(actions)
    assert [array.tobytes() for array in batch.arrays] == before
    batch.reset(rows=over)
    assert not batch.is_episode_over.any()
    batch.step(some_actions(batch, [Random(1)] * 8))


def test_batch_pays_the_winner_whoever_of_the_two_acted_last() -> None:
    batch = Batch(64, Rules(knock_limit=10), autoreset="disabled")
    batch.reset(2)
    rngs = [Random(row) for row in range(64)]
    last_movers = np.full(64, NO_SEAT)
    while not (over := batch.is_episode_over).all():
        movers = batch.arrays.seats.copy()
        batch.step(some_actions(batch, rngs), ~over)
        ended = batch.arrays.is_over
        last_movers[ended] = movers[ended]
        games = batch.arrays.games[ended]
        signs = np.where(games["hand_end"]["winner"] == movers[ended], 1, -1)
        assert (batch.rewards[ended] == signs * np.abs(games["hand_end"]["points"])).all()
        assert (batch.rewards[~ended] == 0).all()
    winners = batch.arrays.games["hand_end"]["winner"]
    pairs = set(zip(winners.tolist(), last_movers.tolist(), strict=True))
    assert {(0, 0), (1, 1)} <= pairs
    assert pairs & {(0, 1), (1, 0)}  # undercuts


def test_batch_partial_step_leaves_the_other_rows_alone() -> None:
    batch = Batch(6)
    batch.reset(3)
    rngs = [Random(row) for row in range(6)]
    moving = np.array([False, True, False, False, True, False])
    for _ in range(150):
        before = [facts_of(batch, row) for row in range(6)]
        actions = some_actions(batch, rngs)
        actions[~moving] = -1
        batch.step(actions, moving)
        for row in range(6):
            assert (facts_of(batch, row) == before[row]) == (not moving[row])
        assert (batch.rewards[~moving] == 0).all()
        assert not batch.arrays.is_over[~moving].any()


# --- Memory ---


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["alone", "with two extras", "against a bot"])
def test_batch_takes_less_than_8_kb_a_game(kind: str) -> None:
    n_games = 128

    def play_a_step() -> Batch:
        if kind == "against a bot":
            batch: Batch = BotTable(n_games, opponents=[BotPlayer(make("medium"))])
        else:
            batch = Batch(n_games, extras=EXTRAS[:2] if kind == "with two extras" else ())
        batch.reset(0)
        batch.step(batch.arrays.masks.argmax(1))
        return batch

    play_a_step()  # loads the kernels, which are not the batch's
    tracemalloc.start()
    try:
        batch = play_a_step()
        n_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    arrays = sum(array.nbytes for array in batch.arrays)
    assert arrays <= n_bytes < 8 * 1024 * n_games
