"""Fit the value that the search player's playouts end in (`gin_env.bots.value`).

``python -m training.stages.fit_value`` plays hands of Hard against itself, fits the network to
how they ended, and writes ``gin_env/bots/value.npz``; a few minutes on one core.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

import gin_env.bots
from gin_env.bots.bot_row import MEMORY_DTYPE
from gin_env.bots.choose import choose
from gin_env.bots.value import (
    N_ENDINGS,
    N_FEATURES,
    N_HIDDEN,
    N_OUTPUTS,
    WEIGHTS_FILE,
    describe,
)
from gin_env.core.jit import kernel
from gin_env.core.match import BY_RULES, begin, play
from gin_env.core.meld_tables import MAX_DEADWOOD
from gin_env.core.rules import Rules
from gin_env.core.state import DRAW_PHASE, NO_SEAT, STATE_DTYPE, draw_below, next_word, seed_words
from gin_env.core.view import VIEW_DTYPE, look

ROW_DTYPE = np.dtype(
    [
        ("features", np.float64, N_FEATURES),
        ("ending", np.int64),  # as `N_ENDINGS` orders them; that number itself for a dead hand
        ("points", np.float64),  # beyond the bonus
    ]
)
"""A state at a draw phase, and how its hand ended."""

ONE_IN = 6
"""One draw phase in so many is written down."""
LIMIT_ONE_IN = 3
"""One hand in so many has a knock limit drawn from 0 to 10; the others have 10."""
N_HELD_OUT = 50_000
BATCH_SIZE = 2048
POINTS_WEIGHT = 0.3
"""Weight of the squared error of the points, in tens, beside the cross entropy of the endings."""


def play_hands(n_rows: int, seed: int) -> np.ndarray:
    """States of hands of Hard against itself. Returns shape [n_rows], `ROW_DTYPE`."""
    rules = Rules.preset("eaai")
    setup = np.array([gin_env.bots.make("hard").row]), np.array([rules.row()])
    rows, game = np.zeros(n_rows, ROW_DTYPE), np.zeros(1, STATE_DTYPE)
    game["rng_state"] = seed_words(np.array([seed], np.uint64))
    room = game, np.zeros(1, VIEW_DTYPE), np.zeros(1, MEMORY_DTYPE)
    counts, movers = np.zeros(MAX_DEADWOOD + 1, np.int64), np.zeros(rules.turn_cap + 1, np.int64)
    fill_rows(setup, room, (counts, movers), rows)
    rows["points"] -= rules.gin_bonus * np.isin(rows["ending"], (0, 3))
    rows["points"] -= rules.undercut_bonus * np.isin(rows["ending"], (2, 5))
    return rows


@kernel
def fill_rows(
    setup: tuple[np.ndarray, np.ndarray],
    room: tuple[np.ndarray, np.ndarray, np.ndarray],
    notes: tuple[np.ndarray, np.ndarray],
    rows: np.ndarray,
) -> None:
    """Play hands until ``rows`` is full, each to its end.

    Args:
        setup: Shape [1] each: the bot, `BOT_DTYPE`, and the rules; their knock limit is changed.
        room: Shape [1] each: the game, which has a random word; its view; the bot's memory.
        notes: Room for `describe`, and for who is to move in each state of a hand.
        rows: Written.
    """
    b, r = setup[0][0], setup[1][0]
    s, v, m = room[0][0], room[1][0], room[2][0]
    counts, movers = notes
    n_rows = 0
    while n_rows < len(rows):
        s["rng_state"] = next_word(s["rng_state"])
        r["knock_limit"] = (
            draw_below(s["rng_state"], 11) if s["rng_state"] % LIMIT_ONE_IN == 0 else 10
        )
        begin(r, s, BY_RULES)
        first = n_rows
        word = s["rng_state"]
        while not s["is_episode_over"]:
            word = next_word(word)
            is_chosen = s["phase"] == DRAW_PHASE and draw_below(word, ONE_IN) == 0
            if is_chosen and n_rows < len(rows):
                describe(s, rows[n_rows]["features"], counts)
                movers[n_rows - first] = s["to_move"]
                n_rows += 1
            look(r, s, s["to_move"], v)
            play(r, s, choose(b, r, v, m))
        for row in range(first, n_rows):
            _note_ending(s, movers[row - first], rows[row])


@kernel
def _note_ending(s: np.void, mover: int, row: np.void) -> None:
    end = s["hand_end"]
    row["ending"], row["points"] = N_ENDINGS, 0.0
    if end["knocker"] == NO_SEAT or end["winner"] == NO_SEAT:
        return
    row["points"] = abs(end["points"])
    is_won = end["winner"] == end["knocker"]
    kind = 2 if not is_won else 0 if end["deadwood"][end["knocker"]] == 0 else 1
    row["ending"] = kind + (0 if end["knocker"] == mover else 3)


def fit(rows: np.ndarray, n_epochs: int) -> nn.Sequential:
    """Fit the network to all rows but some that are held out, and print the loss on those."""
    features = torch.tensor(rows["features"], dtype=torch.float32)
    endings = torch.tensor(rows["ending"])
    points = torch.tensor(rows["points"], dtype=torch.float32) / 10.0
    hidden, out = nn.Linear(N_FEATURES, N_HIDDEN), nn.Linear(N_HIDDEN, N_OUTPUTS)
    network = nn.Sequential(hidden, nn.ReLU(), out)
    n_batches = (len(rows) - N_HELD_OUT) // BATCH_SIZE
    optimizer = torch.optim.Adam(network.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 6e-3, n_batches * n_epochs)
    held_out = slice(0, N_HELD_OUT)
    for epoch in range(n_epochs):
        order = N_HELD_OUT + torch.randperm(len(rows) - N_HELD_OUT)
        for part in order[: n_batches * BATCH_SIZE].reshape(n_batches, BATCH_SIZE):
            loss = _loss(network(features[part]), endings[part], points[part])
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
        with torch.no_grad():
            loss = _loss(network(features[held_out]), endings[held_out], points[held_out])
        print(f"epoch {epoch + 1} of {n_epochs}: loss {loss.item():.4f}", flush=True)
    return network


def _loss(outputs: Tensor, endings: Tensor, points: Tensor) -> Tensor:
    scores, worths = outputs[:, : N_ENDINGS + 1], outputs[:, N_ENDINGS + 1 :]
    chosen = worths.gather(1, endings.clamp(max=N_ENDINGS - 1)[:, None])[:, 0]
    misses = (chosen - points) ** 2 * (endings < N_ENDINGS)
    return nn.functional.cross_entropy(scores, endings) + POINTS_WEIGHT * misses.mean()


def write_weights(network: nn.Sequential, file: Path) -> None:
    """Write the weights as `gin_env.bots.value` reads them, rounded to four digits."""
    names = ("hidden_weights", "hidden_biases", "out_weights", "out_biases")
    arrays = (parameter.detach().double().numpy().T for parameter in network.parameters())
    round_all = np.vectorize(lambda number: float(f"{number:.4g}"))
    np.savez(file, **dict(zip(names, map(round_all, arrays), strict=True)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit and write. Returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m training.stages.fit_value", description=__doc__
    )
    parser.add_argument("--rows", type=int, default=900_000, help="states to fit to")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=WEIGHTS_FILE)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    network = fit(play_hands(options.rows, options.seed), options.epochs)
    write_weights(network, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
