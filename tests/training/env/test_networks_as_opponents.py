"""Games against networks: the learner is told what was played, as it is against bots."""

import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest
import torch

from gin_env import agents
from gin_env.core.actions import DRAW, TAKE
from gin_env.core.observe import EXTRAS, OBS_SIZE, obs_size
from gin_env.core.rules import Episode, Rules
from gin_env.errors import PlayerError
from gin_env.players import NetPlayer
from tests.bots.duel import Answer, Duel, by_policy
from tests.bots.play import some_actions
from tests.core.table import Table
from tests.training.env.test_vec_env import make_env, rngs_for, step, step_somehow
from tests.training.tiny import frozen
from training.config.run_config import MET_AS, LeagueConfig
from training.env.hidden_cards import HIDDEN_SIZE, write_hidden
from training.env.league import PRESENT, League
from training.env.vec_env import TableVecEnv
from training.policy import Actor


def make_actor(seed: int) -> Actor:
    """A network that plays somehow; like nobody, it knocks now and then."""
    actor = frozen(seed, game={"n_games": 8, "extras": []})
    for parameter in actor.head.parameters():
        parameter.mul_(100.0)
    return actor


def make_league(n_past: int = 1, **changed: Any) -> League:
    """A league that is bound, with some past selves."""
    league = League(LeagueConfig(**{"size": 3, "greedy": True, **changed}), 5)
    league.bind(make_actor(0))
    for place in range(n_past):
        league.add(make_actor(place + 1), place)
    return league


def decide(actor: Actor, observation: np.ndarray, mask: np.ndarray) -> int:
    """What a network likes best, asked about one game alone."""
    logits = actor(torch.as_tensor(observation)[None])[0].numpy()
    return int(np.where(mask, logits, -np.inf).argmax())


AGENTS = {name: NetPlayer(agents.read_agent(agents.find(name)), name) for name in agents.names()}


def by_agent(name: str) -> Answer:
    """An agent as an opponent, asked about one game alone."""

    def answer(table: Table) -> int:
        seat = table.s["to_move"]
        return int(network.choose(table.observation(seat), table.mask(seat)))

    network = AGENTS[name].network
    assert network.spec.extras == EXTRAS
    return answer


@pytest.mark.parametrize("episode", ["hand", "match"])
@pytest.mark.parametrize(
    ("who", "extras"), [("self", ()), ("past", ()), ("champion", ()), ("champion", EXTRAS)]
)
def test_learner_is_paid_what_its_seat_gets(
    who: str, extras: tuple[str, ...], episode: Episode
) -> None:
    """Both seats played by hand, through the row kernels, from the same seeds."""
    rules, league = Rules.preset("bicycle", target=40, knock_limit=10), make_league()
    if who in MET_AS:
        actor = league.present if who == "self" else league.past[0].actor
        assert actor is not None
        answer = by_policy(lambda observation, mask: decide(actor, observation, mask))
    else:
        answer = by_agent(who)
    options: dict[str, Any] = {
        "episode": episode,
        "extras": extras,
        "league": league,
        "agents": AGENTS,
    }
    env = make_env(12, rules=rules, opponents={who: 1.0}, **options)
    duels = [Duel(rules, episode, 30 + row, answer) for row in range(12)]
    paid, rngs, seen = [0] * 12, rngs_for(env), Counter[str]()
    for _ in range(150):
        actions = some_actions(env.table, rngs)
        observations, rewards, dones, infos = step(env, actions)
        for row, duel in enumerate(duels):
            outcome = duel.step(int(actions[row]))
            paid[row] += outcome.reward
            assert rewards[row] == outcome.reward
            assert dones[row] == outcome.is_over
            if outcome.is_over:
                assert infos[row]["episode"]["r"] == paid[row]
                assert infos[row]["seat"] == duel.seat
                last = infos[row]["terminal_observation"]
                assert last[:OBS_SIZE].tobytes() == outcome.final
                seen["ended"] += 1
                paid[row] = 0
                duel.begin()
            assert observations[row, :OBS_SIZE].tobytes() == duel.observation()
    assert seen["ended"] > 20, seen


def rush(_observation: np.ndarray, mask: np.ndarray) -> int:
    """Knock wherever one may, and take rather than draw."""
    legal = np.flatnonzero(mask)
    return int(legal[-1] if legal[0] < DRAW else legal[legal <= TAKE][-1])


def rushing_league() -> League:
    """A league whose networks all rush."""

    def act(whom: np.ndarray, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return np.array([rush(*pair) for pair in zip(observations, masks, strict=True)], np.int64)

    league = make_league()
    league.act = act  # type: ignore[method-assign]
    return league


def test_episodes_that_end_before_the_learner_acts_are_passed_over() -> None:
    rules = Rules(turn_cap=1)
    env = make_env(6, rules=rules, opponents={"self": 1.0}, league=rushing_league())
    duels = [Duel(rules, "hand", 30 + row, by_policy(rush)) for row in range(6)]
    rngs = rngs_for(env)
    for _ in range(60):
        actions = some_actions(env.table, rngs)
        observations, rewards, dones, _ = step(env, actions)
        for row, duel in enumerate(duels):
            outcome = duel.step(int(actions[row]))
            assert (rewards[row], dones[row]) == (outcome.reward, outcome.is_over)
            if outcome.is_over:
                duel.begin()
            assert observations[row].tobytes() == duel.observation()
    assert sum(duel.n_unplayed for duel in duels) > 10


def test_points_from_before_the_first_decision_come_with_it() -> None:
    """In a match the network may end a hand, and win points, before the learner first acts."""
    seeds = [
        seed
        for seed in range(4000)
        if Duel(Rules(), "match", seed, by_policy(rush)).table.s["n_hands"] > 0
    ]
    assert len(seeds) > 3
    env = TableVecEnv(len(seeds), opponents={"self": 1.0}, episode="match", league=rushing_league())
    env._seeds = list(seeds)
    env.reset()
    duels = [Duel(Rules(), "match", seed, by_policy(rush)) for seed in seeds]
    actions = some_actions(env.table, rngs_for(env))
    _, rewards, _, _ = step(env, actions)
    outcomes = [duel.step(int(action)) for duel, action in zip(duels, actions, strict=True)]
    assert [outcome.reward for outcome in outcomes] == rewards.tolist()
    assert np.count_nonzero(rewards) > len(seeds) / 3


def test_opponent_that_never_lets_the_learner_act_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(League, "act", lambda _self, _whom, _seen, masks: masks.argmax(axis=1))
    league = make_league()
    rules = Rules(turn_cap=1, opening="draw", first_dealer="seat_1")
    with pytest.raises(PlayerError, match="league ends every hand of this table"):
        make_env(2, rules=rules, opponents={"self": 1.0}, seat=1, league=league, episode="match")


def test_each_is_met_as_often_as_its_share_and_counted() -> None:
    league = make_league(2)
    opponents = {"easy": 2.0, "self": 1.0, "past": 1.0, "quick": 1.0, "champion": 1.0}
    env = make_env(64, opponents=opponents, league=league, agents=AGENTS)
    rngs, points, n_ended = rngs_for(env), 0, 0
    for _ in range(200):
        infos = step_somehow(env, rngs)[3]
        points += sum(int(info["episode"]["r"]) for info in infos if info)
        n_ended += sum(bool(info) for info in infos)
    tally = env.take_tally()
    assert tally.episodes.sum() == n_ended > 300
    assert tally.points.sum() == points
    assert (tally.won <= tally.episodes).all()
    assert np.abs(6 * tally.episodes / n_ended - list(opponents.values())).max() < 0.5
    assert league.records[:, 0].sum() == tally.episodes[2]
    assert league.records[:, 1].sum() == tally.points[2]
    assert (league.records[:, 0] > 0).all()
    assert env.take_tally().episodes.sum() == 0


def test_agent_sees_its_own_blocks_whatever_the_learner_sees() -> None:
    plain, full = (
        make_env(8, opponents={"quick": 1.0}, extras=extras, agents=AGENTS)
        for extras in ((), EXTRAS)
    )
    rngs = rngs_for(plain)
    for _ in range(60):
        actions = some_actions(plain.table, rngs)
        first, second = step(plain, actions), step(full, actions)
        assert first[0].tobytes() == second[0][:, :OBS_SIZE].tobytes()
        assert first[1].tobytes() == second[1].tobytes()


def test_games_of_one_who_goes_are_taken_over() -> None:
    league = make_league(3)
    env = make_env(64, opponents={"past": 1.0}, league=league)
    before = env._league_player.network.copy()
    league.note(np.full(900, 1), np.full(900, 50.0))
    env.add_past_self(make_actor(9), 99)
    assert [past.n_decisions for past in league.past] == [0, 2, 99]
    assert (env._league_player.network[before == 0] == 0).all()
    assert (env._league_player.network[before == 2] == 1).all()
    assert set(env._league_player.network[before == 1]) <= {0, 1, 2}
    assert PRESENT not in env._league_player.network
    rngs = rngs_for(env)
    for _ in range(30):
        step_somehow(env, rngs)


def test_pickled_games_go_on_as_the_original() -> None:
    opponents = {"self": 1.0, "past": 2.0, "champion": 1.0}
    league = make_league(3, greedy=False)
    env = make_env(16, opponents=opponents, league=league, agents=AGENTS)
    rngs = rngs_for(env)
    for _ in range(25):
        step_somehow(env, rngs)
    copy: TableVecEnv = pickle.loads(pickle.dumps(env))
    assert env.league.present is not None
    copy.league.bind(env.league.present)
    others = pickle.loads(pickle.dumps(rngs))
    for _ in range(60):
        first, second = step_somehow(env, rngs), step_somehow(copy, others)
        assert all(
            one.tobytes() == two.tobytes() for one, two in zip(first[:3], second[:3], strict=True)
        )
    assert copy.league.records.tobytes() == env.league.records.tobytes()


# --- What the value alone sees ---


@pytest.mark.parametrize("opponents", [{"easy": 1.0}, {"self": 1.0}])
def test_privileged_observations_end_in_what_is_hidden(opponents: dict[str, float]) -> None:
    env, plain = (
        make_env(6, opponents=opponents, privileged=privileged, league=make_league())
        for privileged in (True, False)
    )
    size = obs_size()
    assert env.observation_space.shape == (size + HIDDEN_SIZE,)
    rngs = rngs_for(env)
    n_ended = 0
    for _ in range(60):
        actions = some_actions(env.table, rngs)
        (seen, _, dones, infos), (without, *_) = step(env, actions), step(plain, actions)
        assert (seen[:, :size] == without).all()
        for row in range(6):
            hidden = np.zeros(HIDDEN_SIZE, np.float32)
            write_hidden(env.table.arrays.games[row], int(env.table.first_seats[row]), hidden, 0)
            assert (seen[row, size:] == hidden).all()
            assert np.count_nonzero(hidden[:52]) == 10
        assert all(env.observation_space.contains(one) for one in seen)
        for row in np.flatnonzero(dones).tolist():
            assert env.observation_space.contains(infos[row]["terminal_observation"])
            n_ended += 1
    assert n_ended > 3


# --- Shaping ---


@pytest.mark.parametrize("opponents", [{"easy": 1.0}, {"self": 1.0}])
def test_shaping_adds_up_to_what_the_deal_alone_decides(opponents: dict[str, float]) -> None:
    """Over an episode only the first decision's potential is left: no policy changes that."""
    options = {"opponents": opponents, "reward_scale": 0.5, "league": make_league()}
    shaped, plain = (TableVecEnv(16, **options) for _ in range(2))  # type: ignore[arg-type]
    shaped.shaping_weight = 0.3
    for env in (shaped, plain):
        env.seed(30)
        env.reset()
    rngs, n_ended, n_changed = rngs_for(shaped), 0, 0
    first = shaped.table.arrays.views["deadwood"].copy()
    difference = np.zeros(16)
    for _ in range(120):
        actions = some_actions(shaped.table, rngs)
        (_, rewards, dones, infos), (_, without, _, told) = (
            step(shaped, actions),
            step(plain, actions),
        )
        difference += rewards - without
        n_changed += int(np.count_nonzero(rewards != without))
        for row in np.flatnonzero(dones).tolist():
            assert np.isclose(difference[row], 0.5 * 0.3 * first[row], atol=1e-4)
            assert infos[row]["episode"]["r"] == told[row]["episode"]["r"]
            first[row] = shaped.table.arrays.views["deadwood"][row]
            difference[row] = 0.0
            n_ended += 1
    assert n_ended > 20
    assert n_changed > 500


def test_weight_of_the_shaping_does_not_change_within_an_episode() -> None:
    env = make_env(16)
    env.shaping_weight = 0.3
    rngs, is_new = rngs_for(env), np.zeros(16, bool)
    for _ in range(40):
        before = env.table.arrays.views["deadwood"].copy()
        actions = some_actions(env.table, rngs)
        _, rewards, dones, _ = step(env, actions)
        going_on = is_new & ~dones
        after = env.table.arrays.views["deadwood"]
        assert np.allclose(rewards[going_on], 0.3 * (before - after)[going_on], atol=1e-5)
        is_old = ~is_new & ~dones
        assert not rewards[is_old].any()
        is_new |= dones
    assert is_new.sum() > 8


def test_discount_counts_in_the_shaping() -> None:
    env = make_env(16, gamma=0.9)
    env.shaping_weight = 1.0
    env.reset()
    before = env.table.arrays.views["deadwood"].copy()
    _, rewards, dones, _ = step_somehow(env, rngs_for(env))
    after = env.table.arrays.views["deadwood"]
    assert np.allclose(rewards[~dones], (before - 0.9 * after)[~dones], atol=1e-4)
    assert (~dones).sum() > 8
