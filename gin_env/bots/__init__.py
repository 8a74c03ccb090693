"""Bots by name. They decide from what their seat may see, and are compiled."""

from gin_env.bots.bot import Bot, is_bot, make, names, read

__all__ = ["Bot", "is_bot", "make", "names", "read"]
