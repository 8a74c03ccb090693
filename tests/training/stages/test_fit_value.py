"""The script that fits the search player's value: the hands, the fit, and the file it writes."""

from pathlib import Path

import numpy as np
import pytest
import torch

from gin_env.bots.value import N_ENDINGS, N_FEATURES, N_HIDDEN, N_OUTPUTS
from training.stages import fit_value
from training.stages.fit_value import fit, play_hands, write_weights


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    """Moments of some hands."""
    return play_hands(6_000, 1)


def test_hands_end_in_every_way_and_pay_no_bonus(rows: np.ndarray) -> None:
    n_of = np.bincount(rows["ending"], minlength=N_ENDINGS + 1)
    assert (n_of > 0).all()
    assert n_of.sum() == 6_000
    assert abs(n_of[0] / n_of[3] - 1) < 0.2  # mover and other seat gin about as often
    assert (rows["points"] >= 0).all()
    assert (rows["points"][rows["ending"] == N_ENDINGS] == 0).all()
    assert np.isfinite(rows["features"]).all()
    assert (rows["features"].std(0) > 0).all()


def test_hands_depend_on_the_seed_alone(rows: np.ndarray) -> None:
    assert play_hands(500, 1).tobytes() == rows[:500].tobytes()
    assert play_hands(500, 2).tobytes() != rows[:500].tobytes()


def test_fit_learns_and_writes_what_it_learnt(
    rows: np.ndarray,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(fit_value, "N_HELD_OUT", 1_000)
    monkeypatch.setattr(fit_value, "BATCH_SIZE", 250)
    torch.manual_seed(0)
    network = fit(rows, 6)
    losses = [float(line.split()[-1]) for line in capsys.readouterr().out.splitlines()]
    assert len(losses) == 6
    assert losses[-1] < losses[0] - 0.05
    write_weights(network, tmp_path / "value.npz")
    written = np.load(tmp_path / "value.npz")
    shapes = [(N_FEATURES, N_HIDDEN), (N_HIDDEN,), (N_HIDDEN, N_OUTPUTS), (N_OUTPUTS,)]
    names = ("hidden_weights", "hidden_biases", "out_weights", "out_biases")
    for name, shape, parameter in zip(names, shapes, network.parameters(), strict=True):
        assert (written[name].shape, written[name].dtype) == (shape, np.float64)
        assert np.allclose(written[name], parameter.detach().numpy().T, rtol=1e-3)
