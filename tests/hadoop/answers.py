"""Two messages of one type compared: what an answer decides must be the same, its dress need not.

A field that is not set counts as its default. Left out are tokens and keys, which are secrets of each side;
addresses and moments, which each machine has its own of; texts, which we write in our own words; and
`enhanced_headroom`, which Hadoop reads off its root queue's metrics, an account beside the books.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from google.protobuf.message import Message

Difference: TypeAlias = tuple[str, object, object]
NEAR_ENOUGH = 1e-4
"""How far apart ratios may be."""

_DRESS = {
    *("container_token", "nm_tokens", "am_rm_token", "client_to_am_token", "client_to_am_token_master_key"),
    *("container_token_master_key", "nm_token_master_key", "rpc_port", "originalTrackingUrl"),
    *("trackingUrl", "tracking_url", "httpAddress", "node_http_address", "diagnostics", "message"),
    *("startTime", "finishTime", "launchTime", "submitTime", "last_health_report_time", "health_report"),
    *("application_resource_usage_map", "application_preempted_resource_usage_map"),
    *(
        "nm_tokens_from_previous_attempts",
        "preempted_memory_seconds",
        "preempted_vcore_seconds",
    ),
    *("enhanced_headroom", "memory_seconds", "vcore_seconds", "expire_time", "remaining_time"),
    *("nm_tokens_from_previous_attempts", "preempted_memory_seconds", "preempted_vcore_seconds"),
    *(
        "tokenSequenceNo",
        "token_sequence_no",
        "rm_identifier",
        "rm_version",
        "amrm_token",
        "diagnostics_message",
        "nextHeartBeatInterval",
    ),
    *(
        "areNodeLabelsAcceptedByRM",
        "areNodeAttributesAcceptedByRM",
        "nm_http_address",
        "log_aggregation_status",
    ),
}
_UNORDERED = {
    "containers_to_cleanup": "containers that are to be killed stand in a set",
    "applications_to_cleanup": "",
    "containers_to_be_removed_from_nm": "",
    "completed_container_statuses": "",
    "containers_from_previous_attempts": "live containers stand in a map by id",
    "updated_nodes": "news of nodes stand in a map by node",
    "container": "containers to be preempted stand in sets",
    "acls": "",
    "resource_types": "",
    "nodeLabels": "",
    "applicationTags": "",
    "allocation_tags": "",
    "allocationTags": "",
    "targetExpressions": "",
    "targetValues": "",
    "scheduler_resource_types": "",
}
"""Repeated fields that Hadoop takes out of hash sets and maps: their order says nothing."""


def differences_of(path: str, ours: Message, hadoop: Message) -> Iterator[Difference]:
    """Every place where the two differ."""
    return differences(path, plain(ours), plain(hadoop))


def plain(message: Message) -> object:
    """The message as mappings, lists and scalars, without its dress and without what is not set."""
    if message.DESCRIPTOR.name == "ResourceProto":
        return _amounts(message)
    found: dict[str, object] = {}
    for field in message.DESCRIPTOR.fields:
        if field.name in _DRESS:
            continue
        value = _value(message, field)
        if value not in (None, [], {}, "", 0, False):
            found[field.name] = value
    return found


def _value(message: Message, field: Any) -> object:
    is_message = field.message_type is not None
    if field.is_repeated:
        values = [plain(each) if is_message else each for each in getattr(message, field.name)]
        return sorted(values, key=_place) if field.name in _UNORDERED else values
    if is_message:
        return plain(getattr(message, field.name)) if message.HasField(field.name) else None
    value = getattr(message, field.name)
    return None if not message.HasField(field.name) or value == field.default_value else value


def _place(value: object) -> tuple[str, str]:
    """Where it is listed: by its id, if it has one, whatever is different besides."""
    own = value if isinstance(value, dict) else {}
    return str(own.get("nodeId", own.get("container_id", own.get("id", "")))), str(value)


def _amounts(message: Any) -> dict[str, int]:
    amounts = {each.key: each.value for each in message.resource_value_map}
    amounts |= {"memory-mb": message.memory, "vcores": message.virtual_cores}
    return {name: amount for name, amount in amounts.items() if amount}


def differences(path: str, ours: object, hadoop: object) -> Iterator[Difference]:
    """Every place where two plain values differ."""
    if isinstance(ours, Mapping) and isinstance(hadoop, Mapping):
        for key in dict.fromkeys((*ours, *hadoop)):
            yield from differences(f"{path}.{key}", ours.get(key), hadoop.get(key))
    elif _are_lists(ours, hadoop):
        assert isinstance(ours, Sequence)
        assert isinstance(hadoop, Sequence)
        if len(ours) != len(hadoop):
            yield path, ours, hadoop
            return
        for index, (one, other) in enumerate(zip(ours, hadoop, strict=True)):
            yield from differences(f"{path}[{index}]", one, other)
    elif isinstance(ours, int | float) and isinstance(hadoop, int | float):
        if not _are_same(ours, hadoop):
            yield path, ours, hadoop
    elif ours != hadoop:
        yield path, ours, hadoop


def _are_same(ours: float, hadoop: float) -> bool:
    """Integers are compared as integers; ratios are single-precision numbers in Hadoop, or sums of them."""
    if isinstance(ours, int) and isinstance(hadoop, int):
        return ours == hadoop
    return abs(ours - hadoop) <= NEAR_ENOUGH * max(abs(ours), abs(hadoop), 1.0)


def _are_lists(ours: object, hadoop: object) -> bool:
    return isinstance(ours, list | tuple) and isinstance(hadoop, list | tuple)
