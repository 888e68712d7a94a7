"""The node's pages for people, below /node: plain documents without scripts, every text escaped.

Owns how they look; what they tell is handed in as the values of the REST answers. Answers for the pages and
blocks of the NM's webapp (NodePage, AllApplicationsPage, ContainerPage, ContainerLogsPage and their kin).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from typing import Any
from urllib.parse import quote

STYLE = """
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.45 }
body { margin: 0 auto; max-width: 70rem; padding: 0 1rem 2rem }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: .75rem 0; border-bottom: 1px solid }
table { border-collapse: collapse; display: block; overflow-x: auto }
th, td { text-align: left; padding: .3rem .8rem; border-bottom: 1px solid #8884 }
td, pre { overflow-wrap: anywhere }
pre { white-space: pre-wrap; padding: .75rem; border: 1px solid #8884 }
"""
POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
_LINKS = (
    ("/node", "Node Information"),
    ("/node/allApplications", "List of Applications"),
    ("/node/allContainers", "List of Containers"),
    ("/conf", "Configuration"),
    ("/logs/", "Local logs"),
    ("/stacks", "Server stacks"),
    ("/jmx", "Server metrics"),
)


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def _text(value: object) -> Html:
    return value if isinstance(value, Html) else Html(escape(str(value)))


def _link(to: str, shown: object) -> Html:
    return Html(f'<a href="{escape(to)}">{_text(shown)}</a>')


def document(title: str, body: Iterable[object], rm: str | None = None) -> str:
    """A whole page; `rm` is the address of the ResourceManager's pages."""
    links = [*([(f"http://{rm}/cluster", "RM Home")] if rm else []), *_LINKS]
    bar = " ".join(_link(to, shown) for to, shown in links)
    inside = "\n".join(_text(one) for one in body)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="stylesheet" href="/static/node.css"></head><body><nav>{bar}</nav>'
        f"<main><h1>{escape(title)}</h1>\n{inside}</main></body></html>\n"
    )


def facts(pairs: Sequence[tuple[str, object]]) -> Html:
    """Names and values."""
    rows = "".join(
        f'<tr><th scope="row">{_text(name)}</th><td>{_text(value)}</td></tr>' for name, value in pairs
    )
    return Html(f"<table>{rows}</table>")


def table(columns: Sequence[str], rows: Sequence[Sequence[object]], none: str) -> Html:
    """A table, or what to say when it is empty."""
    if not rows:
        return Html(f"<p>{escape(none)}</p>")
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return Html(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")


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
                ("LastNodeHealthTime", _moment(info["lastNodeUpdateTime"])),
                ("NodeHealthReport", info["healthReport"]),
                ("NodeManager started on", _moment(info["nmStartupTime"])),
                ("NodeManager Version", info["nodeManagerBuildVersion"]),
                ("Hadoop Version", info["hadoopBuildVersion"]),
            ]
        )
    ]


def applications(found: Sequence[Mapping[str, Any]]) -> list[Html]:
    """AllApplicationsPage."""
    rows = [(_link(f"/node/application/{one['id']}", one["id"]), one["state"]) for one in found]
    return [table(("ApplicationId", "ApplicationState"), rows, "No applications run on this node.")]


def application(one: Mapping[str, Any]) -> list[Html]:
    """ApplicationPage: itself and its containers."""
    rows = [(_link(f"/node/container/{name}", name),) for name in one.get("containerids", ())]
    return [
        facts([("ApplicationId", one["id"]), ("ApplicationState", one["state"]), ("User", one["user"])]),
        Html("<h2>Containers</h2>"),
        table(("ContainerId",), rows, "It has no containers on this node."),
    ]


def containers(found: Sequence[Mapping[str, Any]]) -> list[Html]:
    """AllContainersPage."""
    rows = [
        (_link(f"/node/container/{one['id']}", one["id"]), one["executionType"], one["state"], _logs_of(one))
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
                ("Diagnostics", Html(f"<pre>{escape(one['diagnostics'])}</pre>")),
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
        link = _link(
            f"{top}/{quote(name, safe='')}?{query}", f"{shown} : Total file length is {length} bytes."
        )
        return Html(f"<p>{link}</p>")

    found = [
        Html("<h2>Local Logs:</h2>"),
        *(row(name, length, "start=-4096", name) for name, length in local),
    ]
    if not local:
        found.append(Html(f"<p>No logs available for container {escape(container_id)}</p>"))
    if past:
        query = "start=-4096&log.aggregation.type=remote"
        found.append(Html("<h2>Aggregated Logs:</h2>"))
        found += [row(name, length, query, f"{name}_{modified}") for name, length, modified in past]
    return found


def log(content: bytes, whole: int, full: str, raw: str) -> list[Html]:
    """A part of one log; `full` and `raw` lead to all of it."""
    shown = Html(f"<pre>{escape(content.decode(errors='replace'))}</pre>")
    if len(content) >= whole:
        return [shown]
    links = f"Click {_link(full, 'here')} for the full log, or take it {_link(raw, 'as text')}."
    return [Html(f"<p>Showing {len(content)} bytes of {whole}. {links}</p>"), shown]


def _logs_of(one: Mapping[str, Any]) -> Html:
    return _link(f"/node/containerlogs/{one['id']}/{quote(one['user'], safe='')}", "logs")


def _memory(mb: int) -> str:
    return f"{mb / 1024:.2f} GB"


def _flag(value: bool) -> str:
    return str(value).lower()


def _moment(moment_ms: int | None) -> str:
    return (
        datetime.fromtimestamp((moment_ms or 0) / 1000, UTC).astimezone().strftime("%a %b %d %H:%M:%S %Z %Y")
    )
