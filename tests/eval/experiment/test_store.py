"""The folder of an evaluation: nothing is lost by a kill, nothing foreign is taken for its own."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eval.experiment.store import (
    LOCK_FILE,
    PARTS,
    PLAN_FILE,
    Store,
    StoreError,
    check_free,
    create,
    read_order,
    reopen,
)
from eval.games.arena import Contest, Played, play_part
from gin_env.core.rules import Episode, Rules
from gin_env.players import resolve
from gin_env.support.files import write_whole

ORDER: dict[str, Any] = {"command": "match", "seed": 3}


def make_contest(episode: Episode = "hand") -> Contest:
    return Contest(rules=Rules(), episode=episode, n_deals=7, seed=3, n_games=4)


def play(contest: Contest, part: int) -> Played:
    played = play_part((resolve("medium"), resolve("greedy")), contest, part)
    return played._replace(verdicts=({"stalled": 2}, {}))


def is_same(one: Played | None, other: Played) -> bool:
    if one is None:
        return False
    arrays = zip(one[:2], other[:2], strict=True)
    return one.verdicts == other.verdicts and all(a.tobytes() == b.tobytes() for a, b in arrays)


def part_file(folder: Path) -> Path:
    (file,) = (folder / PARTS).iterdir()
    return file


@pytest.mark.parametrize("episode", ["hand", "match"])
def test_store_gives_back_what_was_written(tmp_path: Path, episode: Episode) -> None:
    contest = make_contest(episode)
    played = [play(contest, part) for part in (0, 1)]
    with create(tmp_path / "new" / "run", ORDER) as store:
        assert store.read(contest, 0, 1) is None
        store.write(contest, 0, 1, played[1])
    with reopen(tmp_path / "new" / "run", read_order(tmp_path / "new" / "run")) as store:
        assert is_same(store.read(contest, 0, 1), played[1])
        for pairing, part in ((0, 0), (1, 1)):
            assert store.read(contest, pairing, part) is None
        store.write(contest, 0, 0, played[0])
        assert is_same(store.read(contest, 0, 0), played[0])


def test_store_part_that_is_damaged_anywhere_is_not_there(tmp_path: Path) -> None:
    contest = make_contest()
    played = play(contest, 1)
    with create(tmp_path / "run", ORDER) as store:
        store.write(contest, 0, 1, played)
        file = part_file(store.folder)
        whole = file.read_bytes()
        for place in range(0, len(whole), 7):
            file.write_bytes(whole[:place] + bytes([whole[place] ^ 0x41]) + whole[place + 1 :])
            try:
                read = store.read(contest, 0, 1)
            except StoreError:  # damage to the stamp itself cannot be told from another's
                continue
            assert read is None or is_same(read, played)
        for length in (0, 1, 100, len(whole) // 2, len(whole) - 1):
            file.write_bytes(whole[:length])
            assert store.read(contest, 0, 1) is None
        file.write_bytes(whole)
        assert is_same(store.read(contest, 0, 1), played)


def test_store_damage_to_what_was_played_is_always_noticed(tmp_path: Path) -> None:
    contest = make_contest()
    played = play(contest, 1)
    with create(tmp_path / "run", ORDER) as store:
        store.write(contest, 0, 1, played)
        file = part_file(store.folder)
        whole = file.read_bytes()
        hands = whole.index(played.hands.tobytes())
        for place in range(hands, hands + played.hands.nbytes, 5):
            file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            assert store.read(contest, 0, 1) is None


@pytest.mark.parametrize(
    "contest",
    [
        Contest(rules=Rules(), n_deals=7, seed=4, n_games=4),
        Contest(rules=Rules(), n_deals=8, seed=3, n_games=4),
        Contest(rules=Rules(), n_deals=7, seed=3, n_games=3),
        Contest(rules=Rules(), n_deals=7, seed=3, n_games=4, is_mirrored=False),
    ],
)
def test_store_games_of_another_contest_are_not_taken(tmp_path: Path, contest: Contest) -> None:
    with create(tmp_path / "run", ORDER) as store:
        store.write(make_contest(), 0, 1, play(contest, 1))
        assert store.read(make_contest(), 0, 1) is None


def test_store_part_of_another_evaluation_is_named(tmp_path: Path) -> None:
    contest = make_contest()
    with create(tmp_path / "run", ORDER) as store:
        store.write(contest, 0, 1, play(contest, 1))
        name = part_file(store.folder).name
        other = Store(store.folder, {**ORDER, "seed": 4})
        with pytest.raises(StoreError, match=rf"{name}.*belongs to another evaluation"):
            other.read(contest, 0, 1)


def test_store_part_of_other_players_is_named(tmp_path: Path) -> None:
    contest = make_contest()
    with create(tmp_path / "run", ORDER) as store:
        store.write(contest, 0, 1, play(contest, 1))
        file = part_file(store.folder)
        file.rename(file.with_name(file.name.replace("000-", "001-", 1)))
        with pytest.raises(StoreError, match="or to other players of it"):
            store.read(contest, 1, 1)


def test_store_holds_no_pickles(tmp_path: Path) -> None:
    contest = make_contest()
    with create(tmp_path / "run", ORDER) as store:
        store.write(contest, 0, 0, play(contest, 0))
        with np.load(part_file(store.folder), allow_pickle=False) as content:
            assert sorted(content) == ["hands", "matches", "stamp", "verdicts"]
            assert content["hands"]["points"].shape == (8,)


def test_store_is_one_evaluations_own(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with create(folder, ORDER):
        with pytest.raises(StoreError, match="in use by another evaluation"), reopen(folder, ORDER):
            pass
        with pytest.raises(StoreError, match="--resume"):
            check_free(folder)
    with reopen(folder, ORDER):
        pass


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
        with pytest.raises(StoreError, match="in use"), reopen(folder, ORDER):
            pass
        holder.kill()
        holder.wait()
        with reopen(folder, ORDER) as store:
            assert store.folder == folder


def test_store_of_a_kill_before_the_plan_was_written_can_be_begun_anew(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / LOCK_FILE).touch()
    (folder / (PLAN_FILE + ".tmp")).write_text('{"comm')
    with create(folder, ORDER):
        assert read_order(folder) == ORDER


def test_store_half_written_files_are_cleared_away(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with create(folder, ORDER):
        half = folder / PARTS / "000-hand-000003.npz.tmp"
        half.write_bytes(b"PK")
    with reopen(folder, ORDER):
        assert not half.exists()


def test_store_leaves_files_of_others_alone(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with create(folder, ORDER):
        (folder / "sub").mkdir()
    files = [folder / "notes.tmp", folder / "sub" / "notes.tmp", folder / PARTS / "notes.tmp"]
    for file in files:
        file.write_text("mine")
    with reopen(folder, ORDER):
        assert [file.read_text() for file in files] == ["mine"] * 3


@pytest.mark.parametrize("is_link", [False, True])
def test_store_parts_that_are_no_folder_are_named(tmp_path: Path, is_link: bool) -> None:
    folder = tmp_path / "run"
    with create(folder, ORDER):
        (folder / PARTS).rmdir()
    if is_link:
        (folder / PARTS).symlink_to(tmp_path / "nowhere")
    else:
        (folder / PARTS).touch()
    with pytest.raises(StoreError, match=r"cannot use the folder .*parts"), reopen(folder, ORDER):
        pass


def test_store_of_a_kill_right_after_the_plan_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    write_whole(folder / PLAN_FILE, json.dumps(ORDER).encode())
    contest = make_contest()
    with reopen(folder, ORDER) as store:
        store.write(contest, 0, 0, play(contest, 0))
        assert store.read(contest, 0, 0) is not None


def test_store_folder_with_anything_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(StoreError, match="is there and not empty"), create(tmp_path, ORDER):
        pass
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.txt"]


def test_store_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    for folder in (file, file / "below"):
        with pytest.raises(StoreError, match="file"), create(folder, ORDER):
            pass
        with pytest.raises(StoreError, match="holds no evaluation"):
            read_order(folder)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b"[" * 100_000])
def test_store_plan_that_is_damaged_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / PLAN_FILE).write_bytes(content)
    with pytest.raises(StoreError, match=r"cannot read .*plan\.json"):
        read_order(tmp_path)
