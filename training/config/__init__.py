"""What a run trains: read from YAML and checked field by field."""

from training.config.run_config import Config, describe, override_budget, read_config, to_config

__all__ = ["Config", "describe", "override_budget", "read_config", "to_config"]
