"""The network: hidden layers, and blocks of the observation that skip them to the logits.

A network of this size does not learn exact deadwood arithmetic, but the observation holds it: per
card, what its discard leaves, brings, and risks. The head adds a multiple of these blocks straight
to the logits of that card's discard and knock. The hidden layers output the multiples, so these may
differ from state to state; at first they are about 0.

The value shares the hidden layers, or has its own. Its own may be privileged: in training they also
see the hidden cards, which `training.env.vec_env` appends to the observation. The policy never sees
more than the observation.

Saved models name the classes of this module: it must stay where it is.
"""

from collections.abc import Sequence
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from gin_env.agents.forward import BLOCK_SCALE, CARD_BLOCKS
from gin_env.core.actions import N_ACTIONS
from gin_env.core.observe import obs_layout
from training.env.hidden_cards import HIDDEN_SIZE

SCALE = float(BLOCK_SCALE)
"""Turns blocks in hundreds of points into tens, so that useful multiples are about 1."""

ACTIVATION_LAYERS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}
"""By name in a config."""

Latent = tuple[Tensor, Tensor]
"""The output of the policy's hidden layers (shape [B, H]), and the observations (shape [B, N])."""


class GinPolicy(MaskableActorCriticPolicy):
    """A masked actor and critic for the observations of `gin_env`.

    Args:
        *args: As for `MaskableActorCriticPolicy`.
        extras: The optional blocks of the observation, in their order.
        skip: Whether blocks of the observation skip the hidden layers.
        value_widths: Widths of the value's own hidden layers; without any it shares the policy's.
        privileged: Whether the observations end in the hidden cards, for the value alone.
        **kwargs: As for `MaskableActorCriticPolicy`; ``net_arch`` lists the policy's widths.
    """

    net_arch: list[int]
    mlp_extractor: "Trunks"  # type: ignore[assignment]

    def __init__(
        self,
        *args: Any,
        extras: tuple[str, ...] = (),
        skip: bool = True,
        value_widths: Sequence[int] = (),
        privileged: bool = False,
        **kwargs: Any,
    ) -> None:
        self.extras, self.skip = tuple(extras), skip
        self.value_widths, self.privileged = tuple(value_widths), privileged
        super().__init__(*args, **kwargs)

    def _build(self, lr_schedule: Schedule) -> None:
        """Create the networks and the optimizer."""
        n_seen = self.features_dim - (HIDDEN_SIZE if self.privileged else 0)
        policy = make_layers(n_seen, self.net_arch, self.activation_fn)
        value = make_layers(self.features_dim, self.value_widths, self.activation_fn)
        trunks = Trunks(n_seen, policy, value if self.value_widths else None)
        n_hidden = self.net_arch[-1]
        head = SkipHead(n_hidden, self.extras) if self.skip else PlainHead(n_hidden)
        self.mlp_extractor = trunks
        self.action_net = head
        self.value_net = nn.Linear((*self.net_arch, *self.value_widths)[-1], 1)
        # Gains as in Stable-Baselines3: logits start small, so that all legal moves are tried.
        for module, gain in ((trunks, np.sqrt(2)), (head, 0.01), (self.value_net, 1.0)):
            module.apply(partial(self.init_weights, gain=gain))
        self.optimizer = self.optimizer_class(
            self.parameters(),
            lr=lr_schedule(1),  # type: ignore[call-arg]  # the base class alone has none
            **self.optimizer_kwargs,
        )

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return {
            **super()._get_constructor_parameters(),
            "extras": self.extras,
            "skip": self.skip,
            "value_widths": self.value_widths,
            "privileged": self.privileged,
        }


class Actor(nn.Module):
    """The part of a `GinPolicy` that plays, without its value.

    Args:
        policy: The whole.
        is_frozen: Whether to copy the weights as they stand, or to share them.
    """

    def __init__(self, policy: GinPolicy, *, is_frozen: bool) -> None:
        super().__init__()
        layers, head = policy.mlp_extractor.layers, policy.action_net
        self.layers = deepcopy(layers) if is_frozen else layers
        self.head = deepcopy(head) if is_frozen else head
        if is_frozen:
            self.requires_grad_(False)

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        return next(self.parameters()).device

    def forward(self, observations: Tensor) -> Tensor:
        """The logits. ``observations``: shape [B, N]. Returns shape [B, 108]."""
        logits: Tensor = self.head((self.layers(observations), observations))
        return logits


def make_playable(policy: GinPolicy) -> GinPolicy:
    """The same policy for observations without hidden cards; its value is 0 everywhere.

    A policy that is not privileged is returned as it is.
    """
    if not policy.privileged:
        return policy
    box = spaces.Box(0.0, 1.0, (policy.mlp_extractor.n_seen,), np.float32)
    changed = {"observation_space": box, "value_widths": (), "privileged": False}
    with torch.random.fork_rng(devices=[]):  # its first weights are drawn at random
        playable = GinPolicy(**{**policy._get_constructor_parameters(), **changed})
    playable.mlp_extractor.layers.load_state_dict(policy.mlp_extractor.layers.state_dict())
    playable.action_net.load_state_dict(policy.action_net.state_dict())
    for parameter in playable.value_net.parameters():
        nn.init.zeros_(parameter)
    return playable.to(policy.device)


def make_layers(n_inputs: int, widths: Sequence[int], activation: type[nn.Module]) -> nn.Sequential:
    """Linear layers, each followed by the activation."""
    layers: list[nn.Module] = []
    for n_in, n_out in zip([n_inputs, *widths], widths, strict=False):
        layers += [nn.Linear(n_in, n_out), activation()]
    return nn.Sequential(*layers)


class Trunks(nn.Module):
    """The hidden layers of the policy, which also pass its observations on, and of the value.

    Args:
        n_seen: How many numbers of each observation the policy sees.
        layers: The policy's.
        value_layers: The value's own; None where it shares the policy's.
    """

    def __init__(
        self, n_seen: int, layers: nn.Sequential, value_layers: nn.Sequential | None
    ) -> None:
        super().__init__()
        self.n_seen, self.layers, self.value_layers = n_seen, layers, value_layers

    def forward(self, observations: Tensor) -> tuple[Latent, Tensor]:
        """The inputs of the policy's head and of the value's (shape [B, H])."""
        latent = self.forward_actor(observations)
        value = latent[0] if self.value_layers is None else self.forward_critic(observations)
        return latent, value

    def forward_actor(self, observations: Tensor) -> Latent:
        """The input of the policy's head."""
        seen = observations[:, : self.n_seen]
        return self.layers(seen), seen

    def forward_critic(self, observations: Tensor) -> Tensor:
        """The input of the value's head. Returns shape [B, H]."""
        layers = self.layers if self.value_layers is None else self.value_layers
        hidden: Tensor = layers(observations)
        return hidden


class PlainHead(nn.Module):
    """Logits from the hidden layers alone."""

    def __init__(self, n_hidden: int) -> None:
        super().__init__()
        self.logits = nn.Linear(n_hidden, N_ACTIONS)

    def forward(self, latent: Latent) -> Tensor:
        """The logits. Returns shape [B, 108]."""
        logits: Tensor = self.logits(latent[0])
        return logits


class SkipHead(nn.Module):
    """Logits from the hidden layers, and from the arithmetic in the observation."""

    def __init__(self, n_hidden: int, extras: tuple[str, ...]) -> None:
        super().__init__()
        at = {block.name: block.slice for block in obs_layout(extras)}
        self.deadwood = at["deadwood"]
        self.block_names = tuple(name for name in CARD_BLOCKS if name in at)
        self.blocks = [at[name] for name in self.block_names]
        self.logits = nn.Linear(n_hidden, N_ACTIONS)
        # For discards, one of each block; for knocks, one of deadwood and one constant; for taking,
        # one of what it gains.
        self.multiples = nn.Linear(n_hidden, len(self.blocks) + 3)

    def forward(self, latent: Latent) -> Tensor:
        """The logits. Returns shape [B, 108]."""
        hidden, observations = latent
        *of_block, of_waste, of_knock, of_gain = self.multiples(hidden).split(1, dim=1)
        costs = [_above_least(observations[:, block]) for block in self.blocks]
        discard = -sum(a * cost for a, cost in zip(of_block, costs, strict=True))
        knock = of_knock - of_waste * costs[0]
        least = observations[:, self.blocks[0]].amin(dim=1, keepdim=True)
        take = of_gain * (observations[:, self.deadwood] - least) * SCALE
        none = torch.zeros_like(take)
        # In the order of the actions: discards, knocks, draw, take, pass, big gin.
        logits: Tensor = self.logits(hidden) + torch.cat(
            [discard, knock, none, take, none, none], dim=1
        )
        return logits


def _above_least(block: Tensor) -> Tensor:
    """How much each card lies above the best one. Shape [B, 52], tens of points."""
    return (block - block.amin(dim=1, keepdim=True)) * SCALE
