"""A result of real play, for all tests that only look at it."""

import pytest

from eval.experiment.measure import Result
from tests.eval.results import make_result, play


@pytest.fixture(scope="session")
def match() -> Result:
    """`hard` against `simple`: 30 mirrored deals of hands and 20 of matches."""
    hands = play("hard", "simple", n_deals=30, seed=3).hands
    matches = play("hard", "simple", n_deals=20, seed=3, episode="match").matches
    return make_result("hard", "simple", hands, matches)
