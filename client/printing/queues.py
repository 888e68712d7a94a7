"""Queues as QueueCLI prints them."""

from __future__ import annotations

from collections.abc import Sequence

from yarnbox.client.text import box, decimal, float32, java
from yarnbox.yarn.records.node import SHOWN_DEFAULT_PARTITION
from yarnbox.yarn.records.queue import QueueInfo

FAIR = "FairScheduler"

_TWO_PLACES = "#.00"
_FAIR_TWO_PLACES = "0.00"
_HEADS = (
    "Queue Name",
    "Queue Path",
    "State",
    "Capacity",
    "Current Capacity",
    "Maximum Capacity",
    "Weight",
    "Maximum Parallel Apps",
)


def queue_report(info: QueueInfo) -> str:
    """The answer of `queue -status`; its form follows the scheduler."""
    lines = ["Queue Information : "]
    if info.scheduler_type is not None:
        lines.append(f"Scheduler Name : {info.scheduler_type}")
    lines.append(f"Queue Name : {java(info.queue_name)}")
    lines += _fair(info) if info.scheduler_type == FAIR else _capacity(info)
    return "\n".join([*lines, ""])


def _capacity(info: QueueInfo) -> list[str]:
    label = info.default_node_label_expression or ""
    lines = [
        f"Queue Path : {java(info.queue_path)}",
        f"\tState : {java(info.state)}",
        f"\tCapacity : {_percent(info.capacity)}",
        f"\tCurrent Capacity : {_percent(info.current_capacity)}",
        f"\tMaximum Capacity : {_percent(info.maximum_capacity)}",
        f"\tWeight : {decimal(_TWO_PLACES, info.weight or 0)}",
        f"\tMaximum Parallel Apps : {info.max_parallel_apps or 0}",
        f"\tDefault Node Label expression : {label if label.strip() else SHOWN_DEFAULT_PARTITION}",
        f"\tAccessible Node Labels : {','.join(info.accessible_node_labels)}",
    ]
    if info.preemption_disabled is not None:
        lines.append(f"\tPreemption : {_word(not info.preemption_disabled)}")
    if info.intra_queue_preemption_disabled is not None:
        lines.append(f"\tIntra-queue Preemption : {_word(not info.intra_queue_preemption_disabled)}")
    return lines


def _fair(info: QueueInfo) -> list[str]:
    lines = [
        f"\tWeight : {decimal(_FAIR_TWO_PLACES, info.weight or 0)}",
        f"\tState : {java(info.state)}",
        f"\tMinResource : {_amounts(info.min_resource_memory, info.min_resource_vcore)}",
        f"\tMaxResource : {_amounts(info.max_resource_memory, info.max_resource_vcore)}",
        f"\tReservedResource : {_amounts(info.reserved_resource_memory, info.reserved_resource_vcore)}",
        f"\tSteadyFairShare : {_amounts(info.steady_fair_share_memory, info.steady_fair_share_vcore)}",
    ]
    if info.preemption_disabled is not None:
        # FSQueue puts into this field whether the queue is preemptable: the wrong way round, undone here.
        lines.append(f"\tQueue Preemption : {_word(info.preemption_disabled)}")
    return lines


def queue_box(infos: Sequence[QueueInfo]) -> str:
    """The answer of `queue -list`."""
    rows = [
        (
            java(info.queue_name),
            java(info.queue_path),
            java(info.state),
            _percent(info.capacity),
            _percent(info.current_capacity),
            _percent(info.maximum_capacity),
            decimal(_TWO_PLACES, info.weight or 0),
            str(info.max_parallel_apps or 0),
        )
        for info in infos
    ]
    return box(f"{len(infos)} queues were found", _HEADS, rows)


def _percent(share: float | None) -> str:
    """Hadoop multiplies as float, not as double."""
    return decimal(_TWO_PLACES, float32(float32(share or 0) * 100)) + "%"


def _amounts(memory: int | None, vcores: int | None) -> str:
    return f"<memory : {memory or 0}, vCores:{vcores or 0}>"


def _word(enabled: bool) -> str:
    return "enabled" if enabled else "disabled"
