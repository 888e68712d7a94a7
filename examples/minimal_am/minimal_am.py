"""The smallest complete ApplicationMaster: one container, one command.

    python examples/minimal_am/minimal_am.py        submits itself and waits for the end

The same file is the client and, started by a NodeManager, the AM: it registers, asks for one container, runs
`hostname` in it, waits until it has ended and says how it went.
"""

import os
import sys
from pathlib import Path

from yarnbox.am import (
    ApplicationSubmissionContext,
    Connection,
    ContainerEnvironment,
    ContainerLaunchContext,
    ContainerRequest,
    FinalApplicationStatus,
    Resource,
    command_line,
    configuration_of,
    exact_environment,
    follow,
    handed_on,
    has_succeeded,
    python_path,
    redirections,
)

SIZE = Resource(memory_mb=256, vcores=1)


def master() -> int:
    """The AM: what runs in the application's first container."""
    environment = ContainerEnvironment.read(os.environ)
    connection = Connection.of(configuration_of(os.environ))
    rm = connection.blocking_rm_client(environment.amrm_token)
    nm = connection.blocking_nm_client(rm)

    rm.register(environment.node_id.host)
    request = ContainerRequest(capability=SIZE, priority=1)
    rm.asks.add(request)

    exit_status = None
    while exit_status is None:
        answer = rm.allocate(progress=0.5)
        for container in answer.allocated_containers:
            rm.asks.remove(request)
            line = command_line(["hostname"]) + redirections()
            nm.start(container, ContainerLaunchContext(command=(line,)))
        for status in answer.completed_container_statuses:
            exit_status = status.exit_status
        rm.pause(0.2)

    succeeded = exit_status == 0
    rm.finish(FinalApplicationStatus.SUCCEEDED if succeeded else FinalApplicationStatus.FAILED)
    nm.close()
    return 0 if succeeded else 1


def client() -> int:
    """The client: hands the AM over to the ResourceManager."""
    configuration = configuration_of(os.environ)
    submitter = Connection.of(configuration).submitter(os.environ.get("USER", "me"))
    line = command_line([sys.executable, str(Path(__file__).resolve()), "master"]) + redirections()
    context = ApplicationSubmissionContext(
        application_id=submitter.new_application().application_id,
        application_name="minimal AM",
        resource=SIZE,
        am_container_spec=ContainerLaunchContext(
            environment=exact_environment({"PYTHONPATH": python_path(), **handed_on()}),
            command=(line,),
        ),
    )
    assert context.application_id is not None
    submitter.submit(context)
    report = follow(
        submitter.reports(context.application_id, context), lambda now: print(now.yarn_application_state)
    )
    print(context.application_id, report.final_application_status, report.diagnostics)
    return 0 if has_succeeded(report) else 1


if __name__ == "__main__":
    sys.exit(master() if sys.argv[1:] == ["master"] else client())
