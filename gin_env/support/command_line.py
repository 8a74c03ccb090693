"""What every command line here shares: exit codes, errors in one line, and commands by name.

A command is added by a function ``add(parser)``, which gives its parser arguments, a description
and defaults: ``run``, which takes the parsed arguments and returns the exit code; and, where they
apply, ``extras``, the extras of gin-env that it needs, and ``interrupted``, what to say of an
interrupt. Such a function is called only once its command is typed, and what is heavy is imported
only in ``run``: no help and no mistake waits for it.
"""

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple, NoReturn

from gin_env.errors import GinError, OptionError, OutputError
from gin_env.support.options import Number, Option, Whole, check_known, short

FAULTY = 1
"""A file that was verified is damaged, or the engine does not agree with it."""
BAD_INPUT = 2
INTERRUPTED = 130
"""Exit codes; 0 is success. The last is what a shell has for Ctrl-C."""

Add = Callable[["Parser"], None]


class Command(NamedTuple):
    """A command: what its program's help says of it, and what adds its arguments."""

    help: str
    add: Add


class Parser(argparse.ArgumentParser):
    """A parser of one program; it says what was wrong in one line, without the usage.

    Args:
        program: What was typed to start the program.
        add: Adds the arguments, once this parser is asked to parse.
        options: Of `argparse.ArgumentParser`.

    Attributes:
        typed: What was typed after its command.
    """

    typed: Sequence[str] = ()

    def __init__(self, *, program: str, add: Add, **options: Any) -> None:
        super().__init__(**options)
        self.program = program
        self._add: Add | None = add

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Add the arguments first, unless they are there."""
        if self._add is not None:
            add, self._add = self._add, None
            self.typed = args
            add(self)
        return super().parse_known_args(args, namespace)

    def add_commands(self, commands: Mapping[str, Command]) -> None:
        """Add commands; where none is typed, the help is printed."""
        self.set_defaults(run=self._print_help)
        subparsers = self.add_subparsers(dest="command", metavar="COMMAND")
        for name, command in commands.items():
            subparsers.add_parser(name, help=command.help, program=self.program, add=command.add)

    def error(self, message: str) -> NoReturn:
        """Leave with the exit code for bad input."""
        sys.exit(fail(self.program, f"{message} (see {self.prog} --help)"))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Name the nearest choice too, which argparse does only from Python 3.14 on."""
        if action.choices is not None:
            what = "command" if action.dest == "command" else "value"
            try:
                check_known(what, value, [*action.choices])
            except OptionError as error:
                raise argparse.ArgumentError(action, str(error)) from error

    def _print_help(self, args: argparse.Namespace) -> int:  # noqa: ARG002
        self.print_help()
        return 0


def main(program: str, add: Add, arguments: Sequence[str] | None = None) -> int:
    """Parse what was typed, and run it.

    Args:
        program: What was typed to start the program.
        add: Adds its arguments to a parser.
        arguments: What was typed after that; None: what this process was started with.

    Returns:
        The exit code.
    """
    typed = sys.argv[1:] if arguments is None else list(arguments)
    args = argparse.Namespace(program=program)
    try:
        for word in typed:
            _check_text(word)
        Parser(prog=program, program=program, add=add).parse_args(typed, args)
        return int(args.run(args))
    except (GinError, OSError) as error:  # OSError: a full disk, a name that is too long
        return fail(program, str(error))
    except ImportError as error:
        extras = getattr(args, "extras", None)
        hint = f"; pip install 'gin-env[{extras}]' brings what is missing" if extras else ""
        return fail(program, f"{error}{hint}")
    except MemoryError as error:
        return fail(program, f"not enough memory: {error}")
    except KeyboardInterrupt:
        print(f"{program}: {getattr(args, 'interrupted', 'interrupted')}", file=sys.stderr)
        return INTERRUPTED


def fail(program: str, message: str) -> int:
    """Say in one line on stderr what was wrong. Returns the exit code for it."""
    print(f"{program}: error: {' '.join(message.split())}", file=sys.stderr)
    return BAD_INPUT


def import_add(module: str, function: str = "add_arguments") -> Add:
    """A function that adds a command, found only when it is called."""

    def add(parser: Parser) -> None:
        getattr(import_module(module), function)(parser)

    return add


def typed_as(option: Option) -> Callable[[str], Any]:
    """A reader of what an option takes, for `argparse.ArgumentParser.add_argument`."""
    kinds: dict[type[Option], Callable[[str], Any]] = {Whole: int, Number: float}

    def read(text: str) -> Any:
        try:
            return option.read(kinds.get(type(option), str)(text))
        except (ValueError, TypeError, OverflowError):
            said = f"must be {option.describe()}, not {short(text)}"
            raise argparse.ArgumentTypeError(said) from None

    return read


def check_terminal(what: str, otherwise: str = "") -> None:
    """Check that text can be placed where the program was started.

    Args:
        what: What needs that.
        otherwise: What needs none.

    Raises:
        OutputError: If it cannot.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise OutputError(f"{what} needs a terminal, and this is none{otherwise}")
    if os.environ.get("TERM", "") in ("", "dumb", "unknown"):
        raise OutputError(
            f"{what} needs a terminal that can place text; TERM says that this one cannot"
            f"{otherwise}"
        )


def _check_text(word: str) -> None:
    """Refuse bytes that are no text in the terminal's encoding: they cannot be written again."""
    try:
        word.encode()
    except UnicodeEncodeError:
        raise OptionError(f"{short(word)} holds bytes that are no text") from None
