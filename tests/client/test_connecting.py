"""`yarnbox.client.connect`: where it looks for a cluster, and as whom it calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from yarnbox.client import ConnectionFailedError, connect
from yarnbox.yarn.configuration import ConfigurationError

SITE = """<configuration><property>
<name>yarnbox.resourcemanager.grpc.address</name><value>127.0.0.1:1</value>
</property></configuration>"""


@pytest.fixture
def conf(tmp_path: Path) -> Path:
    """The run directory of a cluster that does not answer."""
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "yarn-site.xml").write_text(SITE)
    return tmp_path


NO_PATIENCE = {"yarn.resourcemanager.connect.max-wait.ms": "1"}


@pytest.mark.parametrize("place", [".", "conf"], ids=["run directory", "configuration directory"])
def test_a_directory_names_the_cluster(conf: Path, place: str) -> None:
    connection = connect(conf / place, user="mei", properties=NO_PATIENCE)
    with connection as cluster, pytest.raises(ConnectionFailedError, match=r"127\.0\.0\.1:1"):
        cluster.client.applications()


def test_the_environment_names_it_otherwise(conf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YARN_CONF_DIR", str(conf / "conf"))
    with (
        connect(properties=NO_PATIENCE) as cluster,
        pytest.raises(ConnectionFailedError, match=r"127\.0\.0\.1:1"),
    ):
        cluster.admin.refresh_queues()


def test_a_directory_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(ConfigurationError, match="nowhere: is not a readable directory"),
        connect(tmp_path / "nowhere"),
    ):
        pass


def test_a_user_whose_name_cannot_be_sent_is_refused(conf: Path) -> None:
    with pytest.raises(ConfigurationError, match="printable ASCII"), connect(conf, user="m\n"):
        pass
