"""Hands to test histories with: of mixed bots, rules and episodes, and lines changed on purpose."""

import json
from collections.abc import Iterator
from hashlib import sha256
from itertools import cycle, product
from typing import Any

from eval.games.arena import Contest, play_part
from gin_env.core.rules import PRESETS, Episode, Rules
from gin_env.players import resolve
from tests import ROOT

BOTS = ("random", "simple", "greedy", "easy", "medium", "hard")
GOLDEN_FILE = ROOT / "tests" / "data" / "history.jsonl"
GOLDEN = tuple(GOLDEN_FILE.read_bytes().splitlines(keepends=True))
"""Hands of every ending, recorded once: files of this version are to be read for good."""
PAIRS = tuple((a, b) for place, a in enumerate(BOTS) for b in BOTS[place:])
EPISODES: tuple[Episode, ...] = ("hand", "match")
N_DEALS = {"hand": 4, "match": 1}


def mixed_lines(n_hands: int) -> Iterator[bytes]:
    """Lines of at least so many hands: every pair of bots, under rules and episodes by turns."""
    tables = cycle(product(PRESETS, EPISODES))
    n_played = 0
    for number, (a, b) in enumerate(cycle(PAIRS)):
        if n_played >= n_hands:
            return
        preset, episode = next(tables)
        contest = Contest(
            rules=Rules.preset(preset) if episode == "hand" else Rules.preset(preset, target=30),
            episode=episode,
            n_deals=N_DEALS[episode],
            seed=number,
            is_recorded=True,
        )
        lines = play_part((resolve(a), resolve(b)), contest, 0).lines
        n_played += len(lines)
        yield from lines


def change(line: bytes, **fields: Any) -> bytes:
    """A line with other fields, and the checksum that these ask for."""
    values = {**json.loads(line), **fields}
    del values["sha256"]
    return seal(json.dumps(values)[:-1].encode())


def seal(body: bytes) -> bytes:
    """A line that begins so, with its checksum."""
    return body + b', "sha256": "%s"}\n' % sha256(body).hexdigest().encode()


def find_line(**wanted: Any) -> dict[str, Any]:
    """The fields of the first line of some result or episode."""
    for line in GOLDEN:
        fields = json.loads(line)
        if all({**fields, **fields["result"]}[name] == value for name, value in wanted.items()):
            return dict(fields)
    raise AssertionError(f"no line with {wanted}")
