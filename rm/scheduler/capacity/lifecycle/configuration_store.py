"""The scheduler's configuration changed by API: a change set is applied atomically.

The change itself is pure: properties in, properties out. Who may change what is asked here, too; how a change
arrives (`yarn schedulerconf`, REST) is not known. Hadoop: MutableCSConfigurationProvider,
ConfigurationUpdateAssembler, YarnConfigurationStore, DefaultConfigurationMutationACLPolicy and
QueueAdminConfigurationMutationACLPolicy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from yarnbox.rm.effects import SCHEDULER_JOURNAL, AppendRecord
from yarnbox.rm.scheduler.capacity.config.properties import PREFIX
from yarnbox.rm.scheduler.capacity.config.reading import FILE_NAME
from yarnbox.rm.scheduler.capacity.config.settings import ROOT
from yarnbox.rm.scheduler.capacity.lifecycle.access import QueueAccess
from yarnbox.rm.scheduler.capacity.lifecycle.refresh import Refresh
from yarnbox.rm.scheduler.capacity.queues.tree import QueueTree
from yarnbox.rm.scheduler.configuration_change import ConfigurationChange, ConfigurationStore
from yarnbox.rm.scheduler.context import SchedulerContext
from yarnbox.rm.scheduler.views import ConfigurationView
from yarnbox.yarn.configuration import Configuration, ConfigurationError
from yarnbox.yarn.enums import QueueACL
from yarnbox.yarn.errors import AccessControlError, YarnError

_QUEUE_ADMIN_POLICY = "QueueAdminConfigurationMutationACLPolicy"


def changed(properties: Mapping[str, str], change: ConfigurationChange) -> dict[str, str]:
    """The properties after the change; YarnError when it is not valid."""
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
    """A configuration that is changed by API; the file is only its initial value."""

    def __init__(self, properties: Mapping[str, str], version: int) -> None:
        self.properties = dict(properties)
        self.version = version
        """Counted from 1; every change raises it."""


class CapacityConfigurationStore(ConfigurationStore):
    """The properties of capacity-scheduler.xml."""

    def __init__(
        self,
        rm: SchedulerContext,
        file: Configuration,
        tree: QueueTree,
        access: QueueAccess,
        refresh: Refresh,
    ) -> None:
        self._rm = rm
        self._tree = tree
        self._access = access
        self._refresh = refresh
        self._mutable: MutableConfiguration | None = None
        """None where the file itself is the configuration."""
        if rm.settings.web.configuration_store != "file":
            self._mutable = MutableConfiguration(_texts(file), 1)

    def view(self) -> ConfigurationView | None:
        """The configuration as it is; None where the file itself is the configuration."""
        mutable = self._mutable
        if mutable is None:
            return None
        return ConfigurationView(properties=dict(mutable.properties), version=mutable.version)

    def restore(self, records: Sequence[Any]) -> None:
        """After a restart: the configuration as it was changed last takes the place of the file."""
        mutable = self._mutable
        if mutable is None or not records:
            return
        stored = records[-1]
        properties = {str(name): str(value) for name, value in stored["properties"].items()}
        self._refresh.restore(_of_properties(properties))
        mutable.properties, mutable.version = properties, int(stored["version"])

    def records(self) -> tuple[Mapping[str, object], ...]:
        """The first records of the journal after a start; none while the configuration is the file's."""
        mutable = self._mutable
        if mutable is None or not self._outlives_the_rm or mutable.version == 1:
            return ()
        return (_record(mutable),)

    def change(self, change: ConfigurationChange, user: str) -> None:
        """Applies a change set and keeps it; YarnError when it is refused, and nothing changed."""
        mutable = self._mutable_for(change, user)
        properties = changed(mutable.properties, change)
        self._refresh.apply(_of_properties(properties))
        mutable.properties = properties
        mutable.version += 1
        self._store(mutable)

    def validate(self, change: ConfigurationChange, user: str) -> dict[str, str]:
        """The configuration after the change, which is not applied; YarnError when it would be refused."""
        properties = changed(self._mutable_for(change, user).properties, change)
        try:
            self._refresh.validate(_of_properties(properties))
        except ConfigurationError as error:
            raise YarnError(f"CapacityScheduler configuration validation failed: {error.message}") from None
        return properties

    def format(self) -> None:
        """Discards all changes made by API and returns to the file."""
        mutable = self._required()
        file = self._rm.provider.load(FILE_NAME)
        self._refresh.apply(file)
        mutable.properties, mutable.version = _texts(file), 1
        self._store(mutable)

    @property
    def _outlives_the_rm(self) -> bool:
        return self._rm.settings.web.configuration_store not in ("file", "memory")

    def _store(self, mutable: MutableConfiguration) -> None:
        if self._outlives_the_rm:
            self._rm.order(AppendRecord(journal=SCHEDULER_JOURNAL, record=_record(mutable)))

    def _mutable_for(self, change: ConfigurationChange, user: str) -> MutableConfiguration:
        mutable = self._required()
        self._check_user(change, user)
        return mutable

    def _required(self) -> MutableConfiguration:
        if self._mutable is None:
            raise YarnError("Configuration change only supported by mutable configuration store.")
        return self._mutable

    def _check_user(self, change: ConfigurationChange, user: str) -> None:
        """Administrators may make any change; by the queue administrators' policy, so may the administrators
        of every queue that it changes.
        """
        settings = self._rm.settings
        if not settings.addresses.acl_enabled or self._rm.is_admin(user):
            return
        is_by_queue = settings.web.configuration_policy.endswith(_QUEUE_ADMIN_POLICY)
        touched = [*change.remove, *(path for path, _ in change.add), *(path for path, _ in change.update)]
        if (
            is_by_queue
            and not change.global_updates
            and all(self._administers(path, user) for path in touched)
        ):
            return
        raise AccessControlError("User is not admin of all modified queues.")

    def _administers(self, path: str, user: str) -> bool:
        while path and self._tree.at(path) is None:
            path = path.rpartition(".")[0]
        return bool(path) and self._access.allows(user, QueueACL.ADMINISTER_QUEUE, path)


def _of_properties(properties: Mapping[str, str]) -> Configuration:
    return Configuration(defaults={}).overlaid(properties, "scheduler configuration")


def _texts(file: Configuration) -> dict[str, str]:
    return {name: file.untrimmed(name) or "" for name in file.names("yarn.")}


def _record(mutable: MutableConfiguration) -> Mapping[str, object]:
    return {"properties": dict(mutable.properties), "version": mutable.version}
