"""One training run, from its config to the model: read it from top to bottom."""

import platform
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
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
from training.config.run_config import Config, ImitationConfig, PlayoutsConfig
from training.env.league import League
from training.env.vec_env import TableVecEnv
from training.errors import ConfigError
from training.policy import ACTIVATION_LAYERS, Actor, GinPolicy
from training.run.callbacks import (
    FINISHED,
    Annealing,
    HealthCheck,
    PastSelves,
    ProgressBar,
    Saver,
    Stopped,
    Stopper,
)
from training.run.checkpoint import Checkpoint, ChunksDone, is_whole, load_checkpoint
from training.run.evaluation_callback import EvaluationCallback
from training.run.folder import TENSORBOARD, Run, config_hash
from training.stages.imitation import Imitation
from training.stages.playouts import Playouts

PACKAGES = ("numpy", "numba", "torch", "stable-baselines3", "sb3-contrib", "gymnasium")
"""The packages whose versions a run notes down."""


class BetweenChunks(NamedTuple):
    """What is done between two chunks of the stages before PPO, whose loops have no callbacks."""

    saver: Saver
    bar: ProgressBar
    stopper: Stopper
    evaluation: EvaluationCallback


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
    config, agents = run.config, run.agents()
    torch.set_num_threads(config.threads)
    model, done, seconds = _last_checkpoint(run, console) or Checkpoint(
        make_model(config, agents), ChunksDone(), 0.0
    )
    env: TableVecEnv = model.get_env()  # type: ignore[assignment]
    env.league.bind(Actor(model.policy, is_frozen=False))  # type: ignore[arg-type]
    model.set_logger(Logger(str(run.path), [TensorBoardOutputFormat(str(run.path / TENSORBOARD))]))
    run.write_facts(status="running", finished=None)

    saver = Saver(run, done, seconds)
    past_selves = PastSelves(config, env)
    evaluation = EvaluationCallback(run, agents, env, saver, console)
    status = FINISHED
    with ProgressBar(console) as bar, _interrupts() as is_asked:
        stopper = Stopper(config, saver, is_asked)
        annealing, health = Annealing(config, env), HealthCheck(run, console)
        callbacks = CallbackList([annealing, past_selves, saver, health, evaluation, bar, stopper])
        callbacks.init_callback(model)
        between = BetweenChunks(saver, bar, stopper, evaluation)
        try:
            if config.clone is not None and model.num_timesteps == 0:
                _imitate(model, run, config.clone, between)
                evaluation.evaluate()
            if config.playouts is not None and model.num_timesteps == 0:
                _learn_from_playouts(model, config, config.playouts, between)
                evaluation.evaluate()
            past_selves.add_first()
            n_left = config.n_decisions - model.num_timesteps
            if config.n_decisions > 0:
                bar.begin("ppo", config.n_decisions, model.num_timesteps)
            if n_left > 0:
                model.learn(n_left, callbacks, reset_num_timesteps=False)
        except Stopped as reason:
            status = str(reason)

    saver.save()
    scores = evaluation.evaluate()
    run.write_facts(status=status, finished=now(), panel=scores["points"])
    model.logger.close()
    return status


def _imitate(model: MaskablePPO, run: Run, plan: ImitationConfig, between: BetweenChunks) -> None:
    """Imitate the teacher in the chunks that are left, and measure how well that went."""
    saver, bar, stopper, _ = between
    if saver.done.imitation == plan.n_chunks:
        return
    stage = Imitation(run.config, plan)
    bar.begin("imitation", plan.n_chunks * plan.portion, saver.done.imitation * plan.portion)
    for chunk in range(saver.done.imitation, plan.n_chunks):
        stopper.check()
        losses = stage.learn(model, chunk)
        saver.done = ChunksDone(imitation=chunk + 1)
        _log(model, "clone", losses, saver.n_before_ppo)
        bar.show((chunk + 1) * plan.portion)
        saver.save_if_due()
    measured = stage.measure(model)
    _log(model, "clone", measured, saver.n_before_ppo)
    run.write_facts(clone={name: round(value, 4) for name, value in measured.items()})
    saver.save()


def _learn_from_playouts(
    model: MaskablePPO, config: Config, plan: PlayoutsConfig, between: BetweenChunks
) -> None:
    """Learn from playouts in the chunks that are left."""
    saver, bar, stopper, evaluation = between
    stage = Playouts(config, plan)
    bar.begin("playouts", plan.n_chunks * plan.portion, saver.done.playouts * plan.portion)
    for chunk in range(saver.done.playouts, plan.n_chunks):
        stopper.check()
        means = stage.learn(model, chunk)
        saver.done = saver.done._replace(playouts=chunk + 1)
        _log(model, "playouts", means, saver.n_before_ppo)
        bar.show((chunk + 1) * plan.portion)
        saver.save_if_due()
        evaluation.evaluate_if_due()
    saver.save()


def _log(model: MaskablePPO, stage: str, values: Mapping[str, float], n_decisions: int) -> None:
    for name, value in values.items():
        model.logger.record(f"{stage}/{name}", value)
    model.logger.dump(n_decisions)


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
    network = config.network
    ppo = asdict(config.ppo)  # its keys are those of MaskablePPO, but for what falls in a line
    rate, rate_end = ppo.pop("learning_rate"), ppo.pop("learning_rate_end")
    del ppo["ent_coef_end"]  # `Annealing` lets the weight of the entropy fall
    return MaskablePPO(
        GinPolicy,
        make_env(config, agents),
        learning_rate=LinearSchedule(rate, rate_end, 1.0),
        **ppo,
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
    """Let the first interrupt set an event; a second one acts as it did before."""
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
