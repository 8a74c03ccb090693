"""MODEL_CARD.md: what an agent is, for people who have never heard of it."""

from typing import Any

from gin_env.core.rules import PRESETS, Rules
from training.export.strength import describe_estimate

_CARD = """\
# {name}

A trained policy for two-player Gin Rummy, made with gin-env {version}: from what one seat may know,
it rates every move.

## How to play it

```python
import gymnasium as gym, gin_env
agent = gin_env.load_agent("{name}.npz")
env = gym.make("gin_env/GinRummy-v0", opponent="hard", extras=agent.extras)
observation, info = env.reset(seed=1)
action = agent.network.choose(observation, info["action_mask"])
```

The npz is played with NumPy and cannot run code. The ONNX graph holds the same policy:
`observations` (float32, a row each) in, `logits` out; of the legal moves, play the one with the
greatest logit. The format is described in docs/agents.md of gin-env.

## What it is

- Observation: {size} numbers, as of `{environment}`, with these optional blocks: {extras}.
- Actions: {actions}; the caller masks the illegal ones.
- Network: layers of {widths} units ({activation}); blocks that skip them to the logits: {blocks}.

## How it was trained

- Rules: {rules}; an episode is a {episode}.
{stages}- Seed {seed}, config hash `{config_hash:.12}`, commit `{commit}`, finished {finished}.
- The whole config, the rules field by field and all versions are in `{name}.json`.

## How strong it is

{strength}

## Limits

- It was trained under one set of rules ({rules}). Under others its moves are legal; how well it
  plays was not measured.
- It always plays its likeliest move, so an opponent that knows it can predict it.
- It remembers nothing but what the observation holds, and does not adapt to its opponent.
- Gin Rummy is not transitive: results against these opponents say little about others, and nothing
  about people.
"""

_IMITATION = "- Imitation of `{teacher}` (behaviour cloning), on {decisions:,} of its decisions."
_PLAYOUTS = (
    "- Playouts of its candidate moves, at {decisions:,} of its own decisions. {worlds}"
    "Opponents, by share: {opponents}."
)
_WORLDS = "Against `hard` in {worlds} drawn worlds each. "
_PPO = "- Masked PPO, on {decisions:,} decisions. Opponents, by share: {opponents}."


def write_model_card(metadata: dict[str, Any]) -> str:
    """The model card of an agent, in Markdown, from its metadata."""
    observation, network, training = (metadata[x] for x in ("observation", "network", "training"))
    config, versions = training["config"], training["versions"] or {}
    return _CARD.format(
        name=metadata["name"],
        version=versions.get("gin_env", "of unknown version"),
        size=observation["size"],
        environment=observation["environment"],
        extras=_list(observation["extras"]),
        actions=metadata["actions"],
        widths=" and ".join(map(str, network["widths"])),
        activation=network["activation"],
        blocks=_list(network["blocks"]),
        rules=_name_rules(metadata["rules"]),
        episode=config["game"]["episode"],
        stages=_describe_stages(config, training["decisions"]),
        seed=config["seed"],
        config_hash=training["config_hash"],
        commit=training["commit"] or "unknown",
        finished=training["finished"] or "not yet",
        strength=_describe_strength(metadata["strength"]),
    )


def _describe_stages(config: dict[str, Any], n_decisions: int) -> str:
    """A line for each stage of its training."""
    clone, playouts = config["clone"], config.get("playouts")
    lines = []
    if clone:
        lines.append(_IMITATION.format(**clone))
    if playouts:
        worlds = _WORLDS.format(**playouts) if playouts.get("worlds") else ""
        opponents = _shares(playouts["opponents"])
        lines.append(_PLAYOUTS.format(**{**playouts, "worlds": worlds, "opponents": opponents}))
    if n_decisions:
        opponents = _shares(config["game"]["opponents"])
        lines.append(_PPO.format(decisions=n_decisions, opponents=opponents))
    return "\n".join(lines) + "\n"


def _shares(opponents: dict[str, float]) -> str:
    return ", ".join(f"`{name}` {share:g}" for name, share in opponents.items())


def _describe_strength(strength: dict[str, Any]) -> str:
    if not strength["measured"]:
        return "It was not measured."
    rows = ["| against | rules | games | measure | | 95 % interval |", "|---|---|---|---|---|---|"]
    for entry in strength["measured"]:
        games, estimate = f"{entry['games']:,}", describe_estimate(entry)
        cells = (f"`{entry['against']}`", f"`{entry['rules']}`", games, entry["measure"], *estimate)
        rows.append("| " + " | ".join(cells) + " |")
    return f"Source: {strength['source']}.\n\n" + "\n".join(rows)


def _name_rules(fields: dict[str, Any]) -> str:
    """The name of a preset with these fields, if there is one."""
    rules = Rules.from_dict(fields)
    names = [name for name in PRESETS if Rules.preset(name) == rules]
    return f"`{names[0]}`" if names else "rules of its own"


def _list(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"
