"""Spark on our cluster: cluster and client mode, Java and Python, and what a cluster is there to survive."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import psutil
import pytest

from tests.clients.site import LABELLED, yarn
from tests.clients.spark import JOB_S, WORD_COUNT, Spark, counted, real_text
from tests.tree import ROOT
from tests.waiting import PATIENCE_S
from yarnbox.cluster.cluster import Cluster, wait_until
from yarnbox.yarn.enums import NodeState

JOBS = ROOT / "tests" / "clients" / "jobs"
BURST, HOSTS, SLOW_SUM = (str(JOBS / name) for name in ("burst.py", "hosts.py", "slow_sum.py"))


@pytest.fixture(scope="session")
def text(scratch: Path) -> Path:
    """What is counted."""
    return real_text(scratch / "text.txt")


@pytest.fixture(scope="session", params=["spark-3.5", "spark-4.0"])
def spark(request: pytest.FixtureRequest, cluster: Cluster, scratch: Path) -> Spark:
    """Each release."""
    return Spark(request.param, cluster, scratch)


@pytest.fixture(scope="session")
def spark_35(cluster: Cluster, scratch: Path) -> Spark:
    """The release that everything is tried with."""
    return Spark("spark-3.5", cluster, scratch / "3.5")


def test_pi_and_word_count_share_the_cluster_from_two_queues(
    spark: Spark, text: Path, tmp_path: Path
) -> None:
    target = tmp_path / "words.txt"
    pi = ["--queue", "other", *spark.pi(tasks=8, darts=100_000)]
    words = [WORD_COUNT, str(text), str(target)]
    with spark.submitted(*pi) as first, spark.submitted(*words) as second:
        assert first.wait() == 0, first.story
        assert second.wait() == 0, second.story
        assert wait_until(lambda: "Pi is roughly 3.1" in logs(spark.cluster, first.application), PATIENCE_S)
        queues = {one.application: queue_of(spark.cluster, one.application) for one in (first, second)}
    assert target.read_text(encoding="utf-8") == counted(text)
    assert list(queues.values()) == ["root.other", "root.default"]


def test_word_count_in_client_mode(spark_35: Spark, text: Path, tmp_path: Path) -> None:
    target = tmp_path / "words.txt"
    local = {"spark.driver.host": "127.0.0.1"}
    with spark_35.submitted(WORD_COUNT, str(text), str(target), mode="client", conf=local) as job:
        assert job.wait() == 0, job.story
    assert target.read_text(encoding="utf-8") == counted(text)


def test_executors_run_where_the_label_is(spark_35: Spark, tmp_path: Path) -> None:
    hosts = tmp_path / "hosts.txt"
    conf = {"spark.yarn.executor.nodeLabelExpression": "fast"}
    with spark_35.submitted(HOSTS, str(hosts), conf=conf) as job:
        assert job.wait() == 0, job.story
    assert hosts.read_text(encoding="utf-8").split() == [LABELLED]


def test_executors_come_with_work_and_go_with_it(spark_35: Spark, tmp_path: Path) -> None:
    target = tmp_path / "executors.txt"
    conf = {
        "spark.dynamicAllocation.enabled": "true",
        "spark.dynamicAllocation.shuffleTracking.enabled": "true",
        "spark.dynamicAllocation.minExecutors": "0",
        "spark.dynamicAllocation.initialExecutors": "0",
        "spark.dynamicAllocation.maxExecutors": "3",
        "spark.dynamicAllocation.executorIdleTimeout": "1s",
        "spark.executor.instances": "0",
    }
    with spark_35.submitted(BURST, str(target), conf=conf) as job:
        assert job.wait() == 0, job.story
    most, last = map(int, target.read_text(encoding="utf-8").split())
    assert 2 <= most <= 3
    assert last == 0


def test_a_job_survives_the_loss_of_a_node(spark_35: Spark, tmp_path: Path) -> None:
    cluster, target, traces = spark_35.cluster, tmp_path / "sums.txt", tmp_path / "traces"
    traces.mkdir()
    one_on_a_node = {"spark.executor.instances": "2", "spark.executor.memory": "4500m"}
    one_on_a_node["spark.scheduler.maxRegisteredResourcesWaitingTime"] = (
        f"{PATIENCE_S}s"  # no work before both
    )
    one_on_a_node["spark.scheduler.minRegisteredResourcesRatio"] = "1.0"
    with spark_35.submitted(SLOW_SUM, "60", str(traces), str(target), conf=one_on_a_node) as job:

        def hosts() -> Counter[str]:
            return Counter(path.name.partition("-")[0] for path in traces.iterdir())

        def is_amid() -> bool:
            return job.process.poll() is not None or (len(hosts()) == 2 and min(hosts().values()) >= 4)

        assert wait_until(is_amid, JOB_S), job.story
        lost = next(host for host in hosts() if host != host_of_master(cluster, job.application))
        cluster.kill_node(lost)
        try:
            assert job.wait() == 0, job.story
            cluster.wait_for_state(lost, NodeState.LOST, PATIENCE_S)
        finally:
            cluster.restart_node(lost)
            cluster.wait_for_state(lost, NodeState.RUNNING, PATIENCE_S)
    sums = [sum(number for number in range(60) if number % 7 == rest) for rest in range(7)]
    assert target.read_text(encoding="utf-8") == "".join(f"{rest} {each}\n" for rest, each in enumerate(sums))


def test_a_job_is_killed(spark_35: Spark, tmp_path: Path) -> None:
    cluster, traces = spark_35.cluster, tmp_path / "traces"
    traces.mkdir()
    with spark_35.submitted(SLOW_SUM, "10000", str(traces), str(tmp_path / "never")) as job:
        assert wait_until(lambda: job.process.poll() is not None or any(traces.iterdir()), JOB_S), job.story
        said = yarn(cluster, "application", "-kill", job.application)
        assert said.out == f"Killing application {job.application}\n"
        assert job.wait() == 1, job.story
        assert "was killed by user" in job.said
        assert wait_until(lambda: not processes_of(job.application), PATIENCE_S)


def processes_of(application: str) -> list[int]:
    """What still runs in its containers."""
    return [one.pid for one in psutil.process_iter() if application in working_directory(one)]


def working_directory(process: psutil.Process) -> str:
    """Where a process is, if we may know."""
    try:
        return process.cwd()
    except psutil.Error:
        return ""


def host_of_master(cluster: Cluster, application: str) -> str:
    """The node that must live."""
    listed = yarn(cluster, "applicationattempt", "-list", application).out
    (master,) = [word for word in listed.split() if word.startswith("container_")]
    report = yarn(cluster, "container", "-status", master).out
    return report.partition("Host : ")[2].partition(":")[0]


def logs(cluster: Cluster, application: str) -> str:
    """What its containers wrote to stdout, as `yarn logs` has it once it is collected."""
    return yarn(cluster, "logs", "-applicationId", application, "-log_files", "stdout").out


def queue_of(cluster: Cluster, application: str) -> str:
    """Where it was submitted to."""
    report = yarn(cluster, "application", "-status", application).out
    assert "Final-State : SUCCEEDED" in report, report
    return report.partition("\tQueue : ")[2].partition("\n")[0]
