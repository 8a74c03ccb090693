"""``python -m training CONFIG``: train a run, or go on with one (docs/training.md)."""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from gin_env.errors import GinError
from training.config.run_config import override_budget, read_config
from training.export import command as export_cli
from training.run.folder import Run, check_free

RUNS = "runs"
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130
"""As a shell has it for Ctrl-C."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns its exit status."""
    typed = sys.argv[1:] if arguments is None else list(arguments)
    if typed[:1] == ["export"]:
        return export_cli.main(typed[1:])
    asked = _parse(typed)
    # Threads that wait for each other are to sleep, not to spin: where other programs want the
    # processor too, spinning made training ten times slower. It must be said before torch loads.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        run = _resume(asked) if asked.resume else _start(asked)
        return _train(run)
    except GinError as error:
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        return EXIT_BAD_INPUT
    except ImportError as error:
        print(
            f"error: {error}; pip install 'gin-env[train]' brings what is missing", file=sys.stderr
        )
        return EXIT_BAD_INPUT
    except MemoryError as error:
        print(f"error: not enough memory for this config: {error}", file=sys.stderr)
        return EXIT_BAD_INPUT
    except KeyboardInterrupt:
        print("interrupted; the last checkpoint is as it was", file=sys.stderr)
        return EXIT_INTERRUPTED


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m training",
        description="Train an agent with PPO; see docs/training.md.",
        epilog="To make an agent of a run that plays without torch: python -m training export RUN.",
    )
    parser.add_argument("config", nargs="?", help="a YAML file, such as configs/train/quick.yaml")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        dest="settings",
        metavar="KEY=VALUE",
        help="set a key of the config, such as ppo.n_epochs=4; may be given again",
    )
    parser.add_argument("--run", metavar="FOLDER", help="the run folder (runs/CONFIG-TIME)")
    parser.add_argument("--overwrite", action="store_true", help="replace the run that is there")
    parser.add_argument(
        "--resume",
        metavar="RUN",
        help="go on with a run from its last checkpoint; may set decisions and minutes",
    )
    asked = parser.parse_args(arguments)
    if asked.resume and (asked.config or asked.run or asked.overwrite):
        parser.error("--resume takes no config, --run or --overwrite: the run has its own config")
    if not asked.resume and not asked.config:
        parser.error("give a config, or a run with --resume")
    return asked


def _start(asked: argparse.Namespace) -> Run:
    """Make a new run. Nothing is written before all is known to be right."""
    config = read_config(asked.config, asked.settings)
    stamp = time.strftime("%Y%m%d-%H%M%S")
    folder = Path(asked.run or Path(RUNS) / f"{Path(asked.config).stem}-{stamp}")
    check_free(folder, overwrite=asked.overwrite)
    from training.train import check_device, describe_run  # noqa: PLC0415  (torch takes seconds)

    check_device(config)
    return Run.create(folder, config, describe_run(config), overwrite=asked.overwrite)


def _resume(asked: argparse.Namespace) -> Run:
    """Open a run that is there, with another budget if one is set."""
    run = Run.open(asked.resume)
    run.check_config()
    if asked.settings:
        run.agents()  # whoever is gone is named before anything is written
        with run.hold():
            run.write_config(override_budget(run.config, asked.settings))
    return run


def _train(run: Run) -> int:
    from rich.console import Console  # noqa: PLC0415  (--help need not wait for it)

    from training.run.callbacks import INTERRUPTED  # noqa: PLC0415
    from training.train import train  # noqa: PLC0415

    with run.hold():
        status = train(run, Console(stderr=True))
    facts = run.facts()
    n_decisions = facts["lessons"] + facts["decisions"]
    print(
        f"{status}: {n_decisions:,} decisions in {facts['seconds']:,.0f} s, "
        f"the model is in {run.path}"
    )
    return EXIT_INTERRUPTED if status == INTERRUPTED else 0


if __name__ == "__main__":
    sys.exit(main())
