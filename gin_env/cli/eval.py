"""``gin-env eval``: ``python -m eval``, under one name."""

import argparse
from typing import Any

from gin_env.cli.passing import add_passing_parser, pass_on


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the parser of this subcommand."""
    return add_passing_parser(subparsers, "eval")


def run(args: argparse.Namespace) -> int:
    """Hand the arguments on."""
    return pass_on("eval.cli", args.arguments)
