"""An agent's file: an npz of its arrays, with its metadata as the header (docs/agents.md).

Nothing in it is ever unpickled, and no size that it states is believed before it is checked.
"""

import io
import json
import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.lib import format as npy

from gin_env.agents.metadata import check_metadata
from gin_env.agents.network import Network
from gin_env.errors import PlayerError
from gin_env.support.key_values import load_json

SUFFIX = ".npz"
MAX_BYTES = 5_000_000
"""Neither a file nor what it holds, unpacked, is larger."""

HEADER = "header"
"""Name of the array that holds the metadata: UTF-8 JSON, as bytes."""

_NPY = ".npy"
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_READERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


class Agent(NamedTuple):
    """A trained agent."""

    metadata: dict[str, Any]
    network: Network
    content: bytes
    """Its file."""


def dump_agent(metadata: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """Make an agent's file; the same metadata and arrays make the same bytes.

    Raises:
        PlayerError: If it could not be read back.
    """
    header = np.frombuffer(json.dumps(metadata, allow_nan=False).encode(), np.uint8)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **{HEADER: header, **arrays})  # type: ignore[arg-type]
    content = buffer.getvalue()
    parse_agent(content)
    return content


def read_agent(file: str | Path) -> Agent:
    """Read an agent's file.

    Raises:
        PlayerError: If it cannot be read as one; it says what was found and what was expected.
    """
    path = Path(file)
    try:
        if path.is_fifo():  # it would be waited for
            raise PlayerError(f"cannot read {str(file)!r}: it is a pipe")
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise PlayerError(f"cannot read {str(file)!r}: {error.strerror}") from error
    try:
        return parse_agent(content)
    except PlayerError as error:
        raise PlayerError(f"{str(file)!r} is no agent that can be played: {error}") from error


def parse_agent(content: bytes) -> Agent:
    """Read the bytes of an agent's file.

    Raises:
        PlayerError: As `read_agent`, without the file's name.
    """
    members = _unzip(content)
    if HEADER not in members:
        raise PlayerError(f"it holds no array {HEADER!r}")
    metadata = _read_header(members.pop(HEADER))
    try:
        spec = check_metadata(metadata)
    except RecursionError as error:
        raise PlayerError("its header is nested too deeply") from error
    missing, unknown = sorted(spec.shapes.keys() - members), sorted(members.keys() - spec.shapes)
    if missing or unknown:
        raise PlayerError(
            "it holds other arrays than its network has: "
            f"missing {missing}, unknown {unknown!r:.80}"
        )
    arrays = {name: _read_weights(name, members[name], spec.shapes[name]) for name in spec.shapes}
    return Agent(metadata, Network(spec, arrays), content)


def _unzip(content: bytes) -> dict[str, bytes]:
    """The files of an npz by the names of their arrays, unpacked."""
    if len(content) > MAX_BYTES:
        raise PlayerError(f"it is larger than {MAX_BYTES:,} bytes")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            _check_entries(entries)
            return {entry.filename.removesuffix(_NPY): _unpack(archive, entry) for entry in entries}
    except PlayerError:
        raise
    except Exception as error:  # a broken zip may raise anything
        raise PlayerError(f"it is not a whole npz file: {error}") from error


def _check_entries(entries: list[zipfile.ZipInfo]) -> None:
    """Check what an archive says that it holds; no more than that is unpacked."""
    names = [entry.filename for entry in entries]
    if len(set(names)) < len(names) or not all(name.endswith(_NPY) for name in names):
        raise PlayerError(f"it holds other files than {_NPY} files, each once")
    if any(entry.compress_type not in _METHODS for entry in entries):
        raise PlayerError("it is packed otherwise than by deflate")
    if sum(entry.file_size for entry in entries) > MAX_BYTES:
        raise PlayerError(f"it unpacks to more than {MAX_BYTES:,} bytes")


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    with archive.open(entry) as stream:
        # With a size: without one, all is unpacked before the declared size cuts it off.
        return stream.read(entry.file_size + 1)


def _read_header(member: bytes) -> Any:
    shape, dtype, data = _split(HEADER, member)
    if dtype != np.uint8 or shape != (len(data),):
        raise PlayerError(
            f"its array {HEADER!r} is {dtype} of shape {shape}; expected uint8 of ({len(data)},)"
        )
    try:
        return load_json(data.decode())
    except (ValueError, RecursionError) as error:
        raise PlayerError(f"its header is no JSON: {error}") from error


def _read_weights(name: str, member: bytes, expected: tuple[int, ...]) -> np.ndarray:
    shape, dtype, data = _split(name, member)
    if dtype != np.dtype("<f4") or shape != expected:
        raise PlayerError(
            f"its array {name!r} is {dtype} of shape {shape}; expected float32 of {expected}"
        )
    if len(data) != 4 * math.prod(shape):
        raise PlayerError(f"its array {name!r} holds {len(data)} bytes for a shape of {shape}")
    array = np.frombuffer(data, np.dtype("<f4")).reshape(shape)
    if not np.isfinite(array).all():
        raise PlayerError(f"its array {name!r} holds numbers that are not finite")
    return array


def _split(name: str, member: bytes) -> tuple[tuple[int, ...], np.dtype[Any], bytes]:
    """What an npy file says that it holds, and its data as they are: nothing is unpickled."""
    stream = io.BytesIO(member)
    try:
        reader = _READERS[npy.read_magic(stream)]
        shape, is_fortran, dtype = reader(stream)
    except Exception as error:  # it is parsed as Python text, which may raise anything
        raise PlayerError(f"its array {name!r} cannot be read: {error}") from error
    if is_fortran:
        raise PlayerError(f"its array {name!r} lies column by column; expected row by row")
    return shape, dtype, stream.read()
