"""The PPO in one file: what it draws is legal, what it keeps is true, and it learns."""

import re
import sys
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
import torch

from examples.ppo_single_file import (
    EXTRAS,
    HAND_POINTS,
    Network,
    Rollout,
    Settings,
    learn,
    main,
    make_games,
    masked_log_probabilities,
    measure,
    read_settings,
)
from gin_env.core.actions import DISCARD, DRAW, KNOCK, N_ACTIONS, TAKE
from gin_env.core.observe import obs_layout, obs_size

TINY = Settings(decisions=256, n_games=8, n_steps=16, batch_size=48, width=16, hands=20)
AT = {block.name: block.slice for block in obs_layout(EXTRAS)}


@pytest.fixture(autouse=True)
def _own_generator() -> object:
    """Leave torch's generator and threads as they were."""
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with torch.random.fork_rng(devices=[]):
        yield
    torch.set_num_threads(n_threads)


def play_some(settings: Settings, network: Network | None = None) -> Rollout:
    torch.manual_seed(settings.seed)
    envs = make_games(settings)
    rollout = Rollout(settings.n_steps, settings.n_games)
    seen, infos = envs.reset(seed=settings.seed)
    rollout.see(0, seen, infos["action_mask"])
    rollout.play(envs, network or Network(settings.width))
    return rollout


def test_illegal_moves_have_no_probability_and_no_gradient() -> None:
    logits = torch.full((3, N_ACTIONS), 50.0, requires_grad=True)
    masks = torch.zeros((3, N_ACTIONS), dtype=torch.int8)
    masks[0, :2] = masks[1, 5] = masks[2, DRAW : TAKE + 1] = 1
    log_probabilities = masked_log_probabilities(logits, masks)
    probabilities = log_probabilities.exp()
    expected = masks / masks.sum(dim=1, keepdim=True)
    assert torch.allclose(probabilities, expected)
    assert not probabilities[masks == 0].any()
    entropy = -(probabilities * log_probabilities).sum(dim=1)
    assert torch.allclose(entropy, torch.tensor([np.log(2), 0.0, np.log(2)], dtype=torch.float32))
    (gradient,) = torch.autograd.grad(entropy.sum() + log_probabilities[0, 0], logits)
    assert torch.isfinite(gradient).all()
    assert not gradient[masks == 0].any()


def test_a_network_that_wants_illegal_moves_draws_legal_ones() -> None:
    network = Network(TINY.width)
    with torch.no_grad():
        network.logits.bias[:] = torch.linspace(-30, 30, N_ACTIONS)  # big gin, most of all
    rollout = play_some(TINY, network)
    assert rollout.masks.any(axis=2).all()
    assert np.take_along_axis(rollout.masks[:-1], rollout.actions[..., None], 2).all()


def test_costs_reach_the_logits_of_their_cards() -> None:
    network = Network(4)
    for parameter in network.parameters():
        torch.nn.init.zeros_(parameter)
    with torch.no_grad():
        network.factors.bias[:] = torch.tensor([1.0, 0, 0, 0, 0, 2, 0, -3])  # discards, then knocks
        network.saving_factor.bias[:] = 1
    observation = torch.zeros((1, obs_size(EXTRAS)))
    observation[0, AT["deadwood_after"]] = torch.linspace(0.2, 0.71, 52)
    observation[0, AT["continuation"]] = torch.linspace(0.1, 0.61, 52)
    observation[0, AT["deadwood"]] = 0.3
    logits, _ = network(observation)
    over = torch.linspace(0, 5.1, 52)  # both blocks rise by a point from card to card
    assert torch.allclose(logits[0, DISCARD:KNOCK], -over, atol=1e-5)
    assert torch.allclose(logits[0, KNOCK:DRAW], 3 - 2 * over, atol=1e-5)
    assert torch.allclose(logits[0, DRAW:], torch.tensor([0.0, 1, 0, 0]), atol=1e-5)


def test_rollout_keeps_what_the_games_showed() -> None:
    """The environment overwrites its arrays; played again with copies, all is as kept."""
    rollout = play_some(TINY)
    envs = gym.make_vec(
        "gin_env/GinRummy-v0",
        num_envs=TINY.n_games,
        opponent=TINY.opponent,
        extras=EXTRAS,
        autoreset_mode="same_step",
    )
    seen, infos = envs.reset(seed=TINY.seed)
    for step, actions in enumerate(rollout.actions):
        assert np.array_equal(rollout.observations[step], seen)
        assert np.array_equal(rollout.masks[step], infos["action_mask"])
        seen, rewards, is_over, _, infos = envs.step(actions)
        assert np.allclose(rollout.rewards[step] * HAND_POINTS, rewards, atol=1e-4)
        assert np.array_equal(rollout.is_over[step], is_over)
    assert np.array_equal(rollout.observations[-1], seen)
    assert rollout.is_over.any()


def test_advantages_end_with_the_hand() -> None:
    """With gamma and lambda 1 a return is what the hand still pays, or else the last value."""
    rollout = play_some(TINY)
    rollout.values[:] = np.random.default_rng(1).normal(size=rollout.values.shape)
    returns = rollout.to_batch(1.0, 1.0).returns.reshape(rollout.rewards.shape).numpy()
    to_come = rollout.values[-1]
    for step in reversed(range(len(rollout))):
        to_come = rollout.rewards[step] + np.where(rollout.is_over[step], 0, to_come)
        assert np.allclose(returns[step], to_come, atol=1e-4)


def test_advantages_by_hand() -> None:
    """Worked: three steps of a game, the second of which ends a hand."""
    rollout = Rollout(3, 1)
    rollout.rewards[:, 0] = [0, 2, 0]
    rollout.values[:, 0] = [1, 0.5, 4, 8]
    rollout.is_over[1] = True
    batch = rollout.to_batch(gamma=0.5, gae_lambda=0.5)
    assert batch.advantages.tolist() == [0.25 - 1 + 0.25 * 1.5, 2 - 0.5, 0.5 * 8 - 4]
    assert batch.returns.tolist() == [1 - 0.375, 2, 4]


def test_same_seed_gives_the_same_weights() -> None:
    first, again, other = (
        learn(Settings(**{**vars(TINY), "seed": seed}))[0].state_dict() for seed in (1, 1, 2)
    )
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not any(torch.equal(first[name], other[name]) for name in first)


def test_weights_are_kept_and_measured_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "new" / "weights.pt"
    tiny = ["--n-games=8", "--n-steps=16", "--width=16", "--hands=20"]
    main([*tiny, "--decisions", "129", "--weights", str(file)])
    first = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in first] == ["128", "256", "easy:", "medium:"]
    main([*tiny, "--decisions", "0", "--weights", str(file)])
    assert capsys.readouterr().out.splitlines() == first[2:]
    weights = torch.load(file, weights_only=True)
    assert {type(one) for one in weights.values()} == {torch.Tensor}


def test_settings_come_from_the_command_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert read_settings([]) == Settings()
    settings = read_settings(["--learning-rate", "0.1", "--opponent", "hard:slack=3"])
    assert settings == Settings(learning_rate=0.1, opponent="hard:slack=3")
    monkeypatch.setattr(sys, "argv", ["ppo_single_file.py", "--help"])
    with pytest.raises(SystemExit, match="0"):
        main()
    assert re.search(r"--gae-lambda .*\(default:\s+0\.95\)", capsys.readouterr().out, re.DOTALL)


@pytest.mark.slow
def test_it_learns_to_beat_random_moves() -> None:
    settings = Settings(opponent="random", decisions=40_960, n_games=64, n_steps=32, batch_size=512)
    network, history = learn(settings)
    assert abs(history[1].points) < 12  # it draws at random, too
    assert history[-1].points > 25
    assert history[-1].entropy < history[0].entropy
    torch.manual_seed(1)
    assert measure(Network(settings.width), "easy", 200).high < measure(network, "easy", 200).low
