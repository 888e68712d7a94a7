"""What has become of a container, and what its colour says of it."""

from __future__ import annotations

import pytest

from yarnbox.rm.scheduler.containers import statuses
from yarnbox.rm.web.pages.taskstream import TRAITS, kind_of
from yarnbox.rm.web.past import ContainerRow

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
    row = ContainerRow("c", "a", "t", "n", "", "q", "u", "", 1, 1, 1, True, "", "", "RUNNING", 1, 0, None, "")
    fields = {*row.answer(), "kind"}
    assert {one["key"] for one in TRAITS["lanes"]} <= fields
    assert {one["read"] for one in TRAITS["colour"]} <= fields
    assert set(TRAITS["saved"]) <= fields


def test_no_two_looks_of_a_colouring_are_alike() -> None:
    for one in TRAITS["colour"]:
        looks = [(look["hue"], look["hatch"]) for look in one.get("known", ())]
        assert len(set(looks)) == len(looks)
