"""What a next AM takes over from the ones before: tasks that are done and whose output is still there.

A map's output is there while its node runs with the same NodeManager; a reduce's when what it committed can
be moved to this AM's directory. Answers for MRAppMaster.processRecovery.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path

from am.connection import CLIENT_SERVICE, Connection
from am.mapreduce.committer import OutputCommitter
from am.mapreduce.events import TaskRecover
from am.mapreduce.history import completed_tasks, events_file, read_events
from am.mapreduce.ids import JobId
from yarn.enums import NodeState
from yarn.errors import YarnError
from yarn.ids import NodeId
from yarn.records.client import GetClusterNodesRequest
from yarn.rpc import RpcError, Stub

log = logging.getLogger("am.mapreduce.recovery")


async def recoverable_tasks(
    staging: Path, job_id: JobId, app_attempt: int, committer: OutputCommitter, connection: Connection
) -> list[TaskRecover]:
    """The tasks that need not run again. An AM that recovered a task wrote it into its own lines as well, so
    the lines of the last AM before this one tell of all.
    """
    earlier = app_attempt - 1
    events = read_events(events_file(staging, job_id, earlier))
    nodes = await _running_nodes(connection)
    return still_there(completed_tasks(events), committer, earlier, nodes)


def still_there(
    tasks: Iterable[TaskRecover],
    committer: OutputCommitter,
    earlier_app_attempt: int,
    nodes: tuple[NodeId, ...],
) -> list[TaskRecover]:
    """Those whose output is not lost."""
    kept = []
    for task in tasks:
        if task.task_id.is_map and task.shuffle_port:
            is_there = task.node_id in nodes
        else:
            is_there = committer.recover_task(task.task_id, earlier_app_attempt)
        if is_there:
            kept.append(task)
    return kept


async def _running_nodes(connection: Connection) -> tuple[NodeId, ...]:
    """The nodes that run now; none when the RM does not say, and then nothing on them is taken over."""
    request = GetClusterNodesRequest(node_states=(NodeState.RUNNING,))
    try:
        async with Stub(connection.rm_address, CLIENT_SERVICE, user="mapreduce") as stub:
            response = await stub.call("getClusterNodes", request)
    except (YarnError, RpcError) as error:
        log.warning("which nodes run cannot be asked: %s", error)
        return ()
    return tuple(report.node_id for report in response.node_reports if report.node_id is not None)
