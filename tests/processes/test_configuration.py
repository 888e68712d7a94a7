"""The directory given by --conf: what is changed there is what the daemons read, without another `up`."""

from __future__ import annotations

import getpass
import shutil
from pathlib import Path

import pytest

from tests.processes.conftest import ROOT, Desk
from tests.waiting import PATIENCE_S
from yarnbox.cluster.daemons.reports import latest
from yarnbox.yarn.configuration.document import write

pytestmark = pytest.mark.long

QUEUES = {"queues": "default,late", "default.capacity": "40", "late.capacity": "60"}


def properties(values: dict[str, str]) -> str:
    return write((name, value, False) for name, value in values.items())


def set_in(file: Path, name: str, value: str) -> None:
    """Adds a property at the end, where it beats what stands above it."""
    row = f"<property><name>{name}</name><value>{value}</value></property>"
    file.write_text(file.read_text().replace("</configuration>", f"{row}\n</configuration>"))


def as_other(desk: Desk, *words: str) -> int:
    """The exit status of a command of another user's."""
    command = desk.start(*words, user="other")
    command.communicate(timeout=PATIENCE_S)
    return command.returncode


def test_changes_of_the_directory_are_what_a_refresh_reads(desk: Desk, tmp_path: Path) -> None:
    conf, me = tmp_path / "conf", getpass.getuser()
    shutil.copytree(ROOT / "conf", conf)
    (conf / "excluded").write_text("")
    set_in(conf / "yarn-site.xml", "yarn.resourcemanager.nodes.exclude-path", "excluded")
    set_in(conf / "yarn-site.xml", "yarn.admin.acl", me)
    set_in(conf / "yarn-site.xml", "yarn.acl.enable", "true")
    desk.up("--scheduler", "capacity", "--nodes", "2", "--conf", str(conf))

    prefix = "yarn.scheduler.capacity.root."
    queues = properties({prefix + name: value for name, value in QUEUES.items()})
    (conf / "capacity-scheduler.xml").write_text(queues)
    desk.here("yarn", "rmadmin", "-refreshQueues")
    assert "Capacity : 60.00%" in desk.here("yarn", "queue", "-status", "late")

    (conf / "excluded").write_text("nm2\n")
    desk.here("yarn", "rmadmin", "-refreshNodes")
    desk.wait_for("nm2", "DECOMMISSIONED")

    assert as_other(desk, "yarn", "rmadmin", "-refreshNodes") != 0
    set_in(conf / "yarn-site.xml", "yarn.admin.acl", f"{me},other")
    desk.here("yarn", "rmadmin", "-refreshAdminAcls")
    assert as_other(desk, "yarn", "rmadmin", "-refreshNodes") == 0

    # A daemon that starts later starts with what the directory says by then, if it can.
    set_in(conf / "yarn-site.xml", "yarn.nodemanager.resource.memory-mb", "much")
    assert "yarn.nodemanager.resource.memory-mb = 'much'" in desk.here("restart-node", "nm1", status=2)
    desk.wait_for("nm1", "RUNNING")
    set_in(conf / "yarn-site.xml", "yarn.nodemanager.resource.memory-mb", "3000")
    desk.here("restart-node", "nm1")
    capability = latest(desk.cluster.nodes(desk.run.load()) or [])["nm1"].capability
    assert capability is not None
    assert capability.memory_mb == 3000
