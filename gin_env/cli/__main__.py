"""``python -m gin_env.cli``: as ``gin-env``."""

import sys

from gin_env.cli.main import main

if __name__ == "__main__":  # a worker of an evaluation imports this file too
    sys.exit(main())
