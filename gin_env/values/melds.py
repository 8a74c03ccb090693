"""Melds for people: exact deadwood, the best arrangement, and layoffs.

Cards are given as text, as ids or as a 52-bit mask; the rules are those of `gin_env.core.melds`.
"""

from collections.abc import Iterable
from typing import NamedTuple

from gin_env.core import melds as kernels
from gin_env.core.cards import ALL_BITS, N_RANKS, CardsLike, card_text, cards_text, to_bits, to_ids
from gin_env.errors import CardError, MeldError

MAX_CARDS = 11
"""Cards of a hand between the draw and the discard."""
MIN_MELD = 3
"""Cards of the smallest meld."""

Meld = tuple[str, ...]
"""The cards of one set or run, as text."""


class Layoff(NamedTuple):
    """One card laid off, and the knocker's meld that it goes on."""

    card: str
    meld: Meld


class Defence(NamedTuple):
    """What a defender does against shown melds."""

    laid_off: tuple[Layoff, ...]
    """Each card laid off, in the order of the cards' ids."""
    melds: tuple[Meld, ...]
    """The defender's own melds."""
    unmelded: tuple[str, ...]
    """The cards that remain."""
    deadwood: int
    """Their points."""


def deadwood(cards: CardsLike) -> int:
    """Find the least deadwood over all ways of melding.

    Args:
        cards: Up to eleven cards.

    Returns:
        Points.

    Raises:
        CardError: If something names no card, a card comes twice, or there are more than eleven.

    Example:
        >>> deadwood("7s 8s 9s 7h 7d")
        14
    """
    return int(kernels.deadwood(read_hand(cards)))


def best_melds(cards: CardsLike) -> list[Meld]:
    """Meld cards so that the least deadwood is left, as a knocker would show them.

    Among equals those melds are taken on which the fewest points can be laid off by cards that are
    not in the hand, then those of a fixed order (docs/rules.md, "The shown arrangement").

    Args:
        cards: Up to eleven cards.

    Returns:
        The melds: sets by rank, then runs by suit.

    Raises:
        CardError: If something names no card, a card comes twice, or there are more than eleven.

    Example:
        >>> best_melds("7s 8s 9s 7h 7d 2c 2d 2h")
        [('2h', '2d', '2c'), ('7s', '8s', '9s')]
    """
    bits = read_hand(cards)
    sets = int(kernels.arrange(bits, ALL_BITS & ~bits))
    return list(split_melds(sets, int(kernels.run_cards(bits & ~sets))))


def layoff(melds: Iterable[CardsLike], cards: CardsLike) -> Defence:
    """Choose the defender's own melds and layoffs together, for the least deadwood left.

    Args:
        melds: The knocker's melds, each as text, ids or a mask.
        cards: The defender's hand, up to eleven cards.

    Returns:
        The cards laid off and where, the defender's own melds, and what is left.

    Raises:
        MeldError: If one of the melds is neither a set nor a run.
        CardError: If something names no card, a card comes twice, or there are too many cards.

    Example:
        >>> defence = layoff(["7c 8c 9c"], "6c Tc 4h")
        >>> [layoff.card for layoff in defence.laid_off], defence.deadwood
        (['6c', 'Tc'], 4)
    """
    shown = _read_melds(melds)
    bits = read_hand(cards)
    sets = sum(meld for meld in shown if is_set(meld))
    runs = sum(meld for meld in shown if not is_set(meld))
    if twice := bits & (sets | runs):
        raise CardError(f"{cards_text(twice)} lies in the melds and in the hand; each exists once")
    left, own_sets, laid_off = map(int, kernels.defend(bits, sets, runs))
    rest = bits & ~own_sets & ~laid_off
    own_runs = int(kernels.run_cards(rest))
    return Defence(
        laid_off=place_layoffs([meld_text(meld) for meld in shown], laid_off),
        melds=split_melds(own_sets, own_runs),
        unmelded=meld_text(rest & ~own_runs),
        deadwood=left,
    )


# What the faces share: from masks to melds.


def split_hand(hand: int, sets: int, runs: int) -> tuple[tuple[Meld, ...], Meld]:
    """Split a hand, whose set and run cards are given, into its melds and the unmelded cards."""
    return split_melds(int(sets), int(runs)), meld_text(int(hand & ~sets & ~runs))


def split_melds(sets: int, runs: int) -> tuple[Meld, ...]:
    """Split the cards of an arrangement into melds: sets by rank, then runs by suit."""
    by_rank: dict[int, list[str]] = {}
    for card in sorted(to_ids(sets), key=lambda card: card % N_RANKS):
        by_rank.setdefault(card % N_RANKS, []).append(card_text(card))
    blocks: list[list[str]] = []
    last = None
    for card in to_ids(runs):
        if last is None or card != last + 1 or card % N_RANKS == 0:
            blocks.append([])
        blocks[-1].append(card_text(card))
        last = card
    return tuple(tuple(meld) for meld in (*by_rank.values(), *blocks))


def place_layoffs(melds: Iterable[Meld], laid_off: int) -> tuple[Layoff, ...]:
    """Say on which meld each card laid off goes: on a run, where a set would take it too."""
    left, placed = laid_off, []
    for meld in sorted(melds, key=lambda meld: is_set(to_bits(meld))):
        bits = to_bits(meld)
        reach = kernels.missing_fourths(bits) if is_set(bits) else kernels.grow_runs(bits, left)
        cards = int(reach) & left
        left &= ~cards
        placed += [(card, meld) for card in to_ids(cards)]
    return tuple(Layoff(card_text(card), meld) for card, meld in sorted(placed))


def meld_text(bits: int) -> Meld:
    """Write a set of cards as texts, in the order of their ids."""
    return tuple(card_text(card) for card in to_ids(bits))


def is_set(bits: int) -> bool:
    """Whether a meld is a set; otherwise it is a run."""
    return bool(kernels.triple_ranks(bits))


def read_hand(cards: CardsLike) -> int:
    """Read up to eleven cards into a mask.

    Raises:
        CardError: If something names no card, a card comes twice, or there are more than eleven.
    """
    bits = to_bits(cards)
    if (n_cards := bits.bit_count()) > MAX_CARDS:
        raise CardError(f"{n_cards} cards are no hand: it holds at most {MAX_CARDS}")
    return bits


def _read_melds(melds: Iterable[CardsLike]) -> list[int]:
    if isinstance(melds, str) or not isinstance(melds, Iterable):
        raise MeldError(f"melds must be a list of melds, such as ['7s 8s 9s'], not {melds!r}")
    shown: list[int] = []
    seen = 0
    for meld in melds:
        bits = to_bits(meld)
        _check_meld(bits)
        if twice := bits & seen:
            raise CardError(f"{cards_text(twice)} lies in two melds; a card belongs to one")
        seen |= bits
        shown.append(bits)
    if (n_cards := seen.bit_count()) > MAX_CARDS:
        raise CardError(f"{n_cards} cards in melds: a hand holds at most {MAX_CARDS}")
    return shown


def _check_meld(bits: int) -> None:
    cards = to_ids(bits)
    is_one_rank = len({card % N_RANKS for card in cards}) == 1
    is_one_run = split_melds(0, bits) == (meld_text(bits),)
    if len(cards) < MIN_MELD or not (is_one_rank or is_one_run):
        raise MeldError(
            f"{cards_text(bits)!r} is no meld: a set is three or four cards of one rank, a run "
            "three or more neighbours of one suit, the ace low"
        )
