"""Who plays whom, and how past selves get into the league.

The learner is the module `main`. Beside it stand a fixed number of modules, `past_0` and so on,
that are played and never trained. Whenever the learner has gained enough on them, its weights
replace those of the one that was easiest to beat. So the modules of a run are the same from its
first update to its last, whatever the machines that play: nothing has to be added to them on the
way, and a checkpoint holds the league as it holds the learner.
"""

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ray.rllib.callbacks.callbacks import RLlibCallback

from gin_env.envs.aec import AGENTS

MAIN = "main"
RESULTS = "league"
"""Under which name of a result the games against past selves are counted."""
N_FROZEN = "n_frozen"
"""Under which name it says how often the learner has become one of them, over all resumptions."""


def name_past(number: int) -> str:
    """The name of the module of a past self."""
    return f"past_{number}"


@dataclass(frozen=True)
class Draw:
    """Which module plays which agent: drawn for each episode, from nothing but its id.

    Attributes:
        n_past: How many past selves there are.
        self_share: Share of the hands that the learner plays against its present self.
    """

    n_past: int
    self_share: float

    def __call__(self, agent_id: str, episode: Any, **_: Any) -> str:
        """The module that an agent is played by; both agents of an episode draw the same lots."""
        lots = random.Random(episode.id_)
        learner = lots.choice(AGENTS)
        if agent_id == learner or lots.random() < self.self_share:
            return MAIN
        return name_past(lots.randrange(self.n_past))


class League(RLlibCallback):
    """Count what the learner gains on its past selves, and make it one of them when it has enough.

    RLlib makes one of these for each process that plays, which only counts, and one for the
    algorithm, which decides.

    Args:
        hands: How many hands against past selves are judged at a time.
        gain: Points a hand that the learner has to gain on them.
        reward_scale: Of the environment: rewards are points times this.
    """

    def __init__(self, hands: int, gain: float, reward_scale: float) -> None:
        super().__init__()
        self._hands, self._gain, self._scale = hands, gain, reward_scale
        self._n_hands: dict[str, float] = {}
        self._points: dict[str, float] = {}

    def on_episode_end(self, *, episode: Any, metrics_logger: Any, **_: Any) -> None:
        """Count a hand against a past self."""
        modules = {agent: episode.module_for(agent) for agent in AGENTS}
        opponent = next((name for name in modules.values() if name != MAIN), None)
        if opponent is None:
            return
        # The points come with the last step, to every agent that moved; the hand is zero-sum.
        agent, own = next(iter(episode.agent_episodes.items()))
        points = own.get_rewards(-1) / self._scale * (1 if modules[agent] == MAIN else -1)
        metrics_logger.log_value((RESULTS, opponent, "hands"), 1, reduce="sum")
        metrics_logger.log_value((RESULTS, opponent, "points"), points, reduce="sum")

    def on_train_result(
        self, *, algorithm: Any, metrics_logger: Any, result: dict[str, Any], **_: Any
    ) -> None:
        """Judge, once there are hands enough; the result says how often there were and it was."""
        for opponent, counted in result["env_runners"].get(RESULTS, {}).items():
            if counted["hands"] > 0:  # else they are no numbers: not met since the last update
                self._n_hands[opponent] = self._n_hands.get(opponent, 0.0) + counted["hands"]
                self._points[opponent] = self._points.get(opponent, 0.0) + counted["points"]
        n_hands = sum(self._n_hands.values())
        if n_hands > 0 and n_hands >= self._hands:
            result["points_on_past"] = sum(self._points.values()) / n_hands
            if result["points_on_past"] >= self._gain:
                freeze(algorithm, self._easiest())
                metrics_logger.log_value(N_FROZEN, 1, reduce="lifetime_sum")
            self._n_hands.clear()
            self._points.clear()
        result[N_FROZEN] = metrics_logger.peek(N_FROZEN, default=0)

    def _easiest(self) -> str:
        """The past self that lost most a hand, of those that were met."""
        return max(self._n_hands, key=lambda name: self._points[name] / self._n_hands[name])


def freeze(algorithm: Any, name: str) -> None:
    """Give a past self the weights that the learner has now, wherever it is played or kept."""
    group = algorithm.learner_group
    weights = group.get_weights([MAIN])[MAIN]
    group.set_state({"learner": {"rl_module": {name: weights}}})
    hand_out(algorithm)


def restore(algorithm: Any, checkpoint: Path) -> None:
    """Go on from a checkpoint: learner, past selves, optimizer and counters."""
    algorithm.restore_from_path(checkpoint.absolute())
    hand_out(algorithm)


def hand_out(algorithm: Any) -> None:
    """Give all modules to all processes that play, and wait until they have them.

    RLlib's own way is not enough for past selves: it sends only modules that were trained, does not
    wait, and takes what has the number of the last update for what is there already.
    """
    weights = algorithm.learner_group.get_weights()

    def take(runner: Any) -> None:
        for name, own in weights.items():
            runner.module[name].set_state(own)

    algorithm.env_runner_group.foreach_env_runner(take)
