"""The command line. It imports what a command needs only once the command is understood."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from gin_env.errors import OptionError
from gin_env.support import command_line
from gin_env.support.command_line import Command, Parser, import_add, typed_as
from gin_env.support.options import SEED, Number, Whole

LEVELS = ("easy", "medium", "hard")
MOST = 1_000_000_000
"""No number of hands, matches or games is larger."""
MOST_WORKERS = 1_000

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"

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
  {program} --resume FOLDER [--workers N] [--json FILE]

examples:
  {program} match hard medium --hands 20000
  {program} match runs/quick hard --matches 1000 --rules eaai --workers 4
  {program} ladder easy medium hard runs/quick --out runs/eval/ladder
  {program} levels runs/quick
  {program} selfplay simple --hands 200
  {program} benchmark --quick --only random deadwood
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code (`gin_env.support.command_line`)."""
    return command_line.main("python -m eval", add_arguments, arguments)


def add_arguments(parser: Parser) -> None:
    """Add the commands; or what is typed to go on with an evaluation."""
    parser.set_defaults(
        resume_command=f"{parser.prog} --resume",
        extras="train,eval",
        interrupted="stopped before there was anything to show",
    )
    if any(word.partition("=")[0] == "--resume" for word in parser.typed):
        _add_resume(parser)
        return
    parser.description = "Who plays better, and how sure is it? (docs/evaluation.md)"
    parser.epilog = _EXAMPLES.format(program=parser.prog)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_commands(COMMANDS)


def add_benchmark(parser: Parser) -> None:
    """Add the arguments of the benchmark, which no wheel holds.

    Raises:
        OptionError: If it is not there.
    """
    if not BENCHMARKS.is_dir():
        raise OptionError("the benchmark comes with a checkout of the sources, not with a wheel")
    import_add("benchmarks.command")(parser)


def _run(args: argparse.Namespace) -> int:
    # One thread a process: then a network's sums do not depend on how many processes there are.
    # It must be said before torch loads.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    from eval.commands import run  # noqa: PLC0415  (--help need not wait for it)

    return run(args)


def _add_match(parser: Parser) -> None:
    _add_players(parser, "A")
    parser.add_argument("others", nargs=1, metavar="B", help="likewise")
    _add_plan(parser)


def _add_ladder(parser: Parser) -> None:
    _add_players(parser, "A")
    parser.add_argument("others", nargs="+", metavar="B", help="likewise, one or more")
    _add_plan(parser)


def _add_levels(parser: Parser) -> None:
    _add_players(parser, "MODEL", LEVELS)
    _add_plan(parser)


def _add_selfplay(parser: Parser) -> None:
    _add_players(parser, "BOT", ())
    _add_hands(parser, "hands to play, each deal once (default: 2000)")
    _add_table(parser)


def _add_resume(parser: Parser) -> None:
    parser.description = "Go on with an evaluation that was interrupted."
    parser.add_argument(
        "--resume",
        type=Path,
        required=True,
        metavar="FOLDER",
        help="where --out put it; what is played, the folder says",
    )
    parser.set_defaults(command="resume", out=None)
    _add_running(parser)


def _add_players(parser: Parser, metavar: str, others: Sequence[str] | None = None) -> None:
    """The first player; the others too, where they are always the same."""
    parser.add_argument("a", metavar=metavar, help=_PLAYER_HELP)
    if others is not None:
        parser.set_defaults(others=others)


def _add_plan(parser: Parser) -> None:
    _add_hands(parser, _HANDS_HELP)
    parser.add_argument("--matches", type=typed_as(Whole(0, MOST)), metavar="N", help=_MATCHES_HELP)
    parser.add_argument(
        "--until",
        type=typed_as(Number(1e-9, 0.999)),
        metavar="ERROR",
        help="stop hands and matches each as soon as it is decided who is better, with at most "
        "this chance to tell equal players apart (0.05, say); --hands and --matches are the most",
    )
    _add_table(parser)


def _add_hands(parser: Parser, meaning: str) -> None:
    parser.add_argument("--hands", type=typed_as(Whole(1, MOST)), metavar="N", help=meaning)


def _add_table(parser: Parser) -> None:
    parser.set_defaults(resume=None)
    parser.add_argument(
        "--rules",
        default="standard",
        metavar="RULES",
        help="a preset of docs/rules.md or a YAML file of rule fields (default: standard)",
    )
    parser.add_argument(
        "--seed",
        type=typed_as(SEED),
        default=0,
        metavar="N",
        help="what the deals come from; the same seed, the same deals (default: 0)",
    )
    parser.add_argument(
        "--games",
        type=typed_as(Whole(1, MOST)),
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


def _add_running(parser: Parser) -> None:
    parser.set_defaults(run=_run)
    parser.add_argument(
        "--workers",
        type=typed_as(Whole(1, MOST_WORKERS)),
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


COMMANDS = {
    "match": Command("play A against B", _add_match),
    "ladder": Command("play all against all, and rate them", _add_ladder),
    "levels": Command(f"play one player against {', '.join(LEVELS)}", _add_levels),
    "selfplay": Command("play one player against itself", _add_selfplay),
    "benchmark": Command("how fast is it? (docs/performance.md)", add_benchmark),
}
