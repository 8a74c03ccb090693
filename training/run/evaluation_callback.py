"""How the policy stands: measured against others while it learns, noted down, and the best kept."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from eval.games.arena import Contest, Played, join, play_contest
from eval.stats.estimates import Estimate, describe_hands, describe_matches
from gin_env import bots
from gin_env.core.rules import Episode, to_rules
from gin_env.players import BotPlayer, ModelPlayer, NetPlayer
from training.env.vec_env import TableVecEnv
from training.policy import make_playable
from training.run.callbacks import PPOCallback, Saver
from training.run.checkpoint import dump_model
from training.run.folder import Run
from training.run.learning_curve import draw_curve

PANEL_SEED = 1
"""Of the deals that the panel is played on."""


class Panel(PPOCallback):
    """Measure the policy against others, always on the same mirrored deals, and note it down.

    It plays its likeliest legal moves, as it will when it is done, and draws on no generator.
    """

    def __init__(
        self,
        run: Run,
        agents: Mapping[str, NetPlayer],
        env: TableVecEnv,
        saver: Saver,
        console: Console,
    ) -> None:
        super().__init__()
        self._run, self._env, self._saver, self._console = run, env, saver, console
        self._config = run.config.panel
        self._opponents = {
            name: agents.get(name) or BotPlayer(bots.read(name)) for name in self._config.opponents
        }

    def measure(self) -> dict[str, Any]:
        """Measure the policy as it stands, unless that was done.

        Returns:
            What was noted down: ``lessons`` and ``decisions`` so far; by opponent ``points`` a hand
            and the share of ``matches`` won, each with its 95 % interval; and the ``score`` that
            the best has most of: the mean share, or the mean points where no matches are played.
        """
        history = self._run.history()
        if history and _moment(history[-1]) == self._now:
            return history[-1]
        points = {name: self._play_hands(name) for name in self._config.opponents}
        matches = {}
        if self._config.matches:
            matches = {name: self._play_matches(name) for name in self._config.opponents}
        measured = {
            "lessons": self._now[0],
            "decisions": self._now[1],
            "points": {name: estimate._asdict() for name, estimate in points.items()},
            "matches": {name: estimate._asdict() for name, estimate in matches.items()},
            "score": _mean(matches or points),
        }
        self._log(points, matches)
        self._note(history, measured)
        self._write_league()
        return measured

    @property
    def _now(self) -> tuple[int, int]:
        """How many lessons and decisions were learned from."""
        return self._saver.n_lessons, self.model.num_timesteps

    def _init_callback(self) -> None:
        # A run that goes on from a checkpoint measures again what came after it.
        history = self._run.history()
        known = [one for one in history if _moment(one) <= self._now]
        if known != history:
            self._write(known)

    def _on_rollout_start(self) -> None:
        self.measure_if_due()

    def measure_if_due(self) -> None:
        """Measure the policy if the last time is long enough ago."""
        history = self._run.history()
        latest = sum(_moment(history[-1])) if history else 0
        if sum(self._now) // self._config.every > latest // self._config.every:
            self.measure()

    def _play_hands(self, opponent: str) -> Estimate:
        """Points a hand, without the luck of the draw where there are hands enough to tell."""
        described = describe_hands(self._play(opponent, "hand", self._config.hands).hands)
        return described.adjusted.estimate if described.adjusted else described.points

    def _play_matches(self, opponent: str) -> Estimate:
        """The share of matches won, likewise."""
        described = describe_matches(self._play(opponent, "match", self._config.matches).matches)
        return described.adjusted.estimate if described.adjusted else described.won

    def _play(self, opponent: str, episode: Episode, n_games: int) -> Played:
        game = self._run.config.game
        contest = Contest(
            rules=to_rules(game.rules),
            episode=episode,
            n_deals=(n_games + 1) // 2,
            seed=PANEL_SEED,
        )
        policy = make_playable(self.model.policy)  # type: ignore[arg-type]
        learner = ModelPlayer(policy, "the learner", game.extras)
        return join(list(play_contest((learner, self._opponents[opponent]), contest)))

    def _log(self, points: dict[str, Estimate], matches: dict[str, Estimate]) -> None:
        """Show what was measured, here and in TensorBoard."""
        for what, estimates in (("panel", points), ("panel_matches", matches)):
            for name, estimate in estimates.items():
                self.logger.record(f"{what}/{name}", estimate.value)
                self.logger.record(f"{what}/{name}_low", estimate.low)
                self.logger.record(f"{what}/{name}_high", estimate.high)
        shown = [
            f"{name} {score.value:+.1f} ± {(score.high - score.low) / 2:.1f}"
            for name, score in points.items()
        ]
        if matches:
            shown += ["matches:"] + [f"{name} {one.value:.0%}" for name, one in matches.items()]
        line = f"{sum(self._now):>11,} decisions:  {'   '.join(shown)}"
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)

    def _note(self, history: list[dict[str, Any]], measured: dict[str, Any]) -> None:
        """Enter what was measured into the history, and keep the model if it is the best."""
        best = self._run.facts().get("best")
        if measured["points"] and (best is None or measured["score"] > best["score"]):
            self._run.write_best(dump_model(self.model))
            self._run.write_facts(
                best={key: measured[key] for key in ("lessons", "decisions", "score")}
            )
        self._write([*history, measured])

    def _write(self, history: list[dict[str, Any]]) -> None:
        self._run.write_history(history, draw_curve(history))

    def _write_league(self) -> None:
        """Write the league table: whom the learner met since the last one, and what came of it."""
        tally, league = self._env.take_tally(), self._env.league
        table: list[dict[str, Any]] = []
        for place, name in enumerate(self._env.opponents):
            n_of, points, won = (
                int(one[place]) for one in (tally.episodes, tally.points, tally.won)
            )
            if n_of:
                self.logger.record(f"games/{name}_points", points / n_of)
                self.logger.record(f"games/{name}_won", won / n_of)
            entry = {"opponent": name, "episodes": n_of, "points": points, "won": won}
            table.append(entry)
        if league.past:
            pairs = zip(league.past, league.means(), league.chances(), strict=True)
            for past, mean, chance in pairs:
                self.logger.record(f"league/{past.n_decisions}", float(mean))
                entry = {"past_self": past.n_decisions, "points": mean, "chance": chance}
                table.append(entry)
        self._run.write_league(table)
        self.logger.dump(self.model.num_timesteps)


def _moment(measured: dict[str, Any]) -> tuple[int, int]:
    return measured["lessons"], measured["decisions"]


def _mean(estimates: dict[str, Estimate]) -> float:
    return sum(one.value for one in estimates.values()) / max(len(estimates), 1)
