"""Deals laid out in the environment of the old rules."""

from collections.abc import Sequence

from gin_env.compat.gin_rummy_v4 import GinRummyV4
from gin_env.core.single import face_single
from gin_env.core.step import lay_out

AGENTS = ("player_0", "player_1")


def lay(env: GinRummyV4, dealer: int, deck: Sequence[int]) -> None:
    """Begin a hand with a deck: the hands of both players, the upcard, the stock."""
    env.reset(seed=0, options={"dealer": dealer})
    env._game[0]["deck"] = deck
    lay_out(env._rules[0], env._game[0])
    look_again(env)


def look_again(env: GinRummyV4) -> None:
    """Show what a game now is that was changed from outside."""
    env._mover = face_single(env._rules, env._game, env._shown, 0)
    env._tell()
