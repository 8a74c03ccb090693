"""``python -m training CONFIG``: see docs/training.md."""

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from gin_env.core.errors import GinError
from training.config import Config, read_config, to_config
