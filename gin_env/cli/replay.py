"""``gin-env replay``: recorded hands, action by action (docs/history.md)."""

import argparse
import os
from contextlib import closing
from itertools import islice
from pathlib import Path

from gin_env.errors import HistoryError, OutputError
from gin_env.replay import PERSPECTIVES
from gin_env.support.command_line import Parser, check_terminal, typed_as
from gin_env.support.options import Whole

MOST_HANDS = 200
"""Hands on a page where nothing else is asked for: about a megabyte."""


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the command."""
    parser.description = (
        "Step through recorded hands in the terminal, or make a page of them. Left and right: "
        "actions; up and down: hands; Home and End: the deal and the end of a hand; p: whose cards "
        "lie open; q: leave."
    )
    parser.add_argument("file", metavar="FILE", help="a hand history (docs/history.md)")
    parser.add_argument(
        "--perspective",
        choices=PERSPECTIVES,
        default="both",
        help="whose cards lie open: both, or what seat 0 or seat 1 sees; a page of one seat holds "
        "nothing else (default: both)",
    )
    parser.add_argument(
        "--hand",
        type=typed_as(Whole(1)),
        default=1,
        metavar="N",
        help="begin with this hand (default: 1)",
    )
    parser.add_argument(
        "--html",
        type=Path,
        metavar="OUT",
        help="write one page for a browser, that needs no network",
    )
    parser.add_argument(
        "--most",
        type=typed_as(Whole(1)),
        default=MOST_HANDS,
        metavar="N",
        help="no more hands than this on the page (default: %(default)s)",
    )
    parser.set_defaults(run=run, extras="play")


def run(args: argparse.Namespace) -> int:
    """Show the hands, and return the exit code."""
    return _write_page(args) if args.html is not None else _show(args)


def _write_page(args: argparse.Namespace) -> int:
    from gin_env.history import read  # noqa: PLC0415  (loads the engine)
    from gin_env.replay.page import write_page  # noqa: PLC0415

    if os.path.realpath(args.html) == os.path.realpath(args.file):
        raise OutputError(f"--html {str(args.html)!r} would replace the hands themselves")
    with closing(read(args.file)) as hands:
        chosen = islice(hands, args.hand - 1, args.hand - 1 + args.most)
        page = write_page(args.html, chosen, Path(args.file).name, args.perspective, args.hand)
        is_more = page.problem is None and next(hands, None) is not None
    said = f"{args.html}: {page.n_hands:,} {'hand' if page.n_hands == 1 else 'hands'}"
    print(said + (f"; there are more (--hand {args.hand + page.n_hands})" if is_more else ""))
    if page.problem is not None:
        raise HistoryError(f"{args.file}: {page.problem}")
    return 0


def _show(args: argparse.Namespace) -> int:
    check_terminal("stepping through hands", "; --html needs none")
    from gin_env.history import read  # noqa: PLC0415  (loads the engine)
    from gin_env.replay.browser import ReplayApp  # noqa: PLC0415  (only this needs it)

    with closing(read(args.file)) as hands:
        app = ReplayApp(hands, Path(args.file).name, args.perspective, args.hand)
        app.run()
    return app.return_code or 0
