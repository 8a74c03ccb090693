"""Actions are drawn as often as the logits say, and are always legal."""

import numpy as np
import pytest

from training.env.sampling import pick_rows


def pick(logits: np.ndarray, masks: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """The actions for some drawn numbers. Shape [K]."""
    actions = np.zeros(len(drawn), np.int64)
    pick_rows(logits, masks, drawn, actions)
    return actions


def test_picked_as_often_as_the_logits_say() -> None:
    chances = np.array([0.5, 0.2, 0.0, 0.3])
    logits = np.zeros((20_000, 108), np.float32)
    logits[:, :4] = np.log(np.maximum(chances, 1e-9)) + 50.0
    logits[:, 4] = 99.0  # likeliest of all, and not legal
    masks = np.zeros((20_000, 108), np.int8)
    masks[:, [0, 1, 3]] = 1
    actions = pick(logits, masks, np.random.default_rng(1).random(20_000))
    shares = np.bincount(actions, minlength=4) / 20_000
    assert np.abs(shares - chances).max() < 0.015
    assert len(shares) == 4


def test_likeliest_is_picked_where_nothing_is_drawn() -> None:
    rng = np.random.default_rng(2)
    logits = rng.normal(size=(50, 108)).astype(np.float32)
    masks = (rng.random((50, 108)) < 0.1).astype(np.int8)
    masks[:, 9] = 1
    actions = pick(logits, masks, np.full(50, -1.0))
    assert (actions == np.where(masks, logits, -np.inf).argmax(axis=1)).all()


@pytest.mark.parametrize("drawn", [0.0, np.nextafter(1.0, 0.0)])
def test_numbers_at_the_edge_pick_legal_actions(drawn: float) -> None:
    masks = np.zeros((1, 108), np.int8)
    masks[0, [5, 60]] = 1
    actions = pick(np.full((1, 108), -200.0, np.float32), masks, np.array([drawn]))
    assert actions[0] == (5 if drawn == 0.0 else 60)
