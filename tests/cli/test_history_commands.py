"""``gin-env verify`` and ``gin-env replay``: exit codes, one line for what is wrong."""

from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from gin_env.cli.main import main
from gin_env.support.command_line import BAD_INPUT, FAULTY
from tests.history.recorded import GOLDEN, GOLDEN_FILE, change
from tests.typed import Run, runner


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(main, capsys)


def test_verify_says_how_many_hands_agree(run: Run, tmp_path: Path) -> None:
    one = tmp_path / "one.jsonl"
    one.write_bytes(GOLDEN[0])
    code, out, err = run("verify", GOLDEN_FILE, one)
    assert (code, err) == (0, "")
    assert out == f"{GOLDEN_FILE}: {len(GOLDEN)} hands agree\n{one}: 1 hand agrees\n"


def test_verify_names_the_first_bad_line_of_each_file(run: Run, tmp_path: Path) -> None:
    cut, wrong = tmp_path / "cut.jsonl", tmp_path / "wrong.jsonl"
    cut.write_bytes(GOLDEN[0] + GOLDEN[1][:-9])
    wrong.write_bytes(b"".join(GOLDEN[:2]) + change(GOLDEN[2], paid=[9, -9]))
    code, out, err = run("verify", cut, GOLDEN_FILE, wrong)
    assert code == FAULTY
    assert out == f"{GOLDEN_FILE}: {len(GOLDEN)} hands agree\n"
    first, second = err.splitlines()
    assert first.startswith(f"gin-env: {cut}: line 2: it is cut short")
    assert second.startswith(f"gin-env: {wrong}: line 3: paid is (9, -9), but the engine says")


def test_verify_reads_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for hands, said in ((GOLDEN[0], "-: 1 hand agrees\n"), (GOLDEN[0][:-9], "")):
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(hands)))
        code, out, err = run("verify", "-")
        assert (code, out) == (0 if said else FAULTY, said)
        assert ("-: line 1: it is cut short" in err) == (not said)


def test_verify_finds_fault_with_a_file_without_hands(run: Run, tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    code, out, err = run("verify", empty, GOLDEN_FILE)
    assert (code, err) == (FAULTY, f"gin-env: {empty}: it holds no hand\n")
    assert out == f"{GOLDEN_FILE}: {len(GOLDEN)} hands agree\n"


@pytest.mark.parametrize("command", ["verify", "replay"])
def test_file_that_is_not_there_is_bad_input(run: Run, tmp_path: Path, command: str) -> None:
    more = ("--html", tmp_path / "p.html") if command == "replay" else ()
    code, _, err = run(command, tmp_path / "none.jsonl", *more)
    assert code == BAD_INPUT
    assert err.startswith("gin-env: error: cannot read")
    assert err.count("\n") == 1


def test_replay_writes_a_page(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "p.html"
    assert run("replay", GOLDEN_FILE, "--html", page) == (0, f"{page}: 15 hands\n", "")
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")
    code, out, _ = run("replay", GOLDEN_FILE, "--html", page, "--hand", 3, "--most", 4)
    assert (code, out) == (0, f"{page}: 4 hands; there are more (--hand 7)\n")
    code, out, _ = run("replay", GOLDEN_FILE, "--html", page, "--hand", 15, "--perspective", "1")
    assert (code, out) == (0, f"{page}: 1 hand\n")


def test_replay_does_not_replace_the_hands_by_their_page(run: Run, tmp_path: Path) -> None:
    file, link = tmp_path / "h.jsonl", tmp_path / "link"
    file.write_bytes(GOLDEN[0])
    link.symlink_to(file)
    for one, other in ((file, file), (file, link), (link, file)):
        code, _, err = run("replay", one, "--html", other)
        assert code == BAD_INPUT
        assert "would replace the hands themselves" in err
    assert file.read_bytes() == GOLDEN[0]


def test_replay_of_a_damaged_file_keeps_what_comes_before(run: Run, tmp_path: Path) -> None:
    file, page = tmp_path / "h.jsonl", tmp_path / "p.html"
    file.write_bytes(GOLDEN[0] + GOLDEN[1] + b"rubbish\n")
    code, out, err = run("replay", file, "--html", page)
    assert code == BAD_INPUT
    assert out == f"{page}: 2 hands\n"
    assert "line 3: no hand of a history" in err
    assert page.is_file()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--hand", "0"), "--hand: must be a whole number from 1 on, not '0'"),
        (("--most", "-1"), "--most: must be a whole number from 1 on, not '-1'"),
        (("--perspective", "2"), "unknown value '2'; the values are both, 0, 1"),
        (("--hand", "x"), "--hand: must be a whole number from 1 on, not 'x'"),
        ((), "stepping through hands needs a terminal"),
    ],
)
def test_replay_of_bad_input_says_so(run: Run, arguments: tuple[str, ...], said: str) -> None:
    code, _, err = run("replay", GOLDEN_FILE, *arguments)
    assert code == BAD_INPUT
    assert said in err


def test_replay_past_the_end_is_bad_input(run: Run, tmp_path: Path) -> None:
    code, _, err = run("replay", GOLDEN_FILE, "--hand", 16, "--html", tmp_path / "p.html")
    assert code == BAD_INPUT
    assert "there are no hands to show" in err
