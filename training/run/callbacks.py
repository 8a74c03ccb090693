"""What happens between updates: annealing, the league, checkpoints, warnings, the bar, the stop.

All of it happens as a rollout starts: only then is the last update done while the games wait for
their next decision, so that a checkpoint made there goes on exactly.
"""

import time
from math import isfinite
from threading import Event

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from gin_env.players import MODEL_FILE
from training.config.run_config import PAST, Config
from training.env.vec_env import TableVecEnv
from training.policy import Actor
from training.run.checkpoint import ChunksDone, dump_checkpoint, dump_model
from training.run.folder import Run

# How a run ends, in run.json.
FINISHED = "finished"
INTERRUPTED = "interrupted"
OUT_OF_TIME = "out of time"

# What an update may show without a warning.
LOW_ENTROPY = 0.01
"""Nats a decision, on average over all, those with a single legal move included."""
EARLY = 0.5
"""Share of the run in which the entropy should not be that low."""
HIGH_KL = 0.3
POOR_VALUE = -0.5
"""Explained variance; a value that is 0 everywhere explains 0."""
N_POOR_UPDATES = 3
"""So many updates in a row are poor before a warning; the first ones may be."""


class Stopped(Exception):  # noqa: N818  (nothing is wrong: it only unwinds the learning loop)
    """Learning stops before all its decisions are made; the message says why."""


class PPOCallback(BaseCallback):
    """A callback that has nothing to do at single steps."""

    model: MaskablePPO

    def _on_step(self) -> bool:
        return True


class Annealing(PPOCallback):
    """Let the weights of entropy and shaping fall in a line, which MaskablePPO does not do."""

    def __init__(self, config: Config, env: TableVecEnv) -> None:
        super().__init__()
        self._config, self._env = config, env

    def _on_rollout_start(self) -> None:
        done = min(self.model.num_timesteps / self._config.n_decisions, 1.0)
        start, end = self._config.ppo.ent_coef, self._config.ppo.ent_coef_end
        self.model.ent_coef = start + (end - start) * done
        shaping = self._config.shaping
        if shaping is not None:
            left = 1.0 - done / shaping.until if done < shaping.until else 0.0
            self._env.shaping_weight = shaping.weight * left


class PastSelves(PPOCallback):
    """Add the policy to the league's past selves every so often, if these are opponents."""

    def __init__(self, config: Config, env: TableVecEnv) -> None:
        super().__init__()
        self._every = config.league.every if PAST in config.game.opponents else None
        self._env = env

    def add_first(self) -> None:
        """Add the policy that PPO begins with, unless there is a past self already."""
        if self._every is not None and not self._env.league.past:
            self._add()

    def _on_rollout_start(self) -> None:
        if self._every is not None:
            latest = self._env.league.past[-1].n_decisions
            if self.model.num_timesteps // self._every > latest // self._every:
                self._add()

    def _add(self) -> None:
        actor = Actor(self.model.policy, is_frozen=True)  # type: ignore[arg-type]
        self._env.add_past_self(actor, self.model.num_timesteps)


class Saver(PPOCallback):
    """Write checkpoints, and the model as it stands, into the run folder.

    Attributes:
        done: How many chunks of the stages before PPO the model has learned from.
    """

    def __init__(self, run: Run, done: ChunksDone, seconds: float) -> None:
        super().__init__()
        self._run, self.done, self._seconds_before = run, done, seconds
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """Training time so far, in this session and those before it."""
        return self._seconds_before + time.monotonic() - self._started

    @property
    def n_decisions(self) -> int:
        """Decisions that were learned from in all stages."""
        return self.n_before_ppo + self.model.num_timesteps

    @property
    def n_before_ppo(self) -> int:
        """Those before PPO: the teacher's, and those with playouts."""
        config = self._run.config
        stages = zip((config.clone, config.playouts), self.done, strict=True)
        return sum(n_chunks * plan.portion for plan, n_chunks in stages if plan)

    def save(self) -> None:
        """Write a checkpoint now."""
        self._n_saved, seconds = self.n_decisions, self.seconds
        checkpoint = dump_checkpoint(self.model, self.done, seconds)
        self._run.write_checkpoint(self._n_saved, checkpoint)
        self._run.write(MODEL_FILE, dump_model(self.model))
        self._run.write_facts(
            lessons=self.n_before_ppo,
            decisions=self.model.num_timesteps,
            seconds=round(seconds, 1),
        )

    def save_if_due(self) -> None:
        """Write a checkpoint if a multiple of ``checkpoint_every`` was passed since the last."""
        every = self._run.config.checkpoint_every
        if self.n_decisions // every > self._n_saved // every:
            self.save()

    def _init_callback(self) -> None:
        self._n_saved = self.n_decisions

    def _on_rollout_start(self) -> None:
        self.save_if_due()


class HealthCheck(PPOCallback):
    """Warn, once of each kind, where an update shows that learning has gone wrong."""

    def __init__(self, run: Run, console: Console) -> None:
        super().__init__()
        self._run, self._console = run, console
        self._said: list[str] = list(run.facts().get("warnings", []))
        self._n_poor = 0

    def _on_rollout_start(self) -> None:
        logged = self.logger.name_to_value
        if "train/approx_kl" not in logged:  # before the first update
            return
        done = self.model.num_timesteps / self._run.config.n_decisions
        explained = logged["train/explained_variance"]
        self._n_poor = self._n_poor + 1 if explained < POOR_VALUE else 0
        found = {
            "its moves hardly vary any more (entropy): raise ppo.ent_coef": (
                -logged["train/entropy_loss"] < LOW_ENTROPY and done < EARLY
            ),
            "it changes too much at once (KL): lower ppo.learning_rate or ppo.n_epochs": (
                logged["train/approx_kl"] > HIGH_KL
            ),
            "its value predicts worse than a constant would: lower ppo.learning_rate": (
                self._n_poor >= N_POOR_UPDATES
            ),
            "the loss is not a number: go back to a checkpoint, lower ppo.learning_rate": (
                not isfinite(logged["train/loss"])
            ),
        }
        for what, is_so in found.items():
            if is_so and what not in self._said:
                self._said.append(what)
                n_decisions = self.model.num_timesteps
                self._console.print(f"warning at {n_decisions:,} decisions: {what}", soft_wrap=True)
                self._run.write_facts(warnings=self._said)


class ProgressBar(PPOCallback):
    """Show the progress of each stage; a context manager."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        columns = (
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TextColumn("{task.completed:,.0f}/{task.total:,.0f}"),
            _Rate(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("left"),
        )
        self._progress = Progress(*columns, console=console, speed_estimate_period=60.0)
        self._task: TaskID | None = None

    def __enter__(self) -> "ProgressBar":
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def begin(self, stage: str, n_decisions: int, n_done: int) -> None:
        """Begin a stage of so many decisions."""
        self._task = self._progress.add_task(stage, total=n_decisions, completed=n_done)

    def show(self, n_done: int) -> None:
        """Show how far the stage has come."""
        if self._task is not None:
            self._progress.update(self._task, completed=n_done)

    def _on_step(self) -> bool:
        self.show(self.model.num_timesteps)
        return True


class Stopper(PPOCallback):
    """Stop learning when asked to, or when the time is up."""

    def __init__(self, config: Config, saver: Saver, is_asked: Event) -> None:
        super().__init__()
        self._limit = float("inf") if config.minutes is None else 60 * config.minutes
        self._saver, self._is_asked = saver, is_asked

    def check(self) -> None:
        """Stop if it is time to.

        Raises:
            Stopped: Then; it says why.
        """
        if self._is_asked.is_set():
            raise Stopped(INTERRUPTED)
        if self._saver.seconds > self._limit:
            raise Stopped(OUT_OF_TIME)

    def _on_rollout_start(self) -> None:
        self.check()


class _Rate(ProgressColumn):
    """Decisions per second over the last minute."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed or 0:,.0f} decisions/s", style="cyan")
