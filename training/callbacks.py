"""What happens between updates: annealing, checkpoints, the panel, the progress bar, the stop.

All of it happens as a rollout starts. There the model is whole, the last update is done, and the
games stand where the next decision is due: the one moment from which training goes on exactly.
"""

import time
from threading import Event

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from training.checkpoint import dump_checkpoint, dump_model
from training.config import Config
from training.panel import Score, play_panel
from training.run import Run


class Stopped(Exception):  # noqa: N818  (nothing is wrong: it only unwinds the learning loop)
    """Learning stops before its decisions are used up."""


class Every:
    """Says when a multiple of some decisions has been passed."""

    def __init__(self, every: int, n_decisions: int) -> None:
        self._every = every
        self._last = n_decisions // every

    def is_due(self, n_decisions: int) -> bool:
        """Whether one has been passed since the last question."""
        before, self._last = self._last, n_decisions // self._every
        return self._last > before


class PPOCallback(BaseCallback):
    """A callback that has nothing to do at single steps."""

    model: MaskablePPO

    def _on_step(self) -> bool:
        return True


class EntropyDecay(PPOCallback):
    """Let the weight of the entropy fall in a line, which MaskablePPO does not do by itself."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self._config = config

    def _on_rollout_start(self) -> None:
        done = min(self.model.num_timesteps / self._config.decisions, 1.0)
        start, end = self._config.ppo.ent_coef, self._config.ppo.ent_coef_end
        self.model.ent_coef = start + (end - start) * done


class Saver(PPOCallback):
    """Write checkpoints, and the model as it stands, into the run folder."""

    def __init__(self, run: Run, seconds: float) -> None:
        super().__init__()
        self._run, self._seconds_before = run, seconds
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """Training time so far, in this session and those before it."""
        return self._seconds_before + time.monotonic() - self._started

    def save(self) -> None:
        """Write a checkpoint now."""
        n_decisions, seconds = self.model.num_timesteps, self.seconds
        self._run.write_checkpoint(n_decisions, dump_checkpoint(self.model, seconds))
        self._run.write_model(dump_model(self.model))
        self._run.write_facts(decisions=n_decisions, seconds=round(seconds, 1))

    def _init_callback(self) -> None:
        self._due = Every(self._run.config.checkpoint_every, self.model.num_timesteps)

    def _on_rollout_start(self) -> None:
        if self._due.is_due(self.model.num_timesteps):
            self.save()


class Panel(PPOCallback):
    """Measure the policy against the panel, and log it."""

    def __init__(self, config: Config, console: Console) -> None:
        super().__init__()
        self._config, self._console = config, console

    def measure(self) -> dict[str, Score]:
        """Play the panel now."""
        game, panel = self._config.game, self._config.panel
        scores = play_panel(
            self.model.policy, panel.opponents, panel.hands, rules=game.rules, extras=game.extras
        )
        for name, score in scores.items():
            self.logger.record(f"panel/{name}", score.points)
            self.logger.record(f"panel/{name}_margin", score.margin)
        self.logger.dump(self.model.num_timesteps)
        listed = "   ".join(f"{name} {score}" for name, score in scores.items())
        self._console.print(
            f"{self.model.num_timesteps:>13,} decisions   {listed}", highlight=False
        )
        return scores

    def _init_callback(self) -> None:
        self._due = Every(self._config.panel.every, self.model.num_timesteps)

    def _on_rollout_start(self) -> None:
        if self._due.is_due(self.model.num_timesteps):
            self.measure()


class Bar(PPOCallback):
    """Show the progress bar. Use as a context manager, too, so that it always closes."""

    def __init__(self, config: Config, console: Console) -> None:
        super().__init__()
        columns = (
            BarColumn(bar_width=None),
            TextColumn("{task.completed:,.0f} of {task.total:,.0f} decisions"),
            _Rate(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
        )
        self._progress = Progress(*columns, console=console, speed_estimate_period=60.0)
        self._total = config.decisions

    def __enter__(self) -> "Bar":
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def _init_callback(self) -> None:
        self._task = self._progress.add_task(
            "", total=self._total, completed=self.model.num_timesteps
        )

    def _on_step(self) -> bool:
        self._progress.update(self._task, completed=self.model.num_timesteps)
        return True


class Stopper(PPOCallback):
    """Stop learning when asked to, or when the time is up."""

    def __init__(self, config: Config, saver: Saver, is_asked: Event) -> None:
        super().__init__()
        self._limit = float("inf") if config.minutes is None else 60 * config.minutes
        self._saver, self._is_asked = saver, is_asked

    def _on_rollout_start(self) -> None:
        if self._is_asked.is_set() or self._saver.seconds > self._limit:
            raise Stopped


class _Rate(ProgressColumn):
    """Decisions per second over the last minute."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed or 0:,.0f} decisions/s", style="cyan")
