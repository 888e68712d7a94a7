"""The node's pages for people, below /node: plain documents without scripts, every text escaped.

What they tell is handed in as the values of the REST answers. Hadoop: the pages and
blocks of the NM's webapp (NodePage, AllApplicationsPage, ContainerPage, ContainerLogsPage and their kin).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from yarnbox.yarn.http import html_pages
from yarnbox.yarn.http.html_pages import Html, facts, heading, link, moment, preformatted, table

_LINKS = (
    ("/node", "Node Information"),
    ("/node/allApplications", "List of Applications"),
    ("/node/allContainers", "List of Containers"),
    ("/conf", "Configuration"),
    ("/logs/", "Local logs"),
    ("/stacks", "Server stacks"),
    ("/jmx", "Server metrics"),
)


def document(title: str, body: Iterable[object], rm: str | None = None) -> str:
    """A whole page; `rm` is the address of the ResourceManager's pages."""
    links = [*([(f"{rm}/cluster", "RM Home")] if rm else []), *_LINKS]
    return html_pages.document(title, body, links, "/static/node.css")


# Pages


def node(info: Mapping[str, Any]) -> list[Html]:
    """NodePage."""
    return [
        facts(
            [
                ("Total Vmem allocated for Containers", _memory(info["totalVmemAllocatedContainersMB"])),
                ("Vmem enforcement enabled", _flag(info["vmemCheckEnabled"])),
                ("Total Pmem allocated for Container", _memory(info["totalPmemAllocatedContainersMB"])),
                ("Pmem enforcement enabled", _flag(info["pmemCheckEnabled"])),
                ("Total VCores allocated for Containers", info["totalVCoresAllocatedContainers"]),
                ("Resource types", info["resourceTypes"]),
                ("NodeHealthyStatus", _flag(info["nodeHealthy"])),
                ("LastNodeHealthTime", moment(info["lastNodeUpdateTime"])),
                ("NodeHealthReport", info["healthReport"]),
                ("NodeManager started on", moment(info["nmStartupTime"])),
                ("NodeManager Version", info["nodeManagerBuildVersion"]),
                ("Hadoop Version", info["hadoopBuildVersion"]),
            ]
        )
    ]


def applications(found: Sequence[Mapping[str, object]]) -> list[Html]:
    """AllApplicationsPage."""
    rows = [(link(f"/node/application/{one['id']}", one["id"]), one["state"]) for one in found]
    return [table(("ApplicationId", "ApplicationState"), rows, "No applications run on this node.")]


def application(one: Mapping[str, Any]) -> list[Html]:
    """ApplicationPage: itself and its containers."""
    rows = [(link(f"/node/container/{name}", name),) for name in one.get("containerids", ())]
    return [
        facts([("ApplicationId", one["id"]), ("ApplicationState", one["state"]), ("User", one["user"])]),
        heading("Containers"),
        table(("ContainerId",), rows, "It has no containers on this node."),
    ]


def containers(found: Sequence[Mapping[str, object]]) -> list[Html]:
    """AllContainersPage."""
    rows = [
        (link(f"/node/container/{one['id']}", one["id"]), one["executionType"], one["state"], _logs_of(one))
        for one in found
    ]
    columns = ("ContainerId", "ExecutionType", "ContainerState", "logs")
    return [table(columns, rows, "No containers run on this node.")]


def container(one: Mapping[str, Any], exit_status: str) -> list[Html]:
    """ContainerPage."""
    return [
        facts(
            [
                ("ContainerID", one["id"]),
                ("ContainerState", one["state"]),
                ("ExitStatus", exit_status),
                ("Diagnostics", preformatted(one["diagnostics"])),
                ("User", one["user"]),
                ("TotalMemoryNeeded", _memory(one["totalMemoryNeededMB"])),
                ("TotalVCoresNeeded", one["totalVCoresNeeded"]),
                ("ExecutionType", one["executionType"]),
                ("logs", _logs_of(one)),
            ]
        )
    ]


def log_list(
    container_id: str, user: str, local: Sequence[tuple[str, int]], past: Sequence[tuple[str, int, str]]
) -> list[Html]:
    """ContainerLogsPage without a file: the local logs with their lengths, and those that were collected."""
    top = f"/node/containerlogs/{container_id}/{quote(user, safe='')}"

    def row(name: str, length: int, query: str, shown: str) -> Html:
        to = f"{top}/{quote(name, safe='')}?{query}"
        return Html(f"<p>{link(to, f'{shown} : Total file length is {length} bytes.')}</p>")

    found = [
        heading("Local Logs:"),
        *(row(name, length, "start=-4096", name) for name, length in local),
    ]
    if not local:
        found.append(Html(f"<p>No logs available for container {escape(container_id)}</p>"))
    if past:
        query = "start=-4096&log.aggregation.type=remote"
        found.append(heading("Aggregated Logs:"))
        found += [row(name, length, query, f"{name}_{modified}") for name, length, modified in past]
    return found


def log(content: bytes, whole: int, full: str, raw: str) -> list[Html]:
    """A part of one log; `full` and `raw` lead to all of it."""
    shown = preformatted(content.decode(errors="replace"))
    if len(content) >= whole:
        return [shown]
    links = f"Click {link(full, 'here')} for the full log, or take it {link(raw, 'as text')}."
    return [Html(f"<p>Showing {len(content)} bytes of {whole}. {links}</p>"), shown]


def _logs_of(one: Mapping[str, Any]) -> Html:
    return link(f"/node/containerlogs/{one['id']}/{quote(one['user'], safe='')}", "logs")


def _memory(mb: int) -> str:
    return f"{mb / 1024:.2f} GiB"


def _flag(value: bool) -> str:
    return str(value).lower()
