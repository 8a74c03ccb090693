"""Hand histories: JSON lines, one hand a line, described in docs/history.md.

`read` yields the hands of a file, `verify` plays them again through the engine. Files are written
by whatever takes ``record=path``: every face, and ``python -m eval``.
"""

from gin_env.errors import HistoryError
from gin_env.history.hand import FORFEIT_TEXT, VERSION, Hand, name_preset, read_line, write_line
from gin_env.history.lines import Writer, read
from gin_env.history.recorder import Recorder, make_hand
from gin_env.history.verify import check_hand, find_deck, play_again, verify

__all__ = [
    "FORFEIT_TEXT",
    "VERSION",
    "Hand",
    "HistoryError",
    "Recorder",
    "Writer",
    "check_hand",
    "find_deck",
    "make_hand",
    "name_preset",
    "play_again",
    "read",
    "read_line",
    "verify",
    "write_line",
]
