"""``python -m eval benchmark``: how fast everything is, beside what else there is.

All figures of one run come from one thread, pinned to one core where the system allows that
(docs/performance.md).
"""
