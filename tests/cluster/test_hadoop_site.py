"""What a cluster for Hadoop's own clients has more than others."""

from __future__ import annotations

from pathlib import Path

from yarnbox.cluster import hadoop_site
from yarnbox.yarn.configuration import Configuration


def test_nodes_are_addresses_of_their_own() -> None:
    first = hadoop_site.next_host([])
    assert [first, hadoop_site.next_host([first])] == ["127.0.1.1", "127.0.1.2"]
    assert hadoop_site.next_host(["127.0.1.9", "127.0.1.3"]) == "127.0.1.10"


def test_java_is_found_by_the_path(tmp_path: Path) -> None:
    real, path = tmp_path / "jdk" / "bin" / "java", tmp_path / "bin"
    for directory in real.parent, path:
        directory.mkdir(parents=True)
    real.touch(mode=0o755)
    (path / "java").symlink_to(real)
    assert hadoop_site.variables({"PATH": str(path)}) == {"JAVA_HOME": str(tmp_path / "jdk")}


def test_who_says_where_java_is_is_believed(tmp_path: Path) -> None:
    assert hadoop_site.variables({"PATH": str(tmp_path), "JAVA_HOME": "/opt/java"}) == {}


def test_without_java_nothing_is_said(tmp_path: Path) -> None:
    assert hadoop_site.variables({"PATH": str(tmp_path)}) == {}


def test_job_clients_find_the_history_server_where_it_was() -> None:
    (name,) = hadoop_site.history_properties("127.0.0.1", Configuration())
    for known, is_kept in (("127.0.0.1:12345", True), ("history.prod.example:10020", False)):
        earlier = Configuration().overlaid({name: known})
        found = hadoop_site.history_properties("127.0.0.1", earlier)[name]
        assert (found == known) is is_kept
        assert found.startswith("127.0.0.1:")
