"""A finished hand in lines: both arrangements, the layoffs, and the arithmetic of the score."""

import textwrap
from collections.abc import Sequence

from gin_env.core.state import Ending
from gin_env.game import Game
from gin_env.melds import Layoff, Meld
from gin_env.play.opponent import HUMAN, OPPONENT
from gin_env.play.text import WIDTH, grouped, symbols
from gin_env.result import HandResult

INDENT = "  "


def end_lines(game: Game, names: Sequence[str]) -> list[str]:
    """A finished hand, at most 80 columns wide.

    Args:
        game: A game whose hand is over.
        names: Of the person and of the opponent.
    """
    result = game.result
    assert result is not None
    lines = [_title(result, names), ""]
    shown = [HUMAN] if result.knocker is None else [HUMAN, OPPONENT]
    for seat in shown:
        melds, unmelded, deadwood = result.arrangements[seat]
        lines += _wrap(f"{names[seat]}: {grouped(melds, unmelded)}")
        if result.layoffs and seat != result.knocker:
            lines += _wrap(f"laid off {_laid_off(result.layoffs)}", INDENT)
        lines.append(f"{INDENT}deadwood {deadwood}")
    winner = "" if result.winner is None else f" for {_object(names, result.winner)}"
    hand = f"Hand: {hand_sum(result)}{winner}"
    return [*lines, "", *_wrap(hand), *_match_lines(game, names)]


def hand_sum(result: HandResult) -> str:
    """How the points of a hand come about."""
    points = abs(result.points[0])
    if result.winner is None:
        return "nobody scores"
    text = " + ".join(_parts(result))
    if result.factor == 2:
        return f"2 × ({text}) = {points}, doubled by a spade upcard"
    return f"{text} = {points}"


def match_sum(game: Game) -> list[tuple[int, str]]:
    """What the winner of a match gains beside the running total: points, and what for."""
    winner = game.match_winner
    assert winner is not None
    rules, loser = game.rules, 1 - winner
    parts = []
    if rules.game_bonus:
        parts.append((rules.game_bonus, "game bonus"))
    ahead = game.hands_won[winner] - game.hands_won[loser]
    if rules.hand_bonus and rules.hand_bonus_paid == "end":
        what = f"hand bonus: {rules.hand_bonus} × ({game.hands_won[winner]} − "
        parts.append((rules.hand_bonus * ahead, f"{what}{game.hands_won[loser]} hands)"))
    if game.totals[loser] == 0 and rules.shutout != "none":
        if isinstance(rules.shutout, int):
            parts.append((rules.shutout, "shutout"))
        else:
            parts.append((game.totals[winner], "shutout doubles the total"))
    return parts


def _object(names: Sequence[str], seat: int) -> str:
    return "you" if seat == HUMAN else names[seat]


def _title(result: HandResult, names: Sequence[str]) -> str:
    """How it ended, in words for a person."""
    if result.knocker is None:
        return "A dead hand: the stock is used up, and nobody scores"
    knocker = names[result.knocker]
    s = "" if result.knocker == HUMAN else "s"
    left = result.deadwoods[result.knocker]
    match result.ending:
        case Ending.BIG_GIN:
            return f"{knocker} declare{s} big gin"
        case Ending.GIN:
            return f"{knocker} go{'es' if s else ''} gin"
        case Ending.UNDERCUT:
            verb = "is" if s else "are"
            return f"{knocker} knock{s} with {left} and {verb} undercut"
        case Ending.PUSH:
            return f"{knocker} knock{s} with {left}: a tie, which nobody wins"
    return f"{knocker} knock{s} with {left}"


def _parts(result: HandResult) -> list[str]:
    """What the points of a hand are made of, before doubling."""
    low, high = sorted(result.deadwoods)
    match result.ending:
        case Ending.BIG_GIN:
            return [f"{result.bonus} big gin bonus", f"{high} deadwood"]
        case Ending.GIN:
            return [f"{result.bonus} gin bonus", f"{high} deadwood"]
        case Ending.UNDERCUT:
            return [f"{result.bonus} undercut bonus", f"({high} − {low})"]
    return [f"{high} − {low}"]


def _match_lines(game: Game, names: Sequence[str]) -> list[str]:
    """The running totals, and the end of the match."""
    if game.episode != "match":
        return []
    result, rules = game.result, game.rules
    assert result is not None
    totals = " · ".join(f"{names[seat]} {game.totals[seat]}" for seat in (HUMAN, OPPONENT))
    if result.winner is not None and rules.hand_bonus and rules.hand_bonus_paid == "at_once":
        lines = [f"Bonus for the hand: {rules.hand_bonus}", f"Totals: {totals}"]
    else:
        lines = [f"Totals: {totals}"]
    winner = game.match_winner
    if winner is None:
        return lines
    won = "You win" if winner == HUMAN else f"{names[winner]} wins"
    parts = match_sum(game)
    total = game.totals[winner]
    words = " + ".join([str(total), *(f"{number} ({what})" for number, what in parts)])
    final = f": {words} = {total + sum(number for number, _ in parts)}" if parts else ""
    return [*lines, *_wrap(f"{won} the match{final}")]


def _laid_off(layoffs: Sequence[Layoff]) -> str:
    by_meld: dict[Meld, list[str]] = {}
    for card, meld in layoffs:
        by_meld.setdefault(meld, []).append(card)
    return ", ".join(f"{symbols(cards)} on [{symbols(meld)}]" for meld, cards in by_meld.items())


def _wrap(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent + INDENT)
