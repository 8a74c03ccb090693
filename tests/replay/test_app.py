"""Stepping through hands in the terminal: keys, perspectives, damaged files."""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gin_env.history import Hand, read, read_line
from tests.history.recorded import GOLDEN, change

pytest.importorskip("textual")
from textual.widgets import Static

from gin_env.replay.browser import LazyHands, ReplayApp
from gin_env.replay.frames import make_frames
from tests.terminal import DOWN, RIGHT, Terminal

HANDS = [read_line(line) for line in GOLDEN[:4]]


def press(app: ReplayApp, *keys: str) -> str:
    """What stands on a screen of 80 by 24 after some keys."""

    async def run() -> str:
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press(*keys)
            shown = str(app.query_one("#table", Static).content)
            lines = shown.split("\n")
            assert len(lines) <= 24
            assert max(map(len, lines)) <= 80
            return shown

    return asyncio.run(run())


def make(hands: list[Hand] | Iterator[Hand] = HANDS, *more: Any) -> ReplayApp:
    return ReplayApp(iter(hands), "h.jsonl", *more)


def test_app_begins_with_the_deal() -> None:
    shown = press(make())
    assert shown.startswith("h.jsonl · hand 1\n")
    assert "Stock 31" in shown
    assert "0 of 22" in shown


def test_app_obeys_the_arrow_keys() -> None:
    frames = make_frames(HANDS[0])
    last = len(frames) - 1
    for keys, number, place in (
        (("right",), 1, 1),
        (("right", "right", "left"), 1, 1),
        (("left",), 1, 0),
        (("end",), 1, last),
        (("end", "home"), 1, 0),
        (("end", "right"), 2, 0),
        (("down", "left"), 1, last),
        (("down", "pagedown", "up"), 2, 0),
        (("up",), 1, 0),
        (("space", "space", "backspace"), 1, 1),
    ):
        app = make()
        shown = press(app, *keys)
        assert (app.number + 1, app.place) == (number, place), keys
        assert f"hand {number}" in shown
        if number == 1 and place:
            assert frames[place].action in shown


def test_app_says_where_hands_begin_and_end() -> None:
    assert "this is the first hand" in press(make(), "up")
    shown = press(make(), *["down"] * 5)
    assert "hand 4 of 4" in shown
    assert "there are no more hands" in shown
    assert "← → action" in press(make(), *["down"] * 5, "left")


def test_app_shows_what_a_seat_sees() -> None:
    for keys, seen, n_backs in (((), "", 0), (("p",), "seat 0", 10), (("p", "p"), "seat 1", 10)):
        shown = press(make(), *keys)
        assert shown.count("▒▒") == n_backs
        assert (f"seen by {seen}" in shown) == bool(seen)
    app = make()
    press(app, "right", "right", "p")
    assert app.place == 2
    shown = press(make(HANDS, "1"))
    above, below = (shown.index(f"(seat {seat})") for seat in (0, 1))
    assert above < below


def test_app_begins_with_any_hand() -> None:
    assert "hand 3" in press(make(HANDS, "both", 3))
    shown = press(make(HANDS, "both", 9))
    assert "hand 4 of 4" in shown
    assert "there are no more hands" in shown


def test_app_shows_the_hands_before_a_damaged_line(tmp_path: Path) -> None:
    file = tmp_path / "h.jsonl"
    file.write_bytes(GOLDEN[0] + GOLDEN[1][:99])
    shown = press(make(read(file)), "down")
    assert "hand 1 of 1" in shown
    assert "line 2: it is cut short" in shown


def test_app_shows_that_a_hand_cannot_be(tmp_path: Path) -> None:
    file = tmp_path / "h.jsonl"
    file.write_bytes(GOLDEN[0] + change(GOLDEN[1], actions=["big gin"]) + GOLDEN[2])
    for keys in (("down",), ("down", "home", "end"), ("down", "p"), ("end", "right")):
        shown = press(make(read(file)), *keys)
        assert "line 2: action 1: 'big gin' is not legal" in shown
        assert "Stock" not in shown
    for keys in (("down", "down"), ("down", "right"), ("down", "up"), ("down", "left")):
        assert "Stock" in press(make(read(file)), *keys)
    assert "there are no more hands" in press(make(read(file)), "down", "down", "down")
    file.write_bytes(GOLDEN[0] + change(GOLDEN[1], actions=["big gin"]))
    shown = press(make(read(file)), "down", "down")
    assert "hand 2 of 2" in shown
    assert "there are no more hands" in shown


def test_app_of_no_hands_says_so() -> None:
    assert "there are no" in press(make([]))


def test_app_shows_names_as_they_are() -> None:
    named = replace(HANDS[0], players=("[red]x[/red]", "[@click=app.quit]y[/]"))
    shown = press(make([named]))
    assert "[red]x[/red]" in shown
    assert "[@click=app.quit]y[/]" in shown


def test_app_cuts_a_long_name_of_a_file() -> None:
    assert press(ReplayApp(iter(HANDS), "x" * 200)).startswith("x" * 30 + "… · hand 1\n")


def test_app_is_left_with_q() -> None:
    for key in ("q", "escape", "ctrl+c"):
        app = make()
        press(app, key)
        assert app.return_code == 0


def test_hands_reads_hands_as_they_are_asked_for() -> None:
    n_read = 0

    def count() -> Iterator[Hand]:
        nonlocal n_read
        for hand in HANDS:
            n_read += 1
            yield hand

    hands = LazyHands(count())
    assert hands.get(1) == HANDS[1]
    assert n_read == len(hands) == 2
    assert hands.get(0) == HANDS[0]
    assert hands.get(99) is None
    assert hands.is_whole


@pytest.mark.slow
@pytest.mark.parametrize(
    "environment",
    [{"TERM": "xterm"}, {"NO_COLOR": "1"}, {"TERM": "vt100"}, {"TERM": "xterm-256color"}],
)
def test_replay_in_a_real_terminal(tmp_path: Path, environment: dict[str, str]) -> None:
    file, frames = tmp_path / "h.jsonl", make_frames(HANDS[0])
    file.write_bytes(b"".join(GOLDEN))
    with Terminal(["replay", str(file)], environment) as terminal:
        terminal.see("0 of 22")
        for keys, seen in (
            (RIGHT, frames[1].action),
            ("\x1b[F", frames[-1].end[0]),
            (DOWN, "hand 2"),
            ("p", "▒▒ ▒▒"),
        ):
            terminal.type(keys)
            terminal.see(seen)
        terminal.type("q")
        assert terminal.end() == 0
    colors = set(re.findall(r"\x1b\[([0-9;]*)m", terminal.raw.decode()))
    assert any(code.startswith("31") for code in colors) == ("NO_COLOR" not in environment)
    assert not any("38;" in code or "48;" in code for code in colors)


def test_keys_are_all_on_the_last_line(tmp_path: Path) -> None:
    lines = press(make()).split("\n")
    assert len(lines) == 24
    assert lines[-1].endswith("q quit")
