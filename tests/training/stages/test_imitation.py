"""Lessons: what is written down is what was played, and learning from them gets nearer to it."""

from typing import Any

import numpy as np
import pytest
import torch

from gin_env import bots
from gin_env.bots.baselines import act_random
from gin_env.bots.bot_row import make_memories
from gin_env.bots.common import happens
from gin_env.core.match import BY_RULES, advance, begin
from gin_env.core.observe import EXTRAS, OBS_SIZE, obs_size
from gin_env.core.rules import Rules
from gin_env.core.state import seed_words
from gin_env.errors import BatchError
from tests.bots.play import ask
from tests.core.table import Table
from tests.training.tiny import tiny_config
from training.config.run_config import Config
from training.env.hidden_cards import HIDDEN_SIZE
from training.errors import ConfigError
from training.stages.demonstrations import Lessons
from training.stages.imitation import HELD_OUT, LESSON_STREAM, Teacher, get_clone, learn, measure
from training.stages.minibatches import take
from training.train import make_model


def lesson_config(clone: dict[str, Any] | None = None, **changed: Any) -> Config:
    """A config with lessons."""
    return tiny_config(clone={"portion": 4096, "teacher": "greedy", **(clone or {})}, **changed)


def keep(lessons: Lessons) -> Lessons:
    """Lessons that the next portion does not overwrite."""
    return Lessons(*(array.copy() for array in lessons))


@pytest.mark.parametrize("episode", ["hand", "match"])
@pytest.mark.parametrize(("teacher", "chance"), [("hard", 0.0), ("simple", 0.3)])
def test_lessons_are_what_was_played(teacher: str, chance: float, episode: Any) -> None:
    """The same games, move by move through the row kernels."""
    config = lesson_config(
        {"teacher": teacher, "random_moves": chance},
        game={"n_games": 8, "episode": episode, "rules": "bicycle", "extras": []},
        network={"widths": [8], "value_widths": [8], "privileged": True},
    )
    lessons = Teacher(config).teach(2)
    seeds = np.random.SeedSequence((LESSON_STREAM, config.seed, 2)).generate_state(2, np.uint64)
    table, bot = Table(Rules.preset("bicycle"), episode), bots.make(teacher)
    table.s["rng_state"] = seed_words(seeds[:1])[0]
    begin(table.r, table.s, BY_RULES)  # as a batch's reset does; nobody plays it
    memories = [make_memories(seeds[:1], seat) for seat in (0, 1)]
    lots = make_memories(seeds[1:], 0)
    place, n_episodes, n_random = 0, 0, 0
    while place < len(lessons.actions):
        begin(table.r, table.s, BY_RULES)
        first, paid = place, []
        while not table.s["is_episode_over"]:
            seat = int(table.s["to_move"])
            view = table.view(seat)
            seen = lessons.observations[place]
            assert seen[:OBS_SIZE].tobytes() == table.observation(seat)[:OBS_SIZE].tobytes()
            assert (np.flatnonzero(seen[OBS_SIZE : OBS_SIZE + 52]) == cards(table, 1 - seat)).all()
            assert lessons.masks[place].tobytes() == table.mask(seat).tobytes()
            action = ask(bot, table.r, view, memories[seat])
            assert (lessons.actions[place], lessons.seats[place]) == (action, seat)
            if happens(lots[0], chance):
                action, n_random = act_random(table.r, view, lots[0]), n_random + 1
            advance(table.r, table.s, action)
            paid.append(int(table.s["reward"]))
            place += 1
        for at in range(first, place):
            to_seat_0 = sum(paid[at - first :])
            assert lessons.returns[at] == (-to_seat_0 if lessons.seats[at] else to_seat_0)
        n_episodes += 1
    assert place == len(lessons.actions) > 4096 - 1500
    assert n_episodes > 3
    assert (n_random > 0) == (chance > 0)


def cards(table: Table, seat: int) -> list[int]:
    """The ids of the cards that a seat holds."""
    return [card for card in range(52) if int(table.s["hand"][seat]) >> card & 1]


def test_portion_depends_on_its_number_and_the_seed_alone() -> None:
    teacher = Teacher(lesson_config())
    first, second = keep(teacher.teach(1)), keep(teacher.teach(2))
    again = keep(Teacher(lesson_config()).teach(2))
    other = keep(Teacher(lesson_config(seed=4)).teach(2))
    assert all(a.tobytes() == b.tobytes() for a, b in zip(second, again, strict=True))
    for differs in (first, other):
        assert differs.observations.tobytes() != second.observations.tobytes()


def test_portion_without_room_for_an_episode_is_named() -> None:
    game = {"n_games": 8, "episode": "match", "rules": {"target": 1000}}
    with pytest.raises(BatchError, match=r"no episode fits into a clone\.portion of 2048"):
        Teacher(lesson_config({"portion": 2048}, game=game)).teach(0)


def test_config_without_lessons_is_named() -> None:
    with pytest.raises(ConfigError, match="the config has no clone section"):
        get_clone(tiny_config())


def test_learning_gets_nearer_to_the_teacher_and_to_what_it_gains() -> None:
    config = lesson_config(
        {"decisions": 12 * 4096, "batch_size": 128, "learning_rate": 3e-3, "n_epochs": 2},
        network={"widths": [32], "value_widths": [32], "privileged": True},
    )
    model, teacher = make_model(config), Teacher(config)
    held_out = keep(teacher.teach(HELD_OUT))
    before = measure(model, config, held_out)
    losses = [
        learn(model, config, teacher.teach(portion), portion)
        for portion in range(get_clone(config).n_portions)
    ]
    after = measure(model, config, held_out)
    assert before.agreement < 0.5
    assert after.agreement > 0.85
    assert after.policy_loss < 0.4 < before.policy_loss
    assert after.explained_variance > max(0.02, before.explained_variance)
    assert losses[-1][0] < losses[0][0]
    assert held_out.observations.shape[1] == obs_size(EXTRAS) + HIDDEN_SIZE


def test_learning_rate_falls_and_epochs_go_over_all_lessons(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = lesson_config(
        {"decisions": 4 * 4096, "learning_rate": 1e-3, "learning_rate_end": 2e-4, "n_epochs": 3}
    )
    model = make_model(config)
    lessons = take(Teacher(config).teach(0), slice(1100))
    lessons.returns[:] = np.arange(1100)  # tells lessons apart
    seen: list[float] = []

    def note(taken: Lessons, rows: Any) -> Lessons:
        seen.extend(taken.returns[rows].tolist())
        return take(taken, rows)

    monkeypatch.setattr("training.stages.minibatches.take", note)
    rates = []
    for portion in range(4):
        learn(model, config, lessons, portion)
        rates.append(model.policy.optimizer.param_groups[0]["lr"])
    assert np.allclose(rates, [1e-3, 8e-4, 6e-4, 4e-4])
    epochs = np.array(seen).reshape(12, 1100)
    assert (np.sort(epochs, axis=1) == np.arange(1100)).all()
    assert len({epoch.tobytes() for epoch in epochs}) == 12


def test_measuring_changes_nothing() -> None:
    config = lesson_config()
    model, lessons = make_model(config), Teacher(config).teach(0)
    before = torch.get_rng_state(), np.random.get_state()[1].tobytes()  # type: ignore[index]  # noqa: NPY002
    assert measure(model, config, lessons) == measure(model, config, lessons)
    after = torch.get_rng_state(), np.random.get_state()[1].tobytes()  # type: ignore[index]  # noqa: NPY002
    assert torch.equal(before[0], after[0])
    assert before[1] == after[1]
