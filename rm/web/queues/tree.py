"""The page of the scheduler: the queues as bars in a row below one another, and the chosen one in full.

All of it is read from what REST answers about the scheduler, so a recording shows the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from yarnbox.rm.web.queues.facts import capacity_facts, fair_facts, fifo_facts
from yarnbox.rm.web.queues.limits import limits_of_users
from yarnbox.rm.web.queues.row import Row, below, in_partition
from yarnbox.rm.web.queues.words import memory, plural, printed
from yarnbox.rm.web.values import Answer

_WHOLE = 100.0


def queues_page(info: Answer, chosen: str, partition: str, step_mb: int) -> Answer:
    """`info` is the schedulerInfo of REST; memory of containers is a multiple of `step_mb`, 0 if unknown."""
    if info["type"] == "fifoScheduler":
        return {"scheduler": "FifoScheduler", "fact": fifo_facts(info)}
    is_fair = info["type"] == "fairScheduler"
    rows = list(_fair_rows(info["rootQueue"]) if is_fair else _capacity_rows(info, partition))
    row = next((one for one in rows if one.path == chosen), None)
    parts = [] if is_fair else info["capacities"]["queueCapacitiesByPartition"]
    return {
        "scheduler": "FairScheduler" if is_fair else "CapacityScheduler",
        "partition": [one["partitionName"] for one in parts],
        "whole": rows[0].whole if rows else None,
        "row": [_shown(one) for one in rows],
        "chosen": None if row is None else _chosen(row, rows, step_mb),
        "health": info.get("health"),
    }


def _capacity_rows(queue: Answer, partition: str, parent: Row | None = None) -> Iterator[Row]:
    """Of a partition those that may use it, and the parents of such."""
    capacity = in_partition(queue["capacities"]["queueCapacitiesByPartition"], partition)
    usages = queue.get("resources", {}).get("resourceUsagesByPartition", ())
    usage = in_partition(usages, partition)
    pending = usage["pending"] if usage else {"memory": 0}
    one = Row(
        queue["queuePath"],
        queue,
        parent,
        used=capacity["absoluteUsedCapacity"] if capacity else 0.0,
        floor=capacity["absoluteCapacity"] if capacity else 0.0,
        most=capacity["absoluteMaxCapacity"] if capacity else 0.0,
        used_mb=usage["used"]["memory"] if usage else 0,
        due_mb=capacity["effectiveMinResource"]["memory"] if capacity else None,
        pending=printed(pending) if pending["memory"] > 0 else "",
        capacity=capacity,
        usage=usage,
    )
    rows = [row for child in below(queue, "queues") for row in _capacity_rows(child, partition, one)]
    if usage is None:  # of the root REST does not say it
        one.used_mb = sum(row.used_mb for row in rows if row.parent is one)
    if capacity or rows:
        yield one
        yield from rows


def _fair_rows(queue: Answer, parent: Row | None = None) -> Iterator[Row]:
    whole = queue["clusterResources"]["memory"] or 1

    def part(name: str) -> float:
        return float(min(_WHOLE, _WHOLE * queue[name]["memory"] / whole))

    # Its demand ends at its maximum: what is pending beyond that is known as a number of containers only.
    pending = queue["pendingContainers"]
    one = Row(
        queue["queueName"],
        queue,
        parent,
        used=part("usedResources"),
        floor=part("steadyFairResources"),
        now=part("fairResources"),
        most=part("maxResources"),
        used_mb=queue["usedResources"]["memory"],
        due_mb=queue["fairResources"]["memory"],
        pending=plural(pending, "container") if pending else "",
    )
    yield one
    for child in below(queue, "childQueues"):
        yield from _fair_rows(child, one)


def _shown(row: Row) -> Answer:
    state = row.queue.get("state", "RUNNING")
    return {
        "path": row.path,
        "depth": row.path.count("."),
        "used": row.used,
        "floor": row.floor,
        "now": row.now,
        "most": row.most,
        "pending": row.pending,
        "state": state,
        "isMade": row.queue.get("creationMethod", "static") != "static",
    }


def _chosen(row: Row, rows: list[Row], step_mb: int) -> Answer:
    siblings = [one for one in rows if one.parent is row.parent]
    facts = capacity_facts(row) if row.now is None else fair_facts(row)
    return {
        **_shown(row),
        "headline": _headline(row, siblings),
        "fact": [{"name": "Pending", "value": row.pending or "nothing"}, *facts],
        "sibling": [one.path for one in siblings],
        "user": limits_of_users(row, step_mb) if "userLimit" in row.queue else None,
    }


def _headline(row: Row, siblings: list[Row]) -> str:
    """What it uses of what is due to it, and which way the difference goes."""
    if row.due_mb is None:
        return ""
    borrowed = sum(max(0, one.used_mb - (one.due_mb or 0)) for one in siblings if one is not row)
    idle = row.due_mb - row.used_mb
    lent = min(idle, borrowed)
    if idle < 0:
        rest = f"{memory(-idle)} are borrowed from other queues."
    elif lent > 0:
        rest = f"of the other {memory(idle)}, {memory(lent)} are lent to other queues."
    else:
        rest = f"{memory(idle)} are free for it."
    due = f"{memory(row.due_mb)} {'guaranteed' if row.now is None else 'fair share'}"
    pending = f" {row.pending} pending." if row.pending else ""
    return f"Uses {memory(row.used_mb)} of {due}; {rest}{pending}"
