"""The errors of gin_env: each message says what was wrong, where, and what would be right."""


class GinError(ValueError):
    """Base class of every error that gin_env raises on bad input."""


class CardError(GinError):
    """A card text, id or mask that names no card, or the same card twice."""


class RulesError(GinError):
    """An unknown preset, an unknown rule field, or a value outside a field's range."""


class DealError(GinError):
    """A deal that is not 52 cards, ten to each seat, one upcard and 31 in the stock."""


class IllegalActionError(GinError):
    """An action that the rules do not allow in this state."""


class BatchError(GinError):
    """An array with the wrong shape, dtype or layout for a batch of games."""


class BotError(GinError):
    """An unknown bot, or an option that it does not have or that is outside its range."""


class MeldError(GinError):
    """Cards given as a meld that are neither a set nor a run."""


class SeatError(GinError):
    """A seat or a dealer that is neither 0 nor 1, or an unknown agent."""


class SeedError(GinError):
    """A seed that is no whole number from 0 to 2**64 - 1."""


class OptionError(GinError):
    """An option of an environment that is unknown or outside what it takes."""


class MatchError(GinError):
    """A next hand was asked for where there is none."""


class GameTextError(GinError):
    """A text that holds no game: broken, of another version, or of a game that cannot be."""


class EpisodeOverError(GinError, KeyError):
    """Something was asked of agents that have left; PettingZoo raises a KeyError there."""

    __str__ = GinError.__str__


class PlayerError(GinError):
    """Something that cannot sit down as a player: no bot, no agent's file, no callable."""


class RenderModeError(OptionError, TypeError):
    """A render mode that an environment does not have; Stable-Baselines3 looks for a TypeError."""


class HistoryError(GinError):
    """A hand history that cannot be read, or written, or that the engine does not agree with.

    Attributes:
        line: The number of the line, from 1; None where it is not about one.
    """

    line: int | None

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message if line is None else f"line {line}: {message}")
        self.line = line


class FieldError(GinError):
    """A JSON text, or a field of it, that is not what it should be."""


class OutputError(GinError):
    """A file or a terminal that cannot be used for what is to be written there."""


class PillowMissingError(GinError, ImportError):
    """A picture was asked for, and Pillow is not installed."""
