"""The error of evaluation: its message says what was wrong, where, and what would be right."""

from gin_env.errors import GinError


class EvalError(GinError):
    """An evaluation that cannot be kept, gone on with or worked out."""
