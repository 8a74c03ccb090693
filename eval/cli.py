"""The command line. It imports what a command needs only once the command is understood."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from eval.benchmark.suites import SUITES

BAD_INPUT = 2
INTERRUPTED = 130
"""Exit codes; 0 is success."""

_PROGRAM = "python -m eval"
_PLAYER_HELP = (
    "a bot's name (docs/bots.md), one with options (hard:danger_weight=0,slack=3), a run folder, "
    "or a model file"
)
_HANDS_HELP = "hands to play; each deal is played twice with the seats exchanged, so an odd number "
_HANDS_HELP += "becomes the next even one (default: 2000, or none if only --matches is given)"
_MATCHES_HELP = "whole matches to play besides, each deal twice, so rounded up to an even number "
_MATCHES_HELP += "(default: a tenth of the hands; 0: none)"
_EXAMPLES = """examples:
  python -m eval match hard medium --hands 20000
  python -m eval match runs/quick hard --matches 1000 --rules eaai
  python -m eval levels runs/quick
  python -m eval selfplay simple --hands 200
  python -m eval benchmark --quick --only random deadwood
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code: 0, 2 for bad input, or 130 if interrupted."""
    options = _make_parser().parse_args(arguments)
    try:
        from eval.commands import run  # noqa: PLC0415  (--help need not wait for it)

        return run(options)
    except ImportError as error:
        return fail(f"{error}; pip install 'gin-env[train,eval]' brings what is missing")
    except KeyboardInterrupt:
        print(f"{_PROGRAM}: stopped before there was anything to show", file=sys.stderr)
        return INTERRUPTED


def fail(message: str) -> int:
    """Say in one line on stderr what was wrong. Returns the exit code for it."""
    print(f"{_PROGRAM}: error: {' '.join(message.split())}", file=sys.stderr)
    return BAD_INPUT


class _Parser(argparse.ArgumentParser):
    """Says what was wrong in one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        """Leave with the exit code for bad input."""
        sys.exit(fail(f"{message} (see {self.prog} --help)"))


def _make_parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog=_PROGRAM,
        description="Who plays better, and how sure is it? (docs/evaluation.md)",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    match = commands.add_parser("match", help="play A against B")
    match.add_argument("a", metavar="A", help=_PLAYER_HELP)
    match.add_argument("b", metavar="B", help="likewise")
    _add_plan(match)
    levels = commands.add_parser("levels", help="play one player against easy, medium and hard")
    levels.add_argument("a", metavar="MODEL", help=_PLAYER_HELP)
    _add_plan(levels)
    selfplay = commands.add_parser("selfplay", help="play one player against itself")
    selfplay.add_argument("a", metavar="BOT", help=_PLAYER_HELP)
    _add_hands(selfplay, "hands to play, each deal once (default: 2000)")
    _add_table(selfplay)
    _add_benchmark(commands.add_parser("benchmark", help="how fast is it? (docs/performance.md)"))
    return parser


def _add_plan(parser: argparse.ArgumentParser) -> None:
    _add_hands(parser, _HANDS_HELP)
    parser.add_argument("--matches", type=_at_least(0), metavar="N", help=_MATCHES_HELP)
    _add_table(parser)


def _add_hands(parser: argparse.ArgumentParser, meaning: str) -> None:
    parser.add_argument("--hands", type=_at_least(1), metavar="N", help=meaning)


def _add_table(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rules",
        default="standard",
        metavar="RULES",
        help="a preset of docs/rules.md or a YAML file of rule fields (default: standard)",
    )
    parser.add_argument(
        "--seed",
        type=_at_least(0),
        default=0,
        metavar="N",
        help="what the deals come from; the same seed, the same deals (default: 0)",
    )
    parser.add_argument(
        "--games",
        type=_at_least(1),
        metavar="ROWS",
        help="games at once; it changes the speed and not the result (default: 512)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results there too")


def _add_benchmark(parser: argparse.ArgumentParser) -> None:
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


def _at_least(least: int) -> Callable[[str], int]:
    """A reader of whole numbers from ``least`` on."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise argparse.ArgumentTypeError(
                f"must be a whole number from {least} on, not {text!r}"
            )
        return number

    return read
