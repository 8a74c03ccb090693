"""Whoever sits down: a bot, a trained agent, a function, a program (docs/evaluation.md)."""

from gin_env.players.asking import ask, ask_batch
from gin_env.players.program import ProgramPlayer
from gin_env.players.protocol import FORFEIT, Player, Turn, Verdict, Watcher
from gin_env.players.resolver import (
    EXPORTS,
    MODEL_FILE,
    PROGRAM,
    RUN_FILE,
    BatchPlayer,
    BotPlayer,
    CallablePlayer,
    ModelPlayer,
    NetPlayer,
    find_model,
    load_agent,
    resolve,
)

__all__ = [
    "EXPORTS",
    "FORFEIT",
    "MODEL_FILE",
    "PROGRAM",
    "RUN_FILE",
    "BatchPlayer",
    "BotPlayer",
    "CallablePlayer",
    "ModelPlayer",
    "NetPlayer",
    "Player",
    "ProgramPlayer",
    "Turn",
    "Verdict",
    "Watcher",
    "ask",
    "ask_batch",
    "find_model",
    "load_agent",
    "resolve",
]
