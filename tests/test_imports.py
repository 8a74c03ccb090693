"""What `import gin_env` brings along: Gymnasium, to register with, and nothing heavier."""

from tests import run_python

HEAVY = ("torch", "numba", "pettingzoo", "stable_baselines3", "sb3_contrib", "yaml", "rich", "PIL")


def modules_after(statement: str) -> set[str]:
    """Top-level packages that a fresh interpreter has imported after a statement."""
    done = run_python("-c", f"import sys; {statement}; print(*sys.modules)")
    assert done.returncode == 0, done.stderr
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_import_is_light() -> None:
    loaded = modules_after("import gin_env")
    assert {"gin_env", "gymnasium"} <= loaded
    assert loaded.isdisjoint(HEAVY)


def test_making_an_environment_needs_no_torch() -> None:
    loaded = modules_after("import gin_env; gin_env.env()")
    assert {"numba", "pettingzoo"} <= loaded
    assert loaded.isdisjoint({"torch", "stable_baselines3", "sb3_contrib", "PIL"})


def test_pictures_alone_need_pillow() -> None:
    draw = "import gin_env; gin_env.Game.deal(seed=1).render({!r})"
    assert "PIL" not in modules_after(draw.format("ansi"))
    assert "PIL" in modules_after(draw.format("rgb_array"))
