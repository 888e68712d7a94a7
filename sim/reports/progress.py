"""How far a long run has come: on a terminal one line that changes, else a line now and then."""

from __future__ import annotations

import time
from typing import TextIO

from yarnbox.sim.load.jobs import Job
from yarnbox.sim.workload.watching import Watcher
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.text.words import counted

_TERMINAL_S, _LINES_S = 1.0, 10.0


class Ticker:
    """Tells something now and then."""

    def __init__(self, out: TextIO) -> None:
        self._out, self._is_terminal = out, out.isatty()
        self._begun = self._told = time.monotonic()

    @property
    def spent_s(self) -> float:
        """Since it began."""
        return time.monotonic() - self._begun

    def is_due(self) -> bool:
        """Whether it is time to tell something."""
        return time.monotonic() - self._told >= (_TERMINAL_S if self._is_terminal else _LINES_S)

    def tell(self, text: str) -> None:
        """On a terminal in place of what was told before."""
        self._told = time.monotonic()
        if self._is_terminal:
            print(f"\r{text}\x1b[K", end="", file=self._out, flush=True)
        else:
            print(text, file=self._out, flush=True)

    def finish(self) -> None:
        if self._is_terminal and self._told > self._begun:
            print("\r\x1b[K", end="", file=self._out, flush=True)


class Progress(Watcher):
    """Tells virtual time, jobs, speed, and when it will be over, as far as one can tell."""

    def __init__(self, jobs: int, last_submit_ms: int, out: TextIO) -> None:
        self._jobs, self._last_ms, self._ticker = jobs, last_submit_ms, Ticker(out)
        self._ended = 0

    def refused(self, application_id: ApplicationId, job: Job, why: str, now_ms: int) -> None:
        self._ended += 1

    def over(self, application_id: ApplicationId, state: str, why: str, now_ms: int) -> None:
        self._ended += 1

    def moment(self, now_ms: int) -> None:
        """Tells something when it is time."""
        if self._ticker.is_due():
            self._ticker.tell(line(now_ms, self._last_ms, self._ended, self._jobs, self._ticker.spent_s))

    def finish(self) -> None:
        self._ticker.finish()


def line(now_ms: int, last_ms: int, ended: int, jobs: int, spent_s: float) -> str:
    """`03:12:40 of virtual time, 812 of 5894 jobs, 480 times real time, about 95 s left`."""
    minutes, seconds = divmod(now_ms // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    speed = now_ms / 1000 / spent_s if spent_s else 0.0
    done = max(now_ms / last_ms if last_ms else 1.0, 0.0) if now_ms < last_ms else ended / jobs
    left = f", about {spent_s * (1 - done) / done:.0f} s left" if 0 < done < 1 else ""
    clock = f"{hours:02d}:{minutes:02d}:{seconds:02d}"
    return f"{clock} of virtual time, {ended} of {counted(jobs, 'job')}, {speed:.0f} times real time{left}"


class Plays:
    """How far many plays have come, each of which may be played anywhere."""

    def __init__(self, plays: int, where: str, out: TextIO) -> None:
        self.plays, self._where, self._ticker = plays, where, Ticker(out)
        self._done = 0

    def done(self, play: object) -> None:
        """One more is over."""
        self._done += 1
        if self._done < self.plays and self._ticker.is_due():
            left_s = self._ticker.spent_s / self._done * (self.plays - self._done)
            plays = counted(self.plays, "play")
            self._ticker.tell(f"{self._done} of {plays} on {self._where}, about {left_s:.0f} s left")

    def finish(self) -> None:
        self._ticker.finish()
