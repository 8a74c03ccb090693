"""Files that are there whole or not at all."""

import os
from pathlib import Path

from gin_env.core.errors import GinError

TEMPORARY = ".tmp"
"""How the name of a file ends while it is being written."""


class OutputError(GinError):
    """A file that cannot be written."""


def write_whole(file: Path, content: bytes) -> None:
    """Write a file so that at every moment either the old one is there or the new one, whole.

    Raises:
        OutputError: If it cannot be written.
    """
    beside = file.with_name(file.name + TEMPORARY)
    try:
        with beside.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())  # or the new name might be on the disk before its content
        beside.replace(file)
    except OSError as error:
        raise OutputError(f"cannot write {str(file)!r}: {error.strerror}") from error
