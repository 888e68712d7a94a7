"""Every field of a queue that Hadoop's scheduler pages show, each with the numbers that it comes from."""

from __future__ import annotations

from yarnbox.rm.web.queues.row import Row, below, is_leaf
from yarnbox.rm.web.queues.words import TIMES, factor, memory, percentage, plural, printed, size
from yarnbox.rm.web.values import Answer

_DOMINANT = " (with DominantResourceCalculator: of the dominant resource)"
_ROUNDED = ", rounded up to the minimum allocation"
_DEFAULT = "<DEFAULT_PARTITION>"
_MOST_APPS = 2**31 - 1


def _fact(name: str, value: object, how: str = "") -> Answer:
    return {"name": name, "value": value, "how": how}


def capacity_facts(row: Row) -> list[Answer]:
    """Of a queue of the CapacityScheduler in one partition."""
    queue = row.queue
    labels = _fact("Accessible Node Labels", ", ".join(queue.get("nodeLabels", ())) or _DEFAULT)
    if not is_leaf(row):
        return [
            *_shares(row),
            _fact("Num Containers", queue.get("allocatedContainers", "N/A")),
            labels,
            _fact("Ordering Policy", queue.get("orderingPolicyInfo", "N/A")),
        ]
    return [
        *_shares(row),
        *_masters(row),
        _fact("Num Schedulable Applications", queue["numActiveApplications"]),
        _fact("Num Non-Schedulable Applications", queue["numPendingApplications"]),
        _fact("Num Containers", queue["numContainers"]),
        _fact("Max Applications", queue["maxApplications"], _most_applications(row)),
        _fact("Max Applications Per User", queue["maxApplicationsPerUser"], _most_of_a_user(queue)),
        _fact("Configured Minimum User Limit Percent", f"{factor(queue['userLimit'])} %"),
        _fact("Configured User Limit Factor", factor(queue["userLimitFactor"])),
        labels,
        _fact("Ordering Policy", queue["orderingPolicyInfo"]),
        _fact("Preemption", "disabled" if queue["preemptionDisabled"] else "enabled"),
        _fact("Intra-queue Preemption", "disabled" if queue["intraQueuePreemptionDisabled"] else "enabled"),
        _fact("Default Node Label Expression", queue.get("defaultNodeLabelExpression", _DEFAULT)),
        _fact("Default Application Priority", queue["defaultPriority"]),
    ]


def _shares(row: Row) -> list[Answer]:
    state = _fact("Queue State", row.queue.get("state", "RUNNING"))
    capacity, whole = row.capacity, row.whole
    if capacity is None or whole is None:
        return [state]
    due, most = capacity["effectiveMinResource"], capacity["effectiveMaxResource"]
    of_whole = f"{size(whole['memory'])} of the partition"
    used = f"{size(row.used_mb)} used"
    share, most_share = capacity["absoluteCapacity"], capacity["absoluteMaxCapacity"]
    is_weight = capacity["weight"] >= 0
    of_parent = 100 * capacity["normalizedWeight"] if is_weight else capacity["capacity"]
    return [
        state,
        _fact(
            "Used Capacity",
            percentage(capacity["usedCapacity"]),
            f"{used} / {size(due['memory'])} effective capacity{_DOMINANT}" if due["memory"] else "",
        ),
        _configured(capacity, is_weight),
        _fact("Configured Max Capacity", percentage(capacity["maxCapacity"])),
        _effective("Effective Capacity", due, share, of_whole),
        _effective("Effective Max Capacity", most, most_share, of_whole),
        _fact(
            "Absolute Used Capacity",
            percentage(capacity["absoluteUsedCapacity"]),
            f"{used} / {of_whole}{_DOMINANT}",
        ),
        _absolute(row, "Absolute Configured Capacity", "absolute", "absoluteCapacity", of_parent),
        _absolute(
            row,
            "Absolute Configured Max Capacity",
            "absolute maximum",
            "absoluteMaxCapacity",
            capacity["maxCapacity"],
        ),
        *([_fact("Used Resources", row.usage["used"])] if row.usage else []),
    ]


def _configured(capacity: Answer, is_weight: bool) -> Answer:
    if not is_weight:
        vector = capacity["queueCapacityVectorInfo"]["configuredCapacityVector"]
        return _fact("Configured Capacity", percentage(capacity["capacity"]), vector)
    weight = factor(capacity["weight"])
    how = f"normalized {factor(capacity['normalizedWeight'])} = {weight} / all the weights"
    return _fact("Configured Weight", weight, how)


def _effective(name: str, resource: Answer, share: float, of_whole: str) -> Answer:
    how = f"{size(resource['memory'])} = {of_whole} {TIMES} {percentage(share)}"
    return _fact(name, [resource, f" ({percentage(share)})"], how)


def _absolute(row: Row, name: str, word: str, key: str, share: float) -> Answer:
    own = percentage(row.capacity[key] if row.capacity else None)
    above = row.parent and row.parent.capacity
    if not row.parent or not above:
        return _fact(name, own)
    how = f"{row.name} {word} {own} = {row.parent.name} {percentage(above[key])} {TIMES} {percentage(share)}"
    return _fact(name, own, how)


def _most_applications(row: Row) -> str:
    """By which rule it is so many."""
    limit = row.application_limit
    if limit is None:
        return ""
    most, base = row.queue["maxApplications"], limit["base"]
    words = {
        "QUEUE": "maximum-applications of this queue",
        "EVERY_QUEUE": "global-queue-max-application, at most maximum-applications of the scheduler",
        "SHARE": f"{most} = {base} of the scheduler {TIMES} {percentage(limit['share'])}",
        "SCHEDULER": "maximum-applications of the scheduler: this queue has no absolute capacity yet",
    }
    return words[limit["rule"]]


def _most_running(row: Row) -> Answer:
    """Of a queue of the FairScheduler."""
    most, limit = row.queue["maxApps"], row.application_limit
    is_own = limit is not None and limit["rule"] == "QUEUE"
    how = "" if limit is None else "maxRunningApps of this queue" if is_own else "queueMaxAppsDefault"
    is_limited = most < _MOST_APPS
    return _fact(
        "Max Running Applications", most if is_limited else "no limit", how if is_limited or is_own else ""
    )


def _most_of_a_user(queue: Answer) -> str:
    most, many = queue["maxApplications"], queue["userLimitFactor"]
    if many < 0:
        return f"{most}: users have no limit of their own (user-limit-factor -1)"
    part = f"{most} {TIMES} {factor(queue['userLimit'])}% {TIMES} {factor(many)}"
    return f"{queue['maxApplicationsPerUser']} = min({most}, {part})"


def _masters(row: Row) -> list[Answer]:
    """What ApplicationMasters may have."""
    queue, capacity, usage = row.queue, row.capacity, row.usage
    if not usage or not capacity:
        return []
    share = percentage(capacity["maxAMLimitPercentage"])
    guaranteed = size(capacity["effectiveMinResource"]["memory"])
    limit, of_one = usage["amLimit"], usage["userAmLimit"]
    users = sum(one["isActive"] for one in queue["users"].get("user", ()))
    of_user = (
        f" {TIMES} max(1 / {plural(users, 'user')}, {factor(queue['userLimit'])}%)"
        f" {TIMES} {factor(queue['userLimitFactor'])}"
    )
    each = f"{guaranteed} {TIMES} {share}{'' if queue['userLimitFactor'] < 0 else of_user}"
    how = f"{size(of_one['memory'])} = min({size(limit['memory'])}, {each}){_ROUNDED}"
    may_use = f"what the queue may use now, at least {guaranteed}, {TIMES} {share}"
    return [
        _fact("Configured Max Application Master Limit", share),
        _fact(
            "Max Application Master Resources",
            limit,
            f"{size(limit['memory'])} = {may_use}{_ROUNDED}",
        ),
        _fact("Used Application Master Resources", usage["amUsed"]),
        _fact("Max Application Master Resources Per User", of_one, how if users else ""),
    ]


def fair_facts(row: Row) -> list[Answer]:
    """Of a queue of the FairScheduler."""
    queue = row.queue

    def amount(name: str, key: str, how: str = "") -> Answer:
        return _fact(name, queue[key], how)

    demand = f"used {printed(queue['usedResources'])} and what is asked for, up to the maximum"
    leaf = (
        amount("AM Used Resources", "amUsedResources"),
        amount("AM Max Resources", "amMaxResources"),
        _fact("Num Active Applications", queue.get("numActiveApps")),
        _fact("Num Pending Applications", queue.get("numPendingApps")),
    )
    return [
        _fact("Scheduling Policy", queue["schedulingPolicy"]),
        amount("Used Resources", "usedResources"),
        amount("Demand Resources", "demandResources", demand),
        *(leaf if is_leaf(row) else ()),
        amount("Min Resources", "minResources"),
        amount("Max Resources", "maxResources"),
        amount("Max Container Allocation", "maxContainerAllocation"),
        amount("Reserved Resources", "reservedResources"),
        _most_running(row),
        amount("Steady Fair Share", "steadyFairResources", _share_by_weight(row, "steadyFairResources")),
        amount("Instantaneous Fair Share", "fairResources", _share_by_weight(row, "fairResources")),
        _fact("Num Containers", queue["allocatedContainers"]),
        _fact("Preemptable", str(queue["preemptable"]).lower()),
    ]


def _share_by_weight(row: Row, key: str) -> str:
    queue, parent = row.queue, row.parent
    if parent is None:
        return f"the whole cluster: {size(queue['clusterResources']['memory'])}"
    is_steady = key == "steadyFairResources"

    def counts(one: Answer) -> bool:
        demand = one["demandResources"]
        is_served = one is queue and queue[key]["memory"] > 0
        return bool(is_steady or demand["memory"] or demand["vCores"] or is_served)

    siblings = [
        one["queueName"].rpartition(".")[2] for one in below(parent.queue, "childQueues") if counts(one)
    ]
    among = f"{'all children' if is_steady else 'the active children'}: {', '.join(siblings) or 'none'}"
    own, whole = size(queue[key]["memory"]), size(parent.queue[key]["memory"])
    return (
        f"{own} = the share of the {whole} of {parent.path} "
        f"by weight, among {among}; at least its minimum, at most its maximum"
    )


def fifo_facts(info: Answer) -> list[Answer]:
    """Of the one queue of the FifoScheduler."""
    used, free, whole = (info[f"{name}NodeCapacity"] for name in ("used", "avail", "total"))
    return [
        _fact("Queue State", info["qstate"]),
        _fact("Minimum Queue Memory Capacity", memory(info["minQueueMemoryCapacity"])),
        _fact("Maximum Queue Memory Capacity", memory(info["maxQueueMemoryCapacity"])),
        _fact("Number of Nodes", info["numNodes"]),
        _fact("Used Node Capacity", memory(used)),
        _fact("Available Node Capacity", memory(free), f"{size(free)} = {size(whole)} - {size(used)}"),
        _fact("Total Node Capacity", memory(whole)),
        _fact("Number of Node Containers", info["numContainers"]),
    ]
