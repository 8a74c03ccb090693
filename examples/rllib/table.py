"""The game as RLlib wants it: a multi-agent environment in which only one agent is to move.

Beside our AEC environment it differs in the names inside an observation, which are those that
RLlib's own module for masked actions asks for, and in who gets what when a hand is over.
"""

from typing import Any

import numpy as np
from gymnasium import spaces
from ray.rllib.env.multi_agent_env import MultiAgentEnv

import gin_env
from examples.ppo_single_file import EXTRAS
from gin_env.core.actions import N_ACTIONS
from gin_env.core.observe import obs_size
from gin_env.envs.aec import AGENTS

Observation = dict[str, np.ndarray]


class GinRummyTable(MultiAgentEnv):
    """One hand of Gin Rummy an episode, for `player_0` and `player_1`.

    An observation is ``{"observations": ..., "action_mask": ...}``, shapes [N] (float32) and [108]
    (int8), of the agent to move alone. When the hand is over, every agent that has moved in it gets
    its points and a last observation; one that never came to move gets nothing to learn from.

    Args:
        config: ``rules`` (a preset's name or a mapping of rule fields; default ``"standard"``) and
            ``reward_scale`` (default 1.0: rewards are points).

    Raises:
        GinError: If one of these is out of range.
    """

    def __init__(self, config: dict[str, Any] | None = None) -> None:
        super().__init__()
        given = config or {}
        self._env = gin_env.env(
            given.get("rules", "standard"),
            illegal="raise",
            reward_scale=given.get("reward_scale", 1.0),
            extras=EXTRAS,
        )
        self._has_moved: set[str] = set()
        self.agents = self.possible_agents = list(AGENTS)
        one = spaces.Dict(
            {
                "observations": spaces.Box(0.0, 1.0, (obs_size(EXTRAS),), np.float32),
                "action_mask": spaces.Box(0, 1, (N_ACTIONS,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(AGENTS, one)
        self.action_spaces = {agent: spaces.Discrete(N_ACTIONS) for agent in AGENTS}

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[dict[str, Observation], dict[str, Any]]:
        """Deal a hand. Returns the observation of the agent to move, by its name, and no infos."""
        self._env.reset(seed=seed, options=options)
        self._has_moved.clear()
        mover = self._env.agent_selection
        return {mover: self._observe(mover)}, {}

    def step(
        self, action_dict: dict[str, int]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, Any],
    ]:
        """Play the action of the agent to move.

        Returns:
            Observations, rewards, terminations, truncations (never) and infos (none), each by
            agent.

        Raises:
            IllegalActionError: If the action is illegal, which none that the mask allows is.
        """
        mover = self._env.agent_selection
        self._has_moved.add(mover)
        self._env.step(action_dict[mover])
        is_over = all(self._env.terminations.values())
        agents = sorted(self._has_moved) if is_over else [self._env.agent_selection]
        observations = {agent: self._observe(agent) for agent in agents}
        rewards = {agent: float(self._env.rewards[agent]) for agent in agents}
        terminations = {**dict.fromkeys(agents, is_over), "__all__": is_over}
        return observations, rewards, terminations, {"__all__": False}, {}

    def _observe(self, agent: str) -> Observation:
        seen = self._env.observe(agent)
        return {"observations": seen["observation"], "action_mask": seen["action_mask"]}
