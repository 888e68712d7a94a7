"""The page of the scheduler: the queues as bars, of the chosen one what waits, every figure and its users;
shares over time; what was done last.

`tree` of rm.web.queues says what the rows of the tree are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import quote, urlencode

from yarnbox.rm.web.grids import Arrangement
from yarnbox.rm.web.pages.blocks import (
    actions,
    alert,
    bars,
    choice,
    column,
    facts,
    folded,
    grid,
    heading,
    included,
    mark,
    paragraph,
    section,
    stream,
    table,
)
from yarnbox.rm.web.pages.facts import TO_APP
from yarnbox.rm.web.pages.lists import applications
from yarnbox.rm.web.pages.taskstream import with_choices
from yarnbox.rm.web.queues.words import percentage
from yarnbox.rm.web.values import Answer
from yarnbox.yarn.records.node import SHOWN_DEFAULT_PARTITION

_USERS = (
    column("user", "User Name", read="username", isCard=True),
    column("used", "Used Resource", "amount", "resourcesUsed", isCard=True),
    column("reserved", "Reserved Resource", "amount", "resourcesReserved"),
    column("pending", "Pending Resource", "amount", "resourcesPending"),
    column("fair", "Fair Share", "amount", "fairShare"),
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
    column("limit", "User Limit Resource", "amount", "userResourceLimit", isCard=True),
    column("weight", "Weight", "count", "userWeight"),
    column("used", "Used Resource", "amount", "resourcesUsed", isCard=True),
    column("maxam", "Max AM Resource", "amount", "amLimit"),
    column("am", "Used AM Resource", "amount", "AMResourceUsed"),
    column("running", "Schedulable Apps", "count", "numActiveApplications"),
    column("waiting", "Non-Schedulable Apps", "count", "numPendingApplications"),
)
_OPERATIONS = ("operation", "nodeId", "containerId", "queue")
_NONE = "No operations yet."
_UNCHOSEN = paragraph("Select a queue to see its details.", "empty")
_NOT_OVER = ("NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING")
_ONLY_QUEUE = "default"
"""What the FifoScheduler calls its queue."""
USUAL_MINUTES = "15"
_MINUTES = (("5", "5 minutes"), (USUAL_MINUTES, "15 minutes"), ("60", "1 hour"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is looked at: a queue, in a partition, and so many minutes of the past (of a recording all)."""

    queue: str = ""
    partition: str = ""
    minutes: str = ""
    lists: Mapping[str, str] = field(default_factory=dict)
    """The parameters of the page, of which lists have some."""

    @property
    def where(self) -> str:
        """The partition in words, where it is not the only one."""
        return f" in partition {self.partition}" if self.partition else ""

    @property
    def queue_query(self) -> str:
        """For lists that are of the queue alone."""
        return f"queue={quote(self.queue, safe='')}" if self.queue else ""


def scheduler_page(
    shown: Answer,
    asked: Asked,
    waiting: Answer | None,
    users: Sequence[Answer],
    offered: Sequence[Answer] = (),
) -> list[Answer]:
    """`shown` is what the tree says; `waiting` and the `users` of the chosen queue are answers of their own,
    `offered` is what may be done to it.
    """
    top = [heading("Scheduler", 1), paragraph(shown["scheduler"])]
    if shown["scheduler"] == "FifoScheduler":
        only = replace(asked, queue=_ONLY_QUEUE, partition="")
        own = [facts(shown["fact"]), heading("Users"), _users(_OF_FIFO, users, "root", asked)]
        return [*top, *own, *_charts(asked), *_stream(only), *_applications(asked)]
    chosen, health = shown.get("chosen"), shown.get("health")
    last = [_health(health)] if health else []
    tree = [*top, *_partitions(shown, asked), _legend(shown), bars("queue", _bars(shown, asked.queue))]
    if asked.queue and not chosen:
        said = f"There is no queue {asked.queue}{asked.where}. "
        return [*tree, alert([said, {"link": "Show all queues", "to": "/cluster/scheduler"}]), *last]
    card = section(list(_card(chosen, asked, waiting, users, offered)), "card") if chosen else _UNCHOSEN
    containers = _stream(asked) if chosen else ()
    return [*tree, card, *_charts(asked), *containers, *_applications(asked), *last]


def _partitions(shown: Answer, asked: Asked) -> Iterator[Answer]:
    named = [(one, one or SHOWN_DEFAULT_PARTITION) for one in shown["partition"]]
    if len(named) > 1:
        yield choice("partition", "Partition", dict(named), "", asked.partition)
    if whole := shown["whole"]:
        yield paragraph([f"Partition: {asked.partition or SHOWN_DEFAULT_PARTITION} ", whole], "id")


def _legend(shown: Answer) -> Answer:
    is_fair = shown["scheduler"] == "FairScheduler"
    words = [
        ("used", "used"),
        ("over", f"used beyond the {'fair share' if is_fair else 'guarantee'}"),
        ("floor", "steady fair share" if is_fair else "guaranteed"),
        *([("now", "fair share now")] if is_fair else ()),
        ("most", "maximum"),
    ]
    return paragraph([{"word": word, "kind": f"key {kind}"} for kind, word in words], "legend")


def _bars(shown: Answer, opened: str) -> Iterator[Answer]:
    """Of each queue what it uses, of what is due to it and of what it may use at most, in per cent."""
    for row in shown["row"]:
        used, most, now = row["used"], row["most"], row["now"]
        due = row["floor"] if now is None else now
        marks = [
            mark("most", 0, most),
            mark("used", 0, min(used, due)),
            *([mark("over", due, used - due)] if used > due else ()),
            *([mark("now", now)] if now is not None else ()),
            mark("floor", row["floor"]),
        ]
        state = row["state"]
        name: list[object] = [row["path"].rpartition(".")[2]]
        name += [] if state == "RUNNING" else [{"small": [" ", {"word": state, "kind": "trouble"}]}]
        name += [{"small": " created dynamically"}] if row["isMade"] else []
        said: list[object] = [{"word": percentage(used)}]
        said.append(f" of {percentage(due)}, at most {percentage(most)}")
        said += [f", {row['pending']} pending"] if row["pending"] else []
        what = {"key": row["path"], "depth": row["depth"], "isOpen": row["path"] == opened}
        yield {**what, "name": name, "mark": marks, "said": said}


def _charts(asked: Asked) -> Iterator[Answer]:
    where = f"partition {asked.partition}" if asked.partition else "the cluster"
    yield heading(f"Share of {where} over time")
    if asked.minutes:
        yield choice("minutes", "Time", dict(_MINUTES), USUAL_MINUTES, asked.minutes)
    query = {"parent": asked.queue or "root", "partition": asked.partition, "minutes": asked.minutes}
    yield included(f"/ui/charts/queues?{urlencode(query)}")


def _stream(asked: Asked) -> Iterator[Answer]:
    yield heading(f"Containers of {asked.queue} over time")
    shown = stream(asked.queue, asked.queue_query, "app", lanes="app", colour="state")
    yield from with_choices(shown, asked.lists)


def _applications(asked: Asked) -> Iterator[Answer]:
    yield heading(f"Applications of {asked.queue}" if asked.queue else "Waiting and running applications")
    yield applications("queueapps", _NOT_OVER, asked.lists, asked.queue)


def _card(
    chosen: Answer,
    asked: Asked,
    waiting: Answer | None,
    users: Sequence[Answer],
    offered: Sequence[Answer],
) -> Iterator[Answer]:
    yield heading(f"{chosen['path']}{asked.where}")
    yield from _above(chosen, waiting)
    if offered:
        yield actions(offered)
    yield from _below(chosen, users, asked)


def _above(chosen: Answer, waiting: Answer | None) -> Iterator[Answer]:
    if chosen["headline"]:
        yield paragraph(chosen["headline"], "headline")
    start = f"{chosen['path']}."
    rows = [
        [
            one["reason"],
            one["queue"],
            one["containers"],
            {"link": one["example"], "to": TO_APP.format(one["example"])},
        ]
        for one in (waiting or {}).get("reason", ())
        if f"{one['queue']}.".startswith(start)
    ]
    if rows:
        yield table("Pending by reason", ["Reason", "Queue", "Containers", "For example"], rows)


def _below(chosen: Answer, users: Sequence[Answer], asked: Asked) -> Iterator[Answer]:
    limited = chosen["user"]
    yield facts(chosen["fact"])
    yield heading("Users" if limited is None else "Active Users Info", 3)
    if limited is None:
        yield _users(_USERS, users, chosen["path"], asked)
        return
    yield _grid(_LIMITED, limited, "/scheduler", asked)
    for one in sorted(limited, key=lambda user: str(user["username"])):
        if one["how"]:
            yield paragraph(f"{one['username']}: {one['how']}", "how")


def _users(columns: Sequence[Answer], users: Sequence[Answer], path: str, asked: Asked) -> Answer:
    return _grid(columns, users, f"/ui/queue-users?queue={quote(path, safe='')}", asked)


def _grid(columns: Sequence[Answer], users: Sequence[Answer], call: str, asked: Asked) -> Answer:
    none = "No user has an application in this queue."
    arranged = Arrangement("users", columns, asked.lists, order="user")
    return grid(arranged, "Users", users, of="username", calls=[call], none=none)


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
