"""What `import gin_env` brings along: Gymnasium, to register with, and nothing heavier."""

import pytest

import gin_env
from gin_env import errors
from tests import run_python

HEAVY = ("torch", "numba", "pettingzoo", "stable_baselines3", "sb3_contrib", "yaml", "rich", "PIL")
ERRORS = (
    "IllegalActionError RulesError OptionError BotError CardError DealError MeldError SeatError",
    "SeedError MatchError GameTextError EpisodeOverError PlayerError RenderModeError BatchError",
    "HistoryError GinError",
)
"""Which users may have written down, also as names of `gin_env` itself."""


def run(code: str) -> str:
    """What code prints in a fresh interpreter."""
    done = run_python("-c", code)
    assert done.returncode == 0, done.stderr
    return done.stdout


def modules_after(statement: str) -> set[str]:
    """Top-level packages that a fresh interpreter has imported after a statement."""
    printed = run(f"import sys; {statement}; print(*sys.modules)")
    return {name.partition(".")[0] for name in printed.split()}


def test_import_is_light() -> None:
    loaded = modules_after("import gin_env")
    assert {"gin_env", "gymnasium"} <= loaded
    assert loaded.isdisjoint(HEAVY)


def test_package_shows_what_people_type_and_nothing_else() -> None:
    shown = run("import gin_env; print(*dir(gin_env))").split()
    assert shown == sorted(gin_env.__all__)
    assert {"Game", "Rules", "bots", "compat", "env", "errors", "load_agent"} <= set(shown)
    assert not {"import_module", "register", "TYPE_CHECKING", "Any", "RulesError"} & set(shown)


def test_everything_shown_is_there_after_the_import() -> None:
    code = "import gin_env; print(*(str(getattr(gin_env, name)) for name in gin_env.__all__))"
    assert "gin_env" in run(code)
    run("import gin_env; gin_env.bots.make('hard'); gin_env.compat.gin_rummy_v4.env()")
    with pytest.raises(AttributeError, match="no attribute 'NoSuchError'"):
        gin_env.NoSuchError  # noqa: B018


@pytest.mark.parametrize("name", " ".join(ERRORS).split())
def test_errors_are_where_they_were(name: str) -> None:
    error = getattr(errors, name)
    assert issubclass(error, errors.GinError)
    assert issubclass(error, ValueError)
    assert getattr(gin_env, name) is error


def test_making_an_environment_needs_no_torch() -> None:
    loaded = modules_after("import gin_env; gin_env.env()")
    assert {"numba", "pettingzoo"} <= loaded
    assert loaded.isdisjoint({"torch", "stable_baselines3", "sb3_contrib", "PIL"})


def test_pictures_alone_need_pillow() -> None:
    draw = "import gin_env; gin_env.Game.deal(seed=1).render({!r})"
    assert "PIL" not in modules_after(draw.format("ansi"))
    assert "PIL" in modules_after(draw.format("rgb_array"))
