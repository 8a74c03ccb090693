"""Evaluate the policy against others while it learns, and keep the best model."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from eval.games.arena import Contest, join, play_contest
from eval.stats.estimates import Estimate, describe_hands, describe_matches
from gin_env import bots
from gin_env.core.rules import Episode, to_rules
from gin_env.players import BotPlayer, ModelPlayer, NetPlayer
from training.env.vec_env import TableVecEnv
from training.policy import make_playable
from training.run.callbacks import PPOCallback, Saver
from training.run.checkpoint import dump_model
from training.run.folder import BEST_FILE, CURVE_FILE, HISTORY_FILE, LEAGUE_FILE, Run
from training.run.learning_curve import draw_curve

DEAL_SEED = 1


class EvaluationCallback(PPOCallback):
    """Evaluate the policy, always on the same mirrored deals, and write the results down.

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

    def evaluate(self) -> dict[str, Any]:
        """Evaluate the policy as it stands, unless that was done.

        Returns:
            What was written down: ``lessons`` (decisions before PPO) and ``decisions`` so far; by
            opponent ``points`` a hand and the share of ``matches`` won, each with its 95 %
            interval; and the ``score`` by which the best model is chosen: the mean share, or the
            mean points where no matches are played.
        """
        history = self._run.history()
        if history and _moment(history[-1]) == self._now:
            return history[-1]
        points = self._play_all("hand", self._config.hands)
        matches = self._play_all("match", self._config.matches)
        measured = {
            "lessons": self._now[0],
            "decisions": self._now[1],
            "points": {name: estimate._asdict() for name, estimate in points.items()},
            "matches": {name: estimate._asdict() for name, estimate in matches.items()},
            "score": _mean(matches or points),
        }
        self._log(points, matches)
        self._keep_best(measured)
        self._write([*history, measured])
        self._write_league()
        return measured

    def evaluate_if_due(self) -> None:
        """Evaluate the policy if a multiple of ``panel.every`` was passed since the last time."""
        history = self._run.history()
        latest = sum(_moment(history[-1])) if history else 0
        if sum(self._now) // self._config.every > latest // self._config.every:
            self.evaluate()

    @property
    def _now(self) -> tuple[int, int]:
        """How many decisions were learned from before PPO, and in it."""
        return self._saver.n_before_ppo, self.model.num_timesteps

    def _init_callback(self) -> None:
        # A run that goes on from a checkpoint evaluates again what came after it.
        history = self._run.history()
        known = [one for one in history if _moment(one) <= self._now]
        if known != history:
            self._write(known)

    def _on_rollout_start(self) -> None:
        self.evaluate_if_due()

    def _play_all(self, episode: Episode, n_games: int) -> dict[str, Estimate]:
        """Play so many hands or matches against each opponent."""
        return {name: self._play(name, episode, n_games) for name in self._opponents if n_games}

    def _play(self, opponent: str, episode: Episode, n_games: int) -> Estimate:
        """Points a hand, or the share of matches won.

        The luck of the draw is taken out where there are games enough to tell what it was.
        """
        game = self._run.config.game
        contest = Contest(
            rules=to_rules(game.rules),
            episode=episode,
            n_deals=(n_games + 1) // 2,
            seed=DEAL_SEED,
        )
        policy = make_playable(self.model.policy)  # type: ignore[arg-type]
        learner = ModelPlayer(policy, "the learner", game.extras)
        played = join(list(play_contest((learner, self._opponents[opponent]), contest)))
        if episode == "hand":
            hands = describe_hands(played.hands)
            return hands.adjusted.estimate if hands.adjusted else hands.points
        matches = describe_matches(played.matches)
        return matches.adjusted.estimate if matches.adjusted else matches.won

    def _log(self, points: dict[str, Estimate], matches: dict[str, Estimate]) -> None:
        """Show what was measured, here and in TensorBoard."""
        for what, estimates in (("panel", points), ("panel_matches", matches)):
            for name, estimate in estimates.items():
                for end, number in zip(("", "_low", "_high"), estimate, strict=True):
                    self.logger.record(f"{what}/{name}{end}", number)
        shown = [
            f"{name} {score.value:+.1f} ± {(score.high - score.low) / 2:.1f}"
            for name, score in points.items()
        ]
        if matches:
            shown += ["matches:"] + [f"{name} {one.value:.0%}" for name, one in matches.items()]
        line = f"{sum(self._now):>11,} decisions:  {'   '.join(shown)}"
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)

    def _keep_best(self, measured: dict[str, Any]) -> None:
        """Keep the model if no other has scored more."""
        best = self._run.facts().get("best")
        if measured["points"] and (best is None or measured["score"] > best["score"]):
            self._run.write(BEST_FILE, dump_model(self.model))
            self._run.write_facts(
                best={key: measured[key] for key in ("lessons", "decisions", "score")}
            )

    def _write(self, history: list[dict[str, Any]]) -> None:
        self._run.write_json(HISTORY_FILE, history)
        self._run.write(CURVE_FILE, draw_curve(history))

    def _write_league(self) -> None:
        """Write the league table: whom the learner met since the last one, and with what result."""
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
            for past, mean, chance in zip(
                league.past, league.means(), league.chances(), strict=True
            ):
                self.logger.record(f"league/{past.n_decisions}", float(mean))
                entry = {"past_self": past.n_decisions, "points": mean, "chance": chance}
                table.append(entry)
        self._run.write_json(LEAGUE_FILE, table)
        self.logger.dump(self.model.num_timesteps)


def _moment(measured: dict[str, Any]) -> tuple[int, int]:
    return measured["lessons"], measured["decisions"]


def _mean(estimates: dict[str, Estimate]) -> float:
    return sum(one.value for one in estimates.values()) / max(len(estimates), 1)
