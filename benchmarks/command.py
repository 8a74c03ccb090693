"""The command ``python -m eval benchmark``."""

import argparse
from pathlib import Path

from benchmarks.suites import SUITES
from gin_env.errors import OutputError
from gin_env.support.command_line import Parser


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the command."""
    parser.description = "Measure speed, in decisions per second and the like."
    parser.add_argument("--quick", action="store_true", help="less than a minute, for a first look")
    parser.add_argument(
        "--only",
        nargs="+",
        choices=SUITES,
        metavar="NAME",
        help="; ".join(f"{name}: {meaning}" for name, meaning in SUITES.items()),
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("runs") / "benchmark",
        metavar="FOLDER",
        help="where benchmark.json and benchmark.md go (default: %(default)s)",
    )
    parser.add_argument(
        "--docs",
        action="store_true",
        help="measure nothing: put what is in FOLDER into docs/performance.md",
    )
    parser.set_defaults(run=run, interrupted="stopped: nothing is written")


def run(args: argparse.Namespace) -> int:
    """Measure, print and write; or put what was written into the docs. Returns the exit code."""
    from benchmarks.figures import FULL, QUICK  # noqa: PLC0415  (--help need not wait)
    from benchmarks.measure import measure  # noqa: PLC0415
    from benchmarks.results import (  # noqa: PLC0415
        JSON_NAME,
        MARKDOWN_NAME,
        fill_docs,
        write_report,
    )

    if args.docs:
        fill_docs(args.out / JSON_NAME)
        return 0
    try:
        args.out.mkdir(parents=True, exist_ok=True)  # before minutes of work rather than after them
    except OSError as error:
        raise OutputError(f"cannot write into {str(args.out)!r}: {error.strerror}") from error
    write_report(args.out, measure(args.only or SUITES, QUICK if args.quick else FULL))
    print(f"written: {args.out / MARKDOWN_NAME} and {JSON_NAME} beside it")
    return 0
