"""Melds: exact deadwood, the best arrangement, and exact layoffs (docs/rules.md).

How it works. Once it is settled which cards go into sets, nothing is left to choose about runs: in
each suit every block of three or more neighbours is melded, every shorter block is dead. So a way
of melding is its *set cards*, and there are few choices of those: a rank held three times gives two
(no set, the set), a rank held four times six, and eleven cards hold at most three such ranks. A
*loose* card lies in no block of three, so that only a set can meld it: where least deadwood is all
that counts, a set that leaves one of its rank out need not be tried.
"""

import numpy as np

from gin_env.core.cards import (
    ACE_BITS,
    KING_BITS,
    N_CARDS,
    N_RANKS,
    SUIT_BITS,
    bit,
    count,
    lowest,
    points,
)
from gin_env.core.jit import inlined, int64, kernel
from gin_env.core.meld_tables import (
    BEST_DROP,
    CHOICE_DIGITS,
    CHOICE_KIND,
    MAX_DEADWOOD,
    N_KINDS,
    N_SET_CHOICES,
    RUN_BITS,
    RUN_DEADWOOD,
    SET_CHOICES,
)

NOT_IN_HAND = -1
"""Entry of a `deadwood_after` row for a card that is not held."""

Ways = tuple[int, int, int, int, int, int, int, int]
"""How many ways, their kind (see `CHOICE_DIGITS`), then up to three ranks, each with its key."""
NO_SETS: Ways = (1, 0, 0, 0, 0, 0, 0, 0)


@kernel
def deadwood(bits: int) -> int:
    """Least deadwood of up to eleven cards over all ways of melding. Returns int64, points."""
    if triple_ranks(bits) == 0:
        return run_deadwood(bits)
    best = int64(MAX_DEADWOOD)
    ways = find_ways(bits, loose_cards(bits))
    for index in range(ways[0]):
        best = min(best, run_deadwood(bits & ~set_choice(ways, index)))
    return best


@kernel
def least_deadwood_after(bits: int) -> int:
    """Least deadwood after giving up the best card of any.

    Args:
        bits: Ten or eleven cards.

    Returns:
        int64, points.
    """
    if triple_ranks(bits) == 0:
        return run_deadwood(bits) - best_run_drop(bits)
    best = int64(MAX_DEADWOOD)
    ways = find_ways(bits, loose_cards(bits))
    for index in range(ways[0]):
        sets = set_choice(ways, index)
        rest = bits & ~sets
        left = run_deadwood(rest)
        # All melded: ten cards hold a meld of four, and a set of four can give one up as well.
        if left == 0 and quad_ranks(sets):
            return int64(0)
        best = min(best, left - best_run_drop(rest))
    return best


@kernel
def best_run_drop(bits: int) -> int:
    """The most run deadwood that giving up a card takes away. Returns int64, points."""
    return max(
        int64(BEST_DROP[bits & SUIT_BITS]),
        int64(BEST_DROP[bits >> N_RANKS & SUIT_BITS]),
        int64(BEST_DROP[bits >> 2 * N_RANKS & SUIT_BITS]),
        int64(BEST_DROP[bits >> 3 * N_RANKS]),
    )


@kernel
def deadwood_after(bits: int, after: np.ndarray) -> None:
    """Least deadwood after giving up each card in turn.

    Args:
        bits: Up to eleven cards.
        after: Shape [52], int16; set to points for each card held, to `NOT_IN_HAND` for the rest.
    """
    after[:] = NOT_IN_HAND
    _fill(after, bits, MAX_DEADWOOD)
    ways = find_ways(bits, 0)
    for index in range(ways[0]):
        rest = bits & ~set_choice(ways, index)
        base = run_deadwood(rest)
        left = rest
        while left:
            card = lowest(left)
            left &= left - 1
            suit = card // N_RANKS * N_RANKS
            ranks = rest >> suit & SUIT_BITS
            value = base - RUN_DEADWOOD[ranks] + RUN_DEADWOOD[ranks ^ (bit(card) >> suit)]
            after[card] = min(after[card], value)


@kernel
def arrange(bits: int, unseen: int) -> int:
    """Choose the arrangement to show, by the tie rule of docs/rules.md.

    Least deadwood; then the fewest points that cards of ``unseen`` could lay off; then the fewest
    cards in sets; then the lowest mask of the cards in sets.

    Args:
        bits: Up to eleven cards.
        unseen: The cards that the player cannot see.

    Returns:
        int64, the cards that go into sets; `run_cards` of the others are the runs.
    """
    if triple_ranks(bits) == 0:
        return int64(0)
    best, best_sets, best_layoff = int64(MAX_DEADWOOD + 1), int64(0), int64(-1)
    ways = find_ways(bits, loose_cards(bits))
    for index in range(ways[0]):
        sets = set_choice(ways, index)
        value = run_deadwood(bits & ~sets)
        if value > best:
            continue
        layoff = int64(-1)
        if value == best:
            if best_layoff < 0:
                best_layoff = layoff_points(bits, best_sets, unseen)
            layoff = layoff_points(bits, sets, unseen)
            if layoff > best_layoff:
                continue
            if layoff == best_layoff and not _comes_first(sets, best_sets):
                continue
        best, best_sets, best_layoff = value, sets, layoff
    return best_sets


@kernel
def can_meld(bits: int, card: int) -> bool:
    """Whether some arrangement of least deadwood melds the card, one of ``bits``."""
    least = deadwood(bits)
    ways = find_ways(bits, loose_cards(bits))
    for index in range(ways[0]):
        sets = set_choice(ways, index)
        rest = bits & ~sets
        if (sets | run_cards(rest)) & bit(card) and run_deadwood(rest) == least:
            return True
    return False


@kernel
def layoff_points(bits: int, sets: int, unseen: int) -> int:
    """Points of the cards of ``unseen`` that could be laid off on an arrangement. Returns int64."""
    runs = run_cards(bits & ~sets)
    return points(missing_fourths(sets) & unseen | grow_runs(runs, unseen) & ~runs)


@kernel
def defend(bits: int, sets: int, runs: int) -> tuple[int, int, int]:
    """Choose the defender's own melds and layoffs together, for the least deadwood left.

    Args:
        bits: The defender's ten cards.
        sets: The cards in the knocker's sets; 0 where nothing may be laid off.
        runs: The cards in the knocker's runs; likewise.

    Returns:
        Deadwood left (int64, points), the cards in the defender's own sets, and the cards laid off;
        among equals the fewest cards in sets, then their lowest mask, then the most laid off.
    """
    best, best_sets, best_laid = int64(MAX_DEADWOOD), int64(0), int64(0)
    fourths = missing_fourths(sets)
    ways = find_ways(bits, 0)  # a loose card may be laid off as well
    for index in range(ways[0]):
        own_sets = set_choice(ways, index)
        rest = bits & ~own_sets
        laid = _lay_off(rest, fourths, runs)
        value = run_deadwood(rest & ~laid)
        if value < best or (value == best and _comes_first(own_sets, best_sets)):
            best, best_sets, best_laid = value, own_sets, laid
    return best, best_sets, best_laid


# The ways of melding, one by one.


@kernel
def find_ways(bits: int, must: int) -> Ways:
    """The ways to choose which cards go into sets, for `set_choice`.

    Args:
        bits: Up to eleven cards.
        must: Those that a set of their rank may not leave out; `loose_cards`, or 0 for every way.
    """
    ranks = triple_ranks(bits)
    if ranks == 0:
        return NO_SETS
    first = lowest(ranks)
    ranks &= ranks - 1
    key, second, key_second, third, key_third = _rank_key(bits, must, first), 0, 0, 0, 0
    if ranks:
        second = lowest(ranks)
        key_second = _rank_key(bits, must, second)
        ranks &= ranks - 1
    if ranks:
        third = lowest(ranks)
        key_third = _rank_key(bits, must, third)
    return (
        N_SET_CHOICES[key] * N_SET_CHOICES[key_second] * N_SET_CHOICES[key_third],
        (CHOICE_KIND[key] * N_KINDS + CHOICE_KIND[key_second]) * N_KINDS + CHOICE_KIND[key_third],
        first,
        key,
        second,
        key_second,
        third,
        key_third,
    )


@kernel
def set_choice(ways: Ways, index: int) -> int:
    """The set cards of one way of melding. Returns int64, cards."""
    _, kind, first, key, second, key_second, third, key_third = ways
    digits = int64(CHOICE_DIGITS[kind, index])
    return (
        int64(SET_CHOICES[key, digits & 7]) << first
        | int64(SET_CHOICES[key_second, digits >> 3 & 7]) << second
        | int64(SET_CHOICES[key_third, digits >> 6]) << third
    )


@kernel
def loose_cards(bits: int) -> int:
    """The cards that lie in no block of three or more neighbours. Returns int64, cards."""
    return bits & ~run_cards(bits)


@kernel
def triple_ranks(bits: int) -> int:
    """Ranks held three or four times, as bits of one suit. Returns int64."""
    spades = bits & SUIT_BITS
    hearts = bits >> N_RANKS & SUIT_BITS
    diamonds = bits >> 2 * N_RANKS & SUIT_BITS
    clubs = bits >> 3 * N_RANKS
    return (spades & hearts & (diamonds | clubs)) | (diamonds & clubs & (spades | hearts))


@kernel
def quad_ranks(bits: int) -> int:
    """Ranks held four times, as bits of one suit. Returns int64."""
    return bits & bits >> N_RANKS & bits >> 2 * N_RANKS & bits >> 3 * N_RANKS


@kernel
def pair_ranks(bits: int) -> int:
    """Ranks held twice or more, as bits of one suit. Returns int64."""
    spades = bits & SUIT_BITS
    hearts = bits >> N_RANKS & SUIT_BITS
    diamonds = bits >> 2 * N_RANKS & SUIT_BITS
    clubs = bits >> 3 * N_RANKS
    return spades & hearts | (spades | hearts) & (diamonds | clubs) | diamonds & clubs


@kernel
def run_deadwood(bits: int) -> int:
    """Points of the cards that no run covers. Returns int64."""
    return (
        int64(RUN_DEADWOOD[bits & SUIT_BITS])
        + int64(RUN_DEADWOOD[bits >> N_RANKS & SUIT_BITS])
        + int64(RUN_DEADWOOD[bits >> 2 * N_RANKS & SUIT_BITS])
        + int64(RUN_DEADWOOD[bits >> 3 * N_RANKS])
    )


@kernel
def run_cards(bits: int) -> int:
    """The cards that lie in runs: blocks of three or more neighbours. Returns int64, cards."""
    cards = int64(0)
    for suit in range(0, N_CARDS, N_RANKS):
        cards |= int64(RUN_BITS[bits >> suit & SUIT_BITS]) << suit
    return cards


@kernel
def missing_fourths(sets: int) -> int:
    """The fourth cards of the sets of three among set cards. Returns int64, cards."""
    missing = int64(0)
    ranks = triple_ranks(sets)
    while ranks:
        missing |= int64(ACE_BITS) << lowest(ranks)
        ranks &= ranks - 1
    return missing & ~sets


@kernel
def grow_runs(runs: int, cards: int) -> int:
    """Runs together with all of ``cards`` that continue them, link by link. Returns int64."""
    grown = runs
    while True:
        links = (((grown & ~KING_BITS) << 1) | ((grown & ~ACE_BITS) >> 1)) & cards & ~grown
        if links == 0:
            return grown
        grown |= links


@inlined
def _comes_first(sets: int, other: int) -> bool:
    """The fixed order among equal arrangements."""
    n, n_other = count(sets), count(other)
    return n < n_other or (n == n_other and sets < other)


@inlined
def _rank_key(bits: int, must: int, rank: int) -> int:
    """The suits that hold a rank, and those of them that a set must take: two times four bits."""
    return _suits_holding(bits, rank) << 4 | _suits_holding(bits & must, rank)


@inlined
def _suits_holding(bits: int, rank: int) -> int:
    """Which suits hold a rank, four bits."""
    column = bits >> rank & ACE_BITS
    return (column | column >> 12 | column >> 24 | column >> 36) & 15


@kernel
def _lay_off(rest: int, fourths: int, runs: int) -> int:
    """The cards of ``rest`` to lay off so that least deadwood is left; suits do not interact."""
    reach = grow_runs(runs, rest) & ~runs | fourths & rest
    laid = int64(0)
    for suit in range(0, N_CARDS, N_RANKS):
        suit_reach = reach & int64(SUIT_BITS) << suit
        if suit_reach & run_cards(rest) == 0:
            laid |= suit_reach
        elif suit_reach:
            laid |= _lay_off_suit(rest & int64(SUIT_BITS) << suit, suit_reach, fourths, runs)
    return laid


@kernel
def _lay_off_suit(rest: int, reach: int, fourths: int, runs: int) -> int:
    """Try every set of cards of one suit that can be laid off, where own runs are at stake."""
    best, best_laid = run_deadwood(rest), int64(0)
    laid = reach
    while laid:
        if laid & ~fourths & ~grow_runs(runs, laid) == 0:
            value = run_deadwood(rest & ~laid)
            if value < best or (value == best and count(laid) > count(best_laid)):
                best, best_laid = value, laid
        laid = (laid - 1) & reach
    return best_laid


@inlined
def _fill(after: np.ndarray, bits: int, value: int) -> None:
    while bits:
        after[lowest(bits)] = value
        bits &= bits - 1
