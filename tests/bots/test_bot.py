"""Bots as objects: names, options and their ranges, text, copies; and their page in the docs."""

import copy
import math
import pickle
import re
from typing import Any

import numpy as np
import pytest

from gin_env import bots
from gin_env.bots.bot import Bot
from gin_env.bots.bot_row import OPTION_NAMES
from gin_env.bots.choose import KINDS
from gin_env.errors import BotError
from tests import ROOT

PAGE = ROOT / "docs" / "bots.md"
EVERY_OPTION = [(name, option) for name, kind in KINDS.items() for option in kind.options]


def test_names_run_from_random_to_expert() -> None:
    assert bots.names() == ("random", "simple", "greedy", "easy", "medium", "hard", "expert")


def test_make_fills_in_every_option() -> None:
    assert bots.make("random").options == {}
    assert bots.make("medium").options == {"meld_weight": 1.0, "slack": 5.0}
    assert bots.make("medium", slack=3).options == {"meld_weight": 1.0, "slack": 3.0}
    assert bots.make("hard").options.keys() == KINDS["hard"].options.keys()


def test_make_leaves_no_trace_for_the_next_bot() -> None:
    bots.make("hard", slack=1).options["danger_weight"] = 7
    assert bots.make("hard") == Bot("hard")
    assert bots.make("hard").options["danger_weight"] == 1


def test_kinds_have_ranges_that_hold_their_defaults_and_a_place_in_the_record() -> None:
    for kind in KINDS.values():
        for name, option in kind.options.items():
            assert option.takes.read(option.default) == option.default
            assert name in OPTION_NAMES
    assert len({kind.kind for kind in KINDS.values()}) == len(KINDS)
    assert {option for _, option in EVERY_OPTION} == set(OPTION_NAMES)


@pytest.mark.parametrize(("name", "option"), EVERY_OPTION)
def test_record_holds_the_option(name: str, option: str) -> None:
    limits = KINDS[name].options[option].takes
    for value in (limits.low, limits.high):
        record = bots.make(name, **{option: value}).row
        assert record[option] == value
        assert record["kind"] == KINDS[name].kind


@pytest.mark.parametrize(("name", "option"), EVERY_OPTION)
def test_make_refuses_a_value_outside_its_range(name: str, option: str) -> None:
    limits = KINDS[name].options[option].takes
    said = f"{name}: {option} must be a number from {limits.low:g} to {limits.high:g}, not "
    bad: list[Any] = [limits.low - 1e-9, limits.high + 1e-9, math.nan, math.inf, -math.inf]
    for value in [*bad, True, "5", None]:
        with pytest.raises(BotError, match=f"^{re.escape(said + repr(value))}$"):
            bots.make(name, **{option: value})


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("master", {}, "unknown bot 'master'; the bots are random, simple, greedy, easy, medium"),
        ("Hard", {}, "unknown bot 'Hard'"),
        ("", {}, "unknown bot ''"),
        ("random", {"slack": 5}, "unknown option 'slack' of random; there are none"),
        (
            "medium",
            {"mistakes": 0},
            "unknown option 'mistakes' of medium; the options of medium are m",
        ),
        (
            "hard",
            {"kind": 1},
            "unknown option 'kind' of hard; the options of hard are knock_",
        ),
    ],
)
def test_make_names_what_is_unknown(name: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(BotError, match=f"^{said}"):
        bots.make(name, **options)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "hard"),
        ({"slack": 4}, "hard"),
        ({"danger_weight": 0}, "hard(danger_weight=0)"),
        ({"go_on_decay": 0.75, "slack": 3}, "hard(slack=3, go_on_decay=0.75)"),
        ({"knock_turns": np.float64(2)}, "hard(knock_turns=2)"),
    ],
)
def test_text_gives_the_options_that_are_not_the_defaults(
    options: dict[str, Any], text: str
) -> None:
    assert str(bots.make("hard", **options)) == text


def test_bot_is_a_value() -> None:
    bot = bots.make("hard", slack=3)
    assert bot == bots.make("hard", slack=3.0)
    assert bot != bots.make("hard")
    for again in (pickle.loads(pickle.dumps(bot)), copy.copy(bot), copy.deepcopy(bot)):
        assert again == bot
        assert str(again) == str(bot)
        assert again.row == bot.row


def test_bot_can_be_a_key() -> None:
    known = {bots.make("hard"): "hard", bots.make("hard", slack=3): "other"}
    assert known[Bot("hard", {"slack": 4})] == "hard"


def test_page_describes_every_bot_in_order() -> None:
    headings = re.findall(r"^### (\w+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert headings == list(bots.names())
