"""Why the RM ended a container: exit statuses and their diagnostics. Hadoop: ContainerExitStatus and
SchedulerUtils.
"""

from __future__ import annotations

from yarnbox.yarn.enums import ContainerState
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.records.container import ContainerStatus

ABORTED = -100
DISKS_FAILED = -101
PREEMPTED = -102
KILLED_BY_RESOURCEMANAGER = -106
INVALID = -1000

LOST_CONTAINER = "Container released on a *lost* node"
RELEASED_CONTAINER = "Container released by application"
COMPLETED_APPLICATION = "Container of a completed application"
EXPIRED_CONTAINER = "Container expired since it was unused"
PREEMPTED_CONTAINER = "Container preempted by scheduler"
UNRESERVED_CONTAINER = "Container reservation no longer required"
UPDATED_CONTAINER = "Temporary container killed by application for ExeutionType update"


def aborted(container_id: ContainerId, diagnostics: str) -> ContainerStatus:
    """The status of a container that the RM took away, for another reason than preemption."""
    return ended(container_id, ABORTED, diagnostics)


def preempted(container_id: ContainerId, diagnostics: str = PREEMPTED_CONTAINER) -> ContainerStatus:
    """The status of a container lost to preemption."""
    return ended(container_id, PREEMPTED, diagnostics)


def ended(container_id: ContainerId, exit_status: int, diagnostics: str) -> ContainerStatus:
    """The status of a container that is over."""
    return ContainerStatus(
        container_id=container_id,
        state=ContainerState.COMPLETE,
        diagnostics=diagnostics,
        exit_status=exit_status,
    )
