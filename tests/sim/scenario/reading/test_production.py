"""Configuration directories and files that a scenario names: what of them is played."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from yarnbox.sim.scenario.playing.player import play
from yarnbox.sim.scenario.reading.document import (
    InvalidScenarioError,
    Scenario,
    parse_scenario,
    read_scenario,
)
from yarnbox.yarn.configuration.document import write

P = "yarn.scheduler.capacity."
CLASS = "yarn.resourcemanager.scheduler.class"
CORE = {
    "hadoop.user.group.static.mapping.overrides": "ann=red,blue;bob=",
    "hadoop.security.authentication": "x",
}
SITE = {
    CLASS: "capacity",
    "yarn.admin.acl": " ops",
    "yarn.resourcemanager.ha.enabled": "true",
    "yarn.resourcemanager.store.class": "org.example.ZooKeeperStore",
    "yarn.resourcemanager.nodes.include-path": "/etc/hadoop/include",
    "yarn.scheduler.minimum-allocation-mb": "512",
}
QUEUES = {P + "root.queues": "a", P + "root.a.capacity": "100", P + "root.a.acl_submit_applications": " red"}
FAIR = '<allocations><queue name="a"/></allocations>'


def xml(path: Path, properties: Mapping[str, str]) -> None:
    path.write_text(write((name, value, False) for name, value in properties.items()))


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A directory `conf` with the files of two schedulers, and room for a scenario beside it."""
    conf = tmp_path / "conf"
    conf.mkdir()
    xml(conf / "core-site.xml", CORE)
    xml(conf / "yarn-site.xml", SITE)
    xml(conf / "capacity-scheduler.xml", QUEUES)
    (conf / "fair-scheduler.xml").write_text(FAIR)
    (conf / "rules.json").write_text("{}")
    (conf / "keystore.jks").write_bytes(b"\xff\xfe\x00")
    return tmp_path


def scenario(directory: Path, text: str) -> Scenario:
    file = directory / "s.yaml"
    file.write_text(f"name: s\n{text}\n")
    return read_scenario(file)


def test_the_directory_as_it_is(directory: Path) -> None:
    read = scenario(directory, "conf: conf\nsteps: []")
    assert read.conf["yarn.scheduler.minimum-allocation-mb"] == "512"
    assert read.capacity_scheduler == QUEUES
    assert read.fair_scheduler is None
    assert read.groups == {"ann": ("red", "blue"), "bob": ()}
    assert read.texts == {"rules.json": "{}"}


def test_what_belongs_to_processes_is_left_out(directory: Path) -> None:
    read = scenario(directory, "conf: conf\nsteps: []")
    kept = [CLASS, "hadoop.user.group.static.mapping.overrides", "yarn.admin.acl"]
    assert sorted(read.conf) == sorted([*kept, "yarn.scheduler.minimum-allocation-mb"])


@pytest.mark.parametrize(("acl", "told"), [(" ops", "yarn ops"), ("ann ops", "yarn,ann ops"), ("*", "*")])
def test_the_administrator_of_the_steps_is_among_the_clusters(directory: Path, acl: str, told: str) -> None:
    xml(directory / "conf" / "yarn-site.xml", {"yarn.admin.acl": acl})
    assert scenario(directory, "conf: conf\nsteps: []").conf["yarn.admin.acl"] == told


def test_the_scenario_stands_above_the_directory(directory: Path) -> None:
    xml(directory / "next.xml", {**QUEUES, P + "root.queues": "b"})
    read = scenario(
        directory,
        "conf: [conf, {yarn.scheduler.minimum-allocation-mb: 256}]\n"
        "capacity-scheduler: [next.xml, {yarn.scheduler.capacity.root.b.capacity: 100}]\n"
        "groups: {bob: [green]}\nsteps: []",
    )
    assert read.conf["yarn.scheduler.minimum-allocation-mb"] == "256"
    assert read.capacity_scheduler == {
        **QUEUES,
        P + "root.queues": "b",
        P + "root.b.capacity": "100",
    }
    assert read.groups == {"ann": ("red", "blue"), "bob": ("green",)}


def test_the_fair_file_of_the_directory(directory: Path) -> None:
    xml(directory / "conf" / "yarn-site.xml", {"yarn.scheduler.fair.allocation.file": "queues.xml"})
    (directory / "conf" / "queues.xml").write_text(FAIR)
    read = scenario(directory, f"conf: [conf, {{{CLASS}: fair}}]\nsteps: []")
    assert (read.fair_scheduler, read.capacity_scheduler) == (FAIR, None)
    assert "yarn.scheduler.fair.allocation.file" not in read.conf


def test_a_fair_file_by_its_path(directory: Path) -> None:
    text = f"conf: {{{CLASS}: fair}}\nfair-scheduler: conf/fair-scheduler.xml\nsteps: []"
    assert scenario(directory, text).fair_scheduler == FAIR


def test_files_in_a_refresh(directory: Path) -> None:
    xml(
        directory / "next.xml",
        {P + "root.queues": "a,b", P + "root.a.capacity": "30", P + "root.b.capacity": "70"},
    )
    read = scenario(
        directory,
        "conf: conf\nnodes: [{name: n1, memory-mb: 1000}]\nsteps:\n"
        "  - refresh: {capacity-scheduler: next.xml}\n"
        "  - expect: {queues: {root.b: {capacity: 70}}}",
    )
    assert play(read).failures == ()


def test_groups_and_lists_decide_who_submits(directory: Path) -> None:
    closed = {P + "root.acl_submit_applications": " ", P + "root.acl_administer_queue": " "}
    xml(directory / "conf" / "capacity-scheduler.xml", {**QUEUES, **closed})
    xml(directory / "conf" / "yarn-site.xml", {**SITE, "yarn.acl.enable": "true"})
    read = scenario(
        directory,
        "conf: conf\nsteps:\n"
        "  - submit: {app: a1, user: ann, queue: root.a}\n"
        "  - expect-error: {submit: {app: a2, user: bob, queue: root.a}, matching: permission}",
    )
    assert play(read).failures == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("conf: none", "s.yaml:2: conf of a scenario: {}/none: is not a directory"),
        (
            "capacity-scheduler: none.xml",
            "s.yaml:2: capacity-scheduler of a scenario: {}/none.xml: cannot be read",
        ),
        (
            f"conf: {{{CLASS}: fair}}\nfair-scheduler: none.xml",
            "s.yaml:3: fair-scheduler of a scenario: {}/none.xml",
        ),
        ("capacity-scheduler: s.yaml", "s.yaml:2: capacity-scheduler of a scenario: {}/s.yaml"),
        ("conf: [1]", "conf of a scenario must be text, not 1"),
        (
            "conf: conf\nfair-scheduler: conf/fair-scheduler.xml",
            "fair-scheduler is given, but the scheduler is capacity",
        ),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(directory: Path, text: str, reason: str) -> None:
    with pytest.raises(InvalidScenarioError) as caught:
        scenario(directory, text + "\nsteps: []")
    assert reason.format(directory) in str(caught.value)


def test_a_scenario_that_is_no_file_names_none() -> None:
    with pytest.raises(InvalidScenarioError, match="conf of a scenario names a file"):
        parse_scenario("name: s\nconf: /etc/hadoop\nsteps: []\n")
