"""What a NodeManager remembers over its own restart: under which keys, as which bytes.

A store keeps bytes by key, and how is its affair. Nothing is kept unless yarn.nodemanager.recovery.enabled
says so. Answers for NMStateStoreService and the layout of NMLeveldbStateStoreService.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from nm.context import NMContext
from nm.resources import CacheKey, ResourceKey
from yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId
from yarn.records.container import ContainerLaunchContext
from yarn.records.management import StartContainerRequest
from yarn.records.tokens import ContainerTokenIdentifier
from yarn.wire import to_bytes

if TYPE_CHECKING:
    from nm.application import Application
    from nm.container_state import Container

APPLICATIONS = "ContainerManager/applications/"
CONTAINERS = "ContainerManager/containers/"
RESOURCES = "Localization/"
NM_TOKENS = "NMTokens/"
CONTAINER_TOKENS = "ContainerTokens/"


def keep_application(context: NMContext, application: Application, request: StartContainerRequest) -> None:
    """An application has come; of a later container, the service data that it brings."""
    top = f"{APPLICATIONS}{application.application_id}/"
    context.keep(top + "user", application.user.encode())
    if application.log_aggregation_context is not None:
        context.keep(top + "log", to_bytes(application.log_aggregation_context))
    launch_context = request.container_launch_context or ContainerLaunchContext()
    for service, data in launch_context.service_data.items():
        context.keep(f"{top}service/{service}", data)


def forget_application(context: NMContext, application_id: ApplicationId) -> None:
    """An application is over."""
    context.forget(f"{APPLICATIONS}{application_id}/")


def keep_container(context: NMContext, container: Container, request: StartContainerRequest) -> None:
    """A container was asked for."""
    context.keep(_container(container.container_id, "request"), to_bytes(request))
    context.keep(_container(container.container_id, "start"), str(container.start_ms).encode())


def keep_of_container(context: NMContext, container_id: ContainerId, name: str, value: str = "1") -> None:
    """Something has become of it: launched, killed, exitcode, diagnostics."""
    context.keep(_container(container_id, name), value.encode())


def keep_token(context: NMContext, container_id: ContainerId, token: ContainerTokenIdentifier) -> None:
    """It has a newer version."""
    context.keep(_container(container_id, "token"), to_bytes(token))


def forget_container(context: NMContext, container_id: ContainerId) -> None:
    """The RM has taken note of its end."""
    context.forget(_container(container_id, ""))


def keep_resource(
    context: NMContext, cache: CacheKey, key: ResourceKey, directory: str, path: str, size: int
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
    context.keep(f"{RESOURCES}{cache.directory}/{directory}", json.dumps(value).encode())


def forget_resource(context: NMContext, cache: CacheKey, directory: str) -> None:
    """A resource is removed."""
    context.keep(f"{RESOURCES}{cache.directory}/{directory}", None)


def keep_keys(context: NMContext) -> None:
    """The RM has sent keys."""
    for top, keys in ((NM_TOKENS, context.nm_tokens), (CONTAINER_TOKENS, context.container_tokens)):
        for name, key in (("current", keys.current), ("previous", keys.previous)):
            if key is not None:
                context.keep(top + name, to_bytes(key))


def keep_start(context: NMContext, attempt_id: ApplicationAttemptId, token: ContainerTokenIdentifier) -> None:
    """A container token was used, and an NM token of an attempt with it."""
    used = context.nm_tokens.used_key(attempt_id)
    if used is not None:
        context.keep(f"{NM_TOKENS}used/{attempt_id}", to_bytes(used))
    expiry = str(token.expiry_time_stamp or 0).encode()
    context.keep(f"{CONTAINER_TOKENS}started/{token.container_id}", expiry)


def _container(container_id: ContainerId, name: str) -> str:
    return f"{CONTAINERS}{container_id}/{name}"
