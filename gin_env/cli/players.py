"""``gin-env players``: who can be named as an opponent."""

import argparse

from gin_env.support.command_line import Parser


def add_arguments(parser: Parser) -> None:
    """Describe the command."""
    parser.description = (
        "Besides these, an agent's npz file, a run folder, a model zip, or program:COMMAND LINE "
        "can be named. The options of bots are in docs/bots.md."
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:  # noqa: ARG001
    """List them, one a line: the name, and what it is."""
    from gin_env import agents  # noqa: PLC0415  (--help need not wait for numba)
    from gin_env.bots.choose import KINDS  # noqa: PLC0415

    for name, kind in KINDS.items():
        options = [f"{option}={value.default:g}" for option, value in kind.options.items()]
        print(f"{name:<10} bot{'; options: ' if options else ''}{', '.join(options)}")
    for name in agents.names():
        print(f"{name:<10} trained agent")
    return 0
