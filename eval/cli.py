"""The command line. It imports what a command needs only once the command is understood."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from benchmarks.suites import SUITES

BAD_INPUT = 2
INTERRUPTED = 130
"""Exit codes; 0 is success."""

PROGRAM = "python -m eval"
LEVELS = ("easy", "medium", "hard")
MOST = 1_000_000_000
"""No number of hands, matches or games is larger."""
MOST_WORKERS = 1_000

_PLAYER_HELP = (
    "a bot's name (docs/bots.md), one with options (hard:danger_weight=0,slack=3), an agent "
    "(quick, or an npz file; docs/agents.md), a run folder, a model zip, or program:COMMAND LINE "
    "(docs/protocol.md)"
)
_HANDS_HELP = (
    "hands to play; each deal is played twice with the seats exchanged, so an odd number "
    "becomes the next even one (default: 2000, or none if only --matches is given)"
)
_MATCHES_HELP = (
    "whole matches to play besides, each deal twice, so rounded up to an even number "
    "(default: a tenth of the hands; 0: none)"
)
_EXAMPLES = """to go on after an interrupt with what a folder holds (see --out of a command):
  python -m eval --resume FOLDER [--workers N] [--json FILE]

examples:
  python -m eval match hard medium --hands 20000
  python -m eval match runs/quick hard --matches 1000 --rules eaai --workers 4
  python -m eval ladder easy medium hard runs/quick --out runs/eval/ladder
  python -m eval levels runs/quick
  python -m eval selfplay simple --hands 200
  python -m eval benchmark --quick --only random deadwood
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code: 0, 2 for bad input, or 130 if interrupted."""
    typed = sys.argv[1:] if arguments is None else list(arguments)
    for word in typed:
        if not _is_text(word):
            return fail(f"{word!r} holds bytes that are no text")
    is_resumed = any(word.partition("=")[0] == "--resume" for word in typed)
    options = (_make_resume_parser() if is_resumed else _make_parser()).parse_args(typed)
    try:
        from eval.commands import run  # noqa: PLC0415  (--help need not wait for it)

        return run(options)
    except ImportError as error:
        return fail(f"{error}; pip install 'gin-env[train,eval]' brings what is missing")
    except KeyboardInterrupt:
        print(f"{PROGRAM}: stopped before there was anything to show", file=sys.stderr)
        return INTERRUPTED


def fail(message: str) -> int:
    """Say in one line on stderr what was wrong. Returns the exit code for it."""
    print(f"{PROGRAM}: error: {' '.join(message.split())}", file=sys.stderr)
    return BAD_INPUT


def _is_text(word: str) -> bool:
    """Whether all of a word can be written; bytes that the terminal's encoding lacks cannot."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


class _Parser(argparse.ArgumentParser):
    """Says what was wrong in one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        """Leave with the exit code for bad input."""
        sys.exit(fail(f"{message} (see {self.prog} --help)"))


def _make_parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog=PROGRAM,
        description="Who plays better, and how sure is it? (docs/evaluation.md)",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    match = commands.add_parser("match", help="play A against B")
    _add_players(match, "A")
    match.add_argument("others", nargs=1, metavar="B", help="likewise")
    _add_plan(match)
    ladder = commands.add_parser("ladder", help="play all against all, and rate them")
    _add_players(ladder, "A")
    ladder.add_argument("others", nargs="+", metavar="B", help="likewise, one or more")
    _add_plan(ladder)
    levels = commands.add_parser("levels", help=f"play one player against {', '.join(LEVELS)}")
    _add_players(levels, "MODEL", LEVELS)
    _add_plan(levels)
    selfplay = commands.add_parser("selfplay", help="play one player against itself")
    _add_players(selfplay, "BOT", ())
    _add_hands(selfplay, "hands to play, each deal once (default: 2000)")
    _add_table(selfplay)
    _add_benchmark(commands.add_parser("benchmark", help="how fast is it? (docs/performance.md)"))
    return parser


def _make_resume_parser() -> argparse.ArgumentParser:
    parser = _Parser(prog=PROGRAM, description="Go on with an evaluation that was interrupted.")
    parser.add_argument(
        "--resume",
        type=Path,
        required=True,
        metavar="FOLDER",
        help="where --out put it; what is played, the folder says",
    )
    parser.set_defaults(command="resume", out=None)
    _add_running(parser)
    return parser


def _add_players(
    parser: argparse.ArgumentParser, metavar: str, others: Sequence[str] | None = None
) -> None:
    """The first player; the others too, where they are always the same."""
    parser.add_argument("a", metavar=metavar, help=_PLAYER_HELP)
    if others is not None:
        parser.set_defaults(others=others)


def _add_plan(parser: argparse.ArgumentParser) -> None:
    _add_hands(parser, _HANDS_HELP)
    parser.add_argument("--matches", type=_from_to(0, MOST), metavar="N", help=_MATCHES_HELP)
    parser.add_argument(
        "--until",
        type=_read_error,
        metavar="ERROR",
        help="stop hands and matches each as soon as it is decided who is better, with at most "
        "this chance to tell equal players apart (0.05, say); --hands and --matches are the most",
    )
    _add_table(parser)


def _add_hands(parser: argparse.ArgumentParser, meaning: str) -> None:
    parser.add_argument("--hands", type=_from_to(1, MOST), metavar="N", help=meaning)


def _add_table(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(resume=None)
    parser.add_argument(
        "--rules",
        default="standard",
        metavar="RULES",
        help="a preset of docs/rules.md or a YAML file of rule fields (default: standard)",
    )
    parser.add_argument(
        "--seed",
        type=_from_to(0, None),
        default=0,
        metavar="N",
        help="what the deals come from; the same seed, the same deals (default: 0)",
    )
    parser.add_argument(
        "--games",
        type=_from_to(1, MOST),
        metavar="N",
        help="deals of a part: played at once, by one worker, kept as a whole, and --until looks "
        "after each (default: 512 where a network plays, else 64 for hands and 8 for matches)",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FOLDER",
        help="keep what is played there, and write a report there (a new folder, such as "
        "runs/eval/NAME); an interrupted evaluation goes on with --resume FOLDER",
    )
    _add_running(parser)


def _add_running(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--workers",
        type=_from_to(1, MOST_WORKERS),
        default=1,
        metavar="N",
        help="processes that play; it changes the speed and not the result (default: 1)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results there too")
    parser.add_argument(
        "--record",
        type=Path,
        metavar="FILE",
        help="write every hand there (docs/history.md): a new file; with --resume, the same one",
    )


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


def _from_to(least: int, most: int | None) -> Callable[[str], int]:
    """A reader of whole numbers in a range."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least or (most is not None and number > most):
            allowed = f"from {least} on" if most is None or number < least else f"up to {most:,}"
            raise argparse.ArgumentTypeError(f"must be a whole number {allowed}, not {text!r}")
        return number

    return read


def _read_error(text: str) -> float:
    """Read a chance of an error."""
    try:
        error = float(text)
    except ValueError:
        error = 0.0
    if not 0 < error < 1:
        raise argparse.ArgumentTypeError(f"must be a number between 0 and 1, not {text!r}")
    return error
