"""An agent's files out of a trained model."""
