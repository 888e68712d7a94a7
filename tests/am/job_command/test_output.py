"""What a job's client shows of its containers' output, read from aggregated logs."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from yarnbox.am.job_command.output import (
    SHOWN_BYTES,
    Output,
    shown_diagnostics,
    shown_output,
    shown_reason,
)
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.connection.rpc import ConnectionFailedError
from yarnbox.yarn.enums import LogAggregationStatus as Status
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.application import ApplicationReport
from yarnbox.yarn.storage.aggregated_logs import AggregatedLogWriter, LogLayout

APP = ApplicationId(7, 1)
Files = dict[int, dict[str, str]]


def container(sequence: int, epoch: int = 0) -> ContainerId:
    return ContainerId.build(ApplicationAttemptId(APP, 1), sequence, epoch)


MASTER = container(1)


def written(root: Path, node: str, files: Files) -> Path:
    path = LogLayout.of(str(root)).node_file("me", APP, NodeId(node, 1))
    with AggregatedLogWriter(path, "mei") as writer:
        for sequence, texts in files.items():
            for name, text in texts.items():
                writer.append(container(sequence), [(name, io.BytesIO(text.encode()))])
    return path


def output(root: Path, **nodes: Files) -> Output:
    return Output([written(root, node, files) for node, files in nodes.items()], APP, [MASTER])


def test_one_container_is_shown_as_it_wrote(tmp_path: Path) -> None:
    found = output(tmp_path, nm1={1: {"stdout": "the AM's"}, 2: {"stdout": "a\nb", "stderr": "no"}})
    assert shown_output(found) == "a\nb\n"


def test_several_are_shown_by_container_with_a_heading(tmp_path: Path) -> None:
    found = output(tmp_path, nm2={3: {"stdout": "two\n"}}, nm1={2: {"stdout": "one\n"}, 4: {"stdout": ""}})
    assert shown_output(found) == f"-- {container(2)} on nm1\none\n-- {container(3)} on nm2\ntwo\n"


def test_the_first_container_of_a_restarted_resourcemanager_is_not_the_ams(tmp_path: Path) -> None:
    path = LogLayout.of(str(tmp_path)).node_file("me", APP, NodeId("nm1", 1))
    with AggregatedLogWriter(path, "mei") as writer:
        for one, text in ((MASTER, "the AM's\n"), (container(1, epoch=2), "a task's\n")):
            writer.append(one, [("stdout", io.BytesIO(text.encode()))])
    assert shown_output(Output([path], APP, [MASTER])) == "a task's\n"


def test_of_much_output_the_end_is_shown_and_where_the_rest_is(tmp_path: Path) -> None:
    text = "x" * SHOWN_BYTES + "end\n"
    shown = shown_output(output(tmp_path, nm1={2: {"stdout": text}}))
    head, rest = shown.split("\n", 1)
    assert head.endswith(f"yarn logs -applicationId {APP} -containerId {container(2)} -log_files stdout)")
    assert rest == text[-SHOWN_BYTES:]


def test_of_many_containers_the_first_are_shown(tmp_path: Path) -> None:
    found = output(tmp_path, nm1={number: {"stdout": "x\n"} for number in range(2, 25)})
    assert shown_output(found).count("-- container_") == 20
    assert shown_output(found).endswith(f"(3 more containers: yarn logs -applicationId {APP})\n")


@pytest.mark.parametrize(
    "diagnostics, suspects, wanted",
    [
        (f"{container(3)} on nm1 ended with 1: Container id: {container(3)}", [], "three"),
        (f"{container(2)} and {container(3)}", [], "nothing on stderr"),
        ("Task failed", [str(container(3))], "three"),
        ("AM Container for appattempt_7_0001_000001 exited", [], "the AM's"),
        (f"{container(9)} left no logs", [], "the AM's"),
    ],
)
def test_the_reason_is_with_the_container_that_is_named(
    tmp_path: Path, diagnostics: str, suspects: list[str], wanted: str
) -> None:
    nodes: Files = {
        1: {"stderr": "the AM's\n"},
        2: {"stderr": "\n", "prelaunch.err": "", "stdout": "nothing on stderr\n"},
        3: {"stderr": "\n".join(map(str, range(50))) + "\nthree\n", "stdout": "x"},
    }
    found = output(tmp_path, nm1=nodes)
    lines = shown_reason(found, found.reason(diagnostics, suspects)).splitlines()
    assert lines[-2] == f"  {wanted}"
    assert lines[-1].startswith(
        f"The whole log: yarn logs -applicationId {APP} -containerId {lines[0].split()[6]}"
    )
    assert len(lines) <= 22


def test_what_is_told_already_is_not_shown_again(tmp_path: Path) -> None:
    """Neither a traceback that is in the diagnostics, nor an AM's log where a task failed without a word."""
    found = output(
        tmp_path, nm1={1: {"stderr": "the AM's"}, 2: {"stderr": "Error: why\n"}, 3: {"stderr": ""}}
    )
    told = shown_diagnostics("Task failed\n\nin line 1\n  Error: why\n")
    assert told == "Task failed\n  in line 1\n    Error: why"
    reason = found.reason("Task failed", [str(container(2))])
    assert shown_reason(found, reason, told).startswith("The whole log: ")
    assert found.reason("Task failed", [str(container(3))]) is None


def test_without_logs_the_command_is_shown() -> None:
    nothing = Output([], APP, yarn="yarn --dir x")
    assert shown_output(nothing) == ""
    assert shown_reason(nothing, nothing.reason("x")) == (
        f"All that it wrote: yarn --dir x logs -applicationId {APP}"
    )


class Reporting:
    """Says one status after the other; None is an RM that does not answer. Calls `then` at the last."""

    def __init__(
        self, *statuses: Status | None, then: Callable[[], None] | None = None, lost: tuple[str, ...] = ()
    ) -> None:
        self._left = list(statuses)
        self.lost = lost
        self._then = then

    def report(self, application_id: ApplicationId) -> ApplicationReport:
        status = self._left.pop(0)
        if status is None:
            raise ConnectionFailedError("gone")
        if not self._left and self._then is not None:
            self._then()
        return ApplicationReport(application_id=application_id, user="me", log_aggregation_status=status)

    def masters(self, application_id: ApplicationId) -> tuple[ContainerId, ...]:
        return (MASTER,)

    def lost_nodes(self) -> tuple[NodeId, ...]:
        return tuple(NodeId(host, 1) for host in self.lost)


def configuration(root: Path, enabled: str = "true") -> Configuration:
    properties = {"yarn.log-aggregation-enable": enabled, "yarn.nodemanager.remote-app-log-dir": str(root)}
    return Configuration.of(properties)


def test_it_waits_until_the_nodes_have_collected_the_logs(tmp_path: Path) -> None:
    def collect() -> None:
        written(tmp_path, "nm1", {1: {"stdout": "the AM's"}, 2: {"stdout": "here\n"}})

    informant = Reporting(Status.NOT_START, Status.RUNNING, Status.SUCCEEDED, then=collect)
    assert shown_output(Output.of(configuration(tmp_path), APP, informant)) == "here\n"


PART = "not all output of the containers can be shown: "
REST = f"; what there is: yarn logs -applicationId {APP}"


@pytest.mark.parametrize(
    ("status", "lost", "said"),
    [
        (Status.SUCCEEDED, (), None),
        (Status.RUNNING, (), "not all nodes have collected their logs yet"),
        (Status.RUNNING, ("nm2",), "nm2:1 is LOST and collected nothing"),
        # nm1 had collected what it had.
        (Status.NOT_START, ("nm1", "nm2", "nm3"), "nm2:1 and nm3:1 are LOST and collected nothing"),
        (Status.FAILED, (), "nodes could not collect all logs: their log aggregation is FAILED"),
        (Status.TIME_OUT, ("nm2",), "nm2:1 is LOST and collected nothing"),
    ],
)
def test_what_nodes_have_not_collected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: Status, lost: tuple[str, ...], said: str | None
) -> None:
    monkeypatch.setattr("yarnbox.am.job_command.output.COLLECTION_S", 0)
    written(tmp_path, "nm1", {2: {"stdout": "here\n"}})
    informant = Reporting(status, lost=(*lost, "long-lost") if lost else ())
    before = [NodeId("long-lost", 1)]
    found = Output.of(configuration(tmp_path), APP, informant, lost_before=before)
    assert shown_output(found) == "here\n"
    assert found.out_of_reach() == ("" if said is None else PART + said + REST)


def test_what_lies_elsewhere(tmp_path: Path) -> None:
    """No directory, though the nodes say that they have collected everything; hosts that are not reached."""
    found = Output.of(configuration(tmp_path), APP, Reporting(Status.SUCCEEDED))
    directory = LogLayout.of(str(tmp_path)).application_directory("me", APP)
    assert found.out_of_reach() == f"{PART}the nodes have collected it, but there is no {directory} here"

    def refuse() -> None:
        raise OSError("the scheduler at tcp://far:8786 does not answer")

    written(tmp_path, "nm1", {2: {"stdout": "here\n"}})
    found = Output.of(configuration(tmp_path), APP, Reporting(Status.SUCCEEDED), collect=refuse)
    reason = "logs of other hosts are not here: the scheduler at tcp://far:8786 does not answer"
    assert found.out_of_reach() == PART + reason + REST


def test_what_cannot_be_read(tmp_path: Path) -> None:
    path = written(tmp_path, "nm1", {2: {"stdout": "here\n"}})
    path.write_bytes(b"not TFile")
    found = Output.of(configuration(tmp_path), APP, Reporting(Status.SUCCEEDED))
    assert shown_output(found) == ""
    assert found.out_of_reach() == f"{PART}{path} is not a file of aggregated logs{REST}"
    path.unlink()
    path.parent.rmdir()
    path.parent.write_text("a file where the directory should be")
    found = Output.of(configuration(tmp_path), APP, Reporting(Status.SUCCEEDED))
    assert found.out_of_reach() == f"{PART}{path.parent} cannot be read: Not a directory"


def test_where_nothing_can_be_known(tmp_path: Path) -> None:
    silent = Output.of(configuration(tmp_path), APP, Reporting(None))
    assert silent.out_of_reach().startswith(f"{PART}the ResourceManager does not answer")
    without = Output.of(configuration(tmp_path, "false"), APP, Reporting())
    assert without.out_of_reach() == (
        f"{PART}yarn.log-aggregation-enable is false, so that it stays on the nodes"
    )
    remote = {"yarn.log-aggregation-enable": "true", "yarn.nodemanager.remote-app-log-dir": "hdfs://a/logs"}
    refused = Output.of(Configuration.of(remote), APP, Reporting(Status.SUCCEEDED))
    assert refused.out_of_reach().startswith(
        f"{PART}yarn.nodemanager.remote-app-log-dir = hdfs://a/logs: only"
    )


def test_where_nothing_is_collected_nobody_waits(tmp_path: Path) -> None:
    assert shown_output(Output.of(configuration(tmp_path, "false"), APP, Reporting())) == ""
    assert shown_output(Output.of(configuration(tmp_path), APP, Reporting(None))) == ""
