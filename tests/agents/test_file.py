"""An agent's file: what was written is read back, and nothing else is read."""

import io
import json
import pickle
import struct
import tracemalloc
import zipfile
import zlib
from pathlib import Path
from random import Random
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from gin_env.agents import MAX_BYTES, NetworkSpec, dump_agent, read_agent
from gin_env.agents.file import parse_agent
from gin_env.agents.metadata import ENVIRONMENT, MAX_LAYERS, check_metadata
from gin_env.core.observe import EXTRAS
from gin_env.errors import PlayerError
from tests.agents.made import (
    SPEC,
    SPECS,
    Trap,
    a_card,
    logits_of,
    played,
    random_arrays,
    save_agent,
)


def npy(array: np.ndarray, *, allow_pickle: bool = False) -> bytes:
    """An npy file."""
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=allow_pickle)
    return buffer.getvalue()


def header_of(card: Any) -> bytes:
    """The member that holds a card."""
    return npy(np.frombuffer(json.dumps(card).encode(), np.uint8))


def members(card: Any = None, **changed: bytes | None) -> dict[str, bytes]:
    """The members of an agent's file; some changed, or taken out."""
    whole = {"header": header_of(a_card() if card is None else card)}
    whole |= {name: npy(array) for name, array in random_arrays().items()}
    whole |= {name.replace("__", "."): data for name, data in changed.items() if data is not None}
    gone = {name.replace("__", ".") for name, data in changed.items() if data is None}
    return {name: data for name, data in whole.items() if name not in gone}


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of npy files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(f"{name}.npy", data)
    return buffer.getvalue()


def declared(shape: str, descr: str = "<f4", order: str = "False") -> bytes:
    """An npy file that says something of itself, and holds 4 bytes."""
    text = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}"
    text += " " * (63 - (len(text) + 10) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + bytes(4)


def refused(content: bytes, match: str) -> None:
    """Check that bytes are refused, with what is said."""
    with pytest.raises(PlayerError, match=match):
        parse_agent(content)


# --- There and back ---


@pytest.mark.parametrize("kind", SPECS)
def test_agent_is_read_as_it_was_written(tmp_path: Path, kind: str) -> None:
    spec = SPECS[kind]
    card, arrays = a_card(spec), random_arrays(spec)
    file = tmp_path / "agent.npz"
    file.write_bytes(dump_agent(card, arrays))
    agent = read_agent(file)
    assert agent.metadata == card
    assert agent.network.spec == spec
    observations, _ = played(spec, 2)
    changed = {**arrays, "logits.bias": arrays["logits.bias"] + 1}
    assert logits_of(parse_agent(dump_agent(card, arrays)).network, observations) == logits_of(
        agent.network, observations
    )
    assert logits_of(parse_agent(dump_agent(card, changed)).network, observations) != logits_of(
        agent.network, observations
    )


def test_same_agent_makes_the_same_bytes() -> None:
    assert dump_agent(a_card(), random_arrays()) == dump_agent(a_card(), random_arrays())


def test_file_is_a_plain_npz(tmp_path: Path) -> None:
    with np.load(save_agent(tmp_path / "agent.npz"), allow_pickle=False) as arrays:
        assert json.loads(arrays["header"].tobytes()) == a_card()
        assert {n: arrays[n].shape for n in arrays if n != "header"} == SPEC.shapes


def test_arrays_may_be_stored_unpacked() -> None:
    assert parse_agent(zipped(members(), zipfile.ZIP_STORED)).network.spec == SPEC


def test_what_could_not_be_read_back_is_not_written() -> None:
    spec = NetworkSpec(EXTRAS, (2000,), "relu", True)
    with pytest.raises(PlayerError, match="it is larger than 5,000,000 bytes"):
        dump_agent(a_card(spec), random_arrays(spec))
    arrays = random_arrays()
    arrays["logits.bias"][3] = np.inf
    with pytest.raises(PlayerError, match=r"'logits\.bias' holds numbers that are not finite"):
        dump_agent(a_card(), arrays)


def test_environment_is_the_one_that_there_is() -> None:
    assert ENVIRONMENT in gym.registry


# --- What is no agent ---


def test_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(PlayerError, match=r"cannot read '.*none.npz': No such file"):
        read_agent(tmp_path / "none.npz")


def test_error_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "agent.npz"
    file.write_bytes(b"")
    with pytest.raises(PlayerError, match=r"agent.npz' is no agent that can be played: it is not "):
        read_agent(file)


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04", npy(np.zeros(3))])
def test_what_is_no_zip_is_refused(content: bytes) -> None:
    refused(content, "it is not a whole npz file: ")


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.999])
def test_half_a_file_is_refused(part: float) -> None:
    whole = zipped(members())
    refused(whole[: int(len(whole) * part)], "it is not a whole npz file: ")


def test_damaged_bytes_are_refused_or_do_no_harm() -> None:
    whole, random = zipped(members()), Random(1)
    n_refused = 0
    for _ in range(300):
        broken = bytearray(whole)
        for _ in range(random.choice((1, 4, 40))):
            broken[random.randrange(len(broken))] = random.randrange(256)
        try:
            parse_agent(bytes(broken))
        except PlayerError:
            n_refused += 1
    assert n_refused > 270


def test_damaged_headers_of_arrays_are_refused() -> None:
    whole, random = members(), Random(2)
    for _ in range(300):
        broken = bytearray(whole["logits.bias"])
        broken[random.randrange(80)] = random.randrange(256)
        try:
            parse_agent(zipped({**whole, "logits.bias": bytes(broken)}))
        except PlayerError as error:
            assert "'logits.bias'" in str(error)  # noqa: PT017


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (members(header=None), "it holds no array 'header'"),
        (members(logits__bias=None), r"missing \['logits.bias'\], unknown \[\]"),
        (members(value__bias=npy(np.zeros(1))), r"missing \[\], unknown \['value.bias'\]"),
        (members(header=npy(np.zeros(3))), r"'header' is float64 of shape \(3,\); expected uint8"),
        (members(header=npy(np.zeros((2, 2), np.uint8))), r"of shape \(2, 2\); expected uint8 of"),
        (members(header=npy(np.frombuffer(b"{", np.uint8))), "its header is no JSON: "),
        (members(header=npy(np.frombuffer(b"\xff", np.uint8))), "its header is no JSON: "),
        (members(header=npy(np.frombuffer(b"[" * 99999, np.uint8))), "its header is no JSON: "),
        (members(header=b""), "its array 'header' cannot be read: "),
        (members(logits__bias=b"\x93NUMPY\x09\x09"), "its array 'logits.bias' cannot be read: "),
    ],
)
def test_wrong_members_are_named(files: dict[str, bytes], said: str) -> None:
    refused(zipped(files), said)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (npy(np.zeros(107, np.float32)), r"float32 of shape \(107,\); expected float32 of \(108,"),
        (npy(np.zeros(108)), r"float64 of shape \(108,\); expected float32 of \(108,\)"),
        (npy(np.zeros(108, ">f4")), r">f4 of shape \(108,\); expected float32"),
        (npy(np.zeros((1, 108), np.float32)), r"shape \(1, 108\); expected float32 of \(108,\)"),
        (npy(np.full(108, np.nan, np.float32)), "holds numbers that are not finite"),
        (npy(np.array([None] * 108), allow_pickle=True), r"is object of shape \(108,\); expected"),
        (declared("(108,)"), r"'logits.bias' holds 4 bytes for a shape of \(108,\)"),
        (declared("(108,)", order="True"), "lies column by column; expected row by row"),
        (declared("(4611686018427387904,)"), r"of shape \(4611686018427387904,\); expected"),
        (declared("(-1,)"), r"of shape \(-1,\); expected float32 of \(108,\)"),
        (declared("()"), r"of shape \(\); expected float32 of \(108,\)"),
        (declared("(108,)", "|O"), r"is object of shape \(108,\); expected float32"),
    ],
)
def test_wrong_arrays_are_named(data: bytes, said: str) -> None:
    refused(zipped(members(logits__bias=data)), f"its array 'logits.bias'.*{said}|{said}")


@pytest.mark.parametrize("name", ["header", "logits__bias"])
def test_pickles_are_not_opened(name: str) -> None:
    data = npy(np.array([Trap()] * 108), allow_pickle=True)
    with pytest.raises(pytest.fail.Exception):
        np.load(io.BytesIO(data), allow_pickle=True)  # it would
    refused(zipped(members(**{name: data})), "is object of shape")
    refused(zipped({**members(), "more": pickle.dumps(Trap())}), r"unknown \['more'\]")


# --- Bombs ---


def test_large_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "agent.npz"
    with file.open("wb") as stream:
        stream.truncate(MAX_BYTES + 1)
    with pytest.raises(PlayerError, match="it is larger than 5,000,000 bytes"):
        read_agent(file)


def test_what_unpacks_to_much_is_refused_before_it_is_unpacked() -> None:
    bomb = zipped({**members(), "more": bytes(50_000_000)})
    assert len(bomb) < MAX_BYTES
    tracemalloc.start()
    try:
        refused(bomb, "it unpacks to more than 5,000,000 bytes")
        assert tracemalloc.get_traced_memory()[1] < 2 * MAX_BYTES
    finally:
        tracemalloc.stop()


def test_what_unpacks_to_more_than_it_says_is_refused() -> None:
    data = bytes(100_000_000)
    bomb = zipped({**members(), "more": data})
    for size in (struct.pack("<L", len(data)),):
        assert bomb.count(size) == 2  # at the file and in the list of all files
        bomb = bomb.replace(size, struct.pack("<L", 1000))
    tracemalloc.start()
    try:
        refused(bomb, "it is not a whole npz file: Bad CRC-32")
        assert tracemalloc.get_traced_memory()[1] < 4 * MAX_BYTES
    finally:
        tracemalloc.stop()
    assert zlib.crc32(data) != zlib.crc32(data[:1000])


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_packings_are_refused(method: int) -> None:
    refused(zipped(members(), method), "it is packed otherwise than by deflate")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_files_that_come_twice_or_are_no_arrays_are_refused() -> None:
    for name in ("header.npy", "readme.txt"):
        buffer = io.BytesIO(zipped(members()))
        with zipfile.ZipFile(buffer, "a") as archive:
            archive.writestr(name, b"")
        refused(buffer.getvalue(), "it holds other files than .npy files, each once")


# --- The card ---


def changed_card(part: str, **changed: Any) -> dict[str, Any]:
    """A card with one part changed."""
    return a_card(**{part: {**a_card()[part], **changed}})


def swapped_blocks() -> list[dict[str, Any]]:
    """The blocks of the observation, two of them exchanged."""
    blocks: list[dict[str, Any]] = a_card()["observation"]["blocks"]
    blocks[3], blocks[4] = blocks[4], blocks[3]
    return blocks


@pytest.mark.parametrize(
    ("card", "said"),
    [
        ([1], r"its header must be a mapping, not \[1\]"),
        (a_card(format="other"), "its format is 'other'; expected 'gin-env agent'"),
        (a_card(version=2), "its version is 2; expected 1"),
        (a_card(version=True), "its version is True; expected 1"),
        (a_card(name=3), "its name must be a text, not 3"),
        (a_card(actions=110), "its number of actions is 110; expected 108"),
        (a_card(observation=None), "its observation must be a mapping, not None"),
        (
            changed_card("observation", environment="gin_env/GinRummy-v9"),
            "its observation.environment is 'gin_env/GinRummy-v9'; expected 'gin_env/GinRummy-v0'",
        ),
        (changed_card("observation", size=895), "its observation.size is 895; expected 896"),
        (
            changed_card("observation", extras=["luck"]),
            "none of this version: unknown observation block 'luck'",
        ),
        (
            changed_card("observation", extras=["danger"]),
            "its observation.size is 896; expected 740",
        ),
        (
            changed_card("observation", extras=["danger", "continuation"], size=792),
            r"its observation.extras is \['danger', 'continuation'\]; expected \['continuation', ",
        ),
        (
            changed_card("observation", blocks=swapped_blocks()),
            r"its observation.blocks\[3\] is {'name': 'their_discards', 'size': 52}; expected {'na",
        ),
        (
            changed_card("observation", blocks=a_card()["observation"]["blocks"][:-1]),
            r"its observation.blocks\[24\] is None; expected {'name': 'knock_draws', 'size': 52}",
        ),
        (
            changed_card("observation", blocks=[*a_card()["observation"]["blocks"], 1]),
            "its number of observation.blocks is 26; expected 25",
        ),
        (a_card(network=[]), r"its network must be a mapping, not \[\]"),
        (changed_card("network", widths=[]), "its network.widths must be 1 to 16 whole numbers"),
        (changed_card("network", widths=[24.0]), r"from 1 to 8192, not \[24.0\]"),
        (changed_card("network", widths=[24, 10**40]), "its network.widths must be 1 to 16 whole"),
        (
            changed_card("network", widths=[1] * (MAX_LAYERS + 1)),
            "its network.widths must be 1 to 16",
        ),
        (
            changed_card("network", activation="gelu"),
            "its network.activation must be one of relu, tanh, not 'gelu'",
        ),
        (changed_card("network", skip=1), "its network.skip must be true or false, not 1"),
        (
            changed_card("network", blocks=["deadwood_after"]),
            r"its network.blocks\[1\] is None; expected 'continuation'",
        ),
        (a_card(rules="standard"), "its rules must be a mapping, not 'standard'"),
        (changed_card("rules", knock_limit=-1), "its rules are none: knock_limit"),
        (a_card(training=None), "its training must be a mapping, not None"),
        (a_card(strength=[]), r"its strength must be a mapping, not \[\]"),
    ],
)
def test_card_of_something_else_is_named(card: Any, said: str) -> None:
    with pytest.raises(PlayerError, match=said):
        check_metadata(card)
    refused(zipped(members(card)), said)


def test_network_of_another_size_is_named() -> None:
    refused(
        zipped(members(changed_card("network", widths=[25, 12]))),
        r"'hidden0.weight' is float32 of shape \(24, 896\); expected float32 of \(25, 896\)",
    )


@pytest.mark.parametrize("part", ["format", "name", "observation", "network", "rules", "training"])
def test_deep_headers_are_refused_or_do_no_harm(part: str) -> None:
    for depth in (100, 900, 990, 2000, 50_000):
        text = json.dumps(a_card(**{part: "HERE"})).replace('"HERE"', "[" * depth + "]" * depth)
        header = npy(np.frombuffer(text.encode(), np.uint8))
        refused(zipped(members(header=header)), "its ")
