"""The policy of a trained network as plain arrays, for players without torch."""

from typing import Any

import numpy as np
from torch import nn

from gin_env.agents import Network, NetworkSpec
from training.policy import ACTIVATION_LAYERS, GinPolicy, SkipHead

FORMAT = "gin-env actor 1"
"""Changes with the arrays, and with how the logits are computed from them."""


def actor_arrays(policy: GinPolicy) -> dict[str, np.ndarray]:
    """The weights of the policy, without those of its value.

    The hidden layers are ``hidden0``, ``hidden1``, ...; each is ``x @ weight.T + bias`` and then
    the activation. From the last one ``logits`` makes 108 numbers, and ``multiples`` (only with
    ``skip``) the factors of `training.policy.SkipHead`, in this order: of each block in ``blocks``
    for the discards; of deadwood for the knocks; a constant for the knocks; of what taking gains.

    Returns:
        Copies: ``NAME.weight`` of shape [out, in] and ``NAME.bias`` of shape [out], float32.
    """
    linear = [layer for layer in policy.mlp_extractor.layers if isinstance(layer, nn.Linear)]
    named: dict[str, Any] = {f"hidden{place}": layer for place, layer in enumerate(linear)}
    named["logits"] = policy.action_net.logits
    if isinstance(policy.action_net, SkipHead):
        named["multiples"] = policy.action_net.multiples
    return {
        f"{name}.{part}": np.array(getattr(layer, part).numpy(force=True))
        for name, layer in named.items()
        for part in ("weight", "bias")
    }


def actor_network(policy: GinPolicy) -> Network:
    """A copy of the policy that plays without torch."""
    facts = actor_facts(policy)
    spec = NetworkSpec(
        tuple(facts["extras"]), tuple(facts["widths"]), facts["activation"], facts["skip"]
    )
    return Network(spec, actor_arrays(policy))


def actor_facts(policy: GinPolicy) -> dict[str, Any]:
    """What it takes beside the arrays to compute the logits; fit for JSON."""
    head, layers = policy.action_net, ACTIVATION_LAYERS.items()
    return {
        "format": FORMAT,
        "extras": list(policy.extras),
        "observation_size": policy.mlp_extractor.n_seen,
        "widths": list(policy.net_arch),
        "activation": next(name for name, layer in layers if layer is policy.activation_fn),
        "skip": policy.skip,
        "blocks": list(head.block_names) if isinstance(head, SkipHead) else [],
    }
