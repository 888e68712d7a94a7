"""Real clusters for tests: on free ports, in a directory of their own, and nothing of them is left behind."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psutil
import pytest

from tests.waiting import MISSED_MS, PATIENCE_S
from yarnbox.cluster.cluster import Cluster
from yarnbox.cluster.cluster import wait_until as look_until
from yarnbox.cluster.directory import RunDirectory
from yarnbox.cluster.main import main
from yarnbox.cluster.processes import belonging_to
from yarnbox.cluster.view import as_json, look
from yarnbox.yarn.configuration.document import write
from yarnbox.yarn.storage.event_log import FILE, EventLogReader, LoggedEvent

_PROPERTIES = (
    f"yarn.nm.liveness-monitor.expiry-interval-ms={MISSED_MS}",
    "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms=200",  # the sample's 100 keep a processor busy
    "yarn.nodemanager.log-container-debug-info.enabled=false",  # five commands for each container
)
QUIET = ("--port", "0", "--web-port", "0", "--scheduler", "fifo", *(f"-D{one}" for one in _PROPERTIES))
"""What lets clusters of tests run beside others, and beside each other."""

ROOT = Path(__file__).resolve().parents[2]


def with_queues(root: Path, queues: dict[str, str]) -> str:
    """The sample configuration with another capacity-scheduler.xml."""
    shutil.copytree(ROOT / "conf", root / "conf")
    properties = ((name, value, False) for name, value in queues.items())
    (root / "conf" / "capacity-scheduler.xml").write_text(write(properties))
    return str(root / "conf")


def wait_until(condition: Callable[[], bool], timeout_s: float) -> bool:
    """Looks until the condition holds, but seldom: whoever waits leaves the machine to those it waits for."""
    return look_until(condition, timeout_s, every_s=0.25)


@dataclass
class Desk:
    """Somebody at a shell with a run directory."""

    directory: Path
    run_ids: list[str] = field(default_factory=list)
    commands: list[subprocess.Popen[str]] = field(default_factory=list)
    clusters: list[Cluster] = field(default_factory=list)
    _told: list[LoggedEvent] = field(default_factory=list)
    _teller: EventLogReader | None = None

    @property
    def run(self) -> RunDirectory:
        """The run directory."""
        return RunDirectory(self.directory)

    @property
    def cluster(self) -> Cluster:
        """The cluster in it, for calls from Python."""
        self.clusters.append(Cluster(self.run))
        return self.clusters[-1]

    def environment(self) -> dict[str, str]:
        """The shell's variables: ours, without those of another cluster."""
        ours = ("YARN_CONF_DIR", "HADOOP_CONF_DIR", "YARNBOX_DIR")
        kept = {name: value for name, value in os.environ.items() if name not in ours}
        return {**kept, "PYTHONPATH": str(ROOT / "src")}

    def start(self, *words: str, user: str | None = None) -> subprocess.Popen[str]:
        """`yarnbox`, running in the background; as whoever runs the tests, unless told otherwise."""
        command = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "yarnbox.cluster.main",
                words[0],
                "--dir",
                str(self.directory),
                *words[1:],
            ],
            env={**self.environment(), **({"HADOOP_USER_NAME": user} if user else {})},
            cwd=self.directory.parent,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.commands.append(command)
        return command

    @contextmanager
    def in_foreground(self, *words: str) -> Iterator[subprocess.Popen[str]]:
        """`yarnbox up`, once it has said that it is ready; killed if it does not end."""
        command = self.start("up", *QUIET, *words)
        try:
            assert command.stdout is not None
            first = command.stdout.readline()
            assert "ready" in first, first + (command.stderr.read() if command.stderr else "")
            self.remember()
            yield command
            command.communicate(timeout=PATIENCE_S)
        finally:
            command.kill()
            command.communicate()

    def yarnbox(self, *words: str, status: int | None = 0, timeout_s: float = PATIENCE_S) -> str:
        """Runs `yarnbox`, and returns what it printed; it has to end with the status, None being any."""
        with self.start(*words) as command:
            try:
                out, err = command.communicate(timeout=timeout_s)
            except subprocess.TimeoutExpired:
                command.kill()
                raise
        self.remember()
        assert status in (None, command.returncode), f"{words}: status {command.returncode}\n{out}\n{err}"
        return out + err

    def here(self, *words: str, status: int = 0) -> str:
        """Runs `yarnbox` in this process, where the command itself is not what is looked at: a new one takes
        longer to begin than most commands take.
        """
        printed = io.StringIO()
        with redirect_stdout(printed), redirect_stderr(printed), patch.dict(os.environ):  # a job changes it
            ended = main([words[0], "--dir", str(self.directory), *words[1:]])
        self.remember()
        assert ended == status, f"{words}: status {ended}\n{printed.getvalue()}"
        return printed.getvalue()

    def up(self, *words: str) -> None:
        """A cluster on free ports, ready."""
        self.here("up", "--detach", *QUIET, *words)

    def status(self) -> dict[str, Any]:
        """What `yarnbox status --json` prints, read here: it is asked again and again."""
        record, rows = look(self.cluster)
        return as_json(record, str(self.directory), rows)

    def events(self) -> list[LoggedEvent]:
        """What `yarnbox events --json` prints, read here for the same reason, and each line once."""
        if self._teller is None:
            self._teller = EventLogReader(self.run.logs / FILE)
            self._told.extend(self._teller.read_all())
        self._told.extend(self._teller.read_new())
        return list(self._told)

    def daemon(self, name: str) -> dict[str, Any]:
        """One row of it."""
        rows: list[dict[str, Any]] = self.status()["daemons"]
        return next(row for row in rows if row["name"] == name)

    def wait_for(self, name: str, state: str, timeout_s: float = PATIENCE_S) -> None:
        """Waits until the status of a daemon says so."""
        assert wait_until(lambda: bool(self.daemon(name)["state"] == state), timeout_s), self.status()

    def remember(self) -> None:
        """Notes the id of the cluster, so that what it leaves behind is found."""
        if self.run.record_file.exists():
            run_id = self.run.load().run_id
            if run_id not in self.run_ids:
                self.run_ids.append(run_id)

    def running(self, module: str) -> list[psutil.Process]:
        """The processes of its containers in which Python runs the module."""
        found = [process for run_id in self.run_ids for process in belonging_to(run_id, self.directory)]
        return [psutil.Process(one.pid) for one in found if module in _command_line(one.pid)]

    def leftovers(self) -> list[str]:
        """Processes of any cluster that was here."""
        found = [process for run_id in self.run_ids for process in belonging_to(run_id, self.directory)]
        return [" ".join(_command_line(process.pid)) for process in found]


def _command_line(pid: int) -> list[str]:
    try:
        return psutil.Process(pid).cmdline()
    except psutil.Error:
        return []


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A shell whose cluster is ended when the test is over, and must have left nothing."""
    sitting = Desk(tmp_path / "run")
    yield sitting
    sitting.remember()
    if sitting.run.record_file.exists():
        sitting.cluster.down()
    for cluster in sitting.clusters:
        cluster.close()
    for command in sitting.commands:
        with command:
            command.kill()
    assert sitting.leftovers() == []
