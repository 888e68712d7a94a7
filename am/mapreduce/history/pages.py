"""The history server's pages for people, below /jobhistory. Hadoop: HsView and its blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from yarnbox.am.mapreduce.app.events import Counters
from yarnbox.am.mapreduce.history import rest
from yarnbox.am.mapreduce.history.files import IndexInfo
from yarnbox.am.mapreduce.history.parsed import PastAttempt, PastJob, PastTask
from yarnbox.yarn.http import html_pages
from yarnbox.yarn.http.html_pages import Html, facts, heading, link, moment, preformatted, table

TOP = "/jobhistory"
STYLESHEET = f"{TOP}/static/history.css"
_LINKS = ((TOP, "Jobs"), (f"{TOP}/about", "About"))
_TYPES = {"MAP": ("m", "Map"), "REDUCE": ("r", "Reduce")}


def document(title: str, body: Iterable[object], job_id: str = "", rm: str = "") -> str:
    """A whole page; of a job it has links to what else there is of it."""
    links: list[tuple[str, object]] = [(f"{rm}/cluster", "RM Home")] if rm else []
    links += _LINKS
    if job_id:
        links += [
            (f"{TOP}/job/{job_id}", "Overview"),
            (f"{TOP}/jobcounters/{job_id}", "Counters"),
            (f"{TOP}/conf/{job_id}", "Configuration"),
            (f"{TOP}/tasks/{job_id}/m", "Map tasks"),
            (f"{TOP}/tasks/{job_id}/r", "Reduce tasks"),
        ]
    return html_pages.document(title, body, links, STYLESHEET)


def jobs(found: Sequence[IndexInfo]) -> list[Html]:
    """HsJobsBlock: Retired Jobs."""
    columns = (
        "Submit Time", "Start Time", "Finish Time", "Job ID", "Name", "User", "Queue", "State", "Maps Total",
        "Maps Completed", "Reduces Total", "Reduces Completed", "Elapsed Time",
    )  # fmt: skip
    rows = [
        (
            moment(one.submit_ms), moment(one.start_ms), moment(one.finish_ms), job_link(str(one.job_id)),
            one.job_name, one.user, one.queue, one.state, one.maps, one.maps, one.reduces, one.reduces,
            _elapsed(one.finish_ms - one.start_ms),
        )
        for one in found
    ]  # fmt: skip
    return [table(columns, rows, "No job has ended yet, or its history was deleted.")]


def job_link(job_id: str) -> Html:
    """To a job's page."""
    return link(f"{TOP}/job/{job_id}", job_id)


def job(past: PastJob) -> list[Html]:
    """HsJobBlock."""
    shown = rest.job(past)
    told = [
        ("Job Name", past.name), ("User Name", past.user), ("Queue", past.queue), ("State", past.state),
        ("Uberized", str(past.uberized).lower()), ("Submitted", moment(past.submit_ms)),
        ("Started", moment(past.launch_ms)), ("Finished", moment(past.finish_ms)),
        ("Elapsed", _elapsed(past.finish_ms - past.launch_ms)),
    ]  # fmt: skip
    if past.diagnostics:
        told.append(("Diagnostics", preformatted(past.diagnostics)))
    for name in ("Map", "Shuffle", "Merge", "Reduce"):
        if shown[f"avg{name}Time"] or name == "Map":
            told.append((f"Average {name} Time", _elapsed(shown[f"avg{name}Time"])))
    ams = [
        (number, moment(am.start_ms), f"{am.host}:{am.http_port}", am.container_id)
        for number, am in enumerate(past.ams, 1)
    ]
    totals = [
        (
            link(f"{TOP}/tasks/{past.id}/{letter}", f"{name} tasks"),
            shown[f"{kind}sTotal"],
            shown[f"{kind}sCompleted"],
        )
        for kind, letter, name in (("map", "m", "Map"), ("reduce", "r", "Reduce"))
    ]
    ends = [
        (
            name,
            *(
                link(f"{TOP}/attempts/{past.id}/{letter}/{state}", shown[f"{end}{name}Attempts"])
                for end, state in rest.ENDS.items()
            ),
        )
        for letter, name in _TYPES.values()
    ]
    return [
        facts(told),
        heading("ApplicationMaster"),
        table(("Attempt Number", "Start Time", "Node", "Container"), ams, "No AM is known."),
        heading("Tasks"),
        table(("Task Type", "Total", "Complete"), totals, ""),
        heading("Attempts"),
        table(("Attempt Type", *(end.capitalize() for end in rest.ENDS)), ends, ""),
    ]


def tasks(found: Sequence[PastTask]) -> list[Html]:
    """HsTasksBlock."""
    rows = [
        (
            link(f"{TOP}/task/{one.id}", one.id), one.state, moment(one.start_ms),
            moment(one.finish_ms) if one.finish_ms else "N/A",
            _elapsed(one.finish_ms - one.start_ms) if one.finish_ms else "N/A",
            one.successful_attempt or "N/A",
        )
        for one in found
    ]  # fmt: skip
    columns = ("Task", "State", "Start Time", "Finish Time", "Elapsed Time", "Successful Attempt")
    return [table(columns, rows, "The job had no such tasks.")]


def attempts(found: Sequence[PastAttempt], logs: Mapping[str, str]) -> list[Html]:
    """HsTaskPage and HsAttemptsPage; `logs` leads to the logs of a container, by its id."""
    is_reduce = any(one.task_type == "REDUCE" for one in found)
    phases = ("Shuffle Finish Time", "Merge Finish Time") if is_reduce else ()
    columns = (
        "Attempt", "State", "Node", "Rack", "Locality", "Logs", "Start Time", *phases, "Finish Time",
        "Elapsed Time", "Note",
    )  # fmt: skip
    rows = [
        (
            one.id, one.state, f"{one.host}:{one.http_port}", one.rack, one.locality or "",
            link(logs[one.container_id], "logs") if one.container_id in logs else one.container_id,
            moment(one.start_ms),
            *((_or_none(one.shuffle_finish_ms), _or_none(one.sort_finish_ms)) if is_reduce else ()),
            _or_none(one.finish_ms), _elapsed(one.finish_ms - one.start_ms) if one.finish_ms else "N/A",
            _note(one),
        )
        for one in found
    ]  # fmt: skip
    return [table(columns, rows, "There were no such attempts.")]


def _note(one: PastAttempt) -> Html:
    said = preformatted(one.diagnostics) if one.diagnostics else Html("")
    return Html(f"<p>speculative</p>{said}") if one.avataar == "SPECULATIVE" else said


def job_counters(past: PastJob) -> list[Html]:
    """CountersPage of a job."""
    groups: list[Html] = []
    for group in rest.job_counters(past):
        names = ("name", "mapCounterValue", "reduceCounterValue", "totalCounterValue")
        rows = [tuple(one[name] for name in names) for one in group["counter"]]
        groups += [heading(group["counterGroupName"]), table(("Name", "Map", "Reduce", "Total"), rows, "")]
    return groups or [Html("<p>The job left no counters: it did not succeed.</p>")]


def counters(shown: Counters) -> list[Html]:
    """CountersPage of a task."""
    groups: list[Html] = []
    for group, amounts in shown.items():
        groups += [heading(group), table(("Name", "Value"), [*amounts.items()], "")]
    return groups or [Html("<p>The task left no counters.</p>")]


def configuration(path: str, properties: Sequence[Mapping[str, Any]]) -> list[Html]:
    """HsConfPage."""
    rows = [(one["name"], one["value"], one["source"][0]) for one in properties]
    return [Html(f"<p>{html_pages.text(path)}</p>"), table(("Key", "Value", "Source"), rows, "It is empty.")]


def logs(container_id: str, found: Sequence[tuple[str, int, str]]) -> list[Html]:
    """HsLogsPage: name, length and end of each log."""
    if not found:
        said = (
            f"Logs of {container_id} are not available. Aggregation may not be complete, or is not enabled."
        )
        return [Html(f"<p>{html_pages.text(said)}</p>")]
    shown: list[Html] = []
    for name, length, end in found:
        shown += [heading(f"{name}, {length} bytes"), preformatted(end)]
    return shown


def _or_none(moment_ms: int) -> str:
    return moment(moment_ms) if moment_ms else "N/A"


def _elapsed(duration_ms: int) -> str:
    seconds, _ = divmod(max(duration_ms, 0), 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    told = [f"{hours}hrs"] if hours else []
    return ", ".join([*told, *([f"{minutes}mins"] if minutes or hours else []), f"{seconds}sec"])
