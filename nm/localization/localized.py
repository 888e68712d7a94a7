"""Localized resources: which copy of what is where, who uses it, and when it may go.

Owns the caches: everybody's, one per user, one per application. Fetching and deleting are effects. Hadoop:
LocalizedResource, LocalResourcesTrackerImpl, LocalCacheDirectoryManager, LocalCacheCleaner and the event
side of ResourceLocalizationService.
"""

from __future__ import annotations

from collections import deque
from enum import Enum, auto

from yarnbox.nm.context import NMContext
from yarnbox.nm.effects import DeleteApplicationFiles, DeleteContainerFiles, DeleteResource, FetchResource
from yarnbox.nm.events import (
    ApplicationInited,
    ApplicationResourcesCleanedUp,
    ContainerResourceFailed,
    ContainerResourceLocalized,
    ContainerResourcesCleanedUp,
    LocalizationApplicationEvent,
    LocalizationCleanupContainer,
    LocalizationEvent,
    LocalizationInitApplication,
    LocalizationRequestContainer,
    NodeCacheCleanup,
    ResourceEvent,
    ResourceLocalizationFailed,
    ResourceLocalized,
    ResourceRecovered,
    ResourceReleased,
    ResourceRequested,
)
from yarnbox.nm.localization.resources import CacheKey, ResourceKey
from yarnbox.nm.state import RESOURCES, forget_resource, store_resource
from yarnbox.yarn.enums import LocalResourceVisibility
from yarnbox.yarn.ids import ApplicationId, ContainerId
from yarnbox.yarn.runtime.ordered import OrderedSet
from yarnbox.yarn.runtime.statemachine import Table, ignore, stay, to

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_SUBDIRECTORIES = len(_DIGITS)


class ResourceState(Enum):
    """ResourceState of the NM."""

    INIT = auto()
    DOWNLOADING = auto()
    LOCALIZED = auto()
    FAILED = auto()


State = ResourceState


class LocalizedResource:
    """One resource in one cache."""

    __slots__ = ("cache", "context", "directory", "key", "path", "released_ms", "size", "state", "users")

    def __init__(self, context: NMContext, cache: CacheKey, key: ResourceKey, directory: str) -> None:
        self.context = context
        self.cache = cache
        self.key = key
        self.directory = directory
        self.state = State.INIT
        self.users: OrderedSet[ContainerId] = OrderedSet()
        self.path = ""
        self.size = 0
        self.released_ms = context.now_ms

    @property
    def subject(self) -> ResourceKey:
        """Its identity, for the story."""
        return self.key


def _fetch(resource: LocalizedResource, event: ResourceRequested) -> None:
    resource.users.add(event.container_id)
    resource.context.order(FetchResource(resource.cache, resource.key, resource.directory))


def _recover(resource: LocalizedResource, event: ResourceRecovered) -> None:
    resource.path, resource.size = event.path, event.size


def _join(resource: LocalizedResource, event: ResourceRequested) -> None:
    resource.users.add(event.container_id)


def _arrive(resource: LocalizedResource, event: ResourceLocalized) -> None:
    resource.path, resource.size = event.path, event.size
    store_resource(resource.context, resource.cache, resource.key, resource.directory, event.path, event.size)
    for container_id in resource.users:
        _tell(resource, container_id, was_cached=False)


def _fail(resource: LocalizedResource, event: ResourceLocalizationFailed) -> None:
    for container_id in resource.users:
        resource.context.post(
            ContainerResourceFailed(
                container_id=container_id, key=resource.key, diagnostics=event.diagnostics
            )
        )


def _serve(resource: LocalizedResource, event: ResourceRequested) -> None:
    resource.users.add(event.container_id)
    _tell(resource, event.container_id, was_cached=True)


def _release(resource: LocalizedResource, event: ResourceReleased) -> None:
    if event.container_id in resource.users:
        resource.users.discard(event.container_id)
        resource.released_ms = resource.context.now_ms


def _tell(resource: LocalizedResource, container_id: ContainerId, *, was_cached: bool) -> None:
    resource.context.post(
        ContainerResourceLocalized(
            container_id=container_id,
            key=resource.key,
            path=resource.path,
            size=resource.size,
            was_cached=was_cached,
        )
    )


LOCALIZED_RESOURCE = Table(
    "LocalizedResource",
    initial=State.INIT,
    rows={
        State.INIT: {
            ResourceRequested: to(State.DOWNLOADING, _fetch),
            ResourceRecovered: to(State.LOCALIZED, _recover),
        },
        State.DOWNLOADING: {
            **stay(ResourceRequested, hook=_join),
            ResourceLocalized: to(State.LOCALIZED, _arrive),
            **stay(ResourceReleased, hook=_release),
            ResourceLocalizationFailed: to(State.FAILED, _fail),
        },
        State.LOCALIZED: {
            **stay(ResourceRequested, hook=_serve),
            **stay(ResourceReleased, hook=_release),
        },
        State.FAILED: ignore(ResourceReleased),
    },
)
"""After LocalizedResource. An entry that failed is dropped at once, so nothing else can reach it."""


class CacheDirectories:
    """Which subdirectory the next resource goes to, so that none holds more than `limit` entries."""

    __slots__ = ("_counts", "_free", "_limit", "_next")

    def __init__(self, limit: int) -> None:
        self._limit = limit - _SUBDIRECTORIES
        self._counts: dict[str, int] = {"": 0}
        self._free: deque[str] = deque([""])
        self._next = 1

    def take(self) -> str:
        """A place in the first directory that has one; new directories open as they fill."""
        if not self._free:
            self._free.append(directory_name(self._next))
            self._next += 1
        name = self._free[0]
        count = self._counts[name] = self._counts.get(name, 0) + 1
        if count >= self._limit:
            self._free.popleft()
        return name

    def restore(self, name: str) -> None:
        """A place that was taken before a restart of the NM."""
        while name not in self._counts:
            self._free.append(directory_name(self._next))
            self._counts[directory_name(self._next)] = 0
            self._next += 1
        self._counts[name] += 1
        if self._counts[name] >= self._limit and name in self._free:
            self._free.remove(name)

    def give_back(self, name: str) -> None:
        """A place is free again."""
        count = self._counts.get(name, 0)
        if count >= self._limit:
            self._free.append(name)
        self._counts[name] = max(0, count - 1)


def directory_name(number: int) -> str:
    """The path of subdirectory `number`, counted from 1: `0` to `z`, then `0/0`, and so on."""
    digits: list[str] = []
    number -= 1
    while True:
        digits.append(_DIGITS[number % _SUBDIRECTORIES])
        number //= _SUBDIRECTORIES
        if number == 0:
            return "/".join(reversed(digits))
        number -= 1


class _Cache:
    """The resources of one cache, and its directories."""

    __slots__ = ("directories", "last_number", "resources")

    def __init__(self, limit: int) -> None:
        self.resources: dict[ResourceKey, LocalizedResource] = {}
        self.directories = CacheDirectories(limit)
        self.last_number = 9
        """The first resource gets number 10, as in Hadoop."""

    def new_directory(self) -> str:
        """An unused directory, relative to the cache."""
        self.last_number += 1
        parent = self.directories.take()
        return f"{parent}/{self.last_number}" if parent else str(self.last_number)

    def restore(self, directory: str) -> str:
        """A directory that was used before a restart of the NM."""
        parent, _, number = directory.rpartition("/")
        self.directories.restore(parent)
        self.last_number = max(self.last_number, int(number))
        return directory


class LocalizationService:
    """All caches of a node."""

    def __init__(self, context: NMContext) -> None:
        self._context = context
        self._caches: dict[CacheKey, _Cache] = {}
        dispatcher = context.dispatcher
        dispatcher.register(LocalizationEvent, self._handle)
        dispatcher.register(LocalizationApplicationEvent, self._handle_application)
        dispatcher.register(ResourceEvent, self._handle_resource)

    def start(self) -> None:
        """Sets the first look at the size of the caches."""
        due_ms = self._context.now_ms + self._context.settings.localization.cache_cleanup_interval_ms
        self._context.timers.at(due_ms, "cache cleanup", NodeCacheCleanup())

    def entries(self) -> list[LocalizedResource]:
        """Every known resource, cache by cache."""
        return [resource for cache in self._caches.values() for resource in cache.resources.values()]

    def clean_caches(self) -> None:
        """Lets unused PUBLIC and PRIVATE resources go, least recently used first, until the rest fits."""
        shared = [
            entry
            for entry in self.entries()
            if entry.cache.visibility is not LocalResourceVisibility.APPLICATION
            and entry.state is State.LOCALIZED
        ]
        excess = (
            sum(entry.size for entry in shared)
            - self._context.settings.localization.cache_target_mb * 1024 * 1024
        )
        unused = sorted((entry for entry in shared if not entry.users), key=lambda entry: entry.released_ms)
        for entry in unused:
            if excess <= 0:
                break
            excess -= entry.size
            self._drop(entry)
            self._context.order(DeleteResource(entry.path))
        self.start()

    def resource_missing(self, cache: CacheKey, key: ResourceKey) -> None:
        """The disk has lost it: the next request fetches it anew."""
        found = self._caches.get(cache)
        if found is not None and key in found.resources:
            self._drop(found.resources[key])

    def _handle(self, event: LocalizationEvent) -> None:
        context = self._context
        if isinstance(event, LocalizationRequestContainer):
            for cache, key in event.wanted:
                context.post(ResourceRequested(cache=cache, key=key, container_id=event.container_id))
            return
        assert isinstance(event, LocalizationCleanupContainer)
        for cache, key in event.wanted:
            context.post(ResourceReleased(cache=cache, key=key, container_id=event.container_id))
        container = context.containers.get(event.container_id)
        if container is not None:
            context.order(DeleteContainerFiles(event.container_id, container.user))
        context.post(ContainerResourcesCleanedUp(container_id=event.container_id))

    def _handle_application(self, event: LocalizationApplicationEvent) -> None:
        context, application_id = self._context, event.application_id
        if isinstance(event, LocalizationInitApplication):
            context.post(ApplicationInited(application_id=application_id))
            return
        self._forget_application(application_id)
        application = context.applications.get(application_id)
        if application is not None:
            context.order(DeleteApplicationFiles(application_id, application.user))
        context.post(ApplicationResourcesCleanedUp(application_id=application_id))

    def _forget_application(self, application_id: ApplicationId) -> None:
        for cache in [cache for cache in self._caches if cache.application_id == application_id]:
            self._context.forget(f"{RESOURCES}{cache.directory}/")
            del self._caches[cache]

    def _handle_resource(self, event: ResourceEvent) -> None:
        cache = self._caches.get(event.cache)
        if cache is None:
            if isinstance(event, ResourceLocalized):
                self._context.order(DeleteResource(event.path))  # its application is over
            if isinstance(event, ResourceReleased | ResourceLocalized | ResourceLocalizationFailed):
                return
            cache = self._caches[event.cache] = _Cache(
                self._context.settings.localization.maximum_files_per_directory
            )
        resource = cache.resources.get(event.key)
        if resource is None:
            if not isinstance(event, ResourceRequested | ResourceRecovered):
                return
            if isinstance(event, ResourceRecovered):
                directory = cache.restore(event.directory)
            else:
                directory = cache.new_directory()
            resource = LocalizedResource(self._context, event.cache, event.key, directory)
            cache.resources[event.key] = resource
        elif isinstance(event, ResourceRecovered):
            return
        self._context.fire(LOCALIZED_RESOURCE, resource, event)
        if resource.state is State.FAILED:
            self._drop(resource)

    def _drop(self, resource: LocalizedResource) -> None:
        cache = self._caches[resource.cache]
        del cache.resources[resource.key]
        forget_resource(self._context, resource.cache, resource.directory)
        cache.directories.give_back(resource.directory.rpartition("/")[0])
