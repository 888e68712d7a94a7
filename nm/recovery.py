"""How a NodeManager that was started again finds itself: keys, resources, applications, containers.

Reads what nm/state.py wrote. A container whose process still runs is found again, one that had ended is
told of, one that had not begun begins. Hadoop: the recovery half of ContainerManagerImpl,
ContainerScheduler, ResourceLocalizationService and the NM's secret managers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from yarnbox.nm.application import Application
from yarnbox.nm.containers.container_state import Container, Recovered
from yarnbox.nm.context import NMContext
from yarnbox.nm.effects import StartAuxiliaryApplication
from yarnbox.nm.events import ApplicationInit, ApplicationInitContainer, ResourceRecovered
from yarnbox.nm.localization.resources import CacheKey, ResourceKey
from yarnbox.nm.state import (
    APPLICATIONS,
    CONTAINER_TOKENS,
    CONTAINERS,
    NM_TOKENS,
    RESOURCES,
    forget_container,
)
from yarnbox.yarn.enums import LocalResourceType, LocalResourceVisibility
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId
from yarnbox.yarn.records.basics import LogAggregationContext
from yarnbox.yarn.records.container import ContainerLaunchContext
from yarnbox.yarn.records.management import StartContainerRequest
from yarnbox.yarn.records.tokens import ContainerTokenIdentifier
from yarnbox.yarn.records.tracker import MasterKey

if TYPE_CHECKING:
    from yarnbox.nm.containers.scheduler import ContainerScheduler

Entries = Mapping[str, bytes]


def recover(context: NMContext, scheduler: ContainerScheduler, entries: Entries) -> None:
    """Takes up what was kept: keys, resources, applications, then their containers."""
    _recover_keys(context, entries)
    for name, value in entries.items():
        if name.startswith(RESOURCES):
            with _reading(context, name):
                _recover_resource(context, json.loads(value))
    for application_id, found in _grouped(entries, APPLICATIONS).items():
        with _reading(context, application_id):
            _recover_application(context, ApplicationId.parse(application_id), found)
    for container_id, found in _grouped(entries, CONTAINERS).items():
        with _reading(context, container_id):
            _recover_container(context, scheduler, ContainerId.parse(container_id), found)


@contextmanager
def _reading(context: NMContext, name: str) -> Iterator[None]:
    """One entry that cannot be read is told of, and the others are read."""
    try:
        yield
    except (YarnError, ValueError, KeyError, TypeError) as error:
        what = error.message if isinstance(error, YarnError) else f"{type(error).__name__}: {error}"
        context.log("error", f"{name} cannot be recovered: {what}", "nm.recovery")


def _recover_keys(context: NMContext, entries: Entries) -> None:
    for top, keys in ((NM_TOKENS, context.nm_tokens), (CONTAINER_TOKENS, context.container_tokens)):
        for name in ("previous", "current"):
            if top + name in entries:
                with _reading(context, top + name):
                    keys.set_master_key(context.wire.from_bytes(MasterKey, entries[top + name]))
    for name, value in entries.items():
        with _reading(context, name):
            if name.startswith(NM_TOKENS + "used/"):
                attempt_id = ApplicationAttemptId.parse(name.rpartition("/")[2])
                context.nm_tokens.restore_used_key(attempt_id, context.wire.from_bytes(MasterKey, value))
            elif name.startswith(CONTAINER_TOKENS + "started/"):
                container_id = ContainerId.parse(name.rpartition("/")[2])
                context.container_tokens.restore_started(container_id, int(value))


def _recover_resource(context: NMContext, value: dict[str, object]) -> None:
    application = value["application"]
    cache = CacheKey(
        LocalResourceVisibility[str(value["visibility"])],
        str(value["user"]),
        None if application is None else ApplicationId.parse(str(application)),
    )
    key = ResourceKey(
        str(value["url"]),
        int(str(value["timestamp"])),
        LocalResourceType[str(value["type"])],
        str(value["pattern"]),
    )
    context.post(
        ResourceRecovered(
            cache=cache,
            key=key,
            path=str(value["path"]),
            size=int(str(value["size"])),
            directory=str(value["directory"]),
        )
    )


def _recover_application(context: NMContext, application_id: ApplicationId, found: Entries) -> None:
    user = found["user"].decode()
    application = Application(context, application_id, user)
    if "log" in found:
        application.log_aggregation_context = context.wire.from_bytes(LogAggregationContext, found["log"])
    context.applications[application_id] = application
    context.post(
        ApplicationInit(
            application_id=application_id,
            application_acls={},
            log_aggregation_context=application.log_aggregation_context,
        )
    )
    for name, data in found.items():
        service = name.removeprefix("service/")
        if service != name:
            context.order(StartAuxiliaryApplication(service, application_id, user, data))


def _recover_container(
    context: NMContext, scheduler: ContainerScheduler, container_id: ContainerId, found: Entries
) -> None:
    request = context.wire.from_bytes(StartContainerRequest, found["request"])
    if request.container_token is None or container_id.application_id not in context.applications:
        forget_container(context, container_id)
        return
    token = context.wire.from_bytes(
        ContainerTokenIdentifier, found.get("token", request.container_token.identifier)
    )
    container = Container(context, token, request.container_launch_context or ContainerLaunchContext())
    container.start_ms = int(found.get("start", b"0"))
    container.diagnostics = found.get("diagnostics", b"").decode()
    if "exitcode" in found:
        container.recovered = Recovered.COMPLETED
        container.exit_code = int(found["exitcode"])
    elif "launched" in found:
        container.recovered = Recovered.LAUNCHED
        scheduler.recover_running(container)
    container.is_recovered_as_killed = "killed" in found
    context.containers[container_id] = container
    context.post(
        ApplicationInitContainer(application_id=container_id.application_id, container_id=container_id)
    )


def _grouped(entries: Entries, top: str) -> dict[str, dict[str, bytes]]:
    """What is below `top`, by its first word."""
    groups: dict[str, dict[str, bytes]] = {}
    for name, value in entries.items():
        if name.startswith(top):
            first, _, rest = name.removeprefix(top).partition("/")
            groups.setdefault(first, {})[rest] = value
    return groups
