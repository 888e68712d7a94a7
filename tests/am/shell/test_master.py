"""DistributedShell's AM with real commands."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.am.little_cluster import HOST, USER, LittleCluster, little_cluster
from tests.waiting import PATIENCE_S
from yarnbox.am.connection import Connection
from yarnbox.am.environment import ContainerEnvironment
from yarnbox.am.shell.master import ShellMaster
from yarnbox.am.shell.spec import ShellSpec
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.security.credentials import Credentials

APPLICATION = ApplicationId(1, 1)


def run_shell(root: Path, spec: ShellSpec, *, lose_first: bool = False) -> tuple[bool, LittleCluster]:
    async def run() -> tuple[bool, LittleCluster]:
        async with little_cluster(root, APPLICATION) as little:
            properties = {"yarnbox.resourcemanager.grpc.address": f"{HOST}:{little.rm_port}"}
            environment = ContainerEnvironment(
                container_id=ContainerId(ApplicationAttemptId(APPLICATION, 1), 1),
                node_id=NodeId(HOST, 1),
                user=USER,
                working_directory=root,
                local_dirs=(),
                log_dirs=(),
                credentials=Credentials(),
                submit_time_ms=None,
            )
            little.loses_first = lose_first
            master = ShellMaster(spec, environment, Connection.of(Configuration.of(properties)))
            return await asyncio.wait_for(master.run(), PATIENCE_S), little

    return asyncio.run(run())


def test_every_container_runs_the_command_under_its_number(tmp_path: Path) -> None:
    spec = ShellSpec(
        command=f'echo "$GREETING" > {tmp_path}/$YARN_SHELL_ID',
        containers=3,
        environment={"GREETING": "hello"},
        heartbeat_ms=50,
    )
    succeeded, little = run_shell(tmp_path, spec)
    assert succeeded
    assert little.finished is not None
    assert little.finished.final_application_status is FinalApplicationStatus.SUCCEEDED
    for number in (1, 2, 3):
        assert (tmp_path / str(number)).read_text() == "hello\n"


def test_a_command_that_fails_fails_the_application_and_is_told(tmp_path: Path) -> None:
    spec = ShellSpec(command="exit $YARN_SHELL_ID", containers=2, heartbeat_ms=50)
    succeeded, little = run_shell(tmp_path, spec)
    assert not succeeded
    assert little.finished is not None
    assert little.finished.final_application_status is FinalApplicationStatus.FAILED
    diagnostics = little.finished.diagnostics or ""
    assert "desired = 2, completed = 2, failed = 2" in diagnostics
    assert "ended with 1" in diagnostics


def test_a_container_that_was_taken_away_is_asked_for_again(tmp_path: Path) -> None:
    spec = ShellSpec(command=f"touch {tmp_path}/done", heartbeat_ms=50)
    succeeded, little = run_shell(tmp_path, spec, lose_first=True)
    assert succeeded
    assert little.cluster.granted == 2
    assert (tmp_path / "done").exists()


def test_a_spec_travels_as_one_word() -> None:
    spec = ShellSpec(
        command="echo '{{HOME}}' | cat; exit 0",
        environment={"A": "b c"},
        retry_error_codes=(1, 2),
        retry_policy="RETRY_ON_SPECIFIC_ERROR_CODES",
        max_retries=2,
        placement="zk(3),NOTIN,NODE,zk:hbase(2)",
    )
    text = spec.to_text()
    assert text.replace("-", "").replace("_", "").replace("=", "").isalnum()
    assert ShellSpec.from_text(text) == spec
    assert spec.total == 5
    assert spec.retry_context.error_codes == (1, 2)
