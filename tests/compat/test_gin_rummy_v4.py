"""PettingZoo's `gin_rummy_v4` on this engine: conformance, the old ids, what it pays and hides."""

import copy
import inspect
import pickle
from random import Random
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils import BaseWrapper

from gin_env import Game, OptionError, SeatError
from gin_env.compat import gin_rummy_v4
from gin_env.compat.gin_rummy_v4 import (
    DEAD_HAND,
    DISCARD,
    DRAW,
    GIN,
    KNOCK,
    N_ACTIONS,
    PLANES,
    SCORE_PLAYER_0,
    SCORE_PLAYER_1,
    TAKE,
    GinRummyV4,
)
from gin_env.core import actions as engine
from gin_env.core.cards import card_text
from gin_env.core.state import Phase
from tests.compat.tables import AGENTS, lay, look_again
from tests.reference import melds as reference
from tests.reference.cards import card, ids, listed


def set_out(env: GinRummyV4, hands: tuple[str, str], upcard: str, first: str = "") -> None:
    """Lay out a deal: player_0 is the non-dealer, and the stock begins with some cards."""
    game = Game.from_deal(dealer=1, hands=hands, upcard=upcard, seed=0)
    deck = game._state[0]["deck"].tolist()
    stock = listed(first) + [each for each in deck[21:] if each not in listed(first)]
    lay(env, 1, deck[:21] + stock)


def legal(env: GinRummyV4) -> set[int]:
    """What the agent to move may do, by the old ids."""
    return set(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist())


def texts(plane: np.ndarray) -> tuple[str, ...]:
    return tuple(card_text(number) for number in np.flatnonzero(plane).tolist())


def play_hand(env: GinRummyV4, rng: Random) -> list[Any]:
    """Play to the end, going out half of the times; returns all that was seen and done."""
    trace: list[Any] = []
    while env.agents:
        agent = env.agent_selection
        observation, reward, termination, truncation, _ = env.last()
        assert observation is not None
        choices = np.flatnonzero(observation["action_mask"]).tolist()
        out = [choice for choice in choices if choice == GIN or choice >= KNOCK]
        action = None if termination else rng.choice(out if out and rng.random() < 0.5 else choices)
        arrays = [array.tobytes() for array in observation.values()]
        trace.append((agent, reward, termination, truncation, action, *arrays))
        env.step(action)
    return trace


# PettingZoo's documentation asks for Dict observations where there is a mask; its test warns of it.
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")
@pytest.mark.filterwarnings(
    "ignore:Observation space for each agent probably should be:UserWarning"
)
@pytest.mark.parametrize("visible", [False, True])
@pytest.mark.parametrize("make", ["env", "raw_env"])
def test_env_passes_api_test(make: str, visible: bool) -> None:
    api_test(getattr(gin_rummy_v4, make)(opponents_hand_visible=visible), num_cycles=300)


def test_env_passes_seed_test() -> None:
    seed_test(gin_rummy_v4.env, num_cycles=300)


@pytest.mark.parametrize(("height", "expected"), [(None, 1000), (400, 400)])
def test_pictures_have_the_height_asked_for(height: int | None, expected: int) -> None:
    env = gin_rummy_v4.env(render_mode="rgb_array", screen_height=height)
    env.reset(seed=1)
    picture = env.render()
    assert isinstance(picture, np.ndarray)
    assert picture.shape[0] == expected
    assert set(env.metadata["render_modes"]) >= {"human", "rgb_array"}


def test_env_passes_render_test() -> None:
    render_test(lambda render_mode: gin_rummy_v4.env(render_mode=render_mode, screen_height=360))


def test_arguments_stand_where_they_stood() -> None:
    arguments = list(inspect.signature(gin_rummy_v4.raw_env).parameters.values())
    assert [(each.name, each.default) for each in arguments[:5]] == [
        ("knock_reward", 0.5),
        ("gin_reward", 1.0),
        ("opponents_hand_visible", False),
        ("render_mode", None),
        ("screen_height", 1000),
    ]
    assert str(gin_rummy_v4.env()) == "gin_rummy_v4"
    assert gin_rummy_v4.env().metadata["is_parallelizable"] is False


@pytest.mark.parametrize(("visible", "n_planes"), [(False, 4), (True, 5)])
def test_spaces_are_the_old_ones(visible: bool, n_planes: int) -> None:
    env = gin_rummy_v4.env(opponents_hand_visible=visible)
    env.reset(seed=1)
    for agent in env.possible_agents:
        space = env.observation_space(agent)
        assert space["observation"].shape == (n_planes, 52)
        assert space["observation"].dtype == np.int8
        assert space["action_mask"].shape == (N_ACTIONS,)
        assert env.action_space(agent).n == N_ACTIONS == 110
        assert space.contains(env.observe(agent))


@pytest.mark.parametrize("preset", ["standard", "browser", "club", "home", "modern", "straight"])
def test_mask_and_planes_are_those_of_the_engine(preset: str) -> None:
    rng = Random(1)
    env = gin_rummy_v4.env(opponents_hand_visible=True, rules=preset)
    seen = set()
    for seed in range(12):
        env.reset(seed=seed)
        game = Game.deal(preset, seed=seed)
        while not game.is_over:
            assert env.agent_selection == AGENTS[game.to_move or 0]
            compare_with_game(env, game)
            observation = env.observe(env.agent_selection)
            action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
            seen.add(min(action, DISCARD) if action < KNOCK else KNOCK)
            game.play(translate(game, action))
            env.step(action)
        assert all(env.terminations.values())
        compare_with_game(env, game)
    assert seen >= {DRAW, TAKE, DISCARD}


def translate(game: Game, action: int) -> int:
    """The engine's id for an old one, by the rule book."""
    if action == DRAW:
        return engine.PASS if game.phase == Phase.OFFER else engine.DRAW
    if action == TAKE:
        return engine.TAKE
    if action != GIN:
        return action - KNOCK + engine.KNOCK if action >= KNOCK else action - DISCARD
    if engine.BIG_GIN in game.legal_actions():
        return engine.BIG_GIN
    return min(gins(game))


def gins(game: Game) -> list[int]:
    """The engine's knocks that leave no deadwood, by the slow reference."""
    if game.phase != Phase.DISCARD:
        return []
    after = reference.deadwood_after(ids(" ".join(game.hand(game.to_move or 0))))
    knocks = [engine.KNOCK + number for number, left in after.items() if left == 0]
    return [knock for knock in knocks if knock in game.legal_actions()]


def compare_with_game(env: GinRummyV4, game: Game) -> None:
    for seat, agent in enumerate(AGENTS):
        observation = env.observe(agent)
        mask, planes = observation["action_mask"], observation["observation"]
        assert np.array_equal(mask, env.infos[agent]["action_mask"])
        expected = set(game.legal_actions()) if seat == game.to_move else set()
        ways_to_gin = set(gins(game)) | {engine.BIG_GIN} if seat == game.to_move else set()
        choices = np.flatnonzero(mask).tolist()
        assert {translate(game, choice) for choice in choices} - ways_to_gin == (
            expected - ways_to_gin
        )
        assert (GIN in choices) == bool(expected & ways_to_gin)
        assert len(choices) == len(expected - ways_to_gin) + (GIN in choices)
        assert texts(planes[0]) == game.hand(seat)
        assert texts(planes[1]) == game.pile[-1:]
        assert set(game.pile[:-1]) <= set(texts(planes[2]))
        assert set(texts(planes[3])) <= set(game.hand(1 - seat))
        assert planes.sum(axis=0).tolist() == [1] * 52


def test_hidden_cards_change_nothing() -> None:
    rng = Random(4)
    n_compared = 0
    for seed in range(20):
        env = gin_rummy_v4.env(opponents_hand_visible=True)
        env.reset(seed=seed)
        for _ in range(rng.randint(0, 30)):
            choices = legal(env) - {GIN} - set(range(KNOCK, N_ACTIONS))
            if not choices:
                break
            env.step(rng.choice(sorted(choices)))
        for seat, agent in enumerate(AGENTS):
            before = env.observe(agent)
            swapped = swap_hidden(env, seat, rng)
            after = swapped.observe(agent)
            assert all(np.array_equal(before[name], after[name]) for name in before)
            other = AGENTS[1 - seat]
            n_compared += not np.array_equal(
                env.observe(other)["observation"], swapped.observe(other)["observation"]
            )
    assert n_compared == 40


def swap_hidden(env: GinRummyV4, seat: int, rng: Random) -> GinRummyV4:
    """A copy in which cards that a seat cannot see have changed places."""
    twin = copy.deepcopy(env)
    s = twin._game[0]
    hidden = int(s["hand"][1 - seat]) & ~int(s["known"][1 - seat])
    theirs = [number for number in range(52) if hidden >> number & 1]
    place = rng.randrange(52 - int(s["n_stock"]), 52)
    taken, drawn = rng.choice(theirs), int(s["deck"][place])
    s["deck"][place] = taken
    s["hand"][1 - seat] ^= (1 << taken) | (1 << drawn)
    if s["drawn"] == taken:
        s["drawn"] = drawn
    look_again(twin)
    return twin


MELDED = "As 2s 3s 4h 5h 6h 7d 8d 9d Kc"
"""Gin with any tenth card."""
APART = "Qs Qh 2d 4d 6c 8c Tc Jh 8s 9h"
"""No meld, 77 points, and nothing that goes on the melds above."""


def test_offer_is_declined_with_draw_and_taken_with_take() -> None:
    env = gin_rummy_v4.env()
    set_out(env, (MELDED, APART), "Td")
    for agent in (*AGENTS, "player_0"):
        assert env.agent_selection == agent
        assert texts(env.observe(agent)["observation"][1]) == ("Td",)
        assert legal(env) == ({DRAW, TAKE} if env._game[0]["n_passes"] < 2 else {DRAW})
        env.step(DRAW)
    assert env.observe("player_0")["observation"][0].sum() == 11


def test_card_just_taken_is_neither_discarded_nor_knocked_with() -> None:
    env = gin_rummy_v4.env()
    set_out(env, ("As 2s 3s 4h 5h 6h 7d 8d 9d 9c", APART), "Kd")
    env.step(TAKE)
    assert KNOCK + card("Kd") not in legal(env)
    assert DISCARD + card("Kd") not in legal(env)
    assert DISCARD + card("9c") in legal(env)


def test_gin_is_offered_beside_discards_and_pays_the_gin_reward() -> None:
    env = gin_rummy_v4.env(gin_reward=0.75)
    set_out(env, (MELDED, APART), "Td")
    env.step(TAKE)
    hand = ids(MELDED)
    assert legal(env) == {GIN, *(DISCARD + each for each in hand), KNOCK + card("7d")}
    env.step(GIN)
    assert env.rewards == {"player_0": 0.75, "player_1": -0.77}
    assert env._cumulative_rewards == env.rewards
    assert texts(env.observe("player_0")["observation"][0]) == tuple(
        card_text(each) for each in sorted((hand | ids("Td")) - ids("Kc"))
    )


def test_knock_pays_the_knock_reward_and_charges_what_layoffs_leave() -> None:
    env = gin_rummy_v4.env(knock_reward=0.2)
    set_out(env, ("As 2s 3s 4h 5h 6h 7d 8d 9d Kc", "Qs Qh 2d 4d 6c 8c Tc Jh 8s 7h"), "2c")
    env.step(TAKE)
    env.step(KNOCK + card("Kc"))
    assert env.rewards == {"player_0": 0.2, "player_1": -0.68}
    assert all(env.terminations.values())
    assert not any(env.truncations.values())


def test_undercut_pays_the_defender() -> None:
    env = gin_rummy_v4.env()
    set_out(env, ("As 2s 3s 4h 5h 6h 7d 8d 9d Kc", "Qs Qh Qd 4c 5c 6c 9s Ts Js 2d"), "5d")
    env.step(TAKE)
    env.step(KNOCK + card("Kc"))
    assert env.rewards == {"player_0": -0.05, "player_1": 0.5}


def test_dead_hand_ends_by_itself_and_charges_both() -> None:
    env = gin_rummy_v4.env()
    n_dead = 0
    for seed in range(10):
        env.reset(seed=seed)
        while not env.terminations["player_0"]:
            choices = legal(env)
            assert choices.isdisjoint({SCORE_PLAYER_0, SCORE_PLAYER_1, DEAD_HAND})
            quiet = {choice for choice in choices if choice != GIN and choice < KNOCK}
            env.step(DRAW if DRAW in choices else min(quiet))
        assert env._game[0]["n_stock"] == 2
        for agent in AGENTS:
            hand = texts(env.observe(agent)["observation"][0])
            assert env.rewards[agent] == -reference.deadwood(ids(" ".join(hand))) / 100
            n_dead += 1
    assert n_dead == 20


def test_rewards_hold_after_a_seeded_reset_and_a_plain_one() -> None:
    env = gin_rummy_v4.env(knock_reward=0.3, gin_reward=0.9)
    paid = set()
    for seed in range(60):
        env.reset(seed=seed if seed % 2 else None)
        paid |= {reward for _, reward, *_ in play_hand(env, Random(seed)) if reward > 0}
    assert paid <= {0.3, 0.9}
    assert 0.3 in paid


@pytest.mark.parametrize("action", [SCORE_PLAYER_0, DEAD_HAND, GIN, KNOCK, -1, 110, None, "x", 2.0])
def test_illegal_action_costs_one_and_ends_the_hand(action: Any) -> None:
    env = gin_rummy_v4.env()
    env.reset(seed=3, options={"dealer": 0})
    env.step(action)
    assert env.rewards == {"player_0": 0.0, "player_1": -1.0}
    assert env.infos["player_1"]["illegal_action"] == action
    assert all(env.terminations.values())
    assert not any(env.observe(agent)["action_mask"].any() for agent in AGENTS)
    env.reset()
    assert env.rewards == {"player_0": 0.0, "player_1": 0.0}


@pytest.mark.parametrize("name", ["knock_reward", "gin_reward"])
@pytest.mark.parametrize("value", [None, "1", True, float("nan"), float("inf")])
def test_reward_that_is_no_number_is_named(name: str, value: Any) -> None:
    with pytest.raises(OptionError, match=name):
        gin_rummy_v4.env(**{name: value})


def test_unknown_agent_and_observing_too_early_are_errors() -> None:
    env = gin_rummy_v4.env()
    with pytest.raises(AssertionError, match="reset"):
        env.observe("player_0")
    env.reset(seed=0)
    with pytest.raises(SeatError, match="player_2"):
        env.observe("player_2")


def test_writing_into_what_was_handed_out_makes_nothing_legal() -> None:
    env = gin_rummy_v4.env()
    env.reset(seed=0)
    for agent in AGENTS:
        env.infos[agent]["action_mask"][:] = 1
        for array in env.observe(agent).values():
            array[:] = 1
    assert legal(env) == {DRAW, TAKE}
    mover = env.agent_selection
    env.step(GIN)
    assert env.infos[mover]["illegal_action"] == GIN


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, "pickle"])
def test_copies_go_on_exactly_as_the_original(duplicate: Any) -> None:
    env = gin_rummy_v4.env(0.4, 0.8, True)
    env.reset(seed=12)
    env.step(DRAW)
    twin = pickle.loads(pickle.dumps(env)) if duplicate == "pickle" else duplicate(env)
    assert play_hand(env, Random(1)) == play_hand(twin, Random(1))


def test_code_that_wraps_the_old_environment_runs() -> None:
    class Wrapped(BaseWrapper):
        """As examples for masked training wrap it: planes alone, the mask by a method."""

        def observe(self, agent: str) -> Any:
            return super().observe(agent)["observation"]

        def action_mask(self) -> Any:
            return super().observe(self.agent_selection)["action_mask"]

    env = Wrapped(gin_rummy_v4.env())
    env.reset(seed=4)
    rng = np.random.default_rng(0)
    n_steps = 0
    for _ in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        assert observation.shape == (len(PLANES) - 1, 52)
        done = termination or truncation
        env.step(None if done else int(rng.choice(np.flatnonzero(env.action_mask()))))
        n_steps += 1
    assert n_steps > 4
