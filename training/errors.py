"""Named errors of training: each message says what was wrong, where, and what would be right."""

from gin_env.errors import GinError


class ConfigError(GinError):
    """A training config that cannot be read, or a key or value in it that is not allowed."""


class RunError(GinError):
    """A run folder that is in the way, or that holds nothing to go on from."""


class NoLegalActionError(GinError):
    """Games in which the learner has nothing to choose from: a sample there would be noise."""


class LeagueError(GinError):
    """Games against a network that is not there."""


class ExportError(GinError):
    """A run that no agent can be made of, or a report that says nothing of it."""
