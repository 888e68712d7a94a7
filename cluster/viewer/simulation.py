"""The page from which scenarios and traces are played: what it says, and the runs that there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from yarnbox.rm.web.pages.blocks import heading, paragraph, table
from yarnbox.sim.recording.document import Recording
from yarnbox.sim.scenario.reading.schedulers import SCHEDULERS

_ABOUT = (
    "A scenario describes a cluster and what happens to it. It is played in virtual time, with the same "
    "scheduler code as the ResourceManager. A SWIM trace (.tsv) is a list of jobs, of which the first are "
    "played."
)
_OTHER_SCHEDULER = (
    "With another scheduler than the file's, queues and weights are converted, and the file's expectations "
    "are not checked."
)


def simulation_page(recordings: Mapping[str, Recording]) -> dict[str, Any]:
    """What stands above the text of a scenario, the schedulers to choose from, and what stands below."""
    named = [[one, f"{one.capitalize()}Scheduler"] for one in SCHEDULERS]
    return {
        "above": [heading("Simulation", 1), paragraph(_ABOUT)],
        "schedulers": [["", "the one that the file names"], *named],
        "below": [paragraph(_OTHER_SCHEDULER, "empty")],
        "runs": [heading("Runs"), _runs(recordings)] if recordings else [],
    }


def _runs(recordings: Mapping[str, Recording]) -> dict[str, Any]:
    last = [*recordings][-1]
    rows = [
        [
            {"link": run, "to": f"/cluster/run?run={run}"},
            one.name,
            one.scheduler,
            "" if run == last else _comparison(run, last),
        ]
        for run, one in recordings.items()
    ]
    return table("Runs", ["Run", "Name", "Scheduler", "Compare"], rows)


def _comparison(run: str, last: str) -> dict[str, str]:
    return {"link": f"compare with {last}", "to": f"/cluster/compare?runs={run},{last}"}
