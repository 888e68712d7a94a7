"""The process in which a simulation from the page runs: a scenario or a trace in, a recording out, by pipes.

A scenario may have been pasted from anywhere, and a configuration may name Python classes. So this process
lives for one simulation, has a limit of memory and of processor time, and refuses to open sockets, to start
processes and to write files. Whoever started it ends it when it takes too long.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Mapping
from itertools import islice
from typing import Any, TypedDict

from yarnbox.sim.load.jobs import InvalidTraceError
from yarnbox.sim.load.swim import SwimOptions, read_swim
from yarnbox.sim.recording.document import write
from yarnbox.sim.recording.recorder import Title
from yarnbox.sim.scenario.playing.files import YARN_SITE
from yarnbox.sim.scenario.playing.player import play_recorded
from yarnbox.sim.scenario.reading.document import InvalidScenarioError, parse_scenario
from yarnbox.sim.scenario.reading.schedulers import with_scheduler
from yarnbox.sim.workload.files import equal_queues
from yarnbox.sim.workload.player import WorkloadPlayer
from yarnbox.sim.workload.site import Site
from yarnbox.yarn.text.words import counted

TRACE = ".tsv"
"""What a file is called that is a trace of SWIM and no scenario."""
QUEUES, USERS = ("etl", "adhoc"), ("mei", "tom")
LONGEST_S = 60
MOST_BYTES = 3 * 1024 * 1024 * 1024
_REFUSED = (
    "socket.",
    "subprocess.",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "os.fork",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.mkdir",
    "os.link",
    "os.symlink",
    "os.truncate",
    "os.chmod",
    "os.chown",
    "os.kill",
    "shutil.",
    "ctypes.",
    "signal.pthread_kill",
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Simulated(TypedDict, total=False):
    """The text of a recording, or the lines that say why there is none."""

    recording: str
    problems: list[str]


class ForbiddenError(RuntimeError):
    """The simulation wanted to touch the world."""


def forbid(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook."""
    is_write = event == "open" and isinstance(arguments[2], int) and bool(arguments[2] & _WRITING)
    is_database = event == "sqlite3.connect" and arguments[0] != ""  # without a name: a recording's own
    if is_write or is_database or event.startswith(_REFUSED):
        raise ForbiddenError(f"a simulation may not do this: {event}")


def simulate(text: str, called: str, scheduler: str, sizes: Mapping[str, int]) -> Simulated:
    """Plays the scenario, or the trace, that the text is."""
    if called.endswith(TRACE):
        return _play_trace(text, called, scheduler, sizes)
    try:
        scenario = parse_scenario(text, called)
    except InvalidScenarioError as error:
        return {"problems": str(error).splitlines()}
    if scheduler:
        scenario = with_scheduler(scenario, scheduler)
    outcome, data = play_recorded(scenario, text)
    if data is None:
        return {"problems": [f"{called}: {failure.got}" for failure in outcome.failures]}
    return {"recording": write(data)}


def _play_trace(text: str, called: str, scheduler: str, sizes: Mapping[str, int]) -> Simulated:
    swim = SwimOptions(scale=sizes["scale"], queues=QUEUES, users=USERS)
    try:
        jobs = list(islice(read_swim(text.splitlines(), called, swim, lambda _: None), sizes["jobs"]))
    except InvalidTraceError as error:
        return {"problems": [str(error)]}
    if not jobs:
        return {"problems": [f"{called}: it contains no jobs"]}
    size = f"{counted(len(jobs), 'job')} on {counted(sizes['nodes'], 'node')}"
    about = f"{size}, bytes divided by {sizes['scale']}"
    title = Title(name=called.rpartition("/")[2].removesuffix(TRACE), about=about, kind="workload")
    files = equal_queues(scheduler or "capacity", QUEUES, {})
    player = WorkloadPlayer(jobs, Site(nodes=sizes["nodes"]), files, (YARN_SITE,), title)
    player.play()
    return {"recording": write(player.recording())}


def main() -> int:
    """One simulation."""
    asked = json.load(sys.stdin)
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST_S, LONGEST_S))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    sys.addaudithook(forbid)
    try:
        answer = simulate(asked["text"], asked["called"], asked["scheduler"], asked["sizes"])
    except MemoryError:
        answer = {"problems": [f"{asked['called']}: takes more than {MOST_BYTES // 1024**3} GiB of memory"]}
    except ForbiddenError as error:
        answer = {"problems": [f"{asked['called']}: {error}"]}
    json.dump(answer, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
