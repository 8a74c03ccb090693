"""The page: all in one file, nothing from a network, and no name is ever markup."""

import json
import re
import shutil
import subprocess
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from gin_env.core.actions import DRAW
from gin_env.core.cards import card_text
from gin_env.core.state import STOCK_PLACE
from gin_env.errors import HistoryError, OutputError
from gin_env.history import read_line
from gin_env.replay.frames import make_frames
from gin_env.replay.page import FOLDER, write_page
from tests.history.recorded import GOLDEN

HANDS = [read_line(line) for line in GOLDEN[:6]]
HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>\"'&amp;<!--SCRIPT",
)
VOID = {"meta", "input"}


class Page(HTMLParser):
    """What a page consists of; it says where tags are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.content: dict[str, str] = {}
        self._open: list[str] = []
        self._id: str | None = None
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self._open.append(tag)
        self._id = dict(attrs).get("id") or tag

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._id is not None and self._id not in self.content:
            self.content[self._id] = data


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the page is written."""
    return tmp_path / "p.html"


def page_of(file: Path) -> Page:
    return Page(file.read_text("utf-8"))


def data_of(page: Page) -> dict[str, Any]:
    return dict(json.loads(page.content["data"]))


def test_page_holds_the_frames_that_the_engine_makes(file: Path) -> None:
    made = write_page(file, HANDS, "h.jsonl", first=4)
    assert made == (6, None)
    data = data_of(page_of(file))
    assert (data["first"], data["below"], data["trouble"]) == (4, 0, None)
    for shown, hand in zip(data["hands"], HANDS, strict=True):
        assert shown["players"] == list(hand.players)
        assert shown["frames"] == json.loads(json.dumps(make_frames(hand)))


def test_page_of_hostile_names_has_the_tags_of_any_other(tmp_path: Path) -> None:
    tame, hostile = tmp_path / "tame.html", tmp_path / "hostile.html"
    write_page(tame, HANDS, "h.jsonl")
    write_page(hostile, [replace(hand, players=HOSTILE) for hand in HANDS], HOSTILE[0])
    pages = page_of(tame), page_of(hostile)
    assert pages[0].tags == pages[1].tags
    assert pages[0].attributes == pages[1].attributes
    assert data_of(pages[1])["hands"][0]["players"] == list(HOSTILE)
    assert pages[1].content["title"] == HOSTILE[0]
    assert pages[0].content["script"] == pages[1].content["script"]
    assert hostile.read_text("utf-8").count("<script") == 2


def test_page_loads_nothing_and_runs_only_its_own_script(file: Path) -> None:
    write_page(file, HANDS, "h.jsonl")
    text = file.read_text("utf-8")
    page = Page(text)
    policy = dict(page.attributes)["content"] or ""
    policies = [value or "" for name, value in page.attributes if name == "content"]
    (policy,) = (value for value in policies if "default-src" in value)
    assert policy.startswith("default-src 'none'; ")
    for tag in ("style", "script"):
        found = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = b64encode(sha256(found[0].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert not {name for name, _ in page.attributes} & {"src", "href", "style", "onclick"}
    assert "http://" not in text
    assert "https://" not in text
    assert "innerHTML" not in text


@pytest.mark.parametrize("seat", [0, 1])
def test_page_of_one_seat_holds_nothing_that_is_hidden(file: Path, seat: int) -> None:
    """No card that only the other seat ever drew, unless a knock has shown it."""
    hand = next(hand for hand in map(read_line, GOLDEN) if 2 < hand.actions.count(DRAW) < 8)
    unfinished = replace(hand, actions=hand.actions[:-1])
    write_page(file, [unfinished], "h.jsonl", str(seat))
    data = data_of(page_of(file))
    assert data["below"] == seat
    assert data["hands"][0]["frames"] == json.loads(json.dumps(make_frames(unfinished, str(seat))))
    moved = {action % 52 for action in hand.actions[:-1] if action < 2 * 52}
    theirs = [card for card in hand.deck[10 * (1 - seat) : 10 * (2 - seat)] if card not in moved]
    undrawn = hand.deck[STOCK_PLACE + hand.actions.count(DRAW) :]
    assert theirs
    for card in (*theirs, *undrawn):
        assert f'"{card_text(card)}"' not in file.read_text("utf-8")


@pytest.mark.parametrize("perspective", ["both", "0", "1"])
def test_page_of_one_seat_does_not_tell_by_what_seed_or_error_the_cards_are(
    file: Path, perspective: str
) -> None:
    seeded, wrong = replace(HANDS[0], seed=987654321), replace(HANDS[0], actions=(107,))
    made = write_page(file, [seeded, wrong], "h.jsonl", perspective, first=4)
    assert made.problem is not None
    text, is_open = file.read_text("utf-8"), perspective == "both"
    assert ("987654321" in text) == is_open
    shown = data_of(page_of(file))["trouble"]
    assert shown.startswith("line 5: ")
    assert (shown == made.problem) == is_open
    assert ("holding" in shown) == is_open  # of the hand that the error names


def test_page_shows_the_hands_before_one_that_fails(file: Path) -> None:
    wrong = replace(HANDS[1], actions=(107,))
    made = write_page(file, [HANDS[0], wrong, HANDS[2]], "h.jsonl", first=8)
    assert made.n_hands == 1
    assert made.problem is not None
    assert made.problem.startswith("line 9: action 1: 'big gin' is not legal")
    assert data_of(page_of(file))["trouble"] == made.problem


def test_page_of_no_hands_is_an_error_and_no_file(file: Path, tmp_path: Path) -> None:
    with pytest.raises(HistoryError, match="there are no hands to show"):
        write_page(file, [], "h.jsonl")
    with pytest.raises(HistoryError, match="action 1"):
        write_page(file, [replace(HANDS[0], actions=(107,))], "h.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_page_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot write"):
        write_page(tmp_path / "no" / "p.html", HANDS, "h.jsonl")


STUB = """
const made = [];
function element(id) {
  return { id, children: [], listeners: {}, dataset: {}, textContent: "", className: "", value: "",
    append(...all) { this.children.push(...all); },
    replaceChildren(...all) { this.children = all; },
    querySelector(what) { return this[what] ||= element(what); },
    get parentElement() { return this.box ||= element("box"); },
    addEventListener(kind, call) { this.listeners[kind] = call; },
    set innerHTML(_) { throw new Error("innerHTML"); } };
}
const known = {};
globalThis.document = { createElement: element, addEventListener(kind, call) { this.on = call; },
  getElementById: (id) => known[id] ||= element(id) };
const fs = require("fs");
known.data = { textContent: fs.readFileSync(process.argv[2], "utf-8") };
(0, eval)(fs.readFileSync(process.argv[3], "utf-8"));
const seen = () => [known.said.textContent, known.place.textContent, known.number.value];
const press = (key) => document.on({ key, target: null, preventDefault() {} });
const all = [seen()];
for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft", "End", "ArrowRight", "Home",
  "ArrowDown", "PageDown", "ArrowUp", "x"]) { press(key); all.push(seen()); }
console.log(JSON.stringify(all));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no JavaScript to run it with")
def test_page_obeys_the_keys(file: Path, tmp_path: Path) -> None:
    write_page(file, HANDS[:3], "h.jsonl", first=5)
    (tmp_path / "data.json").write_text(page_of(file).content["data"])
    (tmp_path / "stub.js").write_text(STUB)
    command: list[str | Path] = [
        "node",
        tmp_path / "stub.js",
        tmp_path / "data.json",
        FOLDER / "page.js",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    frames, last = make_frames(HANDS[0]), len(HANDS[0].actions)
    end = "\n".join([frames[-1].action, *frames[-1].end])
    deal = ["The deal", f"0 of {last}", "5"]
    second = ["The deal", f"0 of {len(HANDS[1].actions)}", "6"]
    assert json.loads(done.stdout) == [
        deal,
        [frames[1].action, f"1 of {last}", "5"],
        [frames[2].action, f"2 of {last}", "5"],
        [frames[1].action, f"1 of {last}", "5"],
        [end, f"{last} of {last}", "5"],
        [end, f"{last} of {last}", "5"],
        deal,
        second,
        ["The deal", f"0 of {len(HANDS[2].actions)}", "7"],
        second,
        second,
    ]
