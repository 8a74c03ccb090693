"""The faces that learning libraries use, Python included."""

from collections.abc import Iterator

from benchmarks.figures import Effort, Figure, rate
from benchmarks.random_play import AECPlay, VectorPlay, measure_play

N_GAMES = 1024
OPPONENT = "medium"


def measure_aec(effort: Effort) -> Iterator[Figure]:
    """The PettingZoo face."""
    played = measure_play(AECPlay(), effort)
    yield rate("aec", "AEC, last() and step()", "steps/s", played.known)
    yield rate(
        "aec_chosen", "AEC, last(), random legal choice and step()", "steps/s", played.chosen
    )


def measure_vector(effort: Effort) -> Iterator[Figure]:
    """The Gymnasium vector face; only the learner's decisions count."""
    played = measure_play(VectorPlay(N_GAMES, OPPONENT), effort)
    work = f"VectorEnv, {N_GAMES} games against {OPPONENT}, random legal play"
    yield rate("vector", work, "decisions/s", played.chosen)
    yield rate("vector_known", f"{work}, without the choosing", "decisions/s", played.known)
