"""``python -m training CONFIG``: train a run, or go on with one (docs/training.md)."""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gin_env.errors import OptionError
from gin_env.support import command_line
from gin_env.support.command_line import INTERRUPTED, Command, Parser, import_add

if TYPE_CHECKING:
    from training.run.folder import Run

RUNS = "runs"
COMMANDS = {"export": Command("make an agent of a run", import_add("training.export.command"))}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code (`gin_env.support.command_line`)."""
    return command_line.main("python -m training", add_arguments, arguments)


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the command; or, where that is typed, the export."""
    parser.set_defaults(
        run=_run, extras="train", interrupted="interrupted; the last checkpoint is as it was"
    )
    if parser.typed[:1] == ["export"]:
        parser.add_commands(COMMANDS)
        return
    parser.description = "Train an agent with PPO; see docs/training.md."
    parser.epilog = f"To make an agent of a run that plays without torch: {parser.prog} export RUN."
    parser.add_argument("config", nargs="?", help="a YAML file, such as configs/train/quick.yaml")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        dest="settings",
        metavar="KEY=VALUE",
        help="set a key of the config, such as ppo.n_epochs=4; may be given again",
    )
    parser.add_argument(
        "--run", dest="folder", metavar="FOLDER", help="the run folder (runs/CONFIG-TIME)"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace the run that is there")
    parser.add_argument(
        "--resume",
        metavar="RUN",
        help="go on with a run from its last checkpoint; may set decisions and minutes",
    )


def _run(asked: argparse.Namespace) -> int:
    """Check what was typed, and train."""
    if asked.resume and (asked.config or asked.folder or asked.overwrite):
        raise OptionError(
            "--resume takes no config, --run or --overwrite: the run has its own config"
        )
    if not asked.resume and not asked.config:
        raise OptionError("give a config, or a run with --resume")
    # Threads that wait for each other are to sleep, not to spin: where other programs want the
    # processor too, spinning made training ten times slower. It must be said before torch loads.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    return _train(_resume(asked) if asked.resume else _start(asked))


def _start(asked: argparse.Namespace) -> "Run":
    """Make a new run. Nothing is written before all is known to be right."""
    from training.config.run_config import read_config  # noqa: PLC0415  (loads the engine)
    from training.run.folder import Run, check_free  # noqa: PLC0415

    config = read_config(asked.config, asked.settings)
    stamp = time.strftime("%Y%m%d-%H%M%S")
    folder = Path(asked.folder or Path(RUNS) / f"{Path(asked.config).stem}-{stamp}")
    check_free(folder, overwrite=asked.overwrite)
    from training.train import check_device, describe_run  # noqa: PLC0415  (torch takes seconds)

    check_device(config)
    return Run.create(folder, config, describe_run(config), overwrite=asked.overwrite)


def _resume(asked: argparse.Namespace) -> "Run":
    """Open a run that is there, with another budget if one is set."""
    from training.config.run_config import override_budget  # noqa: PLC0415  (loads the engine)
    from training.run.folder import Run  # noqa: PLC0415

    run = Run.open(asked.resume)
    run.check_config()
    if asked.settings:
        run.agents()  # whoever is gone is named before anything is written
        with run.hold():
            run.write_config(override_budget(run.config, asked.settings))
    return run


def _train(run: "Run") -> int:
    from rich.console import Console  # noqa: PLC0415  (--help need not wait for it)

    from training.run.callbacks import INTERRUPTED as STOPPED  # noqa: PLC0415
    from training.train import train  # noqa: PLC0415

    with run.hold():
        status = train(run, Console(stderr=True))
    facts = run.facts()
    n_decisions = facts["lessons"] + facts["decisions"]
    print(
        f"{status}: {n_decisions:,} decisions in {facts['seconds']:,.0f} s, "
        f"the model is in {run.path}"
    )
    return INTERRUPTED if status == STOPPED else 0


if __name__ == "__main__":
    sys.exit(main())
