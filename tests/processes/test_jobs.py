"""Real jobs on real clusters: right answers, and right answers although nodes die under them.

Where a job must not be over too soon, its maps wait for a file; nothing here waits for luck.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.processes.conftest import ROOT, Desk, wait_until
from tests.processes.gated import Gated, output
from tests.waiting import PATIENCE_S
from yarnbox.am.asks import ContainerRequest
from yarnbox.am.connection import Connection, configuration_of
from yarnbox.am.submit import Submitter, has_succeeded
from yarnbox.am.unmanaged import launch_unmanaged
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.container import ContainerLaunchContext
from yarnbox.yarn.resources.resource import Resource

pytestmark = pytest.mark.long


def test_jobs_have_the_right_answers(desk: Desk, tmp_path: Path) -> None:
    sources = Path(os.__file__).parent / "json"
    desk.up("--scheduler", "fifo", "--racks", "2", "--history-server", "0")
    said = desk.yarnbox(
        "job", "wordcount", str(sources), str(tmp_path / "out"), "-D", "mapreduce.job.reduces=2"
    )
    words: Counter[bytes] = Counter()
    for path in sources.rglob("*"):
        if path.is_file():
            words.update(path.read_bytes().split())
    assert output(tmp_path / "out") == words
    assert " map 100% reduce 100%" in said
    assert "completed successfully" in said
    check_history(desk)
    assert "Estimated value of Pi is 3.14800000000000000000" in desk.here("job", "pi", "10", "100")
    (tmp_path / "count.sh").write_text("#!/bin/sh\nwc -l | sed 's/^/lines\\t/'\n")
    desk.here(
        "job", "streaming", "-input", str(sources), "-output", str(tmp_path / "lines"),
        "-mapper", "mine", "-files", f"{tmp_path}/count.sh#mine", "-reducer", "NONE",
    )  # fmt: skip
    lines = [part.read_text().split("\t") for part in (tmp_path / "lines").glob("part-m-*")]
    texts = [path.read_bytes() for path in sources.rglob("*") if path.is_file()]
    assert sum(int(count) for _, count in lines) == sum(
        text.count(b"\n") + (text[-1:] not in (b"", b"\n")) for text in texts
    )
    numbers = tmp_path / "numbers"
    numbers.mkdir()
    desk.here(
        "job", "shell", "--containers", "3", "--shell-env", f"WHERE={numbers}",
        "--shell-command", "touch $WHERE/$YARN_SHELL_ID",
    )  # fmt: skip
    assert sorted(path.name for path in numbers.iterdir()) == ["1", "2", "3"]
    quoted = ("python3", "-c", f"open({str(numbers / 'quoted')!r}, 'w').write('\"$HOME\"')")
    desk.here("job", "shell", "--", *quoted)
    assert (numbers / "quoted").read_text() == '"$HOME"'
    failing = desk.yarnbox("job", "shell", "--", "sh", "-c", "echo seen; echo why >&2; exit 3", status=1)
    assert " containers 100%\nseen\n" in failing
    assert re.search(r"did not succeed.*\nThe last lines of stderr of \S+ on nm\d:\n  why\n", failing)
    (rest,) = re.findall(r"The whole log: (yarn .*)", failing)
    assert "\nwhy\n" in desk.yarnbox(*rest.split())
    the_page_shows_the_end_of_a_log(desk, failing)


def the_page_shows_the_end_of_a_log(desk: Desk, said: str) -> None:
    """By the ResourceManager, which asks the node; what is not there is refused in words."""
    top = f"http://{desk.run.load().web_address}/ws/v1/cluster/ui"

    def ask(path: str) -> Any:
        try:
            with urllib.request.urlopen(f"{top}/{path}", timeout=PATIENCE_S) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refusal:
            return refusal.code, json.load(refusal)["RemoteException"]["message"]

    (application_id,) = re.findall(r"Submitted application (\w+)", said)
    rows = ask(f"containers?app={application_id}")["containers"]["container"]
    one = next(row for row in rows if row["exitStatus"] == 3)
    query = f"container-logs?node={one['node']}&container={one['id']}"
    found = ask(f"{query}&file=stderr")["log"]
    assert (found["file"], found["text"]) == ("stderr", "why\n")
    assert {"name": "stdout", "length": 5, "text": "stdout, 5 B"} in found["files"]
    choices, shown = ask(f"{query}&file=stderr".replace("container-logs", "log-tail"))["log"]["block"]
    assert (choices["present"], shown["tail"]) == (f"{one['id']}/stderr", "why\n")
    assert ask(f"{query}&file=stdout&size=3")["log"]["text"] == "en\n"
    status, message = ask(f"{query}&file=nothing")
    assert status == 404
    assert "has no log nothing; it has " in message
    (refused,) = ask(f"{query}&file=nothing".replace("container-logs", "log-tail"))["log"]["block"]
    assert refused["alert"] == message, "the page says it, and stands"
    assert ask(f"{query}&size=0")[0] == 400


def check_history(desk: Desk) -> None:
    """The tracking URL of the ended job leads to its page; the history server tells of it, and is RUNNING."""
    record = desk.run.load()
    (job,) = answer(f"http://{record.history_address}/ws/v1/history/mapreduce/jobs")["jobs"]["job"]
    assert (job["name"], job["state"], job["reducesCompleted"]) == ("word count", "SUCCEEDED", 2)
    application = job["id"].replace("job", "application")
    there = f"http://{record.history_address}/jobhistory/job/{job['id']}"

    def leads_there() -> bool:
        with urllib.request.urlopen(f"http://{record.web_address}/proxy/{application}/") as page:
            return page.url == there and f"MapReduce Job {job['id']}" in page.read().decode()

    assert wait_until(leads_there, PATIENCE_S)  # as soon as the ApplicationMaster has gone
    assert re.search(r"historyserver +RUNNING", desk.here("status"))


def answer(url: str) -> Any:
    """What is answered in JSON."""
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as found:
        return json.load(found)


def test_whoever_waits_for_a_cluster_that_is_gone_is_told_and_gives_up(desk: Desk) -> None:
    desk.up("--nodes", "1")
    shell = desk.start("job", "shell", "--wait", "1", "--", "sleep", "300")
    assert shell.stdout is not None
    assert "Submitted application" in shell.stdout.readline()
    desk.here("down")
    _, err = shell.communicate(timeout=PATIENCE_S)
    assert (shell.returncode, len(err.splitlines())) == (1, 2), err
    first, last = err.splitlines()
    assert "does not answer: asking again every 0.5 s, for 1 s at most" in first
    assert "the ResourceManager did not answer for 1 s" in last


def test_an_am_of_ones_own_inside_the_cluster_and_outside(desk: Desk) -> None:
    desk.up("--scheduler", "fifo", "--nodes", "1")
    environment = {**desk.environment(), "YARN_CONF_DIR": str(desk.directory)}
    program = ROOT / "examples" / "minimal_am" / "minimal_am.py"
    said = subprocess.run(
        [sys.executable, program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    assert "FinalApplicationStatus.SUCCEEDED" in said.stdout
    connection = Connection.of(configuration_of(environment))
    with connection.client_stub("tester") as stub:
        submitter = Submitter(stub)
        attempt = launch_unmanaged(submitter, ApplicationSubmissionContext(application_name="unmanaged"))
        rm = connection.blocking_rm_client(attempt.token)
        nm = connection.blocking_nm_client(rm)
        rm.register("nowhere in particular")
        request = ContainerRequest(capability=Resource(1024, 1), priority=1, nodes=("nm1",))
        rm.asks.add(request)
        exits: list[int] = []

        def has_ended() -> bool:
            answer = rm.allocate(0.5)
            for container in answer.allocated_containers:
                rm.asks.remove(request)
                nm.start(container, ContainerLaunchContext(command=("exit 7",)))
            exits.extend(status.exit_status for status in answer.completed_container_statuses)
            return bool(exits)

        assert wait_until(has_ended, PATIENCE_S)
        assert exits == [7]
        rm.finish(FinalApplicationStatus.SUCCEEDED)
        assert has_succeeded(submitter.report(attempt.application_id))
        nm.close()


def tried(report: dict[str, Any]) -> dict[str, str]:
    """State by attempt id."""
    return {one["id"]: one["state"] for task in report["tasks"] for one in task["attempts"]}


def test_a_node_dies_and_its_maps_run_again_the_done_ones_included(desk: Desk, tmp_path: Path) -> None:
    job = Gated(desk, tmp_path)
    attempts = job.wait_until_half_is_done()
    am_host = job.report().host
    victim = next(
        one["nodeHost"] for one in attempts if one["state"] == "SUCCEEDED" and one["nodeHost"] != am_host
    )
    lost = [one for one in attempts if one["nodeHost"] == victim]
    desk.here("kill-node", victim)
    job.wait(lambda: all(one["state"] == "KILLED" for one in job.attempts() if one["nodeHost"] == victim))
    states = tried(job.finish())
    for one in lost:
        assert states[one["id"]] == "KILLED"
        assert any(state == "SUCCEEDED" for name, state in states.items() if name == one["id"][:-1] + "1")
    assert "FAILED" not in states.values(), "a lost node is nobody's failure"


def test_the_ams_own_node_dies_and_the_next_am_goes_on(desk: Desk, tmp_path: Path) -> None:
    job = Gated(desk, tmp_path)
    attempts = job.wait_until_half_is_done()
    first = job.report()
    assert first.host is not None
    kept = [one["id"] for one in attempts if one["state"] == "SUCCEEDED" and one["nodeHost"] != first.host]
    desk.here("kill-node", first.host)

    def has_next_am() -> bool:
        attempt_id = job.report().current_application_attempt_id
        return attempt_id is not None and attempt_id.attempt_id == 2 and bool(job.attempts())

    job.wait(has_next_am)
    states = tried(job.finish())
    for name in kept:
        assert states[name] == "SUCCEEDED", "what was done on a node that lives is not done again"
    assert any(name.endswith("_1000") for name in states)
