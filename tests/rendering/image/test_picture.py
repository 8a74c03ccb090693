"""Pictures as arrays: sizes, what they hide and show, and what is said without Pillow."""

import sys
from random import Random

import numpy as np
import pytest

from gin_env import Game, GinError, OptionError
from gin_env.core.rules import PRESETS, Rules
from gin_env.core.state import NO_SEAT, Phase
from gin_env.errors import PillowMissingError
from gin_env.rendering.draw import draw_image, draw_text, modes_here
from gin_env.rendering.image import render_image
from gin_env.rendering.image.card_faces import card_back, card_face, small_card
from gin_env.rendering.image.shapes import suit_mask
from gin_env.rendering.scene import Scene
from tests.core.test_no_leak import exchange, states
from tests.hands import sample_size
from tests.rendering.hands import dead_hand
from tests.rules import GIN, LEFT_WITH_6, LOOSE, deal, knock

N_HANDS = sample_size(100)


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_hidden_cards_change_no_byte_of_a_rendering(preset: str) -> None:
    rng, n_compared, n_other_changed = Random(preset), 0, 0
    for _ in range(N_HANDS):
        for table in states(Rules.preset(preset), rng):
            if table.s["phase"] == Phase.OVER and table.s["hand_end"]["knocker"] != NO_SEAT:
                continue  # both hands have been shown
            seat = rng.randrange(2)
            other = exchange(table, seat, rng)
            texts = [draw_text(each.r, each.s, seat) for each in (table, other)]
            assert texts[0] == texts[1]
            if rng.random() < 0.25 or table.s["phase"] == Phase.OVER:
                pictures = [
                    draw_image(each.r, each.s, seat, screen_height=360) for each in (table, other)
                ]
                assert pictures[0].tobytes() == pictures[1].tobytes()
                n_compared += 1
            open_texts = [draw_text(each.r, each.s, seat, both=True) for each in (table, other)]
            n_other_changed += open_texts[0] != open_texts[1]
    assert n_compared >= N_HANDS
    assert n_other_changed > 5 * N_HANDS


def test_open_hands_change_the_picture() -> None:
    one = deal(LOOSE, "Kc")
    other = deal((LOOSE[0], LOOSE[1].replace("Ah", "Ad")), "Kc")
    assert one.render("ansi", 0) == other.render("ansi", 0)
    assert one.render("ansi", "both") != other.render("ansi", "both")
    assert np.array_equal(one.render("rgb_array", 0), other.render("rgb_array", 0))
    assert not np.array_equal(one.render("rgb_array", "both"), other.render("rgb_array", "both"))


def test_a_knock_shows_both_hands_to_either_seat() -> None:
    one, other = (knock(GIN, hand) for hand in (LEFT_WITH_6, LEFT_WITH_6.replace("6c", "6d")))
    for seat in (0, 1):
        assert not np.array_equal(one.render("rgb_array", seat), other.render("rgb_array", seat))


@pytest.mark.parametrize(("height", "width"), [(360, 640), (480, 854), (721, 1282), (1080, 1920)])
def test_picture_has_the_size_asked_for(height: int, width: int) -> None:
    game = Game.deal(seed=1)
    picture = game.render("rgb_array", screen_height=height)
    assert picture.shape == (height, width, 3)
    assert picture.dtype == np.uint8
    assert picture.flags.writeable
    picture[:] = 0
    again = game.render("rgb_array", screen_height=height)
    assert again.std() > 10


@pytest.mark.parametrize("height", [359, 2161, 720.0, "720", None, True])
def test_heights_out_of_range_are_named(height: object) -> None:
    with pytest.raises(OptionError, match="screen_height must be a whole number from 360 to 2160"):
        Game.deal(seed=1).render("rgb_array", screen_height=height)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("mode", "perspective", "message"),
    [
        ("human", None, "mode must be one of 'ansi', 'rgb_array'"),
        ("ansi", "player_0", "perspective must be 0 or 1, not 'player_0'"),
        ("ansi", 2, "perspective must be 0 or 1, not 2"),
    ],
)
def test_odd_renderings_are_named(mode: str, perspective: object, message: str) -> None:
    with pytest.raises(GinError, match=message):
        Game.deal(seed=1).render(mode, perspective)  # type: ignore[call-overload]


def test_replay_shows_both_hands_with_their_deadwood() -> None:
    game = deal((GIN, LEFT_WITH_6), "Kc")
    text = game.render(perspective="both")
    assert "both hands open" in text.splitlines()[0]
    assert "[J♠ Q♠ K♠] [J♥ Q♥ K♥] 4♠ 2♥ 3♥ 6♣ · deadwood 15" in text
    assert "[A♠ 2♠ 3♠] [4♥ 5♥ 6♥] [7♦ 8♦ 9♦ T♦]" in text
    game.play("pass")
    game.play("take")
    assert "player_1: drew K♣: discard a card" in game.render(perspective="both")


def test_replay_of_a_dead_hand_shows_both_hands() -> None:
    game = dead_hand()
    seen, replayed = game.render(perspective=0), game.render(perspective="both")
    assert seen.count("deadwood") == 1
    assert replayed.count("deadwood") == 2
    assert not np.array_equal(game.render("rgb_array", 0), game.render("rgb_array", "both"))


def test_without_pillow_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("gin_env.rendering.image.")]:
        monkeypatch.delitem(sys.modules, name)
    for name in [name for name in sys.modules if name.partition(".")[0] == "PIL"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "PIL", None)
    game = Game.deal(seed=1)
    with pytest.raises(PillowMissingError, match=r"pip install 'gin-env\[play\]'") as caught:
        render_image(Scene(game.view(0), 0))
    assert isinstance(caught.value, ImportError)
    assert game.render("ansi")


def test_environments_declare_pictures_only_where_they_can_be_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert modes_here() == ["human", "ansi", "rgb_array"]
    monkeypatch.setattr("gin_env.rendering.draw.find_spec", lambda _: None)
    assert modes_here() == ["human", "ansi"]


def test_every_card_has_a_face_of_its_own() -> None:
    for draw in (card_face, small_card):
        faces = {draw(card, 60).tobytes() for card in range(52)}
        assert len(faces) == 52
        assert {draw(card, 60).size for card in range(52)} == {(60, 84)}
    assert card_back(60).tobytes() not in {card_face(card, 60).tobytes() for card in range(52)}


def test_cards_are_red_or_black() -> None:
    for card in range(52):
        face = np.asarray(card_face(card, 90), int)[12:-12, 4:-4, :3]  # without the round corners
        is_red = ((face[..., 0] > 150) & (face[..., 1] < 60)).any()
        is_black = (face.sum(-1) < 120).any()
        assert is_red == (13 <= card < 39)
        assert is_red != is_black


def test_suits_are_smooth_and_as_high_as_asked() -> None:
    for suit in range(4):
        for size in (8, 20, 64):
            mask = np.asarray(suit_mask(suit, size))
            assert mask.shape == (size, size)
            assert 0.2 < mask.mean() / 255 < 0.8
            assert ((mask > 20) & (mask < 235)).any()
            half = mask.astype(int)
            assert np.abs(half - half[:, ::-1]).mean() < 12  # left and right alike
