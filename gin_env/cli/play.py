"""``gin-env play``: the terminal game (docs/play.md)."""

import argparse
from pathlib import Path

from gin_env.core.rules import FIELDS, Rules
from gin_env.support.command_line import Parser, check_terminal, typed_as
from gin_env.support.options import SEED


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the command."""
    parser.description = (
        "Play Gin Rummy in the terminal. The match is saved after every action; the same command "
        "goes on with it."
    )
    parser.add_argument(
        "--opponent",
        metavar="WHO",
        help="a bot, also with options (hard:slack=3), an agent that ships, an agent's npz file, a "
        "run folder, a model zip, or program:COMMAND LINE; gin-env players lists names "
        "(default: hard)",
    )
    parser.add_argument(
        "--rules",
        metavar="RULES",
        help="a preset of docs/rules.md or a YAML file of rule fields (default: standard)",
    )
    parser.add_argument(
        "--target",
        type=typed_as(FIELDS["target"]),
        metavar="N",
        help="points that win the match",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--match", action="store_const", const="match", dest="episode", help="the default"
    )
    what.add_argument(
        "--hand", action="store_const", const="hand", dest="episode", help="a single hand"
    )
    parser.add_argument(
        "--seed",
        type=typed_as(SEED),
        metavar="N",
        help="what the deals of a new match come from: a whole number (default: a fresh one)",
    )
    start = parser.add_mutually_exclusive_group()
    start.add_argument("--resume", action="store_true", help="go on with the saved match")
    start.add_argument("--new", action="store_true", help="begin a new one, whatever is saved")
    parser.add_argument(
        "--save",
        type=Path,
        metavar="FILE",
        help="where the match is saved (default: match.json in the user's folder for state)",
    )
    parser.set_defaults(run=run, extras="play")


def run(args: argparse.Namespace) -> int:
    """Play, and return the exit code."""
    check_terminal("playing")
    from gin_env.play import app, saved, start  # noqa: PLC0415  (--help need not wait)

    file = saved.default_file() if args.save is None else args.save.absolute()
    wanted = start.StartOptions(
        file=file,
        opponent=args.opponent,
        rules=_read_rules(args.rules, args.target),
        episode=args.episode,
        seed=args.seed,
        resume=args.resume,
        new=args.new,
    )
    wanted.check()
    with saved.hold_match(file):
        word = app.play(wanted)
    if word:
        print(word)
    return 0


def _read_rules(text: str | None, target: int | None) -> Rules | None:
    """The rules that are asked for; None where nothing is said of them."""
    if text is None and target is None:
        return None
    rules = Rules.from_text(text or "standard")
    return rules if target is None else rules.replace(target=target)
