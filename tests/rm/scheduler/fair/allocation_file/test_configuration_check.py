"""What in an allocation file is allowed and hardly meant; what in it nobody reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from yarnbox.cluster.checking.check_fair import check_fair
from yarnbox.rm.scheduler.fair.allocation_file.allocations import AllocationDraft, read_allocations
from yarnbox.yarn.configuration import Fault
from yarnbox.yarn.configuration.document import write

FAIR = "yarn.scheduler.fair."
TYPES = ("memory-mb", "vcores")
LARGE = "<maxContainerAllocation>4096 mb, 1 vcores</maxContainerAllocation></queue>"
DEFAULT = '<queuePlacementPolicy><rule name="default" queue="{}"/></queuePlacementPolicy>'


def notices(inside: str) -> list[str]:
    return list(read_allocations(f"<allocations>{inside}</allocations>", "f.xml", TYPES).notices)


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        (
            '<queue name="a"><weigth>2</weigth></queue>',
            "unknown element weigth (did you mean weight?) in queue a: it has no effect",
        ),
        (
            '<queue name="a"><queue name="b"><foo/></queue></queue>',
            "unknown element foo in queue a.b: it has no effect",
        ),
        (
            '<queue name="a"><userMaxAppsDefault>2</userMaxAppsDefault></queue>',
            "it belongs to the top of the file",
        ),
        (
            "<queueMaxAppDefault>1</queueMaxAppDefault>",
            "bad element in allocations file: queueMaxAppDefault (did you mean queueMaxAppsDefault?)",
        ),
        (
            '<queue name="a" wieght="2"/>',
            "unknown attribute wieght of queue: it has no effect",
        ),
        ('<queue name="a" type="leaf"/>', 'type="leaf" of a queue has no effect'),
        ('<user name="u"><maxApps>1</maxApps></user>', "unknown element maxApps in user"),
        (
            '<queuePlacementPolicy><rule name="default" create="no"/></queuePlacementPolicy>',
            'create="no" of a rule is taken for false',
        ),
        (
            '<queuePlacementPolicy><rule name="user" queue="a"/></queuePlacementPolicy>',
            "the attribute queue of a rule",
        ),
        (
            '<queue name="a"><minResources>50%</minResources></queue>',
            "minResources has no effect: it takes no percentages",
        ),
    ],
)
def test_what_nobody_reads(inside: str, text: str) -> None:
    (notice,) = notices(inside)
    assert notice.startswith("f.xml:1: ")
    assert text in notice


def test_a_file_with_everything_known_has_no_notice() -> None:
    inside = (
        '<queue name="a" type="parent"><queue name="b"><maxAMShare>1</maxAMShare></queue></queue>'
        '<queuePlacementPolicy><rule name="nestedUserQueue" create="TRUE">'
        '<rule name="default" queue="a"/></rule>'
        "</queuePlacementPolicy>"
    )
    assert notices(inside) == []


def test_the_sound_part_of_a_faulty_file() -> None:
    faults: list[Fault] = []
    text = (
        '<allocations><queue name="a"><weight>x</weight><maxRunningApps>3</maxRunningApps></queue>'
        '<queue name="b&amp;c" type="parent"><reservation/></queue>'
        "<userMaxAppsDefault>x</userMaxAppsDefault></allocations>"
    )
    draft = AllocationDraft(text, "f.xml", TYPES, faults)
    found = draft.finish()
    assert len(faults) == 3
    again = read_allocations(draft.sound_part(), "f.xml", TYPES)
    assert (again.queues, again.leaves, again.parents) == (found.queues, found.leaves, found.parents)
    assert found.queue("root.a").max_running_apps == 3
    assert not found.queue("root.b&c").is_plan


def warnings(path: Path, inside: str, **site: str) -> list[str]:
    (path / "fair-scheduler.xml").write_text(f"<allocations>{inside}</allocations>")
    properties = {FAIR + name.replace("_", "-"): value for name, value in site.items()}
    (path / "yarn-site.xml").write_text(write((name, value, False) for name, value in properties.items()))
    report = check_fair(path, ["memory-mb=40960,vcores=40"], None).text
    return [line.removeprefix("warning: ") for line in report.splitlines() if line.startswith("warning: ")]


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        (
            "<queueMaxAppsDefault>0</queueMaxAppsDefault>",
            "which has no maxRunningApps of its own: no application ever runs",
        ),
        ("<queueMaxAppsDefault>9</queueMaxAppsDefault>", "9 applications run in the whole cluster"),
        (
            "<userMaxAppsDefault>0</userMaxAppsDefault>",
            "userMaxAppsDefault: no application runs of a user without a <user> element",
        ),
        (
            '<queue name="a"><maxResources>0 mb, 0 vcores</maxResources></queue>',
            "root.a: the maximum of memory-mb and vcores is 0 (maxResources)",
        ),
        (
            '<queue name="a"><maxResources>512 mb, 1 vcores</maxResources></queue>',
            "is below one container of",
        ),
        (
            '<queue name="a"><maxRunningApps>0</maxRunningApps></queue>',
            "root.a: maxRunningApps is 0: no application runs",
        ),
        ('<queue name="a"><maxAMShare>0</maxAMShare></queue>', "root.a: maxAMShare is 0"),
        (
            '<queue name="a"><minResources>50000 mb, 1 vcores</minResources></queue>',
            "are more than the cluster has",
        ),
        (
            '<queue name="a"><maxResources>2048 mb, 2 vcores</maxResources>' + LARGE,
            "root.a: maxContainerAllocation allows 4096 memory-mb, which never fits below the",
        ),
        (
            '<queue name="root"><maxContainerAllocation>4096 mb, 1 vcores</maxContainerAllocation></queue>',
            "root: maxContainerAllocation is not meant for root",
        ),
        (
            '<queue name="a"><maxContainerAllocation>16384 mb, 16 vcores</maxContainerAllocation></queue>',
            "root.a: maxContainerAllocation has no effect",
        ),
        (
            '<queue name="a"><aclSubmitApps>ann</aclSubmitApps></queue>',
            "root.a: without effect: aclSubmitApps",
        ),
        ('<queue name="root"><weight>2</weight></queue>', "root: weight has no effect in root"),
        ('<queue name="a"><weight>0</weight></queue>', "root.a: weight is 0: its siblings are served first"),
        (
            '<queue name="a"><maxChildResources>1 mb, 1 vcores</maxChildResources></queue>',
            "root.a: maxChildResources has no effect in a leaf",
        ),
        (
            "<defaultFairSharePreemptionTimeout>5</defaultFairSharePreemptionTimeout>",
            "it is false, so that the preemption timeouts of the top of the file have no effect",
        ),
        (
            '<queue name="a"><queue name="b"/></queue>' + DEFAULT.format("a"),
            "placement rule 1 (default): it leads to root.a, which is a parent",
        ),
        (
            '<queue name="a"/>' + DEFAULT.format("a.b"),
            "it leads to root.a.b, and root.a is a leaf",
        ),
    ],
)
def test_what_is_hardly_meant(tmp_path: Path, inside: str, text: str) -> None:
    (warning,) = warnings(tmp_path, inside)
    assert text in warning


def test_settings_of_yarn_site_without_effect(tmp_path: Path) -> None:
    policy = '<queuePlacementPolicy><rule name="default"/></queuePlacementPolicy>'
    (warning,) = warnings(tmp_path, policy, user_as_default_queue="false")
    assert (
        warning
        == f"{FAIR}user-as-default-queue: it has no effect: the allocation file has a queuePlacementPolicy"
    )
    (warning,) = warnings(tmp_path, "", preemption="true")
    assert warning == f"{FAIR}preemption: nothing is ever preempted: no queue and no default has a timeout"


def test_a_plain_file_has_nothing_suspicious(tmp_path: Path) -> None:
    assert warnings(tmp_path, '<queue name="a"/><queue name="b"><weight>2</weight></queue>') == []


LAST = "that of line 2 counts, the last; write it once"
TOGETHER = "their elements are put together, and of each the last counts; write it once"


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        (
            '<queue name="a"><weight>1</weight>\n<weight>2</weight></queue>',
            f"f.xml:2: weight in queue a is written on lines 1 and 2: {LAST}",
        ),
        (
            "<userMaxAppsDefault>1</userMaxAppsDefault>\n<userMaxAppsDefault>2</userMaxAppsDefault>",
            f"f.xml:2: userMaxAppsDefault is written on lines 1 and 2: {LAST}",
        ),
        (
            '<pool name="a"/>\n<queue name="b"/>\n<queue name="a"><weight>2</weight></queue>',
            f"f.xml:3: queue a is written on lines 1 and 3: {TOGETHER}",
        ),
        (
            '<queue name="a"><queue name="b"><reservation/><reservation/></queue></queue>',
            "f.xml:1: reservation in queue a.b is written 2 times on line 1: once is enough",
        ),
        (
            '<user name="u"><maxRunningApps>1</maxRunningApps>\n<maxRunningApps>2</maxRunningApps></user>',
            f"f.xml:2: maxRunningApps in user u is written on lines 1 and 2: {LAST}",
        ),
    ],
)
def test_what_is_written_twice(inside: str, text: str) -> None:
    assert notices(inside) == [text]


SPECIFIED, ONLY_DECLARED = '<rule name="specified"/>', '<rule name="specified" create="false"/>'
OF_GROUP = '<rule name="primaryGroup" create="false"/>'
DEFAULT_RULE = '<rule name="default"/>'


@pytest.mark.parametrize(
    ("rules", "never"),
    [
        ((SPECIFIED, ONLY_DECLARED, DEFAULT_RULE), "2 (specified)"),
        ((ONLY_DECLARED, SPECIFIED, DEFAULT_RULE), None),
        (('<rule name="default" queue="a" create="false"/>', '<rule name="default" queue="b"/>'), None),
        (
            (
                f'<rule name="user">{OF_GROUP}</rule>',
                f'<rule name="nestedUserQueue">{OF_GROUP}</rule>',
                DEFAULT_RULE,
            ),
            "2 (nestedUserQueue)",
        ),
        (
            (
                '<rule name="user" create="false"/>',
                f'<rule name="nestedUserQueue">{OF_GROUP}</rule>',
                DEFAULT_RULE,
            ),
            None,
        ),
    ],
)
def test_rules_that_never_answer(tmp_path: Path, rules: tuple[str, ...], never: str | None) -> None:
    (tmp_path / "yarn-site.xml").write_text(write([]))
    policy = f"<queuePlacementPolicy>{''.join(rules)}</queuePlacementPolicy>"
    (tmp_path / "fair-scheduler.xml").write_text(f"<allocations>{policy}</allocations>")
    report = check_fair(tmp_path, [], None).text
    said = "it never answers: rule 1 is of the same kind and answers whenever it would"
    told = [line for line in report.splitlines() if "never answers" in line]
    assert told == ([] if never is None else [f"warning: placement rule {never}: {said}"])
