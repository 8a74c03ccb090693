"""What is hidden from a seat, as a privileged value sees it."""

import numpy as np
import pytest

from gin_env.core.batch import Batch
from tests.core.table import Table
from tests.reference.cards import ids, total
from training.env.hidden_cards import (
    HIDDEN_SIZE,
    STOCK_AT,
    THEIR_DEADWOOD_AT,
    THEIR_HAND_AT,
    THEIR_MELDED_AT,
    write_hidden,
    write_hidden_rows,
)


@pytest.mark.parametrize("seat", [0, 1])
def test_hidden_are_the_other_hand_and_the_stock_in_order(seat: int) -> None:
    hands = ("As 2s 3s 4h 5h 6h 7d 8d Td Qc", "Ah Ad Ac 4d 5d 6d 7c 8c 9c Ts")
    table = Table.laid(hands, "Kc", "Qs Jd")
    hidden = np.full(2 + HIDDEN_SIZE, 7.0, np.float32)
    write_hidden(table.s, seat, hidden, 2)
    assert (hidden[:2] == 7).all()
    hidden = hidden[2:]
    assert set(np.flatnonzero(hidden[THEIR_HAND_AT:THEIR_MELDED_AT])) == set(table.hand(1 - seat))
    melded, loose = (hands[0][:17], "7d 8d Td Qc") if seat else (hands[1][:-3], "Ts")
    assert set(np.flatnonzero(hidden[THEIR_MELDED_AT:STOCK_AT])) == ids(melded)
    assert hidden[THEIR_DEADWOOD_AT] == np.float32(total(ids(loose)) / 100)
    stock = hidden[STOCK_AT:THEIR_DEADWOOD_AT]
    assert [int(card) for card in np.argsort(-stock)[:31]] == table.stock()
    assert np.allclose(np.sort(stock)[::-1][:4], [1, 1 / 2, 1 / 3, 1 / 4])
    assert np.count_nonzero(stock) == 31


def test_rows_are_written_as_single_games_are() -> None:
    batch = Batch(5)
    batch.reset(3)
    rows = np.zeros((5, HIDDEN_SIZE + 1), np.float32)
    write_hidden_rows(batch.arrays.games, batch.arrays.seats, rows, 1)
    for row in range(5):
        alone = np.zeros(HIDDEN_SIZE, np.float32)
        write_hidden(batch.arrays.games[row], int(batch.arrays.seats[row]), alone, 0)
        assert (rows[row, 1:] == alone).all()
    assert not rows[:, 0].any()
