"""What a NodeManager stores for its own restart: under which keys, as which bytes.

nm/edge/store.py holds the bytes. Nothing is stored unless yarn.nodemanager.recovery.enabled is true. Hadoop:
NMStateStoreService and the layout of NMLeveldbStateStoreService.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Protocol

from yarnbox.nm.effects import Forget, StoreEntry
from yarnbox.nm.localization.resources import CacheKey, ResourceKey
from yarnbox.nm.turn import NMTurn
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId
from yarnbox.yarn.records.basics import LogAggregationContext
from yarnbox.yarn.records.container import ContainerLaunchContext
from yarnbox.yarn.records.management import StartContainerRequest
from yarnbox.yarn.records.tokens import ContainerTokenIdentifier

APPLICATIONS = "ContainerManager/applications/"
CONTAINERS = "ContainerManager/containers/"
RESOURCES = "Localization/"
NM_TOKENS = "NMTokens/"
CONTAINER_TOKENS = "ContainerTokens/"


class Application(Protocol):
    """What is stored of an application."""

    @property
    def application_id(self) -> ApplicationId: ...

    @property
    def user(self) -> str: ...

    @property
    def log_aggregation_context(self) -> LogAggregationContext | None: ...


class Container(Protocol):
    """What is stored of a container."""

    @property
    def container_id(self) -> ContainerId: ...

    @property
    def start_ms(self) -> int: ...


def store_application(context: NMTurn, application: Application, request: StartContainerRequest) -> None:
    """An application has come; of a later container, the service data that it brings."""
    top = f"{APPLICATIONS}{application.application_id}/"
    context.store(top + "user", application.user.encode())
    if application.log_aggregation_context is not None:
        context.store(top + "log", context.wire.to_bytes(application.log_aggregation_context))
    launch_context = request.container_launch_context or ContainerLaunchContext()
    for service, data in launch_context.service_data.items():
        context.store(f"{top}service/{service}", data)


def forget_application(context: NMTurn, application_id: ApplicationId) -> None:
    """An application is over."""
    context.forget(f"{APPLICATIONS}{application_id}/")


def store_container(context: NMTurn, container: Container, request: StartContainerRequest) -> None:
    """A container was asked for."""
    context.store(_container(container.container_id, "request"), context.wire.to_bytes(request))
    context.store(_container(container.container_id, "start"), str(container.start_ms).encode())


def containers_asked_for(changes: Sequence[StoreEntry | Forget]) -> list[ContainerId]:
    """Those of `store_container` among changes."""
    keys = [one.key for one in changes if isinstance(one, StoreEntry) and one.key.startswith(CONTAINERS)]
    names = [key.removeprefix(CONTAINERS).partition("/") for key in keys]
    return [ContainerId.parse(name) for name, _, what in names if what == "request"]


def store_container_state(context: NMTurn, container_id: ContainerId, name: str, value: str = "1") -> None:
    """Something has become of it: launched, killed, exitcode, diagnostics."""
    context.store(_container(container_id, name), value.encode())


def store_container_token(
    context: NMTurn, container_id: ContainerId, token: ContainerTokenIdentifier
) -> None:
    """It has a newer version."""
    context.store(_container(container_id, "token"), context.wire.to_bytes(token))


def forget_container(context: NMTurn, container_id: ContainerId) -> None:
    """The RM has taken note of its end."""
    context.forget(_container(container_id, ""))


def store_resource(
    context: NMTurn, cache: CacheKey, key: ResourceKey, directory: str, path: str, size: int
) -> None:
    """A resource is on disk."""
    value = {
        "visibility": cache.visibility.name,
        "user": cache.user,
        "application": None if cache.application_id is None else str(cache.application_id),
        "url": key.url,
        "timestamp": key.timestamp,
        "type": key.type.name,
        "pattern": key.pattern,
        "path": path,
        "size": size,
        "directory": directory,
    }
    context.store(f"{RESOURCES}{cache.directory}/{directory}", json.dumps(value).encode())


def forget_resource(context: NMTurn, cache: CacheKey, directory: str) -> None:
    """A resource is removed."""
    context.store(f"{RESOURCES}{cache.directory}/{directory}", None)


def store_keys(context: NMTurn) -> None:
    """The RM has sent keys."""
    for top, keys in ((NM_TOKENS, context.nm_tokens), (CONTAINER_TOKENS, context.container_tokens)):
        for name, key in (("current", keys.current), ("previous", keys.previous)):
            if key is not None:
                context.store(top + name, context.wire.to_bytes(key))


def store_start(context: NMTurn, attempt_id: ApplicationAttemptId, token: ContainerTokenIdentifier) -> None:
    """A container token was used, and an NM token of an attempt with it."""
    used = context.nm_tokens.used_key(attempt_id)
    if used is not None:
        context.store(f"{NM_TOKENS}used/{attempt_id}", context.wire.to_bytes(used))
    expiry = str(token.expiry_time_stamp or 0).encode()
    context.store(f"{CONTAINER_TOKENS}started/{token.container_id}", expiry)


def _container(container_id: ContainerId, name: str) -> str:
    return f"{CONTAINERS}{container_id}/{name}"
