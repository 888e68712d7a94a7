"""Small plausible faults of our schedulers. Scenarios or walks must notice each of them (mutation.py).

Each is one line of ours changed to what somebody could have written by mistake. A fault that nothing notices
is a rule that nothing checks.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.mutants import Mutant

_QUEUES = "rm/scheduler/capacity/queues/"
_ALLOCATION = "rm/scheduler/capacity/allocation/"
_PREEMPTION = "rm/scheduler/capacity/preemption/"
_FAIR = "rm/scheduler/fair/"
_LOADS = "rm/scheduler/containers/node_loads.py"
_OPPORTUNISTIC = "rm/scheduler/containers/opportunistic.py"


class SchedulerMutant(Mutant):
    """A fault of a scheduler."""

    __slots__ = ()

    @property
    def scheduler(self) -> str:
        """The scheduler whose walks may notice it."""
        names = ("fair", "fifo")
        return next((name for name in names if self.file.startswith(f"rm/scheduler/{name}")), "capacity")

    @property
    def areas(self) -> tuple[str, ...]:
        """The directories of scenarios that may notice it, the nearest first."""
        if self.scheduler != "capacity":
            return (self.scheduler,)
        if self.file in (_LOADS, _OPPORTUNISTIC):
            return ("opportunistic",)
        areas = ("capacity", "labels", "queues", "requests", "preemption")
        return areas[::-1] if self.file.startswith(_PREEMPTION) else areas


def _in(file: str, *rows: tuple[str, str, str]) -> Iterator[SchedulerMutant]:
    return (SchedulerMutant(name, file, before, after) for name, before, after in rows)


MUTANTS = (
    *_in(
        _QUEUES + "limits.py",
        (
            "AM limit rounded down",
            "return calculator.multiply_up(usable, percent, minimum)",
            "return calculator.multiply_down(usable, percent, minimum)",
        ),
        (
            "user's AM limit rounded down",
            "calculator.multiply_up(effective_minimum, ratio, minimum), queue_limit",
            "calculator.multiply_down(effective_minimum, ratio, minimum), queue_limit",
        ),
        (
            "AM limit of what the queue is guaranteed",
            "usable = current_limit if fits else effective_minimum",
            "usable = effective_minimum",
        ),
        (
            "consumption cut off",
            "consumed = int(total * inputs.consumed_ratio + 0.5)",
            "consumed = int(total * inputs.consumed_ratio)",
        ),
        (
            "user limit grows one container late",
            "current = capacity if consumed < capacity else consumed + minimum\n    if for_all",
            "current = capacity if consumed <= capacity else consumed + minimum\n    if for_all",
        ),
        (
            "minimum user limit cut off",
            "-(-int(current * inputs.percent) // 100)",
            "int(current * inputs.percent) // 100",
        ),
        (
            "headroom not in whole containers",
            "total - all_used, calculator.down(own, minimum))",
            "total - all_used, own)",
        ),
    ),
    *_in(
        _QUEUES + "leaf.py",
        (
            "no AM without an AM",
            "is_starved = self.order.count == 0 or not calculator.is_any_positive(am_used)",
            "is_starved = self.order.count == 0",
        ),
        (
            "user at the limit passed over",
            "if calculator.compare(pass_.cluster, used, limit) <= 0:",
            "if calculator.compare(pass_.cluster, used, limit) < 0:",
        ),
        (
            "user's use of the node's partition",
            "in_default = user.usage.used(DEFAULT_PARTITION)",
            "in_default = used",
        ),
        (
            "headroom below zero",
            "return found if found.memory_mb >= 0 else Resource(0, found.vcores, found.others)",
            "return found",
        ),
    ),
    *_in(
        _QUEUES + "users.py",
        (
            "waiting users never counted",
            "1 for user in self.by_name.values() if user.pending_apps > 0 and user.active_apps <= 0",
            "0 for user in self.by_name.values()",
        ),
        (
            "weights of users forgotten",
            "limit = self.context.calculator.multiply_down(whole, weight, self.context.minimum)",
            "limit = self.context.calculator.multiply_down(whole, 1.0, self.context.minimum)",
        ),
    ),
    *_in(
        _QUEUES + "queue.py",
        (
            "queue at its maximum goes on",
            "if calculator.compare(cluster, used, bound) < 0:\n            return True",
            "if calculator.compare(cluster, used, bound) <= 0:\n            return True",
        ),
    ),
    *_in(
        _QUEUES + "parent.py",
        (
            "stopped queue keeps nothing free",
            "blocked = blocked + outcome.blocked\n                    free = free - outcome.blocked",
            "blocked = blocked + outcome.blocked\n                    free = free - outcome.blocked * 0",
        ),
        (
            "child's limit not in whole containers",
            "child.assign(pass_, calculator.sum_down(free, its_share.amounts.used, minimum))",
            "child.assign(pass_, free + its_share.amounts.used)",
        ),
    ),
    *_in(
        "rm/scheduler/calculator.py",
        ("DRF by the first ratio alone", "return 0 if b == d else -1 if b < d else 1", "return 0"),
        (
            "requests rounded down",
            "memory = round_up(max(asked.memory_mb, minimum.memory_mb), step.memory_mb)",
            "memory = round_down(max(asked.memory_mb, minimum.memory_mb), step.memory_mb)",
        ),
    ),
    *_in(
        _ALLOCATION + "refusals.py",
        (
            "rack one opportunity early",
            "> min(len(context.tracker), delay)",
            ">= min(len(context.tracker), delay)",
        ),
        (
            "off-switch one opportunity early",
            "return missed > min(nodes, asks.outstanding * share)",
            "return missed >= min(nodes, asks.outstanding * share)",
        ),
        ("rack delay beyond the cluster", "return missed > min(nodes, delay)", "return missed > delay"),
        (
            "foreign partition one opportunity late",
            "if missed < len(on_node.leaf.context.tracker):",
            "if missed <= len(on_node.leaf.context.tracker):",
        ),
        (
            "no further reservation after long waiting",
            "starvation = int(float32(repeated * rest))",
            "starvation = 0",
        ),
        (
            "reserved room not given up",
            "room = room + attempt.reserved_resource(pass_.partition)",
            "room = room + attempt.reserved_resource(pass_.partition) * 0",
        ),
    ),
    *_in(
        _ALLOCATION + "allocator.py",
        (
            "rack-local containers keep the delay",
            "if locality is Locality.NODE_LOCAL or (locality is Locality.RACK_LOCAL and full_reset):",
            "if locality is Locality.NODE_LOCAL:",
        ),
        (
            "strict racks relaxed",
            "                if not rack.relax_locality:",
            "                if not True:",
        ),
        (
            "reservation for what is above the limit",
            "if more and not (continues and must):",
            "if more:",
        ),
    ),
    *_in(
        _ALLOCATION + "heartbeat.py",
        (
            "one off-switch container too many",
            "if off_switch >= settings.maximum_off_switch or",
            "if off_switch > settings.maximum_off_switch or",
        ),
        (
            "node goes on after a reservation",
            "if off_switch >= settings.maximum_off_switch or assignment.is_reservation:",
            "if off_switch >= settings.maximum_off_switch:",
        ),
    ),
    *_in(
        _PREEMPTION + "ideal.py",
        (
            "no dead zone",
            "zone = truncate(share.guaranteed, 1.0 + self.settings.max_ignored_over_capacity)",
            "zone = share.guaranteed",
        ),
        ("all at once", "factor = self.settings.natural_termination_factor", "factor = 1.0"),
        (
            "no limit for a round",
            "if arithmetic.compare(base, needed, self.allowed) > 0:",
            "if arithmetic.compare(base, needed, self.allowed) > 0 and not needed:",
        ),
        (
            "priorities of queues ignored",
            "return part >= 1.0, -queue.priority, part",
            "return part >= 1.0, 0, part",
        ),
        (
            "the satisfied take from others",
            "if queue.is_leaf and not self.is_balancing:",
            "if queue.is_leaf and self.is_balancing:",
        ),
    ),
    *_in(
        _PREEMPTION + "intra.py",
        (
            "intra-queue preemption without threshold",
            "if used_capacity < float32(settings.intra_minimum_threshold):",
            "if used_capacity < 0.0:",
        ),
        (
            "intra-queue preemption without limit",
            "limit = truncate(share.guaranteed, float32(self.round.settings.intra_max_allowable_limit))",
            "limit = share.guaranteed",
        ),
        (
            "intra-queue preemption of the last container",
            "spare = less(spare, self.round.snapshot.minimum_allocation)",
            "spare = less(spare, NONE)",
        ),
    ),
    *_in(
        _PREEMPTION + "policy.py",
        ("kill one pass late", "elif since_ms + wait_ms <= now_ms:", "elif since_ms + wait_ms < now_ms:"),
    ),
    *_in(
        _PREEMPTION + "selection.py",
        (
            "oldest containers first",
            "found.reverse()\n    if not _is_newest_first(found):",
            "if _is_newest_first(found):",
        ),
        (
            "one AM too many",
            "arithmetic.compare(cluster, self.am_size, self.leaf.am_limit) <= 0:",
            "arithmetic.compare(cluster, self.am_size, self.leaf.am_limit) < 0:",
        ),
    ),
    *_in(
        _FAIR + "queues/policies.py",
        (
            "DRF by the first share alone",
            "return (1.0, first / weight, second / weight)",
            "return (1.0, first / weight, 0.0)",
        ),
        ("content only above the minimum share", "        if used < least:\n", "        if used <= least:\n"),
    ),
    *_in(
        _FAIR + "queues/leaf.py",
        ("AM share cut off", "math.ceil(value * self.max_am_share)", "int(value * self.max_am_share)"),
        (
            "minimum share fought for one look late",
            "if now_ms - self.last_at_min_share_ms < self.min_share_timeout_ms:",
            "if now_ms - self.last_at_min_share_ms <= self.min_share_timeout_ms:",
        ),
        (
            "the lack itself instead of what goes beyond",
            "wanted, pending = less(wanted, pending), NONE",
            "wanted, pending = pending, NONE",
        ),
        (
            "starving applications looked at again at once",
            "if now_ms >= app.next_check_ms]",
            "if now_ms >= 0]",
        ),
    ),
    *_in(
        _FAIR + "preemption.py",
        (
            "preemption in an empty cluster",
            "return fair.settings.utilization_threshold < utilization",
            "return utilization >= 0.0",
        ),
        (
            "four heartbeats more between passes",
            "if settings.continuous_scheduling else 0",
            "if settings.continuous_scheduling else 4000",
        ),
        (
            "one container more than is lacked",
            "min(request.count, need.memory_mb // memory if memory else 0)",
            "min(request.count, -(-need.memory_mb // memory) if memory else 0)",
        ),
        ("first of the map first", "for container in reversed(ordered)", "for container in ordered"),
    ),
    *_in(
        _FAIR + "queues/shares.py",
        (
            "shares from below",
            "            high = middle\n    return high",
            "            high = middle\n    return low",
        ),
    ),
    *_in(
        _FAIR + "application.py",
        (
            "reservation only above the threshold",
            "if calculator.compare(cluster, capability, fair.reservation_threshold) < 0:",
            "if calculator.compare(cluster, capability, fair.reservation_threshold) <= 0:",
        ),
        (
            "no longer choosy after a near container",
            "if level is not None and _RANK[locality] < _RANK[level]:",
            "if level is not None and _RANK[locality] > _RANK[level]:",
        ),
    ),
    *_in(
        "rm/scheduler/fifo.py",
        (
            "less important requests overtake",
            "node, attempt.asks[key]) == 0:",
            "node, attempt.asks[key]) < 0:",
        ),
        (
            "node for one container is busy",
            "return node.available.memory_mb < minimum.memory_mb",
            "return node.available.memory_mb <= minimum.memory_mb",
        ),
        (
            "all in one place",
            "return max(0, min(wanted, request.count, fitting)), required",
            "return max(0, min(wanted, fitting)), required",
        ),
    ),
    *_in(
        _LOADS,
        (
            "one container more than the queue holds",
            "if self.queue_length >= self.queue_capacity:",
            "if self.queue_length > self.queue_capacity:",
        ),
        (
            "first the node that was heard of first",
            "(self._metric(load), -load.heard_ms)",
            "(self._metric(load), load.heard_ms)",
        ),
        (
            "always the least loaded node",
            "self._next = place + 1",
            "self._next = 0",
        ),
        (
            "nodes are ranked too late",
            "if rankings > self._rankings:",
            "if rankings > self._rankings + 1:",
        ),
        (
            "what a container takes is not counted",
            "load.used = load.used + size",
            "load.used = load.used",
        ),
    ),
    *_in(
        _OPPORTUNISTIC,
        (
            "first key first",
            "sorted(wishes.outstanding, reverse=True)",
            "sorted(wishes.outstanding)",
        ),
        (
            "sizes as they were asked for",
            "capability = _SIZES.normalize(size, wishes.minimum, wishes.maximum, wishes.minimum)",
            "capability = size",
        ),
        (
            "hosts keep their count",
            "wanted.ask(place, count)",
            "wanted.ask(place, count + 1)",
        ),
    ),
)
