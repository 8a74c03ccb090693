"""What subcommands that draw on the terminal need of it."""

import os
import sys

from gin_env.errors import GinError


class TerminalError(GinError):
    """A terminal that is none, or not enough of one, or that nothing installed can draw on."""


def check_terminal(what: str, otherwise: str = "") -> None:
    """Check that text can be placed where the program was started.

    Args:
        what: What needs that.
        otherwise: What needs none.

    Raises:
        TerminalError: If it cannot.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise TerminalError(f"{what} needs a terminal, and this is none{otherwise}")
    if os.environ.get("TERM", "") in ("", "dumb", "unknown"):
        raise TerminalError(
            f"{what} needs a terminal that can place text; TERM says that this one cannot"
            f"{otherwise}"
        )


def name_extra(error: ImportError) -> TerminalError:
    """Say which extra brings what could not be imported."""
    return TerminalError(f"{error}; pip install 'gin-env[play]' brings what is missing")
