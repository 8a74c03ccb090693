"""What a run does before PPO: imitation of a teacher, and playouts."""
