"""Statistics of hands and matches: estimates, ratings, a sequential test."""
