"""The network: a trunk for policy and value, and blocks that skip it on the way to the logits.

A network of this size does not learn exact deadwood arithmetic, but the observation holds it: per
card, what its discard leaves, brings, and risks. The head adds a multiple of these blocks straight
to the logits of that card's discard and knock. The trunk says which multiple, so that it may differ
from state to state; at first it is about 0.
"""

from functools import partial
from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from gin_env.core.actions import BIG_GIN, DISCARD, DRAW, KNOCK, N_ACTIONS, PASS, TAKE
from gin_env.core.observe import obs_layout

CARD_BLOCKS = ("deadwood_after", "continuation", "danger")
"""The blocks of the observation that say something of each card's discard."""

BLOCK_SCALE = 10.0
"""Brings the blocks from hundreds of points to tens, so that useful multiples are about 1."""

Latent = tuple[Tensor, Tensor]
"""What the trunk made of the observations (shape [B, H]), and these (shape [B, N])."""


class GinPolicy(MaskableActorCriticPolicy):
    """A masked actor and critic for the observations of `gin_env`.

    Args:
        *args: As for `MaskableActorCriticPolicy`.
        extras: The optional blocks of the observation, in their order.
        skip: Whether blocks skip the trunk.
        **kwargs: As for `MaskableActorCriticPolicy`; ``net_arch`` lists the widths of the trunk.
    """

    net_arch: list[int]

    def __init__(
        self, *args: Any, extras: tuple[str, ...] = (), skip: bool = True, **kwargs: Any
    ) -> None:
        self.extras, self.skip = tuple(extras), skip
        super().__init__(*args, **kwargs)

    def _build(self, lr_schedule: Schedule) -> None:
        """Create the networks and the optimizer."""
        trunk = Trunk(self.features_dim, self.net_arch, self.activation_fn)
        self.mlp_extractor = trunk  # type: ignore[assignment]
        n_hidden = trunk.n_hidden
        head = SkipHead(n_hidden, self.extras) if self.skip else PlainHead(n_hidden)
        self.action_net = head
        self.value_net = nn.Linear(n_hidden, 1)
        # Gains as in Stable-Baselines3: small logits first, so that all legal moves are tried.
        for module, gain in ((trunk, np.sqrt(2)), (head, 0.01), (self.value_net, 1.0)):
            module.apply(partial(self.init_weights, gain=gain))
        self.optimizer = self.optimizer_class(
            self.parameters(),
            lr=lr_schedule(1),  # type: ignore[call-arg]  # the base class alone has none
            **self.optimizer_kwargs,
        )

    def _get_constructor_parameters(self) -> dict[str, Any]:
        parameters = super()._get_constructor_parameters()
        return {**parameters, "extras": self.extras, "skip": self.skip}


class Trunk(nn.Module):
    """Hidden layers that policy and value share; the policy also gets the observations."""

    def __init__(self, n_inputs: int, widths: list[int], activation: type[nn.Module]) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for n_in, n_out in zip([n_inputs, *widths], widths, strict=False):
            layers += [nn.Linear(n_in, n_out), activation()]
        self.layers = nn.Sequential(*layers)
        self.n_hidden = widths[-1]

    def forward(self, observations: Tensor) -> tuple[Latent, Tensor]:
        """What the policy and what the value is made from."""
        hidden = self.layers(observations)
        return (hidden, observations), hidden

    def forward_actor(self, observations: Tensor) -> Latent:
        """What the policy is made from."""
        return self.layers(observations), observations

    def forward_critic(self, observations: Tensor) -> Tensor:
        """What the value is made from. Returns shape [B, H]."""
        hidden: Tensor = self.layers(observations)
        return hidden


class PlainHead(nn.Module):
    """Logits from the trunk alone."""

    def __init__(self, n_hidden: int) -> None:
        super().__init__()
        self.logits = nn.Linear(n_hidden, N_ACTIONS)

    def forward(self, latent: Latent) -> Tensor:
        """The logits. Returns shape [B, 108]."""
        logits: Tensor = self.logits(latent[0])
        return logits


class SkipHead(nn.Module):
    """Logits from the trunk, and from the arithmetic in the observation."""

    def __init__(self, n_hidden: int, extras: tuple[str, ...]) -> None:
        super().__init__()
        at = {block.name: block.slice for block in obs_layout(extras)}
        self.deadwood = at["deadwood"]
        self.blocks = [at[name] for name in CARD_BLOCKS if name in at]
        self.logits = nn.Linear(n_hidden, N_ACTIONS)
        # Of each block for discards; of deadwood for knocks; knocking at all; what taking gains.
        self.multiples = nn.Linear(n_hidden, len(self.blocks) + 3)

    def forward(self, latent: Latent) -> Tensor:
        """The logits. Returns shape [B, 108]."""
        hidden, observations = latent
        *of_block, of_waste, of_knock, of_gain = self.multiples(hidden).split(1, dim=1)
        costs = [_above_least(observations[:, block]) for block in self.blocks]
        discard = -sum(a * cost for a, cost in zip(of_block, costs, strict=True))
        knock = of_knock - of_waste * costs[0]
        least = observations[:, self.blocks[0]].amin(dim=1, keepdim=True)
        take = of_gain * (observations[:, self.deadwood] - least) * BLOCK_SCALE
        nothing = torch.zeros_like(take)
        by_start = {
            DISCARD: discard,
            KNOCK: knock,
            DRAW: nothing,
            TAKE: take,
            PASS: nothing,
            BIG_GIN: nothing,
        }
        skipped = torch.cat([by_start[start] for start in sorted(by_start)], dim=1)
        logits: Tensor = self.logits(hidden) + skipped
        return logits


def _above_least(block: Tensor) -> Tensor:
    """How far each card lies above the best one. Shape [B, 52], tens of points."""
    return (block - block.amin(dim=1, keepdim=True)) * BLOCK_SCALE
