"""Training and evaluation, which come with the library but are no part of it.

In a checkout `training` and `eval` are packages at its top. A wheel installs no packages of names
that common: there they lie in this folder, where only a program that calls `expose` finds them.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

NAMES = ("eval", "training")

_HERE = Path(__file__).resolve().parent
_CHECKOUT = _HERE.parent.parent


def expose() -> None:
    """Make `training` and `eval` importable in this program. Harmless where they are.

    Raises:
        ImportError: If other packages of these names have been imported already, or ours are not
            there.

    Example:
        >>> expose()
        >>> from eval.stats.estimates import describe_hands
    """
    folder = _HERE if (_HERE / NAMES[0]).is_dir() else _CHECKOUT
    if str(folder) not in sys.path[:1]:
        sys.path.insert(0, str(folder))
    for name in NAMES:
        found = _find(name)
        if found != folder / name:
            other = found or "something else"
            raise ImportError(f"gin_env's own {name} is wanted, but {name} is {other}")


def _find(name: str) -> Path | None:
    """The folder that a package is, or would be, imported from; None if it is no package."""
    try:
        spec = find_spec(name)
    except ValueError:  # what was imported under this name does not say where from
        return None
    places = None if spec is None else spec.submodule_search_locations
    return None if not places else Path(next(iter(places))).resolve()
