"""No message lets in what could not be stored, listed or sent on: every rpc of every service, hostile bytes.

Messages are written here byte by byte, for protobuf's own classes refuse to make some of those that a peer
may send.
"""

from __future__ import annotations

import dataclasses
import json
import math
import struct
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from yarnbox.protos.yarn_protos_pb2 import ApplicationIdProto, ContainerIdProto
from yarnbox.yarn.connection.rpc import SERVICES
from yarnbox.yarn.errors import IllegalArgumentError
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId, ReservationId
from yarnbox.yarn.records.application import ApplicationReport, ApplicationSubmissionContext
from yarnbox.yarn.records.basics import ResourceUtilization
from yarnbox.yarn.records.client import GetApplicationReportResponse, SubmitApplicationRequest
from yarnbox.yarn.records.container import ContainerStatus
from yarnbox.yarn.records.master import AllocateRequest
from yarnbox.yarn.records.queue import QueueInfo
from yarnbox.yarn.records.tracker import (
    NodeHealthStatus,
    NodeHeartbeatRequest,
    NodeStatus,
    RegisterNodeManagerRequest,
)
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.wire import checked, from_bytes, message_class, to_bytes

RECORDS = sorted(
    {record for service in SERVICES for pair in SERVICES[service].values() for record in pair},
    key=lambda record: record.__name__,
)
INTEGERS = (-(2**63), -(2**31), -1, 0, 1, 7, 65536, 2**31 - 1, 2**31, 2**63 - 1)
FRACTIONS = (math.nan, math.inf, -math.inf, -1.0, 0.0, 0.5, 3e38)
TEXTS = (
    b"",
    b"a",
    b"root.default",
    b"*",
    b"\xff\xfe",
    b"\xed\xa0\x80",  # half a character
    b"\x00",
    "é☃𝄞".encode(),
    b"x" * 5000,
)
FIXED = {
    FieldDescriptor.TYPE_FLOAT: (5, "<f"),
    FieldDescriptor.TYPE_DOUBLE: (1, "<d"),
}
DEEPEST = 7
LAST = 253402300799999


# Hostile messages


def varint(value: int) -> bytes:
    value &= 2**64 - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def written(number: int, data: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(data)) + data


def field_bytes(draw: st.DrawFn, field: Any, depth: int) -> bytes:
    if field.type in FIXED:
        kind, form = FIXED[field.type]
        return varint(field.number << 3 | kind) + struct.pack(form, draw(st.sampled_from(FRACTIONS)))
    if field.type in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES):
        return written(field.number, draw(st.sampled_from(TEXTS)))
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        return written(field.number, hostile(draw, field.message_type, depth + 1))
    return varint(field.number << 3) + varint(draw(st.sampled_from(INTEGERS)))


def hostile(draw: st.DrawFn, descriptor: Any, depth: int = 0) -> bytes:
    """A message of this type, whose fields are there or not, and hold what they may or not."""
    if depth > DEEPEST or not descriptor.fields:
        return b""
    chosen = draw(st.lists(st.sampled_from(list(descriptor.fields)), max_size=6))
    return b"".join(field_bytes(draw, field, depth) for field in chosen)


@st.composite
def messages(draw: st.DrawFn) -> tuple[type, bytes]:
    record = draw(st.sampled_from(RECORDS))
    return record, hostile(draw, message_class(record).DESCRIPTOR)


def leaves(value: Any) -> Iterator[Any]:
    """Everything in a record that is none itself; identifiers whole."""
    if dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            if field.name != "progress":  # an AM may divide by zero
                yield from leaves(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield key
            yield from leaves(each)
    elif isinstance(value, tuple) and not hasattr(value, "_fields"):
        for each in value:
            yield from leaves(each)
    else:
        yield value


def check_said(cls: type, said: str) -> None:
    assert said.startswith((cls.__name__, "not a "))
    assert "\n" not in said
    said.encode()


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(messages())
def test_what_arrives_can_be_stored_listed_and_sent_on_or_is_refused_in_one_line(
    case: tuple[type, bytes],
) -> None:
    cls, data = case
    record: Any
    try:
        record = from_bytes(cls, data)
    except IllegalArgumentError as refusal:
        check_said(cls, refusal.message)
        return
    for leaf in leaves(record):
        if isinstance(leaf, float):
            assert math.isfinite(leaf)
        elif isinstance(leaf, str):
            json.dumps(leaf, ensure_ascii=False).encode()
        elif isinstance(leaf, ApplicationId | ApplicationAttemptId | ContainerId | ReservationId):
            assert type(leaf).parse(str(leaf)) == leaf
    assert to_bytes(from_bytes(cls, to_bytes(record))) == to_bytes(record)


# Each limit once


APP = ApplicationId(1, 1)
CONTAINER = ContainerId(ApplicationAttemptId(APP, 1), 1)


def submitted(application: bytes) -> bytes:
    return written(1, written(1, application))


def heartbeat(status: bytes) -> bytes:
    return written(1, status)


NODE = written(1, written(1, b"h1") + varint(2 << 3) + varint(1))


@pytest.mark.parametrize(
    "cls, data, said",
    [
        (
            SubmitApplicationRequest,
            submitted(varint(1 << 3) + varint(-5)),
            "application_submission_context.application_id.id is -5; allowed is 0 and more",
        ),
        (
            SubmitApplicationRequest,
            submitted(varint(2 << 3) + varint(-1)),
            "application_submission_context.application_id.cluster_timestamp is -1; allowed is 0 and more",
        ),
        (
            SubmitApplicationRequest,
            written(1, written(2, b"\xff")),
            r"application_submission_context.application_name is b'\xff'; text has to be valid UTF-8",
        ),
        (
            SubmitApplicationRequest,
            written(1, written(3, b"q" * 4097)),
            "application_submission_context.queue has 4097 characters; at most 4096 are allowed",
        ),
        (
            NodeHeartbeatRequest,
            heartbeat(NODE + written(6, varint(3 << 3 | 5) + struct.pack("<f", math.nan))),
            "node_status.containers_utilization.cpu is nan; a finite number is allowed",
        ),
        (
            NodeHeartbeatRequest,
            heartbeat(NODE + written(3, b"") + written(3, b"")),
            "node_status.containersStatuses[0] the required field container_id is missing",
        ),
        (
            NodeHeartbeatRequest,
            heartbeat(written(1, written(1, b"a b"))),
            "node_status.node_id.host is 'a b'; spaces, slashes and control characters are not allowed",
        ),
        (
            NodeHeartbeatRequest,
            heartbeat(NODE + written(4, varint(3 << 3) + varint(2**63 - 1))),
            f"node_status.nodeHealthStatus.last_health_report_time is {2**63 - 1}; allowed is -1 to {LAST}",
        ),
        (
            RegisterNodeManagerRequest,
            written(4, varint(1 << 3) + varint(-1)),
            "resource is <memory:-1, vCores:0>; amounts of 0 and more are allowed",
        ),
    ],
)
def test_a_refusal_names_the_field_the_value_and_what_is_allowed(cls: type, data: bytes, said: str) -> None:
    with pytest.raises(IllegalArgumentError) as refused:
        from_bytes(cls, data)
    assert refused.value.message == f"{cls.__name__}: {said}"


def test_an_identifier_without_its_outer_one_is_refused() -> None:
    with pytest.raises(IllegalArgumentError, match="required field app_attempt_id is missing"):
        from_bytes(ContainerId, ContainerIdProto(id=1).SerializeToString())
    assert from_bytes(ApplicationId, ApplicationIdProto().SerializeToString()) == ApplicationId(0, 0)


def test_a_report_says_by_minus_one_that_there_is_no_attempt() -> None:
    none_yet = ApplicationAttemptId(APP, -1)
    report = ApplicationReport(application_id=APP, current_application_attempt_id=none_yet)
    answer = GetApplicationReportResponse(application_report=report)
    assert from_bytes(GetApplicationReportResponse, to_bytes(answer)) == answer
    for cls, broken in (
        (ApplicationAttemptId, ApplicationAttemptId(APP, -2)),
        (ContainerId, ContainerId(none_yet, 1)),
    ):
        with pytest.raises(IllegalArgumentError, match=r"attemptId is -[12]; allowed is"):
            from_bytes(cls, to_bytes(broken))


def test_a_progress_may_be_no_number_since_the_rm_says_what_that_means() -> None:
    assert math.isnan(from_bytes(AllocateRequest, to_bytes(AllocateRequest(progress=math.nan))).progress or 0)


# What leaves is made to fit


def test_a_sum_that_outgrew_its_field_is_the_largest_that_the_field_holds() -> None:
    total = Resource.of({"memory-mb": 3 * (2**63 - 1), "vcores": 2**40, "gpu": -(2**70)})
    held = from_bytes(Resource, to_bytes(total))
    assert held == Resource.of({"memory-mb": 2**63 - 1, "vcores": 2**31 - 1, "gpu": -(2**63)})


def test_numbers_of_a_reply_fit_too() -> None:
    usage = ResourceUtilization(pmem=2**40, vmem=-(2**40), cpu=1.0)
    assert from_bytes(ResourceUtilization, to_bytes(usage)).pmem == 2**31 - 1


def test_half_a_character_is_sent_as_a_replacement() -> None:
    assert from_bytes(QueueInfo, to_bytes(QueueInfo(queue_name="a\ud800b"))).queue_name == "a?b"


def test_a_record_that_no_message_could_hold_is_refused() -> None:
    sound = ApplicationSubmissionContext(application_id=APP, application_name="é")
    assert checked(sound) == sound
    for broken in (
        ApplicationSubmissionContext(application_id=APP, application_name="\udcff"),
        ApplicationSubmissionContext(application_id=ApplicationId(-1, 1)),
        ApplicationSubmissionContext(application_id=APP, max_app_attempts=2**40),
    ):
        with pytest.raises(IllegalArgumentError):
            checked(broken)


def test_a_node_as_nodes_report_themselves_is_let_in() -> None:
    status = NodeStatus(
        node_id=NodeId("h-1.example.org", 45454),
        response_id=0,
        containers_statuses=(ContainerStatus(container_id=CONTAINER, diagnostics="\x1b[31mred\n"),),
        node_health_status=NodeHealthStatus(is_node_healthy=True, last_health_report_time=0),
        node_utilization=ResourceUtilization(pmem=1, vmem=2, cpu=0.5),
    )
    request = NodeHeartbeatRequest(node_status=status)
    assert from_bytes(NodeHeartbeatRequest, to_bytes(request)) == request
