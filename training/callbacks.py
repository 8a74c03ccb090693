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

from eval.arena import Contest, join, play_contest
from eval.statistics import Estimate, describe_hands
from gin_env.core.rules import to_rules
from gin_env.players import ModelPlayer, resolve
from training.checkpoint import dump_checkpoint, dump_model
from training.config import Config
from training.run import Run

PANEL_SEED = 1
"""Of the deals that the panel is played on."""

# How a run ends, in run.json.
FINISHED = "finished"
INTERRUPTED = "interrupted"
OUT_OF_TIME = "out of time"


class Stopped(Exception):  # noqa: N818  (nothing is wrong: it only unwinds the learning loop)
    """Learning stops before its decisions are used up; the message says why."""


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
        done = min(self.model.num_timesteps / self._config.n_decisions, 1.0)
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
    """Measure the policy against bots, always on the same mirrored deals, and log it.

    It plays its likeliest legal moves, as it will when it is done, and draws on no generator.
    """

    def __init__(self, config: Config, console: Console) -> None:
        super().__init__()
        self._config, self._console = config, console

    def measure(self) -> dict[str, Estimate]:
        """Play the panel now. Returns points per hand against each bot."""
        scores = {name: self._play(name) for name in self._config.panel.opponents}
        for name, score in scores.items():
            self.logger.record(f"panel/{name}", score.value)
            self.logger.record(f"panel/{name}_low", score.low)
            self.logger.record(f"panel/{name}_high", score.high)
        self.logger.dump(self.model.num_timesteps)
        listed = "   ".join(
            f"{name} {score.value:+.1f} ± {(score.high - score.low) / 2:.1f}"
            for name, score in scores.items()
        )
        line = f"{self.model.num_timesteps:>11,} decisions:  {listed}"
        self._console.print(line, highlight=False, soft_wrap=True)
        return scores

    def _play(self, opponent: str) -> Estimate:
        game = self._config.game
        contest = Contest(
            rules=to_rules(game.rules), n_deals=(self._config.panel.hands + 1) // 2, seed=PANEL_SEED
        )
        learner = ModelPlayer(self.model, "the learner", game.extras)
        played = join(list(play_contest((learner, resolve(opponent)), contest)))
        return describe_hands(played.hands).points

    def _init_callback(self) -> None:
        self._due = Every(self._config.panel.every, self.model.num_timesteps)

    def _on_rollout_start(self) -> None:
        if self._due.is_due(self.model.num_timesteps):
            self.measure()


class Bar(PPOCallback):
    """Show the progress bar, from entering a ``with`` block to leaving it."""

    def __init__(self, config: Config, n_decisions: int, console: Console) -> None:
        super().__init__()
        columns = (
            BarColumn(bar_width=None),
            TextColumn("{task.completed:,.0f}/{task.total:,.0f}"),
            _Rate(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("left"),
        )
        self._progress = Progress(*columns, console=console, speed_estimate_period=60.0)
        self._task = self._progress.add_task("", total=config.n_decisions, completed=n_decisions)

    def __enter__(self) -> "Bar":
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

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
        if self._is_asked.is_set():
            raise Stopped(INTERRUPTED)
        if self._saver.seconds > self._limit:
            raise Stopped(OUT_OF_TIME)


class _Rate(ProgressColumn):
    """Decisions per second over the last minute."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed or 0:,.0f} decisions/s", style="cyan")
