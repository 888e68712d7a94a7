"""The generated configuration: the user's rules, this machine's addresses and directories."""

from __future__ import annotations

import socket
import stat
from pathlib import Path
from typing import Any

import pytest

from yarnbox.cluster import site
from yarnbox.cluster.directory import (
    ClusterError,
    ClusterRecord,
    FleetRecord,
    NodeRecord,
    Place,
    RunDirectory,
)
from yarnbox.nm.edge.naming import NamingFiles
from yarnbox.yarn.configuration import Configuration, ConfigurationError
from yarnbox.yarn.connection.address_book import AddressBook
from yarnbox.yarn.connection.dask import DaskAddress
from yarnbox.yarn.topology import RackResolver

PRODUCTION = """<configuration>
  <property><name>yarn.resourcemanager.hostname</name><value>rm.prod.example</value><final>true</final></property>
  <property><name>yarn.resourcemanager.webapp.address</name><value>rm.prod.example:9088</value></property>
  <property><name>yarn.nodemanager.local-dirs</name><value>/data1/yarn,/data2/yarn</value></property>
  <property><name>yarn.nodemanager.address</name><value>0.0.0.0:45454</value></property>
  <property><name>yarn.scheduler.maximum-allocation-mb</name><value>4096</value></property>
  <property><name>mine</name><value>${hadoop.tmp.dir}/mine</value></property>
</configuration>"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    directory = tmp_path / "production"
    directory.mkdir()
    (directory / "yarn-site.xml").write_text(PRODUCTION)
    (directory / "core-site.xml").write_text("<configuration/>")
    (directory / "fair-scheduler.xml").write_text("<allocations/>")
    (directory / "excluded-hosts").write_text("nm9\n")
    return directory


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    directory = RunDirectory(tmp_path / "run")
    directory.create()
    return directory


def record(**others: Any) -> ClusterRecord:
    made = ClusterRecord("id", "127.0.0.1:1234", "127.0.0.1:1235", "fair", **others)
    made.nodes["nm1"] = NodeRecord("nm1", "/rack1")
    made.nodes["nm2"] = NodeRecord("nm2", "/rack2")
    return made


def test_the_users_rules_stay_and_this_machine_is_laid_over_them(source: Path, run: RunDirectory) -> None:
    site.write_configuration(source, run, record(definitions={"yarn.acl.enable": "true"}))
    made = Configuration.load(run.path)
    assert made.value("yarn.scheduler.maximum-allocation-mb") == "4096"
    assert made.value("yarn.acl.enable") == "true"
    assert made.value("yarn.resourcemanager.hostname") == "127.0.0.1"
    assert made.value("yarnbox.resourcemanager.grpc.address") == "127.0.0.1:1234"
    assert made.value("yarn.resourcemanager.webapp.address") == "127.0.0.1:1235"
    assert made.value("yarn.resourcemanager.scheduler.class") == "fair"
    assert made.value("mine") == f"{run.path}/tmp/mine"
    assert (run.path / "fair-scheduler.xml").read_text() == "<allocations/>"
    assert (run.path / "excluded-hosts").read_text() == "nm9\n"


def test_of_what_is_read_in_place_there_is_no_copy_to_be_changed_in_vain(
    source: Path, run: RunDirectory
) -> None:
    site.write_configuration(source, run, record())
    made = record(configuration=str(source))
    for text in ("nm1\n", "nm2\n"):
        (source / "excluded-hosts").write_text(text)
        site.write_configuration(source, run, made)
        copy = run.path / "excluded-hosts"
        assert (copy.read_text(), stat.S_IMODE(copy.stat().st_mode) & 0o222) == (text, 0)
    assert not (run.path / "fair-scheduler.xml").exists()
    over = site.overrides(run, made)
    assert over["yarn.resourcemanager.scheduler.class"] == "fair"
    assert over["hadoop.tmp.dir"] == f"{run.path}/tmp"


def test_each_node_has_directories_and_ports_of_its_own(source: Path, run: RunDirectory) -> None:
    made = record()
    site.write_configuration(source, run, made)
    directory = site.write_node_configuration(run, made.nodes["nm2"])
    node = Configuration.load(directory)
    assert node.value("yarn.nodemanager.local-dirs") == f"{run.path}/nodes/nm2/local"
    assert node.value("yarn.nodemanager.address") == "nm2:0"
    assert node.value("yarn.nodemanager.bind-host") == "127.0.0.1"
    assert node.value("yarnbox.resourcemanager.grpc.address") == "127.0.0.1:1234"
    assert (directory / "fair-scheduler.xml").exists()


def test_racks_and_addresses_of_the_emulated_hosts(source: Path, run: RunDirectory) -> None:
    site.write_configuration(source, run, record())
    configuration = Configuration.load(run.path)
    assert RackResolver.of(configuration)("nm2") == "/rack2"
    book = AddressBook(Path(configuration.value("yarnbox.address-book") or ""))
    assert book.resolve("nm2:7000") == "127.0.0.1:7000"


def test_one_more_host_leaves_those_that_others_have_made_known(source: Path, run: RunDirectory) -> None:
    made = record()
    site.write_configuration(source, run, made)
    NamingFiles(run.path / "addresses.json", run.path / site.TOPOLOGY_FILE).announce(
        {"far": "/rack7"}, "127.0.0.9"
    )
    site.add_host(run, made, NodeRecord("nm9", "/rack9"))
    configuration = Configuration.load(run.path)
    book = AddressBook(Path(configuration.value("yarnbox.address-book") or ""))
    assert [book.resolve(f"{name}:1") for name in ("nm2", "far", "nm9")] == [
        "127.0.0.1:1",
        "127.0.0.9:1",
        "127.0.0.1:1",
    ]
    racks = RackResolver.of(configuration)
    assert [racks(name) for name in ("nm2", "far", "nm9")] == ["/rack2", "/rack7", "/rack9"]


def test_no_configuration_directory_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ClusterError, match="none is not a configuration directory"):
        site.user_configuration(tmp_path / "none", {})


def test_every_fault_is_told_by_the_users_own_files(source: Path) -> None:
    (source / "yarn-site.xml").write_text(
        PRODUCTION.replace(
            "<value>4096</value>",
            "<value>4096</value></property>\n<property>"
            "<name>yarn.nm.liveness-monitor.expiry-interval-ms</name><value>0</value>",
        )
    )
    with pytest.raises(ConfigurationError) as refused:
        site.user_configuration(source, {"yarn.resourcemanager.application.max-tags": "no"})
    said = [str(fault) for fault in refused.value.faults]
    assert f"{source}/yarn-site.xml:7" in said[0]
    assert "yarn.nm.liveness-monitor.expiry-interval-ms = '0': must be at least 1" in said[0]
    assert "yarn.resourcemanager.application.max-tags = 'no'" in said[1]
    assert len(said) == 2, "both daemons read the first, and it is told once"


def test_addresses_come_from_option_property_and_default() -> None:
    free = site.listening_address(Configuration(), site.GRPC_PROPERTY, "--port", 0)
    host, port = free.rsplit(":", 1)
    assert host == "127.0.0.1"
    ours = Configuration.of({site.GRPC_PROPERTY: free})
    assert site.listening_address(ours, site.GRPC_PROPERTY, "--port", None) == free
    theirs = Configuration.of({site.WEB_PROPERTY: f"rm.prod.example:{port}"})
    assert site.listening_address(theirs, site.WEB_PROPERTY, "--web-port", None) == free


def test_a_taken_port_is_named_with_what_changes_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ClusterError) as refused:
            site.listening_address(Configuration(), site.GRPC_PROPERTY, "--port", port)
    assert str(refused.value) == (
        f"port {port} of 127.0.0.1 is already in use: choose another one with --port (--port 0 takes any that"
        " is free) or with the property yarnbox.resourcemanager.grpc.address"
    )


def hadoop_ports(run: RunDirectory) -> list[str | None]:
    made = Configuration.load(run.path)
    names = ("address", "scheduler.address", "resource-tracker.address", "admin.address")
    return [made.value(f"yarn.resourcemanager.{name}") for name in names]


def test_a_cluster_that_goes_on_is_where_hadoops_clients_know_it(source: Path, run: RunDirectory) -> None:
    made = record()
    made.for_hadoop = True
    site.write_configuration(source, run, made)
    first = hadoop_ports(run)
    assert len(set(first)) == 4
    site.write_configuration(source, run, made)
    assert hadoop_ports(run) == first
    run.forget_earlier_life()
    site.write_configuration(source, run, made)
    assert not set(hadoop_ports(run)) & set(first)


def test_what_the_user_says_of_hadoops_ports_holds(source: Path, run: RunDirectory) -> None:
    for port in ("8032", "9032"):
        made = record(definitions={"yarn.resourcemanager.address": f"127.0.0.1:{port}"}, for_hadoop=True)
        site.write_configuration(source, run, made)
        assert hadoop_ports(run)[0] == f"127.0.0.1:{port}"


def test_stores_that_are_kept_elsewhere_than_the_files_say(source: Path, run: RunDirectory) -> None:
    name, other = "yarn.node-labels.fs-store.root-dir", "yarn.node-attribute.fs-store.root-dir"
    entries = "".join(
        f"<property><name>{each}</name><value>hdfs://prod/{each}</value></property>" for each in (name, other)
    )
    (source / "yarn-site.xml").write_text(f"<configuration>{entries}</configuration>")
    (sentence,) = site.moved_stores(source, run, {other: "/elsewhere"})
    assert sentence.startswith(f"{name} = hdfs://prod/{name} is not used ({source}")
    assert sentence.endswith(f"this cluster keeps it in {run.path / 'node-labels'}")
    assert site.moved_stores(site.sample_configuration(), run, {}) == []
    assert site.overridden(
        {"yarn.nodemanager.webapp.address": "0.0.0.0:8042", "yarn.nodemanager.my": "x"}
    ) == ["yarn.nodemanager.webapp.address = 0.0.0.0:8042 is not used (-D): each NodeManager has its own"]


def test_auxiliary_services_that_there_are_not(source: Path, run: RunDirectory) -> None:
    """A production yarn-site.xml nearly always names Spark's; a NodeManager with it does not start."""
    name = "yarn.nodemanager.aux-services"
    for given, kept in (("mapreduce_shuffle, spark_shuffle", "mapreduce_shuffle"), ("spark_shuffle", "")):
        entry = f"<property><name>{name}</name><value>{given}</value></property>"
        (source / "yarn-site.xml").write_text(f"<configuration>{entry}</configuration>")
        site.write_configuration(source, run, record())
        assert Configuration.load(run.path).value(name) == kept
        (sentence,) = site.left_out_services(source, {})
        assert sentence.startswith(
            f"{name} = {given}: of these there is only mapreduce_shuffle here ({source}"
        )
        assert site.left_out_services(source, {name: given}) == []
    assert site.left_out_services(site.sample_configuration(), {}) == []


def test_beyond_one_machine_the_users_tls_is_in_force_and_nodes_are_where_they_were_placed(
    source: Path, run: RunDirectory
) -> None:
    authority = "<property><name>yarnbox.tls.ca-file</name><value>/etc/ca.pem</value></property>"
    (source / "yarn-site.xml").write_text(
        PRODUCTION.replace("</configuration>", f"{authority}</configuration>")
    )
    site.write_configuration(source, run, record())
    assert not Configuration.load(run.path).value("yarnbox.tls.ca-file")
    fleet = FleetRecord(DaskAddress("tcp://10.0.0.9:8786"), "10.0.0.9")
    made = record(fleet=fleet, configuration=str(source))
    node = made.nodes["nm1"]
    node.place = Place("tcp://10.0.0.1:4001", "10.0.0.1", "/scratch/yarnbox-id/nm1", 2048, 2)
    site.write_configuration(source, run, made)
    found = Configuration.load(run.path)
    assert found.value("yarnbox.tls.ca-file") == "/etc/ca.pem"
    assert found.value("yarn.resourcemanager.hostname") == "10.0.0.9"
    own = Configuration.load(site.write_node_configuration(run, node))
    assert own.value("yarn.nodemanager.bind-host") == "10.0.0.1"
    assert own.value("yarn.nodemanager.local-dirs") == "/scratch/yarnbox-id/nm1/local"
    assert own.value("yarn.nodemanager.resource.memory-mb") == "2048"
    book = AddressBook(run.path / "addresses.json")
    assert book.resolve("nm1:1") == "10.0.0.1:1"
    node.place = Place("tcp://10.0.0.2:4001", "10.0.0.2", "/scratch/yarnbox-id/nm1", 2048, 2)
    site.add_host(run, made, node)
    assert AddressBook(run.path / "addresses.json").resolve("nm1:1") == "10.0.0.2:1"


def test_each_of_many_simulated_nodes_has_a_name_and_a_rack(source: Path, run: RunDirectory) -> None:
    made = record()
    made.nodes["nm2"].virtual = 2
    site.write_configuration(source, run, made)
    racks = (run.path / "topology.table").read_text()
    assert racks == "nm1 /rack1\nnm2-00001 /rack2\nnm2-00002 /rack2\n"


def test_many_nodes_send_a_thousand_heartbeats_a_second_in_all(source: Path, run: RunDirectory) -> None:
    """A hundred nodes are as the sample has it; and whoever says something else is believed."""
    heartbeat = "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms"
    expiry = "yarn.nm.liveness-monitor.expiry-interval-ms"

    def found(nodes: int, **more: Any) -> tuple[str | None, str | None]:
        made = record(**more)
        made.nodes = {"nm1": NodeRecord("nm1", "/rack1", virtual=nodes)}
        configuration = Path(made.configuration or site.sample_configuration())
        site.write_configuration(configuration, run, made)
        written = Configuration.load(run.path)
        return written.value(heartbeat), written.value(expiry)

    assert found(100) == ("100", "5000")
    assert found(5000) == ("5000", "120000")
    assert found(5000, definitions={heartbeat: "300"}) == ("300", "120000")
    (source / "yarn-site.xml").write_text(
        f"<configuration><property><name>{expiry}</name><value>7</value></property></configuration>"
    )
    assert found(200, configuration=str(source)) == ("200", "7")
