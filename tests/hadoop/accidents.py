"""Accidents of Hadoop's that our ResourceManager does not follow, each by its name and its exact shape.

Some are stepped over: the comparison notes the name and goes on. After others the books of the two stay
apart, so the play ends there. Both are counted in the report; all else that differs is a difference. See
docs/differential-testing.md.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from yarnbox.yarn.enums import ContainerUpdateType
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId
from yarnbox.yarn.records.admin import ReplaceLabelsOnNodeRequest
from yarnbox.yarn.records.master import AllocateRequest, AllocateResponse
from yarnbox.yarn.resources.resource import NONE, Resource

DECREASE = "decreased container cleaned up once more"
RELISTED = "container of an earlier attempt, listed once more because it got another size"
REMOVED = "removed from a node that registered again"
UNLISTED = "node without its label, which multi-node placement does not list any more"
LISTED = "node with another label, which multi-node placement still lists in its old partition"
ALONE = "request for more containers at a host than on its rack, at which FIFO breaks"
BROKEN = "removal of a node that multi-node placement does not list, at which Hadoop breaks"
AMBIGUOUS = "preemption that breaks at a leaf whose name another queue has, too"
NAMELESS = "preemption that breaks at a container of the placement processor"
LOST = "reservation lost when an update of it was refused"
BEYOND = "decrease to more of a type, which Hadoop does at once, beyond all limits"
CROSSED = "decrease in the call that takes the increase of the same container, at which Hadoop breaks"
DRAINING = "another size of a container is not told to a node that drains"
COUNTED = "what stands for another size of a container is still on its node in the report of the same answer"
SHARE = "share of a partition without nodes is 0 by 0"
EMPTY = "ratios of a vector where there are no nodes: those of before, or 0 by 0"
TWICE = "request given back twice, by the end of a container and by the warning of its preemption"
MOVED = "ended container, moved to another partition with its node"
SMALLER = "AM smaller than what was asked for it, and the label of its node"
NAMED = "queue of an application that was moved, as the call named it, after a restart"
UNCOUNTED = "application recovered beyond the limit of its queue, which the parents do not count"
OMITTED = "queue with applications that a refresh omits, and lists as STOPPED, leaves at once"
PRIORITY = "priority updated to that of the submission, which is not stored, after a restart"
HALF = "refresh refused when queues have changed already, which Hadoop does not take back"
CONVERTED = (
    "leaf with applications that a refresh makes a parent, and lists as STOPPED, is not in the tree any more"
)
UNTOLD = "what is reserved of further types, which queues of the FairScheduler do not tell"
MIXED = "amounts beside percentages, which are not seen where an amount comes last"
PROMOTED = "demoted container that is to grow, which Hadoop promotes instead"
STUCK = "attempt that begins while its queue may have nothing of what its AM needs, and waits for ever"
DEDUCTED = "ended container that its node had not reported, deducted once more from what FIFO has used"

_DECREASE, _INCREASE = ContainerUpdateType.DECREASE_RESOURCE, ContainerUpdateType.INCREASE_RESOURCE
_PROMOTE = ContainerUpdateType.PROMOTE_EXECUTION_TYPE
_NO_SIZE = '"rhs" is null'
_MULTI_NODE = "yarn.scheduler.capacity.multi-node-placement-enabled"
LEGACY = "yarn.scheduler.capacity.legacy-queue-mode.enabled"
_RATIO = re.compile(r"\.queues\.[^ ]*\.labels\.[^.]*\.(absolute-)?(max-)?(used-)?capacity$")
_RESERVATION = re.compile(r"\.plans\.[^ ]*\.(?P<id>reservation_[^. ]*)$")
_PLACED = re.compile(r"\.nodes\.(?P<node>[^.]*)\.(containers|reserved)$")
_FORGOTTEN = "nodeHeartbeat.containers_to_be_removed_from_nm"
_HEADROOM = "allocate.limit"
_ERRORS, _OUTSIDE = "allocate.update_errors", "RESOURCE_OUTSIDE_ALLOWED_RANGE"
_QUEUES = ("getApplicationReport.application_report.queue", "registerApplicationMaster.queue")
_RELABELS = frozenset(("replaceLabelsOnNodes", "removeFromClusterNodeLabels"))
_PRIORITY = re.compile(r"\.apps\.(?P<app>[^.]*)\.priority$")
_ATTEMPT_STATE = re.compile(r"\.apps\.(?P<app>[^.]*)\.attempt-state$")
_APPS = re.compile(r"\.queues\.[^ ]*\.apps$")
_STATE = re.compile(r"\.queues\.[^ ]*\.state$")
_QUEUE = re.compile(r"\.queues\.(?P<path>root(\.[^.]+)*)$")
_COUNT_OF_NODE = re.compile(r"allocate\.updated_nodes\[\d+\]\.numContainers$")
_USED_OF_NODE = re.compile(r"allocate\.updated_nodes\[\d+\]\.used(\.[^.]*)?$")
_FAIR_RESERVED = re.compile(r"\.queues\.(?!.*\.labels\.).*\.reserved\.(?!memory-mb$|vcores$)")
_WANTED = re.compile(r"\.apps\.(?P<app>[^.]*)\.attempt\.(pending|demand)\.[^ ]*$")
_AM_USED = re.compile(r"\.queues\.(?P<leaf>[^ ]*)\.labels\.[^.]*\.am-used\.[^ ]*$")
_SIZES = ("nodeHeartbeat.containers_to_decrease", "nodeHeartbeat.containers_to_update")
_PARTITION = re.compile(r"\.queues\.[^ ]*\.labels\.")
_NO_QUEUE = re.compile(r"CSQueue\.getQueuePath\(\).*CapacityScheduler\.getQueue\(String\)\" is null")
_NOT_REFRESHED, _NOT_CONVERTED = "Failed to re-init queues : ", "Can not convert the leaf queue"
_MIXED = "have children queue used mixed of weight mode, percentage and absolute mode"
_NOT_DELETED = "cannot be deleted from the capacity scheduler configuration"
_LATE_FAULTS = ("the maximum allocation size can not be decreased", "(mapping ")
"""What Hadoop finds out when it has begun to change its queues."""
_NO_PARTITION = re.compile(r"cannot find TempQueuePerPartition for queueName=(?P<name>[^.]+)$")


class EndedByAccidentError(Exception):
    """From here on the two cannot be compared: the name of the accident is the message."""


CRASHES = {
    ALONE: ("FifoScheduler.assignNodeLocalContainers", "LocalityAppPlacementAllocator.decResourceRequest"),
    BROKEN: ('"nodesPerPartition" is null', "ClusterNodeTracker.removeNode"),
}
"""Accidents that end Hadoop's process, with what its last words name."""


class Accidents:
    """What the comparison has seen of one play, as far as accidents depend on it."""

    def __init__(self) -> None:
        self.stepped_over: Counter[str] = Counter()
        self._containers: dict[str, None] = {}
        """Every id under which either side showed a container."""
        self._sizes: dict[str, Mapping[str, int]] = {}
        """Of the containers that were live after a turn, as they were last."""
        self._registrations: Counter[str] = Counter()
        self._draining: dict[str, None] = {}
        """Nodes that are or were being decommissioned."""
        self._changed: dict[str, None] = {}
        """Containers that were to take another size."""
        self._gone: dict[str, None] = {}
        """Applications of containers that had ended before the present turn was to preempt them."""
        self._smaller: dict[str, None] = {}
        """Leaves with an AM whose container is smaller than what its attempt is booked for."""
        self._resized = 0
        """How many containers get another size with the present call of an AM, at most."""
        self._barred: dict[str, None] = {}
        """Applications that want a type of which their queue may have nothing now."""
        self._unlisted: dict[str, None] = {}
        """With multi-node placement: hosts that have lost their label."""
        self._still_listed: dict[str, None] = {}
        """With multi-node placement: hosts that have got or lost a label."""
        self._has_moved_ended = False
        """Whether a node changed its label that had not reported the end of a container."""
        self._has_candidates = False
        """Whether there is multi-node placement."""
        self._has_vectors = False
        """Whether each resource type of a capacity has a unit of its own."""
        self._refused_updates: dict[str, None] = {}
        """Reservations of which an update was refused."""
        self._is_half_refreshed = False
        """Whether a refresh was refused for what Hadoop finds out late."""
        self._prioritized: dict[str, None] = {}
        """Applications whose priority was updated."""
        self._has_restarted = False
        """Whether the ResourceManager is not the first one."""
        self._deducted: list[Resource] = [NONE]
        """By how much Hadoop's FifoScheduler has thought less used than is, from the first time on."""

    def add_registered_node(self, node_id: str) -> None:
        """A NodeManager registered."""
        self._registrations[node_id] += 1

    def note_queues(self, properties: Mapping[str, str]) -> None:
        """What capacity-scheduler.xml says now."""
        self._has_candidates = properties.get(_MULTI_NODE) == "true"
        self._has_vectors = properties.get(LEGACY, "true") != "true"

    def note_preempted(self, container_ids: Iterable[ContainerId]) -> None:
        """The warning of these containers, which have ended before, is over in this turn."""
        apps = (str(each.application_attempt_id.application_id) for each in container_ids)
        self._gone = dict.fromkeys(apps)

    def note_smaller(self, leaves: Iterable[str]) -> None:
        """Where AMs are smaller than what is booked for them after this turn."""
        self._smaller.update(dict.fromkeys(leaves))

    def note_deducted(self, resource: Resource) -> None:
        """A node goes that had not reported the end of a container of this size."""
        self._deducted.append(self._deducted[-1] + resource)

    def note_restart(self) -> None:
        """Another ResourceManager begins."""
        self._has_restarted = True

    def note_labels(self, request: ReplaceLabelsOnNodeRequest) -> None:
        """Nodes have other labels from now on."""
        for one in request.node_to_labels:
            if self._has_candidates and one.node_id is not None:
                self._still_listed[one.node_id.host] = None
                if not one.node_labels:
                    self._unlisted[one.node_id.host] = None

    def note_moved(self) -> None:
        """A node with a container whose end it has not reported has another label from now on."""
        self._has_moved_ended = True

    def note_refused_update(self, reservation_id: str) -> None:
        """Both sides refused an update of the reservation."""
        self._refused_updates[reservation_id] = None

    def note_priority(self, application_id: str) -> None:
        """Both sides gave the application another priority, or the one that it had."""
        self._prioritized[application_id] = None

    def note_refused_refresh(self, ours: str, hadoop: str) -> None:
        """Both sides refused to refresh the queues. Hadoop may tell why it could not go back instead."""
        cannot_go_back = _NOT_DELETED in hadoop and _NOT_DELETED not in ours
        self._is_half_refreshed |= cannot_go_back or any(fault in ours for fault in _LATE_FAULTS)

    def note_changes(self, container_ids: Sequence[ContainerId], standing: int) -> None:
        """A call of an AM wants other sizes of these containers, and room was reserved for so many others."""
        self._resized = len(container_ids) + standing
        self._changed.update(dict.fromkeys(map(str, container_ids)))

    def note_seen(self, seen: Mapping[str, Any]) -> None:
        """What one side shows between two turns."""
        for node_id, node in seen["nodes"].items():
            if node["state"] == "DECOMMISSIONING":
                self._draining[node_id] = None
            self._containers.update(dict.fromkeys(node.get("containers", ())))
        for app_id, app in seen["apps"].items():
            most = seen.get("queues", {}).get(app.get("queue"), {}).get("max-share")
            wanted = app.get("attempt", {}).get("demand")
            if most is not None and wanted:
                self._barred.pop(app_id, None)
                self._barred.update((app_id, None) for one in wanted if one not in most)
            live = app.get("attempt", {}).get("live", ())
            self._containers.update((each["id"], None) for each in live)
            self._sizes.update((each["id"], each["used"]) for each in live)

    def in_answer(self, path: str, ours: object, hadoop: object, node_id: str) -> bool:
        """Whether a difference of an answer is stepped over; EndedByAccidentError where it ends the play."""
        name = None
        extra = _extra(ours, hadoop)
        if path == "nodeHeartbeat.containers_to_cleanup" and extra:
            # Under the container's id, or under the one that stood for what it gave back.
            known = [text for each in extra if (text := _text(each)) in self._containers]
            name = DECREASE if self._changed and all(text in self._changed for text in known) else None
        elif path == _FORGOTTEN and self._unlisted and self._is_passing(extra or _extra(hadoop, ours)):
            # A container that begins and ends in one turn, elsewhere: see _check_places.
            raise EndedByAccidentError(UNLISTED)
        elif path == _FORGOTTEN and extra:
            name = REMOVED if self._registrations[node_id] > 1 else None
        elif path == "allocate.containers_from_previous_attempts" and extra:
            # Hadoop: ContainerUpdateContext.swapContainer takes it out of the attempt and puts it back, which
            # SchedulerApplicationAttempt.addRMContainer takes for a recovery.
            name = RELISTED if all(_text(each["id"]) in self._changed for each in extra) else None
        elif path in _SIZES and node_id in self._draining and hadoop is None:
            # Hadoop: RMNodeImpl knows no UPDATE_CONTAINER in DECOMMISSIONING, and drops it.
            name = DRAINING
        elif _COUNT_OF_NODE.match(path) and isinstance(hadoop, int):
            # Hadoop: AbstractYarnScheduler.createDecreasedRMContainer puts an empty container on the node.
            name = COUNTED if _number(ours) < hadoop <= _number(ours) + len(self._changed) else None
        elif _USED_OF_NODE.match(path) and (isinstance(hadoop, int) or ours is None):
            # Its space is free with an event that the scheduler receives after the answer.
            is_more = isinstance(hadoop, dict) or _number(ours) < _number(hadoop)
            name = COUNTED if is_more and self._resized else None
        elif path == _ERRORS and (refused := _extra(hadoop, ours)):
            # Hadoop: RMServerUtils.validateIncreaseDecreaseRequest looks at the largest allocation only.
            if all(self._is_beyond(each) for each in refused):
                raise EndedByAccidentError(BEYOND)
        elif path in _QUEUES and isinstance(ours, str):
            # Hadoop: RMAppManager.updateAppDataToStateStore stores the name that the caller gave.
            name = NAMED if self._has_restarted and ours.endswith(f".{hadoop}") else None
        elif path == _HEADROOM or path.startswith(f"{_HEADROOM}."):
            name = DEDUCTED if self._is_deducted(path, ours, hadoop) else None
        return self._step_over(name)

    def _is_passing(self, ids: Sequence[Mapping[str, Any]]) -> bool:
        """Whether none of these containers was there between two turns."""
        return bool(ids) and all(_text(each) not in self._containers for each in ids)

    def in_updates(self, ours: AllocateResponse, hadoop: AllocateResponse) -> None:
        """EndedByAccidentError where it is an accident what an AM receives for an update."""
        # Hadoop: SchedulerApplicationAttempt.addToNewlyAllocatedContainers takes what is allocated for an
        # opportunistic container for its promotion, and releases its size for what was to be added.
        grown = [one.container.id for one in ours.updated_containers if one.update_type is _INCREASE]
        promoted = [one.container.id for one in hadoop.updated_containers if one.update_type is _PROMOTE]
        if any(one in grown for one in promoted):
            raise EndedByAccidentError(PROMOTED)

    def _is_beyond(self, error: Mapping[str, Any]) -> bool:
        """Whether ours has refused a decrease because it wants more of a type."""
        request = error["update_request"]
        if error["reason"] != _OUTSIDE or request.get("update_type") != _DECREASE.value:
            return False
        size = self._sizes.get(_text(request["container_id"]), {})
        return any(amount > size.get(name, 0) for name, amount in request["capability"].items())

    def _is_deducted(self, path: str, ours: object, hadoop: object) -> bool:
        """Whether Hadoop's headroom is larger by what has been deducted twice: by all of it, or by less where
        ours has nothing left. It is as of the last pass. Hadoop: FifoScheduler.completedContainerInternal
        deducts a container again when its node is removed.
        """
        of_type = path.removeprefix(_HEADROOM).removeprefix(".")
        left = {of_type: ours} if of_type else ours if isinstance(ours, dict) else {}
        seen = {of_type: hadoop} if of_type else hadoop if isinstance(hadoop, dict) else {}
        more = {one: _number(seen.get(one)) - _number(left.get(one)) for one in {**left, **seen}}
        return any(
            all(
                difference == amount or (0 < difference < amount and not left.get(one))
                for one, difference in more.items()
                for amount in [deducted.as_dict().get(one, 0)]
            )
            for deducted in self._deducted[1:]
        )

    def in_defect(self, message: str, request: object, answer: object) -> None:
        """EndedByAccidentError where it is an accident that a call breaks, which ours answers."""
        if isinstance(request, AllocateRequest) and isinstance(answer, AllocateResponse):
            wanted = dict.fromkeys(
                each.container_id for each in request.update_requests if each.update_type is _DECREASE
            )
            taken = (each.container.id for each in answer.updated_containers if each.update_type is _INCREASE)
            if message.endswith(_NO_SIZE) and any(each in wanted for each in taken):
                # Hadoop: ContainerUpdateContext forgets with the increase what the decrease is to leave, and
                # FiCaSchedulerApp.getAllocation takes that next.
                raise EndedByAccidentError(CROSSED)

    def in_refusal(self, ours: str | None, hadoop: str | None) -> None:
        """EndedByAccidentError where it is an accident that one accepts what the other refuses."""
        if self._is_half_refreshed and hadoop is not None and _NOT_DELETED in hadoop:
            # Hadoop: the queue is one that the refused file has brought, see in_books.
            raise EndedByAccidentError(HALF)
        # Hadoop: CapacitySchedulerConfigValidator.validateLeafQueueConversion looks at the states, of which
        # the file's is enough; AbstractParentQueue.reinitialize puts another queue in the place of the leaf.
        faults = (ours or "").removeprefix(_NOT_REFRESHED).split("; ")
        if all(fault.startswith(_NOT_CONVERTED) for fault in faults):
            raise EndedByAccidentError(CONVERTED)
        # Hadoop: AbstractParentQueue.getCapacityConfigurationTypeForQueues forgets percentages when it comes
        # to an amount, so it sees none if the last of the queues has one.
        if all(_MIXED in fault and "uses absolute mode" in fault for fault in faults):
            raise EndedByAccidentError(MIXED)

    def in_preemption(self, crash: str, queue_names: Iterable[str]) -> None:
        """EndedByAccidentError where an exception in a pass of preemption is an accident."""
        # Hadoop: the applications and containers of a leaf say its short name, which finds no queue when
        # there are two of it: FifoIntraQueuePreemptionPlugin.skipContainerBasedOnIntraQueuePolicy and
        # CapacitySchedulerPreemptionUtils.deductPreemptableResourcesBasedSelectedCandidates.
        shared = [name for name, count in Counter(queue_names).items() if count > 1]
        lost = _NO_PARTITION.search(crash)
        if (shared and _NO_QUEUE.search(crash)) or (lost and lost["name"] in shared):
            raise EndedByAccidentError(AMBIGUOUS)
        if lost and lost["name"] == "null":
            # Hadoop: CapacityScheduler.createResourceCommitRequest does not tell a container its queue.
            raise EndedByAccidentError(NAMELESS)

    def in_books(self, path: str, ours: object, hadoop: object, rpcs: Iterable[str]) -> bool:
        """Whether a difference of the books is stepped over; EndedByAccidentError where it ends the play."""
        reservation = _RESERVATION.match(path)
        if reservation and hadoop is None and reservation["id"] in self._refused_updates:
            # Hadoop: InMemoryPlan.updateReservation takes the old one out, and puts it back only where the
            # policy, which looks at it as at a new one, lets it in.
            if "updateReservation" in rpcs:
                raise EndedByAccidentError(LOST)
        self._check_places(path, ours, hadoop)
        begun = _ATTEMPT_STATE.match(path)
        if begun and (ours, hadoop) == ("SCHEDULED", "SUBMITTED") and begun["app"] in self._barred:
            # Hadoop: FairScheduler.allocate refuses the request for the AM, and the exception is only logged.
            raise EndedByAccidentError(STUCK)
        if self._has_vectors and _PARTITION.match(path) and _is_without_nodes(hadoop):
            # Hadoop: CapacitySchedulerQueueCapacityHandler.setQueueCapacities divides by nothing, or has not
            # been called.
            return self._step_over(EMPTY)
        if hadoop == "NaN" and ours == 0 and _RATIO.match(path):
            # Hadoop: AbstractCSQueue.deriveCapacityFromAbsoluteConfigurations leaves out the infinite only.
            return self._step_over(SHARE)
        if hadoop is None and _FAIR_RESERVED.match(path):
            # Hadoop: FSQueue.getReservedResource reads memory and vcores off the metrics, for reports alone.
            return self._step_over(UNTOLD)
        if self._has_restarted and self._is_uncounted(path, ours, hadoop, rpcs):
            return self._step_over(UNCOUNTED)
        priority = _PRIORITY.match(path)
        if self._has_restarted and priority and priority["app"] in self._prioritized:
            # Hadoop: CapacityScheduler.updateApplicationPriority stores nothing where the scheduler's own
            # record of the application has that priority, and the record keeps that of the submission.
            raise EndedByAccidentError(PRIORITY)
        if self._is_half_refreshed and path.startswith(".queues."):
            # Hadoop: CapacityScheduler.reinitialize goes back to the file before, which may not take back the
            # queues that the refused one has brought.
            raise EndedByAccidentError(HALF)
        if hadoop is None and "refreshQueues" in rpcs and _QUEUE.match(path) and _is_draining(ours):
            # Hadoop: CapacitySchedulerQueueManager.validateQueueHierarchy lets a queue go that the new file
            # calls STOPPED, whatever runs there.
            raise EndedByAccidentError(OMITTED)
        wanted = _WANTED.match(path)
        if wanted and wanted["app"] in self._gone:
            # Hadoop: AbstractYarnScheduler.completedContainer recovers the request of a container that it
            # does not find any more.
            raise EndedByAccidentError(TWICE)
        am_used = _AM_USED.match(path)
        if am_used and am_used["leaf"] in self._smaller and "replaceLabelsOnNodes" in rpcs:
            # Hadoop: FiCaSchedulerApp.nodePartitionUpdated books the container's size from one partition to
            # the other, and activation had booked what was asked for: the rest stays in the first for ever.
            raise EndedByAccidentError(SMALLER)
        if self._has_moved_ended and _RELABELS.intersection(rpcs) and _PARTITION.match(path):
            # Hadoop: CapacityScheduler.updateLabelsOnNode moves the use of all that a node has launched, of
            # what has ended in the meantime, too: the old partition has less than nothing in use for ever.
            raise EndedByAccidentError(MOVED)
        return False

    def _is_uncounted(self, path: str, ours: object, hadoop: object, rpcs: Iterable[str]) -> bool:
        """Whether parents do not count an application that was recovered."""
        if _APPS.match(path):
            # Hadoop: CapacityScheduler.addApplicationOnRecovery ignores that the leaf refuses it, which then
            # tells its parents nothing.
            return _number(hadoop) < _number(ours)
        if not _STATE.match(path):
            return False
        # Nor does it tell them that it has ended; and a parent that counts none need not drain.
        states = (ours, hadoop)
        return states == ("STOPPED", "DRAINING") or (
            states == ("DRAINING", "STOPPED") and "refreshQueues" in rpcs
        )

    def _check_places(self, path: str, ours: object, hadoop: object) -> None:
        """EndedByAccidentError where multi-node placement lists a node in the wrong partition."""
        placed = _PLACED.match(path)
        if placed and placed["node"].partition(":")[0] in self._unlisted and _is_alone(ours, hadoop):
            # Hadoop: CapacityScheduler.refreshLabelToNodeCache lists again the nodes of the labels that nodes
            # get, and so forgets one that gets none, until it registers again.
            raise EndedByAccidentError(UNLISTED)
        if placed and placed["node"].partition(":")[0] in self._still_listed and _is_alone(hadoop, ours):
            # Nor is it taken out of the list of the partition that it leaves.
            raise EndedByAccidentError(LISTED)

    def _step_over(self, name: str | None) -> bool:
        if name is None:
            return False
        self.stepped_over[name] += 1
        return True


def _extra(ours: object, hadoop: object) -> list[Any]:
    """What Hadoop lists besides what we list; nothing where we list what it does not."""
    mine = ours if isinstance(ours, list) else []
    theirs = hadoop if isinstance(hadoop, list) else []
    if any(each not in theirs for each in mine):
        return []
    return [each for each in theirs if each not in mine]


def _is_without_nodes(part: object) -> bool:
    """Whether a partition of a queue may have nothing and has nothing, so that only ratios are left."""
    return isinstance(part, dict) and not any(
        part[name] for name in ("effective-max", "used", "pending", "reserved", "used-capacity")
    )


def _is_alone(one: object, other: object) -> bool:
    """Whether one side shows something there, or all of the other side's and more."""
    return bool(_extra(other, one)) if isinstance(one, list) else bool(one and not other)


def _is_draining(queue: object) -> bool:
    """Whether a queue's books say that it only waits for the end of its applications."""
    return isinstance(queue, dict) and queue.get("state") == "DRAINING" and queue["apps"] > 0


def _number(value: object) -> int:
    """Of an answer, which leaves 0 out."""
    return value if isinstance(value, int) else 0


def _text(container_id: Mapping[str, Any]) -> str:
    """As ids are printed, from the plain form of an answer (answers.py)."""
    attempt = container_id["app_attempt_id"]
    application = attempt["application_id"]
    application_id = ApplicationId(application.get("cluster_timestamp", 0), application["id"])
    return str(ContainerId(ApplicationAttemptId(application_id, attempt["attemptId"]), container_id["id"]))
