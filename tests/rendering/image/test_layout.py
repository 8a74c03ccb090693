"""Where things lie in a picture: no text is cut or covered, in any phase and size."""

from collections.abc import Iterator
from itertools import pairwise
from random import Random

import pytest

from gin_env import Game
from gin_env.core.rules import PRESETS
from gin_env.rendering.hand_groups import CardGroup, shown_groups
from gin_env.rendering.image.canvas import Box, Canvas, Written
from gin_env.rendering.image.fonts import ELLIPSIS, to_drawable
from gin_env.rendering.image.hand_rows import spread
from gin_env.rendering.image.layout import LEFT, MINE, RIGHT, cut_name, draw_table
from gin_env.rendering.scene import Scene
from tests.hands import sample_size
from tests.rendering.hands import dead_hand
from tests.rules import DEADWOOD_3, GIN, LEFT_WITH_6, deal, knock

HEIGHTS = (480, 720, 1080)
NAMES = (
    ("player_0", "player_1"),
    ("Wolfgang Amadeus Mozart the Younger", "W" * 60),
)
LEAST_TEXT = 7.0
"""Smaller letters cannot be read, pixels."""
INDEX = 0.28
"""How much of a card, from its left, says which it is."""


def draw(
    game: Game, seat: int, height: int, names: tuple[str, str] = NAMES[0], *, both: bool = False
) -> Canvas:
    other = game.view(1 - seat) if both else None
    is_match = game.episode == "match"
    return draw_table(Scene(game.view(seat), seat, game.result, is_match, names, other), height)


def overlap(one: Box, other: Box) -> bool:
    across = min(one.right, other.right) - max(one.left, other.left)
    return across > 0 and min(one.bottom, other.bottom) - max(one.top, other.top) > 0


def check(canvas: Canvas) -> None:
    """Every text is whole, large enough, inside the table, and clear of all else."""
    width, height = canvas.image.size
    rim = 10 * canvas.scale
    for number, written in enumerate(canvas.texts):
        text, drawn, size, box = written
        assert drawn == text
        assert size >= LEAST_TEXT, written
        assert rim < box.left < box.right < width - rim, written
        assert rim < box.top < box.bottom < height - rim, written
        for other in canvas.texts[:number]:
            assert not overlap(box, other.box), (written, other)
        for card in canvas.cards:
            assert not overlap(box, card), (written, card)
    for card in canvas.cards:
        assert rim < card.left < card.right < width - rim
        assert rim < card.top < card.bottom < height - rim


def wander(game: Game, rng: Random) -> None:
    """Play one action: mostly no knock, and takes often, so that much lies open."""
    legal = game.legal_actions()
    quiet = [action for action in legal if not 52 <= action < 104 and action != 107]
    takes = [action for action in legal if action == 105]
    chosen = takes if takes and rng.random() < 0.6 else quiet
    game.play(rng.choice(chosen if rng.random() < 0.97 else legal))


def played(preset: str, seed: int) -> Iterator[Game]:
    """Every state of the hands of a match, with large totals."""
    rng = Random(seed)
    game = Game.deal(preset, seed=seed, episode="match")
    for _ in range(3):
        while not game.is_over:
            yield game
            wander(game, rng)
        yield game
        if game.is_match_over:
            return
        game.next_hand()


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_texts_are_whole_and_clear_of_each_other(preset: str) -> None:
    rng, n_pictures = Random(preset), 0
    for seed in range(sample_size(40)):
        for game in played(preset, seed):
            if game.is_over or rng.random() < 0.1:
                seat, both = rng.randrange(2), rng.random() < 0.3
                check(draw(game, seat, rng.choice(HEIGHTS), rng.choice(NAMES), both=both))
                n_pictures += 1
    assert n_pictures > 8 * sample_size(40)


@pytest.mark.parametrize("height", [360, *HEIGHTS])
@pytest.mark.parametrize("names", NAMES)
def test_every_kind_of_end_fits(height: int, names: tuple[str, str]) -> None:
    ends = [
        knock(DEADWOOD_3, "Jh Qh Kh Jc Qc Kc 4s Td 8c 4d"),
        knock(GIN, LEFT_WITH_6),
        knock(DEADWOOD_3.replace("3c", "8c"), LEFT_WITH_6),
        knock("As 2s 3s 4h 5h 6h 7d 8d 9d Tc", "Jh Qh Kh Js Qs Ks 4s 3h 6c 4c", tie="push"),
        most_laid_off(),
        big_gin(),
    ]
    for game in (*ends, dead_hand("browser")):
        for seat in (0, 1):
            check_but_size(draw(game, seat, height, names))


def check_but_size(canvas: Canvas) -> None:
    """As `check`; in the smallest pictures letters may be smaller still."""
    canvas.texts = [written._replace(size=LEAST_TEXT) for written in canvas.texts]
    check(canvas)


def most_laid_off() -> Game:
    """Six cards laid off on three melds, and the loose card: as wide as a row gets."""
    return knock("3s 4s 5s 6h 7h 8h 9d Td Jd As", "2s 6s 7s 4h 5h 9h Th 7d 8d Qd")


def big_gin() -> Game:
    game = deal((GIN, LEFT_WITH_6), "Jd", big_gin_bonus=31)
    game.play("take")
    game.play("big gin")
    return game


def test_totals_of_five_digits_fit_beside_the_dealer_and_a_long_name() -> None:
    game = Game.deal("standard", seed=1, episode="match")
    view = game.view(0)
    view["totals"] = [10_000, 9_999]
    view["n_hands"] = 10_000
    view["is_dealer"] = 1
    for height in HEIGHTS:
        check(draw_table(Scene(view, 0, None, True, NAMES[1]), height))


def test_row_of_a_knock_with_most_laid_off_shows_every_card() -> None:
    result = most_laid_off().result
    assert result is not None
    assert len(result.layoffs) == 10
    places, spans = spread(shown_groups(result, 0), LEFT, RIGHT, MINE.card_width)
    assert sum(place.is_laid_off for place in places) == 10
    assert min(place.room for place in places) > INDEX * MINE.card_width
    assert [span.label for span in spans] == ["run", "run", "run", ""]


@pytest.mark.parametrize("sizes", [(11,), (4, 4, 3), (3, 3, 3, 2), (8, 12), (5, 5, 5, 5), (1,)])
def test_rows_lie_between_the_edges_in_order(sizes: tuple[int, ...]) -> None:
    groups = [CardGroup(tuple(range(size)), str(size)) for size in sizes]
    places, spans = spread(groups, 30, 1250, 90)
    lefts = [place.left for place in places]
    assert lefts == sorted(lefts)
    assert lefts[0] >= 30 - 1e-6
    assert lefts[-1] + 90 <= 1250 + 1e-6
    assert abs(lefts[0] - 30 - (1250 - lefts[-1] - 90)) < 1e-6
    assert all(one.right < other.left for one, other in pairwise(spans))
    for place, after in pairwise(places):
        assert place.room <= after.left - place.left + 1e-6
    assert places[-1].room == 90


def test_check_finds_what_is_wrong() -> None:
    canvas = draw(knock(GIN, LEFT_WITH_6), 0, 720)
    text, _, size, box = canvas.texts[0]
    for wrong in (
        Written("dealer", "dea" + ELLIPSIS, size, box),
        Written(text, text, size, Box(2, box.top, box.right, box.bottom)),
        Written(text, text, 4.0, box),
    ):
        canvas.texts[0] = wrong
        with pytest.raises(AssertionError):
            check(canvas)
    canvas.texts[:] = [Written(text, text, size, box), Written("over it", "over it", size, box)]
    with pytest.raises(AssertionError):
        check(canvas)


def test_text_too_wide_shrinks_and_then_is_cut() -> None:
    canvas = Canvas(720)
    box = Box(100, 100, 200, 130)
    for text in ("short", "a few words", "far too many words for a box like this"):
        canvas.text(box, text, 20)
        assert canvas.texts[-1].box.right <= 200
    whole, shrunk, cut = canvas.texts
    assert (whole.drawn, whole.size) == ("short", 20)
    assert shrunk.drawn == "a few words"
    assert 14 <= shrunk.size < 20
    assert cut.size == pytest.approx(14)
    assert cut.drawn.endswith(ELLIPSIS)


def test_names_are_drawn_in_the_letters_that_the_font_has() -> None:
    assert to_drawable("Zoë  Müller\n\t\x1b[31m") == "Zoe Muller ?[31m"
    assert to_drawable("\u674e\u2660") == "??"
    assert cut_name("Wolfgang Amadeus Mozart") == "Wolfgang Ama" + ELLIPSIS
    assert len(cut_name("i" * 999)) > 2 * len(cut_name("W" * 999))
    assert cut_name("") == ""
