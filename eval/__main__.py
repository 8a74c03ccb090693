"""``python -m eval``: see `eval.cli`."""

import sys

from eval.cli import main

if __name__ == "__main__":  # a worker imports this file too
    sys.exit(main())
