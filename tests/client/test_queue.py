"""`yarn queue`: what it asks, prints and returns, byte for byte."""

from __future__ import annotations

from typing import Any

import pytest

from tests.client.fakes import FakeResourceManager, Shell
from yarnbox.yarn.enums import QueueState
from yarnbox.yarn.records.client import GetQueueInfoResponse
from yarnbox.yarn.records.queue import QueueInfo


def capacity(name: str = "etl", **changes: Any) -> QueueInfo:
    values: dict[str, Any] = {
        "queue_name": name,
        "queue_path": f"root.{name}",
        "capacity": 0.6,
        "current_capacity": 0.41666666,
        "maximum_capacity": 0.8,
        "state": QueueState.RUNNING,
        "accessible_node_labels": ("*",),
        "preemption_disabled": True,
        "intra_queue_preemption_disabled": True,
        "weight": -1.0,
        "max_parallel_apps": 2147483647,
        "scheduler_type": "CapacityScheduler",
    }
    return QueueInfo(**{**values, **changes})


def answer(info: QueueInfo | None) -> GetQueueInfoResponse:
    return GetQueueInfoResponse(queue_info=info)


def test_status_under_capacity(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getQueueInfo"] = answer(capacity())
    result = shell.yarn("queue", "-status", "etl")
    assert result.out == (
        "Queue Information : \n"
        "Scheduler Name : CapacityScheduler\n"
        "Queue Name : etl\n"
        "Queue Path : root.etl\n"
        "\tState : RUNNING\n"
        "\tCapacity : 60.00%\n"
        "\tCurrent Capacity : 41.67%\n"
        "\tMaximum Capacity : 80.00%\n"
        "\tWeight : -1.00\n"
        "\tMaximum Parallel Apps : 2147483647\n"
        "\tDefault Node Label expression : <DEFAULT_PARTITION>\n"
        "\tAccessible Node Labels : *\n"
        "\tPreemption : disabled\n"
        "\tIntra-queue Preemption : disabled\n"
    )
    assert (result.status, result.err) == (0, "")
    (request,) = rm.asked("getQueueInfo")
    assert (request.queue_name, request.include_applications) == ("etl", True)


def test_zero_has_no_digit_before_the_point(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getQueueInfo"] = answer(
        capacity(
            current_capacity=0.0,
            default_node_label_expression="gpu",
            accessible_node_labels=("gpu", "ssd"),
            preemption_disabled=False,
            intra_queue_preemption_disabled=None,
            scheduler_type=None,
        )
    )
    out = shell.yarn("queue", "-status", "etl").out
    assert "\tCurrent Capacity : .00%\n" in out
    assert out.startswith("Queue Information : \nQueue Name : etl\n")
    assert out.endswith(
        "\tDefault Node Label expression : gpu\n\tAccessible Node Labels : gpu,ssd\n\tPreemption : enabled\n"
    )


def test_status_under_fair(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getQueueInfo"] = answer(
        QueueInfo(
            queue_name="root.etl",
            state=QueueState.RUNNING,
            weight=2.0,
            preemption_disabled=True,  # which says preemptable, under Fair
            scheduler_type="FairScheduler",
            min_resource_memory=1024,
            min_resource_vcore=1,
            max_resource_memory=8192,
            max_resource_vcore=8,
            steady_fair_share_memory=4096,
            steady_fair_share_vcore=4,
        )
    )
    result = shell.yarn("queue", "-status", "root.etl")
    assert result.out == (
        "Queue Information : \n"
        "Scheduler Name : FairScheduler\n"
        "Queue Name : root.etl\n"
        "\tWeight : 2.00\n"
        "\tState : RUNNING\n"
        "\tMinResource : <memory : 1024, vCores:1>\n"
        "\tMaxResource : <memory : 8192, vCores:8>\n"
        "\tReservedResource : <memory : 0, vCores:0>\n"
        "\tSteadyFairShare : <memory : 4096, vCores:4>\n"
        "\tQueue Preemption : enabled\n"
    )
    assert result.status == 0


def test_unknown_queue(shell: Shell) -> None:
    result = shell.yarn("queue", "-status", "nowhere")
    assert result.out == "Cannot get queue from RM by queueName = nowhere, please check.\n"
    assert result.status == 255


WIDTHS = (12, 12, 9, 10, 18, 18, 8, 23)
BORDER = "+" + "+".join("-" * width for width in WIDTHS) + "+\n"
BOX = (
    "+" + "-" * 117 + "+\n"
    "|                                                 2 queues were found"
    "                                                 |\n"
    + BORDER
    + "| Queue Name | Queue Path |  State  | Capacity | Current Capacity | Maximum Capacity | Weight "
    "| Maximum Parallel Apps |\n"
    + BORDER
    + "|    etl     |  root.etl  | RUNNING |  60.00%  |      41.67%      |      80.00%      | -1.00  "
    "|      2147483647       |\n"
    "|    lab     |  root.lab  | RUNNING |  40.00%  |       .00%       |     100.00%      | -1.00  "
    "|      2147483647       |\n" + BORDER
)


def lab(**changes: Any) -> QueueInfo:
    return capacity("lab", capacity=0.4, current_capacity=0.0, maximum_capacity=1.0, **changes)


def test_list_all_is_a_box(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getQueueInfo"] = answer(QueueInfo(queue_name="root", child_queues=(capacity(), lab())))
    result = shell.yarn("queue", "-list", "All")
    assert (result.status, result.out) == (0, BOX)
    (request,) = rm.asked("getQueueInfo")
    assert (request.queue_name, request.include_child_queues, request.recursive) == ("root", True, True)


def test_list_names_parents_before_their_children(rm: FakeResourceManager, shell: Shell) -> None:
    tree = QueueInfo(queue_name="root", child_queues=(capacity(child_queues=(lab(),)),))
    rm.answers["getQueueInfo"] = answer(tree)
    rows = shell.yarn("queue", "-list", "root").out.splitlines()
    assert [row.split("|")[1].strip() for row in rows[5:7]] == ["etl", "lab"]


def test_list_of_a_leaf_ends_after_the_headings(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getQueueInfo"] = answer(capacity())
    lines = shell.yarn("queue", "-list", "etl").out.splitlines()
    assert len(lines) == 5
    assert lines[1].strip("| ") == "0 queues were found"


@pytest.mark.parametrize(
    "word, text",
    [
        ("all", "Cannot get any queues from RM,please check.\n"),
        ("etl", "Cannot get any queues under etl from RM,please check.\n"),
    ],
)
def test_list_of_nothing(shell: Shell, word: str, text: str) -> None:
    result = shell.yarn("queue", "-list", word)
    assert (result.status, result.out) == (255, text)


def test_bare_queue_fails(shell: Shell) -> None:
    result = shell.yarn("queue")
    assert (result.status, result.err) == (255, "Invalid Command Usage : \n")
    assert result.out.startswith("usage: queue\n")


def test_precedence_and_surplus_words(shell: Shell) -> None:
    assert shell.yarn("queue", "-list", "all", "-help").status == 0
    assert shell.yarn("queue", "-list", "all", "more").status == 255
    assert shell.yarn("queue", "-status", "etl", "a", "b", "c").out.startswith("usage: queue\n")
    result = shell.yarn("queue", "-status")
    assert result.out.startswith("Missing argument for options\n")
    assert result.status == 255
