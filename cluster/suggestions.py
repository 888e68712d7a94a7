"""What `yarnbox up` suggests to do next: a job, in a queue to which the user may submit it."""

from __future__ import annotations

import getpass
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from yarnbox.rm.edge.security.groups import UserGroups
from yarnbox.rm.services.caller import Caller
from yarnbox.sim.resourcemanager import SimulatedRM
from yarnbox.sim.workload.files import DirectoryFiles
from yarnbox.yarn.configuration import SITE_FILES
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.client import SubmitApplicationRequest
from yarnbox.yarn.records.container import ContainerLaunchContext
from yarnbox.yarn.records.queue import QueueInfo
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.resources.resource_types import RESOURCE_TYPES_FILE

DEFAULT_QUEUE = "default"
_MOST_TRIALS = 50
_AM = Resource(1024, 1)


def queue_for_a_job(directory: Path, properties: Mapping[str, str]) -> str | None:
    """`default` if a job that names no queue is taken in, else the first leaf queue into which one gets that
    names it; None if there is none. Jobs are submitted to a ResourceManager in virtual time that reads the
    directory, with the properties over it.
    """
    user = os.environ.get("HADOOP_USER_NAME") or getpass.getuser()
    try:
        queues = (DEFAULT_QUEUE, *_leaves(_manager(directory, properties, user)))
        for queue in queues[:_MOST_TRIALS]:
            if _is_taken_in(_manager(directory, properties, user), user, queue):
                return queue
    except YarnError:
        return DEFAULT_QUEUE  # what cannot be tried is not known to fail
    return None


def _manager(directory: Path, properties: Mapping[str, str], user: str) -> SimulatedRM:
    files = DirectoryFiles(directory, properties)
    groups = UserGroups(files.load(*SITE_FILES)).groups_of(user)
    return SimulatedRM(files, {user: groups}, *SITE_FILES, RESOURCE_TYPES_FILE)


def _leaves(rm: SimulatedRM) -> Iterator[str]:
    """The paths of the queues that have none below them."""
    root = rm.context.scheduler.views.queue_info("root", include_children=True, recursive=True)
    left: list[QueueInfo] = [root]
    while left:
        queue = left.pop(0)
        left = [*queue.child_queues, *left]
        if not queue.child_queues and queue.queue_path:
            yield queue.queue_path


def _is_taken_in(rm: SimulatedRM, user: str, queue: str) -> bool:
    application_id = rm.new_application_id(user)
    context = ApplicationSubmissionContext(
        application_id=application_id,
        queue=queue,
        am_container_spec=ContainerLaunchContext(),
        resource=_AM,
    )
    request = SubmitApplicationRequest(application_submission_context=context)
    try:
        rm.turn(lambda: rm.core.client.submit_application(request, Caller(user=user)))
    except YarnError:
        return False
    return not rm.is_app_over(application_id)
