"""Trained agents as files of plain arrays, which are played without torch (docs/agents.md)."""

from pathlib import Path

from gin_env.agents.file import MAX_BYTES, SUFFIX, Agent, dump_agent, read_agent
from gin_env.agents.network import Network, NetworkSpec

__all__ = [
    "MAX_BYTES",
    "SUFFIX",
    "Agent",
    "Network",
    "NetworkSpec",
    "dump_agent",
    "find",
    "names",
    "read_agent",
]

_FOLDER = Path(__file__).parent
"""Of the agents that ship."""


def names() -> tuple[str, ...]:
    """The names of the agents that ship, in alphabetical order."""
    return tuple(sorted(file.stem for file in _FOLDER.glob(f"*{SUFFIX}")))


def find(name: str) -> Path:
    """The file of an agent that ships; ``name`` is one of `names`."""
    return _FOLDER / f"{name}{SUFFIX}"
