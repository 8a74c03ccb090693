"""gin_env: Gin Rummy for reinforcement learning.

``gin_env.env`` is the PettingZoo environment, ``gymnasium.make("gin_env/GinRummy-v0")`` and
``gymnasium.make_vec`` the Gymnasium ones, ``gin_env.Game`` the game for people and tools.
"""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from gymnasium.envs.registration import register

from gin_env import errors
from gin_env.errors import GinError

if TYPE_CHECKING:
    from gin_env import agents, bots, compat, history, players
    from gin_env.core.observe import OBS_LAYOUT
    from gin_env.core.rules import Rules
    from gin_env.envs.aec import env, raw_env
    from gin_env.game import Game
    from gin_env.players import load_agent
    from gin_env.players.program import ProgramPlayer
    from gin_env.values.melds import best_melds, deadwood, layoff

__all__ = [
    "OBS_LAYOUT",
    "Game",
    "GinError",
    "ProgramPlayer",
    "Rules",
    "__version__",
    "agents",
    "best_melds",
    "bots",
    "compat",
    "deadwood",
    "env",
    "errors",
    "history",
    "layoff",
    "load_agent",
    "players",
    "raw_env",
]

try:
    __version__ = version("gin-env")
except PackageNotFoundError:  # a checkout that is not installed
    __version__ = "0.0.0"

_LAZY = {
    "OBS_LAYOUT": "gin_env.core.observe",
    "ProgramPlayer": "gin_env.players.program",
    "Rules": "gin_env.core.rules",
    "Game": "gin_env.game",
    "best_melds": "gin_env.values.melds",
    "deadwood": "gin_env.values.melds",
    "layoff": "gin_env.values.melds",
    "env": "gin_env.envs.aec",
    "load_agent": "gin_env.players",
    "raw_env": "gin_env.envs.aec",
}
"""Where a name comes from when it is first asked for: importing gin_env alone loads no engine."""


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = globals()[name] = getattr(import_module(_LAZY[name]), name)
        return value
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    if name.endswith("Error") and hasattr(errors, name):  # errors were here once
        return getattr(errors, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__


# Without gymnasium's wrappers: they would hide action_masks(), and what they check is checked here.
register(
    id="gin_env/GinRummy-v0",
    disable_env_checker=True,
    order_enforce=False,
    entry_point="gin_env.envs.gym_env:GinRummyEnv",
    vector_entry_point="gin_env.envs.vector_env:GinRummyVectorEnv",
)
