"""Make an agent that plays without torch: ``python -m training export RUN`` (docs/agents.md)."""

import argparse
import os
import re
import unicodedata
from pathlib import Path

from gin_env.support.command_line import Parser
from gin_env.support.files import write_whole
from training.errors import RunError

MAX_NAME = 64
NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9_.-]{{0,{MAX_NAME - 1}}}")
MODEL_CARD = "MODEL_CARD.md"


def add_arguments(parser: Parser) -> None:
    """Add the arguments of the command."""
    parser.description = (
        "Write a trained policy as NAME.npz, which is played without torch, with its card "
        "NAME.json, as NAME.onnx, and a MODEL_CARD.md; see docs/agents.md."
    )
    parser.add_argument(
        "run_folder",
        metavar="RUN",
        help="a run folder, of which best.zip is taken, or model.zip where there is no best yet; "
        "or one of these files. Such files are pickles: take only those that you trust",
    )
    parser.add_argument("--out", metavar="FOLDER", help="where to write (RUN/export)")
    parser.add_argument("--name", metavar="NAME", help="what to call it (the run folder's name)")
    parser.add_argument(
        "--report",
        action="append",
        default=[],
        metavar="FILE",
        help="take how strong it is from the JSON of an evaluation rather than from the panel of "
        "its training; may be given again",
    )
    parser.add_argument("--overwrite", action="store_true", help="replace files that are there")
    parser.set_defaults(run=run, extras="train,export", interrupted="interrupted")


def run(args: argparse.Namespace) -> int:
    """Make the agent, and return the exit code."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch loads: there is little to compute
    from gin_env.players import EXPORTS  # noqa: PLC0415  (loads the engine)
    from training.run.folder import Run  # noqa: PLC0415

    model = _find_model(args.run_folder)
    run = Run.open(model.parent)
    name = _check_name(name_of(run.path) if args.name is None else args.name)
    out = Path(args.out or run.path / EXPORTS)
    _check_free(out, name, overwrite=args.overwrite)
    from training.export.make_agent import make_agent  # noqa: PLC0415  (torch takes seconds)

    before = out / f"{name}.npz"
    made = make_agent(run, model, name, args.report, before if before.is_file() else None)
    out.mkdir(parents=True, exist_ok=True)
    for file, content in zip(_files(out, name), made, strict=True):
        write_whole(file, content)
    print(f"{model} is now {', '.join(str(file) for file in _files(out, name))}")
    return 0


def _find_model(text: str) -> Path:
    """The Stable-Baselines3 zip that is meant."""
    from gin_env.players import MODEL_FILE  # noqa: PLC0415  (loads the engine)
    from training.run.folder import BEST_FILE  # noqa: PLC0415

    path = Path(text)
    if not path.is_dir():
        if path.is_file():
            return path
        raise RunError(f"{text!r} is neither a run folder nor a model in one")
    for file in (path / BEST_FILE, path / MODEL_FILE):
        if file.is_file():
            return file
    raise RunError(f"{text!r} holds neither {BEST_FILE} nor {MODEL_FILE}: train it first")


def name_of(folder: Path) -> str:
    """A name for an agent like a run folder's: ``run für Übung`` becomes ``run-fur-Ubung``."""
    plain = unicodedata.normalize("NFKD", folder.resolve().name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", plain).strip("-_.")[:MAX_NAME]


def _check_name(name: str) -> str:
    from gin_env import bots  # noqa: PLC0415  (loads the engine)

    if not NAME.fullmatch(name):
        raise RunError(
            f"{name!r} is no name for an agent: give one with --name, of at most {MAX_NAME} "
            "letters, digits and any of _.-"
        )
    if name in bots.names():
        raise RunError(f"{name!r} is the name of a bot: give another with --name")
    return name


def _check_free(out: Path, name: str, *, overwrite: bool) -> None:
    """Check that nothing is in the way that is to stay."""
    there = [file for file in _files(out, name) if file.exists()]
    if any(not file.is_file() for file in there):
        raise RunError(f"something that is no file is in the way: {str(there[0])!r}")
    if there and not overwrite:
        raise RunError(f"{str(there[0])!r} is there already: replace it with --overwrite")


def _files(out: Path, name: str) -> list[Path]:
    """What is written, in the order of `training.export.make_agent.ExportedAgent`."""
    return [*(out / f"{name}.{kind}" for kind in ("npz", "json", "onnx")), out / MODEL_CARD]
