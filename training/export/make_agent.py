"""Make an agent's files from a trained model, and check them against it."""

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
import torch
import yaml
from sb3_contrib import MaskablePPO

from gin_env.agents import Network, dump_agent
from gin_env.agents.file import parse_agent
from gin_env.agents.metadata import make_metadata
from gin_env.core.rules import Rules, to_rules
from gin_env.errors import PlayerError
from gin_env.players import ModelPlayer, load_agent
from training.errors import RunError
from training.export.model_card import write_model_card
from training.export.onnx_graph import check_installed, make_graph, run_graph
from training.export.strength import from_reports, from_training
from training.export.weights import actor_arrays, actor_network
from training.policy import Actor, GinPolicy
from training.run.folder import BEST_FILE, Run, config_hash

TOLERANCE = 1e-4
"""How much logits may differ between libraries, relative to their size where that is above 1."""

N_GAMES, N_STEPS = 64, 16
"""Games, and decisions in each, on which they are compared."""


class ExportedAgent(NamedTuple):
    """The contents of an agent's files."""

    npz: bytes
    json: bytes
    onnx: bytes
    model_card: bytes


def make_agent(
    run: Run, file: Path, name: str, reports: Sequence[str] = (), before: Path | None = None
) -> ExportedAgent:
    """Make the files of an agent.

    Args:
        run: The run.
        file: The model in it, a Stable-Baselines3 zip.
        name: What the agent is called.
        reports: JSON files of ``python -m eval`` in which it plays, for its strength; without any,
            that is taken from the evaluations of the run.
        before: The npz of an earlier export, which may be the one that plays in the reports.

    Raises:
        RunError: If `training` did not make the model, a library is missing, the agent is in
            none of the reports, or what was made does not play as the model does.
        RunError: If the run cannot be read, or its config was changed since.
        PlayerError: If the model cannot be loaded, or is too large for an agent's file.
    """
    check_installed()
    run.check_config()
    model = _load(file)
    policy: GinPolicy = model.policy  # type: ignore[assignment]
    network, actor = actor_network(policy), Actor(policy, is_frozen=True)
    rules = to_rules(run.config.game.rules)
    observations, masks = play(network, rules)
    graph = make_graph(actor, policy.mlp_extractor.n_seen)
    with torch.no_grad():
        expected = actor(torch.as_tensor(observations)).numpy()
    check_same("the agent", network.logits(observations), expected, masks)
    check_same("the ONNX graph", run_graph(graph, observations), expected, masks)

    digest = sha256(file.read_bytes()).hexdigest()
    if reports:
        hashes = {digest: str(file), **_find_same(before, network, observations)}
        strength = from_reports(reports, hashes)
    else:
        strength = from_training(run, model.num_timesteps, is_best=file.name == BEST_FILE)
    training = _describe_training(run, model.num_timesteps, file.name, digest)
    metadata = make_metadata(name, network.spec, rules, training, strength)
    return ExportedAgent(
        npz=dump_agent(metadata, actor_arrays(policy)),
        json=(json.dumps(metadata, indent=2) + "\n").encode(),
        onnx=graph,
        model_card=write_model_card(metadata).encode(),
    )


def play(network: Network, rules: Rules) -> tuple[np.ndarray, np.ndarray]:
    """Let a network play some games.

    Returns:
        Observations, shape [B, N], float32, and masks, shape [B, 108], int8.
    """
    envs = gym.make_vec(
        "gin_env/GinRummy-v0",
        num_envs=N_GAMES,
        opponent="medium",
        rules=rules,
        extras=network.spec.extras,
        autoreset_mode="SameStep",
    )
    observation, info = envs.reset(seed=1)
    decisions = []
    for _ in range(N_STEPS):
        mask = info["action_mask"]
        decisions.append((observation, mask))
        observation, _, _, _, info = envs.step(network.choose(observation, mask))
    envs.close()
    observations, masks = zip(*decisions, strict=True)
    return np.concatenate(observations), np.concatenate(masks)


def check_same(what: str, logits: np.ndarray, expected: np.ndarray, masks: np.ndarray) -> None:
    """Check that logits are those of the model, and choose the same legal moves.

    Args:
        what: Whose logits these are, for the message.
        logits: Shape [B, 108].
        expected: The model's, shape [B, 108].
        masks: Shape [B, 108].

    Raises:
        RunError: If they are not.
    """
    apart = float((np.abs(logits - expected) / np.maximum(1.0, np.abs(expected))).max())
    moves, model_moves = (np.where(masks, x, -np.inf).argmax(axis=1) for x in (logits, expected))
    n_others = int((moves != model_moves).sum())
    if not apart <= TOLERANCE or n_others:
        raise RunError(
            f"{what} does not play as the model does: its logits differ by up to {apart:.2g}, and "
            f"it chooses another move at {n_others} of {len(masks)} decisions"
        )


def _load(file: Path) -> MaskablePPO:
    """Load the model, and check that an agent can be made of it."""
    player = load_agent(file)
    model: MaskablePPO | None = player.model if isinstance(player, ModelPlayer) else None
    if model is None or not isinstance(model.policy, GinPolicy) or model.policy.privileged:
        raise RunError(
            f"{str(file)!r} cannot be exported: that takes a model.zip or best.zip, as "
            "`python -m training` writes them"
        )
    return model


def _find_same(before: Path | None, network: Network, observations: np.ndarray) -> dict[str, str]:
    """The hash and name of an earlier export if it plays the same policy, else nothing."""
    if before is None:
        return {}
    content = before.read_bytes()
    try:
        earlier = parse_agent(content).network
        is_same = np.array_equal(earlier.logits(observations), network.logits(observations))
    except PlayerError:  # an agent of another version, or none at all
        return {}
    return {sha256(content).hexdigest(): str(before)} if is_same else {}


def _describe_training(run: Run, n_decisions: int, model: str, digest: str) -> dict[str, Any]:
    """How the model was trained, from the run's config and facts."""
    facts = run.facts()
    return {
        "model": model,
        "model_sha256": digest,
        "decisions": n_decisions,
        "run_lessons": facts.get("lessons"),
        "run_decisions": facts.get("decisions"),
        "agents": facts.get("agents", {}),
        "config": yaml.safe_load(run.config.to_yaml()),
        "config_hash": config_hash(run.config),
        "commit": facts.get("git_commit"),
        **{key: facts.get(key) for key in ("started", "finished", "status", "seconds", "versions")},
    }
