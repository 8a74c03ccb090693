"""How strong a policy is against a panel of bots: always the same deals, its likeliest moves."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from gin_env import bots
from gin_env.bots.table import Table
from gin_env.core.rules import Rules

PANEL_SEED = 1 << 40
"""First seed of the panel's deals, far from those that any run trains on."""


class Score(NamedTuple):
    """Points per hand, and half the width of their 95 % interval."""

    points: float
    margin: float

    def __str__(self) -> str:
        return f"{self.points:+.1f} ± {self.margin:.1f}"


def play_panel(
    policy: MaskableActorCriticPolicy,
    opponents: Iterable[str],
    n_hands: int,
    *,
    rules: str | Mapping[str, Any] | Rules = "standard",
    extras: Iterable[str] = (),
) -> dict[str, Score]:
    """Play each opponent a number of hands, the seats by lot. It draws on no random generator."""
    scores = {}
    for name in opponents:
        table = Table(
            n_hands, rules, opponents=[bots.make(name)], extras=extras, autoreset="disabled"
        )
        points = _play(policy, table)
        margin = 1.96 * points.std(ddof=1) / np.sqrt(n_hands)
        scores[name] = Score(float(points.mean()), float(margin))
    return scores


def _play(policy: MaskableActorCriticPolicy, table: Table) -> np.ndarray:
    """Play out one hand in every row. Returns its points: shape [B], int64."""
    table.reset(PANEL_SEED)
    points = np.zeros(len(table), np.int64)
    actions = np.zeros(len(table), np.int64)
    is_live = np.ones(len(table), bool)
    while is_live.any():
        observations, masks = table.arrays.observations[is_live], table.arrays.masks[is_live]
        chosen, _ = policy.predict(observations, action_masks=masks, deterministic=True)
        actions[is_live] = chosen
        table.step(actions, is_live)
        points[is_live] += table.rewards[is_live]
        is_live &= ~table.arrays.is_over
    return points
