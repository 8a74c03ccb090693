"""What can be measured, by name. It imports nothing, so that ``--help`` need not wait."""

SUITES = {
    "random": "random legal play through batches of 1 to 8192 games",
    "aec": "the PettingZoo face",
    "peers": "other environments on the same work, if `make bench-peers` has been run",
    "hands": "whole hands of `simple` against itself",
    "hard": "decisions of `hard` against itself",
    "deadwood": "exact deadwood of one hand",
    "vector": "the Gymnasium vector face against `medium`",
    "training": "a MaskablePPO run, and the environment's share of it",
    "memory": "bytes of a game",
    "start": "from an interpreter's start to the first observation",
    "breakdown": "what the parts of a decision cost",
}
"""In the order in which they are measured: the peers right after what they are compared with."""
