"""The run folder, checkpoints, and what happens between updates."""

from training.run.folder import Run

__all__ = ["Run"]
