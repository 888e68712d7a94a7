"""Daemons listen where their configurations say and nowhere else, and a job needs nothing of its client's
host: neither its Python, nor its paths, nor its configuration.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.processes.hosts import NODE_HOSTS, RM_HOST, Hosts
from yarnbox.am.shell.client import ShellClient
from yarnbox.am.shell.spec import ShellSpec
from yarnbox.am.submit import has_succeeded
from yarnbox.yarn.configuration import Configuration

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    """A ResourceManager, two nodes with addresses of their own, and one that is announced by a name."""
    found = Hosts(tmp_path_factory.mktemp("hosts"))
    client = found.configure("client")
    found.start_rm()
    for host in NODE_HOSTS:
        found.start_node(host, {"yarn.nodemanager.hostname": host})
    named = {"yarn.nodemanager.hostname": "localhost", "yarn.nodemanager.bind-host": "127.0.0.1"}
    found.start_node("named", named)
    try:
        found.wait_for_nodes(client, *NODE_HOSTS, "localhost")
        yield found
    finally:
        ended = found.end()
    assert set(ended.values()) == {0}, found.outputs()


@pytest.fixture
def client(hosts: Hosts) -> Path:
    """The configuration directory of a client."""
    return hosts.root / "client" / "conf"


def listening(hosts: Hosts, name: str) -> dict[int, set[str]]:
    """The ports on which a daemon takes connections, with the addresses: what others have there is theirs."""
    found: dict[int, set[str]] = {}
    for one in psutil.Process(hosts.processes[name].pid).net_connections("tcp"):
        if one.status == psutil.CONN_LISTEN:
            found.setdefault(one.laddr.port, set()).add(one.laddr.ip.removeprefix("::ffff:"))
    return found


def test_each_daemon_listens_at_its_address_and_at_no_other(hosts: Hosts, client: Path) -> None:
    at = listening(hosts, "rm")
    assert {hosts.rm_port, hosts.web_port} <= set(at)
    assert set().union(*at.values()) == {RM_HOST}
    reports = hosts.nodes(client)
    for host in NODE_HOSTS:
        report = reports[host]
        assert report.node_id is not None
        web_host, _, web_port = str(report.http_address).rpartition(":")
        assert web_host == host
        at = listening(hosts, host)
        for port in (report.node_id.port, int(web_port)):
            assert at[port] == {host}


def test_a_node_is_announced_by_its_name_and_listens_where_bind_host_says(hosts: Hosts, client: Path) -> None:
    named = hosts.nodes(client)["localhost"]
    assert named.node_id is not None
    assert str(named.http_address).startswith("localhost:")
    assert listening(hosts, "named")[named.node_id.port] == {"127.0.0.1"}


def test_an_application_takes_python_and_configuration_of_its_nodes(
    hosts: Hosts, client: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever submits it has other paths than the nodes."""
    elsewhere = Path("/nowhere/here")
    configuration = Configuration.load(client, environment=os.environ)
    monkeypatch.setattr(sys, "executable", str(elsewhere / "bin" / "python"))
    monkeypatch.setattr("yarnbox.am.launch.SOURCES", elsewhere / "lib")
    monkeypatch.setenv("PYTHONPATH", str(elsewhere / "own"))
    monkeypatch.setenv("YARN_CONF_DIR", str(elsewhere / "conf"))
    shell = ShellClient(configuration, "alice")
    application_id = shell.submit(ShellSpec(command="hostname", containers=2, memory_mb=256))
    report = shell.follow(application_id, lambda _report: None)
    assert has_succeeded(report), f"{report.diagnostics}\n{hosts.outputs()}"


def test_commands_need_a_configuration_directory_and_nothing_else(hosts: Hosts, client: Path) -> None:
    printed = hosts.run(client, "yarnbox.cluster.main", "job", "pi", "3", "100")
    assert "completed successfully" in printed
    assert "Estimated value of Pi is 3." in printed
    listed = hosts.run(client, "yarnbox.client.main", "node", "-list")
    assert "Total Nodes:3" in listed
    assert all(host in listed for host in NODE_HOSTS)
    applications = hosts.run(client, "yarnbox.client.main", "application", "-list", "-appStates", "FINISHED")
    assert "QuasiMonteCarlo" in applications
