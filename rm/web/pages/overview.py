"""The page of the cluster: what is used and what waits in a sentence, the few figures that matter, and every
figure of Hadoop's page by its name.

All of it is read from what REST answers, so a recording shows the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote

from yarnbox.rm.web.grids import Arrangement
from yarnbox.rm.web.pages.blocks import (
    column,
    facts,
    figures,
    folded,
    grid,
    heading,
    included,
    paragraph,
    section,
)
from yarnbox.rm.web.pages.facts import TO_APP, TO_QUEUE, fact
from yarnbox.rm.web.pages.lists import applications
from yarnbox.rm.web.queues.words import memory, percentage, plural
from yarnbox.rm.web.values import Answer

_STATES = ("active", "decommissioning", "decommissioned", "lost", "unhealthy", "rebooted", "shutdown")
_BAD_STATES = ("lost", "unhealthy")
_NODES = "/cluster/nodes"
_MOST_NAMED = 3
START_A_NODE = paragraph(["Start a node: ", {"code": "yarnbox add-node"}])
_LIVING = ("ACCEPTED", "RUNNING")
_CHARTS = "/ui/charts/cluster?minutes=60"
_WAITING = (
    column("reason", "Reason", isCard=True),
    column("queue", "Queue", "link", isCard=True, to=TO_QUEUE),
    column("containers", "Containers", "number", isCard=True),
    column("apps", "Applications", "number"),
    column("example", "For example", "link", isCard=True, isFixed=True, to=TO_APP),
)


def cluster_page(
    metrics: Answer,
    info: Answer | None,
    waiting: Answer | None,
    states: Mapping[str, int],
    *,
    own: Answer | None = None,
    user: str = "",
    asked: Mapping[str, str],
    is_run: bool = False,
) -> list[Answer]:
    """`metrics`, `info` of the scheduler, `waiting` and what the reader's applications come to (`own`) are
    answers by themselves; a recording may lack some of them. `states` counts applications, `asked` are the
    parameters of the page, `is_run` is said of a recording.
    """
    reasons = waiting["reason"] if waiting else []
    pending = sum(one["containers"] for one in reasons) or metrics["containersPending"]
    every = [
        _group("Cluster Metrics", _cluster(metrics)),
        _group("Cluster Nodes Metrics", _nodes(metrics)),
        *([_group(f"User Metrics for {user}", _user(own))] if own else []),
        *([_group("Scheduler Metrics", _scheduler(info))] if info else []),
    ]
    there = [included(_CHARTS), heading("Nodes"), included("/ui/heat")]
    return [
        heading("Cluster", 1),
        paragraph(f"{_used(metrics, waiting)} {_waits(metrics, reasons, pending)}", "headline"),
        *(() if is_run or _has_nodes(metrics) else (START_A_NODE,)),
        figures(list(_figures(metrics, pending, states))),
        *(_waiting(waiting, asked) if waiting and reasons else ()),
        *(there if _has_nodes(metrics) else ()),
        heading("Running and waiting applications"),
        applications("apps", _LIVING, asked),
        folded("All figures", every),
    ]


def _group(name: str, found: Sequence[Answer]) -> Answer:
    return section([heading(name, 3), facts(found)])


def _waiting(waiting: Answer, asked: Mapping[str, str]) -> Iterable[Answer]:
    rows = [{**one, "key": f"{one['queue']} {one['reason']}"} for one in waiting["reason"]]
    yield heading("What is waiting, and why")
    arranged = Arrangement("waiting", _WAITING, asked, order="-containers")
    yield grid(arranged, "Pending by reason", rows, of="key", calls=["/ui/waiting"])
    if unseen := waiting["unseen"]:
        yield paragraph(
            f"{plural(unseen, 'more waiting application')} {'is' if unseen == 1 else 'are'} not listed here: "
            "looking for their reasons would delay the scheduler. The page of an application says why it "
            "waits.",
            "how",
        )


def _has_nodes(metrics: Answer) -> bool:
    return any(metrics[f"{state}Nodes"] for state in _STATES)


def _amounts(metrics: Answer) -> tuple[Answer, Answer, int]:
    """What is used, all there is, and running containers: of all partitions, where they are told."""
    if metrics.get("crossPartitionMetricsAvailable"):
        return (
            metrics["totalUsedResourcesAcrossPartition"],
            metrics["totalClusterResourcesAcrossPartition"],
            metrics["totalAllocatedContainersAcrossPartition"],
        )
    used, whole = (_sized(metrics, name) for name in ("allocated", "total"))
    return used, whole, metrics["containersAllocated"]


def _sized(metrics: Answer, name: str) -> Answer:
    return {"memory": metrics[f"{name}MB"], "vCores": metrics[f"{name}VirtualCores"]}


def _used(metrics: Answer, waiting: Answer | None) -> str:
    """Vcores are named where they limit something."""
    used, whole, _ = _amounts(metrics)
    if not whole["memory"]:
        return "No node is active." if _has_nodes(metrics) else "No nodes have registered."
    counts_vcores = waiting is None or waiting["countsVCores"]
    rest = f"and {used['vCores']} of {whole['vCores']} vcores" if counts_vcores else "of memory"
    return f"{memory(used['memory']).removesuffix(' GiB')} of {memory(whole['memory'])} {rest} used."


def _waits(metrics: Answer, reasons: Sequence[Answer], pending: int) -> str:
    """What waits and why: the same reason in several queues is said once."""
    if not reasons and not pending:
        has_apps = metrics["appsRunning"] or metrics["appsPending"]
        return "Nothing is waiting." if has_apps else "No applications are running."
    by_reason: dict[str, list[Answer]] = {}
    for one in reasons:
        by_reason.setdefault(one["reason"].rstrip("."), []).append(one)
    groups = sorted(by_reason.items(), key=lambda group: _most_first(group[1]))
    parts = [f"{_places(found)} ({reason})" for reason, found in groups[:_MOST_NAMED]]
    if others := [one for _, found in groups[_MOST_NAMED:] for one in found]:
        parts.append(f"{_count(others)} for other reasons")
    waits = f"{plural(pending, 'container')} {'waits' if pending == 1 else 'wait'}" if pending else "Waiting"
    return f"{waits}: {'; '.join(parts)}." if parts else f"{waits}."


def _most_first(found: Iterable[Answer]) -> tuple[int, int]:
    """A key of order: many containers first, then many applications."""
    rows = list(found)
    return -sum(one["containers"] for one in rows), -sum(one["apps"] for one in rows)


def _count(found: Sequence[Answer]) -> str:
    """Containers; where none is asked for, applications."""
    containers, apps = _most_first(found)
    return str(-containers) if containers else plural(-apps, "application")


def _places(found: Sequence[Answer]) -> str:
    ordered = sorted(found, key=lambda one: _most_first([one]))
    named, others = ordered[:_MOST_NAMED], ordered[_MOST_NAMED:]
    if len(others) == 1:
        named, others = ordered, []
    parts = [f"{_count([one])} in {one['queue']}" for one in named]
    if others:
        parts.append(f"{_count(others)} in {len(others)} other queues")
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _figures(metrics: Answer, pending: int, states: Mapping[str, int]) -> Iterable[Answer]:
    """Each with where it leads to. Applications are counted by their states, as that list does: the metrics
    count one as running as soon as its AM has a container.
    """

    def figure(to: str, value: object, text: str, *, is_trouble: bool = False) -> Answer:
        return {"to": to, "value": value, "text": text, "isTrouble": is_trouble}

    def counted(count: int, what: str) -> str:
        return plural(count, what).partition(" ")[2]

    for state, word in (("RUNNING", "running"), ("ACCEPTED", "waiting")):
        count = states.get(state, 0)
        yield figure(f"/cluster/apps/{state}", count, f"{counted(count, 'application')} {word}")
    running = _amounts(metrics)[2]
    yield figure("/cluster/apps", running, f"{counted(running, 'container')} running")
    yield figure("/cluster/scheduler", pending, f"{counted(pending, 'container')} pending")
    for state in ("active", *_BAD_STATES):
        count, is_trouble = metrics[f"{state}Nodes"], state in _BAD_STATES
        if count or not is_trouble:
            to = f"{_NODES}/{state}" if is_trouble else _NODES
            yield figure(to, count, f"{counted(count, 'node')} {state}", is_trouble=is_trouble)
    if metrics["reservedMB"] > 0:
        yield figure(_NODES, memory(metrics["reservedMB"]), "reserved")


def _cluster(metrics: Answer) -> list[Answer]:
    ended = sum(metrics[name] for name in ("appsCompleted", "appsFailed", "appsKilled"))
    return [
        fact("Apps Submitted", metrics["appsSubmitted"]),
        fact("Apps Pending", metrics["appsPending"]),
        fact("Apps Running", metrics["appsRunning"]),
        fact("Apps Completed", ended),
        fact("Containers Running", metrics["containersAllocated"]),
        fact("Containers Pending", metrics["containersPending"]),
        fact("Used Resources", _sized(metrics, "allocated")),
        fact("Total Resources", _sized(metrics, "total")),
        fact("Reserved Resources", _sized(metrics, "reserved")),
        fact("Physical Mem Used %", percentage(metrics["utilizedMBPercent"])),
        fact("Physical VCores Used %", percentage(metrics["utilizedVirtualCoresPercent"])),
        fact("Containers assigned per second", metrics.get("containerAssignedPerSecond", 0)),
    ]


def _nodes(metrics: Answer) -> list[Answer]:
    return [
        fact(f"{state.capitalize()} Nodes", metrics[f"{state}Nodes"], f"{_NODES}/{state}")
        for state in _STATES
    ]


def _user(own: Answer) -> list[Answer]:
    of_user = f"?user={quote(own['username'], safe='')}"
    return [
        fact("Apps Running", own["runningApps"], f"/cluster/apps/RUNNING{of_user}"),
        fact("Apps Pending", own["waitingApps"], f"/cluster/apps/ACCEPTED{of_user}"),
        fact("Containers Running", own["runningContainers"]),
        fact("Containers Pending", own["pendingContainers"]),
        fact("Used", own["resourcesUsed"]),
        fact("Pending", own["resourcesPending"]),
        fact("Reserved", own["resourcesReserved"]),
    ]


def _scheduler(info: Answer) -> list[Answer]:
    def known(value: int) -> object:
        return "N/A" if value < 0 else value

    types = re.sub(r" \(unit=(\w+)\)", r" (\1)", info["schedulingResourceType"])
    return [
        fact("Scheduler Type", info["schedulerType"], "/cluster/scheduler"),
        fact("Scheduling Resource Type", types.replace(",", ", ")),
        fact("Minimum Allocation", info["minimumAllocation"]),
        fact("Maximum Allocation", info["maximumAllocation"]),
        fact("Maximum Cluster Application Priority", info["applicationPriority"]),
        fact("Scheduler Busy %", known(info["schedulerBusy"])),
        fact("RM Dispatcher EventQueue Size", info["rmDispatcherEventQueueSize"]),
        fact("Scheduler Dispatcher EventQueue Size", info["schedulerDispatcherEventQueueSize"]),
    ]
