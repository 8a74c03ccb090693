"""Several processes that play the parts of a contest, each part in one of them.

A game depends on its seed alone, so it does not matter which process plays it.
"""

import os
import sys
import threading
from collections.abc import Iterator, Sequence
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from signal import SIG_IGN, SIGINT, SIGTERM, signal
from traceback import format_exc
from typing import NamedTuple

from eval.errors import EvalError
from eval.games.arena import Contest, OnEnded, Played
from eval.games.entrants import Entrants, PlayerSpec
from gin_env.errors import GinError

AHEAD = 4
"""Parts for each worker that may be played ahead of the one that is waited for."""
GRACE = 2.0
"""Seconds that a worker has to exit, and to end the programs that it has started."""

DIED = "a worker died in the middle of a game, perhaps for want of memory: try fewer (--workers)"


class _Job(NamedTuple):
    """A part of a contest."""

    serial: int
    """Which call of `Workers.play` asked for it."""
    specs: tuple[PlayerSpec, PlayerSpec]
    contest: Contest
    part: int


class Workers:
    """Processes that play: started by the first call of `play`, ended with the ``with`` block.

    They are used in the main thread, as Ctrl-C is ignored while they are started.

    Args:
        n_workers: How many.
    """

    def __init__(self, n_workers: int) -> None:
        self._n_workers, self._serial = n_workers, 0
        self._processes: list[BaseProcess] = []
        self._idle: list[Connection] = []
        self._busy: list[Connection] = []

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join(GRACE)
            process.kill()  # it was in the middle of a long game
            process.join()

    def play(
        self,
        specs: tuple[PlayerSpec, PlayerSpec],
        contest: Contest,
        parts: Sequence[int],
        on_ended: OnEnded,
    ) -> Iterator[Played]:
        """Play some parts of a contest.

        Args:
            specs: Of A and B.
            contest: What they play.
            parts: Which parts.
            on_ended: Called with the number of games of each part that comes back.

        Yields:
            The parts in the order in which they were asked for.

        Raises:
            GinError: The one that a worker has raised.
            EvalError: If one died.
            RuntimeError: If one has raised any other error; with its traceback.
        """
        if not self._processes and parts:
            self._start()
        self._serial += 1
        jobs = [_Job(self._serial, specs, contest, part) for part in parts]
        n_sent, done = 0, dict[int, Played | Exception]()
        for place, job in enumerate(jobs):
            while job.part not in done:
                while self._idle and n_sent < min(len(jobs), place + AHEAD * self._n_workers):
                    self._send(jobs[n_sent])
                    n_sent += 1
                done.update(self._receive())
            played = done.pop(job.part)
            if isinstance(played, Exception):
                raise played
            on_ended(len(contest.deals(job.part)) * (1 + contest.is_mirrored))
            yield played

    def _start(self) -> None:
        context = get_context("spawn")
        # Ctrl-C reaches all processes, and only this one is to act: what is started ignores it too.
        before = signal(SIGINT, SIG_IGN)
        try:
            for _ in range(self._n_workers):
                here, there = context.Pipe()
                process = context.Process(target=_work, args=(there,), daemon=True)
                process.start()
                there.close()  # the worker's end is open in the worker alone: its death is heard
                self._processes.append(process)
                self._idle.append(here)
        finally:
            signal(SIGINT, before)

    def _send(self, job: _Job) -> None:
        connection = self._idle.pop()
        self._busy.append(connection)
        try:
            connection.send(job)
        except OSError as error:
            raise EvalError(DIED) from error

    def _receive(self) -> dict[int, Played | Exception]:
        """Wait for answers, and return them by part; answers to an earlier call are dropped."""
        answers = {}
        for connection in wait(self._busy):
            assert isinstance(connection, Connection)
            try:
                serial, part, answer = connection.recv()
            except (EOFError, OSError) as error:
                raise EvalError(DIED) from error
            self._busy.remove(connection)
            self._idle.append(connection)
            if serial == self._serial:
                answers[part] = answer
        return answers


def _work(connection: Connection) -> None:
    """Play the jobs that come, until the connection ends."""
    signal(SIGTERM, _leave)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    entrants: Entrants | None = None
    specs: tuple[PlayerSpec, PlayerSpec] | None = None
    while True:
        try:
            job: _Job = connection.recv()
        except EOFError:
            return
        answer: Played | Exception
        try:
            if entrants is None or job.specs != specs:
                if entrants is not None:
                    entrants.close()
                entrants, specs = Entrants(job.specs), job.specs
            answer = entrants.play(job.contest, job.part)
        except GinError as error:
            answer = error
        except Exception:  # the other process shows the traceback
            answer = RuntimeError(f"a worker failed\n{format_exc()}")
        connection.send((job.serial, job.part, answer))


def _leave(*_: object) -> None:
    """Exit as a program does that ends: then the programs that players have started end too."""
    sys.exit()


def _end_with_parent() -> None:
    """Exit when the parent has died: if it was killed, it could not tell its children."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
