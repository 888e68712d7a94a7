"""A production configuration directory, used as it is: ACLs, groups, mapping rules, priorities."""

from __future__ import annotations

from pathlib import Path

from yarnbox.sim import Job, Load, Nodes, NodeSpec, Site, Task, play
from yarnbox.sim.capture.configuration import as_xml

CAPACITY = "yarn.scheduler.capacity."


def directory(tmp_path: Path) -> Path:
    files = {
        "core-site.xml": {
            "hadoop.security.authorization": "true",
            "hadoop.user.group.static.mapping.overrides": "mei=etl,staff;tom=lab;ida=staff",
        },
        "yarn-site.xml": {
            "yarn.resourcemanager.scheduler.class": "org.apache.hadoop.yarn.server.resourcemanager.scheduler."
            "capacity.CapacityScheduler",
            "yarn.acl.enable": "true",
            "yarn.admin.acl": "operator",
            "yarn.cluster.max-application-priority": "10",
        },
        "capacity-scheduler.xml": {
            f"{CAPACITY}root.queues": "etl,lab",
            f"{CAPACITY}root.acl_submit_applications": "operator",
            f"{CAPACITY}root.acl_administer_queue": "operator",
            f"{CAPACITY}root.etl.capacity": "60",
            f"{CAPACITY}root.etl.acl_submit_applications": " etl",
            f"{CAPACITY}root.lab.capacity": "40",
            f"{CAPACITY}root.lab.acl_submit_applications": "tom",
            f"{CAPACITY}queue-mappings": "u:tom:root.lab",
            f"{CAPACITY}queue-mappings-override.enable": "true",
        },
    }
    for name, properties in files.items():
        (tmp_path / name).write_text(as_xml(properties))
    return tmp_path


def job(
    name: str, user: str, queue: str, submit_ms: int = 0, priority: int | None = None, count: int = 1
) -> Job:
    tasks = (Task(count=count, duration_ms=5000),)
    return Job(job_id=name, submit_ms=submit_ms, user=user, queue=queue, priority=priority, tasks=tasks)


def test_acls_groups_and_mapping_rules_decide_as_in_the_cluster(tmp_path: Path) -> None:
    jobs = [
        job("by her group", "mei", "root.etl"),
        job("mapped", "tom", "root.etl"),
        job("of no group", "ida", "root.etl"),
        job("to nowhere", "mei", "root.none"),
    ]
    result = play(directory(tmp_path), Load.of(jobs), site=Site(nodes=3))
    found = {one.job: one for one in result.jobs}
    assert (found["by her group"].state, found["by her group"].queue) == ("FINISHED", "root.etl")
    assert (found["mapped"].state, found["mapped"].queue) == ("FINISHED", "root.lab")
    assert (found["of no group"].state, found["to nowhere"].state) == ("REFUSED", "REFUSED")
    assert "ida" in found["of no group"].why
    assert "root.none" in found["to nowhere"].why
    assert not result.is_complete


def test_labels_are_given_by_whoever_runs_the_resourcemanager(tmp_path: Path) -> None:
    """yarn.admin.acl names an operator; in Hadoop the user of the daemon is an administrator, too."""
    place = directory(tmp_path)
    site = (place / "yarn-site.xml").read_text()
    enabled = "<property><name>yarn.node-labels.enabled</name><value>true</value></property></configuration>"
    (place / "yarn-site.xml").write_text(site.replace("</configuration>", enabled))
    specs = (NodeSpec(host="a", rack="/r"), NodeSpec(host="g", rack="/r", labels=("gpu",)))
    nodes = Nodes(nodes=specs, exclusive={"gpu": True})
    result = play(place, Load.of([job("plain", "mei", "root.etl")]), site=Site(nodes=nodes))
    assert [one.state for one in result.jobs] == ["FINISHED"]
    assert {one.node: one.containers for one in result.nodes} == {"a": 1, "g": 0}


def test_priorities_go_first(tmp_path: Path) -> None:
    jobs = [
        job("long", "mei", "root.etl", count=40),
        job("low", "mei", "root.etl", 2000, 1, count=20),
        job("high", "mei", "root.etl", 3000, 9, count=20),
    ]
    result = play(directory(tmp_path), Load.of(jobs), site=Site(nodes=1))
    ended = {one.job: one.ended_ms or 0 for one in result.jobs}
    assert {one.state for one in result.jobs} == {"FINISHED"}
    assert ended["high"] < ended["low"]
