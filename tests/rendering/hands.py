"""Hands to draw."""

from gin_env import Game
from gin_env.core.actions import TAKE


def dead_hand(preset: str = "standard") -> Game:
    """Play a hand in which nobody takes or knocks."""
    game = Game.deal(preset, seed=3)
    while not game.is_over:
        game.play(next(action for action in game.legal_actions() if action != TAKE))
    return game
