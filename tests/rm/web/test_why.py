"""Why an application waits, as pages and commands show it, under the schedulers that share Check."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.rig import Rig, ask
from yarnbox.rm.scheduler.capacity.allocation.skip_reason import SkipReason
from yarnbox.rm.scheduler.checks import Check, RequestChecks
from yarnbox.rm.web.why import shown


def asking(scheduler: str, memory_mb: int, count: int) -> tuple[Rig, Any]:
    """Two nodes of 4 GB; an application that has asked."""
    queues = {"root.queues": "default", "root.default.capacity": "100", "root.default.user-limit-factor": "9"}
    rig = Rig(
        {
            "yarn.resourcemanager.scheduler.class": scheduler,
            **{f"yarn.scheduler.capacity.{name}": value for name, value in queues.items()},
        }
    )
    for name in ("n1", "n2"):
        rig.add_node(name, 4096, 4)
    application_id = rig.submit(queue="default", unmanaged_am=True)
    rig.register(application_id)
    rig.allocate(application_id, ask(count=count, memory_mb=memory_mb))
    for _ in range(6):
        rig.advance(1_000)
        for name in ("n1", "n2"):
            rig.heartbeat(name)
    return rig, application_id


@pytest.mark.parametrize("scheduler", ["fair", "fifo"])
def test_full_nodes_are_named_with_their_number(scheduler: str) -> None:
    rig, application_id = asking(scheduler, 1024, 9)
    requests = rig.context.scheduler.views.request_checks(application_id)
    (request,) = requests
    assert request.asked == "1 of <memory:1024, vCores:1>, priority 1"
    assert request.foremost is not None
    assert request.foremost.nodes == 2
    assert request.lines[-1].startswith("priority 1: 2 nodes: the node has ")
    found = shown(requests)
    assert found["reasons"] == request.lines
    assert found["foremost"].startswith("nodes: the node has ")
    assert found["foremost"].endswith(" (2 nodes)")
    (path,) = found["path"]
    last = path["step"][-1]
    assert (last["level"], last["holds"], last["numbers"]) == ("nodes", False, "2 nodes")
    assert last["change"] == "containers on the node end, or nodes are added"
    assert path["step"][0]["holds"]


def test_what_fails_is_said_as_the_refusal_not_as_the_condition() -> None:
    check = Check(reason=SkipReason.AM_LIMIT, holds=False, level="root.a")
    failing, holding = (
        RequestChecks(asked="", checks=(replace(check, holds=holds),)) for holds in (False, True)
    )
    (path,), (other,) = shown([failing])["path"], shown([holding])["path"]
    assert path["step"][0]["checked"] == "Queue's AM resource limit exceeded."
    assert other["step"][0]["checked"] == "has room for one more AM"


@pytest.mark.parametrize("scheduler", ["fair", "fifo"])
def test_who_has_all_waits_for_nothing(scheduler: str) -> None:
    rig, application_id = asking(scheduler, 1024, 2)
    assert rig.context.scheduler.views.request_checks(application_id) == []


@pytest.mark.parametrize("scheduler", ["capacity", "fair", "fifo"])
def test_heartbeats_without_a_container_are_counted(scheduler: str) -> None:
    rig, application_id = asking(scheduler, 4096, 3)
    attempt = rig.context.scheduler.applications[application_id].attempt
    assert attempt is not None
    before = attempt.missed_heartbeats
    for name in ("n1", "n2", "n1"):
        rig.heartbeat(name)
    assert attempt.missed_heartbeats == before + 3
    rig.allocate(application_id, ask(count=0, memory_mb=4096))
    assert attempt.missed_heartbeats == 0
