"""The games to learn from, and whom the learner meets there."""
