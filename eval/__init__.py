"""Who plays better, and how sure is it? `python -m eval --help` (docs/evaluation.md)."""
