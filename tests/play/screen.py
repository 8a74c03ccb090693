"""The screen of the terminal game without a terminal, driven by keys."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from functools import wraps
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from gin_env.play.app import PlayApp
from gin_env.play.opponent import HUMAN
from gin_env.play.session import Session
from gin_env.play.start import StartOptions
from gin_env.play.widgets import Dialog


class Screen:
    """A screen of 80 columns and 24 lines, with somebody at its keys."""

    def __init__(self, app: PlayApp, pilot: Pilot[str]) -> None:
        self.app, self.pilot = app, pilot

    @property
    def text(self) -> str:
        """All text on the screen."""
        rows = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text for strip in rows[: self.app.size.height])

    @property
    def session(self) -> Session:
        """The match that is played."""
        return self.app._at_table()

    async def press(self, *keys: str) -> None:
        """Press keys."""
        await self.pilot.press(*keys)

    async def enter(self, text: str) -> None:
        """Type a line."""
        await self.press(*("space" if letter == " " else letter for letter in text), "enter")
        await self.pilot.pause()

    async def until(self, is_so: Callable[[], object]) -> None:
        """Wait until something is so."""
        for _ in range(400):
            await self.pilot.pause(0.02)
            if is_so():
                return
        raise AssertionError(f"waited in vain; the screen:\n{self.text}")

    async def see(self, text: str) -> None:
        """Wait until a text is on the screen."""
        await self.until(lambda: text in self.text)

    async def see_dialog(self, is_open: bool = True) -> None:
        """Wait until a dialog is open, or closed."""
        await self.until(lambda: isinstance(self.app.screen, Dialog) == is_open)

    async def see_own_turn(self) -> None:
        """Wait until the person is to move."""
        await self.until(lambda: self.session.game.to_move == HUMAN)


def on_screen(script: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Make a test of a script: it is given a screen with a saved match, and its fixtures."""

    async def play(file: Path, fixtures: dict[str, Any]) -> None:
        app = PlayApp(StartOptions(file))
        async with app.run_test(size=(80, 24)) as pilot:
            screen = Screen(app, pilot)
            await screen.until(lambda: app._session is not None and not app._is_thinking)
            await script(screen, **fixtures)

    screen, *others = inspect.signature(script).parameters.values()
    is_file_wanted = "file" in [other.name for other in others]

    @wraps(script)
    def test(file: Path, **fixtures: Any) -> None:
        asyncio.run(play(file, fixtures | ({"file": file} if is_file_wanted else {})))

    file = inspect.Parameter("file", screen.kind)
    others = others if is_file_wanted else [file, *others]
    test.__signature__ = inspect.Signature(others)  # type: ignore[attr-defined]
    return test
