"""Names of events: ours are mechanical, and the manual's page shows Hadoop's beside them."""

from __future__ import annotations

import pytest

from tests.tree import ROOT
from yarnbox.rm.events.app import AppAccepted, AppAttemptFailed, AttemptRetryAllocate
from yarnbox.rm.events.container import ContainerAcquireUpdated, ContainerNMDoneChangeResource
from yarnbox.rm.events.names import HADOOP_TYPES, kinds, render
from yarnbox.rm.events.node import NodeFinishedContainersPulledByAM, NodesListNodeUnusable
from yarnbox.rm.events.scheduler import (
    SchedulerAppAttemptAdded,
    SchedulerNodeRemoved,
    SchedulerNodeUpdate,
    SchedulerUpdateShares,
)
from yarnbox.yarn.runtime.event import Event, hadoop_constant

# The constants of Hadoop 3.4.1's enums, as far as an event of ours has one.
HADOOP = {
    "RMAppEventType": "START RECOVER KILL APP_REJECTED APP_ACCEPTED APP_NEW_SAVED APP_SAVE_FAILED "
    "APP_UPDATE_SAVED ATTEMPT_LAUNCHED ATTEMPT_REGISTERED ATTEMPT_UNREGISTERED ATTEMPT_FINISHED "
    "ATTEMPT_FAILED ATTEMPT_KILLED NODE_UPDATE APP_RUNNING_ON_NODE",
    "RMAppAttemptEventType": "START RECOVER KILL FAIL ATTEMPT_ADDED ATTEMPT_NEW_SAVED ATTEMPT_UPDATE_SAVED "
    "CONTAINER_ALLOCATED CONTAINER_FINISHED LAUNCHED LAUNCH_FAILED REGISTERED STATUS_UPDATE UNREGISTERED "
    "EXPIRE",
    "RMAppManagerEventType": "APP_COMPLETED",
    "RMContainerEventType": "START ACQUIRED KILL RESERVED ACQUIRE_UPDATED_CONTAINER LAUNCHED FINISHED "
    "RELEASED EXPIRE RECOVER NM_DONE_CHANGE_RESOURCE",
    "RMNodeEventType": "STARTED DECOMMISSION GRACEFUL_DECOMMISSION RECOMMISSION RESOURCE_UPDATE "
    "STATUS_UPDATE REBOOTING RECONNECTED SHUTDOWN CLEANUP_APP CLEANUP_CONTAINER UPDATE_CONTAINER "
    "FINISHED_CONTAINERS_PULLED_BY_AM SIGNAL_CONTAINER EXPIRE",
    "NodesListManagerEventType": "NODE_USABLE NODE_UNUSABLE NODE_DECOMMISSIONING",
    "SchedulerEventType": "NODE_ADDED NODE_REMOVED NODE_UPDATE NODE_RESOURCE_UPDATE NODE_LABELS_UPDATE "
    "NODE_ATTRIBUTES_UPDATE APP_ADDED APP_REMOVED APP_ATTEMPT_ADDED APP_ATTEMPT_REMOVED CONTAINER_EXPIRED "
    "RELEASE_CONTAINER KILL_RESERVED_CONTAINER MARK_CONTAINER_FOR_PREEMPTION "
    "MARK_CONTAINER_FOR_KILLABLE MARK_CONTAINER_FOR_NONKILLABLE MANAGE_QUEUE AUTO_QUEUE_DELETION",
}


@pytest.mark.parametrize(
    "kind, constant",
    [
        (SchedulerNodeRemoved, "NODE_REMOVED"),
        (SchedulerNodeUpdate, "NODE_UPDATE"),
        (SchedulerAppAttemptAdded, "APP_ATTEMPT_ADDED"),
        (AppAttemptFailed, "ATTEMPT_FAILED"),
        (AppAccepted, "APP_ACCEPTED"),
        (AttemptRetryAllocate, "CONTAINER_ALLOCATED"),
        (NodeFinishedContainersPulledByAM, "FINISHED_CONTAINERS_PULLED_BY_AM"),
        (NodesListNodeUnusable, "NODE_UNUSABLE"),
        (ContainerAcquireUpdated, "ACQUIRE_UPDATED_CONTAINER"),
        (ContainerNMDoneChangeResource, "NM_DONE_CHANGE_RESOURCE"),
        (SchedulerUpdateShares, ""),
    ],
)
def test_the_constant_is_hadoops(kind: type[Event], constant: str) -> None:
    assert hadoop_constant(kind) == constant


def test_every_constant_is_one_of_hadoops_enum() -> None:
    wrong = []
    for kind in kinds():
        constant = hadoop_constant(kind)
        if constant and constant not in HADOOP[HADOOP_TYPES[kind.family.__name__]].split():
            wrong.append(f"{kind.__name__}: {constant}")
    assert not wrong


def test_the_page_of_the_manual_is_current() -> None:
    assert (ROOT / "docs" / "events.md").read_text(encoding="utf-8") == render(), (
        "run `python -m yarnbox.rm.events.names > docs/events.md`"
    )
