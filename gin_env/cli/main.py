"""``gin-env``: finds the subcommand, and imports only that one's module."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple, NoReturn

import gin_env
from gin_env.errors import GinError

PROGRAM = "gin-env"
BAD_INPUT = 2
INTERRUPTED = 130
"""Exit codes; 0 is success."""


class Command(NamedTuple):
    """A subcommand."""

    module: str
    help: str


COMMANDS = {
    "play": Command("gin_env.cli.play", "play in the terminal against anyone"),
    "replay": Command("gin_env.cli.replay", "look at recorded hands, action by action"),
    "verify": Command("gin_env.cli.verify", "play recorded hands again, and compare"),
    "players": Command("gin_env.cli.players", "list the bots and the agents that ship"),
    "eval": Command("gin_env.cli.eval", "who plays better? (arguments as for python -m eval)"),
    "train": Command("gin_env.cli.train", "train an agent (arguments as for python -m training)"),
}
"""Every subcommand by name."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand, and return its exit code: 0, 2 for bad input, or 130 if interrupted."""
    typed = sys.argv[1:] if arguments is None else list(arguments)
    wanted = next((word for word in typed if not word.startswith("-")), None)
    args = _make_parser(wanted).parse_args(typed)
    try:
        return int(import_module(COMMANDS[args.command].module).run(args))
    except GinError as error:
        return fail(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED


def fail(message: str) -> int:
    """Say in one line on stderr what was wrong. Returns the exit code for it."""
    print(f"{PROGRAM}: error: {' '.join(message.split())}", file=sys.stderr)
    return BAD_INPUT


class Parser(argparse.ArgumentParser):
    """Says what was wrong in one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        """Leave with the exit code for bad input."""
        sys.exit(fail(f"{message} (see {self.prog} --help)"))


def _make_parser(wanted: str | None) -> argparse.ArgumentParser:
    """The parser, in full only for the subcommand that is wanted."""
    parser = Parser(prog=PROGRAM, description="Gin Rummy: play, train, compare.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {gin_env.__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        if name == wanted:
            import_module(command.module).add_parser(subparsers)
        else:
            subparsers.add_parser(name, help=command.help)
    return parser
