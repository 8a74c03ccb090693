"""Play a few hands and hash everything they show; as a program, print the hashes.

Everything is chosen from fixed seeds, so that this gives the same with and without the compiler,
and warns of whatever plain Python warns of.
"""

import hashlib
from collections import Counter
from random import Random

from gin_env.core.jit import IS_COMPILED
from gin_env.core.match import next_hand, play
from gin_env.core.rules import Rules
from gin_env.core.state import Ending, Phase
from tests.core.policies import knock_soon, play_anything, wait_for_big_gin
from tests.core.table import Table
from tests.hands import dense_deal

PRESETS = ("standard", "browser", "club", "home", "oklahoma", "straight")
N_HANDS = 6  # of each preset


class Transcript:
    """The hash of all that was shown to either seat, the moves played, and how the hands ended."""

    def __init__(self, preset: str) -> None:
        self.rules = Rules.preset(preset, turn_cap=12, big_gin_bonus=31)
        self.rng = Random(f"{preset} 1")
        self.digest = hashlib.sha256()
        self.n_moves = 0
        self.endings: Counter[str] = Counter()
        for seed in range(N_HANDS):
            self.play_hand(Table.seeded(self.rules, seed, "match"), seed)

    def play_hand(self, table: Table, seed: int) -> None:
        """Play one hand; all but the first are meld-dense and soon over."""
        if seed:
            table.lay(dense_deal(self.rng))
        policies = (knock_soon, wait_for_big_gin) if seed else (play_anything, play_anything)
        while table.s["phase"] != Phase.OVER:
            self.show(table)
            play(table.r, table.s, policies[table.s["to_move"]](self.rng, table))
            self.n_moves += 1
        self.endings[Ending(table.s["hand_end"]["ending"]).name] += 1
        self.show(table)
        next_hand(table.r, table.s)
        self.show(table)

    def show(self, table: Table) -> None:
        """Add the state, and what both seats see of it, to the hash."""
        self.digest.update(table.s.tobytes())
        for seat in (0, 1):
            self.digest.update(table.view(seat).tobytes())
            self.digest.update(table.mask(seat).tobytes())
            self.digest.update(table.observation(seat).tobytes())

    def line(self, preset: str) -> str:
        """What is printed of it."""
        return f"{preset} {self.digest.hexdigest()} {self.n_moves} {sorted(self.endings.items())}"


def main() -> None:
    """Print how this ran, and a line for each preset."""
    print("compiled" if IS_COMPILED else "plain")
    for preset in PRESETS:
        print(Transcript(preset).line(preset))


if __name__ == "__main__":
    main()
