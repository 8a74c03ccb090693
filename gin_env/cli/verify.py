"""``gin-env verify``: recorded hands, played again by the engine (docs/history.md)."""

import argparse
import sys
from typing import Any

from gin_env.cli.main import COMMANDS, PROGRAM

FAULTY = 1
"""Exit code for a file that the engine does not agree with, or that is damaged."""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the parser of this subcommand."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "verify",
        help=COMMANDS["verify"].help,
        description="Play every hand of hand histories through the engine, and report the first "
        "line of each file that is damaged or does not agree. Exit code 0 if all agree, else 1.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a hand history (docs/history.md)")
    return parser


def run(args: argparse.Namespace) -> int:
    """Verify the files, and return the exit code."""
    from gin_env.errors import HistoryError  # noqa: PLC0415  (loads the engine)
    from gin_env.history import verify  # noqa: PLC0415  (loads the engine)

    code = 0
    for file in args.files:
        try:
            n_hands = verify(file)
        except HistoryError as error:
            if error.line is None:
                raise
            print(f"{PROGRAM}: {file}: {' '.join(str(error).split())}", file=sys.stderr)
            code = FAULTY
        else:
            print(f"{file}: {n_hands:,} {'hand agrees' if n_hands == 1 else 'hands agree'}")
    return code
