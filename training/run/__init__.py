"""The run folder, checkpoints, and what happens between updates."""
