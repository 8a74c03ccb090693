"""Recorded hands to look at, action by action: in the terminal, and as a page for the browser."""
