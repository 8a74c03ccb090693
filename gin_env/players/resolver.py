"""Whoever sits down: a bot, a trained agent, a callable, a program; resolved only here.

A `Player` decides for many games at once. What it is handed is a `Turn`: only what the seats that
are to move may know.
"""

import zipfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from gin_env import agents, bots
from gin_env.agents import Agent
from gin_env.bots import Bot
from gin_env.bots.bot_row import MEMORY_DTYPE, make_memories
from gin_env.bots.choose import choose_rows
from gin_env.core.actions import N_ACTIONS
from gin_env.core.observe import EXTRAS, check_extras, obs_size
from gin_env.errors import OptionError, PlayerError
from gin_env.players.program import ProgramPlayer
from gin_env.players.protocol import Player, Turn
from gin_env.support.key_values import load_json
from gin_env.support.options import read_int, suggest
from gin_env.tools import expose

MODEL_FILE = "model.zip"
"""Name of the trained model in a run folder."""
RUN_FILE = "run.json"
"""Name of the file beside it that says what it was trained on."""
EXPORTS = "export"
"""Name of the folder in it where the agent lies that was made of it."""
GUESSED_EXTRAS: tuple[tuple[str, ...], ...] = ((), ("continuation", "danger"), EXTRAS)
"""What a model of such a size is taken to have been trained with, where no run tells."""
PROGRAM = "program:"
"""What the text for a program begins with; its command line follows."""

_WHO = (
    "a bot's or an agent's name, a model file, a run folder, 'program:' and a command line, or a "
    "function (observation, mask) -> action"
)


class _Named:
    """A player that shows its name."""

    name: str

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class BotPlayer(_Named):
    """A bot of ours, deciding in a kernel.

    Attributes:
        bot: Which.
        memories: What it remembers of its games. Shape [B], `MEMORY_DTYPE`.
    """

    extras: tuple[str, ...] = ()
    reads_views = True  # and no observations

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self.name = str(bot)
        self._record = bot.row
        self.memories = np.zeros(0, MEMORY_DTYPE)

    def reset(self, seeds: np.ndarray, seat: int, rows: np.ndarray | None = None) -> None:
        """See `Player.reset`."""
        memories = make_memories(seeds, seat)
        if rows is not None:
            memories = np.where(rows, memories, self.memories)
        self.memories = memories

    def act(self, turn: Turn) -> np.ndarray:
        """See `Player.act`."""
        actions = np.zeros(len(turn.rows), np.int64)
        memories = self.memories[turn.rows]
        choose_rows(self._record, turn.rules_row, turn.views, memories, actions)
        self.memories[turn.rows] = memories
        return actions


class NetPlayer(_Named):
    """A trained agent of plain arrays, playing its most likely move.

    Attributes:
        metadata: What it is, how it was trained, how strong it is; docs/agents.md.
        network: Its policy, for whoever has observations and no games.
    """

    def __init__(self, agent: Agent, name: str) -> None:
        self.metadata, self.network, self.name = agent.metadata, agent.network, name
        self.extras = agent.network.spec.extras

    def reset(self, seeds: np.ndarray, seat: int, rows: np.ndarray | None = None) -> None:
        """Nothing to forget: the network sees one observation at a time."""

    def act(self, turn: Turn) -> np.ndarray:
        """See `Player.act`."""
        return self.network.choose(turn.observations, turn.masks)


class ModelPlayer(_Named):
    """A Stable-Baselines3 model with masked actions, playing its most likely move."""

    def __init__(self, model: Any, name: str, extras: tuple[str, ...] = ()) -> None:
        size = obs_size(extras)
        if model.observation_space.shape != (size,):
            raise PlayerError(
                f"{name} takes observations of shape {model.observation_space.shape}, "
                f"but the blocks {list(extras)} make ({size},)"
            )
        n_actions = getattr(model.action_space, "n", None)
        if n_actions != N_ACTIONS:
            raise PlayerError(f"{name} chooses among {n_actions} actions, not {N_ACTIONS}")
        self.model, self.name, self.extras = model, name, extras

    def reset(self, seeds: np.ndarray, seat: int, rows: np.ndarray | None = None) -> None:
        """Nothing to forget: the model sees one observation at a time."""

    def act(self, turn: Turn) -> np.ndarray:
        """See `Player.act`."""
        actions, _ = self.model.predict(
            turn.observations, action_masks=turn.masks, deterministic=True
        )
        return np.asarray(actions, np.int64)


class CallablePlayer(_Named):
    """Anyone's function of one observation and one mask, or an object with it as ``act``."""

    def __init__(self, function: Callable[..., Any], name: str, extras: Iterable[str] = ()) -> None:
        self._function, self.name, self.extras = function, name, check_extras(extras)

    def reset(self, seeds: np.ndarray, seat: int, rows: np.ndarray | None = None) -> None:
        """The function keeps its own counsel."""

    def act(self, turn: Turn) -> np.ndarray:
        """See `Player.act`; an answer that is no action id is a `PlayerError`."""
        pairs = zip(turn.observations, turn.masks, strict=True)
        actions = [self._decide(obs.copy(), mask.copy()) for obs, mask in pairs]
        return np.array(actions, np.int64)

    def _decide(self, observation: np.ndarray, mask: np.ndarray) -> int:
        answer = self._function(observation, mask)
        action = read_int(answer)
        if action is None or not 0 <= action < N_ACTIONS:
            raise PlayerError(f"{self.name} answered {answer!r}, which is no action id")
        return action


class BatchPlayer(_Named):
    """Anyone's object with ``act_batch``, which decides many games in one call."""

    def __init__(self, function: Callable[..., Any], name: str, extras: Iterable[str] = ()) -> None:
        self._function, self.name, self.extras = function, name, check_extras(extras)

    def reset(self, seeds: np.ndarray, seat: int, rows: np.ndarray | None = None) -> None:
        """The function keeps its own counsel."""

    def act(self, turn: Turn) -> np.ndarray:
        """See `Player.act`; `ask` checks the answer."""
        return self._function(  # type: ignore[no-any-return]
            turn.observations.copy(), turn.masks.copy()
        )


def resolve(who: Any) -> Player:
    """Seat whoever is meant.

    Args:
        who: A bot's name, also with options (``"hard:slack=3"``), a `Bot`, whatever `load_agent`
            takes, ``"program:"`` and a command line (docs/protocol.md), a `Player`, a
            function ``(observation, action_mask) -> action``, an object with such a method ``act``,
            or one with a method ``act_batch`` ``(observations, action_masks) -> actions``, which
            decides K games at once (shapes [K, N], [K, 108] and [K]).

    Raises:
        PlayerError: If nobody is meant, or a file cannot be read as an agent.
    """
    if isinstance(who, Bot):
        return BotPlayer(who)
    if isinstance(who, str) and who.startswith(PROGRAM):
        return ProgramPlayer(who.removeprefix(PROGRAM))
    if isinstance(who, (str, Path)):
        return BotPlayer(bots.read(str(who))) if bots.is_bot(str(who)) else load_agent(who)
    if isinstance(who, Player):
        return who
    name, extras = getattr(who, "__name__", type(who).__name__), getattr(who, "extras", ())
    if callable(getattr(who, "act_batch", None)):
        return BatchPlayer(who.act_batch, name, extras)
    function = getattr(who, "act", who)
    if not callable(function):
        raise PlayerError(f"{who!r} is no player: give {_WHO}")
    return CallablePlayer(function, name, extras)


def load_agent(who: str | Path) -> NetPlayer | ModelPlayer:
    """Load a trained agent.

    Args:
        who: The name of an agent that ships (`gin_env.agents.names`); a path to an agent's npz,
            which is played without torch; or one to a Stable-Baselines3 zip or a run folder. Such a
            zip holds pickles, which can run any code: load only files that you trust. Of a run
            folder, what was exported from it is played, unless the run went on since.

    Raises:
        PlayerError: If there is no such agent, or its file cannot be read as one; it says why.
    """
    file = find_model(who)
    if not file.is_file():
        shipped = ", ".join(agents.names()) or "none"
        near = suggest(str(who).partition(":")[0], [*bots.names(), *agents.names()])
        raise PlayerError(
            f"{str(who)!r} is neither a bot ({', '.join(bots.names())}) nor an agent that ships "
            f"({shipped}) nor a model file or run folder, nor does it begin with '{PROGRAM}'{near}"
        )
    name = Path(who).resolve().name if Path(who).is_dir() else file.stem
    if file.suffix == agents.SUFFIX:
        return NetPlayer(agents.read_agent(file), name)
    return _load_model(file, name)


def find_model(who: str | Path) -> Path:
    """The file that `load_agent` reads; there may be none.

    Raises:
        PlayerError: If there can be none, or what was exported from a run folder cannot be read.
    """
    if str(who) in agents.names():
        return agents.find(str(who))
    path = Path(who)
    try:
        return _find_exported(path) or path / MODEL_FILE if path.is_dir() else path
    except OSError as error:  # a name that no file can have, say
        raise PlayerError(f"cannot look for {str(who)!r}: {error.strerror}") from error


def _find_exported(run: Path) -> Path | None:
    """The agent that was exported from a run folder, unless the run went on since."""
    exported = sorted((run / EXPORTS).glob(f"*{agents.SUFFIX}"))
    if len(exported) > 1:
        names = ", ".join(file.name for file in exported)
        raise PlayerError(f"{str(run / EXPORTS)!r} holds several agents, name one: {names}")
    if not exported or not (run / RUN_FILE).is_file():
        return exported[0] if exported else None
    training = agents.read_agent(exported[0]).metadata["training"]
    for name in ("lessons", "decisions"):
        if training.get(f"run_{name}") != _read_fact(run / RUN_FILE, name):
            return None
    return exported[0]


def _load_model(file: Path, name: str) -> ModelPlayer:
    """Load a Stable-Baselines3 zip."""
    if not zipfile.is_zipfile(file):
        raise PlayerError(f"{str(file)!r} is no model: it is not a whole zip file")
    try:
        from sb3_contrib import MaskablePPO  # noqa: PLC0415  (only these need torch)
    except ImportError as error:
        raise PlayerError(
            f"{str(file)!r} needs PyTorch and sb3-contrib: pip install 'gin-env[train]'"
        ) from error
    with suppress(ImportError):  # a zip that needs it will say so
        expose()  # a run's policy is a class of training
    try:
        model = MaskablePPO.load(file, device="cpu")
    except Exception as error:  # a broken zip of pickles may raise anything
        raise PlayerError(
            f"{str(file)!r} cannot be read as a MaskablePPO model: {error}"
        ) from error
    return ModelPlayer(model, name, _read_extras(file, model))


def _read_extras(file: Path, model: Any) -> tuple[str, ...]:
    """The optional blocks that a model was trained with: from its run, or by its size."""
    run_file = file.with_name(RUN_FILE)
    if run_file.is_file():
        try:
            return check_extras(_read_fact(run_file, "extras"))
        except OptionError as error:
            raise PlayerError(f"{str(run_file)!r} cannot be read: {error!r}") from error
    for extras in GUESSED_EXTRAS:
        if model.observation_space.shape == (obs_size(extras),):
            return extras
    known = ", or ".join(
        f"({obs_size(extras)},)" + (f" with {', '.join(extras)}" if extras else "")
        for extras in GUESSED_EXTRAS
    )
    raise PlayerError(
        f"{str(file)!r} takes observations of shape {model.observation_space.shape}; "
        f"expected {known}"
    )


def _read_fact(run_file: Path, name: str) -> Any:
    """What is noted down of a run under some name."""
    try:
        return load_json(run_file.read_text(encoding="utf-8"))[name]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise PlayerError(f"{str(run_file)!r} cannot be read: {error!r}") from error
