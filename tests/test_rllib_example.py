"""Self-play with RLlib: the table, the league, and a run that is interrupted. Needs the extra."""

import json
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gin_env
from examples.ppo_single_file import EXTRAS
from examples.rllib.settings import (
    CHECKPOINTS,
    PROGRESS,
    SMOKE,
    WEIGHTS,
    Settings,
    find_checkpoint,
)
from gin_env.core.actions import KNOCK, N_ACTIONS, TAKE
from gin_env.envs.aec import AGENTS

pytest.importorskip("ray.rllib", reason="needs the extra rllib")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # RLlib warns of itself
    import ray
    import torch
    from ray.rllib.core.columns import Columns
    from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import (
        ActionMaskingTorchRLModule,
    )

    from examples import ppo_single_file
    from examples.rllib.league import MAIN, Draw, freeze, name_past, restore
    from examples.rllib.module import GinModule
    from examples.rllib.selfplay import (
        connect,
        count_decisions,
        main,
        make_config,
        write,
    )
    from examples.rllib.table import GinRummyTable

pytestmark = pytest.mark.filterwarnings("ignore")

TINY = Settings(**{**SMOKE, "hands": 0})


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """Leave the cores to the processes that play."""
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(n_threads)


def choose(mask: np.ndarray, rng: np.random.Generator) -> int:
    """Knock where that is legal, else take, else anything."""
    legal = np.flatnonzero(mask)
    knocks = [action for action in legal if KNOCK <= action < KNOCK + 52]
    return int(knocks[0] if knocks else TAKE if mask[TAKE] else rng.choice(legal))


def play_hand(table: GinRummyTable, seed: int) -> list[tuple[Any, ...]]:
    """What the steps of a hand returned; the first is the reset with no rewards."""
    rng = np.random.default_rng(seed)
    seen, _ = table.reset(seed=seed)
    steps: list[tuple[Any, ...]] = [(seen, {}, {"__all__": False})]
    while not steps[-1][2]["__all__"]:
        ((agent, observation),) = steps[-1][0].items()
        action = choose(observation["action_mask"], rng)
        steps.append((*table.step({agent: action}), agent, action))
    return steps


def test_table_is_the_aec_game() -> None:
    table = GinRummyTable({"rules": "home", "reward_scale": 0.5})
    env = gin_env.env("home", reward_scale=0.5, extras=EXTRAS)
    for seed in range(20):
        env.reset(seed=seed)
        for step in play_hand(table, seed):
            for *_, agent, action in [step] if len(step) > 3 else []:
                assert agent == env.agent_selection
                env.step(action)
            assert step[2]["__all__"] == all(env.terminations.values())
            for agent, observation in step[0].items():
                there = env.observe(agent)
                assert np.array_equal(observation["observations"], there["observation"])
                assert np.array_equal(observation["action_mask"], there["action_mask"])
                assert observation in table.observation_spaces[agent]
            assert all(reward == env.rewards[agent] for agent, reward in step[1].items())


def test_only_who_moves_is_asked_and_all_who_moved_are_paid() -> None:
    table, n_moved = GinRummyTable(), []
    for seed in (*range(40), 272):  # in the last one, a hand is over before both have moved
        steps = play_hand(table, seed)
        moved = {step[5] for step in steps[1:]}
        assert all(len(step[0]) == 1 for step in steps[:-1])
        assert all(set(one) == moved for one in steps[-1][:2])
        assert set(steps[-1][2]) == moved | {"__all__"}
        n_moved.append(len(moved))
    assert n_moved == 40 * [2] + [1]


def test_an_illegal_action_is_an_error() -> None:
    table = GinRummyTable()
    seen, _ = table.reset(seed=1)
    with pytest.raises(gin_env.IllegalActionError, match="knock As"):
        table.step({next(iter(seen)): KNOCK})


def test_lots_are_drawn_for_the_episode() -> None:
    draw, counted = Draw(n_past=3, self_share=0.4), Counter[tuple[str, ...]]()
    for number in range(6000):
        episode = SimpleNamespace(id_=f"{number:x}")
        modules = tuple(draw(agent, episode) for agent in AGENTS)
        assert modules == tuple(draw(agent, episode) for agent in AGENTS)
        counted[modules] += 1
    pasts = [name_past(number) for number in range(3)]
    assert set(counted) == {(MAIN, MAIN)} | {
        pair for past in pasts for pair in ((MAIN, past), (past, MAIN))
    }
    assert abs(counted.pop((MAIN, MAIN)) / 6000 - 0.4) < 0.03
    assert all(abs(count / 600 - 1) < 0.2 for count in counted.values())


def some_observations() -> dict[str, Any]:
    """A batch of observations as modules get them."""
    seen = [step[0] for seed in range(8) for step in play_hand(GinRummyTable(), seed)[:-1]]
    flat = [observation for one in seen for observation in one.values()]
    return {key: torch.from_numpy(np.stack([one[key] for one in flat])) for key in flat[0]}


def test_module_gives_no_probability_to_illegal_moves() -> None:
    table, seen = GinRummyTable(), some_observations()
    module = GinModule(
        observation_space=table.observation_spaces[AGENTS[0]],
        action_space=table.action_spaces[AGENTS[0]],
        model_config={"width": 16},
    )
    with torch.no_grad():
        module.network.logits.bias[:] = torch.linspace(-30, 30, N_ACTIONS)
    for forward in (module.forward_exploration, module.forward_inference, module.forward_train):
        out = forward({Columns.OBS: seen})
        probabilities = out[Columns.ACTION_DIST_INPUTS].softmax(dim=1)
        assert not probabilities[seen["action_mask"] == 0].any()
        assert torch.allclose(probabilities.sum(dim=1), torch.ones(len(probabilities)))
        found = module.compute_values({Columns.OBS: seen}, out[Columns.EMBEDDINGS])
        assert torch.equal(found, module.compute_values({Columns.OBS: seen}))


def test_the_module_of_rllib_takes_these_observations_too() -> None:
    table, seen = GinRummyTable(), some_observations()
    module = ActionMaskingTorchRLModule(
        observation_space=table.observation_spaces[AGENTS[0]],
        action_space=table.action_spaces[AGENTS[0]],
        model_config={"fcnet_hiddens": [16], "vf_share_layers": True},
    )
    masks = seen["action_mask"].clone()  # it takes the observations apart
    out = module.forward_inference({Columns.OBS: seen})
    actions = out[Columns.ACTION_DIST_INPUTS].argmax(dim=1, keepdim=True)
    assert masks.gather(1, actions).all()


def test_players_move_legally_and_each_gets_its_points() -> None:
    config = make_config(Settings(**{**vars(TINY), "env_runners": 0}))
    runner = MultiAgentEnvRunner(config=config)
    episodes = runner.sample(num_timesteps=1500)
    modules = set()
    for episode in episodes:
        returns = []
        for own in episode.agent_episodes.values():
            masks = own.get_observations()["action_mask"][: len(own)]
            assert np.take_along_axis(masks, own.get_actions()[:, None], axis=1).all()
            returns.append(own.get_return())
            modules.add(own.module_id)
        if episode.is_done and len(returns) == 2:
            assert sum(returns) == pytest.approx(0)
    assert modules == {MAIN, name_past(0), name_past(1)}
    assert any(episode.is_done for episode in episodes)
    runner.stop()


@pytest.fixture
def _cluster() -> Iterator[None]:
    connect(TINY)
    yield
    ray.shutdown()


def weights_everywhere(algorithm: Any) -> list[dict[str, np.ndarray]]:
    """Of each module, all weights in one array: of the learner, and of each process that plays."""
    kept = algorithm.learner_group.get_weights()
    played = algorithm.env_runner_group.foreach_env_runner(
        lambda runner: {name: runner.module[name].get_state() for name in runner.module.keys()}  # noqa: SIM118
    )
    return [
        {
            name: np.concatenate([np.asarray(one).ravel() for _, one in sorted(state.items())])
            for name, state in modules.items()
        }
        for modules in (kept, *played)
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("_cluster")
def test_a_past_self_stays_what_the_learner_was(tmp_path: Path) -> None:
    never = Settings(**{**vars(TINY), "gain": 1e9})
    algorithm = make_config(never).build_algo()
    algorithm.train()
    freeze(algorithm, name_past(1))
    before = weights_everywhere(algorithm)
    assert len(before) == 3  # the learner, a process that plays, and the one that only keeps
    for modules in before:
        assert np.array_equal(modules[name_past(1)], before[0][MAIN])
        assert not np.array_equal(modules[name_past(0)], before[0][MAIN])
    algorithm.train()
    after = weights_everywhere(algorithm)
    for was, now in zip(before, after, strict=True):
        for name in (name_past(0), name_past(1)):
            assert np.array_equal(was[name], now[name])
        assert not np.array_equal(was[MAIN], now[MAIN])
    algorithm.save_to_path(tmp_path)
    n_decisions = count_decisions(algorithm)
    algorithm.stop()
    restored = make_config(never).build_algo()
    restore(restored, tmp_path)
    for was, now in zip(after, weights_everywhere(restored), strict=True):
        assert all(np.array_equal(was[name], now[name]) for name in was)
    assert count_decisions(restored) == n_decisions
    restored.stop()


@pytest.mark.slow
def test_a_run_goes_on_where_it_stood(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    main(["--smoke", "--run", str(run)])
    decisions = int(find_checkpoint(run).name)
    (run / CHECKPOINTS / "99999.new").mkdir()  # as a kill in the middle of saving leaves
    with pytest.raises(SystemExit, match="2"):
        main(["--resume", "--run", str(run)])
    assert f"this run has its {decisions} --decisions" in capsys.readouterr().err
    main(["--resume", "--run", str(run), "--decisions", str(decisions + 1), "--env-runners", "2"])
    (kept,) = (run / CHECKPOINTS).iterdir()
    told = [json.loads(line) for line in (run / PROGRESS).read_text("utf-8").splitlines()]
    updates = [one for one in told if "frozen" in one]
    measured = [one for one in told if "against" in one]
    counts = [one["decisions"] for one in updates]
    assert counts == sorted(set(counts))
    assert counts[-2:] == [decisions, int(kept.name)]
    assert 1 <= updates[-2]["frozen"] <= updates[-1]["frozen"]
    assert [one["decisions"] for one in measured] == counts[-2:]
    options = ["--decisions=0", "--width=16", "--hands=20", f"--weights={run / WEIGHTS}"]
    ppo_single_file.main(options)
    assert f"medium: {measured[-1]['points']:+.2f} points/hand" in capsys.readouterr().out


def test_what_could_not_be_written_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "file"

    def fail(path: Path) -> None:
        path.write_text("half", encoding="utf-8")
        raise OSError("no room")

    write(file, lambda path: path.write_text("whole", encoding="utf-8"))
    with pytest.raises(OSError, match="no room"):
        write(file, fail)
    assert file.read_text(encoding="utf-8") == "whole"
