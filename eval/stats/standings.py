"""Standings of several players: ratings, head-to-head shares, and circles of three."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from eval.errors import EvalError
from eval.experiment.measure import Result
from eval.stats.estimates import Estimate, estimate_share
from eval.stats.rating import Pairing, Triple, find_triples, fit_ratings, score_hands, score_matches


@dataclass(frozen=True, kw_only=True)
class Standings:
    """Players in the order of their ratings.

    Attributes:
        kind: What was scored: ``"matches"``, by who won them, or ``"hands"``, by who gained points
            over a deal.
        names: N names, the best player first.
        ratings: N ratings on Elo's scale, with 95 % intervals; their mean is 0.
        shares: N rows of N: the share that the row's player won against the column's, with its 95 %
            interval; None where they have not met.
        triples: Circles of three, as places in ``names``.
    """

    kind: Literal["matches", "hands"]
    names: tuple[str, ...]
    ratings: tuple[Estimate, ...]
    shares: tuple[tuple[Estimate | None, ...], ...]
    triples: tuple[Triple, ...]

    def mean_share(self, place: int) -> float:
        """The mean of a player's shares over all opponents that it has met."""
        return float(np.mean([share.value for share in self.shares[place] if share]))

    def to_dict(self) -> dict[str, Any]:
        """All of it, of plain types; circles by names."""
        return {
            "kind": self.kind,
            "players": [
                {"name": name, "rating": rating._asdict(), "mean_share": self.mean_share(place)}
                for place, (name, rating) in enumerate(zip(self.names, self.ratings, strict=True))
            ],
            "shares": [[share and share._asdict() for share in row] for row in self.shares],
            "triples": [[self.names[place] for place in triple] for triple in self.triples],
        }


def make_standings(results: Sequence[Result]) -> Standings | None:
    """Rate the players of some results of mirrored games.

    Matches are scored if there are any, single hands otherwise; a result without the kind that is
    scored is left out.

    Returns:
        None where no two players have met, or a player has met itself, or the players fall into
        groups that have not met each other.
    """
    kind: Literal["matches", "hands"] = "matches" if any(r.matches for r in results) else "hands"
    met = [r for r in results if (r.matches if kind == "matches" else r.hands)]
    names = list(dict.fromkeys(name for result in met for name in (result.a, result.b)))
    if not met or any(result.a == result.b for result in met):
        return None
    pairings = [_pair(result, names, kind) for result in met]
    try:
        ratings = fit_ratings(len(names), pairings)
    except EvalError:
        return None
    order = sorted(range(len(names)), key=lambda player: -ratings[player].value)
    pairings = [Pairing(order.index(p.a), order.index(p.b), p.deals, p.scores) for p in pairings]
    return Standings(
        kind=kind,
        names=tuple(names[player] for player in order),
        ratings=tuple(ratings[player] for player in order),
        shares=_tabulate(len(names), pairings),
        triples=tuple(find_triples(pairings)),
    )


def _pair(result: Result, names: list[str], kind: str) -> Pairing:
    if kind == "matches":
        deals, scores = score_matches(result.played_matches)
    else:
        deals, scores = score_hands(result.played_hands)
    return Pairing(names.index(result.a), names.index(result.b), deals, scores)


def _tabulate(n_players: int, pairings: list[Pairing]) -> tuple[tuple[Estimate | None, ...], ...]:
    shares: list[list[Estimate | None]] = [[None] * n_players for _ in range(n_players)]
    for pairing in pairings:
        shares[pairing.a][pairing.b] = estimate_share(pairing.scores)
        shares[pairing.b][pairing.a] = estimate_share(1 - pairing.scores)
    return tuple(tuple(row) for row in shares)
