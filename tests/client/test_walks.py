"""Random command lines: whatever the words are, a command ends with a status and without a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.client.fakes import FakeResourceManager, Shell
from yarnbox.client.command_line.options import Options
from yarnbox.client.commands import (
    application,
    attempt,
    cluster,
    container,
    log_request,
    node,
    nodeattributes,
    queue,
    schedulerconf,
)
from yarnbox.client.commands.administration.rmadmin_help import HA_USAGES, USAGES

OPTIONS: dict[str, Options] = {
    "application": application.OPTIONS,
    "applicationattempt": attempt.OPTIONS,
    "cluster": cluster.OPTIONS,
    "container": container.OPTIONS,
    "logs": log_request.OPTIONS,
    "node": node.OPTIONS,
    "nodeattributes": nodeattributes.OPTIONS,
    "queue": queue.OPTIONS,
    "schedulerconf": schedulerconf.OPTIONS,
}
RMADMIN = [*USAGES, *HA_USAGES, "-g", "-client", "-server", "-help", "-failOnUnknownNodes"]

VALUES = st.one_of(
    st.sampled_from(
        [
            "application_1700000000000_0001",
            "appattempt_1700000000000_0001_000001",
            "container_1700000000000_0001_01_000001",
            "container_e17_1700000000000_0001_01_000001",
            "application_99999999999999999999_1",
            "n1:1234",
            "n1:x=1,y(STRING)=2 n2:",
            "n1=gpu n2= n3,ssd",
            "gpu(exclusive=false)",
            "memory-mb=1Gi,vcores=1",
            "root.a:capacity=1,x=;root.b",
            "ALL",
            "-1",
            "9" * 5000,
            "9223372036854775807",
            "stdout",
            "[",
        ]
    ),
    st.text("an1:=,;()#- \\_\n.é", max_size=12),
)


def lines() -> st.SearchStrategy[tuple[str, list[str]]]:
    def of(command: str) -> st.SearchStrategy[tuple[str, list[str]]]:
        known = OPTIONS.get(command)
        names = RMADMIN if known is None else [f"-{option.name}" for option in known]
        words = st.lists(st.one_of(st.sampled_from(names), VALUES), max_size=5)
        return st.tuples(st.just(command), words)

    return st.sampled_from([*OPTIONS, "rmadmin"]).flatmap(of)


@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(line=lines())
def test_no_line_ends_in_a_traceback(
    rm: FakeResourceManager,
    shell: Shell,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    line: tuple[str, list[str]],
) -> None:
    directory = tmp_path_factory.getbasetemp() / "walks"
    directory.mkdir(exist_ok=True)
    monkeypatch.chdir(directory)
    shell.properties = {
        "yarn.resourcemanager.webapp.address": "127.0.0.1:1",
        "yarn.nodemanager.remote-app-log-dir": str(Path("logs").absolute()),
    }
    command, words = line
    result = shell.yarn(command, *words)
    assert result.status in (0, 1, 255)
    assert "Traceback" not in result.err
    assert result.status == 0 or result.out or result.err
