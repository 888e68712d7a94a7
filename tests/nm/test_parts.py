"""Small parts of the core: retries, resource sets, log policies, health, descriptors, the launch script's
text.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.nm.rig import APPLICATION, container_id, resource
from yarnbox.nm.containers.retry import Retries
from yarnbox.nm.edge.health.disks import DirectoriesCheck
from yarnbox.nm.executor.script import (
    ScriptInput,
    additional_options,
    by_dependency,
    expand,
    java_version,
    launch_script,
)
from yarnbox.nm.executor.simulated import duration_ms, exit_code
from yarnbox.nm.executor.tails import globs
from yarnbox.nm.localization.resources import ResourceSet, cache_of, key_of
from yarnbox.nm.logs import FinishedContainer, policy_of
from yarnbox.nm.reporting.descriptors import (
    Descriptors,
    attributes_of_script,
    attributes_of_text,
    label_complaint,
    labels_of_script,
    labels_of_text,
    name_complaint,
)
from yarnbox.nm.reporting.health import DirectoriesState, NodeHealth, script_verdict
from yarnbox.nm.settings import DiskSettings
from yarnbox.nm.tables import render
from yarnbox.yarn.enums import ContainerRetryPolicy, ContainerType, LocalResourceVisibility
from yarnbox.yarn.records.container import ContainerLaunchContext, ContainerRetryContext

ALL, SOME = ContainerRetryPolicy.RETRY_ON_ALL_ERRORS, ContainerRetryPolicy.RETRY_ON_SPECIFIC_ERROR_CODES


def _retries(**context: Any) -> Retries:
    return Retries(ContainerRetryContext(**context), 1000)


def test_no_context_means_no_retry() -> None:
    assert not Retries(None, 1000).should_retry(1, 0)
    assert not Retries(None, 1000).is_wanted


@pytest.mark.parametrize("code", [0, 137, 143])
def test_some_ends_are_never_retried(code: int) -> None:
    assert not _retries(retry_policy=ALL, max_retries=-1).should_retry(code, 0)


def test_only_the_listed_codes() -> None:
    retries = _retries(retry_policy=SOME, error_codes=(3,), max_retries=1)
    assert retries.should_retry(3, 0)
    assert not retries.should_retry(4, 0)


def test_retries_run_out() -> None:
    retries = _retries(retry_policy=ALL, max_retries=2)
    for _ in range(2):
        assert retries.should_retry(1, 0)
        retries.count_restart(0)
    assert not retries.should_retry(1, 0)


def test_old_failures_are_forgiven() -> None:
    retries = _retries(retry_policy=ALL, max_retries=1, failures_validity_interval=100)
    retries.count_restart(0)
    assert not retries.should_retry(1, 100)
    assert retries.should_retry(1, 101)
    retries.count_restart(101)
    assert retries.restart_times == [101]


@pytest.mark.parametrize("interval, policy, found", [(0, ALL, 1000), (5000, ALL, 5000)])
def test_the_interval_has_a_minimum(interval: int, policy: ContainerRetryPolicy, found: int) -> None:
    assert _retries(retry_policy=policy, retry_interval=interval).context.retry_interval == found


# Resource sets


def test_one_source_under_two_names_is_one_request() -> None:
    resources = ResourceSet()
    public = resource("/b", LocalResourceVisibility.PUBLIC)
    wanted = resources.add({"one": resource(), "two": resource(), "p": public}, "alice", APPLICATION)
    assert [key.url for _, key in wanted] == ["file:///b", "file:///data/file"]
    assert resources.resource_localized(key_of(resource()), "/x") == ["one", "two"]
    assert resources.resource_localized(key_of(resource()), "/x") is None
    assert resources.localized == {"one": "/x", "two": "/x"}


def test_the_timestamp_is_part_of_the_identity() -> None:
    assert key_of(resource(timestamp=1)) != key_of(resource(timestamp=2))


def test_of_merged_sets_the_newer_wins() -> None:
    old, new = ResourceSet(), ResourceSet()
    old.localized = {"a": "/old", "b": "/old"}
    new.localized = {"b": "/new"}
    assert old.merged_with(new).localized == {"a": "/old", "b": "/new"}


@pytest.mark.parametrize(
    "visibility, directory",
    [
        (LocalResourceVisibility.PUBLIC, "filecache"),
        (LocalResourceVisibility.PRIVATE, "usercache/alice/filecache"),
        (LocalResourceVisibility.APPLICATION, f"usercache/alice/appcache/{APPLICATION}/filecache"),
    ],
)
def test_where_a_resource_goes(visibility: LocalResourceVisibility, directory: str) -> None:
    assert cache_of(resource(visibility=visibility), "alice", APPLICATION).directory == directory


# Policies of log aggregation

_NAME = "org.apache.hadoop.yarn.server.nodemanager.containermanager.logaggregation.{}LogAggregationPolicy"


@pytest.mark.parametrize(
    "policy, chosen",
    [
        ("AllContainer", ["am", "ok", "bad", "killed", "excess"]),
        ("NoneContainer", []),
        ("AMOnly", ["am"]),
        ("FailedContainer", ["bad", "excess"]),
        ("FailedOrKilledContainer", ["bad", "killed", "excess"]),
        ("AMOrFailedContainer", ["am", "bad", "excess"]),
        ("LimitSizeContainer", ["am", "ok", "bad", "killed"]),
        ("SampleContainer", ["am", "ok", "bad", "killed", "excess"]),
        ("OfOurOwn", ["am", "ok", "bad", "killed", "excess"]),
    ],
)
def test_which_containers_logs_are_collected(policy: str, chosen: list[str]) -> None:
    wants = policy_of(_NAME.format(policy), "")
    master, task = ContainerType.APPLICATION_MASTER, ContainerType.TASK
    ends = {
        "am": (master, 0),
        "ok": (task, 0),
        "bad": (task, 2),
        "killed": (task, 143),
        "excess": (task, -109),
    }
    found = [
        name for name, (kind, code) in ends.items() if wants(FinishedContainer(container_id(5), kind, code))
    ]
    assert found == chosen


def test_a_sample_of_a_large_application() -> None:
    wants = policy_of(_NAME.format("SampleContainer"), "SR:0.5,MIN:10")
    chosen = [n for n in range(1, 101) if wants(FinishedContainer(container_id(n), ContainerType.TASK, 0))]
    assert chosen[:11] == list(range(1, 12))
    assert len(chosen) == 11 + 45
    none = policy_of(_NAME.format("SampleContainer"), "SR:0,MIN:x")
    assert not none(FinishedContainer(container_id(50), ContainerType.TASK, 0))


# Health


@pytest.mark.parametrize(
    "output, is_bad", [("", False), ("fine\n", False), ("x ERROR\n", False), ("ok\nERROR disk\n", True)]
)
def test_the_verdict_of_a_script(output: str, is_bad: bool) -> None:
    assert (script_verdict(output) is not None) is is_bad


def _seen(health: NodeHealth) -> tuple[bool, bool, str]:
    return health.is_healthy, health.are_disks_healthy, health.report


def test_the_health_of_a_node() -> None:
    health = NodeHealth(0.5, 1)
    assert _seen(health) == (True, True, "")
    health.script_reported("s", "ERROR fan", 2)
    health.directories_checked(DirectoriesState("local-dirs", ["/a", "/b"], {"/a": "gone"}), 3)
    assert _seen(health) == (False, True, "ERROR fan;1/2 local-dirs have errors: [ /a : gone ]")
    health.script_reported("s", None, 4)
    health.directories_checked(DirectoriesState("log-dirs", ["/c"], full={"/c": "full"}), 5)
    assert _seen(health)[:2] == (False, False)
    assert "1/1 log-dirs usable space is below configured utilization percentage" in health.report
    health.directories_checked(DirectoriesState("log-dirs", ["/c"]), 6)
    assert _seen(health)[:2] == (True, True)
    health.failed("the executor is gone", 7)
    assert _seen(health)[0] is False
    assert health.status().last_health_report_time == 7


def test_a_full_disk_is_a_bad_one(tmp_path: Path) -> None:
    check = DirectoriesCheck("local-dirs", [str(tmp_path)], DiskSettings(maximum_utilization_percent=0.0))
    assert check.look().full[str(tmp_path)] == "used space above threshold of 0.0%"
    check = DirectoriesCheck("local-dirs", [str(tmp_path)], DiskSettings(minimum_free_mb=1 << 40))
    assert "free space below limit" in check.look().full[str(tmp_path)]
    lenient = DiskSettings(utilization_checked=False, free_space_checked=False)
    assert DirectoriesCheck("local-dirs", [str(tmp_path)], lenient).look().good == [str(tmp_path)]


# Descriptors


def test_labels_and_attributes_as_they_are_said() -> None:
    assert [one.name for one in labels_of_script("x\nNODE_PARTITION: a\n  NODE_PARTITION:b \n")] == ["b"]
    assert labels_of_script("nothing") == labels_of_text(None) == ()
    assert [label_complaint(one) for one in labels_of_script("NODE_PARTITION:")] != [None]
    found = attributes_of_text("os,STRING,linux:size,STRING,large")
    assert [(one.attribute_key.attribute_name, one.attribute_value) for one in found] == [
        ("os", "linux"),
        ("size", "large"),
    ]
    assert attributes_of_script("NODE_ATTRIBUTE:os,STRING,linux\n") == found[:1]
    with pytest.raises(ValueError, match="not a node attribute"):
        attributes_of_script("NODE_ATTRIBUTE:os,linux")
    with pytest.raises(ValueError, match="ambiguous"):
        attributes_of_script("NODE_ATTRIBUTE:os,STRING,linux\nNODE_ATTRIBUTE:os,STRING,other")
    with pytest.raises(ValueError, match="prefix"):
        attributes_of_text("nm.yarn.io/os,STRING,linux")


def test_labels_are_told_when_they_changed_and_now_and_then() -> None:
    labels = Descriptors(label_complaint, resync_interval_ms=1000)
    x, y = labels_of_text("x"), labels_of_text("y")
    labels.fetched(x)
    assert labels.for_registration(0) == x
    assert (labels.for_heartbeat(500), labels.is_told) == (None, False)
    labels.fetched(y)
    assert (labels.for_heartbeat(600), labels.is_told) == (y, True)
    assert labels.for_heartbeat(1600) is None
    assert labels.for_heartbeat(1601) == y
    labels.fetched(())
    assert labels.for_heartbeat(1602) == ()


def test_a_wrong_label_is_not_told() -> None:
    labels = Descriptors(label_complaint, resync_interval_ms=-1)
    assert labels.fetched(labels_of_text("a b"))
    assert labels.for_registration(0) is None
    assert not labels.is_told
    labels.fetched(labels_of_text("x"))
    assert labels.for_heartbeat(1) == labels_of_text("x")
    labels.fetched(labels_of_text("-y"))
    assert labels.for_heartbeat(2) is None
    assert labels.for_heartbeat(1_000_000) is None


@pytest.mark.parametrize("name", ["", "-a", "a b", "a" * 256, "é"])
def test_names_that_are_none(name: str) -> None:
    assert name_complaint("label name", name) is not None


# The launch script


def test_expansion() -> None:
    assert expand("{{A}}/b<CPS><LOG_DIR>/x<ADD_OPENS>", "/logs") == "$A/b:/logs/x"
    assert expand("java <ADD_OPENS> X", "/logs", "--add-opens") == "java --add-opens X"


@pytest.mark.parametrize(
    "release, version, needs",
    [
        ('IMPLEMENTOR="x"\nJAVA_VERSION="17.0.15"\n', 17, True),
        ('JAVA_VERSION="21"\n', 21, True),
        ('JAVA_VERSION="11.0.2"\n', 11, False),
        ('JAVA_VERSION="1.8.0_402"\n', 8, False),
        ("nothing\n", None, False),
        (None, None, False),
    ],
)
def test_options_that_only_newer_java_needs(
    tmp_path: Path, release: str | None, version: int | None, needs: bool
) -> None:
    if release is not None:
        (tmp_path / "release").write_text(release)
    assert java_version(tmp_path) == version
    options = additional_options({"JAVA_HOME": str(tmp_path)})
    assert options.startswith("--add-opens=java.base/java.lang=ALL-UNNAMED --add-exports=") == needs
    assert bool(options) == needs
    assert additional_options({}) == ""


def test_variables_come_after_those_they_refer_to() -> None:
    given = {"C": "$B:${A}", "B": "$A", "A": "1", "X": "$Y", "Y": "$X"}
    assert by_dependency(given) == ["A", "B", "C", "Y", "X"]


def _script(**change: Any) -> list[str]:
    given: dict[str, Any] = {
        "environment": {},
        "inherited": {},
        "fixed": {},
        "log_directory": "/logs",
        **change,
    }
    return launch_script(ScriptInput(**given)).splitlines()


def test_the_order_of_the_script() -> None:
    lines = _script(
        environment={"USER": "mallory", "MINE": "{{PATH}}", "PATH": "/own"},
        inherited={"PATH": "/usr/bin", "LANG": "C"},
        fixed={"USER": "alice"},
        links={"a/b": "/cache/b", "c": "/cache/c"},
        command=("java", "-cp", "'x'"),
    )
    wanted = [
        'export LANG=${LANG:-"C"}',
        'export USER="alice"',
        'export PATH="/own"',
        'export MINE="$PATH"',
        'mkdir -p "a"',
        'ln -sfn -- "/cache/b" "a/b"',
        'ln -sfn -- "/cache/c" "c"',
        "exec /bin/bash -c \"java -cp 'x'\"",
    ]
    places = [lines.index(line) for line in wanted]
    assert places == sorted(places)
    assert not any("mallory" in line or "/usr/bin" in line for line in lines)
    assert lines[2] == "set -o pipefail -e"


def test_what_the_administrator_forces_in() -> None:
    forced = "MALLOC_ARENA_MAX=$MALLOC_ARENA_MAX,SITE=x"
    assert 'export SITE="x"' in _script(environment={"SITE": "mine"}, forced=forced)
    assert 'export MALLOC_ARENA_MAX="4"' in _script(environment={"MALLOC_ARENA_MAX": "4"}, forced=forced)


def test_debug_information_can_be_left_out() -> None:
    assert any("directory.info" in line for line in _script())
    assert not any("directory.info" in line for line in _script(has_debug_information=False))


def test_globs_with_a_choice() -> None:
    assert globs("{*stderr*,*STDERR*}") == ["*stderr*", "*STDERR*"]
    assert globs("{a,b}{c,d}") == ["ac", "ad", "bc", "bd"]


# Simulated containers


@pytest.mark.parametrize(
    "context, took, code",
    [
        (ContainerLaunchContext(environment={"YARNBOX_SIMULATED_MS": "250"}), 250, 0),
        (ContainerLaunchContext(command=("sleep 1.5; exit 3",)), 1500, 3),
        (ContainerLaunchContext(command=("run",), environment={"YARNBOX_SIMULATED_EXIT": "9"}), None, 9),
    ],
)
def test_how_long_a_simulated_container_takes(
    context: ContainerLaunchContext, took: int | None, code: int
) -> None:
    assert (duration_ms(context), exit_code(context)) == (took, code)


# The manual


def test_the_page_of_state_machines_is_current() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "nodemanager-states.md"
    assert page.read_text(encoding="utf-8") == render(), (
        "run `python -m yarnbox.nm.tables > docs/nodemanager-states.md`"
    )
