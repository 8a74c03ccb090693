"""Frames show what the engine says, and to one seat no more than that seat may know."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from gin_env import Game
from gin_env.core.actions import DRAW
from gin_env.core.cards import cards_text, to_bits
from gin_env.core.state import N_SEATS, STOCK_PLACE, UPCARD_PLACE, Ending
from gin_env.errors import HistoryError, OptionError
from gin_env.history import Hand, read_line
from gin_env.players import FORFEIT
from gin_env.rendering.words import WIDTH
from gin_env.replay.frame_text import HEIGHT, draw, scrubber, shorten_names
from gin_env.replay.frames import Frame, describe_hand, make_frames
from tests.history.recorded import GOLDEN

HANDS = [read_line(line) for line in GOLDEN]
PLAYED = [hand for hand in HANDS if hand.penalty is None]
"""Those that `Game` can play, too."""


def games_of(hand: Hand) -> Iterator[Game]:
    """The same hand through `Game`, before the first action and after each one."""
    game = Game.from_deal(
        hand.rules,
        dealer=hand.dealer,
        hands=[cards_text(hand.deck[:10]), cards_text(hand.deck[10:UPCARD_PLACE])],
        upcard=cards_text(hand.deck[UPCARD_PLACE:STOCK_PLACE]),
        stock=cards_text(hand.deck[STOCK_PLACE:]),
    )
    yield game
    for action in hand.actions:
        game.play(action)
        yield game


def cards_at(frame: Frame, seat: int) -> int:
    """The mask of the open cards at a seat."""
    melds, rest, *_ = frame.seats[seat]
    return to_bits([card for meld in (*melds, rest) for card in meld])


@pytest.mark.parametrize("hand", PLAYED, ids=range(len(PLAYED)))
def test_frames_show_the_table_of_the_game(hand: Hand) -> None:
    frames = make_frames(hand)
    assert len(frames) == len(hand.actions) + 1
    for frame, game in zip(frames, games_of(hand), strict=True):
        assert frame.to_move == game.to_move
        assert frame.pile == game.pile
        assert frame.n_stock == len(game.stock)
        laid_off = [card for card, _ in game.result.layoffs] if game.result else []
        for seat in range(N_SEATS):
            held = to_bits(game.hand(seat))
            if not (game.result and game.result.knocker == 1 - seat):
                assert cards_at(frame, seat) == held
            else:
                assert cards_at(frame, seat) | to_bits(laid_off) == held
            if game.result is None:
                assert frame.seats[seat].deadwood == int(game.view(seat)["deadwood"])
            else:
                assert frame.seats[seat].deadwood == game.result.deadwoods[seat]
        assert bool(frame.end) == game.is_over
    assert frames[0].action == ""


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("hand", PLAYED, ids=range(len(PLAYED)))
def test_frames_of_a_seat_show_it_nothing_that_is_hidden(hand: Hand, seat: int) -> None:
    frames = make_frames(hand, str(seat))
    for place, (frame, game) in enumerate(zip(frames, games_of(hand), strict=True)):
        view, theirs = game.view(seat), frame.seats[1 - seat]
        shown = cards_at(frame, 0) | cards_at(frame, 1) | to_bits(frame.pile)
        is_shown = game.result is not None and game.result.knocker is not None
        assert cards_at(frame, seat) == int(view["hand"]) or is_shown
        if not is_shown:
            assert shown & int(view["unseen"]) == 0
            assert cards_at(frame, 1 - seat) == int(view["their_known"])
            assert theirs.deadwood is None
            assert theirs.n_hidden + len(theirs.rest) == len(game.hand(1 - seat))
        before = place and frames[place - 1].to_move
        if place and before != seat and hand.actions[place - 1] == DRAW:
            assert frame.action == f"{hand.players[1 - seat]} draws from the stock"


@pytest.mark.parametrize("seat", [0, 1])
def test_frames_of_a_seat_do_not_depend_on_what_is_hidden(seat: int) -> None:
    """Until somebody knocks: the other's cards that never move, and stock that nobody draws."""
    hand = next(hand for hand in HANDS if hand.result.ending == Ending.KNOCK)
    n_drawn = hand.actions.count(DRAW)
    deck = list(hand.deck)
    undrawn = range(STOCK_PLACE + n_drawn, 52)
    moved = {action % 52 for action in hand.actions if action < 2 * 52}
    other = range(10 * (1 - seat), 10 * (2 - seat))
    mine = next(place for place in other if deck[place] not in moved)
    deck[mine], deck[undrawn[0]] = deck[undrawn[0]], deck[mine]
    changed = replace(hand, deck=tuple(deck), actions=hand.actions[:-1])
    one, two = (
        make_frames(replace(it, actions=hand.actions[:-1]), str(seat)) for it in (hand, changed)
    )
    assert one == two
    assert make_frames(changed) != make_frames(replace(hand, actions=hand.actions[:-1]))


def test_frames_say_what_was_drawn_where_it_is_seen() -> None:
    hand = next(hand for hand in HANDS if DRAW in hand.actions)
    place = hand.actions.index(DRAW) + 1
    frames = make_frames(hand)
    mover = frames[place - 1].to_move
    assert mover is not None
    fresh = frames[place].seats[mover].fresh
    assert fresh is not None
    assert frames[place].action.startswith(f"{hand.players[mover]} draws {fresh[0]}")


def test_frames_of_a_hand_that_cannot_be_are_an_error() -> None:
    with pytest.raises(HistoryError, match="action 1: 'big gin' is not legal"):
        make_frames(replace(HANDS[0], actions=(107,)))
    with pytest.raises(OptionError, match="the perspective must be one of both, 0, 1"):
        make_frames(HANDS[0], "2")


def test_frames_end_with_the_arithmetic() -> None:
    ends = [make_frames(hand)[-1].end for hand in HANDS]
    for hand, end in zip(HANDS, ends, strict=True):
        assert end[0] == hand.result.describe(hand.players)
        assert any("laid off" in line for line in end) == bool(hand.result.layoffs)
        assert any("bonuses" in line for line in end) == (hand.paid != hand.result.points)
        assert any(line.startswith("totals") for line in end) == (hand.episode == "match")
        assert any("wins the match" in line for line in end) == (hand.match_winner is not None)
    assert {len(end) for end in ends} >= {1, 2, 3, 4}


def test_frames_show_a_forfeit() -> None:
    hand = next(hand for hand in HANDS if len(hand.actions) > 8)
    given_up = replace(hand, actions=(*hand.actions[:6], FORFEIT), penalty=50)
    for perspective in ("both", "0", "1"):
        last = make_frames(given_up, perspective)[-1]
        assert last.action.endswith("forfeits the hand")
        assert "forfeits the hand: 50 points to" in last.end[0]


def test_texts_fit_the_screen() -> None:
    names = [("a" * 80, "\N{CJK UNIFIED IDEOGRAPH-4E00}" * 80), ("random", "hard")]
    for number, hand in enumerate(HANDS):
        named = shorten_names(replace(hand, players=names[number % 2]))
        for perspective in ("both", "0", "1"):
            frames = make_frames(named, perspective)
            for place in range(len(frames)):
                lines = draw(named, frames, place, number % 2)
                assert len(lines) <= HEIGHT
                assert max(map(len, lines)) <= WIDTH
                assert len(scrubber(place, len(frames))) == WIDTH - 1


def test_text_shows_all_that_is_dealt() -> None:
    hand = shorten_names(HANDS[0])
    text = "\n".join(draw(hand, make_frames(hand), 0))
    for card in cards_text(hand.deck[:STOCK_PLACE]).split():
        assert card[0] + dict(zip("shdc", "♠♥♦♣", strict=True))[card[1]] in text
    assert f"▶ {hand.players[1 - hand.dealer]}" in text
    assert "Stock 31" in text
    assert f"{hand.players[hand.dealer]} deals" in " · ".join(describe_hand(hand))


def test_scrubber_goes_from_end_to_end() -> None:
    assert scrubber(0, 11).startswith("●─")
    assert scrubber(10, 11).endswith("━● 10 of 10")
    assert scrubber(0, 1).startswith("●")
