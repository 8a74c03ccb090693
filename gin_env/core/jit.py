"""How kernels are compiled: numba, cached on disk, valid for the whole package's sources.

Numba stamps a cache entry with the one file that defines the kernel, but compiles into it every
kernel that it calls; after a change in a callee's file the old machine code would run on. The stamp
used here is a hash of all kernel sources, so a change anywhere in them compiles anew; it is part of
the cache files' names, because numba cannot even open an index that refers to a class of old.
"""

import hashlib
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache as cache_in_memory
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numba import config, njit
from numba.core import event
from numba.core.caching import FunctionCache, IndexDataCacheFile

F = TypeVar("F", bound=Callable[..., Any])

IS_COMPILED = not config.DISABLE_JIT
"""False under ``NUMBA_DISABLE_JIT=1``: kernels then run as plain Python."""

int64 = cast("Callable[[Any], int]", np.int64)
"""``np.int64``, typed as the whole number that it is to a kernel's reader."""

STAMP_LENGTH = 12
CACHE_FILE_STAMP = re.compile(rf"-([0-9a-f]{{{STAMP_LENGTH}}})\.")

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}

COMPILING_NOTE = "gin_env: compiling kernels that are used for the first time (some seconds) ..."


def kernel(function: F) -> F:
    """Compile ``function`` in nopython mode when it is first called, and cache it on disk.

    Kernels only borrow arrays, so numba's runtime (``_nrt``) is off: it would count the references
    to every array that a row touches, atomically, which takes longer than the game does.

    Args:
        function: Row kernel; it allocates nothing and raises nothing.

    Returns:
        The numba dispatcher, or ``function`` itself under ``NUMBA_DISABLE_JIT=1``.
    """
    return _compile(function, _OPTIONS)


def allocating(function: F) -> F:
    """A kernel that makes arrays for itself, with numba's runtime on; it may call any kernel."""
    return _compile(function, {**_OPTIONS, "_nrt": True})


def inlined(function: F) -> F:
    """A kernel that becomes part of its callers instead of being compiled by itself.

    For what only passes work on: each level that is compiled anew optimizes all below it again.
    """
    return njit(inline="always")(function)  # type: ignore[no-any-return]


class _KernelCache(FunctionCache):  # type: ignore[misc]
    """A kernel's files. Damage is a miss, and what cannot be written is compiled at every start."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = _stamp_of(function.__code__.co_filename)
        name = f"{self._impl.filename_base}-{stamp[:STAMP_LENGTH]}"
        self._cache_file = IndexDataCacheFile(self.cache_path, name, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """See numba: the compiled kernel, or None."""
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # whatever reading a file that was cut or changed comes to
            self._say("cannot be read", error)
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """See numba."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            self._say("cannot be written", error)

    def _say(self, what: str, error: Exception) -> None:
        """Say what is wrong, once for each folder."""
        why = str(error) or type(error).__name__
        if (self.cache_path, what) not in _FAULTS_SAID:
            _FAULTS_SAID.add((self.cache_path, what))
            said = f"gin_env: the kernels in {self.cache_path} {what} ({why}); compiling them"
            print(said, file=sys.stderr, flush=True)


_FAULTS_SAID: set[tuple[str, str]] = set()


def _compile(function: F, options: dict[str, Any]) -> F:
    compiled = njit(**options)(function)
    if IS_COMPILED:
        with suppress(RuntimeError):  # no folder for a cache can be written to
            compiled._cache = _KernelCache(function)
    return compiled  # type: ignore[no-any-return]


@cache_in_memory
def _stamp_of(file: str) -> str:
    """The stamp of the kernels of a file: the package's, and outside also its own folder's."""
    folder = Path(file).parent
    if folder in _FOLDERS:
        return SOURCE_STAMP
    digest = hashlib.sha256(SOURCE_STAMP.encode())
    for path in sorted(folder.glob("*.py")):
        source = path.read_bytes()
        if b"gin_env.core.jit" in source:  # others define no kernels
            digest.update(source)
    return digest.hexdigest()


def _hash_sources() -> str:
    digest = hashlib.sha256()
    for folder in _FOLDERS:
        for path in sorted([*folder.glob("*.py"), *folder.glob("value.npz")]):
            digest.update(path.read_bytes())
    return digest.hexdigest()


class _CompilingNote(event.Listener):  # type: ignore[misc]
    """Print one line when the first kernel of this package has to be compiled."""

    def __init__(self) -> None:
        self.is_said = False
        self.folders: set[str] = set()

    def on_start(self, event: Any) -> None:
        """Say it once, however many kernels follow; and clear each cache folder of old ones."""
        compiled = event.data["dispatcher"]
        if not (compiled.py_func.__module__ or "").startswith("gin_env."):
            return
        if not self.is_said:
            self.is_said = True
            print(COMPILING_NOTE, file=sys.stderr, flush=True)
        folder = compiled._cache.cache_path  # None for what is not cached by itself
        if folder is not None and folder not in self.folders:
            self.folders.add(folder)
            _remove_stale(Path(folder), _stamp_of(compiled.py_func.__code__.co_filename))

    def on_end(self, event: Any) -> None:
        """Nothing to say: the caller's first result says it."""


def _remove_stale(folder: Path, now: str) -> None:
    """Delete the kernels that have another stamp than ``now`` from a cache folder."""
    for file in folder.glob("*.nb[ic]"):
        stamp = CACHE_FILE_STAMP.search(file.name)
        if stamp is not None and stamp[1] != now[:STAMP_LENGTH]:
            file.unlink(missing_ok=True)


_FOLDERS = tuple(
    Path(__file__).parent.parent / name for name in ("core", "bots", "agents", "table")
)
"""Where the package's kernels are defined."""
SOURCE_STAMP = _hash_sources()
event.register("numba:compile", _CompilingNote())
