"""For all tests: signals as a terminal gives them to a program."""

import signal
from collections.abc import Iterator

import pytest

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(scope="session", autouse=True)
def hear_signals() -> Iterator[None]:
    """Hear signals that whoever started the tests had ignored, as ``nohup`` does.

    Children inherit what is ignored, and then ignore what a test sends them.
    """
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number, handler in before.items():
        if handler == signal.SIG_IGN:
            is_interrupt = number == signal.SIGINT
            signal.signal(number, signal.default_int_handler if is_interrupt else signal.SIG_DFL)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
