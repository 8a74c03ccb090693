"""Whoever sits down: names, bots, callables, objects and files; and who is turned away, and why."""

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces

from gin_env import bots
from gin_env.bots.bot_row import make_memories
from gin_env.core.actions import N_ACTIONS, PASS
from gin_env.core.batch import Batch
from gin_env.core.observe import EXTRAS, OBS_SIZE, obs_size
from gin_env.errors import GinError, PlayerError
from gin_env.players import (
    FORFEIT,
    MODEL_FILE,
    RUN_FILE,
    BatchPlayer,
    BotPlayer,
    CallablePlayer,
    ModelPlayer,
    Player,
    Turn,
    Verdict,
    load_agent,
    resolve,
)
from gin_env.players import ask as ask_player
from tests.bots.play import ask

Act = Callable[[np.ndarray, np.ndarray], Any]


def last_legal(observation: np.ndarray, action_mask: np.ndarray) -> int:
    """The last legal action."""
    return int(np.flatnonzero(action_mask)[-1])


def always(answer: Any) -> Act:
    """Somebody who always gives the same answer."""

    def act(observation: np.ndarray, action_mask: np.ndarray) -> Any:
        return answer

    return act


class Patient:
    """An object with `act`, and with blocks that it asks for."""

    extras = ("danger",)

    def __init__(self) -> None:
        self.sizes: set[int] = set()

    def act(self, observation: np.ndarray, action_mask: np.ndarray) -> np.int64:
        """The first legal action."""
        self.sizes.add(len(observation))
        return np.int64(action_mask.argmax())


class Seated:
    """A `Player` of somebody's own."""

    name = "seated"
    extras: tuple[str, ...] = ()

    def reset(self, seeds: np.ndarray, seat: int, rows: np.ndarray | None = None) -> None:
        """Nothing to forget."""

    def act(self, turn: Turn) -> np.ndarray:
        """The first legal action of each row."""
        actions: np.ndarray = turn.masks.argmax(1)
        return actions


def a_turn(n_rows: int = 3, extras: tuple[str, ...] = ()) -> Turn:
    """Some decisions, at the offer of the upcard."""
    batch = Batch(n_rows, extras=extras)
    batch.reset(0)
    a = batch.arrays
    return Turn(batch.rules_row, np.arange(n_rows), a.views, a.observations, a.masks)


# --- Who sits down ---


@pytest.mark.parametrize("name", bots.names())
def test_resolve_seats_a_bot_by_its_name(name: str) -> None:
    player = resolve(name)
    assert isinstance(player, BotPlayer)
    assert isinstance(player, Player)
    assert (player.name, player.extras) == (name, ())
    assert player.bot == bots.make(name)


def test_resolve_seats_a_bot_with_its_options() -> None:
    bot = bots.make("hard", slack=3)
    player = resolve(bot)
    assert isinstance(player, BotPlayer)
    assert player.bot is bot
    assert player.name == "hard(slack=3)"


def test_resolve_leaves_a_player_as_it_is() -> None:
    for player in (BotPlayer(bots.make("easy")), CallablePlayer(last_legal, "last"), Seated()):
        assert resolve(player) is player


def test_resolve_seats_a_function_under_its_name() -> None:
    player = resolve(last_legal)
    assert isinstance(player, CallablePlayer)
    assert (player.name, player.extras) == ("last_legal", ())
    assert player.act(a_turn()).tolist() == [PASS] * 3
    assert resolve(always(0)).name == "act"


def test_resolve_seats_an_object_with_act_and_what_it_asks_for() -> None:
    someone = Patient()
    player = resolve(someone)
    assert (player.name, player.extras) == ("Patient", ("danger",))
    turn = a_turn(extras=("danger",))
    assert player.act(turn).tolist() == turn.masks.argmax(1).tolist()
    assert player.act(turn).dtype == np.int64
    assert someone.sizes == {obs_size(("danger",))}


def test_resolve_takes_the_name_of_one_block_for_that_block() -> None:
    class Single(Patient):
        extras = "danger"  # type: ignore[assignment]

    assert resolve(Single()).extras == ("danger",)


def test_resolve_refuses_blocks_that_there_are_not() -> None:
    class Wishful(Patient):
        extras = ("luck",)

    with pytest.raises(GinError, match=r"^unknown observation block 'luck'; there are contin"):
        resolve(Wishful())


@pytest.mark.parametrize("nobody", [None, 5, 3.5, [], {}, object(), b"medium"])
def test_resolve_refuses_what_cannot_play(nobody: Any) -> None:
    with pytest.raises(PlayerError, match=r" is no player: give a bot's or an agent's name, "):
        resolve(nobody)


def test_resolve_names_what_can_be_no_file() -> None:
    with pytest.raises(PlayerError, match=r"^cannot look for 'xxx.*': File name too long$"):
        resolve("x" * 300)


@pytest.mark.parametrize("name", ["hrad", "Hard", "", "no/such/file.zip", "hard "])
def test_resolve_names_the_bots_where_a_name_is_no_bot_and_no_file(name: str) -> None:
    said = r"^'.*' is neither a bot \(random, simple, .*\) nor a model file or run folder"
    with pytest.raises(PlayerError, match=said):
        resolve(name)


# --- What a bot and a callable are handed ---


def test_bot_player_decides_as_the_bot_and_remembers_each_row() -> None:
    seeds = np.array([5, 6, 7], np.uint64)
    player, turn = resolve("random"), a_turn()
    player.reset(seeds, 1)
    memories = [make_memories(seeds[row : row + 1], 1) for row in range(3)]
    for rows in ([0, 1, 2], [2], [0, 2], [1], [0, 1, 2]):
        part = Turn(turn.rules_row, np.array(rows), turn.views[rows], turn.observations, turn.masks)
        chosen = player.act(part).tolist()
        asked = [ask(bots.make("random"), turn.rules_row, turn.views[r], memories[r]) for r in rows]
        assert chosen == asked


def test_callable_is_handed_copies() -> None:
    kept: list[np.ndarray] = []

    def scribble(observation: np.ndarray, action_mask: np.ndarray) -> int:
        action = int(action_mask.argmax())
        observation[:], action_mask[:] = -1, 0
        kept.extend((observation, action_mask))
        return action

    turn = a_turn()
    before = turn.observations.tobytes(), turn.masks.tobytes(), turn.views.tobytes()
    resolve(scribble).act(turn)
    assert (turn.observations.tobytes(), turn.masks.tobytes(), turn.views.tobytes()) == before
    assert len(kept) == 6
    for array in kept:
        assert not np.shares_memory(array, turn.observations)
        assert not np.shares_memory(array, turn.masks)


def test_callable_sees_its_own_row() -> None:
    seen: list[tuple[bytes, bytes]] = []

    def remember(observation: np.ndarray, action_mask: np.ndarray) -> int:
        assert observation.dtype == np.float32
        assert action_mask.dtype == np.int8
        seen.append((observation.tobytes(), action_mask.tobytes()))
        return PASS

    turn = a_turn()
    resolve(remember).act(turn)
    pairs = zip(turn.observations, turn.masks, strict=True)
    assert seen == [(observation.tobytes(), mask.tobytes()) for observation, mask in pairs]
    assert len(set(seen)) == 3


@pytest.mark.parametrize("answer", [7, np.int64(7), np.uint8(7), np.array(7)])
def test_callable_may_answer_with_any_whole_number(answer: Any) -> None:
    player = CallablePlayer(always(answer), "someone")
    assert player.act(a_turn()).tolist() == [7, 7, 7]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "pass",
        3.0,
        np.float64(3),
        [3],
        (3, None),
        np.array(3.7),
        np.array([3.0]),
        np.array([3, 4]),
        np.array("pass"),
        10**30,
        True,
    ],
    ids=repr,
)
def test_callable_that_answers_rubbish_is_named(answer: Any) -> None:
    player = CallablePlayer(always(answer), "babbler")
    with pytest.raises(PlayerError, match=r"^babbler answered .*, which is no action id"):
        player.act(a_turn())


def test_callable_s_own_mistakes_are_not_hidden() -> None:
    def stumble(observation: np.ndarray, action_mask: np.ndarray) -> int:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        resolve(stumble).act(a_turn())


# --- Many games in one call ---


class Batched:
    """An object that decides many games at once; `act` is not for us."""

    extras = ("danger",)

    def __init__(self, answer: Callable[[np.ndarray], Any] = lambda masks: masks.argmax(1)) -> None:
        self.answer = answer
        self.shapes: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()

    def act(self, observation: np.ndarray, action_mask: np.ndarray) -> int:
        raise AssertionError("asked for one game")

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray) -> Any:
        """The first legal action of each row, or what the test wants."""
        self.shapes.add((observations.shape, action_masks.shape))
        answer = self.answer(action_masks)
        observations[:], action_masks[:] = -1, 0
        return answer


def test_resolve_seats_an_object_that_decides_many_games_at_once() -> None:
    someone = Batched()
    player = resolve(someone)
    assert isinstance(player, BatchPlayer)
    assert (player.name, player.extras) == ("Batched", ("danger",))
    turn = a_turn(5, extras=("danger",))
    before = turn.observations.tobytes(), turn.masks.tobytes()
    assert player.act(turn).tolist() == turn.masks.argmax(1).tolist()
    assert (turn.observations.tobytes(), turn.masks.tobytes()) == before
    assert someone.shapes == {((5, obs_size(("danger",))), (5, N_ACTIONS))}


def test_object_that_decides_many_games_at_once_plays_as_one_that_decides_each() -> None:
    rewards = []
    for opponent in (Batched(), Patient()):
        env = gym.make_vec("gin_env/GinRummy-v0", num_envs=16, opponent=opponent)
        _, infos = env.reset(seed=4)
        total = np.zeros(16)
        for _ in range(60):
            last_legal = N_ACTIONS - 1 - infos["action_mask"][:, ::-1].argmax(1)
            _, reward, _, _, infos = env.step(last_legal)
            total += reward
        rewards.append(total.tolist())
    assert rewards[0] == rewards[1]
    assert any(rewards[0])


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda _: None, "answered 3 decisions with None"),
        (lambda masks: masks.argmax(1)[:2], "answered 3 decisions with array"),
        (lambda masks: masks, "answered 3 decisions with array"),
        (lambda masks: masks.argmax(1) + 0.5, "answered 3 decisions with array"),
        (lambda _: [[1], [2, 3], []], "answered 3 decisions with "),
        (lambda masks: masks.argmin(1), "'discard As' is not legal in the offer phase$"),
        (lambda masks: masks.argmax(1) - 200, "is no action: ids lie between"),
    ],
    ids=["none", "too few", "masks", "halves", "ragged", "illegal", "out of range"],
)
def test_object_that_answers_many_games_with_rubbish_is_named(
    answer: Callable[[np.ndarray], Any], said: str
) -> None:
    with pytest.raises(PlayerError, match=f"^Batched.*{said}"):
        ask_player(resolve(Batched(answer)), a_turn())


# --- Giving up a hand ---


class Quitter(Seated):
    """Gives up the second of its hands."""

    name = "quitter"
    may_forfeit = True

    def __init__(self) -> None:
        self.verdicts = [Verdict(1, "stalled", "old"), Verdict(1, "died", "fell asleep")]

    def act(self, turn: Turn) -> np.ndarray:
        actions = super().act(turn)
        actions[1] = FORFEIT
        return actions


def test_player_may_give_up_hands_where_that_is_let_through() -> None:
    turn = a_turn()
    wanted = [int(turn.masks[0].argmax()), FORFEIT, int(turn.masks[2].argmax())]
    assert ask_player(Quitter(), turn, may_forfeit=True).tolist() == wanted


def test_player_that_gives_up_a_hand_is_named_with_its_verdict_where_it_is_not() -> None:
    with pytest.raises(PlayerError, match=r"^quitter: fell asleep$"):
        ask_player(Quitter(), a_turn())


def test_only_a_player_that_may_forfeit_can() -> None:
    class Other(Quitter):
        may_forfeit = False

    for is_allowed in (False, True):
        with pytest.raises(PlayerError, match=r"^quitter: -1 is no action"):
            ask_player(Other(), a_turn(), may_forfeit=is_allowed)


def test_player_that_may_forfeit_plays_by_the_rules_otherwise() -> None:
    class Cheat(Quitter):
        def act(self, turn: Turn) -> np.ndarray:
            return np.array([FORFEIT, 0, FORFEIT])

    with pytest.raises(PlayerError, match=r"^quitter: 'discard As' is not legal"):
        ask_player(Cheat(), a_turn(), may_forfeit=True)


# --- Files ---


class Stub(gym.Env[np.ndarray, np.int64]):
    """An environment that is good for its spaces only."""

    def __init__(self, size: int = OBS_SIZE, n_actions: int = N_ACTIONS) -> None:
        self.observation_space = spaces.Box(0.0, 1.0, (size,), np.float32)
        self.action_space = spaces.Discrete(n_actions)


@pytest.fixture(scope="module")
def save_model(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Save an untrained model of some spaces; the same file for the same ones."""
    from sb3_contrib import MaskablePPO  # noqa: PLC0415  (torch takes seconds to import)

    folder = tmp_path_factory.mktemp("models")

    def save(size: int = OBS_SIZE, n_actions: int = N_ACTIONS) -> Path:
        file = folder / f"{size}-{n_actions}.zip"
        if not file.is_file():
            options: dict[str, Any] = {"n_steps": 2, "batch_size": 2, "device": "cpu", "seed": 1}
            env = Stub(size, n_actions)
            MaskablePPO("MlpPolicy", env, policy_kwargs={"net_arch": []}, **options).save(file)
        return file

    return save


@pytest.mark.slow
def test_load_agent_plays_a_model_s_most_likely_legal_actions(
    save_model: Callable[..., Path],
) -> None:
    player, turn = load_agent(save_model()), a_turn()
    assert (player.name, player.extras) == (f"{OBS_SIZE}-{N_ACTIONS}", ())
    player.reset(np.zeros(3, np.uint64), 0)
    actions = player.act(turn)
    assert actions.dtype == np.int64
    assert actions.shape == (3,)
    assert turn.masks[np.arange(3), actions].all()
    assert player.act(turn).tolist() == actions.tolist()
    assert isinstance(resolve(str(save_model())), ModelPlayer)
    assert isinstance(resolve(save_model()), ModelPlayer)


@pytest.mark.slow
def test_load_agent_reads_the_blocks_off_the_size(save_model: Callable[..., Path]) -> None:
    assert load_agent(save_model(obs_size(EXTRAS))).extras == EXTRAS


@pytest.mark.slow
def test_load_agent_reads_a_run_folder(tmp_path: Path, save_model: Callable[..., Path]) -> None:
    run = tmp_path / "quick"
    run.mkdir()
    (run / MODEL_FILE).write_bytes(save_model(obs_size(["danger"])).read_bytes())
    (run / RUN_FILE).write_text('{"extras": ["danger"]}')
    player = load_agent(run)
    assert (player.name, player.extras) == ("quick", ("danger",))
    assert load_agent(run / MODEL_FILE).extras == ("danger",)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", r"run.json' cannot be read: JSONDecodeError"),
        ("{}", r"run.json' cannot be read: KeyError\('extras'\)"),
        ("[]", r"run.json' cannot be read: TypeError"),
        ('{"extras": ["luck"]}', r"run.json' cannot be read: .*unknown observation block 'luck'"),
        ('{"extras": 3}', r"run.json' cannot be read: OptionError"),
        ('{"extras": ["danger"]}', r"but the blocks \['danger'\] make"),
    ],
)
def test_load_agent_names_a_run_file_that_does_not_fit(
    tmp_path: Path, save_model: Callable[..., Path], text: str, said: str
) -> None:
    (tmp_path / MODEL_FILE).write_bytes(save_model().read_bytes())
    (tmp_path / RUN_FILE).write_text(text)
    with pytest.raises(PlayerError, match=said):
        load_agent(tmp_path)


def test_load_agent_names_a_folder_without_a_model(tmp_path: Path) -> None:
    with pytest.raises(PlayerError, match=r"is neither a bot \(.*\) nor a model file or run fold"):
        load_agent(tmp_path)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file to spoil."""
    return tmp_path / "agent.zip"


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 as a zip begins"])
def test_load_agent_names_a_file_that_is_no_zip(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(PlayerError, match=r"agent.zip' is no model: it is not a whole zip file$"):
        load_agent(file)
    assert file.read_bytes() == content


@pytest.mark.slow
def test_load_agent_names_a_truncated_or_broken_file(
    file: Path, save_model: Callable[..., Path]
) -> None:
    whole = save_model().read_bytes()
    spoiled = [whole[: int(len(whole) * part)] for part in (0.1, 0.5, 0.9, 0.999)]
    places = range(40, len(whole), len(whole) // 8)
    spoiled += [whole[:at] + 20 * b"Z" + whole[at + 20 :] for at in places]
    for content in spoiled:
        file.write_bytes(content)
        for load in (load_agent, lambda file: resolve(str(file))):
            with pytest.raises(PlayerError, match=r"agent.zip'"):
                load(file)


@pytest.mark.slow
@pytest.mark.parametrize("member", ["hello.txt", "data", "policy.pth"])
def test_load_agent_names_a_zip_of_something_else(file: Path, member: str) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(member, "hello")
    with pytest.raises(PlayerError, match=r"agent.zip' cannot be read as a MaskablePPO model"):
        load_agent(file)


@pytest.mark.slow
def test_load_agent_names_a_model_of_another_game(save_model: Callable[..., Path]) -> None:
    with pytest.raises(PlayerError, match=r"takes observations of shape \(7,\); expected \(688,\)"):
        load_agent(save_model(7))
    with pytest.raises(PlayerError, match=r"5.* actions"):
        load_agent(save_model(OBS_SIZE, 5))


def test_players_show_their_names() -> None:
    for who in ("hard", "champion", always_draw):
        player = resolve(who)
        assert repr(player) == f"<{type(player).__name__} {player.name}>"
    assert repr(resolve("program:sh -c true")) == "<ProgramPlayer sh -c true>"


def always_draw(observation: np.ndarray, action_mask: np.ndarray) -> int:
    """Not a good player."""
    return 0
