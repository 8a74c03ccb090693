"""``gin-env train``: ``python -m training``, under one name."""

import argparse
from typing import Any

from gin_env.cli.passing import add_passing_parser, pass_on


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the parser of this subcommand."""
    return add_passing_parser(subparsers, "train")


def run(args: argparse.Namespace) -> int:
    """Hand the arguments on."""
    return pass_on("training.__main__", args.arguments)
