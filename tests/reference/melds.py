"""Melds, deadwood and layoffs by exhaustive search.

Every question is answered by trying everything: all families of disjoint melds, and for a defender
every order in which cards may be laid off on every meld of the table.
"""

from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations

from .cards import rank, suit, total

Cards = frozenset[int]
Meld = frozenset[int]
Arrangement = frozenset[Meld]


def is_set(cards: Cards) -> bool:
    """Tell whether the cards are three or four of one rank."""
    return len(cards) in (3, 4) and len({rank(card) for card in cards}) == 1


def is_run(cards: Cards) -> bool:
    """Tell whether the cards are three or more consecutive ones of one suit, the ace low."""
    low, high = min(cards), max(cards)
    return len(cards) >= 3 and suit(low) == suit(high) and high - low == len(cards) - 1


def is_meld(cards: Cards) -> bool:
    """Tell whether the cards are a set or a run."""
    return is_set(cards) or is_run(cards)


def all_melds(cards: Iterable[int]) -> list[Meld]:
    """List every set and run within the cards, those inside longer ones included."""
    held = frozenset(cards)
    melds = []
    for value in range(13):
        same = [card for card in sorted(held) if rank(card) == value]
        melds += [frozenset(some) for size in (3, 4) for some in combinations(same, size)]
    for low in sorted(held):
        high = low
        while high + 1 in held and suit(high + 1) == suit(low):
            high += 1
            if high - low >= 2:
                melds.append(frozenset(range(low, high + 1)))
    return melds


def melded(arrangement: Iterable[Meld]) -> Cards:
    """Return the cards of all melds together."""
    return frozenset().union(*arrangement)


def ways_of_melding(cards: Iterable[int]) -> tuple[Arrangement, ...]:
    """List every family of disjoint melds within the cards, the empty one first."""
    return _ways_of_melding(frozenset(cards))


@lru_cache(maxsize=20_000)
def _ways_of_melding(cards: Cards) -> tuple[Arrangement, ...]:
    ways: list[Arrangement] = [frozenset()]
    for meld in all_melds(cards):
        # Each way so far either does without this meld or, if none of its cards is used, has it.
        ways += [way | {meld} for way in ways if melded(way).isdisjoint(meld)]
    return tuple(ways)


def deadwood(cards: Iterable[int]) -> int:
    """Return the least total of unmelded cards, over all ways of melding."""
    held = frozenset(cards)
    return min(total(held - melded(way)) for way in ways_of_melding(held))


def deadwood_after(cards: Iterable[int]) -> dict[int, int]:
    """Return the deadwood that is left after each possible discard."""
    held = frozenset(cards)
    return {card: deadwood(held - {card}) for card in sorted(held)}


def best_after_discard(cards: Iterable[int], forbidden: int | None = None) -> int:
    """Return the least deadwood after a discard, the forbidden card not being discarded."""
    return min(left for card, left in deadwood_after(cards).items() if card != forbidden)


def best_arrangements(cards: Iterable[int]) -> list[Arrangement]:
    """List every way of melding with least deadwood, runs that touch merged into one."""
    best = {merge_runs(way) for way in least_ways(cards)}
    return sorted(best, key=lambda way: sorted(sorted(meld) for meld in way))


def least_ways(cards: Iterable[int]) -> list[Arrangement]:
    """List every way of melding with least deadwood, runs in as many pieces as may be."""
    held = frozenset(cards)
    least = deadwood(held)
    return [way for way in ways_of_melding(held) if total(held - melded(way)) == least]


def merge_runs(way: Arrangement) -> Arrangement:
    """Merge runs that touch: 4-5-6 beside 7-8-9 is 4-5-6-7-8-9 for every purpose."""
    for one, other in combinations(way, 2):
        if is_meld(one | other):
            return merge_runs((way - {one, other}) | {one | other})
    return way


def layoff_points(arrangement: Iterable[Meld], unseen: Iterable[int]) -> int:
    """Add up the unseen cards that could be laid off on the melds, each counted once."""
    hidden = frozenset(unseen)
    return total(melded(_chain(meld, hidden) for meld in arrangement))


def shown_arrangement(cards: Iterable[int], unseen: Iterable[int]) -> Arrangement:
    """Return the arrangement that a knocker shows.

    Args:
        cards: The ten cards that the knocker kept.
        unseen: The cards he cannot see: neither in his hand, nor in the pile (his last discard
            is), nor removed from the game.

    Returns:
        Of the arrangements with least deadwood the one with the fewest layoff points by unseen
        cards, then the fewest cards in sets, then the lowest mask of the cards in sets.
    """

    def preference(way: Arrangement) -> tuple[int, int, int]:
        in_sets = melded(meld for meld in way if is_set(meld))
        return layoff_points(way, unseen), len(in_sets), sum(1 << card for card in in_sets)

    return min(best_arrangements(cards), key=preference)


def defend(melds: Iterable[Meld], cards: Iterable[int]) -> int:
    """Return the defender's least deadwood, own melds and layoffs chosen together.

    Args:
        melds: The melds that the knocker shows.
        cards: The defender's hand.
    """
    held, table = frozenset(cards), frozenset(melds)
    known: dict[tuple[Arrangement, Cards], int] = {}
    return min(_least_left(table, held - melded(way), known) for way in ways_of_melding(held))


def _least_left(
    table: Arrangement, rest: Cards, known: dict[tuple[Arrangement, Cards], int]
) -> int:
    """Try every card of the rest on every meld of the table, one after the other."""
    if (table, rest) not in known:
        least = total(rest)
        for card in rest:
            for meld in table:
                if is_meld(meld | {card}):
                    longer = (table - {meld}) | {meld | {card}}
                    least = min(least, _least_left(longer, rest - {card}, known))
        known[table, rest] = least
    return known[table, rest]


def _chain(meld: Meld, hidden: Cards) -> Cards:
    """Return the hidden cards that fit the meld, or fit it once others of them are laid off."""
    grown = meld
    while fitting := frozenset(card for card in hidden - grown if is_meld(grown | {card})):
        grown |= fitting
    return grown - meld
