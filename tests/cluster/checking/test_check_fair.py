"""yarnbox check-conf for the fair scheduler: what the file gives, what is wrong with it, who may submit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from yarnbox.cluster.checking.check_fair import check_fair
from yarnbox.cluster.main import main
from yarnbox.yarn.configuration import ConfigurationError
from yarnbox.yarn.configuration.document import write

CLUSTER = ["memory-mb=40960,vcores=40"]
CLASS = "yarn.resourcemanager.scheduler.class"
SAMPLE = """<?xml version="1.0"?>
<allocations>
  <queue name="sample_queue">
    <minResources>10000 mb,0vcores</minResources>
    <maxResources>90000 mb,0vcores</maxResources>
    <maxRunningApps>50</maxRunningApps>
    <maxAMShare>0.1</maxAMShare>
    <weight>2.0</weight>
    <schedulingPolicy>fair</schedulingPolicy>
    <queue name="sample_sub_queue">
      <aclSubmitApps>charlie</aclSubmitApps>
      <minResources>5000 mb,0vcores</minResources>
    </queue>
    <queue name="sample_reservable_queue">
      <reservation></reservation>
    </queue>
  </queue>
  <queueMaxAMShareDefault>0.5</queueMaxAMShareDefault>
  <queueMaxResourcesDefault>40000 mb,0vcores</queueMaxResourcesDefault>
  <queue name="secondary_group_queue" type="parent">
    <weight>3.0</weight>
    <maxChildResources>4096 mb,4vcores</maxChildResources>
  </queue>
  <user name="sample_user">
    <maxRunningApps>30</maxRunningApps>
  </user>
  <userMaxAppsDefault>5</userMaxAppsDefault>
  <queuePlacementPolicy>
    <rule name="specified" />
    <rule name="primaryGroup" create="false" />
    <rule name="nestedUserQueue">
      <rule name="secondaryGroupExistingQueue" create="false" />
    </rule>
    <rule name="default" queue="sample_queue"/>
  </queuePlacementPolicy>
</allocations>
"""
"""The allocation file that Hadoop's manual of the FairScheduler shows."""


def directory(path: Path, inside: str, site: Mapping[str, str] | None = None) -> Path:
    """A configuration directory with this allocation file."""
    text = inside if inside.startswith("<?xml") else f"<allocations>{inside}</allocations>"
    (path / "fair-scheduler.xml").write_text(text)
    (path / "yarn-site.xml").write_text(write((name, value, False) for name, value in (site or {}).items()))
    return path


def section(report: str, heading: str) -> dict[str, str]:
    """The rows of a table by their first cell."""
    lines = report.split(f"\n{heading}")[1].split("\n\n")[0].splitlines()[2:]
    return {line.split("  ")[1]: line for line in lines}


def lines(report: str, kind: str) -> list[str]:
    return [line for line in report.splitlines() if line.startswith(kind + ": ")]


def test_the_sample_of_hadoops_manual(tmp_path: Path) -> None:
    report = check_fair(directory(tmp_path, SAMPLE), CLUSTER, None)
    assert not report.is_valid
    (error,) = lines(report.text, "error")
    assert "fair-scheduler.xml:3: The configuration settings for root.sample_queue are invalid" in error
    warnings = "\n".join(lines(report.text, "warning"))
    assert "root: the maximum of vcores is 0 (queueMaxResourcesDefault)" in warnings
    assert "sample_sub_queue: without effect: aclSubmitApps" in warnings
    assert "placement rule 4 (default): it leads to root.sample_queue, which is a parent" in warnings
    trials = section(report.text, "submissions")
    assert "everybody  -        rejected: root.sample_queue is not a leaf queue" in trials["no queue"]
    assert "zero amount of resource" in trials["root.sample_queue.sample_sub_queue"]


def test_without_the_element_the_sample_is_valid_and_nobody_may_use_it(tmp_path: Path) -> None:
    sound = SAMPLE.replace("    <maxAMShare>0.1</maxAMShare>\n", "")
    report = check_fair(directory(tmp_path, sound), CLUSTER, None)
    assert report.is_valid
    assert report.text.splitlines()[0].endswith("fair-scheduler.xml: valid")
    trials = section(report.text, "submissions").values()
    assert all("rejected: " in line for line in trials)


def test_all_faults_at_once(tmp_path: Path) -> None:
    inside = (
        '<queue name="a"><weight>heavy</weight></queue>\n<queue name="b.c"/>\n'
        "<queueMaxAppsDefault>many</queueMaxAppsDefault>\n"
        '<queuePlacementPolicy><rule name="nobody"/></queuePlacementPolicy>\n'
        '<queue name="d"><schedulingPolicy>org.example.Mine</schedulingPolicy></queue>'
    )
    report = check_fair(directory(tmp_path, inside), CLUSTER, None)
    told = "\n".join(lines(report.text, "error"))
    for reason in (
        "fair-scheduler.xml:1: <weight>heavy</weight>",
        "fair-scheduler.xml:2: Bad fair scheduler config file: queue name (b.c)",
        "fair-scheduler.xml:3: <queueMaxAppsDefault>many</queueMaxAppsDefault>",
        "fair-scheduler.xml:4: No rule class found for nobody",
        "org.example.Mine SchedulingPolicy class not found!",
    ):
        assert reason in told
    assert {"root.a", "root.d"} <= section(report.text, "limits").keys()


def test_columns(tmp_path: Path) -> None:
    inside = (
        '<queue name="a"><maxRunningApps>7</maxRunningApps><maxAMShare>0.25</maxAMShare>'
        "<minSharePreemptionTimeout>60</minSharePreemptionTimeout>"
        "<fairSharePreemptionTimeout>120</fairSharePreemptionTimeout>"
        "<fairSharePreemptionThreshold>0.8</fairSharePreemptionThreshold>"
        "<allowPreemptionFrom>false</allowPreemptionFrom>"
        "<maxContainerAllocation>vcores=2,memory-mb=4096</maxContainerAllocation>"
        "<aclSubmitApps>ann staff</aclSubmitApps></queue>"
    )
    limits = section(check_fair(directory(tmp_path, inside), CLUSTER, None).text, "limits")
    cells = [cell for cell in limits["root.a"].split("  ") if cell.strip()]
    found = [cell.strip() for cell in cells]
    assert found[1:5] == ["7", "0.25", "4096 memory-mb, 2 vcores", "60 s"]
    assert found[5:] == ["120 s", "0.8", "no", "ann staff", "as above"]


def test_who_may_submit_where(tmp_path: Path) -> None:
    closed = "<aclSubmitApps> </aclSubmitApps><aclAdministerApps> ops</aclAdministerApps>"
    inside = (
        f'<queue name="root">{closed}<queue name="a"><aclSubmitApps>ann staff</aclSubmitApps></queue>'
        '<queue name="b"><maxRunningApps>0</maxRunningApps></queue></queue>'
    )
    groups = {"hadoop.user.group.static.mapping.overrides": "bob=staff;eve=other"}
    path = directory(tmp_path, inside)
    (path / "core-site.xml").write_text(write((name, value, False) for name, value in groups.items()))
    report = check_fair(path, CLUSTER, None).text
    rows = [" ".join(row.split()) for row in report.split("submissions")[1].splitlines()]
    denied = "rejected: User <user> does not have permission to submit to queue"
    for row in (
        f"no queue ann, bob, eve, anybody - {denied} root.<user>",
        "no queue member-of-ops root.<user> runs",
        "root.a ann, bob, member-of-ops root.a runs",
        f"root.a eve, anybody - {denied} root.a",
        "root.b member-of-ops root.b waits, though the cluster is empty",
        "root.new member-of-ops root.new runs",
    ):
        assert row in rows


def test_shares_notices_and_rules(tmp_path: Path) -> None:
    inside = '<queue name="a"><weight>3</weight></queue><queue name="b"/><mistake/>'
    report = check_fair(directory(tmp_path, inside), CLUSTER, ["a", "b"]).text
    assert "bad element in allocations file: mistake" in report
    assert "1. specified" in report
    rows = section(report, "shares")
    assert "30720 MiB" in rows["root.a"]
    assert "10240 MiB" in rows["root.b"]


def test_queues_that_are_never_made(tmp_path: Path) -> None:
    inside = '<queue name="a"><schedulingPolicy>drf</schedulingPolicy></queue>'
    report = check_fair(directory(tmp_path, inside), CLUSTER, None).text
    assert "error: the queue root.a is not made: the policy DRF is not allowed below fair" in report


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    (directory(tmp_path, "") / "fair-scheduler.xml").unlink()
    with pytest.raises(ConfigurationError, match="there is no such file"):
        check_fair(tmp_path, CLUSTER, None)


def test_the_command_follows_the_configured_scheduler(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory(tmp_path, '<queue name="a"/><queue name="b"/>', {CLASS: "fair"})
    words = ["check-conf", str(tmp_path), "--cluster", "memory-mb=8192,vcores=8", "--active", "b"]
    assert main(words) == 0
    rows = section(capsys.readouterr().out, "shares")
    assert "8192 MiB" in rows["root.b"]
    assert " no " in rows["root.a"]
    (tmp_path / "fair-scheduler.xml").write_text("<queues/>")
    assert main(words) == 2
    assert "top-level element not <allocations>" in capsys.readouterr().err
    assert main([*words, "--diff", str(tmp_path)]) != 0


def test_a_faulty_file_fails_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory(tmp_path, '<queue name="a"><weight>x</weight></queue>', {CLASS: "fair"})
    assert main(["check-conf", str(tmp_path)]) == 2
    assert "not valid: the ResourceManager does not start with it" in capsys.readouterr().out


def test_the_fair_scheduler_has_no_partitions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory(tmp_path, "", {CLASS: "fair"})
    assert main(["check-conf", str(tmp_path), "--cluster", "gpu:memory=1G,vcores=1"]) == 2
    assert "no partition: the fair scheduler has none" in capsys.readouterr().err


def test_a_queue_of_the_file_keeps_its_name_for_a_user_of_that_name(tmp_path: Path) -> None:
    inside = """
        <queue name="root"><aclSubmitApps> </aclSubmitApps><aclAdministerApps> </aclAdministerApps></queue>
        <queue name="prod" type="parent">
          <aclSubmitApps>prod</aclSubmitApps>
          <queue name="billing"/>
        </queue>
        <queuePlacementPolicy>
          <rule name="specified" create="false"/>
          <rule name="nestedUserQueue"><rule name="default" queue="prod"/></rule>
        </queuePlacementPolicy>"""
    trials = section(check_fair(directory(tmp_path, inside), CLUSTER, None).text, "submissions")
    assert trials["root.prod.billing"].split() == [
        "root.prod.billing",
        "everybody",
        "root.prod.billing",
        "runs",
    ]
    assert "root.prod.<user>" in trials["no queue"]
