"""A checkpoint: a Stable-Baselines3 zip with one more entry, from which training goes on exactly.

The zip itself holds the weights, the optimizer and the counters; the entry holds the games and the
states of the random generators. Both are pickles: load only checkpoints that you trust.
"""

import io
import pickle
import zipfile
from copy import copy
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from gin_env.core.state import STATE_DTYPE
from gin_env.core.view import VIEW_DTYPE
from training.errors import RunError
from training.policy import GinPolicy, make_playable

STATE_ENTRY = "state.pkl"

_LAST_STEP = ("_last_obs", "_last_episode_starts", "_last_original_obs", "ep_info_buffer")
"""What of a model only training needs: it is left out of what players load."""

LOAD_ERRORS = (
    *(AttributeError, EOFError, ImportError, KeyError),
    *(RuntimeError, TypeError, ValueError, pickle.UnpicklingError),
)
"""What unpickling raises where the code has changed since."""


class ChunksDone(NamedTuple):
    """How many chunks of the stages before PPO the model has learned from."""

    imitation: int = 0
    playouts: int = 0


class Checkpoint(NamedTuple):
    """Where training stood."""

    model: MaskablePPO
    done: ChunksDone
    seconds: float
    """Training time so far."""


def dump_model(model: MaskablePPO) -> bytes:
    """A model to play with, as a Stable-Baselines3 zip: it needs no hidden cards."""
    policy: GinPolicy = model.policy  # type: ignore[assignment]
    playable = make_playable(policy)
    if playable is not policy:
        model = copy(model)
        model.policy, model.observation_space = playable, playable.observation_space
        model.policy_kwargs = {**model.policy_kwargs, "value_widths": (), "privileged": False}
    buffer = io.BytesIO()
    model.save(buffer, exclude=list(_LAST_STEP))
    return buffer.getvalue()


def dump_checkpoint(model: MaskablePPO, done: ChunksDone, seconds: float) -> bytes:
    """A checkpoint of a model between two updates, or between two chunks."""
    state = {
        "env": model.get_env(),
        "numpy": np.random.get_state(),  # noqa: NPY002  (Stable-Baselines3 shuffles with it)
        "torch": torch.get_rng_state(),
        "portions": tuple(done),
        "seconds": seconds,
    }
    buffer = io.BytesIO()
    model.save(buffer)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(STATE_ENTRY, pickle.dumps(state))
    return buffer.getvalue()


def is_whole(file: Path) -> bool:
    """Whether a checkpoint is complete and undamaged."""
    try:
        with zipfile.ZipFile(file) as archive:
            return archive.testzip() is None and STATE_ENTRY in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def load_checkpoint(file: Path, device: str) -> Checkpoint:
    """Read a checkpoint, and put the random generators back to where they were.

    Raises:
        RunError: If it holds something that these versions of the code cannot read.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            state: dict[str, Any] = pickle.loads(archive.read(STATE_ENTRY))
        arrays = state["env"].table.arrays
        if (arrays.games.dtype, arrays.views.dtype) != (STATE_DTYPE, VIEW_DTYPE):
            raise TypeError("its games are laid out differently")
        model = MaskablePPO.load(file, env=state["env"], device=device, force_reset=False)
    except LOAD_ERRORS as error:
        raise RunError(f"{str(file)!r} cannot be read with these versions: {error}") from error
    np.random.set_state(state["numpy"])  # noqa: NPY002
    torch.set_rng_state(state["torch"])
    return Checkpoint(model, ChunksDone(*state["portions"]), state["seconds"])
