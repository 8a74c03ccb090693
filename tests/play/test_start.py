"""How a match begins: what is saved goes on, what is in doubt is asked."""

import asyncio
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from gin_env import GinError, Rules
from gin_env.play.opponent import Opponent
from gin_env.play.session import Session
from gin_env.play.start import ANEW, CHANGE, GO_ON, QUIT, Choice, Opening, StartOptions
from tests.play.matches import change_save


class Person:
    """Answers questions in order, each by a key that must have been offered."""

    def __init__(self, *answers: str | None) -> None:
        self.answers, self.questions = list(answers), list[str]()

    async def ask(self, question: str, choices: Sequence[Choice]) -> str | None:
        self.questions.append(question)
        answer = self.answers.pop(0)
        assert answer is None or answer in [key for key, _ in choices]
        return answer


async def seat(make: Callable[[], Opponent]) -> Opponent:
    return make()


def ask(options: StartOptions, *answers: str | None) -> tuple[Session | None, list[str]]:
    """Open a session; the person must have given all the answers. What was asked comes back too."""
    person = Person(*answers)
    session = asyncio.run(Opening(options, person.ask, seat).open())
    assert not person.answers
    return session, person.questions


def begin(options: StartOptions, *answers: str | None) -> tuple[Session, list[str]]:
    """Open a session, which the person wants."""
    session, questions = ask(options, *answers)
    assert session is not None
    return session, questions


def begin_at_once(options: StartOptions) -> Session:
    """Open a session without a question."""
    session, questions = begin(options)
    assert not questions
    return session


def leave(options: StartOptions, answer: str | None = QUIT) -> list[str]:
    """Let the person leave. Returns what was asked."""
    session, questions = ask(options, answer)
    assert session is None
    return questions


@pytest.fixture
def options(tmp_path: Path) -> StartOptions:
    """The options of a person who says nothing."""
    return StartOptions(tmp_path / "match.json")


@pytest.fixture
def saved(options: StartOptions) -> str:
    """The text of a match against medium that is saved."""
    session = Session.begin(options.file, Opponent("medium"), "browser", seed=4)
    session.play(session.game.legal_actions()[0])
    return session.game.to_text()


def test_first_match_is_against_hard(options: StartOptions) -> None:
    session = begin_at_once(options)
    assert (session.opponent.who, session.game.rules, session.game.episode) == (
        "hard",
        Rules(),
        "match",
    )
    assert options.file.exists()


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"resume": True},
        {"opponent": "medium", "rules": Rules.preset("browser"), "seed": 4},
        {"resume": True, "rules": Rules(), "seed": 9},
    ],
)
def test_saved_match_goes_on_without_a_question(
    options: StartOptions, saved: str, more: dict[str, object]
) -> None:
    session, questions = begin(replace(options, **more))  # type: ignore[arg-type]
    assert session is not None
    assert not questions
    assert (session.game.to_text(), session.opponent.who) == (saved, "medium")


def test_new_begins_anew_without_a_question(options: StartOptions, saved: str) -> None:
    session = begin_at_once(replace(options, new=True, opponent="easy"))
    assert session.game.to_text() != saved
    assert session.opponent.who == "easy"


@pytest.mark.parametrize(("answer", "who"), [(GO_ON, "medium"), (CHANGE, "easy")])
def test_other_opponent_is_asked_about(
    options: StartOptions, saved: str, answer: str, who: str
) -> None:
    session, questions = begin(replace(options, opponent="easy"), answer)
    assert questions == ["A match against medium is saved."]
    assert (session.game.to_text(), session.opponent.who) == (saved, who)


def test_resume_with_another_opponent_changes_it(options: StartOptions, saved: str) -> None:
    session, _ = begin(replace(options, opponent="easy", resume=True))
    assert (session.game.to_text(), session.opponent.who) == (saved, "easy")


def test_other_rules_and_seed_are_asked_about(options: StartOptions, saved: str) -> None:
    session, questions = begin(replace(options, rules=Rules(), seed=9), GO_ON)
    assert questions == ["The saved match has other rules and seed."]
    assert session.game.to_text() == saved
    session, _ = begin(replace(options, rules=Rules(), seed=9), ANEW)
    assert (session.game.rules, session.game.seed) == (Rules(), 9)


@pytest.mark.parametrize("answer", [QUIT, None])
def test_leaving_changes_nothing(options: StartOptions, saved: str, answer: str | None) -> None:
    before = options.file.read_bytes()
    leave(replace(options, opponent="easy"), answer)
    assert options.file.read_bytes() == before
    assert saved


@pytest.mark.parametrize("new", [False, True])
def test_broken_file_is_asked_about_and_kept(
    options: StartOptions, saved: str, *, new: bool
) -> None:
    options = replace(options, new=new)
    broken = options.file.read_bytes()[:-20]
    options.file.write_bytes(broken)
    questions = leave(options, None)
    assert "holds no saved match" in questions[0]
    assert options.file.read_bytes() == broken
    session, _ = begin(options, ANEW)
    assert session.game.to_text() != saved
    aside = options.file.with_name("match.json.broken-1")
    assert aside.read_bytes() == broken


def test_opponent_that_may_run_anything_is_asked_about(options: StartOptions, saved: str) -> None:
    change_save(options.file, opponent="program:sh", memory=None)
    questions = leave(options)
    assert "program:sh can run any code" in questions[0]
    for more in ({"opponent": "easy"}, {"seed": 9}, {"resume": True}):
        questions = leave(replace(options, **more))
        assert "program:sh can run any code" in questions[0]
    session = begin_at_once(replace(options, opponent="program:sh"))
    assert session.game.to_text() == saved


def test_opponent_that_is_gone_is_replaced(options: StartOptions, saved: str) -> None:
    change_save(options.file, opponent="/gone.npz", memory=None)
    session, questions = begin(options, "hard")
    assert questions[0].startswith("/gone.npz cannot be seated: ")
    assert (session.game.to_text(), session.opponent.who) == (saved, "hard")


def test_finished_match_makes_room(options: StartOptions) -> None:
    session = Session.begin(options.file, Opponent("random"), "browser", "hand", 4)
    while not session.game.is_over:
        session.play(session.game.legal_actions()[-1])
    again = begin_at_once(options)
    assert again.game.episode == "match"


def test_what_cannot_be_is_said_before_the_screen(options: StartOptions) -> None:
    options.check()
    with pytest.raises(GinError, match="a seed is"):
        replace(options, seed=-1).check()
    with pytest.raises(GinError, match="no match is saved in"):
        replace(options, resume=True).check()
    options.file.write_text("")
    replace(options, resume=True).check()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (Path.mkdir, "it is no file"),
        (os.mkfifo, "it is no file"),
        (lambda file: file.symlink_to("/dev/zero"), "it is no file"),
        (lambda file: file.symlink_to(file), "symbolic links"),
    ],
)
def test_what_is_no_file_is_neither_read_nor_renamed(
    options: StartOptions, make: Callable[[Path], object], said: str
) -> None:
    make(options.file)
    for resume in (False, True):
        with pytest.raises(GinError, match=f"cannot save in .*{said}"):
            replace(options, resume=resume).check()
    assert [entry.name for entry in options.file.parent.iterdir()] == ["match.json"]


@pytest.mark.parametrize("length", [100, 5000])
def test_long_opponent_leaves_room_for_the_warning(
    options: StartOptions, saved: str, length: int
) -> None:
    command = "program:sh\n\n\n" + "a " * length + "end"
    change_save(options.file, opponent=command, memory=None)
    questions = leave(options)
    assert "end can run any code" in questions[0]
    assert "\n" not in questions[0]
    assert len(questions[0]) < 400


def test_unknown_opponent_is_an_error(options: StartOptions) -> None:
    with pytest.raises(GinError, match="neither a bot"):
        begin(replace(options, opponent="nobody"))
    assert not options.file.exists()
