"""What a run trains: frozen dataclasses, read from YAML and checked field by field."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from math import inf
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import yaml

from gin_env.core.observe import EXTRAS
from gin_env.core.rules import EPISODES, Episode
from gin_env.support.key_values import load_yaml, unique
from gin_env.support.options import check_known, short
from training.config import specs
from training.config.specs import Spec, number, whole, word
from training.errors import ConfigError

ACTIVATIONS = ("relu", "tanh")
DEVICES = ("cpu", "cuda", "auto")
SEATS = ("lot", 0, 1)

MAX_SEED = (1 << 32) - 1
"""NumPy's global generator, by which Stable-Baselines3 shuffles, takes no larger seed."""
BILLION = 10**9

SELF, PAST = MET_AS = ("self", "past")
"""Opponents that the run makes itself: the policy as it is, and as it once was."""

BUDGET = ("decisions", "minutes")
"""The keys that may change when a run goes on."""


@dataclass(frozen=True, kw_only=True)
class GameConfig:
    """What is played, against whom, and what of it the learner gets to see."""

    rules: Annotated[Any, specs.rules("see docs/rules.md")] = "standard"
    episode: Annotated[Episode, word(EPISODES, "what an episode is")] = "hand"
    opponents: Annotated[
        dict[str, float],
        specs.shares_of_players(
            "how often each is met, relative to the others; see [The league](#the-league)", MET_AS
        ),
    ] = field(default_factory=lambda: {"medium": 1.0})
    seat: Annotated[
        str | int, word(SEATS, "where the learner sits; `lot` draws it for each episode")
    ] = "lot"
    extras: Annotated[tuple[str, ...], specs.extras("optional blocks of the observation")] = EXTRAS
    n_games: Annotated[int, whole(1, 65536, "games played at the same time")] = 256
    reward_scale: Annotated[float, number(1e-6, 1e6, "factor on the points of the reward")] = 1 / 30


@dataclass(frozen=True, kw_only=True)
class ImitationConfig:
    """The teacher that the policy imitates first, and how it learns from it."""

    teacher: Annotated[str, specs.bot("whom to do as")] = "hard"
    decisions: Annotated[
        int,
        whole(
            1,
            1000 * BILLION,
            "how many of the teacher's to learn from, rounded up to whole chunks",
        ),
    ] = 1_500_000
    random_moves: Annotated[
        float, number(0, 0.9, "chance that a random move is played instead of the teacher's")
    ] = 0.1
    portion: Annotated[
        int, whole(2048, BILLION, "decisions that are played, learned from and dropped at a time")
    ] = 65_536
    batch_size: Annotated[int, whole(2, BILLION, "decisions in a minibatch, about")] = 512
    n_epochs: Annotated[int, whole(1, 1000, "passes over each chunk")] = 1
    learning_rate: Annotated[float, number(0, 10, "Adam's step size at the start")] = 1e-3
    learning_rate_end: Annotated[float, number(0, 10, "at the end; it falls in a line")] = 1e-4

    @property
    def n_chunks(self) -> int:
        """Chunks that are learned from."""
        return -(-self.decisions // self.portion)


@dataclass(frozen=True, kw_only=True)
class PlayoutsConfig:
    """How it learns from playouts of its candidate actions, all with the same cards."""

    decisions: Annotated[
        int, whole(1, 1000 * BILLION, "how many to learn from, rounded up to whole chunks")
    ] = 4_000_000
    opponents: Annotated[
        dict[str, float], specs.shares_of_bots("how often each is met, relative to the others")
    ] = field(default_factory=lambda: {"hard": 1.0})
    random_moves: Annotated[
        float, number(0, 0.9, "chance that the game goes on with a random move")
    ] = 0.05
    least_chance: Annotated[
        float, number(1e-4, 0.5, "what chance the policy must give to an action for a trial")
    ] = 0.01
    own_turns: Annotated[
        int, whole(0, 1000, "turns of both seats that the learner goes on itself, before Hard does")
    ] = 4
    horizon: Annotated[
        int, whole(1, 1000, "turns of both seats after which a value ends a playout against Hard")
    ] = 4
    worlds: Annotated[
        int,
        whole(0, 10_000, "worlds that are drawn for playouts against Hard; 0: the game as it is"),
    ] = 0
    portion: Annotated[
        int, whole(2048, BILLION, "decisions that are played, learned from and dropped at a time")
    ] = 65_536
    batch_size: Annotated[int, whole(2, BILLION, "decisions in a minibatch, about")] = 2048
    n_epochs: Annotated[int, whole(1, 1000, "passes over each chunk")] = 2
    learning_rate: Annotated[float, number(0, 10, "Adam's step size at the start")] = 3e-4
    learning_rate_end: Annotated[float, number(0, 10, "at the end; it falls in a line")] = 1e-5
    ent_coef: Annotated[float, number(0, 10, "weight of the entropy at the start")] = 0.01
    ent_coef_end: Annotated[float, number(0, 10, "at the end; it falls in a line")] = 5e-4

    @property
    def n_chunks(self) -> int:
        """Chunks that are learned from."""
        return -(-self.decisions // self.portion)


@dataclass(frozen=True, kw_only=True)
class LeagueConfig:
    """Which past selves are kept, and how they are met."""

    every: Annotated[int, whole(1, BILLION, "decisions after which another past self is added")] = (
        1_000_000
    )
    size: Annotated[int, whole(1, 1000, "how many are kept; the easiest to beat makes room")] = 8
    floor: Annotated[
        float, number(0, 1, "share of their games that is spread evenly over them")
    ] = 0.3
    greedy: Annotated[
        bool, specs.flag("these selves play their likeliest moves rather than draw them")
    ] = False


@dataclass(frozen=True, kw_only=True)
class ShapingConfig:
    """Reward for less deadwood, which leaves the optimum where it is."""

    weight: Annotated[
        float, number(0, 100, "points that a point less of deadwood is worth at first")
    ] = 0.3
    until: Annotated[float, number(0, 1, "share of `decisions` over which it falls to 0")] = 0.5


@dataclass(frozen=True, kw_only=True)
class PPOConfig:
    """How it learns: the parameters of MaskablePPO."""

    n_steps: Annotated[int, whole(1, 65536, "decisions per game between two updates")] = 64
    batch_size: Annotated[int, whole(2, BILLION, "decisions in a minibatch")] = 4096
    n_epochs: Annotated[int, whole(1, 1000, "passes over the decisions of an update")] = 2
    learning_rate: Annotated[float, number(0, 10, "Adam's step size at the start")] = 2e-3
    learning_rate_end: Annotated[float, number(0, 10, "at the end; it falls in a line")] = 2e-4
    ent_coef: Annotated[float, number(0, 10, "weight of the entropy at the start")] = 0.05
    ent_coef_end: Annotated[float, number(0, 10, "at the end; it falls in a line")] = 0.0
    gamma: Annotated[float, number(0, 1, "discount per decision")] = 1.0
    gae_lambda: Annotated[float, number(0, 1, "bias (0) or variance (1) of the advantages")] = 0.95
    clip_range: Annotated[
        float, number(1e-6, 10, "how far an update may shift a move's probability")
    ] = 0.2
    target_kl: Annotated[
        float | None,
        number(1e-6, 10, "an update ends early beyond 1.5 times this", may_be_null=True),
    ] = None
    vf_coef: Annotated[float, number(0, 100, "weight of the value loss")] = 0.5
    max_grad_norm: Annotated[float, number(1e-6, 1e6, "longest gradient that is followed")] = 0.5


@dataclass(frozen=True, kw_only=True)
class NetworkConfig:
    """What learns (`training.policy`)."""

    widths: Annotated[
        tuple[int, ...], specs.widths(1, 8192, "units of the layers of the policy")
    ] = (256,)
    value_widths: Annotated[
        tuple[int, ...],
        specs.widths(0, 8192, "units of the value's own layers; none: it shares the policy's"),
    ] = ()
    privileged: Annotated[
        bool, specs.flag("let the value see the hidden cards while it learns")
    ] = False
    activation: Annotated[str, word(ACTIVATIONS, "what follows each of these layers")] = "relu"
    skip: Annotated[
        bool, specs.flag("add learned multiples of the arithmetic blocks to the logits")
    ] = True


@dataclass(frozen=True, kw_only=True)
class EvaluationConfig:
    """Whom the policy is evaluated against while it trains, always on the same deals."""

    opponents: Annotated[tuple[str, ...], specs.players("whom to play")] = (
        "easy",
        "medium",
        "hard",
    )
    hands: Annotated[int, whole(4, 10**6, "hands against each of them")] = 500
    matches: Annotated[int, whole(0, 10**6, "matches against each of them")] = 0
    every: Annotated[int, whole(1, BILLION, "decisions between two measurements")] = 250_000


@dataclass(frozen=True, kw_only=True)
class Config:
    """Everything that a run is made from."""

    seed: Annotated[int, whole(0, MAX_SEED, "same config, same seed: same weights")] = 1
    decisions: Annotated[
        int, whole(0, 1000 * BILLION, "how many PPO learns from, rounded up to whole updates")
    ] = 1_000_000
    minutes: Annotated[
        float | None,
        number(
            0, inf, "stop sooner, at the first update or chunk after this time", may_be_null=True
        ),
    ] = None
    threads: Annotated[int, whole(1, 1024, "processor threads to use")] = 2
    device: Annotated[str, word(DEVICES, "where torch computes")] = "cpu"
    checkpoint_every: Annotated[int, whole(1, BILLION, "decisions between two checkpoints")] = (
        250_000
    )
    game: GameConfig = field(default_factory=GameConfig)
    clone: Annotated[ImitationConfig | None, specs.section("learn from a teacher first")] = None
    playouts: Annotated[
        PlayoutsConfig | None, specs.section("then learn from playouts of its candidates")
    ] = None
    league: LeagueConfig = field(default_factory=LeagueConfig)
    shaping: Annotated[ShapingConfig | None, specs.section("pay for less deadwood at first")] = None
    ppo: PPOConfig = field(default_factory=PPOConfig)
    network: NetworkConfig = field(default_factory=NetworkConfig)
    panel: EvaluationConfig = field(default_factory=EvaluationConfig)

    def __post_init__(self) -> None:
        """Check what concerns several fields at once."""
        if self.update_size % self.ppo.batch_size:
            raise ConfigError(
                f"ppo.batch_size must divide game.n_games * ppo.n_steps = {self.game.n_games} * "
                f"{self.ppo.n_steps} = {self.update_size}, which {self.ppo.batch_size} does not"
            )
        if self.network.privileged and not self.network.value_widths:
            raise ConfigError(
                "network.privileged needs layers of the value's own: give network.value_widths"
            )

    @property
    def update_size(self) -> int:
        """Decisions that one update learns from."""
        return self.game.n_games * self.ppo.n_steps

    @property
    def n_decisions(self) -> int:
        """Decisions that the run learns from: what was asked for, in whole updates."""
        return -(-self.decisions // self.update_size) * self.update_size

    def to_yaml(self) -> str:
        """All keys and values, as `read_config` reads them."""
        return yaml.safe_dump(_plain(asdict(self)), sort_keys=False)


def read_config(path: str | Path, settings: Sequence[str] = ()) -> Config:
    """Read a config from a YAML file; what it leaves out keeps its default.

    Args:
        path: The file.
        settings: Overrides as ``key=value``, with dots in nested keys, and YAML values.

    Raises:
        ConfigError: If the file or a setting cannot be read, or a key or value is not allowed.
    """
    try:
        values = load_yaml(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read a config from {str(path)!r}: {error}") from error
    if not isinstance(values, dict):
        raise ConfigError(f"{str(path)!r} must hold a mapping of keys to values")
    _override(values, settings)
    return to_config(values)


def override_budget(config: Config, settings: Sequence[str]) -> Config:
    """The same config with another budget, which is all that may change within a run.

    Raises:
        ConfigError: If a setting is of another key, or its value is not allowed.
    """
    values = asdict(config)
    for setting in settings:
        if setting.partition("=")[0] not in BUDGET:
            raise ConfigError(
                f"a run that goes on may set {' and '.join(BUDGET)}, not {short(setting)}"
            )
    _override(values, settings)
    return to_config(values)


def to_config(values: Mapping[str, Any]) -> Config:
    """Build a config from nested mappings.

    Raises:
        ConfigError: If a key is unknown or a value is not allowed; it names both, and what is.
    """
    config: Config = _build(Config, values, "")
    return config


def describe(section: Any = Config(), prefix: str = "") -> Iterator[tuple[str, Any, Spec]]:
    """Every key with its default and what it takes, for docs/training.md."""
    for name, (kind, spec) in _fields(type(section)).items():
        value = getattr(section, name)
        if spec is not None:
            yield prefix + name, value, spec
        if is_dataclass(kind) and isinstance(kind, type):
            yield from describe(kind() if value is None else value, f"{prefix}{name}.")


def _override(values: dict[str, Any], settings: Sequence[str]) -> None:
    """Enter settings, each ``key=value``, into nested mappings."""
    pairs = []
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not key or not equals:
            raise ConfigError(f"a setting is written key=value, not {short(setting)}")
        try:
            pairs.append((key, load_yaml(text)))
        except ValueError as error:
            raise ConfigError(f"cannot read the value of {short(setting)}: {error}") from error
    try:
        given = unique(pairs)
    except ValueError as error:
        raise ConfigError(f"settings: {error}") from error
    for key, value in given.items():
        *sections, last = key.split(".")
        place = values
        for section in sections:
            if place.get(section) is None:  # left out, or a section that is not used so far
                place[section] = {}
            place = place[section]
            if not isinstance(place, dict):
                raise ConfigError(f"cannot set {key!r}: {section!r} holds no keys")
        place[last] = value


def _build(cls: Any, values: Any, prefix: str) -> Any:
    """A section out of its mapping, or a named error."""
    where = prefix.rstrip(".") or "the config"
    if not isinstance(values, Mapping):
        raise ConfigError(f"{where} must be a mapping of keys to values, not {short(values)}")
    known = _fields(cls)
    for name in values:
        check_known("key", name, known, ConfigError, of=where)
    read = {}
    for name, value in values.items():
        kind, spec = known[name]
        key = prefix + name
        is_section = is_dataclass(kind) and (spec is None or isinstance(value, Mapping))
        if is_section:
            read[name] = _build(kind, value, key + ".")
        else:
            read[name] = spec.option.check(key, value, ConfigError)
    return cls(**read)


def _fields(cls: Any) -> dict[str, tuple[Any, Any]]:
    """Of each field its type, and its spec; none where it is a section that is always there."""
    hints = get_type_hints(cls, include_extras=True)
    return {
        name: (_section_of(hint), *getattr(hint, "__metadata__", (None,)))
        for name, hint in hints.items()
    }


def _section_of(hint: Any) -> Any:
    """The dataclass that a field holds or may hold; else whatever it is."""
    if get_origin(hint) in (Annotated, UnionType):
        return _section_of(get_args(hint)[0])
    return hint


def _plain(value: Any) -> Any:
    """The same with lists for tuples, which YAML does not have."""
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value
