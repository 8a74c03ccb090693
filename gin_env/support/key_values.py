"""Texts of keys and values: JSON and YAML in which no key may stand twice."""

import json
import re
from collections.abc import Iterable
from typing import Any

from gin_env.support.options import short


def unique(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """Make a mapping of pairs of key and value.

    Raises:
        ValueError: If a key stands twice; the second would silently replace the first.
    """
    found: dict[Any, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"{short(key)} stands there twice")
        found[key] = value
    return found


def load_json(text: str | bytes) -> Any:
    """Read JSON.

    Raises:
        ValueError: If the text is none, or a key stands twice in it; RecursionError: if it is
            nested too deeply.
    """
    return json.loads(text, object_pairs_hook=unique)


def load_yaml(text: str) -> Any:
    """Read YAML. Numbers may be written ``1e4``, which YAML 1.1 takes for text.

    Raises:
        ValueError: If the text is none, or a key stands twice in it.
    """
    import yaml  # noqa: PLC0415  (only files need it)

    class Loader(yaml.SafeLoader):
        """Refuses keys that stand twice, and reads numbers with exponents."""

        def flatten_mapping(self, node: Any) -> None:
            """Check the keys as they are written, before others are merged into them."""
            keys = [key for key, _ in node.value if key.tag != _MERGE]
            unique((self.construct_object(key, deep=True), None) for key in keys)
            super().flatten_mapping(node)

        def construct_number(self, node: Any) -> float:
            """A number; with an exponent it may be a whole one."""
            value: float = self.construct_yaml_float(node)
            is_whole = "e" in node.value.lower() and value.is_integer()
            return int(value) if is_whole else value

    exponent = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+$")
    Loader.add_implicit_resolver(_FLOAT, exponent, list("-+.0123456789"))
    Loader.add_constructor(_FLOAT, Loader.construct_number)
    try:
        return yaml.load(text, Loader)
    except ValueError:
        raise
    except Exception as error:  # of some odd texts the reader makes odd errors
        raise ValueError(" ".join(str(error).split()) or type(error).__name__) from error


_FLOAT, _MERGE = "tag:yaml.org,2002:float", "tag:yaml.org,2002:merge"
