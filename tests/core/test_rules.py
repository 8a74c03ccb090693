"""Rules: the presets field by field, every border, what is said of bad input, and the record."""

import re
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from gin_env.core.rules import (
    FIELDS,
    NO_BIG_GIN,
    PRESETS,
    RULES_DTYPE,
    SHUTOUT_DOUBLE,
    Rules,
    to_rules,
)
from gin_env.errors import RulesError

# docs/rules.md, "The presets", spelt out: one column a field, in the order of docs/rules.md.
COLUMNS = (
    "opening after_two_passes declined_upcard knock_limit oklahoma oklahoma_spades_double "
    "gin_bonus undercut_bonus big_gin_bonus tie may_return_taken stock_end turn_cap first_dealer "
    "next_dealer target hand_bonus hand_bonus_paid game_bonus shutout"
)
TABLE = """
standard      offer stock  pile    10 off     no  25 25 -  undercut no 2 100 seat_1 alternate 100 0  end     0   none
browser       offer stock  removed 10 off     no  25 25 -  undercut no 2 100 seat_1 loser     100 0  end     0   none
browser_quick offer stock  removed 10 off     no  25 25 -  undercut no 2 100 seat_1 loser     50  0  end     0   none
club          offer either pile    10 off     no  25 25 -  push     no 2 100 lot    winner    100 0  end     0   none
home          draw  stock  pile    10 off     no  25 25 -  undercut no 2 100 lot    loser     100 20 end     100 100
home_20_10    draw  stock  pile    10 off     no  20 10 -  undercut no 2 100 lot    loser     100 20 end     100 100
modern        offer stock  pile    10 off     no  25 25 31 undercut no 2 100 lot    winner    100 25 end     100 double
bicycle       offer stock  pile    10 off     no  20 10 -  undercut no 2 100 lot    winner    100 20 end     100 100
palace        offer stock  pile    10 off     no  25 20 -  undercut no 2 100 lot    winner    100 10 at_once 0   none
eaai          offer stock  pile    10 off     no  25 25 -  undercut no 2 100 lot    alternate 100 0  end     0   none
oklahoma      offer stock  pile    10 ace_gin yes 25 25 31 undercut no 2 100 lot    winner    100 25 end     100 double
straight      offer stock  pile    0  off     no  25 25 -  undercut no 2 100 seat_1 alternate 100 0  end     0   none
"""  # noqa: E501

BORDERS = {
    "knock_limit": (0, 10),
    "gin_bonus": (0, 10_000),
    "undercut_bonus": (0, 10_000),
    "big_gin_bonus": (0, 10_000),
    "stock_end": (2, 3),
    "turn_cap": (1, 1_000),
    "target": (1, 10_000),
    "hand_bonus": (0, 10_000),
    "game_bonus": (0, 10_000),
    "shutout": (0, 10_000),
}
WORDS = {
    "opening": ["offer", "draw"],
    "after_two_passes": ["stock", "either", "stock_only"],
    "declined_upcard": ["pile", "removed"],
    "oklahoma": ["off", "ace_one", "ace_gin"],
    "tie": ["undercut", "push", "knocker"],
    "first_dealer": ["seat_0", "seat_1", "lot"],
    "next_dealer": ["loser", "winner", "alternate"],
    "hand_bonus_paid": ["end", "at_once"],
}
TRUE_OR_FALSE = ["oklahoma_spades_double", "may_return_taken"]


def read_cell(text: str) -> Any:
    """One cell of the table: a number, yes or no, none ("-") or a word."""
    plain: dict[str, Any] = {"yes": True, "no": False, "-": None}
    return plain[text] if text in plain else int(text) if text.isdigit() else text


WRITTEN_OUT = {
    row.split()[0]: dict(zip(COLUMNS.split(), map(read_cell, row.split()[1:]), strict=True))
    for row in TABLE.strip().splitlines()
}


def refused(message: str, **values: Any) -> None:
    """Check that these fields are refused with exactly this message, however they are given."""
    pattern = "^" + re.escape(message) + "$"
    with pytest.raises(RulesError, match=pattern):
        Rules(**values)
    with pytest.raises(RulesError, match=pattern):
        Rules.from_dict(values)
    with pytest.raises(RulesError, match=pattern):
        Rules.preset("home", **values)
    with pytest.raises(RulesError, match=pattern):
        Rules().replace(**values)


def test_rules_hold_the_fields_of_the_rule_book() -> None:
    assert COLUMNS.split() == list(FIELDS) == list(Rules().to_dict())
    assert sorted([*WORDS, *BORDERS, *TRUE_OR_FALSE]) == sorted(FIELDS)


def test_presets_are_the_twelve_of_the_rule_book() -> None:
    assert list(PRESETS) == list(WRITTEN_OUT)
    assert len(WRITTEN_OUT) == 12


@pytest.mark.parametrize("name", list(WRITTEN_OUT))
def test_preset_sets_every_field_as_written(name: str) -> None:
    assert Rules.preset(name).to_dict() == WRITTEN_OUT[name]
    assert Rules.from_dict({"preset": name}) == Rules.preset(name) == to_rules(name)


def test_rules_default_to_standard() -> None:
    assert Rules() == Rules.preset("standard")


def test_preset_takes_overrides() -> None:
    rules = Rules.preset("home", target=50, big_gin_bonus=31)
    assert rules.to_dict() == WRITTEN_OUT["home"] | {"target": 50, "big_gin_bonus": 31}
    assert Rules.from_dict({"preset": "home", "target": 50, "big_gin_bonus": 31}) == rules


def test_rules_are_frozen_hashable_and_keyword_only() -> None:
    rules = Rules()
    with pytest.raises(FrozenInstanceError):
        rules.target = 50  # type: ignore[misc]
    assert hash(rules) == hash(Rules.preset("standard"))
    with pytest.raises(TypeError, match="positional"):
        Rules("draw")  # type: ignore[call-arg]


def test_replace_leaves_the_original_alone() -> None:
    rules = Rules.preset("modern")
    assert rules.replace(target=50).to_dict() == WRITTEN_OUT["modern"] | {"target": 50}
    assert rules.to_dict() == WRITTEN_OUT["modern"]


@pytest.mark.parametrize("name", list(BORDERS))
def test_number_field_takes_its_range_and_no_more(name: str) -> None:
    low, high = BORDERS[name]
    for value in (low, high):
        assert getattr(Rules.from_dict({name: value}), name) == value
    words = {"big_gin_bonus": ", or null", "shutout": ", or none or double"}.get(name, "")
    allowed = f"{name} must be a whole number from {low} to {high}{words}"
    wrong: list[Any] = [low - 1, high + 1, True, False, float(low), "5", "", [low]]
    for value in wrong:
        refused(f"{allowed}, not {value!r}", **{name: value})
    if name != "big_gin_bonus":
        refused(f"{allowed}, not None", **{name: None})


@pytest.mark.parametrize("name", list(WORDS))
def test_word_field_takes_its_words_and_no_others(name: str) -> None:
    for word in WORDS[name]:
        assert getattr(Rules.from_dict({name: word}), name) == word
    for value in ("", "never", WORDS[name][0].upper(), 0, None, False, [WORDS[name][0]]):
        refused(f"{name} must be one of {', '.join(WORDS[name])}, not {value!r}", **{name: value})


@pytest.mark.parametrize("name", TRUE_OR_FALSE)
def test_flag_takes_true_and_false_only(name: str) -> None:
    for flag in (True, False):
        assert getattr(Rules.from_dict({name: flag}), name) is flag
    for value in (0, 1, None, "true", "yes"):
        refused(f"{name} must be true or false, not {value!r}", **{name: value})


@pytest.mark.parametrize("word", ["none", "double"])
def test_shutout_takes_two_words_beside_a_number(word: str) -> None:
    assert Rules(shutout=word).shutout == word


@pytest.mark.parametrize(
    "make",
    [
        lambda: Rules.from_dict({"gin_bonuss": 25}),
        lambda: Rules.preset("home", gin_bonuss=25),
        lambda: Rules().replace(gin_bonuss=25),
    ],
)
def test_unknown_field_is_named_with_those_there_are(make: Callable[[], Rules]) -> None:
    expected = f"unknown rule field 'gin_bonuss'; the rule fields are {', '.join(FIELDS)} (did you "
    with pytest.raises(RulesError, match=re.escape(expected + "mean 'gin_bonus'?)")):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: Rules.preset("pub"),
        lambda: Rules.from_text("pub"),
        lambda: to_rules("pub"),
        lambda: to_rules({"preset": "pub", "target": 50}),
    ],
)
def test_unknown_preset_is_named_with_those_there_are(make: Callable[[], Rules]) -> None:
    expected = f"^unknown preset 'pub'; the presets are {', '.join(WRITTEN_OUT)}$"
    with pytest.raises(RulesError, match=expected):
        make()


def test_to_rules_takes_a_name_a_mapping_or_rules() -> None:
    rules = Rules(target=50)
    assert to_rules(rules) is rules
    assert to_rules({"target": 50}) == rules
    assert to_rules({}) == Rules()
    expected = r"^rules must be a preset's name, a mapping or Rules, not 7$"
    with pytest.raises(RulesError, match=expected):
        to_rules(7)  # type: ignore[arg-type]


# --- YAML ---


def test_from_yaml_reads_fields_and_a_preset(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text("preset: modern\ntarget: 50\nbig_gin_bonus: null\noklahoma: 'off'\n")
    expected = Rules.preset("modern", target=50, big_gin_bonus=None)
    assert Rules.from_yaml(path) == Rules.from_yaml(str(path)) == expected


def test_from_text_takes_a_preset_or_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("table.yaml", "table", "home"):
        Path(name).write_text("preset: modern")
    assert Rules.from_text("table.yaml") == Rules.from_text("table") == Rules.preset("modern")
    assert Rules.from_text("home") == Rules.preset("home")
    for name in ("missing.yml", "missing.yaml", str(tmp_path)):
        with pytest.raises(RulesError, match=f"^cannot read rules from '{name}'"):
            Rules.from_text(name)


def test_from_yaml_takes_off_without_quotes(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text("preset: oklahoma\noklahoma: off\noklahoma_spades_double: off\n")
    expected = Rules.preset("oklahoma", oklahoma="off", oklahoma_spades_double=False)
    assert Rules.from_yaml(path) == expected


@pytest.mark.parametrize("name", list(WRITTEN_OUT))
def test_from_yaml_reads_back_every_preset(tmp_path: Path, name: str) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text(yaml.safe_dump(WRITTEN_OUT[name]))
    assert Rules.from_yaml(path) == Rules.preset(name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gin_bonus: [25", r"^cannot read rules from '.*rules\.yaml': "),
        ("gin_bonus: 'twenty", r"^cannot read rules from '.*rules\.yaml': "),
        ("a: b: c", r"^cannot read rules from '.*rules\.yaml': "),
        ("[" * 5000, r"^cannot read rules from '.*rules\.yaml': "),
        ("gin_bonus: !!bool maybe", r"^cannot read rules from '.*rules\.yaml': "),
        ("gin_bonus: !!timestamp x", r"^cannot read rules from '.*rules\.yaml': "),
        ("gin_bonus: !!int ''", r"^cannot read rules from '.*rules\.yaml': "),
        (f"gin_bonus: {'9' * 5000}", r"^cannot read rules from '.*rules\.yaml': "),
        ("", r"^'.*rules\.yaml' must hold a mapping of rule fields to values$"),
        ("- target", r"must hold a mapping of rule fields to values$"),
        ("standard", r"must hold a mapping of rule fields to values$"),
        ("25: gin_bonus", r"must hold a mapping of rule fields to values$"),
        ("target: 0", "^target must be a whole number from 1 to 10000, not 0$"),
        ("target: 50.0", "^target must be a whole number from 1 to 10000, not 50.0$"),
        ("oklahoma: on", "^oklahoma must be one of off, ace_one, ace_gin, not True$"),
        ("tie: off", "^tie must be one of undercut, push, knocker, not False$"),
        ("may_return_taken: 1", "^may_return_taken must be true or false, not 1$"),
        ("goal: 50", "^unknown rule field 'goal'; the rule fields are opening, "),
        ("preset: [home]", r"^unknown preset \['home'\]; the presets are standard, "),
        ("target: 2001-13-45", r"^target must be a whole number|^cannot read rules from "),
        ("oklahoma: [off]", r"^oklahoma must be one of off, ace_one, ace_gin, not \[False\]$"),
        ("preset: pub", "^unknown preset 'pub'; the presets are standard, "),
    ],
)
def test_from_yaml_says_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text(text)
    with pytest.raises(RulesError, match=message):
        Rules.from_yaml(path)


def test_from_yaml_names_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    missing, binary = tmp_path / "missing.yaml", tmp_path / "binary.yaml"
    binary.write_bytes(b"\xff\xfe\xfd")
    for path in (missing, binary, tmp_path):
        with pytest.raises(RulesError, match=f"^cannot read rules from {str(path)!r}: "):
            Rules.from_yaml(path)


# --- The record that kernels read ---


def test_record_holds_every_field_and_the_episode() -> None:
    assert RULES_DTYPE.names is not None
    assert list(RULES_DTYPE.names) == [*WORDS, *BORDERS, *TRUE_OR_FALSE, "is_match"]
    assert Rules().row()["is_match"] == Rules().row("hand")["is_match"] == 0
    assert Rules().row("match")["is_match"] == 1


@pytest.mark.parametrize("name", list(WRITTEN_OUT))
def test_record_codes_words_by_place_and_numbers_as_they_are(name: str) -> None:
    record = Rules.preset(name).row()
    for field, value in WRITTEN_OUT[name].items():
        special: dict[Any, int] = {None: NO_BIG_GIN, "none": 0, "double": SHUTOUT_DOUBLE}
        if field in WORDS:
            expected = WORDS[field].index(value)
        elif field in ("big_gin_bonus", "shutout") and value in special:
            expected = special[value]
        else:
            expected = int(value)
        assert record[field] == expected, field
    assert Rules.from_row(record) == Rules.preset(name)


def test_record_tells_special_words_from_numbers() -> None:
    assert NO_BIG_GIN < 0
    assert SHUTOUT_DOUBLE < 0
    assert Rules(big_gin_bonus=0).row()["big_gin_bonus"] == 0
    assert Rules(big_gin_bonus=None).row()["big_gin_bonus"] == NO_BIG_GIN
    assert Rules(shutout=0).row() == Rules(shutout="none").row()


def test_record_is_fresh_each_time() -> None:
    rules = Rules()
    record = rules.row()
    record["target"] = 7
    assert rules.row()["target"] == 100
    assert isinstance(record, np.void)


@pytest.mark.parametrize("episode", ["", "game", None, 1])
def test_record_knows_two_episodes(episode: Any) -> None:
    expected = f"^episode must be one of hand, match, not {episode!r}$"
    with pytest.raises(RulesError, match=expected):
        Rules().row(episode)


def test_rules_replace_takes_no_preset() -> None:
    with pytest.raises(RulesError, match="not a preset"):
        Rules().replace(preset="club")
