"""``gin-env verify``: recorded hands, played again by the engine (docs/history.md)."""

import argparse
import sys

from gin_env.errors import HistoryError
from gin_env.support.command_line import FAULTY, Parser


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the command."""
    parser.description = (
        "Play every hand of hand histories through the engine, and report the first line of each "
        "file that is damaged or does not agree. Exit code 0 if all agree, else 1, also where a "
        "file holds no hand."
    )
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a hand history (docs/history.md); - reads standard input",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Verify the files, and return the exit code."""
    from gin_env.history import verify  # noqa: PLC0415  (loads the engine)

    code = 0
    for file in args.files:
        n_hands, fault = 0, "it holds no hand"
        try:
            n_hands = verify(sys.stdin.buffer if file == "-" else file)
        except HistoryError as error:
            if error.line is None:
                raise
            fault = " ".join(str(error).split())
        if n_hands:
            print(f"{file}: {n_hands:,} {'hand agrees' if n_hands == 1 else 'hands agree'}")
        else:
            print(f"{args.program}: {file}: {fault}", file=sys.stderr)
            code = FAULTY
    return code
