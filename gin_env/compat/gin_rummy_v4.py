"""PettingZoo's `gin_rummy_v4` on this engine: its planes, action ids and rewards, our rules.

PettingZoo 1.26.1 was the last release that had it. Code that was written for it runs with

    from gin_env.compat import gin_rummy_v4

in place of ``from pettingzoo.classic import gin_rummy_v4``. What looks the same is the agents, the
planes, the 110 action ids and the two rewards; what is legal and who wins is up to `gin_env`.
Where the old environment played otherwise, this one does the following:

- The upcard is offered. Before the first turn `DRAW` declines it and `TAKE` takes it; after two
  refusals the non-dealer draws. The old one dealt the non-dealer an eleventh card instead. With
  ``rules={"opening": "draw"}`` the hand begins with an ordinary draw.
- The card just taken from the pile can be neither discarded nor knocked with in the same turn; the
  old one forbade the discard alone.
- Gin is never forced. `GIN` is legal wherever some discard leaves no deadwood, beside all other
  discards and knocks. No `KNOCK` is gin, so each way of going out keeps an id of its own.
- There are no scoring moves. A knock or gin ends the hand at once, the layoffs are made by the
  engine, and `SCORE_PLAYER_0` and `SCORE_PLAYER_1` are never legal.
- A dead hand needs no declaration, and `DEAD_HAND` is never legal: the discard that leaves two
  cards in the stock ends the hand. The old one let play go on from the pile.
- The winner of the hand is paid, so in an undercut it is the defender: `knock_reward` to him, and
  the knocker is charged his deadwood. The old one paid whoever had knocked. The deadwood that is
  charged is what is left after layoffs, which the old one had not.
- `observe` of an agent shows what that agent may know, whoever is to move, and its mask is all zero
  unless it is to move. The old one gave the hand and the mask of the agent to move to both.
- After the end, `observe` shows the table as it was left; the old planes were empty.
- Both rewards hold in every episode. The old ones went back to RLCard's after a seeded reset.
"""

from math import isfinite
from numbers import Real
from typing import Any, ClassVar, SupportsIndex

import numpy as np
from gymnasium import spaces

from gin_env.core import actions as engine
from gin_env.core.cards import N_CARDS, bit
from gin_env.core.single import play_single
from gin_env.core.state import NO_CARD, Ending
from gin_env.envs.aec import AGENTS, NO_ACTION, GinRummyAEC
from gin_env.errors import OptionError
from gin_env.support.options import read_int
from gin_env.values.checks import RulesLike
from gin_env.values.result import read_result

SCORE_PLAYER_0 = 0
SCORE_PLAYER_1 = 1
DRAW = 2
TAKE = 3
DEAD_HAND = 4
GIN = 5
DISCARD = 6
KNOCK = DISCARD + N_CARDS
N_ACTIONS = KNOCK + N_CARDS

PLANES = (
    "own hand",
    "top card of the discard pile, or the offered upcard",
    "cards under it, and a declined upcard that has left the game",
    "cards that the opponent took from the pile and still holds",
    "cards that are in the stock or, unknown, in the opponent's hand",
)
"""What the planes show; the last only with ``opponents_hand_visible``."""

ILLEGAL_REWARD = -1.0
"""What an illegal action pays its agent; the other gets 0."""

SCREEN_HEIGHT = 1000
"""Of pictures, pixels."""

_CARDS = np.arange(N_CARDS)


class GinRummyV4(GinRummyAEC):
    """One hand between `player_0` and `player_1`, as code for PettingZoo's `gin_rummy_v4` sees it.

    Observations are ``{"observation": ..., "action_mask": ...}``, both int8; the mask is in the
    infos too. An illegal action ends the hand: `ILLEGAL_REWARD` for its agent, 0 for the other, and
    the action in its info as ``illegal_action``. Rewards are paid when the hand ends and are not
    zero-sum: the winner of the hand gets one of the two below, everybody else minus his deadwood in
    points / 100. Nobody wins a dead hand.

    Args:
        knock_reward: For winning with a knock, or with an undercut.
        gin_reward: For gin.
        opponents_hand_visible: Append the plane of unseen cards. As before, and whatever the name
            says, it shows no more than the agent may know.
        render_mode: As in `gin_env.envs.aec.GinRummyAEC`.
        screen_height: Of pictures, 360 to 2160 pixels; None for 1000.
        rules: A preset's name, a mapping of rule fields, or `Rules`.

    Raises:
        GinError: `RulesError` or `OptionError`, if an argument is out of range.

    Example:
        >>> from gin_env.compat import gin_rummy_v4
        >>> env = gin_rummy_v4.env(knock_reward=0.5, gin_reward=1.0)
        >>> env.reset(seed=7)
        >>> for agent in env.agent_iter():
        ...     observation, reward, termination, truncation, info = env.last()
        ...     if termination or truncation:
        ...         action = None
        ...     else:
        ...         action = env.action_space(agent).sample(observation["action_mask"])
        ...     env.step(action)
        >>> observation["observation"].shape, observation["action_mask"].shape
        ((4, 52), (110,))
    """

    metadata: ClassVar[dict[str, Any]] = {**GinRummyAEC.metadata, "name": "gin_rummy_v4"}

    def __init__(
        self,
        knock_reward: float = 0.5,
        gin_reward: float = 1.0,
        opponents_hand_visible: bool | None = False,
        render_mode: str | None = None,
        screen_height: int | None = SCREEN_HEIGHT,
        *,
        rules: RulesLike = "standard",
    ) -> None:
        height = SCREEN_HEIGHT if screen_height is None else screen_height
        super().__init__(rules, render_mode=render_mode, screen_height=height)
        self._knock_reward = _check_reward("knock_reward", knock_reward)
        self._gin_reward = _check_reward("gin_reward", gin_reward)
        self._n_planes = len(PLANES) if opponents_hand_visible else len(PLANES) - 1
        self.observation_spaces = {agent: _observation_space(self._n_planes) for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(N_ACTIONS) for agent in AGENTS}

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent may know, to move or not.

        Returns:
            ``observation``, shape [4, 52] (5 planes with ``opponents_hand_visible``), int8, see
            `PLANES`; and ``action_mask``, shape [110], int8, all 0 for an agent that is not to
            move. Fresh arrays.

        Raises:
            SeatError: If there is no such agent.
            AssertionError: If `reset` has not been called.
        """
        seat = self._look(agent)
        return {
            "observation": _planes(self._views[seat], self._n_planes),
            "action_mask": self._legal(seat),
        }

    def _play(self, agent: str, action: SupportsIndex | None) -> None:
        self._cumulative_rewards[agent] = 0.0
        number = self._to_engine(action)
        if number == NO_ACTION:
            self.infos[agent] = {"illegal_action": action}
            self._forfeit()
            self.rewards = {each: ILLEGAL_REWARD if each == agent else 0.0 for each in AGENTS}
        else:
            self.infos[agent] = {}
            self._mover, _ = play_single(self._rules, self._game, number, self._shown, 0)
            self.rewards = self._price()
        self._n_steps += 1
        self._accumulate_rewards()
        self._tell()

    def _price(self) -> dict[str, float]:
        """What the hand as it stands pays to each agent."""
        result = read_result(self._rules[0], self._game[0])
        if result is None:
            return dict.fromkeys(AGENTS, 0.0)
        is_gin = result.ending in (Ending.GIN, Ending.BIG_GIN)
        prize = self._gin_reward if is_gin else self._knock_reward
        return {
            agent: prize if seat == result.winner else -result.deadwoods[seat] / 100
            for seat, agent in enumerate(AGENTS)
        }

    def _tell(self) -> None:
        super()._tell()
        for seat, agent in enumerate(AGENTS):
            self.infos[agent]["action_mask"] = self._legal(seat)

    def _legal(self, seat: int) -> np.ndarray:
        """What a seat may do now, by the old ids. Shape [110], int8."""
        legal = np.zeros(N_ACTIONS, np.int8)
        if seat != self._mover:
            return legal
        mask, gins = self._mask, self._gins()
        legal[DRAW] = mask[engine.DRAW] | mask[engine.PASS]
        legal[TAKE] = mask[engine.TAKE]
        legal[GIN] = gins.any() | mask[engine.BIG_GIN]
        legal[DISCARD:KNOCK] = mask[engine.DISCARD : engine.KNOCK]
        legal[KNOCK:] = mask[engine.KNOCK : engine.DRAW] & ~gins
        return legal

    def _gins(self) -> np.ndarray:
        """With which cards the mover may knock and leave no deadwood. Shape [52], bool."""
        knocks = self._mask[engine.KNOCK : engine.DRAW]
        gins: np.ndarray = (knocks == 1) & (self._views[self._mover]["deadwood_after"] == 0)
        return gins

    def _to_engine(self, action: object) -> int:
        """The engine's id of a legal action; `NO_ACTION` for whatever is none."""
        number = read_int(action)
        if number is None or not 0 <= number < N_ACTIONS or not self._legal(self._mover)[number]:
            return NO_ACTION
        if number >= KNOCK:
            return engine.KNOCK + number - KNOCK
        if number >= DISCARD:
            return engine.DISCARD + number - DISCARD
        if number == DRAW:
            return engine.PASS if self._mask[engine.PASS] else engine.DRAW
        return engine.TAKE if number == TAKE else self._gin()

    def _gin(self) -> int:
        """The engine's id of a legal gin; which card it discards makes no difference to the pay."""
        if self._mask[engine.BIG_GIN]:
            return engine.BIG_GIN
        return engine.KNOCK + int(self._gins().argmax())


env = raw_env = GinRummyV4


def _planes(view: np.void, n_planes: int) -> np.ndarray:
    """Write what a seat may know as planes. Shape [n_planes, 52], int8."""
    top = 0 if view["top"] == NO_CARD else bit(int(view["top"]))
    sets = (view["hand"], top, view["out_of_play"] & ~top, view["their_known"], view["unseen"])
    planes = np.array(sets[:n_planes], np.int64)[:, np.newaxis] >> _CARDS & 1
    return planes.astype(np.int8)


def _check_reward(name: str, reward: object) -> float:
    """Read a reward.

    Raises:
        OptionError: If it is no finite number.
    """
    if isinstance(reward, bool) or not isinstance(reward, Real) or not isfinite(reward):
        raise OptionError(f"{name} must be a finite number, not {reward!r}")
    return float(reward)


def _observation_space(n_planes: int) -> spaces.Dict:
    return spaces.Dict(
        {
            "observation": spaces.Box(0, 1, (n_planes, N_CARDS), np.int8),
            "action_mask": spaces.Box(0, 1, (N_ACTIONS,), np.int8),
        }
    )
