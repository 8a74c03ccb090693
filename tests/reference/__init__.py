"""A slow, obvious and independent reading of the rules, to compare the kernels with.

Nothing here imports the library: it is a second opinion, in plain Python, on docs/rules.md.
"""
