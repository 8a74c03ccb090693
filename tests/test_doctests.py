"""Every example in a docstring of the library runs."""

import doctest
from importlib import import_module
from pkgutil import walk_packages

import pytest

import gin_env

MODULES = ["gin_env", *(module.name for module in walk_packages(gin_env.__path__, "gin_env."))]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module_are_right(name: str) -> None:
    failed, _ = doctest.testmod(import_module(name))
    assert failed == 0


def test_modules_with_public_examples_have_some() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    for name in ("gin_env.game", "gin_env.envs.aec", "gin_env.values.melds", "gin_env.core.cards"):
        assert any(test.examples for test in finder.find(import_module(name))), name
