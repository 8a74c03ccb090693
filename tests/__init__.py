"""The tests; they mirror the packages."""

from pathlib import Path

ROOT = Path(__file__).parent.parent
"""Of the checkout."""
