"""What a container asks to find in its working directory, and how far it is: keys, caches, resource sets.

A resource is identified by where it comes from and when that was last changed, not by the name it gets; so
containers that name it differently share one copy. Knows nothing of fetching. Hadoop:
LocalResourceRequest and ResourceSet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from yarnbox.yarn.enums import LocalizationState, LocalResourceType, LocalResourceVisibility
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.basics import URL
from yarnbox.yarn.records.container import LocalResource
from yarnbox.yarn.records.management import LocalizationStatus


class ResourceKey(NamedTuple):
    """The identity of a resource."""

    url: str
    timestamp: int
    type: LocalResourceType
    pattern: str

    def __str__(self) -> str:
        return f"{{ {self.url}, {self.timestamp}, {self.type.name}, {self.pattern} }}"


class CacheKey(NamedTuple):
    """The cache that keeps a resource: everybody's, a user's, or an application's."""

    visibility: LocalResourceVisibility
    user: str = ""
    application_id: ApplicationId | None = None

    @property
    def directory(self) -> str:
        """Where it is, below a local directory."""
        if self.visibility is LocalResourceVisibility.PUBLIC:
            return "filecache"
        if self.application_id is None:
            return f"usercache/{self.user}/filecache"
        return f"usercache/{self.user}/appcache/{self.application_id}/filecache"


def url_text(url: URL) -> str:
    """A URL record as text."""
    if not url.scheme:
        return url.file or ""
    port = f":{url.port}" if url.port is not None and url.port >= 0 else ""
    user = f"{url.user_info}@" if url.user_info else ""
    return f"{url.scheme}://{user}{url.host or ''}{port}{url.file or ''}"


def key_of(resource: LocalResource) -> ResourceKey:
    """The identity of a checked resource."""
    assert resource.resource is not None
    assert resource.type is not None
    return ResourceKey(
        url_text(resource.resource), resource.timestamp or 0, resource.type, resource.pattern or ""
    )


def check_resources(resources: Mapping[str, LocalResource]) -> None:
    """Refuses resources that say too little, or whose link would leave the working directory."""
    for link, resource in resources.items():
        if resource.resource is None or not resource.resource.file:
            raise YarnError(f"Null resource URL for local resource {link} : {resource}")
        if resource.type is None:
            raise YarnError(f"Null resource type for local resource {link} : {resource}")
        if resource.visibility is None:
            raise YarnError(f"Null resource visibility for local resource {link} : {resource}")
        if not link or link.startswith("/") or ".." in link.split("/") or "\0" in link:
            raise YarnError(f"local resource name {link!r} is outside the working directory")


def malformed(resources: Mapping[str, LocalResource]) -> str | None:
    """What makes the first of them impossible to look for; None when all of them can be."""
    for link, resource in resources.items():
        file = (resource.resource and resource.resource.file) or ""
        if not file.startswith("/") or "\0" in file:
            return (
                f"Failed to parse resource-request: {link} comes from {file!r}, which is not an absolute path"
            )
    return None


def cache_of(resource: LocalResource, user: str, application_id: ApplicationId) -> CacheKey:
    """The cache that a container's resource belongs in."""
    visibility = resource.visibility
    assert visibility is not None
    if visibility is LocalResourceVisibility.PUBLIC:
        return CacheKey(visibility)
    if visibility is LocalResourceVisibility.PRIVATE:
        return CacheKey(visibility, user)
    return CacheKey(visibility, user, application_id)


class ResourceSet:
    """The resources of one container: pending, localized, failed."""

    __slots__ = ("failed", "localized", "pending", "wanted")

    def __init__(self) -> None:
        self.wanted: list[tuple[CacheKey, ResourceKey]] = []
        """Every request made, to be released in the end."""
        self.pending: dict[ResourceKey, list[str]] = {}
        """Link names by resource, of those on their way."""
        self.localized: dict[str, str] = {}
        """Path by link name."""
        self.failed: list[LocalizationStatus] = []

    def add(
        self, resources: Mapping[str, LocalResource], user: str, application_id: ApplicationId
    ) -> tuple[tuple[CacheKey, ResourceKey], ...]:
        """Takes up resources by link name; which to request, each once: PUBLIC, then PRIVATE, then
        APPLICATION.
        """
        requests: dict[tuple[CacheKey, ResourceKey], None] = {}
        for link, resource in sorted(resources.items(), key=_by_visibility):
            key = key_of(resource)
            links = self.pending.setdefault(key, [])
            if link not in links:
                links.append(link)
            requests[cache_of(resource, user, application_id), key] = None
        self.wanted.extend(requests)
        return tuple(requests)

    def resource_localized(self, key: ResourceKey, path: str) -> list[str] | None:
        """Notes where it is; its link names, or None if nothing waited for it."""
        links = self.pending.pop(key, None)
        if links is not None:
            for link in links:
                self.localized[link] = path
        return links

    def resource_failed(self, key: ResourceKey, diagnostics: str) -> None:
        """Notes that it cannot be had."""
        for link in self.pending.pop(key, ()):
            self.failed.append(
                LocalizationStatus(
                    resource_key=link, localization_state=LocalizationState.FAILED, diagnostics=diagnostics
                )
            )

    def merged_with(self, newer: ResourceSet) -> ResourceSet:
        """Both sets; of equal link names the newer one's counts."""
        merged = ResourceSet()
        merged.localized = {**self.localized, **newer.localized}
        merged.wanted = [*self.wanted, *newer.wanted]
        return merged

    def statuses(self) -> tuple[LocalizationStatus, ...]:
        """One status per link name."""
        done = [
            LocalizationStatus(resource_key=link, localization_state=LocalizationState.COMPLETED)
            for link in self.localized
        ]
        pending = [
            LocalizationStatus(resource_key=link, localization_state=LocalizationState.PENDING)
            for links in self.pending.values()
            for link in links
        ]
        return (*done, *pending, *self.failed)


def _by_visibility(item: tuple[str, LocalResource]) -> int:
    visibility = item[1].visibility
    assert visibility is not None
    return visibility.value
