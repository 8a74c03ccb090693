"""Training with PPO: ``python -m training CONFIG`` (docs/training.md)."""
