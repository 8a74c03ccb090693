"""The observation: its layout, and the kernel that writes it from a seat's view.

All values are float32 in [0, 1]. Card blocks have one place per card id.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from gin_env.core.cards import N_CARDS, bit, count, spread
from gin_env.core.heuristics import DANGER_RANGE, continuation, danger, winning_draws
from gin_env.core.jit import inlined, int64, kernel
from gin_env.core.state import N_PHASES, NO_CARD, STOCK_SIZE
from gin_env.errors import OptionError

POINTS_SCALE = 100.0
"""Points are divided by this: no ten cards are worth more."""
KNOCK_LIMIT_SCALE = 10.0


class ObsBlock(NamedTuple):
    """One block of the observation."""

    name: str
    slice: slice
    shape: tuple[int, ...]
    meaning: str


_AFTER_MEANING = (
    "points / 100 left after the discard of each card (while drawing: were the upcard taken); "
    "1 where the card cannot be discarded next"
)

_BLOCKS = (
    ("hand", N_CARDS, "cards in this seat's hand"),
    ("pile_top", N_CARDS, "the top card of the discard pile, or the offered upcard"),
    ("pile_rest", N_CARDS, "the cards under it"),
    ("my_discards", N_CARDS, "1 / (1 + turns since this seat last discarded the card); 0 never"),
    ("their_discards", N_CARDS, "the same for the opponent's discards"),
    ("their_known", N_CARDS, "cards the opponent took from the pile and still holds"),
    ("their_shed", N_CARDS, "cards the opponent took from the pile and discarded again"),
    ("their_declined", N_CARDS, "face-up cards the opponent could have taken and did not"),
    ("my_known", N_CARDS, "cards this seat took from the pile and still holds: the opponent knows"),
    ("unseen", N_CARDS, "cards that are in the stock or, unknown, in the opponent's hand"),
    ("forbidden", N_CARDS, "the card just taken, where it may not be discarded in this turn"),
    ("melded", N_CARDS, "cards of this hand that its best arrangement melds"),
    ("deadwood_after", N_CARDS, _AFTER_MEANING),
    ("deadwood", 1, "points / 100 of this hand's deadwood"),
    ("knock_limit", 1, "most deadwood to knock with, points / 10"),
    ("stock", 1, "cards left in the stock / 31"),
    ("turn", 1, "turns played / turn cap"),
    ("phase", N_PHASES, "one of: offer, draw, discard, over"),
    ("to_move", 1, "1 if this seat is to move"),
    ("dealer", 1, "1 if this seat deals"),
    ("totals", 2, "running totals over the target, at most 1: this seat's, the opponent's"),
)

_EXTRA_BLOCKS = {
    "continuation": "points / 100 that a good draw brings the hand to after the discard of each "
    "card; 1 where it cannot be discarded next",
    "danger": "how much the discard of each card is likely to help the opponent, scaled from "
    f"[{DANGER_RANGE[0]:g}, {DANGER_RANGE[1]:g}] points; 1 where it cannot be discarded next",
    "gin_draws": "share of the unseen cards that, drawn after the discard of each card, would let "
    "this seat go gin; 0 where it cannot be discarded next",
    "knock_draws": "the same for knocking, gin included",
}

EXTRAS = tuple(_EXTRA_BLOCKS)
"""Names of the optional blocks, in the order in which they are appended."""

_BIT_OF = {name: 1 << place for place, name in enumerate(EXTRAS)}
_CONTINUATION, _DANGER, _GIN_DRAWS, _KNOCK_DRAWS = _BIT_OF.values()


def obs_layout(extras: Iterable[str] = ()) -> tuple[ObsBlock, ...]:
    """The blocks of the observation with some optional ones, in order.

    Raises:
        OptionError: If an optional block is unknown.
    """
    wanted = check_extras(extras)
    rows = [*_BLOCKS, *((name, N_CARDS, _EXTRA_BLOCKS[name]) for name in wanted)]
    layout, start = [], 0
    for name, size, meaning in rows:
        layout.append(ObsBlock(name, slice(start, start + size), (size,), meaning))
        start += size
    return tuple(layout)


def check_extras(extras: Iterable[str]) -> tuple[str, ...]:
    """The optional blocks asked for, each once, in the order in which they are appended.

    Raises:
        OptionError: If one is unknown, or they are no names.
    """
    known = ", ".join(EXTRAS)
    try:
        asked = (extras,) if isinstance(extras, str) else tuple(extras)
    except TypeError:
        raise OptionError(
            f"extras must be names of observation blocks ({known}), not {extras!r}"
        ) from None
    for name in asked:
        if name not in EXTRAS:
            raise OptionError(f"unknown observation block {name!r}; there are {known}")
    return tuple(name for name in EXTRAS if name in asked)


def extras_bits(extras: Iterable[str]) -> int:
    """Optional blocks as kernels read them: bit ``n`` for the n-th of `EXTRAS`."""
    return sum(_BIT_OF[name] for name in check_extras(extras))


def obs_size(extras: Iterable[str] = ()) -> int:
    """Length of the observation."""
    return sum(block.shape[0] for block in obs_layout(extras))


OBS_LAYOUT = obs_layout()
OBS_SIZE = obs_size()
_START = {block.name: block.slice.start for block in OBS_LAYOUT}

HAND_AT = _START["hand"]
PILE_TOP_AT = _START["pile_top"]
PILE_REST_AT = _START["pile_rest"]
MY_DISCARDS_AT = _START["my_discards"]
THEIR_DISCARDS_AT = _START["their_discards"]
THEIR_KNOWN_AT = _START["their_known"]
THEIR_SHED_AT = _START["their_shed"]
THEIR_DECLINED_AT = _START["their_declined"]
MY_KNOWN_AT = _START["my_known"]
UNSEEN_AT = _START["unseen"]
FORBIDDEN_AT = _START["forbidden"]
MELDED_AT = _START["melded"]
AFTER_AT = _START["deadwood_after"]
DEADWOOD_AT = _START["deadwood"]
KNOCK_LIMIT_AT = _START["knock_limit"]
STOCK_AT = _START["stock"]
TURN_AT = _START["turn"]
PHASE_AT = _START["phase"]
TO_MOVE_AT = _START["to_move"]
DEALER_AT = _START["dealer"]
TOTALS_AT = _START["totals"]


@kernel
def encode(r: np.void, v: np.void, obs: np.ndarray) -> None:
    """Write the observation of the seat whose view this is.

    Args:
        r: The rules.
        v: The view, as `look` wrote it.
        obs: Shape [OBS_SIZE], float32, contiguous; every value is written.
    """
    _encode_cards(v, obs)
    _encode_discards(v, obs)
    _encode_after(v, obs)
    _encode_table(r, v, obs)


@kernel
def encode_extras(v: np.void, wanted: int, obs: np.ndarray) -> None:
    """Write the optional blocks behind the observation, in the order of `EXTRAS`.

    Args:
        v: The view.
        wanted: Which of them, as `extras_bits` says.
        obs: Shape [N], float32, contiguous.
    """
    at = OBS_SIZE
    if wanted & _CONTINUATION:
        obs[at : at + N_CARDS] = 1.0
        for card in range(N_CARDS):
            if v["deadwood_after"][card] >= 0:
                value = continuation(v["discard_candidates"] & ~bit(card), v["unseen"])
                obs[at + card] = value / POINTS_SCALE
        at += N_CARDS
    if wanted & _DANGER:
        low, high = DANGER_RANGE
        obs[at : at + N_CARDS] = 1.0
        for card in range(N_CARDS):
            if v["deadwood_after"][card] >= 0:
                obs[at + card] = (danger(v, card) - low) / (high - low)
        at += N_CARDS
    if wanted & (_GIN_DRAWS | _KNOCK_DRAWS):
        _encode_draws(v, wanted, obs[at:])


@kernel
def _encode_draws(v: np.void, wanted: int, blocks: np.ndarray) -> None:
    """Write the last two of the optional blocks, or one of them."""
    n_unseen = max(count(v["unseen"]), 1)
    knock_at = N_CARDS if wanted & _GIN_DRAWS else int64(0)
    blocks[:] = 0.0
    for card in range(N_CARDS):
        if v["deadwood_after"][card] >= 0:
            rest = v["discard_candidates"] & ~bit(card)
            n_gin, n_knock = winning_draws(rest, v["unseen"], int64(v["knock_limit"]))
            if wanted & _GIN_DRAWS:
                blocks[card] = n_gin / n_unseen
            if wanted & _KNOCK_DRAWS:
                blocks[knock_at + card] = n_knock / n_unseen


@inlined
def _encode_cards(v: np.void, obs: np.ndarray) -> None:
    top = bit(v["top"]) if v["top"] != NO_CARD else int64(0)
    forbidden = bit(v["just_taken"]) if v["just_taken"] != NO_CARD else int64(0)
    spread(v["hand"], obs, HAND_AT)
    spread(top, obs, PILE_TOP_AT)
    spread(v["pile"] & ~top, obs, PILE_REST_AT)
    spread(v["their_known"], obs, THEIR_KNOWN_AT)
    spread(v["their_shed"], obs, THEIR_SHED_AT)
    spread(v["their_declined"], obs, THEIR_DECLINED_AT)
    spread(v["my_known"], obs, MY_KNOWN_AT)
    spread(v["unseen"], obs, UNSEEN_AT)
    spread(forbidden, obs, FORBIDDEN_AT)
    spread(v["sets"] | v["runs"], obs, MELDED_AT)


@inlined
def _encode_discards(v: np.void, obs: np.ndarray) -> None:
    _encode_turns(v, 0, obs[MY_DISCARDS_AT : MY_DISCARDS_AT + N_CARDS])
    _encode_turns(v, 1, obs[THEIR_DISCARDS_AT : THEIR_DISCARDS_AT + N_CARDS])


# The loops below have no branches and no doubles: they run in vectors.


@inlined
def _encode_turns(v: np.void, whose: int, block: np.ndarray) -> None:
    now = np.float32(1 + v["n_turns"])
    turns = v["discard_turn"][whose]
    for card in range(N_CARDS):
        turn = turns[card]
        block[card] = np.float32(1.0) / (now - np.float32(turn)) if turn > 0 else np.float32(0.0)


@inlined
def _encode_after(v: np.void, obs: np.ndarray) -> None:
    block, after = obs[AFTER_AT : AFTER_AT + N_CARDS], v["deadwood_after"]
    for card in range(N_CARDS):
        left = np.float32(after[card]) / np.float32(POINTS_SCALE)
        block[card] = left if left >= 0 else np.float32(1.0)


@inlined
def _encode_table(r: np.void, v: np.void, obs: np.ndarray) -> None:
    obs[DEADWOOD_AT] = min(v["deadwood"] / POINTS_SCALE, 1.0)
    obs[KNOCK_LIMIT_AT] = v["knock_limit"] / KNOCK_LIMIT_SCALE
    obs[STOCK_AT] = v["n_stock"] / STOCK_SIZE
    obs[TURN_AT] = v["n_turns"] / r["turn_cap"]
    obs[PHASE_AT:TO_MOVE_AT] = 0.0
    obs[PHASE_AT + v["phase"]] = 1.0
    obs[TO_MOVE_AT] = v["is_to_move"]
    obs[DEALER_AT] = v["is_dealer"]
    obs[TOTALS_AT] = min(v["totals"][0] / r["target"], 1.0)
    obs[TOTALS_AT + 1] = min(v["totals"][1] / r["target"], 1.0)
