"""The network: a trunk, and blocks of the observation that skip it on the way to the logits.

A network of this size does not learn exact deadwood arithmetic, but the observation holds it: per
card, what its discard leaves, brings, and risks. The head adds a multiple of these blocks straight
to the logits of that card's discard and knock. The trunk says which multiple, so that it may differ
from state to state; at first it is about 0.

The value is made from the same trunk, or from one of its own. Its own one may be privileged: in
training it also sees what is hidden, which `training.env.vec_env` appends to the observation. The
policy never sees more than the observation.
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
from gin_env.core.actions import BIG_GIN, DISCARD, DRAW, KNOCK, N_ACTIONS, PASS, TAKE
from gin_env.core.observe import obs_layout
from training.env.hidden_cards import HIDDEN_SIZE

SCALE = float(BLOCK_SCALE)
"""Brings the blocks from hundreds of points to tens, so that useful multiples are about 1."""

ACTIVATION_LAYERS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}
"""What may follow each layer, by its name in a config."""

Latent = tuple[Tensor, Tensor]
"""What the trunk made of the observations (shape [B, H]), and these (shape [B, N])."""


class GinPolicy(MaskableActorCriticPolicy):
    """A masked actor and critic for the observations of `gin_env`.

    Args:
        *args: As for `MaskableActorCriticPolicy`.
        extras: The optional blocks of the observation, in their order.
        skip: Whether blocks skip the trunk.
        value_widths: Widths of the value's own trunk; none for the one of the policy.
        privileged: Whether the observations end in what is hidden, for the value alone.
        **kwargs: As for `MaskableActorCriticPolicy`; ``net_arch`` lists the widths of the trunk.
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
        # Gains as in Stable-Baselines3: small logits first, so that all legal moves are tried.
        for module, gain in ((trunks, np.sqrt(2)), (head, 0.01), (self.value_net, 1.0)):
            module.apply(partial(self.init_weights, gain=gain))
        self.optimizer = self.optimizer_class(
            self.parameters(),
            lr=lr_schedule(1),  # type: ignore[call-arg]  # the base class alone has none
            **self.optimizer_kwargs,
        )

    def _get_constructor_parameters(self) -> dict[str, Any]:
        parameters = super()._get_constructor_parameters()
        return {
            **parameters,
            "extras": self.extras,
            "skip": self.skip,
            "value_widths": self.value_widths,
            "privileged": self.privileged,
        }


class Actor(nn.Module):
    """The policy of a `GinPolicy` without its value: what the league keeps and players play.

    Args:
        policy: Whose policy it is.
        is_frozen: Whether to copy the weights as they stand, or to go on sharing them.
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
    """The same policy for observations without anything hidden; its value is 0 everywhere.

    A policy that is not privileged is returned as it is.
    """
    if not policy.privileged:
        return policy
    box = spaces.Box(0.0, 1.0, (policy.mlp_extractor.n_seen,), np.float32)
    with torch.random.fork_rng(devices=[]):  # making it draws weights
        playable = GinPolicy(
            box,
            policy.action_space,
            lambda _: 0.0,
            net_arch=policy.net_arch,
            activation_fn=policy.activation_fn,
            extras=policy.extras,
            skip=policy.skip,
        )
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
    """The hidden layers: the policy's, which also hands on its observations, and the value's.

    Args:
        n_seen: How much of each observation the policy sees.
        layers: The policy's.
        value_layers: The value's own; none where it is made from the policy's.
    """

    def __init__(
        self, n_seen: int, layers: nn.Sequential, value_layers: nn.Sequential | None
    ) -> None:
        super().__init__()
        self.n_seen, self.layers, self.value_layers = n_seen, layers, value_layers

    def forward(self, observations: Tensor) -> tuple[Latent, Tensor]:
        """What the policy and what the value is made from."""
        latent = self.forward_actor(observations)
        value = latent[0] if self.value_layers is None else self.value_layers(observations)
        return latent, value

    def forward_actor(self, observations: Tensor) -> Latent:
        """What the policy is made from."""
        seen = observations[:, : self.n_seen]
        return self.layers(seen), seen

    def forward_critic(self, observations: Tensor) -> Tensor:
        """What the value is made from. Returns shape [B, H]."""
        layers = self.layers if self.value_layers is None else self.value_layers
        hidden: Tensor = layers(observations)
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
        self.block_names = tuple(name for name in CARD_BLOCKS if name in at)
        self.blocks = [at[name] for name in self.block_names]
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
        take = of_gain * (observations[:, self.deadwood] - least) * SCALE
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
    return (block - block.amin(dim=1, keepdim=True)) * SCALE
