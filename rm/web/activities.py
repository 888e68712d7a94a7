"""What the scheduler thought, as the web services show it: trees of nodes' passes, looks at applications.

Hadoop: ActivitiesInfo, NodeAllocationInfo, ActivityNodeInfo, AppActivitiesInfo, AppAllocationInfo,
AppRequestAllocationInfo, BulkActivitiesInfo and ActivitiesUtils.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from yarnbox.rm.asks import RequestKey
from yarnbox.rm.scheduler.activities import (
    NO_CONTAINER,
    AppAllocation,
    NodeAllocation,
    QueueActivity,
    RequestActivity,
)
from yarnbox.rm.web.values import Answer, java_date, without_nulls


def of_node(found: Sequence[NodeAllocation] | None, node_id: str | None, *, is_grouped: bool) -> Answer:
    """A node's last recorded pass, or that of any node."""
    if found is None:
        return refusal("waiting for next allocation" if node_id is None else "waiting for display", node_id)
    if not found:
        return refusal("do not have available resources", node_id)
    first = found[0]
    shown = {
        "nodeId": str(first.node_id) if first.node_id is not None else node_id,
        "timestamp": first.now_ms,
        "dateTime": java_date(first.now_ms),
        "allocations": [_allocation(one, is_grouped=is_grouped) for one in found],
    }
    return without_nulls(shown)


def refusal(diagnostic: str, node_id: str | None) -> Answer:
    """The answer when no pass of a node is recorded."""
    return without_nulls({"nodeId": node_id, "diagnostic": diagnostic})


def _allocation(one: NodeAllocation, *, is_grouped: bool) -> Answer:
    shown = {
        "partition": one.partition,
        "updatedContainerId": one.container_id if one.container_id != NO_CONTAINER else None,
        "finalAllocationState": one.state,
        "root": _queue(one.root, is_grouped=is_grouped),
    }
    return without_nulls(shown)


def _queue(queue: QueueActivity, *, is_grouped: bool) -> Answer:
    below = [_queue(one, is_grouped=is_grouped) for one in queue.queues]
    below += [_application(one, is_grouped=is_grouped) for one in queue.applications]
    return _entry({"name": queue.path, "allocationState": queue.state, "diagnostic": queue.diagnostic}, below)


def _application(seen: AppAllocation, *, is_grouped: bool) -> Answer:
    shown = {
        "name": str(seen.application_id),
        "appPriority": seen.app_priority,
        "allocationState": seen.state,
        "diagnostic": seen.diagnostic,
    }
    requests = []
    for key, remarks in seen.by_request():
        name = f"request_{key.request_priority}_{key.allocation_request_id}"
        requests.append({"name": name, **_request(key, remarks, is_grouped=is_grouped, names=False)})
    return _entry(shown, requests)


def of_application(
    application_id: str, found: Sequence[AppAllocation] | None, now_ms: int, *, is_grouped: bool
) -> Answer:
    """Looks at an application, the newest first."""
    if found is None:
        return app_refusal("waiting for display", application_id, now_ms)
    shown = [_look(one, is_grouped=is_grouped) for one in reversed(found)]
    return {"applicationId": application_id, **({"allocations": shown} if shown else {})}


def app_refusal(diagnostic: str, application_id: str, now_ms: int) -> Answer:
    """The answer when nothing is recorded of an application."""
    return {
        "applicationId": application_id,
        "diagnostic": diagnostic,
        "timestamp": now_ms,
        "dateTime": java_date(now_ms),
    }


def _look(seen: AppAllocation, *, is_grouped: bool) -> Answer:
    shown = {
        "nodeId": str(seen.node_id) if seen.node_id is not None else None,
        "timestamp": seen.now_ms,
        "dateTime": java_date(seen.now_ms),
        "queueName": seen.queue.rpartition(".")[2],
        "appPriority": seen.app_priority,
        "allocationState": seen.outcome,
        "diagnostic": seen.diagnostic,
    }
    requests = [
        _request(key, remarks, is_grouped=is_grouped, names=True) for key, remarks in seen.by_request()
    ]
    return _entry(shown, requests)


def _request(key: RequestKey, remarks: Sequence[RequestActivity], *, is_grouped: bool, names: bool) -> Answer:
    last = remarks[-1]
    shown = {
        "requestPriority": key.request_priority,
        "allocationRequestId": key.allocation_request_id,
        "allocationState": last.state,
        "diagnostic": last.diagnostic if last.node_id is None else "",
    }
    on_nodes = [one for one in remarks if one.node_id is not None]
    return _entry(shown, _groups(on_nodes) if is_grouped else [_node(one, names=names) for one in on_nodes])


def _node(remark: RequestActivity, *, names: bool) -> Answer:
    shown = {
        "name": remark.container_id if names or remark.state == "ALLOCATED" else None,
        "allocationState": remark.state,
        "diagnostic": remark.diagnostic,
        "nodeId": str(remark.node_id),
    }
    return _entry(shown, ())


def _groups(remarks: Sequence[RequestActivity]) -> list[Answer]:
    """The nodes of one state and diagnostic together; the amounts, which differ, are left out."""
    groups: dict[tuple[str, str], list[str]] = {}
    for remark in remarks:
        short = remark.diagnostic.partition("\n")[0]
        groups.setdefault((remark.state, short), []).append(str(remark.node_id))
    return [
        _entry({"allocationState": state, "diagnostic": text, "count": len(nodes), "nodeIds": nodes}, ())
        for (state, text), nodes in groups.items()
    ]


def _entry(shown: Answer, children: Sequence[Answer]) -> Answer:
    """A node of the tree; empty values are left out."""
    held = {name: value for name, value in shown.items() if value is not None and value != ""}
    return {**held, "children": list(children)} if children else held


# Which looks


def chosen(
    found: Sequence[AppAllocation], priorities: Collection[int], request_ids: Collection[int]
) -> list[AppAllocation]:
    """Only the activities of these requests; an empty collection means all."""
    if not priorities and not request_ids:
        return list(found)
    cut = []
    for seen in found:
        remarks = [
            one
            for one in seen.remarks
            if (not priorities or one.key.request_priority in priorities)
            and (not request_ids or one.key.allocation_request_id in request_ids)
        ]
        if remarks:
            cut.append(replace(seen, remarks=remarks))
    return cut


def summary(found: Sequence[AppAllocation], span_ms: int) -> list[AppAllocation]:
    """One look made of many: for each request and node the latest of so long a time before the last."""
    if not found:
        return []
    last = found[-1]
    latest: dict[tuple[int, int, object], RequestActivity] = {}
    for seen in reversed(found):
        if seen.now_ms < last.now_ms - span_ms:
            break
        for one in seen.remarks:
            key = (one.key.request_priority, one.key.allocation_request_id, one.node_id)
            latest.setdefault(key, one)
    return [replace(last, node_id=None, remarks=list(latest.values()))]
