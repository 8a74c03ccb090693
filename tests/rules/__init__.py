"""The rules of docs/rules.md, one a file: hands written as text and played move by move.

Every hand is played in the engine and, along with it, in the slow reading of the rules that stands
in tests/reference; after each move both have to agree.
"""

import json
from typing import Any, NamedTuple

from gin_env import Game, Rules
from gin_env.core.actions import action_text, parse_action
from gin_env.values.result import HandResult
from tests.reference.cards import card, ids, listed
from tests.reference.hand import ReferenceHand, ReferenceMatch

LOOSE = ("As 3s 5s 7h 9h Jh 2d 4d 6d 8c", "Ah 3h 5h 7d 9d Jd Kd 2c 4c 6c")
"""Not one meld: 55 and 57 points."""
GIN = "As 2s 3s 4h 5h 6h 7d 8d 9d Td"
DEADWOOD_2 = "As 2s 3s 4h 5h 6h 7d 8d 9d 2c"
DEADWOOD_3 = "As 2s 3s 4h 5h 6h 7d 8d 9d 3c"
DEADWOOD_10 = "As 2s 3s 4h 5h 6h 7d 8d 9d Tc"
LEFT_WITH_10 = "Jh Qh Kh Js Qs Ks 4s 3h 6c 4c"
"""The 6c and 4c, once 4s and 3h are laid off on one of those above; LEFT_WITH_6 likewise."""
LEFT_WITH_6 = "Jh Qh Kh Js Qs Ks 4s 3h 2h 6c"


def deal(
    hands: tuple[str, str], upcard: str, stock: str = "", *, dealer: int = 1, **rules: Any
) -> Game:
    """Deal a hand; the stock begins as given, and goes on in the order of the deck."""
    drawn = [*listed(stock), *sorted({*range(52)} - ids(" ".join((*hands, upcard, stock))))]
    return Game.from_deal(Rules(**rules), dealer=dealer, hands=hands, upcard=upcard, stock=drawn)


def play(game: Game, *moves: str) -> Game:
    """Play moves such as "draw" and "discard Kd"."""
    slow = _in_reference(game)
    for move in moves:
        game.play(move)
        slow.apply(game.actions[-1])
        _compare(game, slow)
    return game


def knock(
    kept: str, defender: str, upcard: str = "5c", drawn: str = "Kd", *, seat: int = 0, **rules: Any
) -> Game:
    """Let a seat draw a card in the first turn, knock with it and keep ten others."""
    hands = (kept, defender) if seat == 0 else (defender, kept)
    game = deal(hands, upcard, drawn, dealer=1 - seat, **rules)
    passes = ["pass", "pass"] if game.rules.opening == "offer" else []
    return play(game, *passes, "draw", f"knock {drawn}")


def settle(kept: str, defender: str, *upcard_and_drawn: str, **rules: Any) -> HandResult:
    """How a knock of seat 0 ends; that of seat 1 has to end likewise."""
    result, mirrored = (
        result_of(knock(kept, defender, *upcard_and_drawn, seat=seat, **rules)) for seat in (0, 1)
    )
    assert mirrored.points == result.points[::-1]
    assert mirrored.arrangements == result.arrangements[::-1]
    return result


def result_of(game: Game) -> HandResult:
    """How a hand has ended."""
    assert game.result is not None
    return game.result


def choices(game: Game) -> set[str]:
    """What the seat to move may do."""
    return {action_text(action) for action in game.legal_actions()}


def knocks(game: Game) -> set[str]:
    """The cards that may be knocked with."""
    return {move.removeprefix("knock ") for move in choices(game) if move.startswith("knock ")}


def _in_reference(game: Game) -> ReferenceHand:
    """The same hand as far as it has been played."""
    dealt = json.loads(game.to_text())
    hands = [ids(hand) for hand in dealt["hands"]]
    slow = ReferenceHand(
        dealt["rules"], game.dealer, hands, card(dealt["upcard"]), listed(dealt["stock"])
    )
    for move in dealt["actions"]:
        slow.apply(parse_action(move))
    return slow


def _compare(game: Game, slow: ReferenceHand) -> None:
    assert {*game.legal_actions()} == slow.legal()
    assert (game.phase.name.lower(), game.points) == (slow.phase, slow.points)
    assert [ids(" ".join(game.hand(seat))) for seat in (0, 1)] == slow.hands
    assert (listed(" ".join(game.pile)), listed(" ".join(game.stock))) == (slow.pile, slow.stock)
    places = [*game.hand(0), *game.hand(1), *game.pile, *game.stock]
    assert {*range(52)} - ids(" ".join(places)) == slow.removed
    result = game.result
    assert game.to_move == (slow.to_move if result is None else None)
    if result is None:
        return
    assert (result.ending.name.lower(), result.winner) == (slow.ending, slow.winner)
    assert (result.n_turns, result.knocker is None) == (slow.turns, slow.deadwood is None)
    if result.knocker is not None:
        assert (result.deadwoods, result.knocker) == (slow.deadwood, slow.to_move)
    if slow.shown and result.knocker is not None:
        melds = result.arrangements[result.knocker].melds
        assert {ids(" ".join(meld)) for meld in melds} == slow.shown


# --- Matches ---

TIE = 0
"""A knock of seat 0 that both seats end with the same deadwood."""
DEAD = None
LOSERS = {  # by what a knock of DEADWOOD_2 against them is worth
    3: "Jh Qh Kh Js Qs Ks Jd Qd Kd 5c",
    20: "Jh Qh Kh Js Qs Ks 9c 8c 4c Ac",
    30: "Jh Qh Kh Js Qs Ks Tc 9c 8h 5c",
}


class Match(NamedTuple):
    """A match as far as it was played."""

    game: Game
    rewards: list[int]
    """What each hand paid to seat 0."""
    dealers: list[int]
    """Who dealt each hand, and who deals the next one if there is one."""


def play_match(*results: int | None, preset: str = "standard", **rules: Any) -> Match:
    """Play hands of a match; the reference keeps the score as well.

    Args:
        results: What each hand brings: points that seat 0 wins (3, 20 or 30), those that seat 1
            wins with a minus, `TIE` or `DEAD`.
        preset: The rules, changed by ``rules``.
    """
    game = Game.deal(Rules.preset(preset, **rules), seed=5, episode="match")
    score = ReferenceMatch(game.rules.to_dict(), lot=game.dealer)
    rewards, dealers = list[int](), [game.dealer]
    for result in results:
        game = _play_hand(_lay(game, result), result)
        assert game.rewards == score.record(result_of(game).winner, game.points)
        assert (game.totals, game.hands_won) == (tuple(score.totals), tuple(score.hands_won))
        assert game.match_winner == score.winner
        rewards.append(game.rewards[0])
        if not game.is_match_over:
            game.next_hand()
            dealers.append(game.dealer)
            assert game.dealer == score.dealer
    return Match(game, rewards, dealers)


def _lay(game: Game, result: int | None) -> Game:
    """The same match with the cards for a result."""
    hands = (DEADWOOD_2, LOSERS[abs(result or 20)])
    stock = "Td 6d 5d" if hands[1] == LOSERS[20] else "Td 6d 4d"
    if result == TIE:
        hands, stock = (DEADWOOD_10, LEFT_WITH_10), "Td 6d 5d"
    if result is not None and result < 0:
        hands = hands[::-1]
    dealt = json.loads(deal(hands, "7s", stock).to_text())
    other = {name: dealt[name] for name in ("hands", "upcard", "stock")}
    return Game.from_text(json.dumps(json.loads(game.to_text()) | other))


def _play_hand(game: Game, result: int | None) -> Game:
    """Pass, draw, and discard the card drawn; the winner knocks with it."""
    while not game.is_over:
        if game.phase.name == "OFFER":
            game.play("pass")
            continue
        is_winner = result is not None and game.to_move == (0 if result >= 0 else 1)
        drawn = game.stock[0]
        game.play("draw")
        game.play(f"{'knock' if is_winner else 'discard'} {drawn}")
    assert abs(game.points[0]) == abs(result or 0)
    return game
