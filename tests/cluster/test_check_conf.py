"""yarnbox check-conf: numbers, what looks wrong, and what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from cluster.check_conf import check, difference
from cluster.main import main
from yarn.configuration.document import write
from yarn.resource import Resource

P = "yarn.scheduler.capacity."
TREE = {
    "root.queues": "prod,dev",
    "root.prod.capacity": "70",
    "root.dev.capacity": "30",
    "root.dev.maximum-capacity": "50",
}


def directory(path: Path, properties: Mapping[str, str], site: Mapping[str, str] | None = None) -> Path:
    """A configuration directory with these queues."""
    path.mkdir(parents=True, exist_ok=True)
    queues = ((P + name, value, False) for name, value in properties.items())
    (path / "capacity-scheduler.xml").write_text(write(queues))
    (path / "yarn-site.xml").write_text(write((name, value, False) for name, value in (site or {}).items()))
    return path


def test_every_derived_quantity(tmp_path: Path) -> None:
    found = check(directory(tmp_path, TREE), "memory=10240M,vcores=10")
    prod = next(queue for queue in found.queues if queue.path == "root.prod")
    assert prod.effective_minimum == Resource(7167, 6)
    assert prod.leaf is not None
    assert prod.leaf.maximum_applications == 7000
    assert prod.leaf.am_limit == Resource(1024, 1)
    assert [limit.memory_mb for limit in prod.leaf.user_limits] == [7168, 7168, 7168, 7168]
    dev = next(queue for queue in found.queues if queue.path == "root.dev")
    assert dev.effective_maximum == Resource(5120, 5)


def test_user_limits_shrink_with_the_number_of_active_users(tmp_path: Path) -> None:
    path = directory(tmp_path, {**TREE, "root.prod.minimum-user-limit-percent": "20"})
    prod = check(path, "memory=100G,vcores=100").queues[1]
    assert prod.leaf is not None
    assert [limit.memory_mb // 1024 for limit in prod.leaf.user_limits] == [70, 35, 14, 14]


@pytest.mark.parametrize(
    "properties, name",
    [
        ({"root.dev.maximum-am-resource-percent": "0"}, "root.dev.maximum-am-resource-percent"),
        ({"root.dev.user-limit-factor": "20"}, "root.dev.user-limit-factor"),
        ({"root.dev.maximum-capacity": "20"}, "root.dev.maximum-capacity"),
        ({"root.dev.state": "STOPPED"}, "root.dev.state"),
        ({"root.dev.priority": "4"}, "root.ordering-policy"),
        ({"root.dev.maximum-applications": "0"}, "root.dev.maximum-applications"),
        ({"root.gone.capacity": "10"}, "root.gone.capacity"),
        ({"root.dev.capacty": "10"}, "root.dev.capacty"),
        ({"root.dev.capacity": "1", "root.prod.capacity": "99"}, "root.dev.capacity"),
    ],
)
def test_what_looks_wrong_names_the_property_to_change(
    tmp_path: Path, properties: dict[str, str], name: str
) -> None:
    found = check(directory(tmp_path, {**TREE, **properties}), "memory=20480M,vcores=20").findings
    assert P + name in [finding.property for finding in found]


def test_a_list_below_an_open_root_is_void(tmp_path: Path) -> None:
    site = {"yarn.acl.enable": "true"}
    path = directory(tmp_path, {**TREE, "root.dev.acl_submit_applications": "ann"}, site)
    assert P + "root.acl_submit_applications" in [one.property for one in check(path, None).findings]
    closed = {**TREE, "root.dev.acl_submit_applications": "ann", "root.acl_submit_applications": " "}
    path = directory(tmp_path, closed, site)
    assert P + "root.acl_submit_applications" not in [one.property for one in check(path, None).findings]


def test_difference(tmp_path: Path) -> None:
    one = check(directory(tmp_path / "a", TREE), "memory=10240M,vcores=10")
    other = {**TREE, "root.prod.capacity": "60", "root.dev.capacity": "40", "root.dev.queues": "x"}
    two = check(directory(tmp_path / "b", {**other, "root.dev.x.capacity": "100"}), "memory=10240M,vcores=10")
    rows = difference(one, two)
    assert ("root.prod", "ABSOLUTE", "70.00%", "60.00%") in rows
    assert ("root.dev.x", "queue", "-", "there") in rows
    assert difference(one, one) == []


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = directory(tmp_path / "good", TREE)
    assert main(["check-conf", str(good), "--cluster", "memory=10G,vcores=10"]) == 0
    shown = capsys.readouterr().out
    assert "prod" in shown
    assert "7167 MB" in shown
    assert main(["check-conf", str(good), "--diff", str(good)]) == 0
    assert "No differences" in capsys.readouterr().out
    bad = directory(tmp_path / "bad", {**TREE, "root.dev.capacity": "20", "root.prod.state": "PAUSED"})
    assert main(["check-conf", str(bad)]) == 2
    told = capsys.readouterr().err
    assert "Invalid queue state configuration" in told
    assert "Illegal capacity sum of 0.9" in told
    assert "capacity-scheduler.xml" in told


def test_partitions_and_paths_are_shown_as_they_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    amounts = {
        "root.queues": "prod",
        "root.prod.capacity": "[memory=1024,vcores=1]",
        "root.prod.accessible-node-labels": "gpu",
        "root.prod.accessible-node-labels.gpu.capacity": "[memory=0,vcores=0]",
    }
    path = directory(tmp_path / "[a] :cat:", amounts)
    assert main(["check-conf", str(path)]) == 0
    shown = capsys.readouterr().out
    assert f"{path} on a cluster" in shown
    assert "prod [gpu]" in shown


def test_a_placement_algorithm_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prefix = "yarn.resourcemanager.placement-constraints."
    site = {prefix + "handler": "placement-processor", prefix + "algorithm.class": "no.Such"}
    assert main(["check-conf", str(directory(tmp_path / "conf", TREE, site))]) == 2
    assert "there is no no.Such" in capsys.readouterr().err


def test_active_queues_are_the_fair_schedulers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-conf", str(directory(tmp_path / "conf", TREE)), "--active", "root.prod"]) == 2
    assert "--active is for the fair scheduler" in capsys.readouterr().err
