"""Configs: what is left out has its default, and whatever is wrong is named."""

import re
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT
from training.config.run_config import (
    Config,
    describe,
    override_budget,
    read_config,
    to_config,
)
from training.errors import ConfigError

CONFIGS = sorted((ROOT / "configs" / "train").glob("*.yaml"))


def write(folder: Path, text: str) -> Path:
    """A config file."""
    file = folder / "config.yaml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_shipped_configs_are_right(path: Path) -> None:
    config = read_config(path)
    assert config.decisions > 0 or config.playouts is not None


def test_what_is_left_out_has_its_default() -> None:
    config = to_config({"ppo": {"n_epochs": 7}})
    assert config.ppo.n_epochs == 7
    assert config.game == Config().game
    assert config.ppo.gamma == Config().ppo.gamma


def test_config_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Config().seed = 3  # type: ignore[misc]


def test_every_default_is_a_value_that_its_field_takes() -> None:
    for key, default, spec in describe():
        assert spec.read(default) == default, key


def test_config_survives_yaml(tmp_path: Path) -> None:
    config = to_config(
        {
            "seed": 5,
            "minutes": 2.5,
            "game": {
                "rules": {"preset": "home", "target": 50},
                "opponents": {"hard": 2, "easy:mistakes=0.5": 1},
                "extras": ["danger"],
                "seat": 1,
            },
            "network": {"widths": [32, 16]},
        }
    )
    assert read_config(write(tmp_path, config.to_yaml())) == config


def test_sections_that_may_be_left_out_survive_yaml(tmp_path: Path) -> None:
    assert to_config({}).clone is None
    config = to_config(
        {
            "clone": {"teacher": "hard:slack=3", "decisions": 70_000},
            "shaping": {},
            "game": {"opponents": {"self": 1, "past": 0.5, "hard": 1}},
            "network": {"value_widths": [8], "privileged": True},
        }
    )
    assert config.clone is not None
    assert config.shaping is not None
    assert (config.clone.random_moves, config.clone.n_chunks) == (0.1, 2)
    assert read_config(write(tmp_path, config.to_yaml())) == config
    assert read_config(write(tmp_path, Config().to_yaml())) == Config()


def test_setting_opens_a_section_that_was_left_out(tmp_path: Path) -> None:
    for text in ("seed: 1\n", "clone:\n", "clone: {decisions: 5}\n"):
        config = read_config(write(tmp_path, text), ["clone.teacher=easy", "shaping.weight=1"])
        assert config.clone is not None
        assert config.shaping is not None
        assert (config.clone.teacher, config.shaping.weight) == ("easy", 1.0)
    closed = read_config(write(tmp_path, "clone: {decisions: 5}\n"), ["clone=null"])
    assert closed.clone is None


def test_settings_reach_nested_keys_and_win_over_the_file(tmp_path: Path) -> None:
    file = write(tmp_path, "decisions: 5\ngame:\n  opponents: {easy: 1}\n")
    settings = [
        "decisions=1_000",
        "game.opponents.hard=3",
        "game.seat=0",
        "game.rules={preset: home, target: 50}",
        "ppo.learning_rate=1e-3",
        "network.widths=[8, 8]",
        "minutes=",
    ]
    config = read_config(file, settings)
    assert config.decisions == 1000
    assert config.game.opponents == {"easy": 1.0, "hard": 3.0}
    assert config.game.seat == 0
    assert config.game.rules == {"preset": "home", "target": 50}
    assert config.ppo.learning_rate == 1e-3
    assert config.network.widths == (8, 8)
    assert config.minutes is None


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"decision": 1}, "unknown key 'decision'; the config takes seed, decisions, minutes"),
        ({"ppo": {"bs": 64}}, "unknown key 'ppo.bs'; ppo takes n_steps, batch_size"),
        ({"ppo": 3}, "ppo must be a mapping of keys to values, not 3"),
        ({"ppo": None}, "ppo must be a mapping of keys to values, not None"),
        ({"seed": -1}, "seed must be a whole number from 0 to 4294967295, not -1"),
        ({"seed": True}, "seed must be a whole number from 0 to 4294967295, not True"),
        ({"decisions": "many"}, "decisions must be a whole number from 0 to"),
        ({"decisions": 1.5}, "decisions must be a whole number from 0 to"),
        ({"minutes": -1}, "minutes must be a number from 0 on, or null, not -1"),
        ({"minutes": float("nan")}, "minutes must be a number from 0 on, or null, not nan"),
        ({"minutes": float("inf")}, "minutes must be a number from 0 on, or null, not inf"),
        ({"device": "tpu"}, "device must be one of cpu, cuda, auto, not 'tpu'"),
        ({"ppo": {"gamma": 1.01}}, "ppo.gamma must be a number from 0 to 1, not 1.01"),
        ({"ppo": {"gamma": [1]}}, "ppo.gamma must be a number from 0 to 1, not [1]"),
        ({"ppo": {"gamma": True}}, "ppo.gamma must be a number from 0 to 1, not True"),
        ({"ppo": {"gae_lambda": "low"}}, "ppo.gae_lambda must be a number from 0 to 1, not 'low'"),
        ({"ppo": {"learning_rate": None}}, "ppo.learning_rate must be a number from 0 to 10, not"),
        ({"game": {"seat": 2}}, "game.seat must be one of lot, 0, 1, not 2"),
        ({"game": {"seat": False}}, "game.seat must be one of lot, 0, 1, not False"),
        ({"game": {"episode": "game"}}, "game.episode must be one of hand, match, not 'game'"),
        ({"game": {"rules": "hom"}}, "game.rules: unknown preset 'hom'; the presets are standard"),
        ({"game": {"rules": {"targets": 5}}}, "game.rules: unknown rule field 'targets'"),
        ({"game": {"rules": {"target": 0}}}, "game.rules: target must be a whole number from 1"),
        ({"game": {"rules": 7}}, "game.rules: rules must be a preset's name, a mapping or Rules"),
        ({"playouts": {"opponents": {"quick": 1}}}, "playouts.opponents: unknown bot 'quick'"),
        ({"game": {"opponents": {"hard:x=1": 1}}}, "game.opponents: hard has no option 'x'"),
        (
            {"game": {"opponents": ["easy"]}},
            "game.opponents must be a mapping of bots, agents, `self`, `past`",
        ),
        ({"game": {"opponents": {}}}, "game.opponents must be a mapping of bots"),
        ({"game": {"opponents": {"easy": 0}}}, "to numbers from 0 on, not all 0, not {"),
        ({"game": {"opponents": {"easy": -1}}}, "game.opponents must be a mapping of bots"),
        ({"game": {"extras": ["dangr"]}}, "game.extras: unknown observation block 'dangr'"),
        ({"game": {"extras": "danger"}}, "game.extras must be a list out of continuation, danger"),
        ({"network": {"widths": []}}, "network.widths must be a list of at least one whole number"),
        ({"network": {"widths": [0]}}, "network.widths must be a list of at least one whole num"),
        ({"network": {"widths": 64}}, "network.widths must be a list of at least one whole number"),
        (
            {"network": {"value_widths": [0]}},
            "network.value_widths must be a list of any number of",
        ),
        (
            {"network": {"privileged": True}},
            "network.privileged needs layers of the value's own: give network.value_widths",
        ),
        ({"clone": 3}, "clone must be a mapping of the keys that follow, or null, not 3"),
        (
            {"game": {"opponents": {"\0.npz": 1}}},
            "game.opponents must be a mapping of bots, agents",
        ),
        ({"panel": {"opponents": ["a\n.npz"]}}, "panel.opponents must be a list of different bots"),
        ({"panel": {"opponents": ["hard:x=1"]}}, "panel.opponents: hard has no option 'x'"),
        ({"clone": {"teacher": "hrad"}}, "clone.teacher: unknown bot 'hrad'"),
        ({"clone": {"teacher": "self"}}, "clone.teacher: unknown bot 'self'"),
        ({"clone": {"portion": 100}}, "clone.portion must be a whole number from 2048 to"),
        ({"clone": {"labels": 1}}, "unknown key 'clone.labels'; clone takes teacher, decisions"),
        ({"shaping": {"until": 2}}, "shaping.until must be a number from 0 to 1, not 2"),
        ({"league": {"size": 0}}, "league.size must be a whole number from 1 to 1000, not 0"),
        ({"league": None}, "league must be a mapping of keys to values, not None"),
        ({"network": {"activation": "gelu"}}, "network.activation must be one of relu, tanh, not"),
        ({"network": {"skip": 1}}, "network.skip must be true or false, not 1"),
        ({"panel": {"opponents": ["easy", "easy"]}}, "panel.opponents must be a list of different"),
        ({"panel": {"opponents": "easy"}}, "panel.opponents must be a list of different bots"),
        (
            {"game": {"n_games": 6}, "ppo": {"n_steps": 5, "batch_size": 8}},
            "ppo.batch_size must divide game.n_games * ppo.n_steps = 6 * 5 = 30, which 8 does not",
        ),
    ],
)
def test_bad_value_is_named(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        to_config(values)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must hold a mapping of keys to values"),
        ("- 1\n", "must hold a mapping of keys to values"),
        ("seed: [1\n", "cannot read a config from"),
        ("\0", "cannot read a config from"),
    ],
)
def test_bad_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        read_config(write(tmp_path, text))
    assert "\n" not in str(caught.value)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot read a config from .*nowhere"):
        read_config(tmp_path / "nowhere.yaml")
    with pytest.raises(ConfigError, match="cannot read a config from"):
        read_config(tmp_path)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("seed", "a setting is written key=value, not 'seed'"),
        ("=1", "a setting is written key=value, not '=1'"),
        ("seed=[", "cannot read the value of 'seed=['"),
        ("seed.x=1", "cannot set 'seed.x': 'seed' holds no keys"),
        ("sed=1", "unknown key 'sed'"),
        ("ppo.gama=1", "unknown key 'ppo.gama'"),
        ("seed=x", "seed must be a whole number"),
    ],
)
def test_bad_setting_is_named(tmp_path: Path, setting: str, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        read_config(write(tmp_path, "seed: 1\n"), [setting])


def test_budget_alone_may_change_within_a_run() -> None:
    config = override_budget(to_config({"seed": 4}), ["decisions=7", "minutes=1"])
    assert (config.seed, config.decisions, config.minutes) == (4, 7, 1.0)
    with pytest.raises(ConfigError, match="may set decisions and minutes, not 'seed=1'"):
        override_budget(config, ["seed=1"])


def test_decisions_are_rounded_up_to_whole_updates() -> None:
    values = {"game": {"n_games": 4}, "ppo": {"n_steps": 10, "batch_size": 20}}
    assert to_config({**values, "decisions": 81}).n_decisions == 120
    assert to_config({**values, "decisions": 80}).n_decisions == 80
