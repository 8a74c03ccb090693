"""Named errors of training: each message says what was wrong, where, and what would be right."""

from gin_env.errors import GinError


class ConfigError(GinError):
    """A training config that cannot be read, or a key or value in it that is not allowed."""


class RunError(GinError):
    """A run that cannot begin, go on or be played, or that no agent can be made of."""
