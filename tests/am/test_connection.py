"""Which configuration a client or an ApplicationMaster reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from yarnbox.am.connection import configuration_of
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.connection.address_book import ADDRESS_BOOK_PROPERTY
from yarnbox.yarn.connection.hosting import NM_ADDRESS_BOOK, NM_CONF_DIR

PROPERTY = "yarn.resourcemanager.hostname"


@pytest.mark.parametrize("theirs", ["absent", "empty", "filled"])
def test_a_container_reads_its_nodes_files_where_the_submitters_are_not(tmp_path: Path, theirs: str) -> None:
    submitters, nodes = tmp_path / "submitter", tmp_path / "node"
    nodes.mkdir()
    (nodes / "yarn-site.xml").write_text(Configuration.of({PROPERTY: "node"}).to_xml())
    if theirs != "absent":
        submitters.mkdir()
    if theirs == "filled":
        (submitters / "yarn-site.xml").write_text(Configuration.of({PROPERTY: "submitter"}).to_xml())
    found = configuration_of({"YARN_CONF_DIR": str(submitters), NM_CONF_DIR: str(nodes)})
    assert found.value(PROPERTY) == ("submitter" if theirs == "filled" else "node")


def test_a_containers_host_knows_where_emulated_hosts_are(tmp_path: Path) -> None:
    (tmp_path / "yarn-site.xml").write_text(Configuration.of({ADDRESS_BOOK_PROPERTY: "/theirs"}).to_xml())
    environment = {"YARN_CONF_DIR": str(tmp_path)}
    assert configuration_of(environment).value(ADDRESS_BOOK_PROPERTY) == "/theirs"
    environment[NM_ADDRESS_BOOK] = "/ours"
    assert configuration_of(environment).value(ADDRESS_BOOK_PROPERTY) == "/ours"
