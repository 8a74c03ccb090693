"""Subcommands that hand all their arguments to training or evaluation."""

import argparse
from importlib import import_module
from typing import Any

from gin_env.cli.main import COMMANDS
from gin_env.tools import expose


def add_passing_parser(subparsers: Any, name: str) -> argparse.ArgumentParser:
    """Add a parser that takes everything as it is, ``--help`` included."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        name,
        help=COMMANDS[name].help,
        add_help=False,
        prefix_chars="\0",  # nothing that can be typed looks like an option
    )
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    return parser


def pass_on(module: str, arguments: list[str]) -> int:
    """Run the ``main`` of a module of training or evaluation with the arguments."""
    expose()
    return int(import_module(module).main(arguments))
