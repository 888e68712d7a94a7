"""The page from which scenarios and traces are played: what it says, and the runs that there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from yarnbox.rm.web.pages.blocks import choose, form, heading, paragraph, table
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

_KINDS = ".yaml,.yml,.tsv"
SIZES: dict[str, dict[str, Any]] = {
    "nodes": {"label": "Of a trace: nodes of 10 GiB and 10 vcores", "value": 4, "max": 200},
    "jobs": {"label": "jobs", "value": 200, "max": 2000},
    "scale": {"label": "bytes divided by", "value": 10, "max": 1_000_000},
}
"""What else is asked of a trace."""


def simulation_page(
    recordings: Mapping[str, Recording], files: Sequence[str], file: str, text: str
) -> list[dict[str, Any]]:
    """`file` is the one that is chosen of the `files`, or empty; `text` is what can be changed and played."""
    schedulers = [(one, f"{one.capitalize()}Scheduler") for one in SCHEDULERS]
    choices = [("", "choose one"), *((one, one) for one in files)]
    fields: list[dict[str, Any]] = [
        {"field": "upload", "label": f"{'Or a' if files else 'A'} file of your own", "accept": _KINDS},
        {"field": "lines", "name": "text", "label": "Scenario", "value": text},
        {
            "field": "choice",
            "name": "scheduler",
            "label": "Scheduler",
            "choices": [("", "the one that the file names"), *schedulers],
            "value": "",
        },
        *({"field": "text", "type": "number", "min": 1, "name": name, **one} for name, one in SIZES.items()),
        {"field": "hidden", "name": "name", "value": file or "scenario"},
    ]
    return [
        heading("Simulation", 1),
        paragraph(_ABOUT),
        *([choose("File", "file", choices, file)] if files else ()),
        form(f"simulation {file}", fields, "/ui/simulations", "Run"),
        paragraph(_OTHER_SCHEDULER, "empty"),
        *([heading("Runs"), _runs(recordings)] if recordings else ()),
    ]


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
