"""What the played hands and matches say, and how surely."""
