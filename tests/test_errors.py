"""Every error that the library raises for its caller is a `GinError`."""

from inspect import getmembers, isclass

import pytest

from gin_env import GinError, errors
from gin_env.history import HistoryError

ERRORS = [one for _, one in getmembers(errors, isclass) if one.__module__ == errors.__name__]


@pytest.mark.parametrize("error", [*ERRORS, HistoryError])
def test_error_is_a_gin_error_and_a_value_error(error: type[Exception]) -> None:
    assert issubclass(error, GinError)
    assert issubclass(error, ValueError)
