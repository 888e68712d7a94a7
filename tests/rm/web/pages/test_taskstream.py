"""What has become of a container, and what its colour says of it."""

from __future__ import annotations

import pytest

from yarnbox.rm.scheduler.containers import statuses
from yarnbox.rm.web.pages.taskstream import kind_of, traits
from yarnbox.rm.web.past import ContainerRow

TRAITS = traits(counts_vcores=True)
ROW = ContainerRow("c", "a", "t", "n", "", "q", "u", "", 1, 1, 1, True, "", "", "RUNNING", 1, 0, None, "")
LOST = f"{statuses.LOST_CONTAINER}: n1 is gone"


@pytest.mark.parametrize(
    "state, exit_status, diagnostics, kind",
    [
        ("RESERVED", None, "", "reserved"),
        ("ALLOCATED", None, "", "alive"),
        ("RUNNING", None, "", "alive"),
        ("COMPLETE", 0, "", "done"),
        ("COMPLETE", statuses.ABORTED, statuses.RELEASED_CONTAINER, "released"),
        ("COMPLETE", statuses.ABORTED, statuses.EXPIRED_CONTAINER, "ended"),
        ("COMPLETE", statuses.PREEMPTED, statuses.PREEMPTED_CONTAINER, "preempted"),
        ("COMPLETE", statuses.ABORTED, LOST, "lost"),
        ("COMPLETE", 1, LOST, "ended"),
    ],
)
def test_what_has_become_of_a_container(
    state: str, exit_status: int | None, diagnostics: str, kind: str
) -> None:
    assert kind_of(state, exit_status, diagnostics) == kind
    assert kind in [one["key"] for one in TRAITS["colour"][0]["known"]]


def test_the_stream_reads_what_containers_have() -> None:
    fields = {*ROW.answer(2), "kind"}
    assert {one["key"] for one in TRAITS["lanes"]} <= fields
    assert {one["read"] for one in TRAITS["colour"]} <= fields
    assert set(TRAITS["saved"]) <= fields
    assert {one["read"] for one in TRAITS["life"]} <= fields


def test_the_life_of_a_container_has_vcores_where_they_count() -> None:
    keys = [[one["key"] for one in traits(counts_vcores=counts)["life"]] for counts in (True, False)]
    assert [key for key in keys[0] if key not in keys[1]] == ["vcores"]
    assert keys[1] == [key for key in keys[0] if key != "vcores"]


def test_a_reserved_container_is_not_allocated() -> None:
    row = ROW._replace(state="RESERVED", started=5)
    times = ("reserved", "allocated", "running", "elapsed")
    assert [row.answer(9)[name] for name in times] == [5, 0, 0, 4]
    assert [row._replace(state="RUNNING").answer(9)[name] for name in times] == [0, 5, 0, 4]
    assert row._replace(state="COMPLETE", finished=8).answer(9)["elapsed"] == 3


def test_no_two_looks_of_a_colouring_are_alike() -> None:
    for one in TRAITS["colour"]:
        looks = [(look["hue"], look["hatch"]) for look in one.get("known", ())]
        assert len(set(looks)) == len(looks)
