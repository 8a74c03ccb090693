"""The table for people: as text, in the terminal, as a picture."""
