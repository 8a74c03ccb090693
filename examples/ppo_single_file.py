"""Masked PPO in one file, for people who want to change everything: games, learning, measuring.

Beside gin-env it needs PyTorch and nothing else. It reads from top to bottom: settings, network,
playing, learning, measuring.

    python examples/ppo_single_file.py
    python examples/ppo_single_file.py --opponent hard --seed 2 --weights runs/other.pt
    python examples/ppo_single_file.py --decisions 0    # only measure the weights of before

The first of these takes about two minutes of processor time on one thread, at up to 14,800
decisions/s. It ends at +4.5 (± 0.3) points per hand against ``easy`` and +0.7 (± 0.2) against
``medium``.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
import torch
from gymnasium.vector import AutoresetMode, VectorEnv
from torch import Tensor, nn

import gin_env  # noqa: F401  (registers the environment)
from eval.games.arena import Contest, join, play_contest
from eval.stats.estimates import Estimate, describe_hands
from gin_env.core.actions import DISCARD, DRAW, N_ACTIONS, TAKE
from gin_env.core.observe import obs_layout, obs_size
from gin_env.core.rules import Rules
from gin_env.players import resolve

EXTRAS = ("continuation", "danger")
"""The optional blocks of the observation that it learns from."""
PANEL = ("easy", "medium")
"""Whom the trained network plays in the end."""
HAND_POINTS = 30.0
"""What a hand is worth, about. Rewards are points over this, so that values are about 1."""
FORBIDDEN = -1e9
"""Logit of an illegal move. Not minus infinity: in the entropy, 0 times that would be no number."""


def setting(default: Any, meaning: str) -> Any:
    """One setting; the command line gets an option of its name and type."""
    return field(default=default, metadata={"help": meaning})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What may be changed from the command line."""

    seed: int = setting(1, "same settings, same seed: same weights")
    decisions: int = setting(2_000_000, "how many to learn from; 0: only measure the weights")
    opponent: str = setting("medium", "whom to learn against, as in docs/bots.md")
    weights: str = setting("runs/ppo_single_file.pt", "where the weights are kept")
    hands: int = setting(10_000, "hands against each of the panel in the end")
    threads: int = setting(1, "processor threads that torch uses")
    n_games: int = setting(256, "games played at the same time")
    n_steps: int = setting(64, "decisions per game between two updates")
    n_epochs: int = setting(2, "passes over the decisions of an update")
    batch_size: int = setting(4096, "decisions in a minibatch")
    width: int = setting(256, "units of the hidden layer")
    learning_rate: float = setting(2e-3, "Adam's step size at the start; it falls to 0 in a line")
    entropy_weight: float = setting(0.05, "at the start; it falls to 0 likewise")
    value_weight: float = setting(0.5, "weight of the value's loss")
    gamma: float = setting(1.0, "discount per decision: a hand is short, and only its end pays")
    gae_lambda: float = setting(0.95, "bias (0) or variance (1) of the advantages")
    clip_range: float = setting(0.2, "how far an update may shift a move's probability")
    max_grad_norm: float = setting(0.5, "longest gradient that is followed")


def read_settings(arguments: Sequence[str] | None = None) -> Settings:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description="Learn Gin Rummy with masked PPO.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    for one in fields(Settings):
        option, meaning = f"--{one.name.replace('_', '-')}", one.metadata["help"]
        parser.add_argument(option, type=type(one.default), default=one.default, help=meaning)
    return Settings(**vars(parser.parse_args(arguments)))


class Network(nn.Module):
    """Logits and a value from one hidden layer; the arithmetic of cards skips it.

    A small network does not learn exact deadwood, but the observation holds it, card by card. So
    the logits of discarding and knocking with a card also get this card's costs times factors that
    the hidden layer chooses for the state, and so does taking what it would save.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        at = {block.name: block.slice for block in obs_layout(EXTRAS)}
        self.costs_at = [at[name] for name in ("deadwood_after", *EXTRAS)]
        self.deadwood_at = at["deadwood"]
        self.trunk = nn.Sequential(nn.Linear(obs_size(EXTRAS), width), nn.ReLU())
        self.logits, self.value = nn.Linear(width, N_ACTIONS), nn.Linear(width, 1)
        self.factors = nn.Linear(width, 2 * (len(self.costs_at) + 1))
        self.saving_factor = nn.Linear(width, 1)
        for layer in (self.logits, self.factors, self.saving_factor):  # at first all are likely
            nn.init.orthogonal_(layer.weight, 0.01)
            nn.init.zeros_(layer.bias)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Logits, shape [B, 108], and values, shape [B], of observations, shape [B, N]."""
        hidden = self.trunk(observations)
        blocks = torch.stack([observations[:, block] for block in self.costs_at], dim=1)
        least = blocks.amin(dim=2, keepdim=True)
        costs = 10 * (blocks - least)  # over those of the best card, in tens of points
        costs = torch.cat([costs, torch.ones_like(costs[:, :1])], dim=1)  # 1: knocking at all
        factors = self.factors(hidden).unflatten(1, (2, -1))
        by_card = torch.einsum("bvk,bkc->bvc", factors, costs)  # two verbs, to discard and to knock
        saved = 10 * (observations[:, self.deadwood_at] - least[:, 0])
        logits = self.logits(hidden)
        logits[:, DISCARD:DRAW] -= by_card.flatten(1)
        logits[:, TAKE] += (self.saving_factor(hidden) * saved).squeeze(1)
        return logits, self.value(hidden).squeeze(1)


def masked_log_probabilities(logits: Tensor, masks: Tensor) -> Tensor:
    """Of every action; illegal ones get no probability. Shapes [B, 108]; at least one is legal."""
    return logits.masked_fill(masks == 0, FORBIDDEN).log_softmax(dim=1)


def make_games(settings: Settings) -> VectorEnv[Any, Any, Any]:
    """The games to learn from, all of them stepped in one call."""
    return gym.make_vec(
        "gin_env/GinRummy-v0",
        num_envs=settings.n_games,
        opponent=settings.opponent,
        extras=EXTRAS,
        reward_scale=1 / HAND_POINTS,
        autoreset_mode=AutoresetMode.SAME_STEP,
        copy=False,
    )


class Batch(NamedTuple):
    """Decisions to learn from. Tensors over the same D decisions."""

    observations: Tensor
    masks: Tensor
    actions: Tensor
    log_probabilities: Tensor
    """Of the actions, as they were drawn."""
    advantages: Tensor
    returns: Tensor
    """What the values ought to be."""


class Rollout:
    """What T steps of B games brought; kept as NumPy arrays, which torch shares.

    Of observations, masks and values there is one row more: the decisions that come next.
    """

    def __init__(self, n_steps: int, n_games: int) -> None:
        self.observations = np.zeros((n_steps + 1, n_games, obs_size(EXTRAS)), np.float32)
        self.masks = np.zeros((n_steps + 1, n_games, N_ACTIONS), np.int8)
        self.values = np.zeros((n_steps + 1, n_games), np.float32)
        self.actions = np.zeros((n_steps, n_games), np.int64)
        self.log_probabilities = np.zeros((n_steps, n_games), np.float32)
        self.rewards = np.zeros((n_steps, n_games), np.float32)
        self.is_over = np.zeros((n_steps, n_games), bool)

    def __len__(self) -> int:
        """How many steps."""
        return len(self.actions)

    def see(self, step: int, observations: np.ndarray, masks: np.ndarray) -> None:
        """Copy what is to be decided at a step: the environment overwrites its arrays."""
        self.observations[step], self.masks[step] = observations, masks

    @torch.no_grad()
    def play(self, envs: VectorEnv[Any, Any, Any], network: Network) -> None:
        """Draw a move in every game, T times. Row 0 has been seen."""
        for step in range(len(self)):
            logits, values = network(torch.from_numpy(self.observations[step]))
            masks = torch.from_numpy(self.masks[step])
            log_probabilities = masked_log_probabilities(logits, masks)
            actions = torch.multinomial(log_probabilities.exp(), 1)
            self.actions[step] = actions.squeeze(1).numpy()
            self.log_probabilities[step] = log_probabilities.gather(1, actions).squeeze(1).numpy()
            self.values[step] = values.numpy()
            # Where a hand ends, the next one is dealt in the same step: the observations are then
            # the new hand's, the reward and is_over the old one's.
            seen, self.rewards[step], self.is_over[step], _, infos = envs.step(self.actions[step])
            self.see(step + 1, seen, infos["action_mask"])
        self.values[-1] = network(torch.from_numpy(self.observations[-1]))[1].numpy()

    def to_batch(self, gamma: float, gae_lambda: float) -> Batch:
        """All of its decisions, with generalised advantages.

        Nothing comes after the end of a hand: the next row's value and advantage are another
        hand's. Hands are never cut short, so no last observation has a value to add.
        """
        advantages = np.zeros_like(self.rewards)
        to_come = np.zeros_like(self.rewards[0])
        for step in reversed(range(len(self))):
            going_on = gamma * ~self.is_over[step]
            surprise = self.rewards[step] + going_on * self.values[step + 1] - self.values[step]
            to_come = surprise + gae_lambda * going_on * to_come
            advantages[step] = to_come
        by_step = (
            self.observations[:-1],
            self.masks[:-1],
            self.actions,
            self.log_probabilities,
            advantages,
            advantages + self.values[:-1],
        )
        return Batch(*(torch.from_numpy(array).flatten(0, 1) for array in by_step))


def improve(
    network: Network,
    optimizer: torch.optim.Optimizer,
    batch: Batch,
    settings: Settings,
    entropy_weight: float,
) -> tuple[float, float]:
    """Learn from a batch. Returns the mean entropy and KL of the last pass over it."""
    advantages = (batch.advantages - batch.advantages.mean()) / (batch.advantages.std() + 1e-8)
    batch = batch._replace(advantages=advantages)
    entropies, kls = list[float](), list[float]()
    for _ in range(settings.n_epochs):
        entropies.clear()
        kls.clear()
        order = torch.randperm(len(batch.actions))
        for first in range(0, len(order), settings.batch_size):
            chosen = order[first : first + settings.batch_size]
            part = Batch(*(whole[chosen] for whole in batch))
            logits, values = network(part.observations)
            log_probabilities = masked_log_probabilities(logits, part.masks)
            entropy = -(log_probabilities.exp() * log_probabilities).sum(dim=1).mean()
            taken = log_probabilities.gather(1, part.actions[:, None]).squeeze(1)
            log_ratio = taken - part.log_probabilities
            ratio = log_ratio.exp()
            clipped = ratio.clamp(1 - settings.clip_range, 1 + settings.clip_range)
            gain = torch.minimum(ratio * part.advantages, clipped * part.advantages).mean()
            value_loss = (values - part.returns).square().mean()
            loss = settings.value_weight * value_loss - gain - entropy_weight * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), settings.max_grad_norm)
            optimizer.step()
            entropies.append(entropy.item())
            kls.append((ratio - 1 - log_ratio).mean().item())
    return float(np.mean(entropies)), float(np.mean(kls))


class Progress(NamedTuple):
    """How one update went.

    Attributes:
        decisions: How many so far.
        speed: Decisions/s, of playing and learning together.
        points: Points per hand against the opponent, moves drawn; not a number if no hand ended.
        entropy: Of the policy, in nats.
        kl: How far the last pass found the policy from the one that played.
        explained: Share of the returns' variance that the values explain.
    """

    decisions: int
    speed: float
    points: float
    entropy: float
    kl: float
    explained: float

    def __str__(self) -> str:
        return (
            f"{self.decisions:>10,} decisions {self.speed:>7,.0f}/s   "
            f"{self.points:+6.2f} points/hand   entropy {self.entropy:.3f}   "
            f"KL {self.kl:.4f}   explained {self.explained:+.2f}"
        )


def learn(settings: Settings) -> tuple[Network, list[Progress]]:
    """Learn from games against the opponent; each update prints a line."""
    torch.manual_seed(settings.seed)
    network = Network(settings.width)
    optimizer = torch.optim.Adam(network.parameters(), eps=1e-5)
    envs = make_games(settings)
    rollout = Rollout(settings.n_steps, settings.n_games)
    seen, infos = envs.reset(seed=settings.seed * settings.n_games)  # no two seeds share a game
    rollout.see(0, seen, infos["action_mask"])
    per_update = settings.n_steps * settings.n_games
    n_updates = -(-settings.decisions // per_update)
    history: list[Progress] = []
    for update in range(n_updates):
        start = time.perf_counter()
        left = 1 - update / n_updates
        optimizer.param_groups[0]["lr"] = settings.learning_rate * left
        rollout.play(envs, network)
        batch = rollout.to_batch(settings.gamma, settings.gae_lambda)
        entropy, kl = improve(network, optimizer, batch, settings, settings.entropy_weight * left)
        n_hands = int(rollout.is_over.sum())
        points = float(rollout.rewards.sum()) * HAND_POINTS
        rollout.see(0, rollout.observations[-1], rollout.masks[-1])
        history.append(
            Progress(
                decisions=(update + 1) * per_update,
                speed=per_update / (time.perf_counter() - start),
                points=points / n_hands if n_hands else float("nan"),
                entropy=entropy,
                kl=kl,
                explained=1 - (batch.advantages.var() / batch.returns.var()).item(),
            )
        )
        print(history[-1], flush=True)
    envs.close()
    return network, history


class Likeliest:
    """The trained network as a player that `gin_env.players.resolve` takes.

    Attributes:
        extras: The optional blocks of the observation that it needs.
    """

    extras = EXTRAS

    def __init__(self, network: Network) -> None:
        self.network = network

    @torch.no_grad()
    def act_batch(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """The likeliest move of each of K games. Shapes [K, N], [K, 108]; returns [K], int64."""
        logits, _ = self.network(torch.from_numpy(observations))
        return masked_log_probabilities(logits, torch.from_numpy(masks)).argmax(dim=1).numpy()


def measure(network: Network, opponent: str, n_hands: int) -> Estimate:
    """Points per hand, each deal played twice with the seats exchanged, less the luck of draws."""
    contest = Contest(rules=Rules(), n_deals=(n_hands + 1) // 2)
    players = resolve(Likeliest(network)), resolve(opponent)
    described = describe_hands(join(list(play_contest(players, contest))).hands)
    return described.adjusted.estimate if described.adjusted else described.points


def main(arguments: Sequence[str] | None = None) -> None:
    """Learn, keep the weights, and measure what was kept."""
    settings = read_settings(arguments)
    torch.set_num_threads(settings.threads)
    file = Path(settings.weights)
    if settings.decisions > 0:
        file.parent.mkdir(parents=True, exist_ok=True)
        torch.save(learn(settings)[0].state_dict(), file)
    network = Network(settings.width)
    network.load_state_dict(torch.load(file, weights_only=True))
    for opponent in PANEL if settings.hands else ():
        points, low, high = measure(network, opponent, settings.hands)
        print(f"{opponent:>8}: {points:+.2f} points/hand, 95 % from {low:+.2f} to {high:+.2f}")


if __name__ == "__main__":
    main()
