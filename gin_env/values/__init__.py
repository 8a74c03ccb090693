"""What people and JSON see of a game: melds, results, saved games, messages to one seat."""
