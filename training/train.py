"""One training run, from its config to the model: read it from top to bottom."""

import platform
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from types import FrameType
from typing import Any, NamedTuple

import torch
from rich.console import Console
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import CallbackList
from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat
from stable_baselines3.common.utils import LinearSchedule

import gin_env
from gin_env.core.rules import to_rules
from gin_env.players import NetPlayer
from gin_env.support.provenance import find_commit
from gin_env.table.bot_rows import DRAWN
from training.config.run_config import Config
from training.env.league import League
from training.env.vec_env import TableVecEnv
from training.errors import ConfigError
from training.export.weights import actor_network
from training.policy import ACTIVATION_LAYERS, Actor, GinPolicy
from training.run.callbacks import (
    FINISHED,
    Alarm,
    Annealing,
    Bar,
    PastSelves,
    Saver,
    Stopped,
    Stopper,
)
from training.run.checkpoint import Checkpoint, Portions, is_whole, load_checkpoint
from training.run.evaluation_callback import Panel
from training.run.folder import TENSORBOARD, Run, config_hash
from training.stages.imitation import HELD_OUT, Teacher, get_clone, learn, measure
from training.stages.playouts import Playouts, get_playouts, learn_from_trials

PACKAGES = ("numpy", "numba", "torch", "stable-baselines3", "sb3-contrib", "gymnasium")
"""The packages whose versions a run notes down."""


class Watch(NamedTuple):
    """What is done between two portions of the stages before PPO."""

    saver: Saver
    bar: Bar
    stopper: Stopper
    panel: Panel


def train(run: Run, console: Console) -> str:
    """Train, from the last good checkpoint where there is one, and save.

    An interrupt (Ctrl-C or a termination signal) ends it after the update under way, and saves; a
    second one ends it at once, and leaves the last checkpoint.

    Args:
        run: Its folder.
        console: Where progress is shown.

    Returns:
        How it ended: `FINISHED`, `INTERRUPTED` or `OUT_OF_TIME`.
    """
    config = run.config
    agents = run.agents()
    torch.set_num_threads(config.threads)
    model, portions, seconds = _last_checkpoint(run, console) or Checkpoint(
        make_model(config, agents), Portions(), 0.0
    )
    env: TableVecEnv = model.get_env()  # type: ignore[assignment]
    env.league.bind(Actor(model.policy, is_frozen=False))  # type: ignore[arg-type]
    log = TensorBoardOutputFormat(str(run.path / TENSORBOARD))
    model.set_logger(Logger(str(run.path), [log]))
    run.write_facts(status="running", finished=None)

    saver, past_selves = Saver(run, portions, seconds), PastSelves(config, env)
    panel, bar = Panel(run, agents, env, saver, console), Bar(console)
    status = FINISHED
    with bar, _interrupts() as is_asked:
        stopper = Stopper(config, saver, is_asked)
        before = [Annealing(config, env), past_selves, saver, Alarm(run, console)]
        callbacks = CallbackList([*before, panel, bar, stopper])
        callbacks.init_callback(model)
        watch = Watch(saver, bar, stopper, panel)
        try:
            if config.clone is not None and model.num_timesteps == 0:
                _clone(model, run, watch)
                panel.measure()
            if config.playouts is not None and model.num_timesteps == 0:
                _learn_from_playouts(model, config, watch)
                panel.measure()
            past_selves.add_first()
            n_left = config.n_decisions - model.num_timesteps
            if config.n_decisions > 0:
                bar.begin("ppo", config.n_decisions, model.num_timesteps)
            if n_left > 0:
                model.learn(n_left, callbacks, reset_num_timesteps=False)
        except Stopped as reason:
            status = str(reason)

    saver.save()
    scores = panel.measure()
    run.write_facts(status=status, finished=now(), panel=scores["points"])
    model.logger.close()
    return status


def _clone(model: MaskablePPO, run: Run, watch: Watch) -> None:
    """Learn what is left of the teacher's lessons."""
    saver, bar, stopper, _ = watch
    config, plan = run.config, get_clone(run.config)
    if saver.portions.clone == plan.n_portions:
        return
    teacher = Teacher(config)
    bar.begin("clone", plan.n_portions * plan.portion, saver.n_lessons)
    for portion in range(saver.portions.clone, plan.n_portions):
        stopper.check()
        policy_loss, value_loss = learn(model, config, teacher.teach(portion), portion)
        saver.portions = Portions(clone=portion + 1)
        model.logger.record("clone/policy_loss", policy_loss)
        model.logger.record("clone/value_loss", value_loss)
        model.logger.dump(saver.n_lessons)
        bar.show(saver.n_lessons)
        saver.save_if_due()
    held_out = measure(model, config, teacher.teach(HELD_OUT))._asdict()
    for name, value in held_out.items():
        model.logger.record(f"clone/{name}", value)
    model.logger.dump(saver.n_lessons)
    run.write_facts(clone={name: round(value, 4) for name, value in held_out.items()})
    saver.save()


def _learn_from_playouts(model: MaskablePPO, config: Config, watch: Watch) -> None:
    """Learn from what is left of the playouts."""
    saver, bar, stopper, panel = watch
    plan = get_playouts(config)
    playouts, policy = Playouts(config), model.policy
    n_before = saver.n_lessons - saver.portions.playouts * plan.portion
    bar.begin("playouts", plan.n_portions * plan.portion, saver.n_lessons - n_before)
    for portion in range(saver.portions.playouts, plan.n_portions):
        stopper.check()
        trials = playouts.play(portion, actor_network(policy).weights)  # type: ignore[arg-type]
        for name, value in learn_from_trials(model, config, trials, portion).items():
            model.logger.record(f"playouts/{name}", value)
        saver.portions = saver.portions._replace(playouts=portion + 1)
        model.logger.dump(saver.n_lessons)
        bar.show(saver.n_lessons - n_before)
        saver.save_if_due()
        panel.measure_if_due()
    saver.save()


def make_env(config: Config, agents: Mapping[str, NetPlayer] | None = None) -> TableVecEnv:
    """The games to learn from; ``agents`` are those among the opponents, by name."""
    game = config.game
    env = TableVecEnv(
        game.n_games,
        game.rules,
        opponents=game.opponents,
        seat=DRAWN if game.seat == "lot" else int(game.seat),
        episode=game.episode,
        extras=game.extras,
        reward_scale=game.reward_scale,
        privileged=config.network.privileged,
        gamma=config.ppo.gamma,
        league=League(config.league, config.seed),
        agents=agents,
        num_threads=config.threads,
    )
    if config.shaping is not None:
        env.shaping_weight = config.shaping.weight
    return env


def make_model(config: Config, agents: Mapping[str, NetPlayer] | None = None) -> MaskablePPO:
    """A new model, which has not learned anything, and its games as `make_env` makes them."""
    ppo, network = config.ppo, config.network
    return MaskablePPO(
        GinPolicy,
        make_env(config, agents),
        learning_rate=LinearSchedule(ppo.learning_rate, ppo.learning_rate_end, 1.0),
        n_steps=ppo.n_steps,
        batch_size=ppo.batch_size,
        n_epochs=ppo.n_epochs,
        gamma=ppo.gamma,
        gae_lambda=ppo.gae_lambda,
        clip_range=ppo.clip_range,
        ent_coef=ppo.ent_coef,
        vf_coef=ppo.vf_coef,
        max_grad_norm=ppo.max_grad_norm,
        target_kl=ppo.target_kl,
        policy_kwargs={
            "net_arch": list(network.widths),
            "activation_fn": ACTIVATION_LAYERS[network.activation],
            "extras": config.game.extras,
            "skip": network.skip,
            "value_widths": network.value_widths,
            "privileged": network.privileged,
        },
        seed=config.seed,
        device=config.device,
    )


def describe_run(config: Config) -> dict[str, Any]:
    """What ``run.json`` holds of a run that begins now."""
    return {
        "seed": config.seed,
        "config_hash": config_hash(config),
        "rules": to_rules(config.game.rules).to_dict(),
        "episode": config.game.episode,
        "extras": list(config.game.extras),
        "lessons": 0,
        "decisions": 0,
        "seconds": 0.0,
        "status": "running",
        "started": now(),
        "finished": None,
        "git_commit": find_commit(40),
        "versions": {
            "python": platform.python_version(),
            "gin_env": gin_env.__version__,
            **{package: version(package) for package in PACKAGES},
        },
    }


def check_device(config: Config) -> None:
    """Check that torch can compute where it is to.

    Raises:
        ConfigError: If it cannot.
    """
    if config.device == "cuda" and not torch.cuda.is_available():
        raise ConfigError("device is cuda, but this torch finds no GPU; allowed here: cpu, auto")


def _last_checkpoint(run: Run, console: Console) -> Checkpoint | None:
    """The newest checkpoint that is whole."""
    for file in run.checkpoints():
        if is_whole(file):
            return load_checkpoint(file, run.config.device)
        console.print(f"{file} is damaged; going back to the one before it", soft_wrap=True)
        file.unlink()  # or it would pass for the newest for ever
    return None


@contextmanager
def _interrupts() -> Iterator[threading.Event]:
    """Let the first interrupt set an event; whoever sends another one is not kept waiting."""
    is_asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield is_asked  # only the main thread may handle signals
        return
    signals = (signal.SIGINT, signal.SIGTERM)
    before = {one: signal.getsignal(one) for one in signals}

    def ask(number: int, _frame: FrameType | None) -> None:
        is_asked.set()
        signal.signal(number, before[signal.Signals(number)])

    for one in signals:
        signal.signal(one, ask)
    try:
        yield is_asked
    finally:
        for one in signals:
            signal.signal(one, before[one])


def now() -> str:
    """The time in UTC, as run.json has it."""
    return datetime.now(UTC).isoformat(timespec="seconds")
