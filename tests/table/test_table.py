"""The caller against anyone: a player that is asked answers just as a bot in the kernel does."""

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest

from gin_env import Game, bots
from gin_env.core.actions import BIG_GIN, DRAW, KNOCK, N_ACTIONS, PASS
from gin_env.core.batch import Batch, encode_views
from gin_env.core.observe import EXTRAS, obs_size
from gin_env.core.rows import AUTORESETS
from gin_env.core.rules import EPISODES, Episode, Rules
from gin_env.core.state import ENDING_NAMES, NO_SEAT, Ending, Phase
from gin_env.core.view import VIEW_DTYPE, look
from gin_env.errors import BatchError, GinError, IllegalActionError, PlayerError
from gin_env.history import Hand
from gin_env.players import FORFEIT, Turn, resolve
from gin_env.table.bot_rows import MAX_IDLE_HANDS
from gin_env.table.table import Table, read_seat
from gin_env.values.result import HandResult
from tests.bots.duel import Answer, Duel, by_bot, by_policy, facts_of
from tests.bots.outside import BLOCKS, Outside, Watcher, greedy_by_eye
from tests.bots.play import some_actions

HASTY = Rules(turn_cap=1)
"""Hands of one turn: an opponent who takes the upcard ends one before the learner has a say."""
AT_ONCE = Rules(turn_cap=1, opening="draw", knock_limit=10)
"""Hands of one turn without an offer: every second one is the opponent's alone."""


def against(
    n_games: int,
    *,
    opponent: Any = "medium",
    seat: Any = "random",
    rules: Any = "standard",
    **options: Any,
) -> Table:
    """A table at which the caller plays against somebody."""
    players = [None if opponent is None else resolve(opponent)]
    return Table(n_games, rules, opponents=players, seat=read_seat(seat), **options)


def everything(games: Table) -> list[bytes]:
    """Every byte that a learner gets to see, and the games."""
    a = games.arrays
    over = games.arrays.is_over
    arrays = [a.games, a.observations, a.masks, a.seats, games.rewards, over]
    arrays += [games.caller_seats, games.arrays.final_observations[over]]
    return [array.tobytes() for array in arrays]


def begin_again(games: Table) -> None:
    """Reset what has ended, where nothing else does."""
    if games.autoreset == "disabled" and games.is_episode_over.any():
        games.reset(rows=games.is_episode_over)


def play_side_by_side(one: Table, other: Table, n_steps: int) -> tuple[int, set[int]]:
    """Play two the same way and compare all; how many episodes ended, and what they paid."""
    rngs, n_ended, rewards = [Random(row) for row in range(len(one))], 0, set[int]()
    assert everything(one) == everything(other)
    for _ in range(n_steps):
        actions = some_actions(one, rngs)
        for games in (one, other):
            games.step(actions)
        assert everything(one) == everything(other)
        n_ended += int(one.arrays.is_over.sum())
        rewards.update(one.rewards.tolist())
        for games in (one, other):
            begin_again(games)
    return n_ended, rewards


# --- By hand ---


def play_beside_hand(games: Table, duels: list[Duel], n_steps: int) -> tuple[int, set[int]]:
    """Play the learner's side here and by hand; how many episodes ended, and what was paid."""
    rngs, n_ended, rewards = [Random(row) for row in range(len(games))], 0, set[int]()
    for _ in range(n_steps):
        for row, duel in enumerate(duels):
            assert facts_of(games, row) == duel.facts()
            assert games.caller_seats[row] == games.arrays.seats[row] == duel.seat
        actions = some_actions(games, rngs)
        was_over = games.is_episode_over
        games.step(actions)
        for row, duel in enumerate(duels):
            if was_over[row]:
                assert (games.rewards[row], games.arrays.is_over[row]) == (0, False)
                duel.begin()
                continue
            outcome = duel.step(int(actions[row]))
            assert games.rewards[row] == outcome.reward
            assert games.arrays.is_over[row] == outcome.is_over
            rewards.add(outcome.reward)
            if outcome.is_over:
                n_ended += 1
                assert games.arrays.final_observations[row].tobytes() == outcome.final
                if games.autoreset != "next_step":
                    duel.begin()
        begin_again(games)
    return n_ended, rewards


@pytest.mark.slow
@pytest.mark.parametrize("autoreset", AUTORESETS)
@pytest.mark.parametrize("episode", EPISODES)
def test_table_with_a_function_goes_as_by_hand(episode: Episode, autoreset: Any) -> None:
    rules = Rules.preset("modern", target=40)
    games = against(6, opponent=greedy_by_eye, rules=rules, episode=episode, autoreset=autoreset)
    games.reset(50)
    answers: list[Answer] = [by_policy(greedy_by_eye) for _ in range(6)]
    duels = [Duel(rules, episode, 50 + row, answer) for row, answer in enumerate(answers)]
    n_ended, rewards = play_beside_hand(games, duels, 120)
    assert n_ended > 5
    assert min(rewards) < 0 < max(rewards)


@pytest.mark.parametrize("seat", [0, 1])
def test_table_with_a_player_goes_as_by_hand(seat: int) -> None:
    games = against(6, opponent=Outside("easy"), seat=seat)
    games.reset(50)
    bot = bots.make("easy")
    duels = [Duel(Rules(), "hand", 50 + row, by_bot(bot, 50 + row), seat=seat) for row in range(6)]
    n_ended, rewards = play_beside_hand(games, duels, 120)
    assert n_ended > 20
    assert min(rewards) < 0 < max(rewards)


# --- Outside and in the kernel ---


@pytest.mark.slow
@pytest.mark.parametrize("autoreset", AUTORESETS)
@pytest.mark.parametrize("episode", EPISODES)
@pytest.mark.parametrize("name", ["easy", "simple"])
def test_table_with_a_bot_from_outside_goes_as_in_the_kernel(
    name: str, episode: Episode, autoreset: Any
) -> None:
    options: dict[str, Any] = {"rules": Rules(target=30), "episode": episode}
    opponents = (name, Outside(name))
    one, other = (against(40, opponent=who, autoreset=autoreset, **options) for who in opponents)
    for games in (one, other):
        games.reset(300)
    n_ended, rewards = play_side_by_side(one, other, 100)
    assert n_ended > 40
    assert min(rewards) < 0 < max(rewards)


@pytest.mark.slow
@pytest.mark.parametrize("autoreset", AUTORESETS)
@pytest.mark.parametrize("rules", [HASTY, AT_ONCE], ids=["hasty", "at once"])
def test_table_forgets_episodes_that_end_before_the_learner_s_first_action(
    rules: Rules, autoreset: Any
) -> None:
    options: dict[str, Any] = {"rules": rules, "autoreset": autoreset}
    one, other = (against(300, opponent=who, **options) for who in ("greedy", greedy_by_eye))
    for games in (one, other):
        games.reset(1_000)
    n_ended, rewards = play_side_by_side(one, other, 12)
    assert n_ended > 1_000
    assert max(rewards) > 0


@pytest.mark.parametrize("autoreset", AUTORESETS)
def test_table_carries_what_was_paid_before_the_first_action_of_a_match(autoreset: Any) -> None:
    options: dict[str, Any] = {"rules": AT_ONCE, "episode": "match", "autoreset": autoreset}
    opponents = ("greedy", Outside("greedy"))
    one, other = (against(4, opponent=who, seat=0, **options) for who in opponents)
    for games in (one, other):
        games.reset(0, dealers=0)
    _, rewards = play_side_by_side(one, other, 1)
    assert min(rewards) < 0


@pytest.mark.parametrize("autoreset", AUTORESETS)
@pytest.mark.parametrize("opponent", ["greedy", greedy_by_eye], ids=["kernel", "outside"])
def test_table_keeps_to_the_dealer_asked_for(opponent: Any, autoreset: Any) -> None:
    games = against(100, opponent=opponent, rules=HASTY, seat=0, autoreset=autoreset)
    games.reset(1, dealers=0)
    assert (games.arrays.games["dealer"] == 0).all()
    assert (games.arrays.seats == 0).all()


@pytest.mark.parametrize("opponent", ["easy", Outside("easy")], ids=["kernel", "outside"])
def test_table_reset_of_some_rows_is_nothing_to_the_others(opponent: Any) -> None:
    some = np.arange(20) % 3 == 0
    whole, part = (against(20, opponent=who) for who in ("easy", opponent))
    for games in (whole, part):
        games.reset(5)
    rngs = [Random(row) for row in range(20)]
    for step in range(40):
        actions = some_actions(whole, rngs)
        for games in (whole, part):
            games.step(actions)
        if step == 10:
            part.reset(np.arange(900, 920, dtype=np.uint64), rows=some)
            whole.reset(np.arange(900, 920, dtype=np.uint64), rows=some)
        assert everything(whole) == everything(part)


# --- What the learner gets ---


@pytest.mark.parametrize("opponent", ["greedy", greedy_by_eye], ids=["kernel", "outside"])
@pytest.mark.parametrize("seat", ["random", 0, 1])
def test_table_pays_the_points_of_the_hand_for_the_learner_s_seat(opponent: Any, seat: Any) -> None:
    games = against(40, opponent=opponent, seat=seat, autoreset="next_step")
    games.reset(40)
    rngs, returns, seen = [Random(row) for row in range(40)], np.zeros(40, np.int64), set[int]()
    for _ in range(80):
        games.step(some_actions(games, rngs))
        returns += games.rewards
        facts = games.arrays.games[games.arrays.is_over]
        mine = np.where(games.caller_seats[games.arrays.is_over] == 0, 1, -1)
        mine = mine * facts["hand_end"]["points"]
        assert (returns[games.arrays.is_over] == mine).all()
        assert (games.rewards[games.arrays.is_over] == mine).all()
        returns[games.arrays.is_over] = 0
        assert not returns.any()
        seen.update(np.sign(mine).tolist())
    assert {-1, 1} <= seen


def test_table_loses_to_the_opponent_s_own_knock() -> None:
    games = against(60, opponent=greedy_by_eye)
    games.reset(0)
    kept = against(60, opponent=greedy_by_eye, autoreset="disabled")
    kept.reset(0)
    while not kept.arrays.is_over.any():
        actions = kept.arrays.masks.argmax(1)  # never a knock where a discard will do
        kept.step(actions)
        games.step(actions)
    row = int(kept.arrays.is_over.argmax())
    game, seat = kept.arrays.games[row], int(kept.caller_seats[row])
    assert game["hand_end"]["knocker"] == 1 - seat != NO_SEAT
    assert kept.rewards[row] == games.rewards[row] < 0
    assert kept.rewards[row] == game["hand_end"]["points"] * (1 - 2 * seat)
    assert games.arrays.games["n_turns"][row] <= 1  # begun anew
    assert (games.arrays.final_observations[row] == kept.arrays.final_observations[row]).all()


@pytest.mark.slow
@pytest.mark.parametrize("opponent", ["greedy", greedy_by_eye], ids=["kernel", "outside"])
def test_table_ends_with_what_the_learner_sees(opponent: Any) -> None:
    games = against(60, opponent=opponent, extras=EXTRAS, autoreset="next_step")
    games.reset(4)
    rngs, n_theirs = [Random(row) for row in range(60)], 0
    for _ in range(60):
        games.step(some_actions(games, rngs))
        for row in np.flatnonzero(games.arrays.is_over).tolist():
            game, seat = games.arrays.games[row], int(games.caller_seats[row])
            views = np.zeros(1, VIEW_DTYPE)
            look(games.rules_row, game, seat, views[0])
            wanted = encode_views(games.rules_row, views, EXTRAS)[0]
            assert (games.arrays.final_observations[row] == wanted).all()
            assert (games.arrays.observations[row] == wanted).all()
            assert games.arrays.masks[row].all()  # the next step takes anything
            assert wanted[BLOCKS["phase"]][Phase.OVER] == 1
            n_theirs += game["to_move"] != seat
    assert n_theirs > 5


def test_table_without_an_opponent_is_a_batch() -> None:
    games, batch = against(10, opponent=None), Batch(10)
    games.reset(8)
    batch.reset(8)
    rngs = [Random(row) for row in range(10)]
    for _ in range(150):
        assert (games.caller_seats == batch.arrays.seats).all()
        actions = some_actions(batch, rngs)
        games.step(actions)
        batch.step(actions)
        for mine, theirs in zip(games.arrays, batch.arrays, strict=True):
            assert mine.tobytes() == theirs.tobytes()
        assert (games.rewards == batch.rewards).all()
        assert (games.arrays.is_over == batch.arrays.is_over).all()
        over = games.arrays.is_over
        assert (
            games.arrays.final_observations[over] == batch.arrays.final_observations[over]
        ).all()


# --- Ends of hands ---


@pytest.mark.parametrize("opponent", ["greedy", greedy_by_eye], ids=["kernel", "outside"])
@pytest.mark.parametrize("autoreset", AUTORESETS)
@pytest.mark.parametrize("episode", EPISODES)
def test_table_tells_the_caller_of_every_hand_s_end(
    episode: Episode, autoreset: Any, opponent: Any
) -> None:
    recorded: list[Hand] = []
    options: dict[str, Any] = {"rules": {"target": 60}, "episode": episode, "seat": 1}
    games = against(5, opponent=opponent, autoreset=autoreset, **options)
    twin = against(5, opponent=opponent, record=recorded.extend, autoreset=autoreset, **options)
    rngs, told, n_told = [Random(row) for row in range(5)], Counter[tuple[int, str, int]](), 0
    for table in (games, twin):
        table.reset(20)
    for _ in range(150):
        actions = some_actions(games, rngs)
        for table in (games, twin):
            table.step(actions)
        hands = games.told_hands
        for mine, theirs in zip(hands, twin.told_hands, strict=True):
            assert (mine == theirs).all()
        for row in np.flatnonzero(hands.n_hands).tolist():
            told[row, ENDING_NAMES[hands.endings[row]], int(hands.points[row])] += 1
            n_told += int(hands.n_hands[row])
            if episode == "hand":
                assert games.rewards[row] == hands.points[row]
        assert (games.arrays.is_over <= (hands.n_hands > 0)).all()
        for table in (games, twin):
            begin_again(table)
    ends = [(hand.row, hand.result.ending.name.lower(), hand.result.points[1]) for hand in recorded]
    assert not told - Counter(ends)  # of two hands that end in one step the last is told
    assert n_told == len(ends) >= told.total() > 15


def test_table_tells_of_a_hand_before_the_first_decision_with_that_decision() -> None:
    games = against(1, opponent="greedy", rules=AT_ONCE, episode="match", seat=0)
    games.reset(0, dealers=0)
    assert games.arrays.games["n_hands"][0] > 0
    assert not games.told_hands.n_hands.any()
    games.step(np.array([DRAW]))
    assert games.told_hands.n_hands.all()
    assert games.told_hands.points[0] <= 0


@pytest.mark.parametrize("opponent", ["greedy", greedy_by_eye], ids=["kernel", "outside"])
def test_table_ends_games_in_which_the_caller_never_decides(opponent: Any) -> None:
    # Hands of one turn, which is the opponent's; a dead hand is dealt again by the same dealer.
    rules = Rules(
        turn_cap=1, opening="draw", first_dealer="seat_0", next_dealer="loser", knock_limit=0
    )
    games = against(2, opponent=opponent, rules=rules, episode="match", seat=0)
    error = BatchError if opponent == "greedy" else PlayerError
    with pytest.raises(error, match=f"ends every hand .* {MAX_IDLE_HANDS} in a row"):
        games.reset(3)
    with pytest.raises(PlayerError, match="reset all games first"):
        games.step(np.zeros(2, np.int64))


# --- What the opponent gets ---


@pytest.mark.parametrize("extras", [(), ("danger",), EXTRAS], ids=str)
def test_table_shows_an_opponent_its_own_side(extras: tuple[str, ...]) -> None:
    watcher = Watcher(extras)
    games = against(12, opponent=watcher, extras=("danger",))
    games.reset(60)
    rngs = [Random(row) for row in range(12)]
    for _ in range(30):
        games.step(some_actions(games, rngs))
    assert games.observation_size == obs_size(["danger"])
    assert watcher.begun == [(list(range(60, 72)), 1, None)]
    assert len(watcher.turns) > 30
    for turn in watcher.turns:
        n_rows = len(turn.rows)
        assert 0 < n_rows <= 12
        assert turn.observations.shape == (n_rows, obs_size(extras))
        assert turn.masks.shape == (n_rows, N_ACTIONS)
        assert turn.masks.any(1).all()
        assert turn.views["is_to_move"].all()
        wanted = encode_views(turn.rules_row, turn.views, extras)
        assert turn.observations.tobytes() == wanted.tobytes()
        assert not np.shares_memory(turn.masks, games.arrays.masks)


def test_table_takes_fresh_seeds_at_the_first_reset_and_tells_them() -> None:
    watcher = Watcher()
    games = against(3, opponent=watcher)
    games.reset()
    games.reset()
    assert len(watcher.begun) == 1
    seeds, *_ = watcher.begun[0]
    again = against(3, opponent=Watcher())
    again.reset(np.array(seeds, np.uint64))
    again.reset()
    assert everything(again) == everything(games)


def test_table_tells_an_opponent_which_games_begin() -> None:
    watcher, some = Watcher(), np.array([True, False, True])
    games = against(3, opponent=watcher)
    games.reset(5)
    games.reset(8, rows=some)
    assert watcher.begun == [([5, 6, 7], 1, None), ([8, 9, 10], 1, some.tolist())]


# --- What an opponent that watches is told ---


class Spectator(Outside):
    """Keeps all that it is told, in order; `tests.bots.outside.Watcher` is told less."""

    def __init__(self, name: str = "greedy") -> None:
        super().__init__(name)
        self.told: list[tuple[str, Any]] = []

    def reset(self, seeds: np.ndarray, seat: int, rows: np.ndarray | None = None) -> None:
        super().reset(seeds, seat, rows)
        begun = range(len(seeds)) if rows is None else np.flatnonzero(rows)
        self.told += [("reset", int(row)) for row in begun]

    def act(self, turn: Turn) -> np.ndarray:
        self.told += [("asked", int(row)) for row in turn.rows]
        return super().act(turn)

    def see_moves(self, rows: np.ndarray, seat: int, actions: np.ndarray) -> None:
        assert {rows.dtype, actions.dtype} == {np.dtype(np.int64)}
        moves = zip(rows.tolist(), actions.tolist(), strict=True)
        self.told += [("moved", (row, seat, action)) for row, action in moves]

    def see_ends(self, rows: np.ndarray, results: list[HandResult]) -> None:
        self.told += [("ended", end) for end in zip(rows.tolist(), results, strict=True)]

    def of_row(self, row: int) -> list[tuple[str, Any]]:
        """What it was told of one game."""
        return [
            (kind, fact)
            for kind, fact in self.told
            if (fact if isinstance(fact, int) else fact[0]) == row
        ]


def replay(spectator: Spectator, row: int, game: Game, seat: int) -> int:
    """Play a game over again as a spectator was told; how many hands have ended."""
    n_ended, is_open, asked = 0, True, False
    for kind, fact in spectator.of_row(row):
        if kind == "asked" and is_open:
            assert game.to_move == 1 - seat
            asked = True
        elif kind == "moved" and is_open:
            _, mover, action = fact
            assert (mover, action in game.legal_actions()) == (game.to_move, True)
            assert asked == (mover != seat)
            game.play(action)
            asked = False
        elif kind == "ended" and is_open:
            assert fact[1] == game.result
            n_ended += 1
            is_open = game.episode == "match" and not game.is_match_over
            if is_open:
                game.next_hand()
    return n_ended


@pytest.mark.parametrize("autoreset", AUTORESETS)
@pytest.mark.parametrize("episode", EPISODES)
def test_table_tells_a_watcher_of_every_move_and_end(episode: Episode, autoreset: Any) -> None:
    spectator = Spectator()
    games = against(
        6, opponent=spectator, rules={"target": 60}, episode=episode, autoreset=autoreset
    )
    games.reset(70)
    seats = games.caller_seats
    rngs, n_ended = [Random(row) for row in range(6)], 0
    for _ in range(200):
        games.step(some_actions(games, rngs))
        begin_again(games)
    for row in range(6):
        game = Game.deal({"target": 60}, seed=70 + row, episode=episode)
        n_ended += replay(spectator, row, game, int(seats[row]))
    assert n_ended >= (6 if episode == "hand" else 18)


def test_table_with_a_watcher_goes_as_without() -> None:
    opponents = (Spectator("simple"), Outside("simple"))
    one, other = (against(20, opponent=who, episode="match") for who in opponents)
    for games in (one, other):
        games.reset(9)
    n_ended, _ = play_side_by_side(one, other, 120)
    assert n_ended > 0


def test_table_tells_a_watcher_of_the_learner_s_forfeit() -> None:
    spectator = Spectator()
    games = against(2, opponent=spectator, seat=0, illegal="forfeit", illegal_penalty=35)
    games.reset(3, dealers=1)
    games.step(np.array([BIG_GIN, PASS]))
    (moved, ended, *_) = [each for each in spectator.of_row(0) if each[0] in ("moved", "ended")]
    assert moved == ("moved", (0, 0, FORFEIT))
    assert (ended[1][1].ending, ended[1][1].points) == (Ending.FORFEIT, (-35, 35))
    assert ("moved", (1, 0, PASS)) in spectator.told


def test_table_tells_a_watcher_nothing_of_an_action_that_is_refused() -> None:
    spectator = Spectator()
    games = against(2, opponent=spectator, seat=0)
    games.reset(3, dealers=1)
    before = list(spectator.told)
    with pytest.raises(IllegalActionError):
        games.step(np.array([PASS, BIG_GIN]))
    assert spectator.told == before


def test_table_tells_a_watcher_that_games_begin_anew_even_without_seeds() -> None:
    spectator = Spectator()
    games = against(2, opponent=spectator)
    for some in (None, None, np.array([False, True])):
        games.reset(rows=some)
    assert [fact for kind, fact in spectator.told if kind == "reset"] == [0, 1, 0, 1, 1]


@pytest.mark.parametrize("method", ["see_moves", "see_ends"])
def test_table_is_interrupted_where_a_watcher_fails(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any) -> None:
        raise ZeroDivisionError

    games = against(2, opponent=Spectator(), seat=0)
    games.reset(3)
    monkeypatch.setattr(Spectator, method, fail)

    def play_on() -> None:
        for _ in range(60):
            games.step(games.arrays.masks.argmax(1))

    with pytest.raises(ZeroDivisionError):
        play_on()
    waiting = ~games.is_episode_over & (games.arrays.seats == 1)
    assert not games.arrays.masks[waiting].any()
    with pytest.raises(PlayerError, match="reset all games first"):
        games.step(np.zeros(2, np.int64))


# --- Bad input ---


def misplay(observation: np.ndarray, action_mask: np.ndarray) -> int:
    """Knock with whatever may not be knocked with."""
    return int(KNOCK + np.flatnonzero(action_mask[KNOCK:DRAW] == 0)[0])


def test_table_names_an_opponent_who_plays_what_it_may_not() -> None:
    games = against(4, opponent=misplay)
    with pytest.raises(PlayerError, match=r"^misplay: 'knock As' is not legal in the offer phase$"):
        games.reset(0)


@pytest.mark.parametrize(
    "answer",
    [
        lambda n_rows: np.zeros(n_rows + 1, np.int64),
        lambda n_rows: np.full(n_rows, float(PASS) + 0.5),
        lambda n_rows: np.zeros((n_rows, 2), np.int64),
        lambda n_rows: ["pass"] * n_rows,
        lambda n_rows: [None] * n_rows,
    ],
    ids=["too many", "floats", "two each", "text", "none"],
)
def test_table_names_an_opponent_who_answers_something_else(answer: Any) -> None:
    class Babbler(Outside):
        def act(self, turn: Turn) -> np.ndarray:
            return answer(len(turn.rows))  # type: ignore[no-any-return]

    games = against(8, opponent=Babbler("easy"))
    with pytest.raises(PlayerError, match=r"outside easy"):
        games.reset(0)


@pytest.mark.parametrize("opponent", ["easy", Outside("easy")], ids=["kernel", "outside"])
def test_table_refuses_an_illegal_action_before_any_row_moves(opponent: Any) -> None:
    games = against(6, opponent=opponent)
    games.reset(3)
    rngs = [Random(row) for row in range(6)]
    for _ in range(5):
        games.step(some_actions(games, rngs))
    before = everything(games)
    actions = some_actions(games, rngs)
    actions[4] = -1
    with pytest.raises(IllegalActionError, match=r"^row 4: -1 is no action"):
        games.step(actions)
    assert everything(games) == before


@pytest.mark.parametrize("opponent", ["easy", Outside("easy")], ids=["kernel", "outside"])
def test_table_forfeits_an_illegal_action(opponent: Any) -> None:
    games = against(6, opponent=opponent, illegal="forfeit", illegal_penalty=35)
    games.reset(3)
    actions = some_actions(games, [Random(row) for row in range(6)])
    actions[4] = -1
    games.step(actions)
    assert games.rewards[4] == -35
    assert games.arrays.is_over.tolist() == [False] * 4 + [True, False]
    assert games.arrays.masks.any(1).all()


def test_table_before_reset_says_so() -> None:
    for opponent in ("easy", greedy_by_eye, None):
        with pytest.raises(BatchError, match=r"^call reset before step$"):
            against(2, opponent=opponent).step(np.zeros(2, np.int64))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"seat": 2}, r"seat must be .*, not 2"),
        ({"seat": True}, r"seat must be .*, not True"),
        ({"seat": "first"}, r"seat must be .*, not 'first'"),
        ({"opponent": "hrad"}, r"'hrad' is neither a bot \("),
        ({"opponent": 7}, r"7 is no player"),
        ({"rules": "poker"}, r"unknown preset 'poker'"),
    ],
)
def test_table_refuses_other_options(options: dict[str, Any], said: str) -> None:
    with pytest.raises(GinError, match=f"^{said}"):
        against(1, **options)
