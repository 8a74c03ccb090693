"""Players at their seats in many games: asking, telling, recording, paying."""
