"""Who plays, and what is kept of each hand and match."""
