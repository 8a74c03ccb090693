"""A finished hand in lines: both arrangements, the layoffs, and the arithmetic of the score."""

from collections.abc import Sequence

from gin_env.core.state import Ending
from gin_env.game import Game
from gin_env.play.opponent import HUMAN, OPPONENT
from gin_env.rendering.words import grouped, layoffs_text, totals_text, wrap
from gin_env.values.result import HandResult

INDENT = "  "


def end_lines(game: Game, names: Sequence[str]) -> list[str]:
    """Describe a finished hand in lines of at most 80 columns.

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
        lines += wrap(f"{names[seat]}: {grouped(melds, unmelded)}", INDENT)
        if result.layoffs and seat != result.knocker:
            lines += wrap(f"laid off {layoffs_text(result.layoffs)}", INDENT * 2, INDENT)
        lines.append(f"{INDENT}deadwood {deadwood}")
    return [
        *lines,
        "",
        *wrap(f"Hand: {_points(result, names)}", INDENT),
        *_match_lines(game, names),
    ]


def match_sum(game: Game) -> list[tuple[int, str]]:
    """List what the winner of a match gains beside the running total: points, and what for."""
    winner = game.match_winner
    assert winner is not None
    rules, loser = game.rules, 1 - winner
    won, lost = game.hands_won[winner], game.hands_won[loser]
    parts = []
    if rules.game_bonus:
        parts.append((rules.game_bonus, "game bonus"))
    if rules.hand_bonus and rules.hand_bonus_paid == "end":
        what = f"hand bonus: {rules.hand_bonus} × ({won} − {lost} hands)"
        parts.append((rules.hand_bonus * (won - lost), what))
    if game.totals[loser] == 0 and rules.shutout != "none":
        if isinstance(rules.shutout, int):
            parts.append((rules.shutout, "shutout"))
        else:
            parts.append((game.totals[winner], "shutout doubles the total"))
    return parts


def _points(result: HandResult, names: Sequence[str]) -> str:
    """How the points of a hand come about, and whose they are."""
    if result.winner is None:
        return "nobody scores"
    doubled = ", doubled by a spade upcard" if result.factor == 2 else ""
    winner = "you" if result.winner == HUMAN else names[result.winner]
    return f"{result.explain()}{doubled}, for {winner}"


def _title(result: HandResult, names: Sequence[str]) -> str:
    """How it ended, in words for a person."""
    if result.knocker is None:
        return "A dead hand"
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


def _match_lines(game: Game, names: Sequence[str]) -> list[str]:
    """The running totals, and the end of the match."""
    if game.episode != "match":
        return []
    result, rules = game.result, game.rules
    assert result is not None
    lines = [f"Totals: {totals_text(names, game.totals)}"]
    if result.winner is not None and rules.hand_bonus and rules.hand_bonus_paid == "at_once":
        lines.insert(0, f"Bonus for the hand: {rules.hand_bonus}")
    winner = game.match_winner
    if winner is None:
        return lines
    won = "You win" if winner == HUMAN else f"{names[winner]} wins"
    parts = match_sum(game)
    total = game.totals[winner]
    words = " + ".join([str(total), *(f"{number} ({what})" for number, what in parts)])
    final = f": {words} = {total + sum(number for number, _ in parts)}" if parts else ""
    return [*lines, *wrap(f"{won} the match{final}", INDENT)]
