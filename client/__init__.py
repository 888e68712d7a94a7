"""Clients of a cluster: YarnClient and AdminClient for programs, and the `yarn` command.

yarn_client   the calls of a client of the ResourceManager, and the waiting that goes with them
admin_client  the calls of an administrator
retry         calls that outlive a restart of the ResourceManager
web           the REST resources that commands read: scheduler configuration, container logs, attempts

main          finds the command and runs it; what nobody caught becomes an exit status
session       where the cluster is and who calls: configuration, user, clients, output; `connect` for programs
settings      the properties that a client reads
log_sources   where logs are read
command_line/ words, options, refusals, the terminal
text          values as Java prints them
printing/     records to text, one module per kind of report
commands/     one module per command or family of commands
"""

from typing import TYPE_CHECKING

from yarnbox.yarn.exports import lazily

if TYPE_CHECKING:
    from yarnbox.client.admin_client import AdminClient
    from yarnbox.client.session import ClusterConnection, connect
    from yarnbox.client.yarn_client import NewApplication, YarnClient
    from yarnbox.yarn.connection.rpc import ConnectionFailedError
    from yarnbox.yarn.enums import NodeState, YarnApplicationState
    from yarnbox.yarn.errors import YarnError
    from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
    from yarnbox.yarn.records.application import ApplicationReport, ApplicationSubmissionContext
    from yarnbox.yarn.resources.resource import Resource

_HOMES = {
    "AdminClient": "yarnbox.client.admin_client",
    "ClusterConnection": "yarnbox.client.session",
    "connect": "yarnbox.client.session",
    "NewApplication": "yarnbox.client.yarn_client",
    "YarnClient": "yarnbox.client.yarn_client",
    "NodeState": "yarnbox.yarn.enums",
    "YarnApplicationState": "yarnbox.yarn.enums",
    "YarnError": "yarnbox.yarn.errors",
    "ApplicationAttemptId": "yarnbox.yarn.ids",
    "ApplicationId": "yarnbox.yarn.ids",
    "ContainerId": "yarnbox.yarn.ids",
    "NodeId": "yarnbox.yarn.ids",
    "ApplicationReport": "yarnbox.yarn.records.application",
    "ApplicationSubmissionContext": "yarnbox.yarn.records.application",
    "Resource": "yarnbox.yarn.resources.resource",
    "ConnectionFailedError": "yarnbox.yarn.connection.rpc",
}

__all__ = [
    "AdminClient",
    "ApplicationAttemptId",
    "ApplicationId",
    "ApplicationReport",
    "ApplicationSubmissionContext",
    "ClusterConnection",
    "ConnectionFailedError",
    "ContainerId",
    "NewApplication",
    "NodeId",
    "NodeState",
    "Resource",
    "YarnApplicationState",
    "YarnClient",
    "YarnError",
    "connect",
]

__getattr__ = lazily(__name__, _HOMES)
