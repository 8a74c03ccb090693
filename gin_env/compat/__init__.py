"""Other projects' environments on this engine, for code that was written for them."""

from gin_env.compat import gin_rummy_v4

__all__ = ["gin_rummy_v4"]
