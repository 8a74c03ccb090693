"""The folder of an evaluation: nothing is lost by a kill, nothing foreign is taken for its own."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eval.errors import EvalError
from eval.experiment.store import (
    LOCK_FILE,
    MANIFEST_FILE,
    PARTS,
    Store,
    check_free,
    create,
    read_manifest,
    reopen,
)
from eval.games.arena import Contest, Played, play_part
from gin_env.core.rules import EPISODES, Episode, Rules
from gin_env.players import resolve
from gin_env.support.files import write_whole

MANIFEST: dict[str, Any] = {"command": "match", "seed": 3}


def make_contest(episode: Episode = "hand", **others: Any) -> Contest:
    given = {"n_deals": 7, "seed": 3, "n_games": 4, **others}
    return Contest(rules=Rules(), episode=episode, **given)


CONTEST = make_contest()


def play(contest: Contest, part: int) -> Played:
    played = play_part((resolve("medium"), resolve("greedy")), contest, part)
    return played._replace(verdicts=({"stalled": 2}, {}))


@pytest.fixture(scope="module")
def played() -> Played:
    """Part 1 of `CONTEST`."""
    return play(CONTEST, 1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An evaluation that nobody holds; nothing of it has been played."""
    with create(tmp_path / "run", MANIFEST):
        return tmp_path / "run"


@pytest.fixture
def store(folder: Path, played: Played) -> Iterator[Store]:
    """An evaluation of which part 1 has been played."""
    with reopen(folder, MANIFEST) as store:
        store.write(CONTEST, 0, 1, played)
        yield store


def is_same(one: Played | None, other: Played) -> bool:
    if one is None:
        return False
    arrays = zip(one[:2], other[:2], strict=True)
    return one.verdicts == other.verdicts and all(a.tobytes() == b.tobytes() for a, b in arrays)


def part_file(folder: Path) -> Path:
    (file,) = (folder / PARTS).iterdir()
    return file


@pytest.mark.parametrize("episode", EPISODES)
def test_store_gives_back_what_was_written(tmp_path: Path, episode: Episode) -> None:
    contest = make_contest(episode)
    played = [play(contest, part) for part in (0, 1)]
    with create(tmp_path / "new" / "run", MANIFEST) as store:
        assert store.read(contest, 0, 1) is None
        store.write(contest, 0, 1, played[1])
    with reopen(tmp_path / "new" / "run", read_manifest(tmp_path / "new" / "run")) as store:
        assert is_same(store.read(contest, 0, 1), played[1])
        for pairing, part in ((0, 0), (1, 1)):
            assert store.read(contest, pairing, part) is None
        store.write(contest, 0, 0, played[0])
        assert is_same(store.read(contest, 0, 0), played[0])


def test_store_part_that_is_damaged_anywhere_is_not_there(store: Store, played: Played) -> None:
    file = part_file(store.folder)
    whole = file.read_bytes()
    for place in range(0, len(whole), 7):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0x41]) + whole[place + 1 :])
        try:
            read = store.read(CONTEST, 0, 1)
        except EvalError:  # damage to the stamp itself cannot be told from another's
            continue
        assert read is None or is_same(read, played)
    for length in (0, 1, 100, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:length])
        assert store.read(CONTEST, 0, 1) is None
    file.write_bytes(whole)
    assert is_same(store.read(CONTEST, 0, 1), played)


def test_store_damage_to_what_was_played_is_always_noticed(store: Store, played: Played) -> None:
    file = part_file(store.folder)
    whole = file.read_bytes()
    hands = whole.index(played.hands.tobytes())
    for place in range(hands, hands + played.hands.nbytes, 5):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert store.read(CONTEST, 0, 1) is None


@pytest.mark.parametrize("other", [{"seed": 4}, {"n_deals": 8}, {"n_games": 3}, {"is_mirrored": 0}])
def test_store_games_of_another_contest_are_not_taken(store: Store, other: dict[str, Any]) -> None:
    store.write(CONTEST, 0, 1, play(make_contest(**other), 1))
    assert store.read(CONTEST, 0, 1) is None


def test_store_part_of_another_evaluation_is_named(store: Store) -> None:
    name = part_file(store.folder).name
    other = Store(store.folder, {**MANIFEST, "seed": 4})
    with pytest.raises(EvalError, match=rf"{name}.*belongs to another evaluation"):
        other.read(CONTEST, 0, 1)


def test_store_part_of_other_players_is_named(store: Store) -> None:
    file = part_file(store.folder)
    file.rename(file.with_name(file.name.replace("000-", "001-", 1)))
    with pytest.raises(EvalError, match="or to other players of it"):
        store.read(CONTEST, 1, 1)


def test_store_holds_no_pickles(store: Store) -> None:
    with np.load(part_file(store.folder), allow_pickle=False) as content:
        assert sorted(content) == ["hands", "matches", "stamp", "verdicts"]
        assert content["hands"]["points"].shape == (6,)


def test_store_is_one_evaluations_own(store: Store) -> None:
    with (
        pytest.raises(EvalError, match="in use by another evaluation"),
        reopen(store.folder, MANIFEST),
    ):
        pass
    with pytest.raises(EvalError, match="--resume"):
        check_free(store.folder)


def test_store_lets_go_when_its_process_is_killed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    code = (
        "import sys; from pathlib import Path; from eval.experiment.store import create\n"
        "with create(Path(sys.argv[1]), {'seed': 3}):\n"
        "    print('held', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(EvalError, match="in use"), reopen(folder, MANIFEST):
            pass
        holder.kill()
        holder.wait()
        with reopen(folder, MANIFEST) as store:
            assert store.folder == folder


def test_store_of_a_kill_before_the_manifest_was_written_can_be_begun_anew(tmp_path: Path) -> None:
    (tmp_path / LOCK_FILE).touch()
    (tmp_path / (MANIFEST_FILE + ".tmp")).write_text('{"comm')
    with create(tmp_path, MANIFEST):
        assert read_manifest(tmp_path) == MANIFEST


def test_store_of_a_kill_right_after_the_manifest_goes_on(tmp_path: Path, played: Played) -> None:
    write_whole(tmp_path / MANIFEST_FILE, json.dumps(MANIFEST).encode())
    with reopen(tmp_path, MANIFEST) as store:
        store.write(CONTEST, 0, 1, played)
        assert store.read(CONTEST, 0, 1) is not None


def test_store_half_written_files_are_cleared_away(folder: Path) -> None:
    half = folder / PARTS / "000-hand-000003.npz.tmp"
    half.write_bytes(b"PK")
    with reopen(folder, MANIFEST):
        assert not half.exists()


def test_store_leaves_files_of_others_alone(folder: Path) -> None:
    (folder / "sub").mkdir()
    files = [folder / "notes.tmp", folder / "sub" / "notes.tmp", folder / PARTS / "notes.tmp"]
    for file in files:
        file.write_text("mine")
    with reopen(folder, MANIFEST):
        assert [file.read_text() for file in files] == ["mine"] * 3


@pytest.mark.parametrize("is_link", [False, True])
def test_store_parts_that_are_no_folder_are_named(folder: Path, is_link: bool) -> None:
    (folder / PARTS).rmdir()
    if is_link:
        (folder / PARTS).symlink_to(folder / "nowhere")
    else:
        (folder / PARTS).touch()
    with pytest.raises(EvalError, match=r"cannot use the folder .*parts"):
        reopen(folder, MANIFEST).__enter__()


def test_store_folder_with_anything_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(EvalError, match="is there and not empty"), create(tmp_path, MANIFEST):
        pass
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.txt"]


def test_store_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    for folder in (file, file / "below"):
        with pytest.raises(EvalError, match="file"), create(folder, MANIFEST):
            pass
        with pytest.raises(EvalError, match="holds no evaluation"):
            read_manifest(folder)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b"[" * 100_000])
def test_store_manifest_that_is_damaged_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / MANIFEST_FILE).write_bytes(content)
    with pytest.raises(EvalError, match=r"cannot read .*plan\.json"):
        read_manifest(tmp_path)
