"""yarnbox check-conf: numbers, what looks wrong, and what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from yarnbox.cluster.checking.check_conf import check
from yarnbox.cluster.main import main
from yarnbox.rm.scheduler.capacity.diagnostics.configuration_difference import Difference, differences
from yarnbox.yarn.configuration import ConfigurationError
from yarnbox.yarn.configuration.document import write
from yarnbox.yarn.resources.resource import Resource

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
    found = check(directory(tmp_path, TREE), ["memory=10240M,vcores=10"])
    prod = next(queue for queue in found.queues if queue.path == "root.prod")
    assert prod.effective_minimum == Resource(7167, 6)
    assert prod.leaf is not None
    assert prod.leaf.maximum_applications == 7000
    assert prod.leaf.am_limit == Resource(1024, 1)
    assert [limit.memory_mb for limit in prod.leaf.user_limits] == [7168, 7168, 7168, 7168]
    dev = next(queue for queue in found.queues if queue.path == "root.dev")
    assert dev.effective_maximum == Resource(5120, 5)


def test_all_faults_of_all_files_at_once(tmp_path: Path) -> None:
    monitor = "yarn.resourcemanager."
    site = {
        "yarn.scheduler.minimum-allocation-mb": "ten",
        monitor + "max-completed-applications": "5e3",
        monitor + "scheduler.monitor.enable": "true",
        monitor + "monitor.capacity.preemption.monitoring_interval": "3s",
    }
    path = directory(tmp_path, {**TREE, "root.dev.state": "RUNING"}, site)
    with pytest.raises(ConfigurationError) as caught:
        check(path)
    assert [one.property for one in caught.value.faults] == [
        monitor + "max-completed-applications",
        "yarn.scheduler.minimum-allocation-mb",
        monitor + "monitor.capacity.preemption.monitoring_interval",
        P + "root.dev.state",
    ]


def test_user_limits_shrink_with_the_number_of_active_users(tmp_path: Path) -> None:
    path = directory(tmp_path, {**TREE, "root.prod.minimum-user-limit-percent": "20"})
    prod = check(path, ["memory=100G,vcores=100"]).queues[1]
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
    found = check(directory(tmp_path, {**TREE, **properties}), ["memory=20480M,vcores=20"]).findings
    assert P + name in [finding.property for finding in found]


def test_a_list_below_an_open_root_is_void(tmp_path: Path) -> None:
    site = {"yarn.acl.enable": "true"}
    path = directory(tmp_path, {**TREE, "root.dev.acl_submit_applications": "ann"}, site)
    assert P + "root.acl_submit_applications" in [one.property for one in check(path).findings]
    closed = {**TREE, "root.dev.acl_submit_applications": "ann", "root.acl_submit_applications": " "}
    path = directory(tmp_path, closed, site)
    assert P + "root.acl_submit_applications" not in [one.property for one in check(path).findings]


def test_differences_in_units_that_people_read(tmp_path: Path) -> None:
    one = check(directory(tmp_path / "a", TREE), ["memory=100G,vcores=10"])
    other = {**TREE, "root.prod.capacity": "60", "root.dev.capacity": "40", "root.dev.queues": "x"}
    two = check(directory(tmp_path / "b", {**other, "root.dev.x.capacity": "100"}), ["memory=100G,vcores=10"])
    rows = differences(one.queues, two.queues)
    assert Difference("root.prod", "configured capacity", "70%", "60%") in rows
    assert Difference("root.prod", "share of the cluster", "70.00%", "60.00%", "-10.00 points") in rows
    assert Difference("root.prod", "guaranteed", "70 GiB, 6 vcores", "60 GiB, 6 vcores", "-10 GiB") in rows
    assert Difference("root.prod", "applications", "7000", "6000", "-1000") in rows
    assert Difference("root.dev", "kind", "leaf", "parent") in rows
    assert Difference("root.dev.x", "queue", "-", "100%: 40 GiB, 4 vcores") in rows
    assert differences(one.queues, one.queues) == []


def test_amounts_that_look_alike_are_shown_exactly(tmp_path: Path) -> None:
    other = {**TREE, "root.dev.maximum-capacity": "50.01"}
    one = check(directory(tmp_path / "a", TREE), ["memory=100000M,vcores=1"])
    two = check(directory(tmp_path / "b", other), ["memory=100000M,vcores=1"])
    (row,) = [each for each in differences(one.queues, two.queues) if each.quantity == "maximum"]
    assert (row.before, row.after, row.change) == ("50000 MiB 0 vc", "50009 MiB 0 vc", "+9 MiB")


LABELLED = {
    **TREE,
    "root.accessible-node-labels.gpu.capacity": "100",
    "root.prod.accessible-node-labels": "gpu",
    "root.prod.accessible-node-labels.gpu.capacity": "100",
}
ENABLED = {"yarn.node-labels.enabled": "true"}


def test_sizes_of_partitions(tmp_path: Path) -> None:
    path = directory(tmp_path, LABELLED, ENABLED)
    found = check(path, ["memory=10G,vcores=10", "gpu:memory=4G,vcores=8"])
    row = next(queue for queue in found.queues if (queue.path, queue.partition) == ("root.prod", "gpu"))
    assert row.effective_minimum == Resource(4096, 8)
    assert row.leaf is not None
    assert row.leaf.am_limit.memory_mb
    assert found.assumed == ()


def test_a_partition_of_which_nobody_says_its_size_is_as_large_as_the_rest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = directory(tmp_path, LABELLED, ENABLED)
    assert main(["check-conf", str(path), "--cluster", "memory=10G,vcores=10"]) == 0
    shown = capsys.readouterr().out
    assert "partition gpu of 10240 MiB 10 vc, assumed: --cluster gpu:... says how large it is" in shown
    row = next(line for line in shown.splitlines() if "prod [gpu]" in line)
    assert "10240 MiB 10 vc" in row


@pytest.mark.parametrize(
    ("sizes", "reason"),
    [
        (["fast:memory=1G,vcores=1"], "partition = 'fast': must be one of gpu"),
        (["memory=1G", "memory=2G"], "must be one size for the default partition"),
        (["gpu:memory=1G", "gpu:memory=2G"], "must be one size for partition gpu"),
        (["gpu:much"], "--cluster"),
    ],
)
def test_sizes_that_are_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], sizes: list[str], reason: str
) -> None:
    words = [word for size in sizes for word in ("--cluster", size)]
    assert main(["check-conf", str(directory(tmp_path, LABELLED, ENABLED)), *words]) == 2
    assert reason in capsys.readouterr().err


def test_partitions_without_node_labels(tmp_path: Path) -> None:
    (finding, *_) = check(directory(tmp_path, LABELLED)).findings
    assert finding.property == "yarn.node-labels.enabled"


def test_a_partition_that_one_of_two_names_may_have_a_size(tmp_path: Path) -> None:
    plain, labelled = directory(tmp_path / "plain", TREE), directory(tmp_path / "labelled", LABELLED, ENABLED)
    words = ["check-conf", str(plain), "--diff", str(labelled), "--cluster", "memory=10G,vcores=10"]
    assert main([*words, "--cluster", "gpu:memory=4G,vcores=8"]) == 0
    assert main([*words, "--cluster", "fast:memory=4G,vcores=8"]) == 2


def test_the_difference_comes_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = directory(tmp_path / "a", TREE)
    two = directory(tmp_path / "b", {**TREE, "root.dev.maximum-capacity": "60"})
    assert main(["check-conf", str(one), "--diff", str(two), "--cluster", "memory=100G,vcores=100"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Differences")
    assert "50 GiB, 50 vcores" in shown.split("on a cluster of")[0]


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = directory(tmp_path / "good", TREE)
    assert main(["check-conf", str(good), "--cluster", "memory=10G,vcores=10"]) == 0
    shown = capsys.readouterr().out
    assert "prod" in shown
    assert "7167 MiB" in shown
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


def told(directory: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What looks suspicious, a line each, without the path of the directory."""
    assert main(["check-conf", str(directory)]) == 0
    lines = capsys.readouterr().out.partition("suspicious:\n")[2].splitlines()
    return [line.strip().removeprefix(f"{directory}/") for line in lines]


def test_slips_of_the_pen_are_told_with_what_was_meant(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = {"yarn.resourcemanager.scheduler.montor.enable": "true", "yarn.timeline-service.enabled": "true"}
    lines = told(directory(tmp_path, {**TREE, "root.dev.capcity": "20"}, site), capsys)
    assert lines[0] == (
        f"capacity-scheduler.xml:7: {P}root.dev.capcity = '20': it is not a property of the CapacityScheduler"
        " and has no effect (did you mean capacity?)"
    )
    assert lines[-1] == (
        "yarn-site.xml:3: yarn.resourcemanager.scheduler.montor.enable = 'true': nothing reads it"
        " (did you mean yarn.resourcemanager.scheduler.monitor.enable?)"
    )
    assert "timeline" not in "".join(lines)


def test_what_a_file_has_twice_and_what_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = directory(tmp_path, TREE)
    twice = [("yarn.acl.enable", "true", True), ("a", "1", False), ("yarn.acl.enable", "false", False)]
    (path / "yarn-site.xml").write_text(write(twice))
    queues = [(P + name, value, False) for name, value in (*TREE.items(), ("root.dev.capacity", "30"))]
    (path / "capacity-scheduler.xml").write_text(write(queues))
    one, other = told(path, capsys)[-2:]
    assert one == (
        f"capacity-scheduler.xml:7: {P}root.dev.capacity is written on lines 5 and 7, each time as '30':"
        " write it once"
    )
    assert other == (
        "yarn-site.xml:5: yarn.acl.enable is written on lines 3 and 5: 'true' of line 3 counts, because it is"
        " final: write it once"
    )


def test_what_is_passed_over_in_the_site_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = directory(tmp_path, TREE, {"fs.default.name": "file:///"})
    assert told(path, capsys)[-1] == "yarn-site.xml:3: fs.default.name is deprecated: use fs.defaultFS"


ALSO = (
    ", nor have 3 further properties of Kerberos (yarn.nodemanager.keytab, yarn.resourcemanager.keytab, ...)"
)


@pytest.mark.parametrize(
    ("site", "said"),
    [
        (
            {"hadoop.security.authentication": "Kerberos"},
            ["hadoop.security.authentication = 'Kerberos': it has no effect: yarnbox has no Kerberos"],
        ),
        (
            {
                "hadoop.security.authentication": "kerberos",
                "yarn.nodemanager.keytab": "nm.keytab",
                "yarn.resourcemanager.keytab": "rm.keytab",
                "yarn.resourcemanager.principal": "rm/_HOST@EXAMPLE.COM",
            },
            [f"hadoop.security.authentication = 'kerberos': it has no effect{ALSO}: yarnbox has no Kerberos"],
        ),
        (
            {"hadoop.security.authentication": "simple", "yarn.nodemanager.keytab": "nm.keytab"},
            ["yarn.nodemanager.keytab = 'nm.keytab': it has no effect: yarnbox has no Kerberos"],
        ),
        ({"hadoop.security.authentication": "simple"}, []),
    ],
)
def test_kerberos(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], site: dict[str, str], said: list[str]
) -> None:
    """In one line, whatever there is of it."""
    lines = [line for line in told(directory(tmp_path, TREE, site), capsys) if "Kerberos" in line]
    assert [line.partition(": ")[2].partition(" and believes")[0] for line in lines] == said


def test_a_setting_that_is_not_there_has_a_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(directory(tmp_path, TREE), capsys)[0] == (
        f"capacity-scheduler.xml: {P}root.prod.user-limit-factor is not set: one user alone stops at 17408"
        " MiB 1 vc, though the queue could grow to 24576 MiB 1 vc; a larger factor allows more, -1 all"
    )


def test_a_narrow_terminal_loses_no_figure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert main(["check-conf", str(directory(tmp_path, TREE))]) == 0
    shown = capsys.readouterr().out
    assert "EFFECTIVE MAX" in shown
    assert "\N{HORIZONTAL ELLIPSIS}" not in shown
