"""ApplicationMasters: the library that one is written with, and the applications that come along.

asks        what is asked of the RM and not yet granted: AMRMClient's request table, without I/O
placement   the short form of placement constraints
rm_client   an AM's side of the ApplicationMasterProtocol
nm_client   an AM's side of the ContainerManagementProtocol
blocking    both for a program without asyncio
unmanaged   an AM that runs outside the cluster
connection  where an AM finds its cluster
environment what a container is told by its NM
launch      launch contexts for Python programs; resources handed on to other containers
submit      an application handed to the RM, and followed to its end
staging     files of a client, put where its containers find them
client_service  a service of the AM's own for its clients
job_command/ `yarnbox job`
mapreduce/  the MapReduce AM, its tasks and its jobs
shell/      the DistributedShell AM: one command in many containers
"""

from typing import TYPE_CHECKING

from yarnbox.yarn.exports import lazily

if TYPE_CHECKING:
    from yarnbox.am.asks import ContainerRequest, InvalidContainerRequestError, RequestTable
    from yarnbox.am.blocking import BlockingAMRMClient, BlockingNMClient
    from yarnbox.am.client_service import ClientService
    from yarnbox.am.connection import Connection, configuration_of
    from yarnbox.am.environment import ContainerEnvironment, NotInContainerError
    from yarnbox.am.launch import (
        command_line,
        exact_environment,
        handed_on,
        python_command,
        python_context,
        python_path,
        redirections,
    )
    from yarnbox.am.nm_client import NMClient
    from yarnbox.am.placement import PlacementSpec, parse_constraint, parse_specs
    from yarnbox.am.rm_client import AMRMClient, Conversation, NMTokenCache
    from yarnbox.am.submit import SubmissionError, Submitter, follow, has_succeeded
    from yarnbox.am.unmanaged import launch_unmanaged
    from yarnbox.yarn.enums import FinalApplicationStatus, YarnApplicationState
    from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
    from yarnbox.yarn.records.application import ApplicationReport, ApplicationSubmissionContext
    from yarnbox.yarn.records.container import Container, ContainerLaunchContext, ContainerStatus
    from yarnbox.yarn.resources.resource import Resource

_HOMES = {
    "ContainerRequest": "yarnbox.am.asks",
    "InvalidContainerRequestError": "yarnbox.am.asks",
    "RequestTable": "yarnbox.am.asks",
    "BlockingAMRMClient": "yarnbox.am.blocking",
    "BlockingNMClient": "yarnbox.am.blocking",
    "ClientService": "yarnbox.am.client_service",
    "Connection": "yarnbox.am.connection",
    "configuration_of": "yarnbox.am.connection",
    "ContainerEnvironment": "yarnbox.am.environment",
    "NotInContainerError": "yarnbox.am.environment",
    "command_line": "yarnbox.am.launch",
    "exact_environment": "yarnbox.am.launch",
    "handed_on": "yarnbox.am.launch",
    "python_command": "yarnbox.am.launch",
    "python_context": "yarnbox.am.launch",
    "python_path": "yarnbox.am.launch",
    "redirections": "yarnbox.am.launch",
    "NMClient": "yarnbox.am.nm_client",
    "PlacementSpec": "yarnbox.am.placement",
    "parse_constraint": "yarnbox.am.placement",
    "parse_specs": "yarnbox.am.placement",
    "AMRMClient": "yarnbox.am.rm_client",
    "Conversation": "yarnbox.am.rm_client",
    "NMTokenCache": "yarnbox.am.rm_client",
    "SubmissionError": "yarnbox.am.submit",
    "Submitter": "yarnbox.am.submit",
    "follow": "yarnbox.am.submit",
    "has_succeeded": "yarnbox.am.submit",
    "launch_unmanaged": "yarnbox.am.unmanaged",
    "FinalApplicationStatus": "yarnbox.yarn.enums",
    "YarnApplicationState": "yarnbox.yarn.enums",
    "ApplicationAttemptId": "yarnbox.yarn.ids",
    "ApplicationId": "yarnbox.yarn.ids",
    "ContainerId": "yarnbox.yarn.ids",
    "NodeId": "yarnbox.yarn.ids",
    "ApplicationReport": "yarnbox.yarn.records.application",
    "ApplicationSubmissionContext": "yarnbox.yarn.records.application",
    "Container": "yarnbox.yarn.records.container",
    "ContainerLaunchContext": "yarnbox.yarn.records.container",
    "ContainerStatus": "yarnbox.yarn.records.container",
    "Resource": "yarnbox.yarn.resources.resource",
}

__all__ = [
    "AMRMClient",
    "ApplicationAttemptId",
    "ApplicationId",
    "ApplicationReport",
    "ApplicationSubmissionContext",
    "BlockingAMRMClient",
    "BlockingNMClient",
    "ClientService",
    "Connection",
    "Container",
    "ContainerEnvironment",
    "ContainerId",
    "ContainerLaunchContext",
    "ContainerRequest",
    "ContainerStatus",
    "Conversation",
    "FinalApplicationStatus",
    "InvalidContainerRequestError",
    "NMClient",
    "NMTokenCache",
    "NodeId",
    "NotInContainerError",
    "PlacementSpec",
    "RequestTable",
    "Resource",
    "SubmissionError",
    "Submitter",
    "YarnApplicationState",
    "command_line",
    "configuration_of",
    "exact_environment",
    "follow",
    "handed_on",
    "has_succeeded",
    "launch_unmanaged",
    "parse_constraint",
    "parse_specs",
    "python_command",
    "python_context",
    "python_path",
    "redirections",
]

__getattr__ = lazily(__name__, _HOMES)
