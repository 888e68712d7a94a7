"""What is shown: the recordings that were named, and those that simulations from the page add.

A simulation runs in a process of its own, one at a time, and is ended when it takes too long. The newest
simulations are kept, and nothing is written to disk. Files are offered from one directory alone, by the names
that a listing of it gave.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from yarnbox.cluster.viewer.answers import RecordedCluster, missing, wrong
from yarnbox.cluster.viewer.worker import LONGEST_S, TRACE
from yarnbox.rm.web.refusals import RestError
from yarnbox.sim.recording.document import InvalidRecordingError, Recording, read
from yarnbox.sim.scenario.reading.schedulers import SCHEDULERS

MOST_SIMULATIONS = 6
MOST_FILES = 500
LARGEST_TEXT = 1024 * 1024
NAMES = ("a", "b")
"""Of the recordings that were named; simulations are s1, s2 and so on."""


class SimulationFailedError(Exception):
    """There is not a recording; `problems` are the lines that say why."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class RecordingLibrary:
    """The recordings by their names in the address."""

    def __init__(
        self,
        recordings: list[Recording],
        directory: Path | None,
        report: str | None = None,
        demo: str = "",
    ) -> None:
        """`report` is the page that `yarnbox whatif --out` wrote; `demo` the file in the directory that the
        recordings are of, so that it can be changed and played again.
        """
        self._directory, self.report, self.demo = directory, report, demo
        self._runs = {name: RecordedCluster(one) for name, one in zip(NAMES, recordings, strict=False)}
        self._simulations = 0
        self._is_busy = False

    @property
    def recordings(self) -> Mapping[str, Recording]:
        """All of them, those that were named first."""
        return {name: run.recording for name, run in self._runs.items()}

    def run(self, name: str) -> RecordedCluster:
        """The one of that name, or the first one."""
        found = self._runs.get(name) if name else next(iter(self._runs.values()), None)
        if found is None:
            raise missing(f"there is no run {name}" if name else "no run has been recorded yet")
        return found

    def files(self) -> list[str]:
        """The scenarios and traces that may be played, by their names within the directory."""
        if self._directory is None:
            return []
        top = self._directory.resolve()
        found = [one for kind in ("*.yaml", "*.yml", f"*{TRACE}") for one in top.rglob(kind)]
        inside = [one for one in found if one.resolve().is_relative_to(top) and one.is_file()]
        return sorted(str(one.relative_to(top)) for one in inside)[:MOST_FILES]

    def text(self, file: str) -> str:
        """The text of one of them."""
        if self._directory is None or file not in self.files():
            raise missing(f"{file} is not among the files of this directory")
        try:
            with (self._directory.resolve() / file).open(encoding="utf-8") as source:
                return source.read(LARGEST_TEXT + 1)
        except (OSError, UnicodeDecodeError) as error:
            raise wrong(f"{file} cannot be read: {error}") from None

    async def simulate(self, text: str, called: str, scheduler: str, sizes: Mapping[str, int]) -> str:
        """Plays a scenario or a trace in virtual time; the name of the run."""
        if scheduler and scheduler not in SCHEDULERS:
            raise wrong(f"{scheduler} is not a scheduler; expected one of {', '.join(SCHEDULERS)}")
        if len(text) > LARGEST_TEXT:
            raise SimulationFailedError(f"{called}: larger than {LARGEST_TEXT // 1024} KiB")
        if self._is_busy:
            raise RestError(409, "java.lang.IllegalStateException", "a simulation is running already")
        self._is_busy = True
        try:
            asked = {"text": text, "called": called, "scheduler": scheduler, "sizes": sizes}
            answer = await _in_a_process(asked)
        finally:
            self._is_busy = False
        if "problems" in answer:
            raise SimulationFailedError(*answer["problems"])
        return self._keep(answer["recording"], called)

    def _keep(self, text: str, called: str) -> str:
        try:
            recording = read(text, called)
        except InvalidRecordingError as error:  # a defect, and told as one
            raise SimulationFailedError(str(error)) from None
        self._simulations += 1
        name = f"s{self._simulations}"
        self._runs[name] = RecordedCluster(recording)
        simulated = [one for one in self._runs if one not in NAMES]
        for old in simulated[:-MOST_SIMULATIONS]:
            del self._runs[old]
        return name


async def _in_a_process(asked: Mapping[str, Any]) -> dict[str, Any]:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "yarnbox.cluster.viewer.worker", stdin=pipe, stdout=pipe, stderr=pipe
    )
    try:
        async with asyncio.timeout(LONGEST_S):
            out, err = await process.communicate(json.dumps(asked).encode())
    except TimeoutError:
        raise SimulationFailedError(f"{asked['called']}: took longer than {LONGEST_S} s") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        last = (err.decode(errors="replace").strip().splitlines() or ["it was ended"])[-1]
        raise SimulationFailedError(f"{asked['called']}: the simulation failed: {last}")
    answer: dict[str, Any] = json.loads(out)
    return answer
