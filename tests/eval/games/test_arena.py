"""The arena: mirrored deals, the same result for any number of rows, what players are handed."""

from collections.abc import Callable
from typing import cast

import numpy as np
import pytest

from eval.games import arena
from eval.games.arena import Contest, Played, deal_seeds, join, play_contest
from eval.games.game_log import HAND_DTYPE, NO_DEADWOOD
from eval.stats.estimates import describe_hands
from gin_env import Game
from gin_env.bots import make
from gin_env.bots.bot_row import make_memories
from gin_env.bots.choose import choose
from gin_env.core.actions import DRAW, N_ACTIONS, PASS
from gin_env.core.batch import encode_views
from gin_env.core.match import BY_RULES, begin, next_hand, play, play_forfeit
from gin_env.core.observe import EXTRAS, OBS_SIZE, obs_layout
from gin_env.core.rules import Episode, Rules
from gin_env.core.state import OVER, STATE_DTYPE, Ending, Phase, seed_words
from gin_env.core.view import VIEW_DTYPE, look
from gin_env.errors import PlayerError, SeedError
from gin_env.players import BotPlayer, resolve
from gin_env.players.protocol import FORFEIT, Player, Turn, Verdict
from gin_env.table.control_variate import draw_luck
from gin_env.values.result import HandResult

STANDARD = Rules()


def contest(n_deals: int, episode: Episode = "hand", **others: object) -> Played:
    a, b = (resolve(others.pop(side, "medium")) for side in ("a", "b"))
    rules = others.pop("rules", STANDARD)
    setting = Contest(n_deals=n_deals, episode=episode, rules=rules, **others)  # type: ignore[arg-type]
    return join(list(play_contest((a, b), setting)))


class Recorder:
    """Passes, draws and discards what comes first, and keeps what it was handed."""

    def __init__(self, extras: tuple[str, ...] = (), name: str = "recorder") -> None:
        self.name, self.extras = name, extras
        self.halves: list[list[Turn]] = []
        self.resets: list[tuple[np.ndarray, int]] = []

    def reset(self, seeds: np.ndarray, seat: int, rows: np.ndarray | None = None) -> None:
        self.resets.append((seeds.copy(), seat))
        self.halves.append([])

    def act(self, turn: Turn) -> np.ndarray:
        kept = (turn.views.copy(), turn.observations.copy(), turn.masks.copy())
        self.halves[-1].append(Turn(turn.rules_row, turn.rows.copy(), *kept))
        return np.asarray(turn.masks.argmax(axis=1), np.int64)

    @property
    def turns(self) -> list[Turn]:
        return [turn for half in self.halves for turn in half]


class Faulty(Recorder):
    """A recorder that answers as a function of the turn says."""

    def __init__(self, answer: Callable[[Turn], object]) -> None:
        super().__init__(name="faulty")
        self._answer = answer

    def act(self, turn: Turn) -> np.ndarray:
        return cast("np.ndarray", self._answer(turn))


class Asked:
    """A bot that is asked like anybody else, instead of being played in a kernel."""

    extras: tuple[str, ...] = ()

    def __init__(self, bot: str) -> None:
        self._player, self.name = resolve(bot), bot

    def reset(self, seeds: np.ndarray, seat: int, rows: np.ndarray | None = None) -> None:
        self._player.reset(seeds, seat, rows)

    def act(self, turn: Turn) -> np.ndarray:
        return self._player.act(turn)


class Quitter(Asked):
    """Plays as greedy, watches, and gives up every hand in which it holds the ace of spades."""

    may_forfeit = True

    def __init__(self) -> None:
        super().__init__("greedy")
        self.verdicts: list[Verdict] = []
        self.seen: list[tuple[str, int, int]] = []
        self.results: list[HandResult] = []
        self.seats: list[int] = []

    def reset(self, seeds: np.ndarray, seat: int, rows: np.ndarray | None = None) -> None:
        super().reset(seeds, seat, rows)
        self.seats.append(seat)

    def act(self, turn: Turn) -> np.ndarray:
        actions = super().act(turn)
        for place in np.flatnonzero(turn.views["hand"] & 1):
            actions[place] = FORFEIT
            self.verdicts.append(Verdict(int(turn.rows[place]), "stalled", "thinks too long"))
        return actions

    def see_moves(self, rows: np.ndarray, seat: int, actions: np.ndarray) -> None:
        for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
            self.seen.append(("mine" if seat == self.seats[-1] else "theirs", row, action))

    def see_ends(self, rows: np.ndarray, results: list[HandResult]) -> None:
        self.seen += [("end", row, 0) for row in rows.tolist()]
        self.results += results


@pytest.mark.parametrize("bot", ["greedy", "medium", "hard", "simple"])
def test_arena_bot_against_itself_gives_exactly_nothing(bot: str) -> None:
    hands = contest(40, a=bot, b=bot).hands
    points = hands["points"].reshape(-1, 2)
    assert points.any()
    assert not points.sum(axis=1).any()
    estimate = describe_hands(hands).points
    assert estimate == (0.0, 0.0, 0.0)


def test_arena_match_against_itself_is_shared() -> None:
    played = contest(6, "match", a="greedy", b="greedy")
    winners = played.matches["winner"].reshape(-1, 2)
    assert (winners.sum(axis=1) == 1).all()
    assert not played.matches["points"].reshape(-1, 2).sum(axis=1).any()


@pytest.mark.parametrize("episode", ["hand", "match"])
def test_arena_result_does_not_depend_on_games_at_once(episode: Episode) -> None:
    n_deals = 23 if episode == "hand" else 5
    whole = contest(n_deals, episode, a="easy", b="simple", n_games=64)
    for n_games in (1, 7):
        parts = contest(n_deals, episode, a="easy", b="simple", n_games=n_games)
        np.testing.assert_array_equal(parts.hands, whole.hands)
        np.testing.assert_array_equal(parts.matches, whole.matches)


@pytest.mark.parametrize("episode", ["hand", "match"])
@pytest.mark.parametrize(("a", "b"), [("hard", "easy"), ("simple", "random")])
def test_arena_bots_in_the_kernel_play_as_when_they_are_asked(
    episode: Episode, a: str, b: str
) -> None:
    n_deals = 20 if episode == "hand" else 4
    fast = contest(n_deals, episode, a=a, b=b)
    for others in ({"a": Asked(a), "b": b}, {"a": a, "b": Asked(b)}):
        asked = contest(n_deals, episode, **others)
        assert asked.hands.tobytes() == fast.hands.tobytes()
        assert asked.matches.tobytes() == fast.matches.tobytes()


def test_arena_own_kind_of_bot_player_is_asked() -> None:
    class Passer(BotPlayer):
        def act(self, turn: Turn) -> np.ndarray:
            return np.asarray(turn.masks.argmax(axis=1), np.int64)

    hands = contest(10, a=Passer(make("hard")), b="greedy").hands
    assert not (hands["knocker"] == 0).any()
    assert (contest(10, a="hard", b="greedy").hands["knocker"] == 0).any()


def test_arena_luck_is_the_sum_of_the_draws_seen_from_a() -> None:
    hands = contest(30, a="hard", b="easy").hands
    r = STANDARD.row("hand")
    for hand in hands:
        seated = [make(name).row for name in ("hard", "easy")]
        seat_of_a = int(hand["seat_of_a"])
        if seat_of_a == 1:
            seated.reverse()
        s, v = np.zeros(1, STATE_DTYPE)[0], np.zeros(1, VIEW_DTYPE)[0]
        seeds = hand["seed"].reshape(1)
        s["rng_state"] = seed_words(seeds)[0]
        memories = [make_memories(seeds, seat)[0] for seat in (0, 1)]
        begin(r, s, BY_RULES)
        luck = 0.0
        while s["phase"] != OVER:
            seat = s["to_move"]
            look(r, s, seat, v)
            action = choose(seated[seat], r, v, memories[seat])
            luck += draw_luck(r, s, action)
            play(r, s, action)
        assert hand["luck"] == (luck if seat_of_a == 0 else -luck)
    assert len(np.unique(hands["luck"])) > 40


def test_arena_luck_of_a_match_is_that_of_its_hands() -> None:
    played = contest(5, "match", a="hard", b="easy")
    for match in played.matches:
        is_its = (played.hands["pair"] == match["pair"]) & (
            played.hands["seat_of_a"] == match["seat_of_a"]
        )
        assert match["luck"] == pytest.approx(played.hands["luck"][is_its].sum())


def test_arena_forfeited_hand_goes_to_the_other_and_the_rest_goes_on() -> None:
    quitter = Quitter()
    played = contest(40, a=quitter, b="medium")
    assert len(played.hands) == 80
    forfeited = played.hands[played.hands["ending"] == Ending.FORFEIT]
    assert 10 < len(forfeited) < 70
    assert set(forfeited[["knocker", "winner", "points", "paid", "deadwood"]].tolist()) == {
        (-1, 1, -50, -50, NO_DEADWOOD)
    }
    assert played.verdicts == ({"stalled": len(forfeited)}, {})
    # The other hands are what they would have been.
    usual = contest(40, a="greedy", b="medium").hands
    is_played = played.hands["ending"] != Ending.FORFEIT
    np.testing.assert_array_equal(played.hands[is_played], usual[is_played])


def test_arena_verdicts_are_those_of_the_player_on_either_side_and_of_this_part() -> None:
    quitter = Quitter()
    players = resolve("medium"), quitter
    setting = Contest(rules=STANDARD, n_deals=30, n_games=10)
    parts = list(play_contest(players, setting))
    counts = [part.verdicts[1].get("stalled", 0) for part in parts]
    assert [part.verdicts[0] for part in parts] == [{}, {}, {}]
    assert counts == [
        int(np.count_nonzero(part.hands["ending"] == Ending.FORFEIT)) for part in parts
    ]
    assert join(parts).verdicts == ({}, {"stalled": len(quitter.verdicts)})


def test_arena_forfeits_count_in_a_match() -> None:
    played = contest(6, "match", a="medium", b=Quitter())
    for match in played.matches:
        is_its = (played.hands["pair"] == match["pair"]) & (
            played.hands["seat_of_a"] == match["seat_of_a"]
        )
        assert match["n_hands"] == np.count_nonzero(is_its)
        assert match["points"] == played.hands["paid"][is_its].sum()
    forfeited = played.hands[played.hands["ending"] == Ending.FORFEIT]
    assert len(forfeited)
    assert (forfeited["winner"] == 0).all()


@pytest.mark.parametrize("episode", ["hand", "match"])
def test_arena_watcher_sees_every_move_and_every_end_in_order(episode: Episode) -> None:
    quitter = Quitter()
    setting = Contest(rules=STANDARD, episode=episode, n_deals=4, is_mirrored=False)
    played = join(list(play_contest((quitter, resolve("easy")), setting)))
    r = STANDARD.row(episode)
    for pair, seed in enumerate(deal_seeds(0, np.arange(4))):
        s = np.zeros(1, STATE_DTYPE)[0]
        s["rng_state"] = seed_words(np.array([seed], np.uint64))[0]
        begin(r, s, BY_RULES)
        n_ends = 0
        for who, row, action in quitter.seen:
            if row != pair:
                continue
            if who == "end":
                assert s["phase"] == OVER
                n_ends += 1
                if not s["is_episode_over"]:
                    next_hand(r, s)
                continue
            assert s["to_move"] == (0 if who == "mine" else 1)
            if action == FORFEIT:
                play_forfeit(r, s, 50)
            else:
                play(r, s, action)
        assert s["is_episode_over"]
        assert n_ends == np.count_nonzero(played.hands["pair"] == pair)
    in_order = sorted(quitter.results, key=lambda result: (result.n_turns, result.points))
    points = sorted(played.hands[["n_turns", "points"]].tolist())
    assert [(result.n_turns, result.points[0]) for result in in_order] == points


def test_arena_who_may_not_forfeit_cannot() -> None:
    cheat = Faulty(lambda turn: np.full(len(turn.rows), FORFEIT))
    with pytest.raises(PlayerError, match="faulty"):
        list(play_contest((cheat, resolve("greedy")), Contest(rules=STANDARD, n_deals=4)))


def test_arena_more_deals_begin_with_the_same_ones() -> None:
    few, many = contest(10, a="easy").hands, contest(30, a="easy").hands
    np.testing.assert_array_equal(many[: len(few)], few)


def test_arena_seed_decides_the_deals() -> None:
    np.testing.assert_array_equal(contest(10, seed=4).hands, contest(10, seed=4).hands)
    assert not np.array_equal(contest(10, seed=4).hands, contest(10, seed=5).hands)
    deals = np.arange(10_000)
    assert len(np.intersect1d(deal_seeds(4, deals), deal_seeds(5, deals))) == 0


def test_arena_seats_are_exchanged_and_deals_kept() -> None:
    a, b = Recorder(), Recorder()
    setting = Contest(rules=STANDARD, n_deals=5)
    hands = join(list(play_contest((a, b), setting))).hands
    seeds = deal_seeds(0, np.arange(5))
    for recorder, seats in ((a, [0, 1]), (b, [1, 0])):
        assert [seat for _, seat in recorder.resets] == seats
        for given, _ in recorder.resets:
            np.testing.assert_array_equal(given, seeds)
    np.testing.assert_array_equal(hands["seat_of_a"], np.tile([0, 1], 5))
    np.testing.assert_array_equal(hands["seed"], np.repeat(seeds, 2))
    dealers = hands["dealer"].reshape(-1, 2)  # the seat deals again, so the other player
    assert (dealers.sum(axis=1) == 1).all()
    # They choose alike, so in the second half B sees what A saw in the first.
    for ours, theirs in zip(a.halves[0], b.halves[1], strict=True):
        np.testing.assert_array_equal(ours.views, theirs.views)


def test_arena_seed_of_a_record_deals_the_same_game() -> None:
    a, b = Recorder(), Recorder()
    setting = Contest(rules=STANDARD, n_deals=5, is_mirrored=False)
    hands = join(list(play_contest((a, b), setting))).hands
    compared = []
    for turn in (a.turns[0], b.turns[0]):
        for place, pair in enumerate(turn.rows):
            game = Game.deal(STANDARD, seed=int(hands["seed"][pair]))
            seat = 0 if turn is a.turns[0] else 1
            if game.to_move == seat:
                assert turn.views["phase"][place] == Phase.OFFER
                assert game.dealer == hands["dealer"][pair]
                observation = game.observation(seat)
                np.testing.assert_array_equal(
                    observation, encode_views(turn.rules_row, turn.views, ())[place]
                )
                compared.append(pair)
    assert sorted(compared) == list(range(5))


@pytest.mark.parametrize(
    ("episode", "rules"),
    [
        ("hand", STANDARD),
        ("match", STANDARD),
        ("match", Rules.preset("modern", target=60)),
        ("match", Rules.preset("palace", target=60)),
    ],
)
def test_arena_records_equal_games_played_one_by_one(episode: Episode, rules: Rules) -> None:
    played = contest(8, episode, a="hard", b="easy", rules=rules)
    expected, margins = [], []
    for pair, seed in enumerate(deal_seeds(0, np.arange(8))):
        for seat_of_a in (0, 1):
            hands, margin = play_alone(rules, episode, int(seed), seat_of_a)
            expected += [(pair, seat_of_a, *hand) for hand in hands]
            margins.append((pair, seat_of_a, margin, len(hands)))
    names = ["pair", "seat_of_a", "hand", "dealer", "ending", "knocker", "winner", "points"]
    names += ["n_turns", "deadwood"]
    assert played.hands[names].tolist() == expected
    if episode == "match":
        match_names = ["pair", "seat_of_a", "points", "n_hands"]
        assert played.matches[match_names].tolist() == margins


def play_alone(
    rules: Rules, episode: Episode, seed: int, seat_of_a: int
) -> tuple[list[tuple[int, ...]], int]:
    """Hard as A against easy as B through the kernels, as plainly as can be."""
    r = rules.row(episode)
    s, v = np.zeros(1, STATE_DTYPE)[0], np.zeros(1, VIEW_DTYPE)[0]
    s["rng_state"] = seed_words(np.array([seed], np.uint64))[0]
    seated = [make("hard").row, make("easy").row]
    if seat_of_a == 1:
        seated.reverse()
    memories = [make_memories(np.array([seed], np.uint64), seat)[0] for seat in (0, 1)]
    sign, margin = 1 - 2 * seat_of_a, 0
    hands: list[tuple[int, ...]] = []

    def player(seat: int) -> int:
        return -1 if seat == -1 else int(seat) ^ seat_of_a

    begin(r, s, BY_RULES)
    while True:
        seat = s["to_move"]
        look(r, s, seat, v)
        play(r, s, choose(seated[seat], r, v, memories[seat]))
        margin += sign * int(s["reward"])
        if s["phase"] == OVER:
            knocker = s["hand_end"]["knocker"]
            facts = (len(hands), player(s["dealer"]), s["hand_end"]["ending"], player(knocker))
            deadwood = NO_DEADWOOD if knocker == -1 else s["hand_end"]["deadwood"][knocker]
            price = (
                player(s["hand_end"]["winner"]),
                sign * s["hand_end"]["points"],
                s["n_turns"],
                deadwood,
            )
            hands.append(tuple(int(fact) for fact in (*facts, *price)))
            if s["is_episode_over"]:
                return hands, margin
            next_hand(r, s)


def test_arena_matches_end_at_the_target() -> None:
    rules = Rules.preset("bicycle", target=70)
    played = contest(10, "match", a="hard", b="greedy", rules=rules)
    for match in played.matches:
        is_its = played.hands["pair"] == match["pair"]
        hands = played.hands[is_its & (played.hands["seat_of_a"] == match["seat_of_a"])]
        assert hands["hand"].tolist() == list(range(match["n_hands"]))
        totals = [hands["points"][hands["winner"] == side] for side in (0, 1)]
        a, b = int(totals[0].sum()), -int(totals[1].sum())
        assert (a >= 70) != (b >= 70)
        assert match["winner"] == (0 if a >= 70 else 1)
        won = len(totals[0]) - len(totals[1])
        bonus = 100 + 100 * (min(a, b) == 0)  # game, shutout
        assert match["points"] == a - b + 20 * won + (bonus if a > b else -bonus)


@pytest.mark.slow
def test_arena_hand_records_agree_with_their_endings() -> None:
    hands = contest(300, a="hard", b="simple").hands
    gin = hands[hands["ending"] == Ending.GIN]
    assert len(gin)
    assert not gin["deadwood"].any()
    assert (gin["winner"] == gin["knocker"]).all()
    assert (np.abs(gin["points"]) >= 25).all()
    knock = hands[hands["ending"] == Ending.KNOCK]
    assert ((knock["deadwood"] > 0) & (knock["deadwood"] <= 10)).all()
    undercut = hands[hands["ending"] == Ending.UNDERCUT]
    assert (undercut["winner"] == 1 - undercut["knocker"]).all()
    dead = hands[hands["ending"] == Ending.DEAD]
    assert (dead[["winner", "knocker", "points", "deadwood"]].tolist()) == [
        (-1, -1, 0, NO_DEADWOOD)
    ] * len(dead)
    scored = hands[hands["points"] != 0]
    assert ((scored["points"] > 0) == (scored["winner"] == 0)).all()


@pytest.mark.parametrize("extras", [(), ("danger",), ("continuation",), EXTRAS])
def test_arena_hands_each_player_the_blocks_it_asks_for(extras: tuple[str, ...]) -> None:
    asking, other = Recorder(extras), Recorder(("danger",))
    list(play_contest((asking, other), Contest(rules=STANDARD, n_deals=4)))
    for recorder in (asking, other):
        for turn in recorder.turns:
            wanted = encode_views(turn.rules_row, turn.views, recorder.extras)
            np.testing.assert_array_equal(turn.observations, wanted)
    assert asking.turns[0].observations.shape[1] == OBS_SIZE + 52 * len(extras)


def test_arena_hands_out_only_what_the_seat_to_move_may_know() -> None:
    a, b = Recorder(), Recorder()
    list(play_contest((a, b), Contest(rules=STANDARD, n_deals=6, is_mirrored=False)))
    hand = next(block.slice for block in obs_layout() if block.name == "hand")
    for recorder in (a, b):
        for turn in recorder.turns:
            assert len(set(turn.rows.tolist())) == len(turn.rows)
            assert turn.views.dtype == VIEW_DTYPE
            assert turn.views["is_to_move"].all()
            assert turn.masks.any(axis=1).all()
            for view, observation in zip(turn.views, turn.observations, strict=True):
                held = sum(1 << int(card) for card in np.flatnonzero(observation[hand]))
                assert held == view["hand"]
    assert len(held_hands(a)) > 6
    assert held_hands(a).isdisjoint(held_hands(b))


def held_hands(recorder: Recorder) -> set[tuple[int, int]]:
    """Game and cards, of every hand that a player was shown."""
    return {
        (int(row), int(hand))
        for turn in recorder.turns
        for row, hand in zip(turn.rows, turn.views["hand"], strict=True)
    }


@pytest.mark.parametrize(("action", "said"), [(DRAW, "draw"), (N_ACTIONS, "108"), (-1, "-1")])
def test_arena_illegal_action_names_who_and_what(action: int, said: str) -> None:
    cheat = Faulty(lambda turn: np.full(len(turn.rows), action))
    with pytest.raises(PlayerError, match=rf"faulty.*{said}.*offer phase"):
        list(play_contest((resolve("greedy"), cheat), Contest(rules=STANDARD, n_deals=4)))


def test_arena_player_cannot_widen_its_mask() -> None:
    def cheat(turn: Turn) -> np.ndarray:
        turn.masks[:] = 1
        return np.full(len(turn.rows), DRAW)

    with pytest.raises(PlayerError, match="faulty"):
        list(play_contest((Faulty(cheat), resolve("greedy")), Contest(rules=STANDARD, n_deals=4)))


@pytest.mark.parametrize(
    "answer",
    [
        lambda turn: np.full(len(turn.rows) + 1, PASS),
        lambda turn: np.full(len(turn.rows), float(PASS)),
        lambda _: None,
    ],
)
def test_arena_answer_of_another_kind_is_named(answer: Callable[[Turn], object]) -> None:
    with pytest.raises(PlayerError, match="faulty answered"):
        list(play_contest((Faulty(answer), resolve("greedy")), Contest(rules=STANDARD, n_deals=4)))


def test_arena_callable_takes_a_seat() -> None:
    def first_legal(observation: np.ndarray, mask: np.ndarray) -> int:
        assert observation.shape == (OBS_SIZE,)
        return int(mask.argmax())

    hands = contest(3, a=first_legal, b="greedy").hands
    assert len(hands) == 6
    with pytest.raises(PlayerError, match=r"draws_always: .*draw.*offer"):
        contest(3, a=draws_always, b="greedy")


def draws_always(observation: np.ndarray, mask: np.ndarray) -> int:
    return DRAW


def test_arena_one_object_cannot_play_both_sides() -> None:
    player: Player = resolve("greedy")
    with pytest.raises(PlayerError, match="both sides"):
        list(play_contest((player, player), Contest(rules=STANDARD, n_deals=1)))


def test_arena_bad_seed_is_named() -> None:
    with pytest.raises(SeedError, match="seed"):
        contest(1, seed=-1)


def test_arena_counts_what_ends() -> None:
    for episode, n_deals in (("hand", 20), ("match", 3)):
        ended: list[int] = []
        setting = Contest(rules=STANDARD, episode=episode, n_deals=n_deals)  # type: ignore[arg-type]
        list(play_contest((resolve("easy"), resolve("medium")), setting, ended.append))
        assert sum(ended) == 2 * n_deals


def test_arena_selfplay_of_simple_is_near_the_published_figures() -> None:
    hands = contest(200, a="simple", b="simple", is_mirrored=False).hands
    assert hands.dtype == HAND_DTYPE
    assert len(hands) == 200
    described = describe_hands(hands)
    turns, deadwood = described.turns, described.deadwood
    assert deadwood is not None
    assert 10 <= turns.median <= 15
    assert 7 <= turns.lower_quartile <= 12
    assert 13 <= turns.upper_quartile <= 19
    assert 5 <= deadwood.mean <= 8
    assert described.a.gins + described.b.gins <= 12
    assert described.dead <= 4


def test_arena_match_without_an_end_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena, "MAX_HANDS", 3)
    contest = Contest(rules=Rules.preset("straight"), episode="match", n_deals=2)
    with pytest.raises(PlayerError, match="3 hands of a match without an end"):
        list(play_contest((resolve("random"), resolve("random")), contest))
