"""MODEL_CARD.md: what an agent is, for people who have never heard of it."""

from typing import Any

from gin_env.core.rules import PRESETS, Rules
from training.export.strength import describe_estimate

_CARD = """\
# {name}

A policy for two-player Gin Rummy, made with gin-env {version}: from what one seat may know, it says
which move is likeliest to be the best. It was trained, not programmed.

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
- Actions: {actions}; whoever asks it masks the illegal ones.
- Network: layers of {widths} units ({activation}); past them, to the logits, go: {blocks}.

## How it was trained

- Rules: {rules}; an episode is a {episode}.
{stages}- Seed {seed}, config hash `{config_hash:.12}`, commit `{commit}`, finished {finished}.
- The whole config, the rules field by field and all versions are in `{name}.json`.

## How strong it is

{strength}

## Limits

- It was trained at one table ({rules}). At others it plays legal moves; how well was not measured.
- It always plays its likeliest move, so whoever knows it can foresee it.
- It remembers nothing but what the observation holds, and does not adapt to its opponent.
- The figures are against these opponents. Gin Rummy is not transitive: they say little of others,
  and nothing of people.
"""

_CLONE = "- It learned to do as `{teacher}` does, from {decisions:,} of its decisions."
_PLAYOUTS = (
    "- It learned what its candidates bring, from playouts at {decisions:,} of its own decisions. "
    "{worlds}Met as opponents, how often: {met}."
)
_WORLDS = "Against `hard` these were made in {worlds} drawn worlds each. "
_PPO = "- It learned by masked PPO on {decisions:,} decisions. Met as opponents, how often: {met}."


def write_model_card(card: dict[str, Any]) -> str:
    """The model card of an agent, in Markdown, out of its card in JSON."""
    observation, network, training = card["observation"], card["network"], card["training"]
    config, versions = training["config"], training["versions"] or {}
    return _CARD.format(
        name=card["name"],
        version=versions.get("gin_env", "of unknown version"),
        size=observation["size"],
        environment=observation["environment"],
        extras=_list(observation["extras"]),
        actions=card["actions"],
        widths=" and ".join(map(str, network["widths"])),
        activation=network["activation"],
        blocks=_list(network["blocks"]),
        rules=_name_rules(card["rules"]),
        episode=config["game"]["episode"],
        stages=_describe_stages(config, training["decisions"]),
        seed=config["seed"],
        config_hash=training["config_hash"],
        commit=training["commit"] or "unknown",
        finished=training["finished"] or "not yet",
        strength=_describe_strength(card["strength"]),
    )


def _describe_stages(config: dict[str, Any], n_decisions: int) -> str:
    """What it learned from, a line for each stage of its training."""
    clone, playouts = config["clone"], config.get("playouts")
    lines = []
    if clone:
        lines.append(_CLONE.format(**clone))
    if playouts:
        lines.append(_describe_playouts(playouts))
    if n_decisions:
        met = _shares(config["game"]["opponents"])
        lines.append(_PPO.format(decisions=n_decisions, met=met))
    return "\n".join(lines) + "\n"


def _describe_playouts(playouts: dict[str, Any]) -> str:
    n_worlds = playouts.get("worlds", 0)
    return _PLAYOUTS.format(
        decisions=playouts["decisions"],
        worlds=_WORLDS.format(worlds=n_worlds) if n_worlds else "",
        met=_shares(playouts["opponents"]),
    )


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
    """The preset that rules are, if they are one."""
    rules = Rules.from_dict(fields)
    names = [name for name in PRESETS if Rules.preset(name) == rules]
    return f"`{names[0]}`" if names else "rules of its own"


def _list(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"
