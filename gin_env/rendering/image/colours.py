"""The colours of the pictures, red, green and blue from 0 to 255."""

Colour = tuple[int, int, int]

FELT = (24, 104, 70)
"""In the middle of the table."""
FELT_EDGE = (7, 44, 31)
RIM = (56, 34, 20)
"""The wood around it."""
PAPER = (252, 250, 243)
EDGE = (120, 116, 104)
"""Of a card."""
COURT = (247, 238, 212)
"""The ground of court cards."""
BACK = (140, 32, 46)
BACK_LINES = (236, 200, 190)
RED = (200, 26, 44)
BLACK = (24, 26, 32)
IVORY = (244, 240, 226)
"""Text."""
MUTED = (172, 198, 182)
"""Text of less weight."""
GOLD = (240, 198, 92)
"""The seat that the table is drawn for."""
SKY = (128, 190, 246)
"""The other seat."""
PANEL = (4, 26, 18)
"""Beneath text, half see-through."""
