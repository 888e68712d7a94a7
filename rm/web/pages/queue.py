"""The page of the scheduler: of the chosen queue what waits, every figure and its users; what was done last.

`tree` of rm.web.queues says what the rows of the tree are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import quote

from yarnbox.rm.web.pages.blocks import column, facts, folded, grid, heading, paragraph, table
from yarnbox.rm.web.values import Answer

_USERS = (
    column("user", "User Name", read="username", isCard=True),
    column("used", "Used Resource", "amounts", "resourcesUsed", isCard=True),
    column("reserved", "Reserved Resource", "amounts", "resourcesReserved"),
    column("pending", "Pending Resource", "amounts", "resourcesPending"),
    column("fair", "Fair Share", "amounts", "fairShare"),
    column("containers", "Running Containers", "count", "runningContainers"),
    column("waiting", "Pending Containers", "count", "pendingContainers", isCard=True),
    column("running", "Running Apps", "count", "runningApps"),
    column("apps", "Waiting Apps", "count", "waitingApps"),
    column("most", "Max Running Apps", "count", "maxRunningApps"),
)
_OF_FIFO = tuple(one for one in _USERS if one["key"] not in ("fair", "most"))
"""The FifoScheduler has neither shares nor limits."""
_LIMITED = (
    column("user", "User Name", read="username", isCard=True),
    column("limit", "User Limit Resource", "amounts", "userResourceLimit", isCard=True),
    column("weight", "Weight", "count", "userWeight"),
    column("used", "Used Resource", "amounts", "resourcesUsed", isCard=True),
    column("maxam", "Max AM Resource", "amounts", "amLimit"),
    column("am", "Used AM Resource", "amounts", "AMResourceUsed"),
    column("running", "Schedulable Apps", "count", "numActiveApplications"),
    column("waiting", "Non-Schedulable Apps", "count", "numPendingApplications"),
)
_OPERATIONS = ("operation", "nodeId", "containerId", "queue")
_NONE = "No operations yet."


def scheduler_page(shown: Answer, waiting: Answer | None, users: Sequence[Answer]) -> Answer:
    """`shown` is what the tree says; `waiting` and the `users` of the chosen queue are answers of their own.

    `above` stands before what may be done to the queue, `below` after it, `last` at the end of the page.
    """
    chosen, health = shown.get("chosen"), shown.get("health")
    kept: Answer = {name: shown[name] for name in ("scheduler", "partition", "whole", "row") if name in shown}
    if shown["scheduler"] == "FifoScheduler":
        below = [facts(shown["fact"]), heading("Users"), _users(_OF_FIFO, users, "root")]
        return {**kept, "above": [], "below": below, "last": []}
    if chosen is not None:
        kept["chosen"] = {name: chosen[name] for name in ("path", "state", "sibling")}
    return {
        **kept,
        "above": list(_above(chosen, waiting)) if chosen else [],
        "below": list(_below(chosen, users)) if chosen else [],
        "last": [_health(health)] if health else [],
    }


def _above(chosen: Answer, waiting: Answer | None) -> Iterator[Answer]:
    if chosen["headline"]:
        yield paragraph(chosen["headline"], "headline")
    start = f"{chosen['path']}."
    rows = [
        [
            one["reason"],
            one["queue"],
            one["containers"],
            {"link": one["example"], "to": f"/cluster/app/{one['example']}"},
        ]
        for one in (waiting or {}).get("reason", ())
        if f"{one['queue']}.".startswith(start)
    ]
    if rows:
        yield table("Pending by reason", ["Reason", "Queue", "Containers", "For example"], rows)


def _below(chosen: Answer, users: Sequence[Answer]) -> Iterator[Answer]:
    limited = chosen["user"]
    yield facts(chosen["fact"])
    yield heading("Users" if limited is None else "Active Users Info", 3)
    if limited is None:
        yield _users(_USERS, users, chosen["path"])
        return
    yield _grid(_LIMITED, limited, "/scheduler")
    for one in sorted(limited, key=lambda user: str(user["username"])):
        if one["how"]:
            yield paragraph(f"{one['username']}: {one['how']}", "how")


def _users(columns: Sequence[Answer], users: Sequence[Answer], path: str) -> Answer:
    return _grid(columns, users, f"/ui/queue-users?queue={quote(path, safe='')}")


def _grid(columns: Sequence[Answer], users: Sequence[Answer], call: str) -> Answer:
    none = "No user has an application in this queue."
    return grid("users", "Users", columns, users, of="username", order="user", calls=[call], none=none)


def _health(info: Answer) -> Answer:
    counts = [[one["operation"], one["count"], one["resources"]] for one in info.get("lastRunDetails", ())]
    done = [[one.get(name) for name in _OPERATIONS] for one in info.get("operationsInfo", ())]
    return folded(
        "Last scheduler run",
        [
            paragraph(["Last run: ", {"moment": info["lastrun"]}]),
            table("Last operations", ["Operation", "Node", "Container", "Queue"], done, _NONE),
            table("Last run", ["Operation", "Count", "Resources"], counts, _NONE),
        ],
    )
