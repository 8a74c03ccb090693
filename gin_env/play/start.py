"""How a match begins: with the saved one, or anew; what is in doubt is asked."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gin_env.core.rules import Episode, Rules
from gin_env.errors import GinError, OutputError
from gin_env.play.opponent import Opponent, candidates
from gin_env.play.saved import Saved, is_saved, read_match, set_aside
from gin_env.play.session import Session
from gin_env.support.options import check_seed

Choice = tuple[str, str]
"""A key, and the words for it."""
Ask = Callable[[str, Sequence[Choice]], Awaitable[str | None]]
"""Asks a person to choose; None where they choose nothing."""
Seat = Callable[[Callable[[], Opponent]], Awaitable[Opponent]]
"""Seats an opponent where that may take long, so that the screen goes on."""

DEFAULT_OPPONENT = "hard"
MAX_WHO = 160
"""Characters of an opponent's name, or of a program's command, in a question."""
GO_ON, CHANGE, ANEW, QUIT = "go on", "change", "anew", "quit"
LEAVE = (QUIT, "Quit, and leave it as it is")


@dataclass(frozen=True)
class StartOptions:
    """What the command line asks for; None where it says nothing.

    Attributes:
        file: Where the match is saved.
        opponent: Who is to sit opposite.
        rules: The rules of a new match.
        episode: ``"hand"`` or ``"match"``.
        seed: Of the deals of a new match.
        resume: Go on with the saved match, if only the opponent differs.
        new: Begin anew, whatever is saved.
    """

    file: Path
    opponent: str | None = None
    rules: Rules | None = None
    episode: Episode | None = None
    seed: int | None = None
    resume: bool = False
    new: bool = False

    def check(self) -> None:
        """Check what can be checked before anything is drawn.

        Raises:
            GinError: If the seed is none, the file is a folder, say, or there is nothing to go on
                with.
        """
        if self.seed is not None:
            check_seed(self.seed)
        if not is_saved(self.file) and self.resume:
            raise OutputError(
                f"no match is saved in {str(self.file)!r}; without --resume one begins"
            )

    def differences(self, saved: Saved) -> list[str]:
        """List in what a saved match differs from these options, the opponent left out."""
        pairs = {
            "rules": (self.rules, saved.game.rules),
            "episode": (self.episode, saved.game.episode),
            "seed": (self.seed, saved.game.seed),
        }
        return [name for name, (mine, theirs) in pairs.items() if mine not in (None, theirs)]


class Opening:
    """Opens the session that the options ask for.

    Args:
        options: What the command line asks for.
        ask: Asks the person.
        seat: Seats an opponent.
    """

    def __init__(self, options: StartOptions, ask: Ask, seat: Seat) -> None:
        self.options, self._ask, self._seat = options, ask, seat

    async def open(self) -> Session | None:
        """Go on with the saved match, or begin anew; None where the person would rather not.

        Raises:
            GinError: If the options allow no new match.
        """
        options = self.options
        try:
            saved = read_match(options.file)
        except OutputError as error:
            anew = (ANEW, "Begin anew; the file is kept under another name")
            if await self._ask(str(error), [LEAVE, anew]) != ANEW:
                return None
            set_aside(options.file)
            saved = None
        if saved is None or options.new or (saved.is_finished and not options.resume):
            return await self._begin()
        choice, who = await self._choose(saved)
        if choice == ANEW:
            return await self._begin()
        return await self._go_on(saved, who) if choice == GO_ON else None

    async def _begin(self) -> Session:
        options = self.options
        opponent = await self._seat(lambda: Opponent(options.opponent or DEFAULT_OPPONENT))
        rules, episode = options.rules or Rules(), options.episode or "match"
        return Session.begin(options.file, opponent, rules, episode, options.seed)

    async def _choose(self, saved: Saved) -> tuple[str | None, str]:
        """Ask what to do where that is in doubt. Returns the choice and the opponent."""
        options, seated = self.options, shorten_player(saved.who)
        go_on = (GO_ON, f"Go on with the saved match against {seated}")
        differences = () if options.resume else options.differences(saved)
        who = saved.who if options.opponent is None else options.opponent
        risk = "" if saved.is_harmless else f" {seated} can run any code."
        if differences:
            question = f"The saved match has other {' and '.join(differences)}.{risk}"
            choices = [go_on, (ANEW, "Begin anew"), LEAVE]
        elif who != saved.who and not options.resume:
            question = f"A match against {seated} is saved.{risk}"
            change = (CHANGE, f"Go on against {shorten_player(who)}, in the same position")
            choices = [go_on, change, (ANEW, f"Begin anew against {shorten_player(who)}"), LEAVE]
        elif options.opponent is None and not saved.is_harmless:
            question = f"A match against {seated} is saved.{risk}"
            choices = [(GO_ON, "I trust it: go on"), (ANEW, "Begin anew"), LEAVE]
        else:
            return GO_ON, who
        choice = await self._ask(question, choices)
        return (GO_ON, who) if choice == CHANGE else (choice, saved.who)

    async def _go_on(self, saved: Saved, who: str) -> Session | None:
        """Go on with a saved match; where its opponent cannot be seated, ask for another one."""
        while True:
            try:
                if who == saved.who:
                    opponent = await self._seat(saved.seat)
                    return Session(saved.game, opponent, self.options.file)
                opponent = await self._seat(lambda: Opponent(who))  # noqa: B023  (awaited at once)
            except GinError as error:
                others = [(name, f"Go on against {name}") for name in candidates()]
                question = f"{shorten_player(who)} cannot be seated: {error}"
                choice = await self._ask(question, [LEAVE, (ANEW, "Begin anew"), *others])
                if choice in (None, QUIT):
                    return None
                if choice == ANEW:
                    return await self._begin()
                who = str(choice)
                continue
            opponent.begin(saved.game.seed)
            session = Session(saved.game, opponent, self.options.file)
            session.save()
            return session


def shorten_player(who: str) -> str:
    """Name a player in a dialog, so briefly that nothing else is pushed out of it.

    Of a long text the start and the end are shown: a program, and the last of its arguments.
    """
    plain = " ".join(who.split())
    half = MAX_WHO // 2
    return plain if len(plain) <= MAX_WHO else f"{plain[:half]} … {plain[-half:]}"
