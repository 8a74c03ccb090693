"""What every program does with an error, an interrupt and bytes that are no text."""

import argparse

import pytest

from gin_env.errors import GinError
from gin_env.support import command_line
from gin_env.support.command_line import BAD_INPUT, INTERRUPTED, Command, Parser
from tests.typed import Run, runner


def typed_line(capsys: pytest.CaptureFixture[str], error: BaseException) -> Run:
    """A program that ends so, whichever of its two commands is typed."""

    def run(args: argparse.Namespace) -> int:
        raise error

    def add(parser: Parser) -> None:
        parser.set_defaults(run=run)

    def add_more(parser: Parser) -> None:
        parser.set_defaults(run=run, extras="some", interrupted="stopped, all is kept")

    def add_both(parser: Parser) -> None:
        parser.add_commands({"plain": Command("", add), "more": Command("", add_more)})

    return runner(lambda typed: command_line.main("prog", add_both, typed), capsys)


@pytest.mark.parametrize(
    ("error", "code", "plain", "more"),
    [
        (GinError("two\n lines"), BAD_INPUT, "error: two lines", "error: two lines"),
        (OSError(28, "full"), BAD_INPUT, "error: [Errno 28] full", "error: [Errno 28] full"),
        (
            ImportError("no torch"),
            BAD_INPUT,
            "error: no torch",
            "error: no torch; pip install 'gin-env[some]' brings what is missing",
        ),
        (
            MemoryError("3 TiB"),
            BAD_INPUT,
            "error: not enough memory: 3 TiB",
            "error: not enough memory: 3 TiB",
        ),
        (KeyboardInterrupt(), INTERRUPTED, "interrupted", "stopped, all is kept"),
    ],
)
def test_error_is_one_line_that_names_the_program(
    capsys: pytest.CaptureFixture[str], error: BaseException, code: int, plain: str, more: str
) -> None:
    run = typed_line(capsys, error)
    assert run("plain") == (code, "", f"prog: {plain}\n")
    assert run("more") == (code, "", f"prog: {more}\n")


def test_word_that_is_no_text_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = typed_line(capsys, GinError())("plain", "runs/caf\udce9")
    assert (code, out) == (BAD_INPUT, "")
    assert err == "prog: error: 'runs/caf\\udce9' holds bytes that are no text\n"


def test_other_errors_are_faults_and_not_hidden(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ZeroDivisionError):
        typed_line(capsys, ZeroDivisionError())("plain")
