"""The metadata of an agent: what it is, what it observes, how strong it is (docs/agents.md).

They lie in the agent's file as its header, and beside it as JSON.
"""

from collections.abc import Mapping
from typing import Any

from gin_env.agents.network import ACTIVATIONS, NetworkSpec
from gin_env.core.actions import N_ACTIONS
from gin_env.core.observe import check_extras, obs_layout, obs_size
from gin_env.core.rules import Rules
from gin_env.errors import OptionError, PlayerError, RulesError

FORMAT = "gin-env agent"
VERSION = 1
"""Rises whenever the arrays, or how the logits are made from them, change."""

ENVIRONMENT = "gin_env/GinRummy-v0"
"""The environment whose observations and actions an agent takes; its version rises with them."""

MAX_LAYERS = 16
MAX_WIDTH = 8192


def make_metadata(
    name: str, spec: NetworkSpec, rules: Rules, training: dict[str, Any], strength: dict[str, Any]
) -> dict[str, Any]:
    """Put the metadata of an agent together.

    Args:
        name: What the agent is called.
        spec: Its network.
        rules: What it was trained on.
        training: How, of types fit for JSON.
        strength: What was measured, likewise.
    """
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": name,
        "observation": _describe_observation(spec.extras),
        "actions": N_ACTIONS,
        "network": _describe_network(spec),
        "rules": rules.to_dict(),
        "training": training,
        "strength": strength,
    }


def check_metadata(metadata: Any) -> NetworkSpec:
    """Check that an agent with these metadata can be played here. Returns its network.

    Raises:
        PlayerError: If it cannot; it says what was found, and what was expected.
    """
    if not isinstance(metadata, dict):
        raise PlayerError(f"its header must be a mapping, not {metadata!r:.60}")
    _expect("format", metadata.get("format"), FORMAT)
    _expect("version", metadata.get("version"), VERSION)
    if not isinstance(metadata.get("name"), str):
        raise PlayerError(f"its name must be a text, not {metadata.get('name')!r:.60}")
    extras = _check_observation(metadata.get("observation"))
    _expect("number of actions", metadata.get("actions"), N_ACTIONS)
    spec = _check_network(metadata.get("network"), extras)
    for part in ("rules", "training", "strength"):
        if not isinstance(metadata.get(part), dict):
            raise PlayerError(f"its {part} must be a mapping, not {metadata.get(part)!r:.60}")
    try:
        Rules.from_dict(metadata["rules"])
    except (RulesError, TypeError) as error:
        raise PlayerError(f"its rules are none: {error}") from error
    return spec


def _describe_observation(extras: tuple[str, ...]) -> dict[str, Any]:
    return {
        "environment": ENVIRONMENT,
        "size": obs_size(extras),
        "extras": list(extras),
        "blocks": [{"name": b.name, "size": b.shape[0]} for b in obs_layout(extras)],
    }


def _describe_network(spec: NetworkSpec) -> dict[str, Any]:
    return {
        "widths": list(spec.widths),
        "activation": spec.activation,
        "skip": spec.skip,
        "blocks": list(spec.blocks),
    }


def _check_observation(found: Any) -> tuple[str, ...]:
    """Check the observation block by block. Returns the optional blocks."""
    asked = found.get("extras") if isinstance(found, dict) else None
    try:
        extras = check_extras(asked if isinstance(asked, list) else [])
    except (OptionError, TypeError) as error:
        raise PlayerError(f"its observation is none of this version: {error}") from error
    _expect_entries("observation", found, _describe_observation(extras))
    return extras


def _check_network(found: Any, extras: tuple[str, ...]) -> NetworkSpec:
    if not isinstance(found, dict):
        raise PlayerError(f"its network must be a mapping, not {found!r:.60}")
    widths, activation, skip = (found.get(key) for key in ("widths", "activation", "skip"))
    if (
        not isinstance(widths, list)
        or not 1 <= len(widths) <= MAX_LAYERS
        or not all(type(one) is int and 1 <= one <= MAX_WIDTH for one in widths)
    ):
        raise PlayerError(
            f"its network.widths must be 1 to {MAX_LAYERS} whole numbers from 1 to {MAX_WIDTH}, "
            f"not {widths!r:.60}"
        )
    if activation not in ACTIVATIONS:
        raise PlayerError(
            f"its network.activation must be one of {', '.join(ACTIVATIONS)}, "
            f"not {activation!r:.60}"
        )
    if not isinstance(skip, bool):
        raise PlayerError(f"its network.skip must be true or false, not {skip!r:.60}")
    spec = NetworkSpec(extras, tuple(widths), activation, skip)
    _expect_entries("network", found, _describe_network(spec))
    return spec


def _expect_entries(what: str, found: Any, expected: Mapping[str, Any]) -> None:
    """Check that a mapping holds what is expected; the first difference is named."""
    if not isinstance(found, dict):
        raise PlayerError(f"its {what} must be a mapping, not {found!r:.60}")
    for key, value in expected.items():
        if key != "blocks" or not value or not isinstance(found.get(key), list):
            _expect(f"{what}.{key}", found.get(key), value)
            continue
        for place, block in enumerate(value):
            there = found[key][place] if place < len(found[key]) else None
            _expect(f"{what}.{key}[{place}]", there, block)
        _expect(f"number of {what}.{key}", len(found[key]), len(value))


def _expect(what: str, found: Any, expected: Any) -> None:
    if type(found) is not type(expected) or found != expected:
        raise PlayerError(f"its {what} is {found!r:.80}; expected {expected!r:.80}")
