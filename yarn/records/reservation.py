"""Definitions of plan reservations and their allocations."""

from __future__ import annotations

from yarnbox.yarn.enums import ReservationRequestInterpreter
from yarnbox.yarn.ids import ReservationId
from yarnbox.yarn.limits import Name
from yarnbox.yarn.records.basics import record
from yarnbox.yarn.resources.resource import Resource


@record
class ReservationRequest:
    """ReservationRequestProto of yarn_protos.proto."""

    capability: Resource | None = None
    num_containers: int = 1
    concurrency: int = 1  # containers that must run together
    duration: int = -1  # ms


@record
class ReservationDefinition:
    """ReservationDefinitionProto of yarn_protos.proto."""

    reservation_requests: ReservationRequests | None = None
    arrival: int | None = None  # ms, earliest start
    deadline: int | None = None  # ms, latest end
    reservation_name: Name | None = None
    recurrence_expression: Name = "0"  # period in ms; "0": once
    priority: int | None = None  # smaller number more important; default 0


@record
class ResourceAllocationRequest:
    """ResourceAllocationRequestProto of yarn_protos.proto."""

    start_time: int | None = None
    end_time: int | None = None
    resource: Resource | None = None


@record
class ReservationAllocationState:
    """ReservationAllocationStateProto of yarn_protos.proto."""

    reservation_definition: ReservationDefinition | None = None
    allocation_requests: tuple[ResourceAllocationRequest, ...] = ()  # planned steps
    start_time: int | None = None
    end_time: int | None = None
    user: str | None = None
    contains_gangs: bool | None = None
    acceptance_time: int | None = None
    reservation_id: ReservationId | None = None


@record
class ReservationRequests:
    """ReservationRequestsProto of yarn_protos.proto."""

    reservation_resources: tuple[ReservationRequest, ...] = ()
    interpreter: ReservationRequestInterpreter = ReservationRequestInterpreter.ALL  # how the requests combine
