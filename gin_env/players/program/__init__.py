"""Programs in any language that sit down as players; docs/protocol.md has the protocol."""

from gin_env.players.program.player import ProgramPlayer

__all__ = ["ProgramPlayer"]
