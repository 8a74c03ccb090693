"""The engine plays recorded hands again: all agree, and whatever was changed is found."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

import gin_env
from gin_env import Game
from gin_env.core.cards import to_ids
from gin_env.history import Hand, HistoryError, find_deck, read, read_line, verify
from gin_env.history.verify import check_hand
from tests.hands import sample_size
from tests.history.recorded import GOLDEN, GOLDEN_FILE, change, find_line, mixed_lines


@pytest.mark.slow
def test_hands_of_mixed_bots_verify(file: Path) -> None:
    n_wanted = sample_size(10_000)
    file.write_bytes(b"".join(mixed_lines(n_wanted)))
    n_hands = verify(file)
    assert n_hands >= n_wanted
    assert n_hands == len(file.read_bytes().splitlines())


def test_file_recorded_once_still_verifies() -> None:
    assert verify(GOLDEN_FILE) == len(GOLDEN)


@pytest.mark.slow
def test_flipped_bit_is_found_in_its_line(file: Path) -> None:
    """Whatever byte it is: of a name, of a newline, of the checksum itself."""
    rng = Random(5)
    lines = GOLDEN
    whole = b"".join(lines)
    ends = [len(b"".join(lines[: n + 1])) for n in range(len(lines))]
    places = [rng.randrange(len(whole)) for _ in range(sample_size(4_000))]
    places += [end - 1 for end in ends]  # newlines
    places += [rng.randrange(end - 80, end) for end in ends]  # checksums
    for place in places:
        changed = bytearray(whole)
        changed[place] ^= 1 << rng.randrange(8)
        file.write_bytes(changed)
        wanted = next(number for number, end in enumerate(ends, start=1) if place < end)
        with pytest.raises(HistoryError) as error:
            verify(file)
        assert error.value.line == wanted


def test_byte_put_in_or_taken_out_is_found(file: Path) -> None:
    rng, whole = Random(6), b"".join(GOLDEN[:5])
    for _ in range(100):
        place = rng.randrange(len(whole))
        for changed in (
            whole[:place] + whole[place + 1 :],
            whole[:place] + bytes([rng.randrange(256)]) + whole[place:],
        ):
            file.write_bytes(changed)
            with pytest.raises(HistoryError):
                verify(file)


def test_lines_before_a_damaged_one_are_kept(file: Path) -> None:
    lines = list(GOLDEN[:6])
    lines[3] = lines[3].replace(b"dealer", b"Dealer")
    file.write_bytes(b"".join(lines))
    kept: list[Hand] = []
    with pytest.raises(HistoryError, match="line 4: it is cut short or was changed") as error:
        kept.extend(read(file))
    assert error.value.line == 4
    assert kept == [read_line(line) for line in lines[:3]]


def test_first_line_that_disagrees_is_named(file: Path) -> None:
    lines = list(GOLDEN[:6])
    for place in (2, 4):
        lines[place] = change(lines[place], paid=[1, -2])
    file.write_bytes(b"".join(lines))
    with pytest.raises(HistoryError, match=r"line 3: paid is \(1, -2\), but the engine says") as e:
        verify(file)
    assert e.value.line == 3


KNOCK = find_line(ending="knock", episode="hand")
MATCH = find_line(ending="gin", episode="match")


def with_result(fields: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {**fields, "result": {**fields["result"], **changes}}


def other_deal(fields: dict[str, Any]) -> dict[str, Any]:
    """The two last cards of the stock, which nobody ever draws, the other way round."""
    *stock, last, other = fields["stock"].split()
    return {**fields, "stock": " ".join([*stock, other, last])}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            with_result(KNOCK, ending="undercut"),
            "result.ending is undercut, but the engine says",
        ),
        (with_result(KNOCK, knocker=None), "result.knocker is None"),
        (with_result(KNOCK, winner=None), "result.winner is None"),
        (with_result(KNOCK, points=[3, -4]), r"result.points is \(3, -4\)"),
        (with_result(KNOCK, turns=0), "result.turns is 0"),
        (with_result(KNOCK, layoffs=[{"card": "As", "meld": []}]), "result.layoffs is"),
        (
            with_result(KNOCK, arrangements=KNOCK["result"]["arrangements"][::-1]),
            "result.arrangements is",
        ),
        ({**KNOCK, "paid": [0, 0]}, r"paid is \(0, 0\)"),
        ({**KNOCK, "totals_after": [500, 0]}, r"totals_after is \(500, 0\)"),
        ({**KNOCK, "match_winner": 0}, "match_winner is 0, but the engine says None"),
        ({**KNOCK, "dealer": 1 - KNOCK["dealer"]}, "."),
        ({**KNOCK, "actions": KNOCK["actions"][:-1]}, "the hand is not over after its"),
        ({**KNOCK, "actions": []}, "the hand is not over after its 0 actions"),
        ({**KNOCK, "actions": [*KNOCK["actions"], "draw"]}, "comes after the end of the hand"),
        ({**KNOCK, "actions": ["big gin"]}, "action 1: 'big gin' is not legal: in the"),
        (
            {**KNOCK, "actions": [*KNOCK["actions"][:-1], "forfeit"], "penalty": 50},
            r"paid is \(.*\), but the engine says \(.*50\)",
        ),
        ({**KNOCK, "seed": KNOCK["seed"] ^ 1}, "deals .*, not"),
        (other_deal(KNOCK), f"seed {KNOCK['seed']} deals"),
        ({**MATCH, "hands_won": [0, 0], "totals": [0, 0], "hand": MATCH["hand"] + 1}, "deals"),
    ],
)
def test_changed_line_with_a_new_checksum_is_found(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(HistoryError, match=message):
        check_hand(read_line(change(json.dumps(fields).encode())))


def test_seed_deals_what_a_game_with_it_deals() -> None:
    game = Game.deal("eaai", seed=12, episode="match")
    for number in range(3):
        deck = find_deck(12, number)
        assert list(deck[21:]) == to_ids(game.stock)
        while not game.is_over:
            game.play(game.legal_actions()[-1])
        game.next_hand()


def test_seed_is_not_asked_for_hands_late_in_a_match() -> None:
    late = {**MATCH, "hand": 999_999}
    check_hand(read_line(change(json.dumps(late).encode())))


def test_forfeit_of_other_price_is_found(file: Path) -> None:
    env = gin_env.env("home", illegal_penalty=33, record=file)
    env.reset(seed=2)
    env.step(107)
    assert verify(file) == 1
    line = file.read_bytes()
    fields = json.loads(line)
    assert (fields["actions"], fields["penalty"]) == (["forfeit"], 33)
    assert sorted(fields["paid"]) == [-33, 33]
    with pytest.raises(HistoryError, match=r"paid is \(-?33, -?33\), but the engine says"):
        check_hand(read_line(change(line, penalty=34)))
    with pytest.raises(HistoryError, match="comes after the end"):
        check_hand(read_line(change(line, actions=["forfeit", "forfeit"])))
