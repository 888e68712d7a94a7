"""The gRPC port of the RM, whoever answers behind it: the active RM, or the standby that refuses.

A port that changed hands could be taken by somebody else in between; so the port stays, and the handlers
change. Knows no service.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import grpc.aio

from yarnbox.yarn.connection.rpc import Caller, Handler, Meter, add_service
from yarnbox.yarn.errors import NotReadyError
from yarnbox.yarn.wire import PLAIN, Wire


@dataclass(frozen=True, slots=True)
class Served:
    """The handler of one service and the meter of its calls."""

    handler: Handler
    meter: Meter | None = None


class Front:
    """The services of one server."""

    def __init__(
        self,
        server: grpc.aio.Server,
        services: tuple[str, ...],
        *,
        has_tls: bool = False,
        wire: Wire = PLAIN,
    ) -> None:
        self._served: Mapping[str, Served] = {}
        for service in services:
            answer, meter = partial(self._answer, service), _Forwarded(self, service)
            add_service(server, service, answer, meter, has_tls=has_tls, wire=wire)

    def serve(self, served: Mapping[str, Served]) -> None:
        """Lets these handlers answer from now on."""
        self._served = served

    def meter(self, service: str) -> Meter | None:
        """The meter of the service's calls."""
        return self._served[service].meter if service in self._served else None

    def _answer(self, service: str, rpc: str, request: object, caller: Caller) -> object:
        if service not in self._served:
            raise NotReadyError("the ResourceManager is starting or stopping")
        return self._served[service].handler(rpc, request, caller)


class _Forwarded:
    """A meter that passes calls on to the service's current meter."""

    def __init__(self, front: Front, service: str) -> None:
        self._front = front
        self._service = service

    def note(self, rpc: str, spent_s: float, received: int = 0, sent: int = 0) -> None:
        meter = self._front.meter(self._service)
        if meter is not None:
            meter.note(rpc, spent_s, received, sent)
