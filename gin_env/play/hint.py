"""What others would do in the person's place, with their estimates; from the person's view."""

from collections.abc import Callable

import numpy as np

from gin_env import agents, bots
from gin_env.bots import Bot
from gin_env.bots.levels import weigh_discard, weigh_going_on
from gin_env.core.actions import DISCARD, KNOCK, action_text
from gin_env.core.cards import to_ids
from gin_env.core.heuristics import continuation, danger
from gin_env.core.state import Phase
from gin_env.game import Game
from gin_env.play.opponent import HUMAN
from gin_env.play.table_text import action_label
from gin_env.players import BotPlayer, NetPlayer, Turn, load_agent
from gin_env.rendering.words import card_symbol

CHAMPION = "champion"
N_MOVES = 4
"""Moves that are shown of an agent, the likeliest first."""

Adviser = Callable[[Game], list[str]]


def ask_hard(game: Game) -> list[str]:
    """Say what Hard would do, and how it weighs each discard."""
    view, bot = game.view(HUMAN), bots.make("hard")
    lines = [f"Hard would: {action_label(choose_for(bot, game), view)}"]
    if game.phase != Phase.DISCARD:
        return lines
    weight = weigh_going_on(bot.row, view)
    lines += [
        f"  It weighs: deadwood + danger + {weight:.1f} × what a good draw would leave.",
        "       deadwood  danger  after a draw   sum (low is good)",
    ]
    rows = []
    for card in to_ids(int(view["discard_candidates"])):
        after = int(view["deadwood_after"][card])
        if after >= 0:
            value = weigh_discard(bot.row, view, card)
            rest = int(view["hand"]) & ~(1 << card)
            going_on = continuation(rest, int(view["unseen"]))
            row = f"  {card_symbol(card)} {after:>11} {danger(view, card):>8.1f} {going_on:>13.1f}"
            rows.append((value, f"{row} {value:>7.1f}"))
    return lines + [row for _, row in sorted(rows)]


def ask_agent(game: Game) -> list[str]:
    """Say what the trained agent would do: the champion, or the first that ships."""
    names = agents.names()
    if not names:
        return []
    name = CHAMPION if CHAMPION in names else names[0]
    player = load_agent(name)
    assert isinstance(player, NetPlayer)
    logits = player.network.logits(game.observation(HUMAN, player.extras)).astype(np.float64)
    legal = np.where(game.action_mask(HUMAN), logits, -np.inf)
    chances = np.exp(legal - legal.max())
    chances /= chances.sum()
    view = game.view(HUMAN)
    lines = [f"{name} (trained agent) would: {action_label(int(legal.argmax()), view)}"]
    best = [int(action) for action in np.argsort(-legal)[:N_MOVES] if chances[action] >= 0.005]
    shown = [f"{_short(action)} {chances[action]:.0%}" for action in best]
    return [*lines, f"  chances of its moves: {', '.join(shown)}"]


def ask_expert(game: Game) -> list[str]:
    """Say what the search player would do."""
    bot = bots.make("expert")
    choice = action_label(choose_for(bot, game), game.view(HUMAN))
    return [f"Expert ({bot.options['worlds']:g} worlds) would: {choice}"]


ADVISERS: tuple[Adviser, ...] = (ask_hard, ask_agent, ask_expert)
"""All of them, the quickest first."""


def choose_for(bot: Bot, game: Game) -> int:
    """Choose an action as a bot would in the person's place. Returns its id."""
    player = BotPlayer(bot)
    player.reset(np.array([game.seed], np.uint64), HUMAN)
    turn = Turn(
        rules_row=game.rules.row(game.episode),
        rows=np.zeros(1, np.int64),
        views=np.array([game.view(HUMAN)]),
        observations=np.zeros((1, 0), np.float32),
        masks=game.action_mask(HUMAN)[None],
    )
    return int(player.act(turn)[0])


def _short(action: int) -> str:
    if action < KNOCK:
        return f"discard {card_symbol(action - DISCARD)}"
    return action_text(action)
