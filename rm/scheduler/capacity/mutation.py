"""The scheduler's configuration changed by API: a change set makes a new configuration, whole or not at all.

The change itself is pure: properties in, properties out. Who may change what is asked here, too; how a change
arrives (`yarn schedulerconf`, REST) is not known. Answers for MutableCSConfigurationProvider,
ConfigurationUpdateAssembler, YarnConfigurationStore, DefaultConfigurationMutationACLPolicy and
QueueAdminConfigurationMutationACLPolicy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rm.effects import SCHEDULER_JOURNAL, KeepRecord
from rm.scheduler.capacity import changes
from rm.scheduler.capacity.checks import check_states
from rm.scheduler.capacity.reading import FILE_NAME
from rm.scheduler.capacity.settings import PREFIX, ROOT
from rm.scheduler.capacity.tree import start_state
from yarn.configuration import Configuration, ConfigurationError
from yarn.enums import QueueACL
from yarn.errors import AccessControlError, YarnError

if TYPE_CHECKING:
    from rm.scheduler.capacity.scheduler import CapacityScheduler

_QUEUE_ADMIN_POLICY = "QueueAdminConfigurationMutationACLPolicy"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationChange:
    """One change set (SchedConfUpdateInfo): applied in the order of the fields. An empty value unsets."""

    remove: tuple[str, ...] = ()
    add: tuple[tuple[str, Mapping[str, str]], ...] = ()
    """Queue path and its properties, keys without prefix."""
    update: tuple[tuple[str, Mapping[str, str]], ...] = ()
    global_updates: Mapping[str, str] = field(default_factory=dict)
    """Full property names, or names without the scheduler's prefix."""


def changed(properties: Mapping[str, str], change: ConfigurationChange) -> dict[str, str]:
    """The properties after the change; YarnError when it makes no sense."""
    found = dict(properties)
    for path in change.remove:
        _remove_queue(found, path)
    for path, parameters in change.add:
        _add_queue(found, path, parameters)
    for path, parameters in change.update:
        _set(found, f"{PREFIX}{path}.", parameters)
    for name, value in change.global_updates.items():
        _put(found, name if name.startswith("yarn.") else PREFIX + name, value)
    return found


def _put(properties: dict[str, str], name: str, value: str) -> None:
    if value:
        properties[name] = value
    else:
        properties.pop(name, None)


def _set(properties: dict[str, str], prefix: str, parameters: Mapping[str, str]) -> None:
    for key, value in parameters.items():
        _put(properties, prefix + key, value)


def _children(properties: Mapping[str, str], path: str) -> list[str]:
    text = properties.get(f"{PREFIX}{path}.queues", "")
    return [name.strip() for name in text.split(",") if name.strip()]


def _remove_queue(properties: dict[str, str], path: str) -> None:
    if path == ROOT:
        raise YarnError("Can't remove queue root")
    parent, _, name = path.rpartition(".")
    siblings = _children(properties, parent) if parent else []
    if name not in siblings:
        raise YarnError(f"Queue {path} not found")
    prefix = f"{PREFIX}{path}."
    for property_name in [one for one in properties if one.startswith(prefix)]:
        del properties[property_name]
    siblings.remove(name)
    _put(properties, f"{PREFIX}{parent}.queues", ",".join(siblings))
    if not siblings:
        properties.pop(f"{PREFIX}{parent}.ordering-policy", None)


def _add_queue(properties: dict[str, str], path: str, parameters: Mapping[str, str]) -> None:
    if path == ROOT:
        raise YarnError("Can't add invalid queue root")
    parent, _, name = path.rpartition(".")
    if not parent:
        raise YarnError(f"Can't add invalid queue {path}")
    siblings = _children(properties, parent)
    if name in siblings:
        raise YarnError(f"Can't add existing queue {path}")
    if not siblings:
        # The order of a leaf's applications means nothing to a parent.
        properties.pop(f"{PREFIX}{parent}.ordering-policy", None)
    properties[f"{PREFIX}{parent}.queues"] = ",".join([*siblings, name])
    _set(properties, f"{PREFIX}{path}.", parameters)


class MutableConfiguration:
    """The configuration of a scheduler whose file was only the seed."""

    def __init__(self, properties: Mapping[str, str], version: int) -> None:
        self.properties = dict(properties)
        self.version = version
        """Counted from 1; every change raises it."""

    def as_configuration(self) -> Configuration:
        """The properties, to be read."""
        return of_properties(self.properties)


def of_properties(properties: Mapping[str, str]) -> Configuration:
    """A configuration of these properties alone."""
    return Configuration(defaults={}).overlaid(properties, "scheduler configuration")


def seed(scheduler: CapacityScheduler, file: Configuration) -> MutableConfiguration | None:
    """The file as the start of a mutable configuration; None where the file itself is the configuration."""
    if scheduler.context.settings.web.configuration_store == "file":
        return None
    texts = {name: file.untrimmed(name) or "" for name in file.names("yarn.")}
    return MutableConfiguration(texts, 1)


def restore(scheduler: CapacityScheduler, stored: Mapping[str, Any]) -> None:
    """After a restart: the configuration as it was changed last takes the place of the file.

    As at any start: no queue has a past yet, so that whatever the file's tree was does not matter.
    """
    mutable = scheduler.mutable
    if mutable is None:
        return
    properties = {str(name): str(value) for name, value in stored["properties"].items()}
    settings = scheduler.read_settings(of_properties(properties))
    check_states(settings, {})
    settings.properties.raise_faults()
    changes.take_over(scheduler, settings)
    for queue in scheduler.tree.walk():
        start_state(queue)
    mutable.properties, mutable.version = properties, int(stored["version"])


def records(scheduler: CapacityScheduler) -> tuple[Mapping[str, Any], ...]:
    """What the journal begins with after a start; nothing while the configuration is the file's."""
    mutable = scheduler.mutable
    if mutable is None or not is_kept(scheduler) or mutable.version == 1:
        return ()
    return (_record(mutable),)


def is_kept(scheduler: CapacityScheduler) -> bool:
    """Whether the configuration outlives the RM: in memory it does not."""
    return scheduler.context.settings.web.configuration_store not in ("file", "memory")


def _record(mutable: MutableConfiguration) -> Mapping[str, Any]:
    return {"properties": dict(mutable.properties), "version": mutable.version}


def mutate(scheduler: CapacityScheduler, change: ConfigurationChange, user: str) -> None:
    """Applies a change set and keeps it; YarnError when it is refused, and nothing changed."""
    mutable = _mutable_of(scheduler)
    _check_user(scheduler, change, user)
    properties = changed(mutable.properties, change)
    changes.apply(scheduler, of_properties(properties))
    mutable.properties = properties
    mutable.version += 1
    _store(scheduler, mutable)


def format_store(scheduler: CapacityScheduler) -> None:
    """Back to the file, whatever was changed since."""
    mutable = _mutable_of(scheduler)
    file = scheduler.context.provider.load(FILE_NAME)
    changes.apply(scheduler, file)
    fresh = seed(scheduler, file)
    assert fresh is not None
    mutable.properties, mutable.version = fresh.properties, 1
    _store(scheduler, mutable)


def _store(scheduler: CapacityScheduler, mutable: MutableConfiguration) -> None:
    if is_kept(scheduler):
        scheduler.context.order(KeepRecord(journal=SCHEDULER_JOURNAL, record=_record(mutable)))


def validate(scheduler: CapacityScheduler, change: ConfigurationChange, user: str) -> dict[str, str]:
    """The configuration that the change would make; YarnError when it would be refused."""
    mutable = _mutable_of(scheduler)
    _check_user(scheduler, change, user)
    properties = changed(mutable.properties, change)
    try:
        changes.judge(scheduler, of_properties(properties))
    except ConfigurationError as error:
        raise YarnError(f"CapacityScheduler configuration validation failed: {error.message}") from None
    return properties


def _mutable_of(scheduler: CapacityScheduler) -> MutableConfiguration:
    if scheduler.mutable is None:
        raise YarnError("Configuration change only supported by mutable configuration store.")
    return scheduler.mutable


def _check_user(scheduler: CapacityScheduler, change: ConfigurationChange, user: str) -> None:
    """Administrators may do all; by the queue administrators' policy, so may those of every queue touched."""
    settings = scheduler.context.settings
    groups = scheduler.context.groups.groups_of(user)
    if not settings.addresses.acl_enabled or settings.addresses.admin_acl.allows(user, groups):
        return
    is_by_queue = settings.web.configuration_policy.endswith(_QUEUE_ADMIN_POLICY)
    touched = [*change.remove, *(path for path, _ in change.add), *(path for path, _ in change.update)]
    if (
        is_by_queue
        and not change.global_updates
        and all(_administers(scheduler, path, user) for path in touched)
    ):
        return
    raise AccessControlError("User is not admin of all modified queues.")


def _administers(scheduler: CapacityScheduler, path: str, user: str) -> bool:
    while path and scheduler.tree.at(path) is None:
        path = path.rpartition(".")[0]
    return bool(path) and scheduler.has_access(user, QueueACL.ADMINISTER_QUEUE, path)
