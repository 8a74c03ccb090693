"""A small Gin Rummy player that speaks the protocol of docs/protocol.md: one JSON object a line.

It knocks as soon as it may, and discards high cards that go with no other card of its hand.
"""

import json
import sys
from typing import Any

RANKS = "A23456789TJQK"


def choose(question: dict[str, Any]) -> str:
    """Choose one of the legal actions, as text."""
    legal: list[str] = question["legal"]
    for verb in ("big", "knock", "discard"):
        actions = [action for action in legal if action.startswith(verb)]
        if actions:
            return max(actions, key=lambda action: burden(action.split()[1], question["hand"]))
    return "draw" if "draw" in legal else "pass"


def burden(card: str, hand: list[str]) -> int:
    """How gladly a card is thrown away: its points, less if others of the hand go with it."""
    if card not in hand:  # the "gin" of "big gin"
        return 0
    rank = RANKS.index(card[0])
    n_friends = 0
    for other in hand:
        is_neighbour = other[1] == card[1] and 0 < abs(RANKS.index(other[0]) - rank) <= 2
        n_friends += is_neighbour or (other[0] == card[0] and other != card)
    return min(rank + 1, 10) - 10 * n_friends


def say(message: dict[str, Any]) -> None:
    """Write one message; flushed, because an answer in a buffer never arrives."""
    print(json.dumps(message), flush=True)


def main() -> None:
    """Answer until there is no more input, or a bye."""
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            say({"type": "hello", "name": "Example"})
        elif message["type"] == "your_move":
            say({"type": "move", "game": message["game"], "action": choose(message)})
        elif message["type"] == "bye":
            break  # everything else is news: this player needs none of it


if __name__ == "__main__":
    main()
