"""Definitions of plan reservations and their allocations."""

from __future__ import annotations

from yarnbox.yarn.enums import ReservationRequestInterpreter
from yarnbox.yarn.ids import ReservationId
from yarnbox.yarn.limits import Name
from yarnbox.yarn.records.basics import Record
from yarnbox.yarn.resources.resource import Resource


class ReservationRequest(Record, frozen=True, kw_only=True):
    """ReservationRequestProto of yarn_protos.proto."""

    capability: Resource | None = None
    num_containers: int = 1
    concurrency: int = 1  # containers that must run together
    duration: int = -1  # ms


class ReservationDefinition(Record, frozen=True, kw_only=True):
    """ReservationDefinitionProto of yarn_protos.proto."""

    reservation_requests: ReservationRequests | None = None
    arrival: int | None = None  # ms, earliest start
    deadline: int | None = None  # ms, latest end
    reservation_name: Name | None = None
    recurrence_expression: Name = "0"  # period in ms; "0": once
    priority: int | None = None  # smaller number more important; default 0


class ResourceAllocationRequest(Record, frozen=True, kw_only=True):
    """ResourceAllocationRequestProto of yarn_protos.proto."""

    start_time: int | None = None
    end_time: int | None = None
    resource: Resource | None = None


class ReservationAllocationState(Record, frozen=True, kw_only=True):
    """ReservationAllocationStateProto of yarn_protos.proto."""

    reservation_definition: ReservationDefinition | None = None
    allocation_requests: tuple[ResourceAllocationRequest, ...] = ()  # planned steps
    start_time: int | None = None
    end_time: int | None = None
    user: str | None = None
    contains_gangs: bool | None = None
    acceptance_time: int | None = None
    reservation_id: ReservationId | None = None


class ReservationRequests(Record, frozen=True, kw_only=True):
    """ReservationRequestsProto of yarn_protos.proto."""

    reservation_resources: tuple[ReservationRequest, ...] = ()
    interpreter: ReservationRequestInterpreter = ReservationRequestInterpreter.ALL  # how the requests combine
