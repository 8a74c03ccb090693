"""gin_env: Gin Rummy for reinforcement learning."""
