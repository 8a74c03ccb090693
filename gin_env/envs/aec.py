"""The PettingZoo face: an AEC environment for two agents.

`env` and `raw_env` are one class. PettingZoo's custom is to stack wrappers on a raw environment for
its errors (a step before the reset, an action out of bounds); each of them slows down every
attribute that a training loop touches. Those checks are built in here instead and cost next to
nothing, so ``env(...)`` is as fast as ``raw_env(...)`` and as strict as a wrapped one.
"""

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from operator import index
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, SupportsIndex, overload

import numpy as np
from gymnasium import logger, spaces
from pettingzoo.utils.env import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from gin_env.core import match
from gin_env.core.actions import N_ACTIONS
from gin_env.core.observe import check_extras, extras_bits, obs_size
from gin_env.core.rules import RULES_DTYPE, Episode, check_penalty, to_rules
from gin_env.core.single import (
    Shown,
    begin_single,
    encode_single,
    look_single,
    next_single,
    play_single,
)
from gin_env.core.state import ENDING_NAMES, N_SEATS, NO_SEAT, STATE_DTYPE
from gin_env.core.view import VIEW_DTYPE
from gin_env.errors import EpisodeOverError, OptionError, SeatError
from gin_env.history import Recorder
from gin_env.players.protocol import FORFEIT
from gin_env.rendering.draw import RENDER_FPS, Painter, modes_here
from gin_env.rendering.image import DEFAULT_HEIGHT
from gin_env.rendering.words import PLAYER_NAMES
from gin_env.support.options import Word, check_seed
from gin_env.values.checks import (
    RulesLike,
    check_scale,
    illegal_action,
    read_dealer,
    seed_word,
)

AGENTS = PLAYER_NAMES
SEATS = {agent: seat for seat, agent in enumerate(AGENTS)}
TO_MOVE = "to_move"
PERSPECTIVES = (TO_MOVE, *AGENTS)
ILLEGAL = ("forfeit", "raise")
NO_ACTION = -1
NO_ACTIONS = np.zeros(N_ACTIONS, np.int8)
_ROW = np.zeros(1, np.int64)
"""The one game, to a recorder."""

_SET_BY_RESET = (
    "agents",
    "num_agents",
    "agent_selection",
    "rewards",
    "terminations",
    "truncations",
    "infos",
    "_cumulative_rewards",
)


class GinRummyAEC(AECEnv):
    """Gin Rummy for `player_0` and `player_1`, one action at a time.

    An episode is a hand or a match; in a match every hand pays as it ends, and play goes on with
    the next one. Observations are ``{"observation": ..., "action_mask": ...}``; the mask is in the
    infos too. When a hand ends, both infos hold its ``ending`` and the agent's ``hand_points``,
    until that agent moves again. All arrays handed out are fresh.

    Args:
        rules: A preset's name, a mapping of rule fields, or `Rules`.
        episode: ``"hand"`` or ``"match"``.
        render_mode: ``"ansi"`` makes `render` return the table as text, ``"rgb_array"`` as a
            picture, which needs Pillow; ``"human"`` shows it in the terminal after every reset and
            step; None renders nothing. See docs/rendering.md.
        illegal: ``"forfeit"``: an illegal action ends the hand, costs its player
            ``illegal_penalty`` and is noted in its info as ``illegal_action``. ``"raise"``: it is
            an `IllegalActionError`, and the game is as before.
        illegal_penalty: Points.
        reward_scale: Rewards are points times this.
        extras: Optional observation blocks, see `gin_env.core.observe.EXTRAS`.
        record: A file to which every hand is appended as it ends (docs/history.md).
        perspective: Whose view is rendered: ``"player_0"``, ``"player_1"``, or ``"to_move"`` for
            the agent to move. Who watches that one sees the hands of both in turn.
        screen_height: Of pictures, 360 to 2160 pixels.

    Raises:
        GinError: `RulesError` or `OptionError`, if an argument is out of range; `HistoryError`, if
            the file of ``record`` cannot be written.

    Example:
        >>> import gin_env
        >>> env = gin_env.env("standard")
        >>> env.reset(seed=7)
        >>> for agent in env.agent_iter():
        ...     observation, reward, termination, truncation, info = env.last()
        ...     done = termination or truncation
        ...     env.step(None if done else env.action_space(agent).sample(info["action_mask"]))
        >>> env.agents
        []
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "gin_rummy_v0",
        "render_modes": modes_here(),
        "render_fps": RENDER_FPS,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        rules: RulesLike = "standard",
        episode: Episode = "hand",
        render_mode: str | None = None,
        illegal: Literal["forfeit", "raise"] = "forfeit",
        illegal_penalty: int = 50,
        *,
        reward_scale: float = 1.0,
        extras: Iterable[str] = (),
        record: str | Path | None = None,
        perspective: str = TO_MOVE,
        screen_height: int = DEFAULT_HEIGHT,
    ) -> None:
        super().__init__()
        Word(ILLEGAL).check("illegal", illegal)
        Word(PERSPECTIVES).check("perspective", perspective)
        self._painter = Painter(render_mode, screen_height)
        self._perspective = perspective
        self.rules = to_rules(rules)
        self.episode = episode
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self._illegal = illegal
        self._penalty = check_penalty(illegal_penalty)
        self._scale = check_scale(reward_scale)
        blocks = check_extras(extras)
        self._extras = extras_bits(blocks)
        size = obs_size(blocks)
        self.observation_spaces = {agent: _observation_space(size) for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(N_ACTIONS) for agent in AGENTS}
        # Records live in arrays: unlike a record alone, those copy and pickle as they are.
        self._rules = np.zeros(1, RULES_DTYPE)
        self._rules[0] = self.rules.row(episode)
        self._game = np.zeros(1, STATE_DTYPE)
        self._seed: int | None = check_seed(None)  # of the next reset
        self._game[0]["rng_state"] = seed_word(self._seed)
        self._views = np.zeros(N_SEATS, VIEW_DTYPE)
        self._mover = NO_SEAT  # its view, mask and observation are those of the present state
        self._mask = np.zeros(N_ACTIONS, np.int8)
        self._obs = np.zeros(size, np.float32)
        self._n_steps = 0
        self._has_reset = False
        self._recorder = None
        if record is not None:
            self._recorder = Recorder(1, self.rules, episode, record, self._penalty)

    def __getattr__(self, name: str) -> Any:
        """Say what is wrong where `reset` has not been called; only missing attributes get here."""
        if name in _SET_BY_RESET:
            raise AttributeError(f"{name} cannot be accessed before reset")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def observation_space(self, agent: str) -> spaces.Dict:
        """The observation space of an agent, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete[np.int64]:
        """The action space of an agent, always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode.

        Args:
            seed: From 0 to 2**64 - 1, for the deals from here on. None goes on with the deals that
                follow from the seed given before (from a fresh one, if none was).
            options: ``{"dealer": 0}`` or ``{"dealer": 1}`` says who deals the first hand; otherwise
                the rules do. Other entries are not read.

        Raises:
            SeedError: If the seed is out of range.
            SeatError: If the dealer is.
        """
        if options is not None and not isinstance(options, Mapping):
            raise OptionError(f"options must be a mapping, not {options!r}")
        first = read_dealer(options or {})
        if seed is not None:
            self._seed = check_seed(seed)
            self._game[0]["rng_state"] = seed_word(self._seed)
        self._mover = begin_single(self._rules, self._game, first, self._shown, self._extras)
        if self._recorder is not None:
            seeds = None if self._seed is None else [self._seed]
            self._recorder.begin(_ROW, self._game, [AGENTS], seeds)
        self._seed = None
        self._has_reset = True
        self._n_steps += 1
        self._skip_agent_selection = None
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self._tell()
        if self.render_mode == "human":
            self.render()

    def step(self, action: SupportsIndex | None) -> None:
        """Play an action of the agent to move; an agent whose episode is over takes None.

        Raises:
            IllegalActionError: If the rules do not allow it, and ``illegal="raise"``; nothing has
                happened.
            HistoryError: If a hand that has ended cannot be recorded. The action has been played,
                as after an error of the renderer.
            AssertionError: If `reset` has not been called.
            ValueError: If the episode is over and the action is not None.
        """
        if not self._has_reset:
            EnvLogger.error_step_before_reset()
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            self._n_steps += 1
            return
        self._play(agent, action)
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent may know, to move or not.

        Returns:
            ``observation``, shape [OBS_SIZE] (more with ``extras``), float32, and ``action_mask``,
            shape [108], int8, all 0 for an agent that is not to move. Fresh arrays.

        Raises:
            SeatError: If there is no such agent.
            AssertionError: If `reset` has not been called.
        """
        seat = self._look(agent)
        if seat == self._mover:
            return {"observation": self._obs.copy(), "action_mask": self._mask.copy()}
        obs = np.empty_like(self._obs)
        encode_single(self._rules, self._views, seat, self._extras, obs)
        return {"observation": obs, "action_mask": NO_ACTIONS.copy()}

    @overload
    def last(
        self, observe: Literal[True] = True
    ) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]: ...

    @overload
    def last(
        self, observe: bool
    ) -> tuple[dict[str, np.ndarray] | None, float, bool, bool, dict[str, Any]]: ...

    def last(
        self, observe: bool = True
    ) -> tuple[dict[str, np.ndarray] | None, float, bool, bool, dict[str, Any]]:
        """What the agent to move needs to know.

        Returns:
            Observation (None without ``observe``), rewards since its last action, termination,
            truncation and info.

        Raises:
            EpisodeOverError: If the episode is over and both agents have taken their last step.
        """
        agent = self.agent_selection
        if not self.agents:
            raise EpisodeOverError("the episode is over and its agents have left; call reset()")
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        """Iterate over the agents to move; call `step` once for each.

        Raises:
            AssertionError: If `reset` has not been called, or the loop goes on without a step.
        """
        if not self._has_reset:
            EnvLogger.error_agent_iter_before_reset()
        return self._iterate(max_iter)

    def render(self) -> str | np.ndarray | None:
        """The table as ``perspective`` sees it.

        Returns:
            Text in mode ``"ansi"``; in mode ``"rgb_array"`` a picture, shape [screen_height,
            width, 3], uint8; None in mode ``"human"``, which shows the table in the terminal.

        Raises:
            AssertionError: If `reset` has not been called.
            PillowMissingError: If a picture is asked for, and Pillow is not installed.
        """
        if not self._has_reset:
            EnvLogger.error_render_before_reset()
        if self.render_mode is None:
            logger.warn("render() does nothing unless the environment has a render_mode")
            return None
        return self._painter.draw(self._rules[0], self._game[0], self._seat_in_front())

    def close(self) -> None:
        """Let go of the file of ``record``; nothing else is held open."""
        if self._recorder is not None:
            self._recorder.close()

    def __copy__(self) -> Self:
        return deepcopy(self)

    @property
    def _shown(self) -> Shown:
        return self._views, self._mask, self._obs

    def _look(self, agent: str) -> int:
        """Bring the view of an agent up to date, and return its seat."""
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        seat = SEATS.get(agent)
        if seat is None:
            raise SeatError(f"there is no agent {agent!r}; the agents are {', '.join(AGENTS)}")
        if seat != self._mover:
            look_single(self._rules, self._game, seat, self._views)
        return seat

    def _play(self, agent: str, action: SupportsIndex | None) -> None:
        number = _to_number(action)
        is_legal = number != NO_ACTION and self._mask[number]
        if not is_legal and self._illegal == "raise":
            raise illegal_action(self._rules[0], self._game[0], action)
        self._cumulative_rewards[agent] = 0.0
        self.infos[agent] = {} if is_legal else {"illegal_action": action}
        if is_legal:
            self._mover, points = play_single(
                self._rules, self._game, number, self._shown, self._extras
            )
        else:
            points = self._forfeit()
        if self._recorder is not None:
            self._recorder.follow(_ROW, np.array([number if is_legal else FORFEIT]))
        try:
            if self._mover == NO_SEAT:
                self._end_hand()
        finally:  # where the record cannot be written, the action has been played all the same
            self._n_steps += 1
            self._pay(points)
            self._tell()

    def _forfeit(self) -> int:
        """End the hand against the agent to move. Returns what that pays to seat 0, points."""
        match.play_forfeit(self._rules[0], self._game[0], self._penalty)
        self._mover = NO_SEAT
        return int(self._game[0]["reward"])

    def _end_hand(self) -> None:
        """Tell how the hand has ended, and deal the next one where a match goes on."""
        r, s = self._rules[0], self._game[0]
        points = int(s["hand_end"]["points"])
        for seat, agent in enumerate(AGENTS):
            self.infos[agent]["ending"] = ENDING_NAMES[s["hand_end"]["ending"]]
            self.infos[agent]["hand_points"] = points if seat == 0 else -points
        goes_on = not s["is_episode_over"]
        try:
            if goes_on and self.render_mode == "human":
                self._painter.draw(r, s, self._seat_in_front())
        finally:
            if goes_on:
                self._mover = next_single(self._rules, self._game, self._shown, self._extras)
            if self._recorder is not None:
                self._recorder.end(_ROW, self._game["hand_end"], self._game)

    def _seat_in_front(self) -> int:
        return SEATS[self.agent_selection if self._perspective == TO_MOVE else self._perspective]

    def _pay(self, points: int) -> None:
        """Set the rewards of this step, zero-sum."""
        if points:
            reward = self._scale * points
            self.rewards = {AGENTS[0]: reward, AGENTS[1]: -reward}
            self._accumulate_rewards()
        else:
            self.rewards = dict.fromkeys(AGENTS, 0.0)

    def _tell(self) -> None:
        """Say who is to move and what it may do, or that the episode is over."""
        if self._mover == NO_SEAT:
            self.terminations = dict.fromkeys(AGENTS, True)
            self._deads_step_first()
        else:
            self.agent_selection = AGENTS[self._mover]
        for seat, agent in enumerate(AGENTS):
            mask = self._mask if seat == self._mover else NO_ACTIONS
            self.infos[agent] = {**self.infos[agent], "action_mask": mask.copy()}

    def _iterate(self, max_iter: int) -> Iterator[str]:
        seen = NO_ACTION
        while self.agents and max_iter > 0:
            assert self._n_steps != seen, "need to call step() or reset() in a loop over agent_iter"
            seen = self._n_steps
            max_iter -= 1
            yield self.agent_selection


env = raw_env = GinRummyAEC


def _to_number(action: Any) -> int:
    """Read an action id; `NO_ACTION` for whatever is none."""
    if isinstance(action, (bool, np.bool_)):
        return NO_ACTION
    try:
        number = index(action)
    except TypeError:
        return NO_ACTION
    return number if 0 <= number < N_ACTIONS else NO_ACTION


def _observation_space(size: int) -> spaces.Dict:
    return spaces.Dict(
        {
            "observation": spaces.Box(0.0, 1.0, (size,), np.float32),
            "action_mask": spaces.Box(0, 1, (N_ACTIONS,), np.int8),
        }
    )
