"""``gin-env players``: who can be named as an opponent."""

import argparse
from typing import Any

from gin_env.cli.main import COMMANDS


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the parser of this subcommand."""
    return subparsers.add_parser(  # type: ignore[no-any-return]
        "players",
        help=COMMANDS["players"].help,
        description="Besides these, an agent's npz file, a run folder, a model zip, or "
        "program:COMMAND LINE can be named. The options of bots are in docs/bots.md.",
    )


def run(args: argparse.Namespace) -> int:  # noqa: ARG001  (it has none)
    """List them, one a line: the name, and what it is."""
    from gin_env import agents  # noqa: PLC0415  (--help need not wait for numba)
    from gin_env.bots.choose import KINDS  # noqa: PLC0415

    for name, kind in KINDS.items():
        options = [f"{option}={value.default:g}" for option, value in kind.options.items()]
        print(f"{name:<10} bot{'; options: ' if options else ''}{', '.join(options)}")
    for name in agents.names():
        print(f"{name:<10} trained agent")
    return 0
