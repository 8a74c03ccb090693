"""What `advance` does beside `play`; whose deal it is and what a match pays: see tests/rules."""

from gin_env.core.actions import DRAW, KNOCK, PASS
from gin_env.core.match import advance
from gin_env.core.rules import Rules
from gin_env.core.state import Ending, Phase
from tests.core.table import Table
from tests.rules import DEADWOOD_2, LOSERS


def test_match_deals_the_next_hand_in_advance() -> None:
    table = Table.seeded(Rules(), 1, "match")
    before = table.deal()
    table.lay(Table.laid((DEADWOOD_2, LOSERS[20]), "7s", "Td").deal())
    for action in (PASS, PASS, DRAW):
        advance(table.r, table.s, action)
    advance(table.r, table.s, KNOCK + int(table.s["drawn"]))
    s = table.s
    assert (s["reward"], s["n_hands"]) == (20, 1)
    assert s["totals"].tolist() == [20, 0]
    assert (s["phase"], s["n_turns"]) == (Phase.OFFER, 0)
    end = s["hand_end"]  # the last hand's, kept while the next one is played
    assert (end["ending"], end["points"], end["paid"]) == (Ending.KNOCK, 20, 20)
    assert (s["dealer"], s["to_move"]) == (0, 1)
    assert table.deal() != before
