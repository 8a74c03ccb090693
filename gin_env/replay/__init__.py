"""Recorded hands to look at, action by action: in the terminal, and as a page for the browser."""

PERSPECTIVES = ("both", "0", "1")
"""Whose cards lie open: those of both seats, or what seat 0 or seat 1 sees."""
