"""The kinds of options: what each takes, and what is said of all else."""

import re
from argparse import ArgumentTypeError
from typing import Any

import numpy as np
import pytest

from gin_env.errors import GinError, OptionError, RulesError
from gin_env.support.command_line import typed_as
from gin_env.support.options import (
    MAX_SHOWN,
    Flag,
    Number,
    Option,
    Whole,
    Word,
    check_known,
    check_seed,
    short,
)

HUGE = 10**6000
NO_WORDS: tuple[Any, ...] = (None, "none", "", [], {}, object(), np.zeros(2), b"1")


@pytest.mark.parametrize(
    ("option", "allowed", "right", "wrong"),
    [
        (Whole(1), "a whole number from 1 on", [1, 10**30, np.uint8(7)], [0, 1.0, True, "1"]),
        (Whole(0, 3), "a whole number from 0 to 3", [0, 3], [-1, 4, HUGE, np.True_, 1j]),
        (
            Whole(0, 3, (None, "double")),
            "a whole number from 0 to 3, or null or double",
            [0, 3, None, "double"],
            [4, "Double", False],
        ),
        (Number(0), "a number from 0 on", [0.0, 0.5, np.float32(0.5)], [-1e-9, True, HUGE, "1"]),
        (Number(0, 1e6), "a number from 0 to 1e+06", [1e6, 1], [1e6 + 1, float("nan"), HUGE]),
        (Number(0, words=(None,)), "a number from 0 on, or null", [None, 2.5], [float("inf")]),
        (Word(("lot", 0, None)), "one of lot, 0, None", ["lot", 0, None], [False, 0.0, "0", 1]),
        (Flag(), "true or false", [True, False], [0, 1, "true", np.True_, None]),
    ],
)
def test_option_takes_what_it_says(
    option: Option, allowed: str, right: list[Any], wrong: list[Any]
) -> None:
    for value in right:
        read = option.check("it", value)
        assert read == value
        assert type(read) in (int, float, str, bool, type(None))
    others = NO_WORDS[2:] if None in right else NO_WORDS[1:]
    for value in [*wrong, *others]:
        said = re.escape(f"it must be {allowed}, not {short(value)}")
        with pytest.raises(OptionError, match=f"^{said}$"):
            option.check("it", value)
        with pytest.raises(RulesError):
            option.check("it", value, RulesError)


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [(Whole(0), "12", 12), (Number(0, 1), "1e-1", 0.1), (Word(("a", "b")), "b", "b")],
)
def test_option_reads_what_is_typed(option: Option, text: str, value: Any) -> None:
    assert typed_as(option)(text) == value
    for wrong in ("x", "-1", "nan", ""):
        with pytest.raises(ArgumentTypeError, match=f"^must be .*, not {wrong!r}$"):
            typed_as(option)(wrong)


LONG = {"text": "x" * 10**6, "lists": [["y" * 99] * 99] * 99, "number": HUGE, "other": object()}


@pytest.mark.parametrize("value", LONG.values(), ids=LONG)
def test_value_is_shown_short(value: Any) -> None:
    assert 0 < len(short(value)) <= MAX_SHOWN
    with pytest.raises(OptionError) as caught:
        Flag().check("it", value)
    assert len(str(caught.value)) < MAX_SHOWN + 40


@pytest.mark.parametrize(
    ("name", "known", "of", "said"),
    [
        ("hrad", ["easy", "hard"], None, "unknown bot 'hrad'; the bots are easy, hard (did you m"),
        ("hrad", ["easy", "hard"], None, "(did you mean 'hard'?)"),
        ("nobody", ["easy"], "us", "unknown bot 'nobody' of us; the bots of us are easy"),
        ("x", [], None, "unknown bot 'x'; there are none"),
        (["easy"], ["easy"], None, "unknown bot ['easy']; the bots are easy"),
        (7, ["easy"], None, "unknown bot 7; the bots are easy"),
    ],
)
def test_unknown_name_is_named_with_those_there_are(
    name: Any, known: list[str], of: str | None, said: str
) -> None:
    with pytest.raises(GinError, match=re.escape(said)):
        check_known("bot", name, known, of=of)
    check_known("bot", "easy", ["easy"])


def test_seed_is_drawn_where_none_is_given() -> None:
    assert check_seed(None) != check_seed(None)
    assert check_seed(np.uint64(2**64 - 1)) == 2**64 - 1
