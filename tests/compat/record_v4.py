"""Record hands of PettingZoo's own `gin_rummy_v4`: deals, actions, and what was legal and paid.

Run with an interpreter that has PettingZoo 1.26.1 and RLCard (`make bench-peers` makes one):

    .venv-peers/bin/python tests/compat/record_v4.py

It writes tests/data/gin_rummy_v4.npz, always the same file, which holds

- ``dealers``: shape [H], uint8: who dealt, 0 or 1;
- ``decks``: shape [H, 52], uint8: the 11 cards of the other player, the dealer's 10, and the stock
  in drawing order;
- ``n_actions``: shape [H], uint16: how many actions the hand took;
- ``actions``: shape [N], uint8: all hands' actions, one hand after the other;
- ``masks``: shape [N, 14], uint8: what was legal, packed bits of 110. Each is stored as its
  difference from the mask four actions before, which is mostly nothing;
- ``rewards``: shape [H, 2], int16: what both players were paid, hundredths;
- ``planes``: shape [M, 26], uint8: what the player to move saw, packed bits of 4 x 52, before each
  of the first M actions.
"""

from random import Random
from typing import Any

import numpy as np
from pettingzoo.classic import gin_rummy_v4

from tests import ROOT

FILE = ROOT / "tests" / "data" / "gin_rummy_v4.npz"
N_HANDS = 1_000
N_HANDS_WITH_PLANES = 25
SEED = 1_261
DRAW, TAKE, DEAD_HAND, GIN, DISCARD, KNOCK = 2, 3, 4, 5, 6, 58
POINTS = [min(rank + 1, 10) for rank in range(13)] * 4


def choose(rng: Random, legal: list[int], hand: list[int], skill: float) -> int:
    """Any legal action, or with the probability ``skill`` one that makes melds."""
    if rng.random() >= skill:
        return rng.choice(legal)
    knocks = [action for action in legal if action >= KNOCK]
    if knocks and rng.random() < 0.5:
        return rng.choice(knocks)
    discards = [action for action in legal if DISCARD <= action < KNOCK]
    if discards:
        return min(discards, key=lambda action: worth(action - DISCARD, hand))
    return rng.choice(legal)


def worth(card: int, hand: list[int]) -> tuple[int, int]:
    """How well a card goes with the others of a hand; then, how few points it costs."""
    same = sum(other % 13 == card % 13 for other in hand) - 1
    near = sum(other // 13 == card // 13 and abs(other - card) in (1, 2) for other in hand)
    return same + near, -POINTS[card]


def read_deal(env: Any) -> tuple[int, list[int]]:
    """The dealer and the deck of the hand that has just been dealt."""
    table = env.env.game.round
    ids = [[_card_id(card) for card in player.hand] for player in table.players]
    stock = [_card_id(card) for card in reversed(table.dealer.stock_pile)]
    return table.dealer_id, ids[1 - table.dealer_id] + ids[table.dealer_id] + stock


def record() -> dict[str, np.ndarray]:
    """Play and record all hands."""
    rng = Random(SEED)
    env = gin_rummy_v4.raw_env()
    # A seeded reset would make a new game and lose the rewards that the environment promises.
    env.env.seed(SEED)
    dealers, decks, n_actions, rewards = [], [], [], []
    actions: list[int] = []
    masks: list[np.ndarray] = []
    planes: list[np.ndarray] = []
    for number in range(N_HANDS):
        env.reset()
        dealer, deck = read_deal(env)
        dealers.append(dealer)
        decks.append(deck)
        start = len(actions)
        skill = rng.choice([0.0, 0.5, 0.9])
        while not env.terminations["player_0"]:
            seen = env.observe(env.agent_selection)
            legal = np.flatnonzero(seen["action_mask"]).tolist()
            hand = np.flatnonzero(seen["observation"][0]).tolist()
            action = choose(rng, legal, hand, skill)
            actions.append(action)
            masks.append(np.packbits(seen["action_mask"]))
            if number < N_HANDS_WITH_PLANES:
                planes.append(np.packbits(seen["observation"]))
            env.step(action)
        n_actions.append(len(actions) - start)
        paid = [env.rewards[agent] for agent in env.possible_agents]
        rewards.append([round(100 * reward) for reward in paid])
    packed = np.array(masks, np.uint8)
    packed[4:] ^= packed[:-4].copy()
    return {
        "dealers": np.array(dealers, np.uint8),
        "decks": np.array(decks, np.uint8),
        "n_actions": np.array(n_actions, np.uint16),
        "actions": np.array(actions, np.uint8),
        "masks": packed,
        "rewards": np.array(rewards, np.int16),
        "planes": np.array(planes, np.uint8),
    }


def _card_id(card: Any) -> int:
    """The id of a card, suits in the order s h d c, ranks from the ace."""
    return "SHDC".index(card.suit) * 13 + "A23456789TJQK".index(card.rank)


if __name__ == "__main__":
    arrays = record()
    np.savez_compressed(FILE, **arrays)  # type: ignore[arg-type]  # read as allow_pickle
    print({name: array.shape for name, array in arrays.items()}, FILE.stat().st_size)
