"""Imitation: what is written down is what was played, and learning from it gets nearer to it."""

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
from training.config import Config
from training.env.hidden_cards import HIDDEN_SIZE
from training.stages.demonstrations import Demonstrations
from training.stages.imitation import HELD_OUT, IMITATION_STREAM, Imitation
from training.stages.stage import take
from training.train import make_model


def imitate(clone: dict[str, Any] | None = None, **changed: Any) -> tuple[Config, Imitation]:
    """A config with a teacher, and its stage."""
    plan = {"portion": 4096, "teacher": "greedy", **(clone or {})}
    config = tiny_config(clone=plan, **changed)
    assert config.clone is not None
    return config, Imitation(config, config.clone)


def keep(demonstrations: Demonstrations) -> Demonstrations:
    """Demonstrations that the next chunk does not overwrite."""
    return Demonstrations(*(array.copy() for array in demonstrations))


@pytest.mark.parametrize("episode", ["hand", "match"])
@pytest.mark.parametrize(("teacher", "chance"), [("hard", 0.0), ("simple", 0.3)])
def test_demonstrations_are_what_was_played(teacher: str, chance: float, episode: Any) -> None:
    """The same games, move by move through the row kernels."""
    config, stage = imitate(
        {"teacher": teacher, "random_moves": chance},
        game={"n_games": 8, "episode": episode, "rules": "bicycle", "extras": []},
        network={"widths": [8], "value_widths": [8], "privileged": True},
    )
    shown = stage.play(2)
    seeds = np.random.SeedSequence((IMITATION_STREAM, config.seed, 2)).generate_state(2, np.uint64)
    table, bot = Table(Rules.preset("bicycle"), episode), bots.make(teacher)
    table.s["rng_state"] = seed_words(seeds[:1])[0]
    begin(table.r, table.s, BY_RULES)  # as a batch's reset does; nobody plays it
    memories = [make_memories(seeds[:1], seat) for seat in (0, 1)]
    random = make_memories(seeds[1:], 0)
    place, n_episodes, n_random = 0, 0, 0
    while place < len(shown.actions):
        begin(table.r, table.s, BY_RULES)
        first, paid = place, []
        while not table.s["is_episode_over"]:
            seat = int(table.s["to_move"])
            view = table.view(seat)
            seen = shown.observations[place]
            assert seen[:OBS_SIZE].tobytes() == table.observation(seat)[:OBS_SIZE].tobytes()
            hidden = np.flatnonzero(seen[OBS_SIZE : OBS_SIZE + 52])
            assert hidden.tolist() == sorted(table.hand(1 - seat))
            assert shown.masks[place].tobytes() == table.mask(seat).tobytes()
            action = ask(bot, table.r, view, memories[seat])
            assert (shown.actions[place], shown.seats[place]) == (action, seat)
            if happens(random[0], chance):
                action, n_random = act_random(table.r, view, random[0]), n_random + 1
            advance(table.r, table.s, action)
            paid.append(int(table.s["reward"]))
            place += 1
        for at in range(first, place):
            to_seat_0 = sum(paid[at - first :])
            assert shown.returns[at] == (-to_seat_0 if shown.seats[at] else to_seat_0)
        n_episodes += 1
    assert place == len(shown.actions) > 4096 - 1500
    assert n_episodes > 3
    assert (n_random > 0) == (chance > 0)


def test_chunk_depends_on_its_number_and_the_seed_alone() -> None:
    stage = imitate()[1]
    first, second = keep(stage.play(1)), keep(stage.play(2))
    again, other = imitate()[1].play(2), imitate(seed=4)[1].play(2)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(second, again, strict=True))
    for differs in (first, other):
        assert differs.observations.tobytes() != second.observations.tobytes()


def test_chunk_without_room_for_an_episode_is_named() -> None:
    game = {"n_games": 8, "episode": "match", "rules": {"target": 1000}}
    with pytest.raises(BatchError, match=r"no episode fits into a clone\.portion of 2048"):
        imitate({"portion": 2048}, game=game)[1].play(0)


def test_learning_gets_nearer_to_the_teacher_and_to_what_it_gains() -> None:
    config, stage = imitate(
        {"decisions": 12 * 4096, "batch_size": 128, "learning_rate": 3e-3, "n_epochs": 2},
        network={"widths": [32], "value_widths": [32], "privileged": True},
    )
    model = make_model(config)
    before = stage.measure(model)
    losses = [stage.learn(model, chunk)["policy_loss"] for chunk in range(12)]
    after = stage.measure(model)
    assert before["agreement"] < 0.5
    assert after["agreement"] > 0.85
    assert after["policy_loss"] < 0.4 < before["policy_loss"]
    assert after["explained_variance"] > max(0.02, before["explained_variance"])
    assert losses[-1] < losses[0]
    assert stage.play(HELD_OUT).observations.shape[1] == obs_size(EXTRAS) + HIDDEN_SIZE


def test_learning_rate_falls_and_epochs_go_over_a_whole_chunk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config, stage = imitate(
        {"decisions": 4 * 4096, "learning_rate": 1e-3, "learning_rate_end": 2e-4, "n_epochs": 3}
    )
    model = make_model(config)
    shown = take(stage.play(0), slice(1100))
    shown.returns[:] = np.arange(1100)  # tells them apart
    seen: list[float] = []

    def note(taken: Demonstrations, rows: Any) -> Demonstrations:
        seen.extend(taken.returns[rows].tolist())
        return take(taken, rows)

    monkeypatch.setattr("training.stages.stage.take", note)
    rates = []
    for chunk in range(4):
        stage.learn_from(model, shown, chunk)
        rates.append(model.policy.optimizer.param_groups[0]["lr"])
    assert np.allclose(rates, [1e-3, 8e-4, 6e-4, 4e-4])
    epochs = np.array(seen).reshape(12, 1100)
    assert (np.sort(epochs, axis=1) == np.arange(1100)).all()
    assert len({epoch.tobytes() for epoch in epochs}) == 12


def test_measuring_changes_nothing() -> None:
    def state() -> tuple[bytes, bytes]:
        numpy: Any = np.random.get_state()  # noqa: NPY002
        return torch.get_rng_state().numpy().tobytes(), numpy[1].tobytes()

    config, stage = imitate()
    model = make_model(config)
    before = state()
    assert stage.measure(model) == stage.measure(model)
    assert state() == before
